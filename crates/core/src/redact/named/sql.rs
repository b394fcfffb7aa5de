//! Passwords in SQL: of accounts, and in rows that are inserted.
//!
//! Comes in: a text and the place of the word `identified`, or of a name in a list of columns. Goes out: the passwords.

use super::belief::keeps;
use super::names::{self, Meaning, Proof};
use super::value::{Ends, value_at};
use crate::redact::bytes::{clip, contains, find, skip_blank, starts};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use crate::redact::span::Span;
use std::ops::Range;

/// `IDENTIFIED BY 'VALUE'`, `IDENTIFIED WITH plugin BY 'VALUE'`. `at` is behind the first word.
pub(in crate::redact) fn identified(text: &[u8], at: usize) -> Option<Span> {
    let rest = clip(text, at, 80);
    let by = find(rest, b" by ")?;
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b' ' | b'\'' | b'"' | b'`');
    let plugin = starts(rest, b" with ") && rest[..by].iter().all(plain);
    if by > 0 && !plugin {
        return None;
    }
    let mut from = skip_blank(text, at + by + 4);
    if starts(&text[from..], b"password ") {
        from = skip_blank(text, from + 9);
    }
    let value = value_at(text, from, Ends::AtDelimiter)?;
    let said = &text[value.span.clone()];
    let quoted = matches!(text.get(from), Some(b'\'' | b'"')) && looks::chosen(said, false);
    let real = said.len() >= 4 && !placeholder(said) && (quoted || statement(text, at));
    real.then(|| Span::context(value.span, "password"))
}

// Does a statement about accounts stand before `at`?
fn statement(text: &[u8], at: usize) -> bool {
    let head = &text[at.saturating_sub(120)..at];
    [&b"user "[..], b"role ", b"grant "].iter().any(|word| contains(head, word))
}

const LONGEST: usize = 4_096; // bytes of one statement

/// Could a statement in `text` hold rows of values?
pub(in crate::redact) fn has_values(text: &[u8]) -> bool {
    [&b"values"[..], b"VALUES", b"Values"].iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// `INSERT INTO t (a, password) VALUES (1, 'VALUE'), (2, 'VALUE')`: the values under a name in a list
/// of columns.
pub(in crate::redact) fn inserted(text: &[u8], name: &Range<usize>) -> Vec<Span> {
    columns(text, name).unwrap_or_default()
}

fn columns(text: &[u8], name: &Range<usize>) -> Option<Vec<Span>> {
    let quote = usize::from(matches!(text.get(name.end), Some(b'`' | b'"')));
    matches!(text.get(name.end + quote), Some(b',' | b')' | b' ' | b'\n')).then_some(())?;
    let meaning = names::meaning(&text[name.clone()])?;
    let head = &text[name.start.saturating_sub(400)..name.start];
    let open = head.iter().rposition(|b| matches!(b, b'(' | b')'))?;
    let before = &head[..open];
    let index = head[open..].iter().filter(|b| **b == b',').count();
    (head[open] == b'(' && contains(before, b"into ")).then_some(())?;
    let close = name.end + memchr::memchr(b')', clip(text, name.end, 400))?;
    let mut at = skip_blank(text, close + 1);
    starts(&text[at..], b"values").then_some(())?;
    at = skip_blank(text, at + 6);
    let end = text.len().min(at + LONGEST);
    let mut spans = Vec::new();
    while at < end && text[at] == b'(' {
        let mut cell = 0;
        at += 1;
        while at < end && text[at] != b')' {
            at = skip_blank(text, at);
            let Some(value) = value_at(text, at, Ends::AtDelimiter) else { return Some(spans) };
            if cell == index && believed(&text[value.span.clone()], value.quoted, meaning) {
                spans.push(Span::context(value.span.clone(), meaning.kind));
            }
            at = value.span.end + usize::from(value.quoted);
            at += clip(text, at, 64).iter().position(|b| matches!(b, b',' | b')'))?;
            if text.get(at) == Some(&b',') {
                (cell, at) = (cell + 1, at + 1);
            }
        }
        at = skip_blank(text, at + 1);
        at = if text.get(at) == Some(&b',') { skip_blank(text, at + 1) } else { end };
    }
    Some(spans)
}

fn believed(said: &[u8], quoted: bool, meaning: Meaning) -> bool {
    let likely = match meaning.proof {
        Proof::Any => looks::chosen(said, quoted),
        Proof::Random => looks::random(said) || quoted && looks::chosen(said, false),
    };
    likely || quoted && keeps(meaning, said, true)
}
