//! `uptake config`.

use crate::world::World;

#[test]
fn a_value_that_does_not_fit_is_refused_in_a_sentence() {
    let world = World::new();
    for (name, value, can_be) in [
        ("mode", "foo", "review (yours), auto (plain ones pass)"),
        ("mode", "Auto", "review (yours), auto (plain ones pass)"),
        ("enabled", "yes", "true, false"),
        ("shown", "many", "1 to 50"),
        ("shown", "0", "1 to 50"),
        ("shown", "5.5", "1 to 50"),
        ("snooze-days", "366", "1 to 365"),
        ("snooze-days", "-1", "1 to 365"),
        ("thresholds.recovery.required", "0", "a number of sessions, 1 or more"),
        ("thresholds.recovery.spread", "soon", "a number of days, 0 or more"),
        ("thresholds.recovery.promote", "1", "a confidence from 0 to 0.95"),
        ("thresholds.recovery.promote", "NaN", "a confidence from 0 to 0.95"),
    ] {
        let run = world.run(&["config", "set", name, value]);
        let expected = format!("error: `{name}` cannot be `{value}`; it can be: {can_be}\n");
        assert_eq!((run.code, run.out.as_str(), run.err), (1, "", expected));
    }
    assert!(!world.home().join(".config/uptake/config.toml").exists(), "nothing was changed");
}

#[test]
fn what_fits_is_taken_as_it_was_typed() {
    let world = World::new();
    for (name, value, shown) in [
        ("mode", "auto", "auto"),
        ("enabled", "false", "false"),
        ("shown", " 7 ", "7"),
        ("exclude", "ledger, ~/private,", "ledger, ~/private"),
        ("thresholds.recovery.required", "3", "3"),
        ("thresholds.recovery.promote", "0", "0"),
    ] {
        world.run(&["config", "set", name, value]).ok();
        assert_eq!(world.run(&["config", "get", name]).ok().out, format!("{shown}\n"), "{name}");
    }
}

#[test]
fn a_setting_that_does_not_exist_is_answered_with_those_that_do() {
    let run = World::new().run(&["config", "set", "colour", "red"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with("error: there is no setting `colour`; there are enabled, mode, exclude, "),
        "{}",
        run.err
    );
}
