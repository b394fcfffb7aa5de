//! How much evidence is enough: thresholds, confidence, spread, decay, the penalty of a deletion.
//!
//! Every number a lesson is judged by comes from here and can be shown. Confidence is counted from the evidence each
//! time and never from an earlier confidence, so that nothing compounds.

use serde::{Deserialize, Serialize};

use super::Lesson;
use crate::detect::{Kind, SUBMITTED};

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;

/// What a kind of lesson needs before it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Sessions at which confidence is full.
    pub required: u32,
    /// Days that must lie between the first and the last sight.
    pub spread: u32,
    /// The confidence it needs to be ready.
    pub promote: f64,
}

/// The name under which a bar can be set.
fn bar_name(kind: Kind, detector: &str) -> &'static str {
    match (kind, detector) {
        // What an agent hands in once is shown, as what it writes down is.
        (_, SUBMITTED) => "instruction",
        (Kind::Procedure, "procedural") => "procedural",
        // A command that is merely run often needs more sessions than a step of a procedure.
        (Kind::Procedure, "repeated-action") => "repeated",
        (kind, _) => kind.as_str(),
    }
}

/// The usual bars, by name.
pub const BARS: &[(&str, Bar)] = &[
    ("recovery", needs(1, 0, 0.95)),
    ("correction", needs(1, 0, 0.95)),
    ("instruction", needs(1, 0, 0.95)),
    ("procedure", needs(2, 0, 0.95)),
    ("repeated", needs(3, 0, 0.95)),
    ("procedural", needs(4, 5, 0.70)),
    ("workflow", needs(3, 3, 0.60)),
    ("decision", needs(2, 0, 0.65)),
    ("pitfall", needs(2, 0, 0.65)),
    ("insight", needs(1, 0, 0.95)),
    ("fact", needs(2, 0, 0.95)),
];

const fn needs(required: u32, spread: u32, promote: f64) -> Bar {
    Bar { required, spread, promote }
}

/// The bars lessons are held to: the usual ones, and those the user set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bars(pub std::collections::BTreeMap<String, Bar>);

impl Bars {
    /// The bar for what a detector sees.
    pub(super) fn of(&self, kind: Kind, detector: &str) -> Bar {
        let name = bar_name(kind, detector);
        let usual = || BARS.iter().find(|(n, _)| *n == name).map_or(needs(1, 0, 0.95), |(_, bar)| *bar);
        self.0.get(name).copied().unwrap_or_else(usual)
    }

    /// The bar for a lesson. A reader's is that of an instruction, whatever it is about: what it rests on, not its kind, tells
    /// whether one session is enough ([`crate::detect::Basis::needs_another`]).
    pub(super) fn for_lesson(&self, lesson: &Lesson) -> Bar {
        let kind = if lesson.origin.basis.is_some() { Kind::Instruction } else { lesson.kind };
        self.of(kind, &lesson.origin.detector)
    }

    /// Judges the evidence for a lesson; `deleted` if the user deleted what was made of it.
    pub fn judge(&self, lesson: &Lesson, deleted: bool, now: i64) -> Judgement {
        judge(self.for_lesson(lesson), &lesson.weight(deleted), now)
    }
}

/// The usual bar for what a detector sees.
#[cfg(test)]
pub(super) fn bar(kind: Kind, detector: &str) -> Bar {
    Bars::default().of(kind, detector)
}

/// The highest confidence: never quite sure.
const MOST: u32 = 95; // per cent

/// What a deleted lesson keeps of its confidence.
pub const PENALTY: f64 = 0.3;

/// What speaks for a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Weight {
    /// Distinct root sessions it was seen in.
    pub sessions: u32,
    /// First sight.
    pub first: Option<i64>,
    /// Last sight.
    pub last: Option<i64>,
    /// Whether it is specific, can be acted on and carries its reason.
    pub quality: bool,
    /// Whether the user deleted what was made of it, and has not approved it since.
    pub deleted: bool,
}

/// Why a lesson is or is not ready, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The bar it is held to.
    pub bar: Bar,
    /// Counted from sessions alone.
    pub base: f64,
    /// After a deletion's penalty.
    pub confidence: f64,
    /// Days between first and last sight.
    pub spread: u32,
    /// What age takes off its rank, not off its confidence.
    pub decay: f64,
    /// Whether it may be shown.
    pub ready: bool,
}

