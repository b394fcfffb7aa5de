//! `uptake status`.

use expect_test::expect;

use crate::world::{World, learned};

#[test]
fn what_was_learned_and_what_waits_is_said() {
    expect![[r#"
        exit code 0
        --- stdout ---
        uptake in $DATA
          8 sessions read
          lessons: 1 observing, 7 ready
          mode review
          0 hints told today
          7 wait for your word: uptake review
    "#]]
    .assert_eq(&learned().snapshot(&["status"]));
}

#[test]
fn with_nothing_read_it_says_how_to_begin() {
    expect![[r#"
        exit code 0
        --- stdout ---
        uptake in $DATA
          0 sessions read
          lessons: none yet
          mode review
          0 hints told today
    "#]]
    .assert_eq(&World::new().snapshot(&["status"]));
}
