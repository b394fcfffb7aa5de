//! The values of a Kubernetes Secret: everything under its `data` and `stringData`, whatever the names.
//!
//! Comes in: a text and the place of the word `Secret`. Goes out: the values, if that word is the `kind` of a document.

use super::value::{Ends, value_at};
use crate::redact::bytes::{clip, skip_space};
use crate::redact::shapes::placeholder::placeholder;
use crate::redact::span::Span;
use memchr::memmem;
use std::ops::Range;

const REACH: usize = 16 * 1024; // bytes before and after `kind: Secret`

/// The values of a Kubernetes Secret, when the word at `word` is its `kind`. `done` remembers
/// how far the text has been read for this.
pub(in crate::redact) fn values(text: &[u8], word: &Range<usize>, done: &mut usize) -> Vec<Span> {
    let before = text[word.start.saturating_sub(16)..word.start].trim_ascii_end();
    let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
    let kind = [&b"kind:"[..], b"kind\":"].iter().any(|key| before.ends_with(key));
    if !kind {
        return Vec::new();
    }
    let from = word.start.saturating_sub(REACH).max(*done);
    let from = match text.get(from..word.start).and_then(|before| memmem::rfind(before, b"\n---")) {
        Some(at) => from + at,
        None => from,
    };
    let to = text.len().min(word.end + REACH);
    let ahead = from.max(word.end).min(to);
    let to = memmem::find(&text[ahead..to], b"\n---").map_or(to, |at| ahead + at);
    *done = to.max(*done);
    let mut spans = Vec::new();
    let mut at = from.min(to);
    while let Some(found) = memmem::find(&text[at.min(to)..to], b"ata").map(|found| at + found + 3) {
        at = found.max(data(text, found, to, &mut spans));
    }
    spans
}

// The entries under `data:` or `"data": {`; `at` is behind the word. Gives where they end.
fn data(text: &[u8], at: usize, to: usize, spans: &mut Vec<Span>) -> usize {
    let word = &text[at.saturating_sub(10)..at];
    if !word.ends_with(b"data") && !word.ends_with(b"stringData") {
        return at;
    }
    let rest = &text[at..to];
    if let Some(brace) = rest.iter().take(8).position(|b| *b == b'{') {
        let len = rest.iter().position(|b| *b == b'}').unwrap_or(rest.len());
        entries(text, at + brace + 1..at + len, spans);
        return at + len;
    }
    if rest.first() != Some(&b':') {
        return at;
    }
    let line = |at: usize| memchr::memchr(b'\n', &text[at..to]).map_or(to, |len| at + len + 1);
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1);
    let indent_of = |line: usize| {
        // A listing puts its numbers in front, each as wide as the next.
        let number = skip_space(text, line)
            + clip(text, skip_space(text, line), 8).iter().take_while(|b| b.is_ascii_digit()).count();
        let arrow = clip(text, number, 3) == "\u{2192}".as_bytes();
        let from = if arrow { number + 3 } else { line };
        skip_space(text, from) - from
    };
    let indent = indent_of(start);
    let mut end = line(at);
    while end < to && indent_of(end) > indent {
        let next = line(end);
        entries(text, end..next, spans);
        end = next;
    }
    end
}

// `key: value` and `"key": "value"`.
fn entries(text: &[u8], part: Range<usize>, spans: &mut Vec<Span>) {
    let mut at = part.start;
    while let Some(colon) = memchr::memchr(b':', &text[at..part.end]).map(|found| at + found) {
        let value = value_at(text, skip_space(text, colon + 1), Ends::AtDelimiter);
        at = colon + 1;
        if let Some(value) = value.filter(|value| value.span.end <= part.end) {
            at = value.span.end.max(at);
            let said = &text[value.span.clone()];
            if said.len() >= 4 && !placeholder(said) {
                spans.push(Span::context(value.span, "kubernetes-secret"));
            }
        }
    }
}
