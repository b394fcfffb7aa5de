//! `uptake show`.

use crate::world::{a_fix, learned, text};

#[test]
fn what_was_learned_is_listed_and_shown_with_its_reasons() {
    let world = learned();
    let fix = a_fix(&world);
    let list = world.run(&["list"]).ok();
    assert!(list.out.contains(text(&fix, "text")), "{}", list.out);
    let shown = world.run(&["show", text(&fix, "id")]).ok();
    for part in ["Confidence 0.95", "Seen in", "It waits for your word", "the agent", "“"] {
        let found = shown.out.contains(part) || part == "the agent" && shown.out.contains("an agent is told");
        assert!(found, "{part}: {}", shown.out);
    }
    let row = &world.run(&["show", text(&fix, "id"), "--json"]).ok().objects()[0];
    assert_eq!((row["judgement"]["ready"].clone(), row["status"].clone()), (true.into(), "ready".into()));
    assert!(row["evidence"].as_array().is_some_and(|e| !e.is_empty() && e[0]["quote"].is_string()));
    let why = world.run(&["why", text(&fix, "id")]).ok();
    assert!(why.out.contains("sessions of 1 needed") || why.out.contains("session of 1 needed"), "{}", why.out);
    assert!(world.run(&["status"]).ok().out.contains("uptake review"));
}
