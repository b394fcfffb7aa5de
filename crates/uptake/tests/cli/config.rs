//! `uptake config`.

use crate::world::{World, learn, status_of, with_fix};

#[test]
fn a_setting_is_read_changed_and_put_back() {
    let world = World::new();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
    let set = world.run(&["config", "set", "mode", "auto"]).ok();
    assert!(set.out.contains("mode = auto (was review)") && set.out.contains("still waits for you"), "{}", set.out);
    world.run(&["config", "set", "thresholds.workflow.required", "5"]).ok();
    let path = world.run(&["config", "path"]).ok().out;
    assert!(path.trim().ends_with(".config/uptake/config.toml"), "{path}");
    let text = std::fs::read_to_string(path.trim()).expect("there");
    assert!(text.contains("mode = \"auto\"") && text.contains("[thresholds.workflow]"), "{text}");
    let all = &world.run(&["config", "list", "--json"]).ok().objects()[0];
    assert_eq!((&all["mode"], &all["thresholds"]["workflow"]["required"]), (&"auto".into(), &5.into()));
    world.run(&["config", "unset", "mode"]).ok();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
    for bad in [["mode", "yolo"], ["shown", "-1"], ["colour", "red"]] {
        let run = world.run(&["config", "set", bad[0], bad[1]]);
        assert_eq!(run.code, 1, "{bad:?}");
        assert!(run.err.contains("error: "), "{}", run.err);
    }
    std::fs::write(path.trim(), "mode = \n").expect("written");
    let run = world.run(&["learn"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("config.toml") && run.err.contains("line 1"), "{}", run.err);
}

#[test]
fn thresholds_decide_what_is_ready_and_a_change_is_seen_at_once() {
    let world = World::new();
    with_fix(&world, 2);
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"]);
    world.run(&["config", "set", "thresholds.recovery.required", "9"]).ok();
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["observing"]);
    world.run(&["config", "unset", "thresholds.recovery.required"]).ok();
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"]);
}
