//! `uptake show`.

use expect_test::expect;

use crate::world::{World, a_fix, learned, text};

#[test]
fn a_lesson_is_shown_with_its_reasons_and_the_words_of_the_sessions() {
    let world = learned();
    let fix = a_fix(&world);
    expect![[r#"
        exit code 0
        --- stdout ---
        0e3ddb0e6d-766f9184  Recover from python3 errors
          Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
            • python3 -m ledger report --format json
            • python3 -m ledger report --output json
          After the error an agent is told:
            (uptake, notes from past work in this project: this error was met before)
            Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
            about 43 tokens
          Confidence 0.95: 2 sessions of 1 needed for a recovery; ready from 0.95 on.
          0 days between first and last sight; 0 needed.
          Words by: assistant. Seen by: error-recovery.
          It waits for your word: uptake review.
          In mode `auto` it would wait, too: its commands were the same in 2 of the 3 sessions needed.
          Seen in 2 sessions of ledger:
            2026-11-15 codex 01a1e0ec-d016-7f80-8944-1cc1b2aff228
              “ledger: error: unrecognized arguments: --format json”
            2026-11-15 claude 9563366e-9980-4706-be3e-71157203ae28
              “ledger: error: unrecognized arguments: --format json”
    "#]]
    .assert_eq(&world.snapshot(&["show", text(&fix, "id")]));
    let row = &world.run(&["show", text(&fix, "id"), "--json"]).ok().objects()[0];
    assert_eq!((row["judgement"]["ready"].clone(), row["status"].clone()), (true.into(), "ready".into()));
    assert!(row["evidence"].as_array().is_some_and(|e| !e.is_empty() && e[0]["quote"].is_string()));
}

#[test]
fn an_id_that_nothing_has_is_a_clear_error() {
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no lesson has the id `4711`; `uptake review --all` lists them
    "#]]
    .assert_eq(&World::new().snapshot(&["show", "4711"]));
}
