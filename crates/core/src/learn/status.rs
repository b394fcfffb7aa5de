//! The status of a lesson: what was said of it, by whom, and what follows. The only place that decides it.
//!
//! Comes in: what the store holds beside a lesson. Goes out: its status, whether it waits for a word, and whether it may be
//! used. Deliberately absent: how any of this is kept.

use super::trust::Mode;
use crate::worded::worded;

/// A word on a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be used.
    Approved,
    /// It must never come back.
    Rejected,
    /// Not now.
    Snoozed,
    /// The agent may write it up.
    Released,
    /// A newer lesson took its place.
    Superseded,
    /// Trials showed that it is of no help.
    Retired,
}

worded!(Verdict {
    Approved = "approved", Rejected = "rejected", Snoozed = "snoozed", Released = "released", Superseded = "superseded",
    Retired = "retired",
});

impl Verdict {
    /// Whether it is final: the lesson is not offered again.
    fn ends_it(self) -> bool {
        matches!(self, Self::Rejected | Self::Superseded | Self::Retired)
    }
}

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A person who saw the bytes.
    Person,
    /// The rules of mode `auto`, or a rule that follows from what a person said before.
    Auto,
}

impl By {
    /// The word used in the store and in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Auto => "auto",
        }
    }

    /// Reads the word back; an unknown word counts least.
    pub fn parse(word: &str) -> Self {
        if word == "person" { Self::Person } else { Self::Auto }
    }
}

/// What was said of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The word.
    pub verdict: Verdict,
    /// Who said it.
    pub by: By,
    /// When it comes back, if it was put away.
    pub until: Option<i64>,
    /// Whether the bytes are still those the word was about.
    pub same: bool,
}

/// Everything that decides the status of a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What was said of it.
    pub said: Option<Said>,
    /// Whether the evidence is enough.
    pub ready: bool,
    /// Whether the user deleted what was made of it, and has not approved it since.
    pub deleted: bool,
    /// Whether a file was made of it.
    pub rendered: bool,
}

/// The status of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Not enough evidence yet.
    Observing,
    /// Waits for a word.
    Ready,
    /// In use, without a file.
    Approved,
    /// In use, as a file.
    Created,
    /// No longer in use.
    Retired(Why),
    /// Never to come back.
    Rejected,
    /// Put away until then.
    Snoozed(Option<i64>),
    /// The agent may write it up.
    Released,
    /// Its bytes changed since they were approved: not used until a person looks.
    Quarantined,
}

/// Why a lesson is no longer in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The user deleted what was made of it.
    Deleted,
    /// A newer lesson took its place.
    Superseded,
    /// An agent wrote it up.
    WrittenUp,
    /// Trials showed that it is of no help.
    NoHelp,
}

impl Status {
    /// The word for people and for `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Observing => "observing",
            Self::Ready => "ready",
            Self::Approved => "approved",
            Self::Created => "created",
            Self::Retired(_) => "retired",
            Self::Rejected => "rejected",
            Self::Snoozed(_) => "snoozed",
            Self::Released => "released",
            Self::Quarantined => "quarantined",
        }
    }
}

impl Standing {
    /// The status of the lesson at a time.
    pub fn status(&self, now: i64) -> Status {
        let open = if self.deleted {
            Status::Retired(Why::Deleted)
        } else if self.ready {
            Status::Ready
        } else {
            Status::Observing
        };
        let Some(said) = self.said else { return open };
        match said.verdict {
            Verdict::Approved if !said.same => Status::Quarantined,
            Verdict::Approved if self.rendered => Status::Created,
            Verdict::Approved => Status::Approved,
            Verdict::Rejected => Status::Rejected,
            Verdict::Snoozed if said.until.is_some_and(|until| until <= now) => open,
            Verdict::Snoozed => Status::Snoozed(said.until),
            Verdict::Released => Status::Released,
            // Only a person puts one lesson in the place of another; what was released an agent answers.
            Verdict::Superseded if said.by == By::Auto => Status::Retired(Why::WrittenUp),
            Verdict::Superseded => Status::Retired(Why::Superseded),
            Verdict::Retired => Status::Retired(Why::NoHelp),
        }
    }

