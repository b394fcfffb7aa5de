//! What is known of a statement that a reader made: what it rests on, and in which ways it goes beyond its quotes.

use crate::worded::worded;

/// What people are shown above a reader's statement.
pub const PROPOSED: &str = "Proposed by the reader";
/// The same for what is about the user; by it such lessons are told from those about a project.
pub const PROPOSED_FOR_USER: &str = "Proposed by the reader, for all your projects";
/// How the title of a lesson says that it holds in every project of a person.
pub const FOR_USER: &str = ", for all your projects";

/// What is known of a statement that a reader made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposed {
    /// In which ways it goes beyond its quotes; none if it does not.
    pub leaps: Vec<Leap>,
    /// Whether it is, byte for byte, all that a message of the user says.
    pub alone: bool,
    /// Whether it is about the user, not only about the project.
    pub about_user: bool,
    /// What it rests on; `None` if an older release kept it.
    pub basis: Option<Basis>,
    /// Tokens that the failures it quotes cost.
    pub cost: u64,
    /// What a second reading of the person's messages says.
    pub second: Second,
}

/// What a second reading says of the messages that a statement quotes as the person's own word. They are read by themselves then:
/// beside a statement made of it, every message sounds like a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Second {
    /// They were not read again yet.
    #[default]
    NotYet,
    /// These of them hold for later work; the others stand beside them.
    Lasts(Vec<String>),
    /// They are about the work at hand.
    Passes,
}

impl Proposed {
    /// What it rests on. What holds for later work by the second reading is said for all work; what does not was said of one task.
    pub fn rests_on(&self) -> Option<Basis> {
        match (self.basis, &self.second) {
            (Some(Basis::Corrected), Second::Lasts(_)) => Some(Basis::Stated),
            (Some(Basis::Stated | Basis::Corrected), Second::Passes) => Some(Basis::Task),
            (basis, _) => basis,
        }
    }

    /// Whether messages it quotes as the person's own word are to be read a second time.
    pub fn waits_for_second(&self) -> bool {
        self.second == Second::NotYet && self.is_own_word()
    }

    /// Whether a message that it quotes is the person's own word, as far as is known.
    pub fn is_own_word_in(&self, event: &str) -> bool {
        self.is_own_word()
            && match &self.second {
                Second::NotYet => true,
                Second::Lasts(events) => events.iter().any(|e| e == event),
                Second::Passes => false,
            }
    }

    fn is_own_word(&self) -> bool {
        matches!(self.basis, Some(Basis::Stated | Basis::Corrected))
    }
}

/// What a reader's statement rests on, firmest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The person says it for all such work, or asks to have it kept.
    Stated,
    /// The person rejects what was done, for a reason that outlives the task.
    Corrected,
    /// The person asks for it again and again; no message says it for all work.
    Repeated,
    /// It was written into a file that tells agents how to work.
    Written,
    /// The agent found it out, or a failure showed it.
    Found,
    /// It was said of one task; that it holds later is the reader's guess.
    Task,
}

worded!(Basis {
    Stated = "stated", Corrected = "corrected", Repeated = "repeated", Written = "written", Found = "found", Task = "task",
});

impl Basis {
    /// What a person should know.
    pub fn what(self) -> &'static str {
        match self {
            Self::Stated => "you said so",
            Self::Corrected => "you put the agent right",
            Self::Repeated => "you asked for it again and again",
            Self::Written => "it was written down for agents",
            Self::Found => "the agent found it out",
            Self::Task => "you said it of one task",
        }
    }

    /// Whether it holds only once a second session says it, or of a correction a second reading. Of corrections, people who
    /// judged them message by message kept one in three for later sessions (4 of 13), of what is said for all work four in five
    /// (16 of 20).
    pub fn needs_another(self) -> bool {
        matches!(self, Self::Corrected | Self::Repeated | Self::Task)
    }
}

/// A way in which a statement goes beyond the quotes that are to prove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leap {
    /// It forbids, or holds without exception, and no quote says so; or the other way round.
    Polarity,
    /// Its quotes say too little to prove anything.
    FewWords,
    /// Less than half of its words are in the quotes.
    OtherWords,
    /// It was said of one task; that it holds later is the reader's guess.
    OneTask,
}

worded!(Leap { Polarity = "polarity", FewWords = "few-words", OtherWords = "other-words", OneTask = "one-task" });

impl Leap {
    /// What a person should know.
    pub fn what(self) -> &'static str {
        match self {
            Self::Polarity => "what it forbids or always wants is not quoted",
            Self::FewWords => "the quotes say very little",
            Self::OtherWords => "most of its words are not in the quotes",
            Self::OneTask => "it was said of one task",
        }
    }
}
