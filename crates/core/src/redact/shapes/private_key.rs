//! Private keys between `-----BEGIN` and `-----END`, whole or with one end cut off.
//!
//! Comes in: a text and the place of either line. Goes out: the key. Line numbers, quotes, diff signs and line breaks written
//! as escapes may stand between its lines.

use super::looks;
use crate::redact::bytes::clip;
use crate::redact::span::Span;
use memchr::memmem;

const LONGEST_KEY: usize = 64 * 1024; // bytes

/// The private key whose `-----BEGIN` stands at `at`, whole or cut off. `next_end` remembers
/// the next `-----END`, so that many beginnings do not each look for it.
pub(in crate::redact) fn block(text: &[u8], at: usize, next_end: &mut usize) -> Option<Span> {
    let label = clip(text, at + BEGIN.len(), 64);
    let label = &label[..memmem::find(label, b"-----")?];
    memmem::find(label, b"PRIVATE KEY")?;
    let body = at + BEGIN.len() + label.len() + 5;
    if *next_end < body {
        *next_end = memmem::find(&text[body..], END).map_or(text.len(), |len| body + len);
    }
    let whole = *next_end < text.len() && *next_end - body <= LONGEST_KEY && dense(&text[body..*next_end]);
    let end = if whole {
        let tail = clip(text, *next_end + END.len(), 64);
        *next_end + END.len() + memmem::find(tail, b"-----").map_or(0, |len| len + 5)
    } else {
        cut_off(text, body)?
    };
    Some(Span::shape(at..end, "private-key"))
}

/// What is left of a private key whose beginning was cut off: the lines before its `-----END` at `at`.
pub(in crate::redact) fn tail(text: &[u8], at: usize) -> Option<Span> {
    let label = clip(text, at + END.len(), 64);
    let label = &label[..memmem::find(label, b"-----")?];
    memmem::find(label, b"PRIVATE KEY")?;
    let mut start = at - listed(text, at);
    let (mut lines, mut longest) = (0, 0);
    while at - start < LONGEST_KEY && start > 0 {
        let back = line_break_len(&text[..start]);
        let line = text[..start - back].iter().rev().take(LONGEST_LINE).take_while(|b| is_coded(**b)).count();
        if line < 4 || line < 24 && lines > 0 || line == LONGEST_LINE {
            break;
        }
        start -= back + line;
        lines += 1;
        longest = longest.max(line);
        start -= listed(text, start);
    }
    // `XXXX` stands for a key, and so little of one is worth nothing.
    (longest >= 12).then(|| Span::shape(start..at + END.len() + label.len() + 5, "private-key"))
}

const LONGEST_LINE: usize = 200; // bytes

// A line break at the end of `text`, as it is or written as an escape.
fn line_break_len(text: &[u8]) -> usize {
    let plain = text.iter().rev().take(2).take_while(|b| matches!(b, b'\n' | b'\r')).count();
    match text {
        _ if plain > 0 => plain,
        [.., b'\\', b'n'] => 1 + text[..text.len() - 1].iter().rev().take(8).take_while(|b| **b == b'\\').count(),
        _ => 0,
    }
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

// Key material, not an ellipsis and not the code between two constants.
fn dense(body: &[u8]) -> bool {
    let coded = body.iter().filter(|b| is_coded(**b)).count();
    let longest = body.split(|b| !is_coded(*b)).map(<[u8]>::len).max().unwrap_or(0);
    longest >= 24 && coded * 10 >= body.len() * 7
}

// A key without its end: as many lines as look like key material.
fn cut_off(text: &[u8], body: usize) -> Option<usize> {
    let mut end = body;
    let mut at = body;
    let mut material = 0;
    while at < text.len() {
        let gap = gap_len(&text[at..]);
        let from = at + gap + numbered(&text[at + gap..]);
        let len = text[from..].iter().take_while(|b| is_coded(**b)).count();
        let chunk = &text[from..from + len];
        let header =
            [&b"Proc-Type"[..], b"DEK-Info", b"Version", b"Comment"].iter().any(|h| text[from..].starts_with(h));
        if header {
            at = from + text[from..].iter().position(|b| matches!(b, b'\n' | b'\\')).unwrap_or(text.len() - from);
        } else if len >= 24 || (len > 0 && material > 0 && value_tail(chunk)) {
            material = material.max(len);
            at = from + len;
            end = at;
        } else {
            break;
        }
    }
    (material >= 24).then_some(end)
}

fn value_tail(chunk: &[u8]) -> bool {
    chunk.ends_with(b"=") || chunk.iter().any(u8::is_ascii_digit) || looks::random(chunk)
}

fn is_coded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

// White space, quotes, signs of a diff or a quotation, and line breaks written as escapes.
fn gap_len(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'\\' => {
                let slashes = text[at..].iter().take(8).take_while(|b| **b == b'\\').count();
                slashes + usize::from(matches!(text.get(at + slashes), Some(b'n' | b'r')))
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b',' | b'>' | b'|' | b'-' => 1,
            b'+' if text.get(at.wrapping_sub(1)) == Some(&b'\n') => 1,
            _ => break,
        };
    }
    at
}

// How many bytes a listing put before `at`, if nothing else stands before it on its line.
fn listed(text: &[u8], at: usize) -> usize {
    let lead = text[..at].iter().rev().take(LONGEST_LINE).take_while(|b| !matches!(b, b'\n' | b'\\')).count();
    if numbered(&text[at - lead..at]) == lead { lead } else { 0 }
}

// What a listing puts before a line: `12` and a tab or an arrow, `file:12:`, the sign of a diff.
fn numbered(text: &[u8]) -> usize {
    let space = text.iter().take(12).take_while(|b| matches!(b, b' ' | b'\t' | b'+' | b'-' | b'>' | b'|')).count();
    let rest = &text[space..];
    let file = rest.iter().take(LONGEST_LINE).take_while(|b| b.is_ascii_alphanumeric() || b"._/-".contains(b)).count();
    let from = if rest.get(file) == Some(&b':') && rest[..file].contains(&b'.') { file + 1 } else { 0 };
    let digits = rest[from..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let arrow = "\u{2192}".as_bytes();
    match &rest[from + digits..] {
        [b'\t' | b':', ..] if digits > 0 => space + from + digits + 1,
        after if digits > 0 && after.starts_with(arrow) => space + digits + arrow.len(),
        _ if from > 0 => space + from,
        _ => space,
    }
}
