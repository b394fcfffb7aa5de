//! Does a value keep the promise of its name?
//!
//! Comes in: a name that promises a secret, a value, and how sure the notation makes us. Goes out: the place of the value, if
//! it is believed. A password may be anything a person would choose; of all else the value must look generated, unless the
//! notation leaves no doubt.

use super::names::{Meaning, Proof};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::clip;
use crate::redact::shapes::code;
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use std::ops::Range;

/// A name that promises a secret, where it stands.
pub(super) struct Named<'t> {
    pub(super) text: &'t [u8],
    pub(super) name: &'t Range<usize>,
    pub(super) meaning: Meaning,
}

/// How sure the notation makes us that a value stands here, and not code.
#[derive(Clone, Copy)]
pub(super) enum Ground {
    /// A shell assignment or a flag: whatever stands there is the value.
    Firm,
    /// A line of its own.
    Line,
    /// Could be code.
    Plain,
}

impl Named<'_> {
    /// The place of `value`, if it is believed on this `ground`.
    pub(super) fn believe(&self, value: &Value, ground: Ground) -> Option<Range<usize>> {
        let said = &self.text[value.span.clone()];
        let called = !value.quoted && matches!(self.text.get(value.span.end), Some(b'(' | b'['));
        let believed = !called
            && match (self.meaning.proof, ground) {
                (Proof::Any, Ground::Firm) => looks::literal(said),
                (Proof::Any, Ground::Line) if !value.quoted => {
                    looks::chosen(said, false) || self.lone_word(&value.span)
                }
                (Proof::Any, _) => looks::chosen(said, value.quoted) || value.quoted && self.phrase(said),
                (Proof::Random, Ground::Firm) => looks::random(said) || looks::chosen(said, false),
                (Proof::Random, Ground::Line) => {
                    looks::random(said) || looks::chosen(said, false) && self.ends_line(&value.span)
                }
                (Proof::Random, Ground::Plain) => {
                    looks::random(said) || value.quoted && said.len() >= 8 && looks::chosen(said, false)
                }
            };
        believed.then(|| value.span.clone())
    }

    // "correct horse battery staple": words without a sentence around them.
    fn phrase(&self, said: &[u8]) -> bool {
        let words = || said.split(|b| *b == b' ');
        let plain = |word: &[u8]| word.len() > 2 && word.iter().all(u8::is_ascii_lowercase);
        words().count() >= 4 && words().all(plain) && !words().any(is_function_word) && !placeholder(said)
    }

    // `password: swordfish` and nothing else on the line is configuration, not code.
    fn lone_word(&self, span: &Range<usize>) -> bool {
        let said = &self.text[span.clone()];
        said.iter().all(u8::is_ascii_lowercase) && looks::literal(said) && self.ends_line(span)
    }

    fn ends_line(&self, span: &Range<usize>) -> bool {
        let quote = usize::from(matches!(self.text.get(span.end), Some(b'"' | b'\'' | b'`')));
        matches!(self.text.get(span.end + quote), None | Some(b'\n' | b'\r'))
    }

    /// The literal in quotes at `at`, if it looks like a secret and is not the name of a setting.
    pub(super) fn literal_at(&self, at: usize) -> Option<Range<usize>> {
        let value = value_at(self.text, at, Ends::AtDelimiter).filter(|value| value.quoted)?;
        let said = &self.text[value.span.clone()];
        let real = looks::chosen(said, false) || looks::random(said);
        (real && !code::is_name(said)).then_some(value.span)
    }

    /// The place behind the name and its closing quote.
    pub(super) fn after_name(&self) -> usize {
        let end = self.name.end;
        match clip(self.text, end, 2) {
            [b'"' | b'\'', b']'] => end + 2,
            [b'"' | b'\'' | b'`', ..] => end + 1,
            _ => end,
        }
    }

    /// At most `count` bytes before the name.
    pub(super) fn before(&self, count: usize) -> &[u8] {
        &self.text[self.name.start.saturating_sub(count)..self.name.start]
    }
}

// Is `word` one that only sentences have?
fn is_function_word(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "the", "your", "you", "and", "for", "not", "must", "enter", "please", "with", "that", "this", "has", "have",
        "was", "will", "should", "can", "are", "invalid", "required", "password", "from", "use", "set", "new", "least",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
