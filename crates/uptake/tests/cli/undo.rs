//! `uptake undo`.

use serde_json::json;

use crate::terminal;
use crate::world::World;

/// The list without its days, which are those of the test.
fn listed(text: &str) -> String {
    let lines = text.lines().map(|l| {
        let day = l.get(8..24).unwrap_or_default();
        assert!(day.len() == 16 && day.starts_with("20") && day.as_bytes()[13] == b':', "a day and a time in {l}");
        format!("{}{}\n", &l[..6].trim_start(), &l[24..])
    });
    lines.collect()
}

#[test]
fn every_change_is_listed_with_what_was_done_to_what() {
    let world = World::new();
    assert_eq!(world.run(&["undo", "--list"]).ok().out, "There is nothing to take back.\n");
    let add = |text: &str| world.run(&["add", text, "--project", "p", "--json"]).ok().objects()[0].clone();
    let deps = add("Run make deps first");
    let push = add("Never push to main");
    let (deps, push) = (deps["id"].as_str().expect("an id"), push["id"].as_str().expect("an id"));
    world.run(&["review", "--reject", push]).ok();
    let lint = world.run(&["add", "Run make lint last", "--project", "q", "--json"]).ok().objects()[0].clone();
    let lint = lint["id"].as_str().expect("an id");
    world.run(&["project", "merge", "q", "p"]).ok();
    world.run(&["clear", "--project", "p", "--yes"]).ok();
    let expected = format!(
        "6  cleared        3 lessons of p
5  merged         q became part of p
4  added          {lint}  Run make lint last
3  rejected       {push}  Never push to main
2  added          {push}  Never push to main
1  added          {deps}  Run make deps first
"
    );
    assert_eq!(listed(&world.run(&["undo", "--list"]).ok().out), expected);
    let rows = world.run(&["undo", "--list", "--json"]).ok().objects();
    let row = rows.last().expect("a change");
    assert_eq!(
        (&row["action"], &row["lesson"], &row["text"]),
        (&json!("added"), &json!(deps), &json!("Run make deps first"))
    );
    world.run(&["undo", "6"]).ok();
    world.run(&["forget", deps, "--yes"]).ok();
    assert!(!world.run(&["undo", "--list"]).ok().out.contains("make deps"), "what is forgotten is not listed");
}

#[test]
fn on_a_terminal_a_line_is_cut_to_its_width() {
    let world = World::new();
    let long = "Run make deps first ".repeat(20);
    world.run(&["add", &long, "--project", "p"]).ok();
    let run = terminal::run(&world, &["undo", "--list"], &[], &json!([]));
    let screen = run["screen"].as_str().expect("a screen");
    assert_eq!(screen.lines().count(), 1, "{screen}");
    assert!(screen.ends_with('…') && screen.chars().count() <= 80, "{screen}");
    assert!(world.run(&["undo", "--list"]).ok().out.contains(long.trim()), "a pipe gets all of it");
}
