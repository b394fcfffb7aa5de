//! Tokens without a literal that the prefilter could look for.
//!
//! Comes in: a text and a long run of token characters in it. Goes out: the tokens in that run, known by how they begin, how
//! long they are and what stands beside them.

use super::chance::{by_chance, wordy};
use super::looks;
use super::rules::RULES;
use super::token::token;
use crate::redact::layers::wrap;
use crate::redact::span::Span;
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// Every such token in `run`.
pub(in crate::redact) fn tokens(text: &[u8], run: &Range<usize>, spans: &mut Vec<Span>) {
    in_table(text, run, spans);
    spans.extend(cloud_secret(text, run).or_else(|| old_vault(text, run)));
}

/// The tokens in `run` that a row of the table describes.
pub(in crate::redact) fn in_table(text: &[u8], run: &Range<usize>, spans: &mut Vec<Span>) {
    // Most runs are too short for any of them.
    if run.len() < 17 || run.len() < 34 && text.get(run.end) != Some(&b'.') {
        return;
    }
    let ends = memchr::memchr2_iter(b'/', b'+', &text[run.clone()]).map(|at| run.start + at).chain([run.end]);
    let mut start = run.start;
    for end in ends {
        if let Some(anchor) = promising(text, start..end) {
            for (index, rule) in RULES.iter().enumerate().filter(|(_, rule)| rule.anchors.is_empty()) {
                spans.extend(token(text, index, anchor).map(|place| Span::shape(place, rule.kind)));
            }
        }
        start = end + 1;
    }
}

// Where a token would have its first telling byte, if this part of a run can be of one.
fn promising(text: &[u8], part: Range<usize>) -> Option<usize> {
    let dot = text.get(part.end) == Some(&b'.');
    match &text[part.clone()] {
        // What comes first is the base64 of a number; a file name hardly ever looks like that.
        [b'M' | b'N' | b'O', ..] if dot && part.len() >= 24 => Some(part.start),
        [b'p', b'a', b't', ..] if dot && part.len() == 17 => Some(part.start),
        [b'S', b'K', ..] if part.len() >= 34 => Some(part.start),
        [b'A', ..] if part.len() >= 35 && text[..part.start].ends_with(b":") => Some(part.start - 1),
        _ => None,
    }
}

// The secret half of a cloud key has no prefix, but hardly anything else is forty characters of
// base64 in which every other one changes between capitals, small letters and digits.
fn cloud_secret(text: &[u8], run: &Range<usize>) -> Option<Span> {
    let said = &text[run.clone()];
    let class = |b: &u8| match b {
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        b'0'..=b'9' => 4,
        b'+' | b'/' => 8,
        _ => 16,
    };
    if said.len() != 40 || said.iter().fold(0, |all, b| all | class(b)) & 0b10111 != 0b111 {
        return None;
    }
    let changes = said.windows(2).filter(|two| class(&two[0]) != class(&two[1])).count();
    let closed = !matches!(text.get(run.end), Some(b'='));
    let capitals = said.iter().filter(|b| b.is_ascii_uppercase()).count();
    // Names and paths of that length are made of words.
    let word = |part: &&[u8]| part.len() > 3 && part.iter().any(|b| b"aeiou".contains(b));
    let words = said.split(|b| !b.is_ascii_lowercase()).filter(word).map(<[u8]>::len).sum::<usize>();
    let path = said.iter().filter(|b| **b == b'/').count() > 1 && said.split(|b| *b == b'/').all(wordy);
    (changes >= 16 && closed && capitals >= 6 && words <= 18 && !path)
        .then(|| Span::shape(run.clone(), "aws-secret-key"))
}

// Tokens of old vaults: `s.` and 24 characters. For so short a literal the prefilter would stop at every other call in
// code.
fn old_vault(text: &[u8], run: &Range<usize>) -> Option<Span> {
    let said = &text[run.clone()];
    let before = text[..run.start].strip_suffix(b"s.")?;
    let free = before.last().is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-' | b'.'));
    let called = matches!(text.get(run.end), Some(b'(' | b'['));
    let shape = said.len() == 24 && said.iter().all(u8::is_ascii_alphanumeric) && free && !called;
    (shape && drawn(said)).then(|| Span::shape(run.start - 2..run.end, "vault-token"))
}

fn drawn(said: &[u8]) -> bool {
    let capitals = said.iter().filter(|b| b.is_ascii_uppercase()).count();
    looks::random(said) || capitals > 5 || by_chance(said)
}

static OPENING: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"s."));

/// Tokens of old vaults that are broken by a line break: their halves are too short to be runs.
pub(in crate::redact) fn broken_old_vault(text: &[u8], spans: &mut Vec<Span>) {
    for at in OPENING.find_iter(text) {
        let head = text[at + 2..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric()).count();
        if !(6..24).contains(&head) || !matches!(text.get(at + 2 + head), Some(b'\n' | b'\r')) {
            continue;
        }
        let Some(view) = wrap::joined(text, at) else { continue };
        let end = 2 + view.bytes[2..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let free = at == 0 || !text[at - 1].is_ascii_alphanumeric() && !matches!(text[at - 1], b'_' | b'-' | b'.');
        // The line behind it may only seem to go on.
        let breaks = || view.origin(25..26).end < view.origin(26..27).start;
        if (end == 26 || end > 26 && breaks()) && free && drawn(&view.bytes[2..26]) {
            spans.push(Span::shape(view.origin(0..26), "vault-token"));
        }
    }
}
