//! Observations into lessons: counts, days, quality, age, deletions, merging.

use super::{on_days, seen};
use crate::detect::{Kind, Observation};
use crate::learn::evidence::{DAY, PENALTY, bar, judge};
use crate::learn::{Lesson, by_hand, fold, lesson_id};

const WORKFLOW: &str = "u bump the version in Cargo.toml, tag it, then publish";
const DECISION: &str =
    "a I can put it in memory.\nu I think we should keep the cache in cache.db, since the workers restart every night.";
const RULE: &str = "u Never push to main without a review";

fn one(observations: &[Observation], kind: Kind) -> Lesson {
    let mut found: Vec<Lesson> = fold("p", observations).into_iter().filter(|l| l.kind == kind).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

fn rules(script: &[&str]) -> Vec<Lesson> {
    let all: Vec<Observation> = (0..).zip(script).flat_map(|(n, said)| seen(&format!("s{n}"), n, said)).collect();
    fold("p", &all).into_iter().filter(|l| l.kind == Kind::Instruction).collect()
}

#[test]
fn there_is_no_unknown_kind() {
    // Theirs counts what it does not know as a procedure; ours leaves it out.
    assert_eq!(Kind::parse("other"), None);
    assert!(Kind::ALL.iter().all(|k| Kind::parse(k.as_str()) == Some(*k)));
}

#[test]
fn a_workflow_needs_three_days_between_first_and_last() {
    let judged = |days: &[i64]| {
        let lesson = one(&on_days(days, WORKFLOW), Kind::Workflow);
        (lesson.evidence.sessions, lesson.evidence.worth.confidence, lesson.evidence.worth.ready)
    };
    assert_eq!(judged(&[0]), (1, 0.33, false));
    assert_eq!(judged(&[0, 2, 4]), (3, 0.95, true));
    assert_eq!(judged(&[0, 0, 1]), (3, 0.95, false));
    assert_eq!(judged(&[0, 1, 1, 1, 1, 2]), (6, 0.95, false));
}

#[test]
fn what_everybody_does_is_no_workflow_of_a_project() {
    let lesson = one(&on_days(&[0, 2, 4, 6], "u commit please, push and open a pr"), Kind::Workflow);
    assert!(!lesson.evidence.worth.ready, "{lesson:#?}");
}

#[test]
fn a_request_is_worth_knowing_with_what_followed_it_each_time() {
    let asked = |said: &str, ran: &str| format!("u look\n$ ls\nu {said}\n$ {ran}\n$ pnpm fix");
    let all = [
        seen("a", 0, &asked("please update the docs and the demo", "node gen.js")),
        seen("b", 4 * DAY, &asked("update demo and docs", "make docs")),
    ];
    let lesson = one(&all.concat(), Kind::Workflow);
    assert_eq!(lesson.payload.statement, "Asked to “update the docs and the demo”: run `pnpm fix`");
    assert!(lesson.evidence.worth.ready);
    let none = |seen: &[Observation]| fold("p", seen).iter().all(|l| l.kind != Kind::Workflow);
    assert!(none(&all[0]), "once is no habit: there is nothing to run");
    let other = seen("c", 5 * DAY, "u look\n$ ls\nu update demo and docs\n$ make site");
    assert!(none(&[all[0].clone(), other].concat()), "nor what is done in another way each time");
}

#[test]
fn a_decision_is_ready_when_it_is_said_again_if_it_names_something() {
    let hours = [seen("a", 0, DECISION), seen("b", 2 * DAY / 24, DECISION)].concat();
    let lesson = one(&hours, Kind::Decision);
    assert_eq!(
        (lesson.evidence.sessions, lesson.evidence.worth.confidence, lesson.evidence.worth.ready),
        (2, 0.95, true)
    );
    // Theirs begins every kind at .33; ours counts from the first sight.
    assert_eq!(one(&seen("a", 0, DECISION), Kind::Decision).evidence.worth.confidence, 0.50);
    let vague = DECISION.replace("cache.db", "the files");
    let lesson = one(&on_days(&[0, 1, 2, 3, 4], &vague), Kind::Decision);
    assert_eq!(
        (lesson.evidence.sessions, lesson.evidence.worth.ready),
        (5, false),
        "quality is missing however often it is said"
    );
}

#[test]
fn more_sights_change_counts_and_nothing_else() {
    let (few, more) =
        (one(&on_days(&[0, 2, 4], WORKFLOW), Kind::Workflow), one(&on_days(&[0, 2, 4, 6], WORKFLOW), Kind::Workflow));
    assert_eq!((few.evidence.sessions + 1, &few.id, few.sha256()), (more.evidence.sessions, &more.id, more.sha256()));
    assert!(few.evidence.worth.ready && more.evidence.worth.ready);
}

#[test]
fn age_takes_rank_and_nothing_else() {
    // Theirs lowers confidence and removes at last; ours ranks lower and keeps, since age disproves nothing.
    let lesson = one(&on_days(&[0, 2, 4], WORKFLOW), Kind::Workflow);
    let at = |days: i64| judge(bar(lesson.kind, &lesson.origin.detector), &lesson.weight(false), (4 + days) * DAY);
    assert_eq!([0, 35, 200, 4_000].map(|d| (at(d).confidence, at(d).ready)), [(0.95, true); 4]);
    assert_eq!([0, 35, 200, 4_000].map(|d| at(d).decay), [1.0, 0.90, 0.53, 0.53]);
    // Judging again, five times on one day, is judging once.
    let first = at(31);
    assert!((0..5).all(|_| at(31) == first) && first.decay == 0.90);
    // A new sight counts from itself: .95 again, not .95 of what was left.
    let again = one(&on_days(&[0, 2, 4, 204], WORKFLOW), Kind::Workflow);
    let judged = judge(bar(again.kind, &again.origin.detector), &again.weight(false), 205 * DAY);
    assert_eq!((judged.confidence, judged.decay), (0.95, 1.0));
    assert_eq!(fold("p", &[]), []);
    let mixed = [on_days(&[0, 2, 4], WORKFLOW), seen("new", 300 * DAY, RULE)].concat();
    assert_eq!(fold("p", &mixed).len(), 2, "the old one is still there");
}

#[test]
fn a_deletion_holds_after_it_is_seen_again() {
    for sights in 4..12 {
        let days: Vec<i64> = (0..sights).collect();
        let lesson = one(&on_days(&days, WORKFLOW), Kind::Workflow);
        let judged = judge(bar(lesson.kind, &lesson.origin.detector), &lesson.weight(true), sights * DAY);
        assert_eq!((judged.base, judged.ready), (0.95, false));
        assert_eq!(judged.confidence, judged.base * PENALTY, "of the base, not of what an earlier penalty left");
        // A new approval clears it.
        assert!(judge(bar(lesson.kind, &lesson.origin.detector), &lesson.weight(false), 0).ready);
    }
}

#[test]
fn the_same_words_said_in_another_way_are_one_lesson() {
    let found = rules(&[
        RULE,
        "u please don't push to `main` without a review",
        "u from now on never push to main without review!",
    ]);
    assert_eq!(found.iter().map(|l| l.evidence.sessions).collect::<Vec<_>>(), [3], "{found:#?}");
}

#[test]
fn other_words_are_another_lesson() {
    let found = rules(&[
        RULE,
        "u Never push to dev without a review",
        "u Always push to main without a review",
        "u Never pull from main without a review",
        "u Never push to main without 2 reviews",
    ]);
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found.iter().all(|l| l.evidence.sessions == 1));
}

