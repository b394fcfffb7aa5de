//! Simulations: the bars that `docs/proof.md` states.

use super::*;
use crate::measure::rates::Chance;

/// Failures without the lesson.
const BASE: f64 = 0.5;
/// Showings a lesson has.
const SHOWINGS: usize = 400;
/// Simulated lessons.
const LESSONS: u64 = 600;

/// Trials of a lesson with this lift until it was shown so often.
fn trials(seed: u64, base: f64, lift: f64, chance: f64, showings: usize) -> Vec<Trial> {
    let mut dice = Chance::new(seed);
    let mut out = Vec::new();
    let mut shown = 0;
    while shown < showings {
        let withheld = dice.unit() < chance;
        let failed = dice.unit() < if withheld { base } else { base - lift };
        shown += usize::from(!withheld);
        out.push(Trial { withheld, chance, failed, harmed: false });
    }
    out
}

/// Which share of simulated lessons the sequential rule retires, when it is looked at after every trial. The largest purse so
/// far is kept: one look at the end sees all looks before it.
fn retired(base: f64, lift: f64, chance: f64, showings: usize) -> f64 {
    let is_gone = |seed: u64| {
        let trials = trials(seed, base, lift, chance, showings);
        wealth(&trials, Against::Worth) >= 1.0 / ALPHA
    };
    (0..LESSONS).filter(|seed| is_gone(*seed)).count() as f64 / LESSONS as f64
}

/// The same with both rules: also what failed after each of its first three showings is gone.
fn gone(lift: f64) -> f64 {
    let fate = |seed: u64| judge(&trials(seed, BASE, lift, 0.2, SHOWINGS)).fate;
    (0..LESSONS).filter(|seed| matches!(fate(*seed), Fate::Useless | Fate::InVain)).count() as f64 / LESSONS as f64
}

#[test]
fn harmful_lessons_are_retired_and_helpful_ones_stay() {
    let (harmful, useless, helpful) = (gone(-0.2), gone(0.0), gone(0.2));
    assert!(harmful >= 0.90, "{harmful}");
    assert!(helpful <= 0.05, "{helpful}");
    assert!(useless > helpful && useless < harmful, "{useless}");
}

#[test]
fn a_lesson_that_is_just_worth_it_stays() {
    for (base, chance) in [(0.5, 0.2), (0.3, 0.2), (0.9, 0.2), (0.5, 0.1), (0.5, 0.05)] {
        let gone = retired(base, WORTH, chance, 1_000);
        assert!(gone <= 0.05 + 0.02, "{base} {chance}: {gone}");
    }
}

#[test]
fn a_drifting_base_rate_does_not_retire_a_helpful_lesson() {
    // Failures become rarer for reasons of their own: whoever compares before with after is fooled.
    let gone = |seed: u64| {
        let mut dice = Chance::new(seed);
        let trials: Vec<Trial> = (0..500)
            .map(|n| {
                let base = 0.9 - 0.7 * f64::from(n) / 500.0;
                let withheld = dice.unit() < 0.2;
                let failed = dice.unit() < if withheld { base } else { base - 0.15 };
                Trial { withheld, chance: 0.2, failed, harmed: false }
            })
            .collect();
        wealth(&trials, Against::Worth) >= 1.0 / ALPHA
    };
    let share = (0..LESSONS).filter(|seed| gone(*seed)).count() as f64 / LESSONS as f64;
    assert!(share <= 0.05, "{share}");
}

#[test]
fn no_lift_is_rarely_called_proof() {
    let proven = (0..LESSONS)
        .filter(|seed| wealth(&trials(*seed, BASE, 0.0, 0.2, SHOWINGS), Against::Nothing) >= 1.0 / ALPHA)
        .count() as f64
        / LESSONS as f64;
    assert!(proven <= 0.05 + 0.02, "{proven}");
    let found = (0..LESSONS)
        .filter(|seed| wealth(&trials(*seed, BASE, 0.3, 0.2, SHOWINGS), Against::Nothing) >= 1.0 / ALPHA)
        .count() as f64
        / LESSONS as f64;
    assert!(found >= 0.8, "{found}");
}

#[test]
fn nine_in_ten_intervals_have_the_truth_in_them() {
    for lift in [-0.2, 0.0, 0.2] {
        for showings in [40, 100, 400] {
            let covers = |seed: &u64| {
                let judged = judge(&trials(*seed, BASE, lift, 0.2, showings));
                judged.lift.low <= lift && lift <= judged.lift.high
            };
            let lessons = 3_000;
            let share = (0..lessons).filter(covers).count() as f64 / lessons as f64;
            assert!((0.86..=0.94).contains(&share), "{lift} after {showings}: {share}");
        }
    }
}

#[test]
fn nine_in_ten_pooled_intervals_have_the_truth_in_them() {
    // Thirty lessons with few trials each, of very different base rates.
    for lift in [-0.1, 0.0, 0.1] {
        let covers = |seed: &u64| {
            let lessons: Vec<(Share, Share)> = (0..30)
                .map(|n| {
                    let base = 0.15 + 0.02 * f64::from(n);
                    let j = judge(&trials(seed * 100 + n as u64, base, lift, 0.2, 12));
                    (j.shown, j.withheld)
                })
                .collect();
            pooled(&lessons).is_some_and(|e| e.low <= lift && lift <= e.high)
        };
        let many = 1_500;
        let share = (0..many).filter(covers).count() as f64 / many as f64;
        assert!((0.86..=0.95).contains(&share), "{lift}: {share}");
    }
}

#[test]
fn a_failure_after_each_of_the_first_three_showings_ends_it() {
    let trial = |withheld, failed| Trial { withheld, chance: 0.2, failed, harmed: false };
    let (vain, kept) = (trial(false, true), trial(false, false));
    assert_eq!(judge(&[vain, vain]).fate, Fate::Open);
    assert_eq!(judge(&[vain, trial(true, false), vain, vain]).fate, Fate::InVain);
    assert_eq!(judge(&[vain, kept, vain, vain, vain]).fate, Fate::Open);
    assert_eq!(judge(&[]).fate, Fate::Open);
}

#[test]
fn the_draw_is_the_same_each_time_and_fair() {
    let session = |n: usize| format!("session-{n}");
    let withheld = (0..20_000).filter(|n| is_withheld("a1b2c3", &session(*n), 0.2)).count();
    assert!((3_800..4_200).contains(&withheld), "{withheld}");
    assert_eq!(is_withheld("x", "y", 0.5), is_withheld("x", "y", 0.5));
    assert!(!is_withheld("x", "y", 0.0));
    // Who is withheld at a small chance is at a larger one, too: changing the setting does not draw anew.
    assert!((0..2_000).all(|n| !is_withheld("l", &session(n), 0.05) || is_withheld("l", &session(n), 0.2)));
}
