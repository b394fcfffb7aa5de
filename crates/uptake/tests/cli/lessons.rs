//! `uptake add`, `list`, `show`, `why`, `undo`, `forget`, `status`.

use std::path::Path;

use serde_json::Value;

use crate::world::World;

fn learned() -> World {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    world
}

fn rows(world: &World) -> Vec<Value> {
    world.run(&["list", "--all", "--json"]).ok().objects()
}

fn a_fix(world: &World) -> Value {
    let rows = rows(world);
    rows.into_iter().find(|r| r["kind"] == "recovery" && r["status"] == "ready").expect("a recovery")
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().expect("a text")
}

#[test]
fn what_was_learned_is_listed_and_shown_with_its_reasons() {
    let world = learned();
    let fix = a_fix(&world);
    let list = world.run(&["list"]).ok();
    assert!(list.out.contains(text(&fix, "text")), "{}", list.out);
    let shown = world.run(&["show", text(&fix, "id")]).ok();
    for part in ["Confidence 0.95", "Seen in", "It waits for your word", "the agent", "“"] {
        let found = shown.out.contains(part) || part == "the agent" && shown.out.contains("an agent is told");
        assert!(found, "{part}: {}", shown.out);
    }
    let row = &world.run(&["show", text(&fix, "id"), "--json"]).ok().objects()[0];
    assert_eq!((row["judgement"]["ready"].clone(), row["status"].clone()), (true.into(), "ready".into()));
    assert!(row["evidence"].as_array().is_some_and(|e| !e.is_empty() && e[0]["quote"].is_string()));
    let why = world.run(&["why", text(&fix, "id")]).ok();
    assert!(why.out.contains("sessions of 1 needed") || why.out.contains("session of 1 needed"), "{}", why.out);
    assert!(world.run(&["status"]).ok().out.contains("uptake review"));
}

#[test]
fn every_change_can_be_taken_back_and_made_again() {
    let world = learned();
    let fix = a_fix(&world);
    let id = text(&fix, "id");
    let status = |world: &World| rows(world).into_iter().find(|r| r["id"] == id).expect("there")["status"].clone();
    world.run(&["review", "--accept", id]).ok();
    assert_eq!(status(&world), "approved");
    let undone = world.run(&["undo", "--json"]).ok().objects()[0].clone();
    assert_eq!((undone["action"].clone(), status(&world)), ("approved".into(), "ready".into()));
    // Taking back is a change itself.
    world.run(&["undo", &undone["change"].to_string()]).ok();
    assert_eq!(status(&world), "approved");
    world.run(&["review", "--reject", id]).ok();
    world.run(&["undo"]).ok();
    assert_eq!(status(&world), "approved", "what stood before the last change");
    let run = world.run(&["undo", "4711"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no change 4711"), "{}", run.err);
}

#[test]
fn a_lesson_by_hand_is_approved_survives_learning_and_can_be_taken_back() {
    let world = learned();
    let added = world.run(&["add", "Run make deps before make test", "--project", "p", "--json"]).ok().objects();
    let id = text(&added[0], "id").to_owned();
    world.run(&["learn", "--json"]).ok();
    let row = rows(&world).into_iter().find(|r| r["id"] == id.as_str()).expect("there");
    assert_eq!((text(&row, "status"), text(&row, "trust")), ("approved", "user"));
    world.run(&["undo"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    assert_eq!(world.run(&["add", "  "]).code, 1);
}

#[test]
fn a_newer_rule_takes_the_place_of_an_older_one() {
    let world = World::new();
    let old = world.run(&["add", "install with npm", "--project", "p", "--json"]).ok().objects()[0].clone();
    let new =
        world.run(&["add", "install with pnpm", "--project", "p", "--supersedes", text(&old, "id"), "--json"]).ok();
    assert_eq!(new.objects()[0]["superseded"][0], old["id"]);
    let status: Vec<String> = rows(&world).iter().map(|r| text(r, "status").to_owned()).collect();
    assert!(status.contains(&"approved".to_owned()) && status.contains(&"rejected".to_owned()), "{status:?}");
}

/// How often a text stands in any file below a folder.
fn occurrences(folder: &Path, wanted: &str) -> usize {
    let mut found = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found += occurrences(&path, wanted);
        } else if let Ok(bytes) = std::fs::read(&path) {
            found += bytes.windows(wanted.len()).filter(|w| *w == wanted.as_bytes()).count();
        }
    }
    found
}

#[test]
fn what_is_forgotten_leaves_no_byte_and_does_not_come_back() {
    let world = learned();
    let fix = a_fix(&world);
    let (id, statement) = (text(&fix, "id").to_owned(), text(&fix, "text").to_owned());
    let command = fix["commands"][0].as_str().expect("a command").to_owned();
    world.run(&["review", "--accept", &id]).ok();
    assert!(occurrences(&world.data(), &statement) > 0 && occurrences(&world.data(), &command) > 0);
    let refused = world.run(&["forget", &id]);
    assert_eq!(refused.code, 1, "nobody to ask");
    world.run(&["forget", &id, "--yes"]).ok();
    for wanted in [&statement, &command] {
        assert_eq!(occurrences(&world.data(), wanted), 0, "{wanted}");
    }
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    // Even if every transcript is read anew.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    assert_eq!(occurrences(&world.data(), &statement), 0);
}