#[test]
fn a_pitfall_is_one_whatever_was_done_before_it() {
    let wrong = "u don't, the import will fail if --legacy-ids is on";
    let after = |did: &str| format!("u import it\na {did}\n{wrong}");
    let all = [
        seen("a", 0, &after("I will import with --legacy-ids then.")),
        seen("b", 1, &after("Running the importer with all flags now.")),
    ];
    assert_eq!(one(&all.concat(), Kind::Pitfall).evidence.sessions, 2);
}

#[test]
fn the_newest_twenty_places_are_kept_and_all_are_counted() {
    let days: Vec<i64> = (0..25).collect();
    let lesson = one(&on_days(&days, RULE), Kind::Instruction);
    assert_eq!((lesson.evidence.sessions, lesson.evidence.days, lesson.evidence.sightings.len()), (25, 25, 20));
    let kept: Vec<i64> = lesson.evidence.sightings.iter().filter_map(|e| e.at).map(|at| at / DAY).collect();
    assert_eq!(kept, (5..25).rev().collect::<Vec<_>>());
}

#[test]
fn quality_once_seen_stays() {
    let (good, plain) = (seen("a", 0, RULE), seen("b", 1, RULE));
    assert!(good.iter().any(|o| o.claim.suggest));
    let mut plain = plain;
    plain.iter_mut().for_each(|o| o.claim.suggest = false);
    assert!(!one(&plain, Kind::Instruction).evidence.worth.ready);
    for all in [[good.clone(), plain.clone()].concat(), [plain, good].concat()] {
        assert!(one(&all, Kind::Instruction).evidence.worth.ready);
    }
}

