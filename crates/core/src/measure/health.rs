//! Whether lessons are used and do well: over all time, in the last 7 and 30 days, and whether that got worse.
//!
//! Comes in: the uses of one lesson and the time. Goes out: rates, a trend, and whether it fell. Deliberately absent:
//! what to do about it, which is for the command to say.

use super::success::{Record, Use};

const DAY: i64 = 86_400_000;
/// A fall of more than this is a regression.
const FALL: f64 = 0.10;
/// Uses in the last 7 days, and before them, that are needed to compare.
const ENOUGH: u32 = 3;

/// Which way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// Too few uses to tell.
    Unknown,
    /// Better by more than a tenth.
    Improving,
    /// Neither.
    Stable,
    /// Worse by more than a tenth: a regression.
    Degrading,
}

impl Trend {
    /// As it stands in `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Improving => "improving",
            Self::Stable => "stable",
            Self::Degrading => "degrading",
        }
    }
}

/// Uses by how long ago they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// All of them.
    pub all: Record,
    /// Of the last 7 days.
    pub week: Record,
    /// Of the last 30 days.
    pub month: Record,
    /// Of the last 30 days without the last 7.
    before: Record,
}

impl Windows {
    /// Adds a use. One from the future was noted when the clock was wrong, and counts as one of today.
    pub fn add(&mut self, one: &Use, now: i64) {
        let age = now.saturating_sub(one.at);
        self.all.add(one);
        if age < 7 * DAY {
            self.week.add(one);
        } else if age < 30 * DAY {
            self.before.add(one);
        }
        if age < 30 * DAY {
            self.month.add(one);
        }
    }

    /// By how much the last 7 days differ from the weeks before; nothing if there are too few uses.
    pub fn change(&self) -> Option<f64> {
        let enough = self.week.uses >= ENOUGH && self.before.uses >= ENOUGH;
        self.week.rate().zip(self.before.rate()).filter(|_| enough).map(|(now, then)| now - then)
    }

    /// Which way it goes.
    pub fn trend(&self) -> Trend {
        match self.change() {
            None => Trend::Unknown,
            Some(change) if change > FALL + 1e-9 => Trend::Improving,
            Some(change) if change < -FALL - 1e-9 => Trend::Degrading,
            Some(_) => Trend::Stable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(week: &[bool], before: &[bool]) -> Windows {
        let mut out = Windows::default();
        let now = 100 * DAY;
        for (list, at) in [(week, now - DAY), (before, now - 20 * DAY)] {
            for good in list {
                let one = Use { applied: true, verified: true, passed: Some(*good), goal: None, relevance: None, at };
                out.add(&one, now);
            }
        }
        out
    }

    #[test]
    fn a_fall_of_more_than_a_tenth_is_a_regression() {
        let share = |good: usize, of: usize| (0..of).map(|n| n < good).collect::<Vec<_>>();
        for (week, before, trend) in [
            (share(8, 10), share(9, 10), Trend::Stable),
            (share(7, 10), share(9, 10), Trend::Degrading),
            (share(10, 10), share(5, 10), Trend::Improving),
            (share(0, 2), share(9, 10), Trend::Unknown),
            (share(0, 0), share(0, 0), Trend::Unknown),
        ] {
            assert_eq!(windows(&week, &before).trend(), trend, "{week:?} {before:?}");
        }
        assert_eq!(windows(&share(1, 1), &share(2, 4)).month.uses, 5);
    }
}
