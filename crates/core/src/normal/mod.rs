//! Canonical forms that make two happenings comparable: commands, errors, statements, names; and what is known of programs.
//!
//! Comes in: raw text. Goes out: parsed commands, normalised commands, error signatures, canonical statements, slugs.

pub(crate) mod command;
pub mod english;
pub(crate) mod error;
pub mod notes;
pub mod programs;
pub(crate) mod reading;
pub mod shell;
mod shells;
mod slug;
pub(crate) mod spelling;
pub(crate) mod statement;

pub use slug::is_slug;
pub(crate) use slug::slug;

/// A pattern over bytes: Unicode tables would make each one hundreds of times slower to build.
///
/// All patterns are constants of this crate; a test builds them, so `None` is never seen in practice.
pub(crate) fn pattern(text: &str) -> Option<regex::bytes::Regex> {
    regex::bytes::RegexBuilder::new(text).unicode(false).build().ok()
}
