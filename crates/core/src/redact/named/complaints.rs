//! Complaints that quote a value and name the setting it was for: `invalid value 'VALUE' for '--token <TOKEN>'`.
//!
//! Comes in: a name that promises a secret, for which no notation found a value. Goes out: the values quoted near it, if a
//! word between them, or right before or behind, complains. Value and name may stand in any order. What is quoted must look like a
//! secret by itself, and only words may stand between: a line of code quotes much else.

use super::belief::Named;
use super::names::{self, Meaning, Proof};
use crate::redact::bytes::{clip, contains};
use crate::redact::shapes::code;
use crate::redact::shapes::looks;
use crate::redact::span::Span;
use std::ops::Range;

const REACH: usize = 160; // bytes of the line on either side of the name
const BETWEEN: usize = 72; // bytes between value and name
const LEAD: usize = 40; // bytes before both in which a complaint begins
const TRAIL: usize = 24; // bytes behind both in which it ends
const SHORTEST: usize = 6; // bytes of a value

/// The refused values near a name.
pub(in crate::redact) fn refused(named: &Named) -> Vec<Span> {
    let Named { text, name, meaning } = *named;
    if !can_be_refused(named) {
        return Vec::new();
    }
    let line = line(text, name);
    // Most lines quote nothing: this question is cheap.
    if memchr::memchr3(b'\'', b'"', 0xe2, &text[line.clone()]).is_none() {
        return Vec::new();
    }
    let mut values = quoted(text, &line);
    values.retain(|value| is_value(&text[value.clone()], meaning) && is_refused(text, name, value));
    values.into_iter().map(|value| Span::context(value, meaning.kind)).collect()
}

// A parser complains about tokens and keys, too: only a flag, a name of several words, a secret or a password.
fn can_be_refused(named: &Named) -> bool {
    let Named { text, name, meaning } = *named;
    let word = || !matches!(meaning.kind, "token" | "api-key") || names::is_compound(&text[name.clone()]);
    meaning.sure && (meaning.proof == Proof::Any || named.before(1) == b"-" || word())
}

// Do only words stand between `value` and `name`, and does one of them, or one before or behind both, complain?
fn is_refused(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    if is_received(text, name, value) {
        return true;
    }
    let (first, second) = if value.start < name.start { (value, name) } else { (name, value) };
    let Some(between) = text.get(first.end..second.start).filter(|between| between.len() <= BETWEEN) else {
        return false;
    };
    let bracket = between.strip_suffix(b"(").unwrap_or(between);
    let code = bracket.iter().any(|b| b"(){};\\+|&$#".contains(b))
        || [&b"\":"[..], b"\",\"", b"','", b"', '"].iter().any(|sign| memchr::memmem::find(between, sign).is_some());
    let lead = &text[first.start.saturating_sub(LEAD)..first.start];
    let lead = &lead[lead.iter().rposition(|b| b"\n{};".contains(b)).map_or(0, |at| at + 1)..];
    let trail = clip(text, second.end, TRAIL);
    let trail = &trail[..trail.iter().position(|b| b"\n{};".contains(b)).unwrap_or(trail.len())];
    let complains = |words: &[u8]| COMPLAINTS.iter().any(|word| contains(words, word.as_bytes()));
    !code && (complains(between) || complains(lead) || complains(trail))
}

// `"path": ["NAME"], "received": "VALUE"`: a complaint as an object.
fn is_received(text: &[u8], name: &Range<usize>, value: &Range<usize>) -> bool {
    const KEYS: &[&str] = &["received\":", "input\":", "actual\":", "rejectedValue\":", "badValue\":"];
    let before = text[value.start.saturating_sub(20)..value.start - 1].trim_ascii_end();
    let between = text.get(name.end..value.start).unwrap_or_default();
    KEYS.iter().any(|key| before.ends_with(key.as_bytes())) && !between.is_empty() && !between.contains(&b'}')
}

#[rustfmt::skip]
const COMPLAINTS: &[&str] = &[
    "invalid", "expected", "must ", "got ", "given", "parsing", "illegal", "unrecogni", "malformed", "not a valid", "too short", "too long",
    "rejected", "refused", "mismatch", "wrong", "unable", "could not", "cannot", " equal", "input_value", "bad value", "bad argument",
];

// The line of the name. A name that has its line to itself is a title: then the next one.
fn line(text: &[u8], name: &Range<usize>) -> Range<usize> {
    let head = &text[name.start.saturating_sub(REACH)..name.start];
    let before = head.len() - memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let tail = clip(text, name.end, REACH);
    let after = memchr::memchr(b'\n', tail).unwrap_or(tail.len());
    if before > 0 || !tail[..after].trim_ascii().is_empty() {
        return name.start - before..name.end + after;
    }
    let start = text.len().min(name.end + after + 1);
    let next = clip(text, start, REACH);
    start..start + memchr::memchr(b'\n', next).unwrap_or(next.len())
}

// What stands in quotes or brackets, without spaces. A quote opens behind a sign or a space, and closes before one: `don't`
// has none.
fn quoted(text: &[u8], line: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = line.start;
    while let Some((from, close)) = opening(text, at..line.end) {
        at = from;
        let rest = &text[from..line.end];
        let len = rest.iter().take_while(|b| b.is_ascii_graphic() && **b != close[0]).count();
        let behind = rest.get(len..).filter(|rest| rest.starts_with(close)).map(|rest| rest.get(close.len()));
        if behind.is_some_and(|b| b.is_none_or(|b| !b.is_ascii_alphanumeric())) && len >= SHORTEST {
            found.push(from..from + len);
            at += len;
        }
    }
    found
}

// Behind the next quote or bracket that opens, with what closes it.
fn opening(text: &[u8], part: Range<usize>) -> Option<(usize, &'static [u8])> {
    const SINGLE: &[u8] = "\u{2018}".as_bytes();
    const DOUBLE: &[u8] = "\u{201c}".as_bytes();
    part.clone().find_map(|at| {
        let rest = &text[at..part.end];
        let free = at == 0 || !text[at - 1].is_ascii_alphanumeric();
        match rest.first()? {
            b'\'' if free => Some((at + 1, &b"'"[..])),
            b'"' if free => Some((at + 1, b"\"")),
            b'(' if free => Some((at + 1, b")")),
            _ if rest.starts_with(SINGLE) => Some((at + SINGLE.len(), "\u{2019}".as_bytes())),
            _ if rest.starts_with(DOUBLE) => Some((at + DOUBLE.len(), "\u{201d}".as_bytes())),
            _ => None,
        }
    })
}

fn is_value(said: &[u8], meaning: Meaning) -> bool {
    let likely = looks::random(said) || looks::pronounced(said) || looks::uncommon(said);
    let chosen = meaning.proof == Proof::Any && looks::chosen(said, false);
    (likely || chosen)
        && said[0] != b'-'
        && !code::is_path(said)
        && !code::is_name(said)
        && names::meaning(said).is_none()
}
