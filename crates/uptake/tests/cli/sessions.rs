//! `uptake sessions`.

use serde_json::json;

use crate::terminal;
use crate::world::{World, messages};

#[test]
fn sessions_are_listed_with_their_project_and_counts() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let rows = world.run(&["sessions", "--json"]).ok().objects();
    assert_eq!(rows.len(), 8);
    // All ran in one folder, and one client names its remote: they are one project.
    assert!(rows.iter().all(|r| r["project"] == "git.example.com/dev/ledger" && r["calls"].as_i64() > Some(0)));
    let text = world.run(&["sessions"]).ok().out;
    assert_eq!(text.lines().count(), 8);
    assert_eq!(world.run(&["sessions", "--project", "nowhere", "--json"]).ok().out, "");
}

#[test]
fn with_nothing_read_it_says_how_to_begin() {
    assert!(World::new().run(&["sessions"]).ok().out.contains("uptake learn"));
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
    let shown = terminal::run(&world, &["sessions", "--no-pager"], &[], &json!([]));
    let raw = shown["raw"].as_str().expect("raw");
    assert_eq!(raw.lines().filter(|l| l.contains(" openai ")).count(), 50, "{raw}");
    assert!(raw.contains("2 more: uptake sessions --limit 0"), "{raw}");
    assert_eq!(world.run(&["sessions"]).ok().out.lines().count(), 52);
}
