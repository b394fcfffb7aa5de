//! `uptake add`.

use expect_test::expect;

use crate::world::{World, learned, rows, text};

#[test]
fn a_lesson_by_hand_is_approved_survives_learning_and_can_be_taken_back() {
    let world = learned();
    let added =
        world.run(&["add", "--skill", "Run make deps before make test", "--project", "p", "--json"]).ok().objects();
    let id = text(&added[0], "id").to_owned();
    world.run(&["learn", "--json"]).ok();
    let row = rows(&world).into_iter().find(|r| r["id"] == id.as_str()).expect("there");
    assert_eq!((text(&row, "status"), text(&row, "trust")), ("created", "user"));
    world.run(&["undo"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    assert_eq!(world.run(&["add", "  "]).code, 1);
}

#[test]
fn a_newer_rule_takes_the_place_of_an_older_one() {
    let world = World::new();
    let old = world.run(&["add", "--skill", "install with npm", "--project", "p", "--json"]).ok().objects()[0].clone();
    let new = world
        .run(&["add", "--skill", "install with pnpm", "--project", "p", "--supersedes", text(&old, "id"), "--json"])
        .ok();
    assert_eq!(new.objects()[0]["superseded"][0], old["id"]);
    let status: Vec<String> = rows(&world).iter().map(|r| text(r, "status").to_owned()).collect();
    assert!(status.contains(&"created".to_owned()) && status.contains(&"retired".to_owned()), "{status:?}");
}

#[test]
fn a_newer_rule_of_the_user_retires_the_one_it_contradicts() {
    let world = World::new();
    let old = world.run(&["add", "--skill", "use npm to install packages", "--project", "p", "--json"]).ok().objects();
    world.tick();
    let new = world.run(&["add", "--skill", "use pnpm, not npm", "--project", "p", "--json"]).ok().objects();
    assert_eq!(new[0]["superseded"][0], old[0]["id"]);
    let status: Vec<String> = rows(&world).iter().map(|r| text(r, "status").to_owned()).collect();
    assert!(status.contains(&"retired".to_owned()) && status.contains(&"created".to_owned()), "{status:?}");
    world.run(&["undo"]).ok();
    assert!(rows(&world).iter().all(|r| r["status"] == "created"), "the older one is back");
}

#[test]
fn what_was_added_is_said_again_and_what_says_nothing_is_refused() {
    let world = World::new();
    let added = world.snapshot(&["add", "--skill", "Run make deps before make test", "--project", "p"]);
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Added 44c93dcf1c for p
          Run make deps before make test
          Saved as $HOME/.claude/skills/run-make-deps-before-make/SKILL.md
          Take changes back with: uptake undo --list, then uptake undo N
    "#]]
    .assert_eq(&added);
    expect![[r#"
        exit code 1
        --- stderr ---
        error: nothing to add: say what agents should know, for example: uptake add "run make deps before make test"
    "#]]
    .assert_eq(&world.snapshot(&["add", "  "]));
}
