//! `uptake why`.

use expect_test::expect;

use crate::world::{World, a_fix, learned, text};

#[test]
fn a_lesson_says_what_it_was_weighed_by() {
    let world = learned();
    expect![[r#"
        exit code 0
        --- stdout ---
        Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
          Confidence 0.95: 2 sessions of 1 needed for a recovery; ready from 0.95 on.
          Seen over 0 days; 0 are needed.
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
