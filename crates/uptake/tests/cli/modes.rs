//! The two modes: what passes without a person's yes, and what does not.

use crate::world::{World, learn, skills, status_of, with_fix};

#[test]
fn in_mode_auto_only_what_worked_in_three_sessions_passes_and_review_withdraws_it() {
    let world = World::new();
    world.run(&["config", "set", "mode", "auto"]).ok();
    with_fix(&world, 2);
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"], "two sessions are not enough");
    with_fix(&world, 3);
    let run = world.run_on(&["learn"], &[&world.path("h")]).ok();
    assert!(run.out.contains("mode auto") && run.out.contains("uptake undo"), "{}", run.out);
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let passed = rows.iter().find(|r| r["status"] == "approved").expect("one passed");
    let text = passed["text"].as_str().expect("a text");
    assert!(text.contains("--output json") && !text.contains("--format"), "only what worked: {text}");
    assert!(skills(&world).is_empty(), "what holds in a project is no skill for all of them");
    let id = passed["id"].as_str().expect("an id").to_owned();
    assert!(world.run(&["why", &id]).ok().out.contains("Mode `auto` let it through"));
    world.run(&["config", "set", "mode", "review"]).ok();
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    let waits = world.run(&["review", "--json"]).ok().objects();
    assert!(waits.iter().any(|r| r["id"] == id.as_str()), "it waits for a person");
}
