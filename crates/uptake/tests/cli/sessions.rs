//! `uptake sessions`.

use expect_test::expect;

use crate::terminal::Terminal;
use crate::world::{World, learned, messages};

#[test]
fn sessions_are_listed_with_their_project_and_counts() {
    let world = learned();
    let rows = world.run(&["sessions", "--json"]).ok().objects();
    assert_eq!(rows.len(), 8);
    // All ran in one folder, and one client names its remote: they are one project.
    assert!(rows.iter().all(|r| r["project"] == "git.example.com/dev/ledger" && r["calls"].as_i64() > Some(0)));
    expect![[r#"
        exit code 0
        --- stdout ---
        2026-11-15 20:36  codex   ledger               messages   1  calls     6  failed    0  01a1e0ec-e056-73a3-b861-feade36b0757
        2026-11-15 20:36  codex   ledger               messages   2  calls     1  failed    0  01a1e0ec-dc86-7bc0-9e57-e794fcabade8
        2026-11-15 20:36  codex   ledger               messages   1  calls     6  failed    2  01a1e0ec-d42e-7650-86eb-d7d70d38dc0c
        2026-11-15 20:36  codex   ledger               messages   1  calls     5  failed    2  01a1e0ec-d016-7f80-8944-1cc1b2aff228
        2026-11-15 20:35  claude  ledger               messages   1  calls     6  failed    0  023b4b5c-a801-4213-95d9-dbda329b0567
        2026-11-15 20:35  claude  ledger               messages   2  calls     2  failed    1  e8f6717f-e161-49ff-b15c-fece57111e7b
        2026-11-15 20:35  claude  ledger               messages   1  calls     3  failed    1  991e2bab-1a54-46e5-b893-81b2437ed1cf
        2026-11-15 20:35  claude  ledger               messages   1  calls     2  failed    1  9563366e-9980-4706-be3e-71157203ae28
    "#]].assert_eq(&world.snapshot(&["sessions"]));
    assert_eq!(world.run(&["sessions", "--project", "nowhere", "--json"]).ok().out, "");
}

#[test]
fn with_nothing_read_it_says_how_to_begin() {
    expect![[r#"
        exit code 0
        --- stdout ---
        No sessions were read yet. Begin with: uptake learn
    "#]]
    .assert_eq(&World::new().snapshot(&["sessions"]));
}

/// A world in which so many sessions were read.
fn with_sessions(count: usize) -> World {
    let world = World::new();
    for n in 0..count {
        world.write(&format!("h/shop/s{n}.json"), &messages(&format!("u question {n}\na answer {n}")));
    }
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    world
}

#[test]
fn a_limit_says_how_many_more_there_are() {
    let world = with_sessions(3);
    let out = world.run(&["sessions", "--limit", "2"]).ok().out;
    assert_eq!(out.lines().count(), 3);
    assert!(out.ends_with("\n1 more: uptake sessions --limit 0\n"), "{out}");
    assert_eq!(world.run(&["sessions", "--limit", "2", "--json"]).ok().objects().len(), 2);
    for limit in [&[][..], &["--limit", "0"], &["--limit", "3"]] {
        assert_eq!(world.run(&[&["sessions"], limit].concat()).ok().out.lines().count(), 3, "{limit:?}");
    }
}

#[test]
fn on_a_terminal_fifty_are_shown_and_in_a_pipe_all() {
    let world = with_sessions(52);
    let raw = Terminal::start(&world, &["sessions", "--no-pager"], &[]).end().raw;
    assert_eq!(raw.lines().filter(|l| l.contains(" openai ")).count(), 50, "{raw}");
    assert!(raw.contains("2 more: uptake sessions --limit 0"), "{raw}");
    assert_eq!(world.run(&["sessions"]).ok().out.lines().count(), 52);
}
