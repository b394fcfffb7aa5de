//! `uptake why`.

use expect_test::expect;

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
