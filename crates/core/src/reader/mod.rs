//! The reader: a model of the user's own that reads digests of sessions and proposes lessons. Digest out, proposals in, every
//! quote checked.
//!
//! Comes in: sessions, what was seen in them, the lessons that exist; later the reader's answer. Goes out: requests of
//! bounded size, then observations of the detector [`NAME`]. Deliberately absent: running a model. What is asked is a
//! value here ([`Ask`]), and so is what can go wrong ([`Trouble`]); the binary does the asking.

pub mod answer;
pub mod check;
mod claims;
pub mod digest;
pub mod gist;
pub mod lasting;
pub mod observe;
mod polarity;
pub mod reduce;
mod score;
mod words;

pub use crate::detect::READER as NAME;

/// Raised when the same answer would be taken in another way. What was read is not read again: that would cost.
pub const VERSION: u32 = 2;

/// One question to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    /// A hash of the content: the same question has the same id. Safe as the name of a file.
    pub id: &'a str,
    /// All that is sent.
    pub prompt: &'a str,
    /// The JSON schema of the answer.
    pub schema: &'a str,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The question was left where somebody will answer it, and the answer is not there yet: where that is.
    NotReady(String),
    /// The reader cannot be used now: why, in one line.
    Unavailable(String),
    /// It took too long.
    TimedOut,
    /// It said more than is read.
    TooLong,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotReady(why) | Self::Unavailable(why) => f.write_str(why),
            Self::TimedOut => f.write_str("it took too long and was stopped"),
            Self::TooLong => f.write_str("the answer was too long"),
        }
    }
}

impl std::error::Error for Trouble {}
