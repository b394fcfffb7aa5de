//! How often a lesson's uses ended well: one record per lesson and iteration, added up over all runs.
//!
//! Comes in: uses, each of one lesson in one iteration, joined by the lesson's id before they come here. Goes out: a rate,
//! a bin and a flag. Deliberately absent: matching by words (`matching`), and every clock. A record is added, never
//! overwritten: what one run did not see does not change.

/// One lesson in one iteration: a finished session of its project, or one `cycle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Whether it was applied. One that was only shown, where it is known that nobody applied it, counts as a use in vain.
    pub applied: bool,
    /// Whether a place that was named for it is in the diff; so it is if none was named.
    pub verified: bool,
    /// Whether the work passed afterwards: the build, or the call that the lesson is about. Nothing if nobody looked.
    pub passed: Option<bool>,
    /// Whether the user's goal was met; nothing if there is none.
    pub goal: Option<bool>,
    /// How much it had to do with what changed, in thousandths; nothing if that is not known.
    pub relevance: Option<u16>,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What a whole use is worth, in units that make a half of a thousandth a whole number.
const WHOLE: u64 = 2_000;
/// Relevance where it is not known, in thousandths.
const UNKNOWN: u16 = 500;

impl Use {
    /// 1 if it ended well and the goal was met or there is none, half of its relevance if the goal was missed, else 0.
    fn worth(&self) -> u64 {
        match (self.applied && self.verified && self.passed != Some(false), self.goal) {
            (false, _) => 0,
            (true, Some(false)) => u64::from(self.relevance.unwrap_or(UNKNOWN).min(1_000)),
            (true, _) => WHOLE,
        }
    }
}

/// Uses of one lesson, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many.
    pub uses: u32,
    worth: u64,
    /// The last one.
    pub last: Option<i64>,
}

/// Fewer iterations without a use are nothing to tell.
pub const STALE_AFTER: u32 = 10;
/// Below this a lesson is to be looked at.
pub const LOW: f64 = 0.40;
/// From here on it is good.
pub const HIGH: f64 = 0.70;
/// Uses after which a low rate is no accident.
pub const MANY: u32 = 20;

/// What is to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// It was never used.
    Untested,
    /// Its rate is low.
    Review,
    /// It was not used in the last iterations.
    Stale,
    /// Its rate is low after many uses.
    Prune,
}

impl Flag {
    /// As it stands in tables and `--json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untested => "UNTESTED",
            Self::Review => "REVIEW",
            Self::Stale => "STALE",
            Self::Prune => "PRUNE",
        }
    }
}

impl Record {
    /// Adds a use.
    pub fn add(&mut self, one: &Use) {
        self.uses += 1;
        self.worth += one.worth();
        self.last = self.last.max(Some(one.at));
    }

    /// The share that ended well; nothing without uses.
    pub fn rate(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.worth as f64 / (WHOLE * u64::from(self.uses)) as f64)
    }

    /// `high`, `medium` or `low`.
    pub fn bin(&self) -> Option<&'static str> {
        self.rate().map(bin)
    }

    /// What is to be looked at, if so many iterations went by since the last use.
    pub fn flag(&self, iterations_since: u32) -> Option<Flag> {
        let Some(rate) = self.rate() else { return Some(Flag::Untested) };
        if self.uses > MANY && rate < LOW {
            return Some(Flag::Prune);
        }
        if iterations_since >= STALE_AFTER {
            return Some(Flag::Stale);
        }
        (rate < LOW).then_some(Flag::Review)
    }
}

/// The bin of a rate.
pub fn bin(rate: f64) -> &'static str {
    match rate {
        r if r >= HIGH => "high",
        r if r >= LOW => "medium",
        _ => "low",
    }
}

#[cfg(test)]
mod tests;