/// Judges the evidence for a lesson at a time.
pub(super) fn judge(bar: Bar, weight: &Weight, now: i64) -> Judgement {
    let base = confidence(weight.sessions, bar.required);
    let confidence = if weight.deleted { base * PENALTY } else { base };
    let spread = match (weight.first, weight.last) {
        (Some(first), Some(last)) => u32::try_from(last.saturating_sub(first).max(0) / DAY).unwrap_or(u32::MAX),
        _ => 0,
    };
    let ready = weight.quality && confidence >= bar.promote && spread >= bar.spread;
    Judgement { bar, base, confidence, spread, decay: decay(weight.last, now), ready }
}

/// `min(floor(sessions · 100 / required), 95)` per cent.
pub(super) fn confidence(sessions: u32, required: u32) -> f64 {
    f64::from((sessions.saturating_mul(100) / required.max(1)).min(MOST)) / 100.0
}

/// What age leaves of a rank: a tenth less for each thirty days, never less than about half.
pub fn decay(last: Option<i64>, now: i64) -> f64 {
    const LEFT: [f64; 7] = [1.0, 0.90, 0.81, 0.73, 0.66, 0.59, 0.53];
    let months = last.map_or(0, |last| now.saturating_sub(last).max(0) / (30 * DAY));
    LEFT[usize::try_from(months).unwrap_or(usize::MAX).min(LEFT.len() - 1)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weight(sessions: u32, days: i64) -> Weight {
        Weight { sessions, first: Some(0), last: Some(days * DAY), quality: true, deleted: false }
    }

    #[test]
    fn the_documented_confidences_hold() {
        let of = |kind, detector, sessions| confidence(sessions, bar(kind, detector).required);
        assert_eq!([1, 2, 3, 100].map(|n| of(Kind::Workflow, "workflow", n)), [0.33, 0.66, 0.95, 0.95]);
        assert_eq!([1, 3, 4].map(|n| of(Kind::Procedure, "procedural", n)), [0.25, 0.75, 0.95]);
        assert_eq!(of(Kind::Decision, "decision", 2), 0.95);
        assert_eq!(of(Kind::Pitfall, "pitfall", 2), 0.95);
        assert_eq!(of(Kind::Recovery, "error-recovery", 1), 0.95);
    }

    #[test]
    fn promotion_needs_count_quality_and_days() {
        let ready = |kind, detector, w: Weight| judge(bar(kind, detector), &w, 0).ready;
        assert!(ready(Kind::Workflow, "workflow", weight(3, 4)));
        assert!(ready(Kind::Workflow, "workflow", weight(2, 3)), "two are enough: .66");
        assert!(!ready(Kind::Workflow, "workflow", weight(3, 1)), "too few days");
        assert!(!ready(Kind::Workflow, "workflow", weight(1, 9)));
        assert!(!ready(Kind::Workflow, "workflow", Weight { quality: false, ..weight(5, 9) }));
        assert!(ready(Kind::Procedure, "procedural", weight(3, 5)));
        assert!(!ready(Kind::Procedure, "procedural", weight(2, 9)));
        assert!(ready(Kind::Decision, "decision", weight(2, 0)));
        assert!(!ready(Kind::Decision, "decision", weight(1, 0)));
        assert!(ready(Kind::Recovery, "error-recovery", weight(1, 0)));
        assert!(!ready(Kind::Procedure, "multi-step", weight(1, 0)));
        assert!(!ready(Kind::Procedure, "repeated-action", weight(2, 9)));
    }

    #[test]
    fn a_deletion_sticks_however_often_it_is_seen_again() {
        for sessions in 1..200 {
            let w = Weight { deleted: true, ..weight(sessions, 100) };
            let judged = judge(bar(Kind::Workflow, "workflow"), &w, 0);
            assert!(!judged.ready && judged.confidence <= 0.95 * PENALTY);
        }
    }

    #[test]
    fn decay_is_counted_from_the_last_sight_and_never_compounds() {
        let after = |days: i64| decay(Some(0), days * DAY);
        assert_eq!([0, 29, 30, 35, 60, 200, 10_000].map(after), [1.0, 1.0, 0.90, 0.90, 0.81, 0.53, 0.53]);
        assert_eq!(after(31), after(31));
        // A clock that was wrong takes nothing away.
        assert_eq!(decay(Some(10 * DAY), 0), 1.0);
        assert_eq!(decay(None, DAY), 1.0);
    }

    fn time() -> impl Strategy<Value = i64> {
        prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), any::<i64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_times_can_be_judged(first in time(), last in time(), now in time()) {
            let weight = Weight { sessions: 3, first: Some(first), last: Some(last), quality: true, deleted: false };
            let judged = judge(BARS[0].1, &weight, now);
            prop_assert!(last > first || judged.spread == 0);
            prop_assert!((0.53..=1.0).contains(&judged.decay));
        }
    }
}