    /// Whether a person has yet to decide. This includes a lesson whose approval was for other bytes, or came from
    /// somebody whose word does not count in this mode.
    pub fn waits(&self, now: i64, mode: Mode) -> bool {
        let unheard = || self.said.is_some_and(|s| s.by == By::Auto && mode == Mode::Review);
        self.ready
            && match self.status(now) {
                Status::Observing | Status::Ready | Status::Quarantined => true,
                Status::Approved | Status::Created => unheard(),
                _ => false,
            }
    }

    /// Whether it is ready or was decided, and was not given up.
    pub fn is_known(&self) -> bool {
        match self.said {
            Some(said) => !said.verdict.ends_it(),
            None => self.ready,
        }
    }

    /// Whether it may be rendered, injected or shared: someone entitled said yes to exactly these bytes.
    pub fn may_leave(&self, mode: Mode) -> bool {
        let entitled = |said: Said| said.by == By::Person || mode == Mode::Auto;
        self.said.is_some_and(|said| said.verdict == Verdict::Approved && said.same && entitled(said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verdict: Verdict, by: By, until: Option<i64>, same: bool) -> Standing {
        Standing { said: Some(Said { verdict, by, until, same }), ready: true, deleted: false, rendered: false }
    }

    /// Status, whether it waits in mode `review` and in `auto`, whether it is known, whether it may leave in each mode.
    fn all(standing: &Standing) -> (Status, [bool; 2], bool, [bool; 2]) {
        let modes = [Mode::Review, Mode::Auto];
        (
            standing.status(10),
            modes.map(|m| standing.waits(10, m)),
            standing.is_known(),
            modes.map(|m| standing.may_leave(m)),
        )
    }

    #[test]
    fn the_whole_table() {
        use Verdict::*;
        let ready = Standing { ready: true, ..Standing::default() };
        let deleted = Standing { deleted: true, ..Standing::default() };
        let yes = said(Approved, By::Person, None, true);
        for (standing, expected) in [
            (Standing::default(), (Status::Observing, [false; 2], false, [false; 2])),
            (ready, (Status::Ready, [true; 2], true, [false; 2])),
            (deleted, (Status::Retired(Why::Deleted), [false; 2], false, [false; 2])),
            (yes, (Status::Approved, [false; 2], true, [true; 2])),
            (Standing { rendered: true, ..yes }, (Status::Created, [false; 2], true, [true; 2])),
            (said(Approved, By::Auto, None, true), (Status::Approved, [true, false], true, [false, true])),
            (said(Approved, By::Person, None, false), (Status::Quarantined, [true; 2], true, [false; 2])),
            (said(Rejected, By::Person, None, true), (Status::Rejected, [false; 2], false, [false; 2])),
            (
                said(Superseded, By::Person, None, true),
                (Status::Retired(Why::Superseded), [false; 2], false, [false; 2]),
            ),
            (said(Superseded, By::Auto, None, true), (Status::Retired(Why::WrittenUp), [false; 2], false, [false; 2])),
            (said(Retired, By::Auto, None, true), (Status::Retired(Why::NoHelp), [false; 2], false, [false; 2])),
            (said(Snoozed, By::Person, Some(11), true), (Status::Snoozed(Some(11)), [false; 2], true, [false; 2])),
            (said(Snoozed, By::Person, Some(10), true), (Status::Ready, [true; 2], true, [false; 2])),
            (said(Snoozed, By::Person, None, true), (Status::Snoozed(None), [false; 2], true, [false; 2])),
            (said(Released, By::Person, None, true), (Status::Released, [false; 2], true, [false; 2])),
        ] {
            assert_eq!(all(&standing), expected, "{standing:?}");
        }
    }
}
