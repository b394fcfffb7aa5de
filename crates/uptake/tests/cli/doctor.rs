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
        ✓ the daily run is not late, or not wanted
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
        ✓ the daily run is not late, or not wanted
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
        ✓ the daily run is not late, or not wanted
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
        {"v":1,"agents":[{"asked":{},"by_hand":0,"installed":[],"read":0,"sessions":0,"source":"claude","title":"Claude Code","told":0,"trusted":null,"unread":4},{"asked":{},"by_hand":0,"installed":[],"read":0,"sessions":0,"source":"codex","title":"Codex CLI","told":0,"trusted":null,"unread":4}],"checks":[{"found":[],"name":"folder","state":"ok"},{"found":[],"name":"lessons","state":"ok"},{"found":[],"name":"sessions","state":"ok"},{"found":[],"name":"approvals","state":"ok"},{"found":[],"name":"reader","state":"ok"},{"found":[],"name":"wal","state":"ok"},{"found":[],"name":"agents","state":"ok"},{"found":[],"name":"hooks","state":"ok"},{"found":[],"name":"daily","state":"ok"},{"found":[{"what":"a damaged file that was put aside: $DATA/lessons.damaged-1794830400000.db","wrong":false}],"name":"leftovers","state":"ok"}],"home":"$DATA"}
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

/// A world with Claude Code connected, as it is right after `init`.
fn connected() -> World {
    let world = World::new();
    let program = world.write("home/.local/bin/claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    #[cfg(unix)]
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made a program");
    world.write("home/.claude/settings.json", "{}\n");
    world.run(&["init", "--yes", "--no-learn"]).ok();
    world
}

/// A transcript that was last changed so many days before the clock of the world.
fn transcript(world: &World, name: &str, text: &str, days: u64) {
    let path = world.write(&format!("home/.claude/projects/p/{name}.jsonl"), text);
    let file = std::fs::File::options().append(true).open(path).expect("there");
    let day = std::time::Duration::from_secs(86_400);
    // The clock stands at 2026-11-16.
    let now = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_794_830_400);
    file.set_modified(now - day * u32::try_from(days).expect("few")).expect("its time");
}

fn told(world: &World, words: &str) -> bool {
    world.run(&["doctor"]).out.contains(words)
}

fn ends(world: &World, sessions: usize) {
    for n in 0..sessions {
        let payload = format!(r#"{{"session_id":"s{n}","cwd":"/","hook_event_name":"SessionEnd"}}"#);
        world.run_with(&["hook", "claude"], &payload).ok();
    }
}

/// A session as Claude Code writes it.
fn session() -> String {
    let text = uptake_testkit::transcript::claude("s", "/srv/shop", "u hello\n$ ls => a\na done\n");
    text.replace("\"isSidechain\":", "\"parentUuid\":null,\"isSidechain\":")
}

#[test]
fn hooks_that_are_heard_while_nothing_is_read_are_told() {
    let world = connected();
    world.run(&["config", "set", "background-runs", "0"]).ok();
    assert!(!told(&world, "none of these was read"));
    ends(&world, 2);
    assert!(!told(&world, "none of these was read"), "two are chance");
    ends(&world, 3);
    assert!(told(&world, "hooks were heard in 3 sessions, but none of these was read"));
}

#[test]
fn a_format_that_is_not_known_is_told() {
    let world = connected();
    transcript(&world, "a", &session(), 1);
    assert!(!told(&world, "is not known"));
    transcript(&world, "b", "{\"kind\":\"something new\"}\n{\"kind\":\"more of it\"}\n", 0);
    assert!(told(&world, "b.jsonl` is not known"));
}

#[test]
fn transcripts_that_go_soon_are_told_until_they_are_read() {
    let world = connected();
    transcript(&world, "a", &session(), 20);
    assert!(!told(&world, "soon that nobody read"), "thirty days are usual");
    world.write("home/.claude/settings.json", "{\"cleanupPeriodDays\": 22}");
    assert!(told(&world, "it deletes 1 transcript soon that nobody read (after 22 days)"));
    world.run(&["learn"]).ok();
    assert!(!told(&world, "soon that nobody read"));
}

#[test]
fn an_agent_that_works_and_is_not_heard_is_told() {
    let world = connected();
    transcript(&world, "a", &session(), 0);
    assert!(!told(&world, "were not heard"), "it was connected just now");
    // When it was connected the file system says.
    let path = world.home().join(".claude/projects/p/a.jsonl");
    let file = std::fs::File::options().append(true).open(path).expect("there");
    let settings = world.home().join(".claude/settings.json");
    let connected = settings.metadata().and_then(|about| about.modified()).expect("its time");
    file.set_modified(connected + std::time::Duration::from_secs(2 * 3_600)).expect("a later time");
    assert!(told(&world, "it works, but its hooks were not heard in 7 days"));
    ends(&world, 1);
    assert!(!told(&world, "were not heard"));
}

#[test]
fn hooks_that_are_switched_off_lead_nowhere_or_met_trouble_are_told() {
    let world = connected();
    let settings = world.home().join(".claude/settings.json");
    let text = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, text.replacen('{', "{\"disableAllHooks\": true, ", 1)).expect("written");
    assert!(told(&world, "switches all hooks off"));
    std::fs::write(&settings, "{ no settings").expect("written");
    assert!(told(&world, "its settings cannot be understood"));
    std::fs::write(&settings, text).expect("written");
    assert!(!told(&world, "1 time in 7 days"));
    world.run_with(&["hook", "claude"], "{\"hook_event_name\":3}").ok();
    world.run_with(&["hook", "claude"], "[nonsense").ok();
    assert!(told(&world, " in 7 days, last: "));
    std::fs::remove_file(world.data().join("bin/uptake")).expect("gone");
    assert!(told(&world, "which leads nowhere"));
    world.run(&["doctor", "--fix"]).ok();
    assert!(!told(&world, "which leads nowhere"));
}

#[test]
fn a_store_without_a_log_of_changes_is_told() {
    let world = learned();
    let db = world.data().join("sessions.db");
    assert!(!told(&world, "no WAL"));
    let mut bytes = std::fs::read(&db).expect("a store");
    (bytes[18], bytes[19]) = (1, 1);
    std::fs::write(&db, bytes).expect("written");
    assert!(told(&world, "sessions.db: the file system does not let it be read while it is written"));
}
