//! `uptake sessions`.

use crate::world::World;

#[test]
fn sessions_are_listed_with_their_project_and_counts() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let rows = world.run(&["sessions", "--json"]).ok().objects();
    assert_eq!(rows.len(), 8);
    // All ran in one folder, and one client names its remote: they are one project.
    assert!(rows.iter().all(|r| r["project"] == "git.example.com/dev/ledger" && r["calls"].as_i64() > Some(0)));
    let text = world.run(&["sessions"]).ok().out;
    assert_eq!(text.lines().count(), 8);
    assert_eq!(world.run(&["sessions", "--project", "nowhere", "--json"]).ok().out, "");
}

#[test]
fn with_nothing_read_it_says_how_to_begin() {
    assert!(World::new().run(&["sessions"]).ok().out.contains("uptake learn"));
}
