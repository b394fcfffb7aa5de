//! `uptake detect`.

use expect_test::expect;

use crate::world::{World, files, fixtures};

#[test]
fn every_observation_has_the_documented_fields() {
    let world = World::new();
    let rows = world.run_on(&["detect", "--json"], &[&fixtures().join("demo")]).ok().objects();
    let mut keys = vec![
        "v", "detector", "kind", "session", "id", "name", "title", "text", "commands", "sure", "trust", "suggest",
        "events", "failed", "fixed", "via", "message",
    ];
    keys.sort_unstable();
    for row in &rows {
        let mut found: Vec<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, keys);
    }
    let setup = rows.iter().find(|r| r["text"] == "Before `make test` run `make deps`").expect("the set-up");
    assert_eq!(setup["via"].as_array().map(Vec::len), Some(1));
    assert!(setup["failed"].is_string() && setup["fixed"].is_string());
    assert!(files(&world.data()).is_empty());
}

#[test]
fn the_same_input_gives_the_same_output() {
    let world = World::new();
    let once = world.run_on(&["detect", "--json"], &[&fixtures().join("recorded")]).ok().out;
    assert_eq!(once, world.run_on(&["detect", "--json"], &[&fixtures().join("recorded")]).ok().out);
}

#[test]
fn a_fork_shows_nothing_twice() {
    let rows = World::new().run_on(&["detect", "--json"], &[&fixtures().join("recorded")]).ok().objects();
    let mut ids: Vec<&str> = rows.iter().filter_map(|r| r["id"].as_str()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn text_output_says_what_would_be_suggested() {
    let world = World::new();
    let transcripts = files(&fixtures().join("demo/claude"));
    let transcript =
        transcripts.iter().find(|t| t.ends_with("9563366e-9980-4706-be3e-71157203ae28.jsonl")).expect("there");
    expect![[r#"
        exit code 0
        --- stdout ---
        error-python3 error-recovery high would be suggested
          Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
            • python3 -m ledger report --format json
            • python3 -m ledger report --output json
    "#]]
    .assert_eq(&world.shown(&world.run_on(&["detect"], &[transcript])));
}
