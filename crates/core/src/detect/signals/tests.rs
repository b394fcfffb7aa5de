//! Cases for what messages are.

use super::*;
use crate::detect::tests::session;

fn signals(before: &str, said: &str, after: &str) -> String {
    let script = format!("u begin\na {before}\nu {said}\na {after}");
    signals_of(&session(&script), 2).iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ")
}

fn check(said: &str, expect: &str) {
    assert_eq!(signals("I will look.", said, "Let me see."), expect, "{said}");
}

#[test]
fn an_opening_no_corrects() {
    for said in [
        "no, the other one",
        "Nope",
        "wait, someone else works there",
        "don't touch the tests",
        "I meant the first one",
    ] {
        assert!(signals("Here it is.", said, "ok").contains("correction"), "{said}");
    }
}

#[test]
fn words_that_only_look_like_no_do_not() {
    for said in [
        "I know, go on",
        "no problem",
        "now the other one",
        "nothing else",
        "not sure, what do you think?",
        "wait for the build",
        "how am I meant to get in?",
        "commit",
        "yes",
        "",
    ] {
        check(said, "");
    }
}

#[test]
fn a_symptom_corrects_only_what_was_claimed() {
    assert_eq!(signals("Let me look at the page.", "now there are errors in the log", "ok"), "");
    assert_eq!(signals("Fixed. All is done now.", "hmm, I get errors in the log", "ok"), "correction");
    assert_eq!(signals("Updated.", "the title should be bold, not italic", "ok"), "correction");
    assert_eq!(signals("Done.", "make the box smaller", "ok"), "correction");
    assert_eq!(signals("I will look.", "make the box smaller", "ok"), "");
}

#[test]
fn giving_in_afterwards_counts() {
    assert_eq!(signals("It is read twice.", "is that necessary?", "You're right, once is enough."), "correction");
    assert_eq!(signals("It is read twice.", "is that necessary?", "Yes, it is."), "");
}

#[test]
fn only_what_follows_but_counts_after_praise() {
    assert_eq!(signals("Done.", "looks good but it still fails on a phone", "ok"), "correction");
    assert_eq!(signals("Done.", "great, push it", "ok"), "");
}

#[test]
fn nothing_can_be_corrected_before_anything_was_done() {
    assert_eq!(signals_of(&session("u no, not that one"), 0), []);
}

#[test]
fn several_may_hold() {
    check("no. Never push to main, it will break the release branch", "correction rule pitfall");
    check("please log this in the learnings", "save");
    check("commit, push and open a pr", "workflow");
}
