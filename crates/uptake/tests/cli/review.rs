//! `uptake review`.

use crate::world::World;

#[test]
fn what_waits_is_listed_with_the_exact_words_that_would_be_used() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let run = world.run(&["review"]).ok();
    for part in [
        "When `python3` fails with: ledger: error: unrecognized arguments: --format json",
        "Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`",
        "about",
        "tokens",
    ] {
        assert!(run.out.contains(part), "{part} in {}", run.out);
    }
    let rows = world.run(&["review", "--json"]).ok().objects();
    assert!(rows.iter().all(|r| r["v"] == 1 && r["verdict"].is_null() && r["ready"] == true));
}

#[test]
fn accept_and_reject_by_the_start_of_an_id() {
    let world = World::new().with_history();
    let id = world.run(&["learn", "--json"]).ok().objects()[0]["id"].as_str().expect("an id").to_owned();
    let run = world.run(&["review", "--accept", &id[..5], "--json"]).ok();
    assert_eq!(run.objects()[0]["verdict"], "approved");
    assert!(world.run(&["review", "--json"]).ok().objects().iter().all(|r| r["id"] != id.as_str()));
    world.run(&["review", "--reject", &id]).ok();
    let all = world.run(&["review", "--all", "--json"]).ok().objects();
    assert_eq!(all.iter().find(|r| r["id"] == id.as_str()).expect("there")["verdict"], "rejected");
}

#[test]
fn an_unknown_id_is_a_clear_error() {
    let world = World::new();
    let run = world.run(&["review", "--accept", "nothere"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no lesson has the id `nothere`"), "{}", run.err);
}

#[test]
fn an_empty_inbox_says_what_to_do() {
    let run = World::new().run(&["review"]).ok();
    assert!(run.out.contains("uptake learn"), "{}", run.out);
}

#[test]
fn a_yes_to_bytes_that_are_no_longer_there_is_refused() {
    let world = World::new().with_history();
    let lesson = world.run(&["learn", "--json"]).ok().objects()[0].clone();
    let (id, sum) = (lesson["id"].as_str().expect("id"), lesson["sha256"].as_str().expect("sum"));
    let run = world.run(&["review", "--accept", &format!("{id}-00000000")]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("has changed since it was shown"), "{}", run.err);
    let run = world.run(&["review", "--accept", &format!("{id}-{}", &sum[..8])]).ok();
    assert!(run.out.contains(lesson["text"].as_str().expect("text")), "it prints what was approved: {}", run.out);
}
