//! `uptake enable` and `uptake disable`.

use expect_test::expect;

use crate::world::{World, learn, with_fix};

#[test]
fn switched_off_nothing_is_read_and_switched_on_everything_is() {
    let world = World::new().with_history();
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Switched off: everywhere. Agents hear nothing, and new sessions are not read.
    "#]]
    .assert_eq(&world.snapshot(&["disable"]));
    expect![[r#"
        exit code 0
        --- stderr ---
        uptake is switched off: nothing was read. Switch it on with: uptake enable
    "#]]
    .assert_eq(&world.snapshot(&["learn"]));
    assert!(world.run(&["status"]).ok().out.contains("switched off"));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Switched on: everywhere
    "#]]
    .assert_eq(&world.snapshot(&["enable"]));
    assert!(!world.run(&["learn", "--json"]).ok().objects().is_empty());
}

#[test]
fn an_excluded_project_is_left_alone_until_it_is_not() {
    let world = World::new();
    with_fix(&world, 2);
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Switched off: shop. Agents hear nothing, and new sessions are not read.
    "#]]
    .assert_eq(&world.snapshot(&["disable", "--project", "shop"]));
    assert!(learn(&world).is_empty());
    world.run(&["enable", "--project", "shop"]).ok();
    assert!(!learn(&world).is_empty(), "what was passed over is read now");
}
