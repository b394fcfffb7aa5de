//! `uptake enable` and `uptake disable`.

use crate::world::{World, learn, with_fix};

#[test]
fn switched_off_nothing_is_read_and_switched_on_everything_is() {
    let world = World::new().with_history();
    world.run(&["disable"]).ok();
    let run = world.run(&["learn"]).ok();
    assert!(run.err.contains("uptake enable"), "{}", run.err);
    assert!(world.run(&["status"]).ok().out.contains("switched off"));
    world.run(&["enable"]).ok();
    assert!(!world.run(&["learn", "--json"]).ok().objects().is_empty());
}

#[test]
fn an_excluded_project_is_left_alone_until_it_is_not() {
    let world = World::new();
    with_fix(&world, 2);
    world.run(&["disable", "--project", "shop"]).ok();
    assert!(learn(&world).is_empty());
    world.run(&["enable", "--project", "shop"]).ok();
    assert!(!learn(&world).is_empty(), "what was passed over is read now");
}
