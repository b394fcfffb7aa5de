//! Bytes that should be JSON: how sound they are, and what can be put right without losing the rest.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use serde_json::value::RawValue;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Soundness {
    /// One value and nothing else.
    Whole,
    /// The start of a value.
    Open,
    /// Neither.
    Broken,
}

pub(super) fn soundness(bytes: &[u8]) -> Soundness {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(raw)) if bytes.trim_ascii().len() == raw.get().len() => Soundness::Whole,
        Some(Err(e)) if e.is_eof() => Soundness::Open,
        _ => Soundness::Broken,
    }
}

/// The whole object at the start of `bytes`, or how far it was sound.
pub(super) fn object_at(bytes: &[u8]) -> Result<&[u8], usize> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(raw)) => Ok(raw.get().as_bytes()),
        Some(Err(e)) if e.is_eof() => Err(bytes.len()),
        Some(Err(e)) => Err(lines_before(bytes, e.line()) + e.column()),
        None => Err(0),
    }
}

/// Bytes before a line, which is counted from one.
fn lines_before(bytes: &[u8], line: usize) -> usize {
    line.checked_sub(2).and_then(|n| memchr_iter(b'\n', bytes).nth(n)).map_or(0, |end| end + 1)
}

/// White space, NUL padding and byte-order marks off both ends.
pub(super) fn trim(mut line: &[u8]) -> &[u8] {
    loop {
        let before = line.len();
        line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        while let [first, rest @ ..] = line
            && (first.is_ascii_whitespace() || *first == 0)
        {
            line = rest;
        }
        while let [rest @ .., last] = line
            && (last.is_ascii_whitespace() || *last == 0)
        {
            line = rest;
        }
        if line.len() == before {
            return line;
        }
    }
}

/// Does a line that is not sound by itself look like the first line of a record printed over several lines?
pub(super) fn opens_pretty(text: &[u8]) -> bool {
    matches!(text, b"{" | b"[")
        || (text.len() < 4096 && matches!(text[0], b'{' | b'[') && matches!(text[text.len() - 1], b'{' | b'[' | b','))
}

/// Replaces what is no UTF-8 and escapes that are half a character, so that the rest of the record can be read.
pub(super) fn repair(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    let lone = replace_lone_surrogates(text.as_bytes());
    match (text, lone) {
        (_, Some(fixed)) => Cow::Owned(fixed),
        (Cow::Owned(fixed), None) => Cow::Owned(fixed.into_bytes()),
        (Cow::Borrowed(_), None) => Cow::Borrowed(line),
    }
}

/// The same without changing a length, so that places stay what they are.
pub(super) fn in_place(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    if std::str::from_utf8(bytes).is_err() {
        let text = out.to_mut();
        text.clear();
        for chunk in bytes.utf8_chunks() {
            text.extend_from_slice(chunk.valid().as_bytes());
            text.extend(chunk.invalid().iter().map(|_| b'?'));
        }
    }
    let lone = replace_lone_surrogates(&out);
    lone.map_or(out, Cow::Owned)
}

pub(super) fn replace_lone_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| -> Option<u16> {
        let hex = bytes.get(at + 2..at + 6)?;
        (bytes.get(at..at + 2)? == b"\\u").then_some(())?;
        u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
    };
    let mut out: Option<Vec<u8>> = None;
    let mut i = 0;
    while let Some(step) = memchr(b'\\', &bytes[i..]) {
        i += step;
        match unit(i) {
            Some(0xD800..=0xDBFF) if matches!(unit(i + 6), Some(0xDC00..=0xDFFF)) => i += 12,
            Some(0xD800..=0xDFFF) => {
                let fixed = out.get_or_insert_with(|| bytes.to_vec());
                fixed[i + 2..i + 6].copy_from_slice(b"FFFD");
                i += 6;
            }
            _ => i += 2,
        }
        if i >= bytes.len() {
            break;
        }
    }
    out
}
