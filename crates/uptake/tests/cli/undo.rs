//! `uptake undo`.

use expect_test::expect;

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
    expect![[r#"
        exit code 1
        --- stderr ---
        error: there is no change 4711 to take back; `uptake undo --list` lists them
    "#]]
    .assert_eq(&world.snapshot(&["undo", "4711"]));
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

#[test]
fn changes_are_listed_newest_first_and_the_last_one_is_taken_back() {
    let world = learned();
    world.run(&["review", "--accept", text(&a_fix(&world), "id")]).ok();
    world.tick();
    world.run(&["add", "Use tabs", "--project", "p"]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
             2  added     fba9d1ad4d
             1  approved  0e3ddb0e6d
    "#]]
    .assert_eq(&world.snapshot(&["undo", "--list"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        Took back change 2: fba9d1ad4d is no longer added; again with: uptake undo 3
    "#]]
    .assert_eq(&world.snapshot(&["undo"]));
}

#[test]
fn with_nothing_to_take_back_it_says_so() {
    expect![[r#"
        exit code 1
        --- stderr ---
        error: nothing to take back
    "#]]
    .assert_eq(&World::new().snapshot(&["undo"]));
}