#[test]
fn nothing_is_lost_above_a_hundred() {
    let all: Vec<Observation> = (0..150)
        .flat_map(|n| seen(&format!("s{n}"), n, &format!("u Never push to branch-{n} without a review")))
        .collect();
    let lessons = fold("p", &all);
    assert_eq!(lessons.len(), 150);
}

#[test]
fn a_name_is_no_identity() {
    // One name, two statements: two ids, whatever files are called.
    let (a, b) = (by_hand("p", "Run make deps first", 0), by_hand("p", "run make deps, first!!! or not", 0));
    let (same, other) = (by_hand("p", "please run `make deps` first", 9), by_hand("q", "Run make deps first", 0));
    assert_ne!(a.id, b.id);
    assert_eq!((&a.id, a.payload.name.as_str()), (&same.id, "run-make-deps-first"));
    assert_ne!(a.id, other.id, "another project");
    for kind in Kind::ALL {
        assert_eq!(lesson_id(kind, &a.key, "p") == a.id, kind == a.kind, "another kind is another id, not a suffix");
    }
    // What a sight adds to is found by the id that is shown.
    let lesson = one(&on_days(&[0, 1], RULE), Kind::Instruction);
    assert_eq!(lesson.id, lesson_id(lesson.kind, &lesson.key, lesson.project()));
}

#[test]
fn a_semicolon_is_a_character() {
    let text = "context: we had X; and Y; decision: keep `a; b`";
    assert_eq!(by_hand("p", text, 0).payload.statement, text);
    let found = rules(&["u x\n$ make\nu Remember this: amounts have two decimals; rates have four"]);
    assert_eq!(found[0].payload.statement, "amounts have two decimals; rates have four");
}

#[test]
fn other_wordings_stay_to_be_read() {
    // Theirs flags a merge only if the new text is shorter; ours keeps the words of every place.
    let said = ["u Never push to main without a review", "u please do not ever push to main without a review, ok"];
    for order in [[0, 1], [1, 0]] {
        let all: Vec<Observation> = order.iter().flat_map(|n| seen(&format!("s{n}"), *n as i64, said[*n])).collect();
        let lesson = one(&all, Kind::Instruction);
        let quotes: Vec<&str> = lesson.evidence.sightings.iter().map(|e| e.quote.as_str()).collect();
        assert_eq!(quotes.len(), 2, "{lesson:#?}");
        assert!(quotes[0].contains("do not ever") && quotes[1].starts_with("Never"), "{quotes:?}");
    }
}
