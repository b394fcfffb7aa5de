//! Copies of `lessons.db` that were made before updates: `forget` and `purge` reach them.

use std::path::PathBuf;

use serde_json::json;

use crate::world::World;

/// A store with one lesson, and a copy of it as an update would leave it.
fn with_copy() -> (World, String, PathBuf) {
    let world = World::new();
    let added = world.run(&["add", "Run make deps first", "--project", "p", "--json"]).ok().objects();
    let copy = world.data().join("lessons.db.before-3");
    std::fs::copy(world.data().join("lessons.db"), &copy).expect("copied");
    (world, added[0]["id"].as_str().expect("an id").to_owned(), copy)
}

#[test]
fn a_forgotten_lesson_does_not_survive_in_a_copy() {
    let (world, id, copy) = with_copy();
    let later = world.run(&["add", "Use tabs", "--project", "p", "--json"]).ok().objects();
    let other = world.run(&["forget", later[0]["id"].as_str().expect("an id"), "--yes", "--json"]).ok().objects();
    assert_eq!((&other[0]["copies"], copy.exists()), (&json!([]), true), "it does not hold that one");
    let forgotten = world.run(&["forget", &id, "--yes", "--json"]).ok().objects();
    assert_eq!((&forgotten[0]["copies"], copy.exists()), (&json!([copy]), false));
}

#[test]
fn purge_lists_copies_and_removes_them() {
    let (world, _, copy) = with_copy();
    let listed = world.run(&["purge"]).ok().out;
    assert!(listed.contains(&format!("copy made before an update: {}", copy.display())), "{listed}");
    assert!(copy.exists());
    assert_eq!(world.run(&["purge", "--json"]).ok().objects()[0]["copies"], json!([copy]));
    world.run(&["purge", "--yes"]).ok();
    assert!(!copy.exists());
    assert!(world.run(&["purge"]).ok().out.contains("nothing to throw out"));
}
