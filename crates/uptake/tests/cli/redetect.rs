//! `uptake learn` after an update: newer detectors look again at what is kept of sessions.

use serde_json::Value;

use crate::world::{World, files};

fn sql(world: &World, db: &str, statement: &str) {
    let run = std::process::Command::new("python3")
        .args(["-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"])
        .arg(world.data().join(db))
        .arg(statement)
        .status()
        .expect("python3 runs");
    assert!(run.success());
}

fn rows(world: &World) -> Vec<Value> {
    world.run(&["list", "--all", "--json"]).ok().objects()
}

/// A history that was read with older detectors, which saw nothing.
fn read_with_older() -> (World, Vec<Value>) {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let today = rows(&world);
    assert!(!today.is_empty());
    for table in ["observations", "lessons"] {
        sql(&world, "lessons.db", &format!("DELETE FROM {table}"));
    }
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    (world, today)
}

#[test]
fn newer_detectors_look_again_at_what_is_kept_also_where_the_transcript_is_gone() {
    let (world, today) = read_with_older();
    for gone in files(&world.home().join(".claude/projects")) {
        std::fs::remove_file(gone).expect("gone");
    }
    // Readers do not look again.
    assert!(rows(&world).is_empty());
    let sessions = world.run(&["sessions", "--json"]).ok().objects().len();
    let run = world.run(&["learn"]).ok();
    let said = format!("The detectors are newer than last time: {sessions} sessions looked at again.");
    assert!(run.out.contains(&said), "{}", run.out);
    assert_eq!(rows(&world), today);
    assert!(!world.run(&["learn"]).ok().out.contains("looked at again"), "once is enough");
}

#[test]
fn a_project_that_is_left_alone_is_not_looked_at_again() {
    let (world, today) = read_with_older();
    let mut projects: Vec<&str> = today.iter().filter_map(|r| r["project"].as_str()).collect();
    projects.sort_unstable();
    projects.dedup();
    world.run(&["config", "set", "exclude", &projects.join(",")]).ok();
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).is_empty());
    world.run(&["config", "set", "exclude", ""]).ok();
    world.run(&["learn", "--json"]).ok();
    assert_eq!(rows(&world), today);
}

#[test]
fn a_rejected_lesson_stays_so_when_its_sessions_are_looked_at_again() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = world.run(&["review", "--json"]).ok().objects()[0]["id"].as_str().expect("an id").to_owned();
    world.run(&["review", "--reject", &id]).ok();
    let before = rows(&world);
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(rows(&world), before);
}
