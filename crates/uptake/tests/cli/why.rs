//! `uptake why`.

use crate::world::{World, messages};

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
