//! `uptake undo`.

use expect_test::expect;
use serde_json::json;

use crate::terminal::Terminal;
use crate::world::{World, a_fix, learned, rows, skills, text, with_skill};

#[test]
fn every_change_can_be_taken_back_and_made_again() {
    let world = learned();
    let fix = a_fix(&world);
    let id = text(&fix, "id");
    let status = |world: &World| rows(world).into_iter().find(|r| r["id"] == id).expect("there")["status"].clone();
    world.run(&["review", "--skill", "--accept", id]).ok();
    assert_eq!(status(&world), "created");
    let undone = world.run(&["undo", "--json"]).ok().objects()[0].clone();
    assert_eq!((undone["action"].clone(), status(&world)), ("approved".into(), "ready".into()));
    // Taking back is a change itself.
    world.run(&["undo", &undone["change"].to_string()]).ok();
    assert_eq!(status(&world), "created");
    world.run(&["review", "--reject", id]).ok();
    world.run(&["undo"]).ok();
    assert_eq!(status(&world), "created", "what stood before the last change");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: there is no change 4711 to take back; `uptake undo --list` lists them
    "#]]
    .assert_eq(&world.snapshot(&["undo", "4711"]));
}

#[test]
fn undo_takes_the_skill_away_and_brings_it_back_unless_it_was_changed() {
    let world = learned();
    with_skill(&world);
    let made = skills(&world);
    let undone = world.run(&["undo", "--json"]).ok().objects()[0].clone();
    assert!(skills(&world).is_empty() && !undone["removed"].as_array().expect("a list").is_empty());
    world.run(&["undo", &undone["change"].to_string()]).ok();
    assert_eq!(skills(&world), made);
    std::fs::write(&made[0], "mine now").expect("written");
    world.run(&["undo"]).ok();
    assert_eq!(std::fs::read_to_string(&made[0]).expect("there"), "mine now");
}

#[test]
fn changes_are_listed_newest_first_and_the_last_one_is_taken_back() {
    let world = learned();
    world.run(&["review", "--accept", text(&a_fix(&world), "id")]).ok();
    world.tick();
    world.run(&["add", "--skill", "Use tabs", "--project", "p"]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
             2  2026-11-16 12:00  added          fba9d1ad4d  Use tabs
             1  2026-11-16 12:00  approved       0e3ddb0e6d  Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
    "#]]
    .assert_eq(&world.snapshot(&["undo", "--list"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        Took back change 2: fba9d1ad4d is no longer added; again with: uptake undo 3
          Removed $HOME/.claude/skills/tabs/SKILL.md
          Removed $HOME/.codex/skills/tabs/SKILL.md
    "#]]
    .assert_eq(&world.snapshot(&["undo"]));
}

#[test]
fn with_nothing_to_take_back_it_says_so() {
    expect![[r#"
        exit code 1
        --- stderr ---
        error: nothing to take back
    "#]]
    .assert_eq(&World::new().snapshot(&["undo"]));
}

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
    let screen = Terminal::start(&world, &["undo", "--list"], &[]).end().screen;
    assert_eq!(screen.lines().count(), 1, "{screen}");
    assert!(screen.ends_with('…') && screen.chars().count() <= 80, "{screen}");
    assert!(world.run(&["undo", "--list"]).ok().out.contains(long.trim()), "a pipe gets all of it");
}
