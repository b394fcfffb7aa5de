//! `uptake doctor`.

use expect_test::expect;

use crate::world::{World, learned};

#[test]
fn a_sound_store_passes_every_check_and_nothing_is_made_where_nothing_is() {
    let world = learned();
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ the data folder is yours alone
        ✓ lessons.db is sound, and its journal says the same
        ✓ sessions.db is sound
        ✓ every approved lesson is as it was approved
        ✓ the reader is off, or has what it needs
        ✓ the stores can be read while they are written
        ✓ what is connected works
        ✓ hooks met no trouble lately
        ✓ nothing is left over
          Claude Code is not connected: uptake init
          Codex CLI is not connected: uptake init
    "#]]
    .assert_eq(&world.snapshot(&["doctor"]));
    let empty = World::new();
    empty.run(&["doctor"]).ok();
    assert!(!empty.data().exists());
}

#[test]
fn what_is_wrong_is_told_and_mended_only_if_asked_for() {
    let world = learned();
    let db = world.data().join("lessons.db");
    let mut bytes = std::fs::read(&db).expect("a store");
    bytes[3] = b'X';
    std::fs::write(&db, &bytes).expect("damaged");
    world.write("data/.lessons.journal.part-dead12", "half");
    expect![[r#"
        exit code 1
        --- stdout ---
        ✓ the data folder is yours alone
        ✗ lessons
            lessons.db: file is not a database
        ✓ sessions.db is sound
        ✓ every approved lesson is as it was approved
        ✓ the reader is off, or has what it needs
        ✓ the stores can be read while they are written
        ✓ what is connected works
        ✓ hooks met no trouble lately
        ✗ leftovers
            part of a file that was never finished: $DATA/.lessons.journal.part-dead12
          Claude Code is not connected: uptake init
          Codex CLI is not connected: uptake init
        --- stderr ---
        error: 2 checks failed; mend it with: uptake doctor --fix
    "#]]
    .assert_eq(&world.snapshot(&["doctor"]));
    assert!(std::fs::read(&db).expect("there") == bytes, "nothing was changed");
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ the data folder is yours alone
        ✓ mended: lessons
            lessons.db: file is not a database
        ✓ sessions.db is sound
        ✓ every approved lesson is as it was approved
        ✓ the reader is off, or has what it needs
        ✓ the stores can be read while they are written
        ✓ what is connected works
        ✓ hooks met no trouble lately
        ✓ leftovers, to know:
            a damaged file that was put aside: $DATA/lessons.damaged-1794830400000.db
          Claude Code is not connected: uptake init
          Codex CLI is not connected: uptake init
        --- stderr ---
        `$DATA/lessons.db` is damaged: file is not a database
          it was kept as `$DATA/lessons.damaged-1794830400000.db`
          saved from it: nothing
          brought back from the journal: 1 folder of a project
          suggestions are made again from the sessions that were read
    "#]]
    .assert_eq(&world.snapshot(&["doctor", "--fix"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        {"v":1,"agents":[{"asked":{},"by_hand":0,"installed":[],"read":0,"sessions":0,"source":"claude","title":"Claude Code","told":0,"trusted":null,"unread":4},{"asked":{},"by_hand":0,"installed":[],"read":0,"sessions":0,"source":"codex","title":"Codex CLI","told":0,"trusted":null,"unread":4}],"checks":[{"found":[],"name":"folder","state":"ok"},{"found":[],"name":"lessons","state":"ok"},{"found":[],"name":"sessions","state":"ok"},{"found":[],"name":"approvals","state":"ok"},{"found":[],"name":"reader","state":"ok"},{"found":[],"name":"wal","state":"ok"},{"found":[],"name":"agents","state":"ok"},{"found":[],"name":"hooks","state":"ok"},{"found":[{"what":"a damaged file that was put aside: $DATA/lessons.damaged-1794830400000.db","wrong":false}],"name":"leftovers","state":"ok"}],"home":"$DATA"}
    "#]].assert_eq(&world.snapshot(&["doctor", "--json"]));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_look_into_is_closed() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = learned();
    std::fs::set_permissions(world.data(), std::fs::Permissions::from_mode(0o777)).expect("opened");
    let run = world.run(&["doctor"]);
    assert!(run.code == 1 && run.out.contains("others may look into"), "{}", run.out);
    world.run(&["doctor", "--fix"]).ok();
    assert_eq!(world.data().metadata().expect("there").permissions().mode() & 0o777, 0o700);
}
