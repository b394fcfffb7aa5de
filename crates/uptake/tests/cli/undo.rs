//! `uptake undo`.

use crate::world::{World, a_fix, learned, rows, skills, text, with_skill};

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
fn undo_takes_the_skill_away_and_brings_it_back_unless_it_was_changed() {
    let world = learned();
    with_skill(&world);
    let made = skills(&world);
    let undone = world.run(&["undo", "--json"]).ok().objects()[0].clone();
    assert!(skills(&world).is_empty() && !undone["removed"].as_array().expect("a list").is_empty());
    world.run(&["undo", &undone["change"].to_string()]).ok();
    assert_eq!(skills(&world), made);
    std::fs::write(&made[0], "mine now").expect("written");
    world.run(&["undo"]).ok();
    assert_eq!(std::fs::read_to_string(&made[0]).expect("there"), "mine now");
}
