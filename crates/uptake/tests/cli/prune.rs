//! `uptake prune`, and what `uptake learn` removes by itself. The settings are tried at random in `prune/tests.rs`.

use std::time::{Duration, SystemTime};

use uptake_testkit::database;

use crate::world::{World, learned, rows};

/// Makes a file old.
fn age(world: &World, name: &str, days: u64) {
    let file = std::fs::File::options().write(true).open(world.path(name)).expect("opened");
    // The clock of a world stands on a day of its own.
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_830_400);
    file.set_modified(noon - Duration::from_secs(days * 86_400)).expect("set");
}

fn with_events(world: &World) -> i64 {
    database::number(&world.data().join("sessions.db"), "SELECT count(DISTINCT place >> 32) FROM events")
}

#[test]
fn events_of_old_sessions_go_and_what_was_learned_stays() {
    let world = learned();
    let (lessons, sessions) = (rows(&world), with_events(&world));
    assert!(sessions > 2, "{sessions}");
    world.run(&["config", "set", "retention.max-sessions", "2"]).ok();
    let looked = world.run(&["prune", "--dry-run", "--json"]).ok().objects().remove(0);
    assert_eq!((looked["sessions"].as_i64(), with_events(&world)), (Some(sessions - 2), sessions), "nothing went");
    let went = world.run(&["prune", "--json"]).ok().objects().remove(0);
    assert_eq!((went["sessions"].as_i64(), with_events(&world)), (Some(sessions - 2), 2));
    assert_eq!(rows(&world), lessons);
    assert!(world.run(&["prune"]).ok().out.contains("nothing to remove"));
    // Newer detectors must not take an empty session for one in which nothing happened.
    database::execute(&world.data().join("sessions.db"), "UPDATE sessions SET detectors = 'older'");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(rows(&world), lessons);
}

#[test]
fn a_session_that_goes_on_after_its_events_went_is_read_from_its_start() {
    let world = learned();
    let lessons = rows(&world);
    world.run(&["config", "set", "retention.max-sessions", "1"]).ok();
    world.run(&["prune"]).ok();
    world.run(&["config", "unset", "retention.max-sessions"]).ok();
    let all = crate::world::files(&world.home().join(".claude/projects"));
    for path in &all {
        let text = std::fs::read_to_string(path).expect("text");
        std::fs::write(path, format!("{text}\n")).expect("written");
    }
    world.run(&["learn", "--json"]).ok();
    assert!(with_events(&world) >= all.len() as i64);
    let ids = |rows: &[serde_json::Value]| {
        rows.iter().map(|r| r["id"].to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(ids(&rows(&world)), ids(&lessons));
}

#[test]
fn learn_prunes_by_itself_and_nothing_that_is_young() {
    let world = World::new().with_history();
    for (name, text) in [
        ("data/runs/old/iteration-1/outcomes.log", "x"),
        ("data/runs/new/iteration-1/outcomes.log", "x"),
        ("data/retro/2026-01-01.jsonl", "{}"),
        ("data/.hud.part-abc123", "half"),
        ("data/hook.log", "1 a\n2 b\n3 c\n"),
        ("data/lessons.damaged-1.db", "x"),
        ("data/sessions.damaged-1.db", "x"),
    ] {
        world.write(name, text);
        age(&world, name, if name.contains("new") { 0 } else { 60 });
    }
    for folder in ["data/runs/old", "data/runs/old/iteration-1", "data/runs/new", "data/runs/new/iteration-1"] {
        std::fs::File::open(world.path(folder)).and_then(|f| f.set_modified(SystemTime::UNIX_EPOCH)).expect("set");
    }
    world.write("home/.config/uptake/config.toml", "[retention]\nmax-runs = 1\nmax-log-lines = 2\n");
    world.run(&["learn", "--json"]).ok();
    let there = |name: &str| world.path(name).exists();
    assert!(there("data/runs/new") && !there("data/runs/old"));
    assert!(!there("data/retro/2026-01-01.jsonl") && !there("data/.hud.part-abc123"));
    assert!(there("data/lessons.damaged-1.db") && !there("data/sessions.damaged-1.db"));
    assert_eq!(std::fs::read_to_string(world.path("data/hook.log")).expect("text"), "2 b\n3 c\n");
}

#[test]
fn a_setting_out_of_bounds_is_refused() {
    let world = World::new();
    for (name, value) in [("max-runs", "0"), ("max-sessions", "many"), ("protected-window-minutes", "-1")] {
        let run = world.run(&["config", "set", &format!("retention.{name}"), value]);
        assert!(run.code == 1 && run.err.contains("it can be: "), "{name}: {}", run.err);
    }
    world.write("home/.config/uptake/config.toml", "[retention]\nmax-runs = 0\n");
    assert!(world.run(&["prune"]).err.contains("`retention.max-runs` must be 1 to 100000"));
}
