//! `uptake review`.

use expect_test::expect;

use crate::world::{World, learned};

#[test]
fn what_waits_is_listed_with_the_exact_words_that_would_be_used() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---

        0e3ddb0e6d-766f9184 error-python3
           Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
           When `python3` fails with: ledger: error: unrecognized arguments: --format json
           the agent is told:
             (uptake, notes from past work in this project: this error was met before)
             Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
           about 43 tokens
           Seen in 2 sessions (claude, codex) of ledger; words by: assistant

        7021487bda-0a562bd9 amounts-book-two-decimals-never-more
           amounts in the book always have two decimals, never more.
           After a yes agents are told at the start of a session
           Seen in 1 session (codex) of ledger; words by: user

        7e6a08174a-b326cde8 error-make
           Before `make test` run `make deps`
           When `make` fails with: ModuleNotFoundError: No module named 'vendor'
           the agent is told:
             (uptake, notes from past work in this project: this error was met before)
             Before `make test` run `make deps`
           about 27 tokens
           Seen in 2 sessions (claude, codex) of ledger; words by: assistant

        6db1f6ed23-0c34040a user-correction-test
           Instead of `python3 -m unittest discover -s tests` run `make test`; the user said: “No, don't call unittest yourself. Use make test instead.”
           After a yes agents are told at the start of a session
           Seen in 1 session (claude) of ledger; words by: assistant

        d75763098b-8baef087 procedure-make-git-tag
           To do this again, run in order: `make deps`, then `make lint`, then `make test`, then `make dist VERSION=<value>`, then `sh tools/notes.sh`, then `git tag <value>`
           After a yes agents are told at the start of a session
           Seen in 2 sessions (claude, codex) of ledger; words by: assistant

        eea229f414-d792468f error-sh
           Instead of `sh tools/seed.sh` run `cd tools && sh seed.sh`
           When `sh` fails with: seed: <file>: no such file
           the agent is told:
             (uptake, notes from past work in this project: this error was met before)
             Instead of `sh tools/seed.sh` run `cd tools && sh seed.sh`
           about 33 tokens
           Seen in 1 session (codex) of ledger; words by: assistant

        fdf01cd7a7-0308f44b error-sh
           Instead of `sh tools/check.sh --all` run `sh tools/check.sh --every`
           When `sh` fails with: check: unknown option --all
           the agent is told:
             (uptake, notes from past work in this project: this error was met before)
             Instead of `sh tools/check.sh --all` run `sh tools/check.sh --every`
           about 36 tokens
           Seen in 1 session (codex) of ledger; words by: assistant

        Say yes with: uptake review --accept ID
    "#]].assert_eq(&world.snapshot(&["review"]));
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
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no lesson has the id `nothere`; `uptake review --all` lists them
    "#]]
    .assert_eq(&world.snapshot(&["review", "--accept", "nothere"]));
}

#[test]
fn an_empty_inbox_says_what_to_do() {
    expect![[r#"
        exit code 0
        --- stdout ---
        Nothing waits for a word from you. `uptake learn` looks for more.
    "#]]
    .assert_eq(&World::new().snapshot(&["review"]));
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

#[test]
fn a_yes_says_what_it_does_and_a_no_that_it_is_for_ever() {
    let world = learned();
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ Approved 0e3ddb0e6d: agents are told when its error comes up again.
          Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
        Claude Code hears what you approved once it is connected: uptake init
        Rejected 7021487bda; it will not come back.
          amounts in the book always have two decimals, never more.
    "#]]
    .assert_eq(&world.snapshot(&["review", "--accept", "0e3d", "--reject", "7021"]));
}
