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
fn a_refusal_near_the_start_pushes_back() {
    for said in [
        "no, the other one",
        "Nope",
        "wait, someone else works there",
        "don't touch the tests",
        "dont touch the tests",
        "I meant the first one",
        "hmm, that's not the branch I was looking for",
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
        "how am I meant to get in?",
        "we don't need the cache",
        "commit",
        "yes",
        "",
    ] {
        check(said, "");
    }
}

#[test]
fn a_symptom_is_a_bug_and_no_pushback() {
    assert_eq!(signals("Fixed. All is done now.", "still failing on a phone", "ok"), "");
    assert_eq!(signals("Fixed. All is done now.", "hmm, I get errors in the log", "ok"), "");
}

#[test]
fn giving_in_afterwards_counts() {
    assert_eq!(signals("It is read twice.", "but the file is small", "You're right, once is enough."), "correction");
    assert_eq!(signals("It is read twice.", "but the file is small", "Yes, it is."), "");
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

#[test]
fn what_lasts_is_general_or_was_asked_to_be_kept() {
    for (said, after, lasts) in [
        ("Never push to main directly", "ok", true),
        ("don't wrap any of our prose files at all", "ok", true),
        ("don't create a pr, just a commit", "ok", false),
        ("the tests never pass here", "ok", false),
        ("do you never sleep?", "ok", false),
        // It is a request to keep something; alone it says nothing that others could follow.
        ("make that standard in your workflow", "I'll save this as a standard", false),
        ("from now on log every run in the learnings", "ok", true),
        ("fix the login page", "ok", false),
    ] {
        assert_eq!(signals("Here it is.", said, after).contains("rule"), lasts, "{said}");
    }
}

#[test]
fn other_languages_are_met_with_silence() {
    for said in [
        "Nein, niemals direkt auf main pushen, immer einen Branch nehmen",
        "no, no uses npm nunca, siempre pnpm para todos los paquetes",
        "non, ne pousse jamais sur main, toujours une branche",
        "никогда не пушь в main, всегда делай ветку",
        "不要直接推送到 main，永远先开分支",
    ] {
        check(said, "");
        let seen = crate::detect::detect(&session(&format!("u los\n$ make\nu {said}\n$ make all")));
        assert!(seen.iter().all(|o| o.seen.message().is_none()), "{said}: {seen:#?}");
    }
}
