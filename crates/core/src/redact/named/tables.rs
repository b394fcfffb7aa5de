//! Columns of a table under a secret's name: separated by commas, tabs or bars.
//!
//! Comes in: a text and the place of a name that may be a title. Goes out: the secrets in the cells below it.

use super::belief::keeps;
use super::names::{self, Meaning, Proof};
use crate::redact::bytes::clip;
use crate::redact::shapes::looks;
use crate::redact::span::Span;
use std::ops::Range;

const LONGEST_ROW: usize = 1_024; // bytes

/// Cells under a secret's name. `done` remembers how far tables were read.
pub(in crate::redact) fn column(text: &[u8], name: &Range<usize>, done: &mut usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let framed = |b: Option<&u8>| matches!(b, None | Some(b',' | b'\n' | b'\r' | b'"' | b'\t' | b' ' | b'|'));
    let before = name.start.checked_sub(1).and_then(|at| text.get(at));
    if !framed(before) || !framed(text.get(name.end)) || names::meaning(&text[name.clone()]).is_none() {
        return spans;
    }
    let head = name.start.saturating_sub(LONGEST_ROW);
    let start = memchr::memrchr(b'\n', &text[head..name.start]).map_or(head, |at| head + at + 1);
    if start < *done {
        return spans;
    }
    let header = row(text, start);
    let Some(sign) = [b'|', b'\t', b','].into_iter().find(|sign| text[header.clone()].contains(sign)) else {
        return spans;
    };
    let titles: Vec<&[u8]> = cells(text, &header, sign).map(|cell| &text[cell]).collect();
    if titles.len() < 2 || !titles.iter().all(|title| is_title(title)) {
        return spans;
    }
    let secret: Vec<Option<Meaning>> = titles.iter().map(|title| names::meaning(title)).collect();
    let mut at = header.end + 1;
    while at < text.len() {
        let line = row(text, at);
        at = line.end + 1;
        if is_rule(&text[line.clone()]) && sign == b'|' {
            continue;
        }
        let found: Vec<_> = cells(text, &line, sign).collect();
        if found.len() != titles.len() {
            break;
        }
        for (cell, meaning) in found.into_iter().zip(&secret) {
            let Some(meaning) = meaning else { continue };
            if believed(&text[cell.clone()], *meaning) {
                spans.push(Span::context(cell, meaning.kind));
            }
        }
    }
    *done = at.min(text.len());
    spans
}

fn believed(said: &[u8], meaning: Meaning) -> bool {
    looks::random(said) || meaning.proof == Proof::Any && looks::chosen(said, false) || keeps(meaning, said, false)
}

fn is_title(title: &[u8]) -> bool {
    !title.is_empty() && title.len() <= 40 && title.iter().all(|b| b.is_ascii_alphanumeric() || b"_- .".contains(b))
}

// `|---|:--:|`, `----+----`, `+----+`
fn is_rule(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().all(|b| b"-+|: \r".contains(b))
}

fn row(text: &[u8], start: usize) -> Range<usize> {
    let line = clip(text, start, LONGEST_ROW);
    start..start + memchr::memchr(b'\n', line).unwrap_or(line.len())
}

fn cells<'t>(text: &'t [u8], row: &Range<usize>, sign: u8) -> impl Iterator<Item = Range<usize>> + 't {
    // Bars may also frame the row.
    let line = text[row.clone()].trim_ascii();
    let mut start = row.start + text[row.clone()].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut end = start + line.len();
    if sign == b'|' && line.len() > 1 {
        start += usize::from(line.starts_with(b"|"));
        end -= usize::from(line.ends_with(b"|"));
    } else {
        (start, end) = (row.start, row.end);
    }
    let mut at = start;
    text[start..end.max(start)].split(move |b| *b == sign).map(move |cell| {
        let start = at;
        at += cell.len() + 1;
        let quote = |b: &u8| matches!(b, b'"' | b' ' | b'\r' | b'`');
        let lead = cell.iter().take_while(|b| quote(b)).count();
        let trail = cell[lead..].iter().rev().take_while(|b| quote(b)).count();
        start + lead..start + cell.len() - trail
    })
}
