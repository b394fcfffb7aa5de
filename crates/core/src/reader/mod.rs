//! The reader: an optional model that reads digests of sessions and proposes lessons.
//!
//! Here stands what is pure of it. Running it, and getting its answer, is the binary's matter.

use thiserror::Error;

/// One request to the reader.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// A stable hash of the content, fit for the name of a file.
    pub id: &'a str,
    /// What is asked.
    pub prompt: &'a str,
    /// The JSON schema of the answer.
    pub schema: &'a str,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// It will come later: somebody else is to write it.
    #[error("{0}")]
    NotReady(String),
    /// The reader cannot be asked: it is not installed, not logged in, or out of quota.
    #[error("{0}")]
    Unavailable(String),
    /// It took too long and was stopped.
    #[error("it took too long and was stopped")]
    TimedOut,
    /// The answer was too long and was not read to its end.
    #[error("the answer was too long")]
    TooLong,
}
