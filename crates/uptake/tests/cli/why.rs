//! `uptake why`.

use expect_test::expect;

use uptake_testkit::transcript::claude;

use crate::terminal::Terminal;
use crate::world::{World, a_fix, learned, messages, text};

#[test]
fn a_lesson_says_what_it_was_weighed_by() {
    let world = learned();
    expect![[r#"
        exit code 0
        --- stdout ---
        Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
          Confidence 0.95: 2 sessions of 1 needed for a recovery; ready from 0.95 on.
          0 days between first and last sight; 0 needed.
          Words by: assistant. Seen by: error-recovery.
          It waits for your word: uptake review.
          In mode `auto` it would wait, too: its commands were the same in 2 of the 3 sessions needed.
    "#]]
    .assert_eq(&world.snapshot(&["why", text(&a_fix(&world), "id")]));
}

#[test]
fn an_id_that_nothing_has_is_a_clear_error() {
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no lesson has the id `4711`; `uptake review --all` lists them
    "#]]
    .assert_eq(&World::new().snapshot(&["why", "4711"]));
}

/// What `why` says of the first lesson whose detector this is.
fn why(script: &str, detector: &str) -> String {
    let world = World::new();
    world.write("h/shop/s1.json", &messages(script));
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["detector"] == detector).unwrap_or_else(|| panic!("no {detector} in {rows:?}"));
    world.run(&["why", row["id"].as_str().expect("an id")]).ok().out
}

#[test]
fn the_article_fits_the_kind() {
    let out = why("u Please remember: always run make deps before make test", "rule");
    assert!(out.contains("needed for an instruction; ready"), "{out}");
}

#[test]
fn what_says_too_little_says_what_is_missing() {
    let failed = "$ make build => make: *** No rule to make target 'build'.  Stop.\n";
    let out = why(&format!("u go\n{}a giving up", failed.repeat(4)), "excessive-retries");
    assert!(
        out.contains(
            "It says too little to be acted on: it shows what kept failing, and no command that worked instead."
        ),
        "{out}"
    );
    assert!(out.contains("It is not shown, however often it is seen, until it says more."), "{out}");
}

#[test]
fn what_says_the_opposite_is_told() {
    let world = World::new();
    world.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    world.run(&["add", "Never wrap prose by hand"]).ok();
    world.run(&["add", "Always wrap prose by hand"]).ok();
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let newer = rows.iter().find(|r| r["text"] == "Always wrap prose by hand").expect("a lesson");
    let why = world.run(&["why", text(newer, "id")]).ok().out;
    assert!(why.contains("It is the opposite of “Never wrap prose by hand” ("), "{why}");
}

/// Has a session of Claude Code read. Later ones have more lines, so that their messages are later.
fn said(world: &World, id: &str, script: &str) -> String {
    let project = world.path("shop");
    std::fs::create_dir_all(&project).expect("a project");
    let text = claude(id, &project.to_string_lossy(), script);
    world.write(&format!("home/.claude/projects/-shop/{id}.jsonl"), &text);
    world.run(&["learn", "--all"]).ok().out
}

fn id_of(world: &World, said: &str) -> (String, String) {
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["text"] == said).unwrap_or_else(|| panic!("no {said} in {rows:?}"));
    (text(row, "id").to_owned(), text(row, "status").to_owned())
}

const OLD: &str = "Never wrap prose in Markdown files.";
const NEW: &str = "Always wrap prose in Markdown files.";

#[test]
fn the_newer_word_of_the_same_person_wins_after_a_yes() {
    let world = World::new();
    said(&world, "s1", &format!("u {OLD}\na ok"));
    let (old, _) = id_of(&world, OLD);
    world.run(&["review", "--accept", &old]).ok();
    let learned = said(&world, "s2", &format!("u hi\na yes?\nu {NEW}\na ok"));
    let told = format!("A yes takes the place of “{OLD}” ({old}), which you approved");
    assert!(learned.contains(&told), "{learned}");
    let (new, _) = id_of(&world, NEW);
    // It is told wherever a yes can be said, and nothing is ended before.
    assert!(world.run(&["review"]).ok().out.contains(&told));
    Terminal::start(&world, &["review"], &[]).wait("A yes takes the place of").send("q").end();
    let before = world.run(&["why", &old]).ok().out;
    assert!(before.contains("A yes to") && before.contains("You approved these very bytes: it is used."), "{before}");
    let accepted = world.run(&["review", "--accept", &new]).ok().out;
    assert!(accepted.contains(&format!("It takes the place of {old}")), "{accepted}");
    let (of_old, of_new) = (world.run(&["why", &old]).ok().out, world.run(&["why", &new]).ok().out);
    assert!(of_old.contains(&format!("“{NEW}” ({new}), which is newer, took its place")), "{of_old}");
    assert!(of_new.contains(&format!("It took the place of “{OLD}” ({old})")), "{of_new}");
    assert_eq!(id_of(&world, OLD).1, "retired");
    // Taking the yes back brings the older word back; so does taking back its end alone.
    let number = |action: &str| {
        let list = world.run(&["undo", "--list", "--json"]).ok().objects();
        list.iter().find(|c| c["action"] == action).expect("a change")["change"].to_string()
    };
    world.run(&["undo", &number("approved")]).ok();
    assert_eq!((id_of(&world, OLD).1.as_str(), id_of(&world, NEW).1.as_str()), ("approved", "ready"));
    world.run(&["review", "--accept", &new]).ok();
    assert_eq!(id_of(&world, OLD).1, "retired");
    world.run(&["undo", &number("superseded")]).ok();
    assert_eq!((id_of(&world, OLD).1.as_str(), id_of(&world, NEW).1.as_str()), ("approved", "approved"));
}

#[test]
fn what_is_taken_back_in_the_same_session_is_not_offered() {
    let kept = World::new();
    assert!(said(&kept, "s1", &format!("u {OLD}\na ok")).contains(OLD));
    for later in ["never mind, scratch that", NEW] {
        let world = World::new();
        let out = said(&world, "s1", &format!("u {OLD}\na ok\nu {later}\na fine"));
        assert!(!out.contains(OLD), "{later}: {out}");
        assert_eq!(id_of(&world, OLD).1, "observing");
    }
}

#[test]
fn a_rule_inside_a_task_is_of_that_task() {
    let task = "The header on the start page has three colours now and the menu jumps when it is clicked on a phone, please find out \
                why that is and mend it in the style sheet. Do not rebuild the website on every run.";
    let world = World::new();
    let out = said(&world, "s1", &format!("u hi\na yes?\nu {task}\na ok"));
    assert!(!out.contains("rebuild"), "{out}");
}
