//! `uptake clear`.

use expect_test::expect;

use crate::world::{learned, rows, skills, with_skill};

#[test]
fn what_is_cleared_away_comes_back_with_its_files() {
    let world = learned();
    with_skill(&world);
    let (before, made) = (rows(&world), skills(&world));
    assert!(!made.is_empty());
    assert_eq!(world.run(&["clear"]).code, 1, "nobody to ask");
    let cleared = world.run(&["clear", "--yes", "--json"]).ok().objects()[0].clone();
    assert!(rows(&world).is_empty() && skills(&world).is_empty());
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).is_empty(), "what was read is not read again");
    world.run(&["undo", &cleared["change"].to_string()]).ok();
    assert_eq!((rows(&world), skills(&world)), (before, made));
}

#[test]
fn it_is_asked_for_and_says_the_way_back() {
    let world = learned();
    expect![[r#"
        exit code 1
        --- stderr ---
        error: this clears away 8 lessons; say so with --yes
    "#]]
    .assert_eq(&world.snapshot(&["clear"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Cleared away 8 lessons
          Bring them back with: uptake undo 1
    "#]]
    .assert_eq(&world.snapshot(&["clear", "--yes"]));
}
