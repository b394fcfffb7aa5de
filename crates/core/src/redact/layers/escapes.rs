//! String escapes, percent-encoding, character references of web pages, colour codes.
//!
//! Comes in: a text. Goes out: the lines that hold an escape ([`escaped_lines`]), and a view of them with one layer of
//! escapes taken off ([`unescape`]). A line without a sign that opens an escape is never copied.

use super::terminal::{ESC, sequence_len};
use super::view::View;
use memchr::{memchr, memchr3, memrchr};
use std::ops::Range;

/// Lines, joined where they touch, that hold an escape of some sort.
pub(in crate::redact) fn escaped_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    let mut signs = Signs::new(text, 0..text.len());
    let mut from = 0;
    while let Some(at) = signs.next(from) {
        let start = memrchr(b'\n', &text[from..at]).map_or(from, |at| from + at + 1);
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |len| at + len + 1);
        match regions.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => regions.push(start..end),
        }
        from = end;
    }
    regions
}

// Where the next sign stands that opens an escape. An ampersand does so only before a character
// reference: most of them join commands.
struct Signs<'t> {
    text: &'t [u8],
    // The next of each sort, searched for only once it is passed: each search may go far.
    sign: Option<usize>,
    reference: Option<usize>,
}

impl<'t> Signs<'t> {
    fn new(text: &'t [u8], region: Range<usize>) -> Self {
        let text = &text[..region.end];
        Self { text, sign: next_sign(text, region.start), reference: next_reference(text, region.start) }
    }

    fn next(&mut self, from: usize) -> Option<usize> {
        if self.sign.is_some_and(|at| at < from) {
            self.sign = next_sign(self.text, from);
        }
        if self.reference.is_some_and(|at| at < from) {
            self.reference = next_reference(self.text, from);
        }
        match (self.sign, self.reference) {
            (Some(sign), Some(reference)) => Some(sign.min(reference)),
            (sign, reference) => sign.or(reference),
        }
    }
}

fn next_sign(text: &[u8], from: usize) -> Option<usize> {
    memchr3(b'\\', b'%', ESC, &text[from..]).map(|at| from + at)
}

fn next_reference(text: &[u8], from: usize) -> Option<usize> {
    let signs = memchr::memchr_iter(b'&', &text[from..]).map(|at| from + at);
    signs.into_iter().find(|at| reference(&text[at + 1..]).is_some())
}

/// One layer of escapes off `region` of `text`; nothing when there was none.
pub(in crate::redact) fn unescape(text: &[u8], region: Range<usize>) -> Option<View> {
    let mut view = View::default();
    let mut signs = Signs::new(text, region.clone());
    let mut copied = region.start;
    let mut at = region.start;
    while let Some(sign) = signs.next(at) {
        at = sign;
        let Some((width, says)) = escape(&text[at..region.end]) else {
            at += 1;
            continue;
        };
        view.copy(&text[copied..at], copied);
        says.put(&mut view, at, width);
        at += width;
        copied = at;
    }
    if copied == region.start {
        return None;
    }
    view.copy(&text[copied..region.end], copied);
    Some(view)
}

enum Says {
    Nothing,
    Byte(u8),
    Char(char),
}

impl Says {
    fn put(self, view: &mut View, at: usize, width: usize) {
        match self {
            Says::Nothing => {}
            Says::Byte(byte) => view.put(byte, at, width),
            Says::Char(char) => {
                let mut buffer = [0; 4];
                for (i, byte) in char.encode_utf8(&mut buffer).bytes().enumerate() {
                    // The first byte stands for the whole escape, the others for nothing.
                    let (from, width) = if i == 0 { (at, width) } else { (at + width, 0) };
                    view.put(byte, from, width);
                }
            }
        }
    }
}

// The escape at the beginning of `text`: how long it is, and what it says.
fn escape(text: &[u8]) -> Option<(usize, Says)> {
    match text {
        [b'\\', rest @ ..] => backslash(rest).map(|(width, says)| (width + 1, says)),
        [b'%', high, low, ..] => Some((3, Says::Byte(hex(*high)? << 4 | hex(*low)?))),
        [ESC, rest @ ..] => Some((1 + sequence_len(rest), Says::Nothing)),
        [b'&', rest @ ..] => reference(rest).map(|(width, says)| (width + 1, says)),
        _ => None,
    }
}

fn backslash(rest: &[u8]) -> Option<(usize, Says)> {
    let byte = |byte| Some((1, Says::Byte(byte)));
    match rest {
        [quote @ (b'"' | b'\'' | b'\\' | b'/' | b'`' | b'$'), ..] => byte(*quote),
        [b'n', ..] => byte(b'\n'),
        [b'r', ..] => byte(b'\r'),
        [b't', ..] => byte(b'\t'),
        [b'e', b'[', ..] => byte(ESC),
        [b'0', b'3', b'3', ..] => Some((3, Says::Byte(ESC))),
        [b'x', high, low, ..] => Some((3, Says::Byte(hex(*high)? << 4 | hex(*low)?))),
        [one @ b'0'..=b'3', two @ b'0'..=b'7', three @ b'0'..=b'7', ..] => {
            Some((3, Says::Byte((one - b'0') << 6 | (two - b'0') << 3 | (three - b'0'))))
        }
        [b'u', b'{', digits @ ..] => {
            let len = digits.iter().take(7).position(|b| *b == b'}')?;
            Some((len + 3, Says::Char(code_point(&digits[..len], 16)?)))
        }
        [b'u', digits @ ..] => {
            let digits = digits.get(..4)?;
            let code = digits.iter().try_fold(0, |code, d| Some(code << 4 | u32::from(hex(*d)?)))?;
            // Half of a surrogate pair says nothing that a secret could be made of.
            Some((5, Says::Char(char::from_u32(code).unwrap_or('\u{fffd}'))))
        }
        _ => None,
    }
}

// `&quot;`, `&#39;`, `&#x27;`: what follows the ampersand.
fn reference(rest: &[u8]) -> Option<(usize, Says)> {
    const NAMES: &[(&[u8], u8)] = &[
        (b"quot;", b'"'),
        (b"amp;", b'&'),
        (b"lt;", b'<'),
        (b"gt;", b'>'),
        (b"apos;", b'\''),
        (b"nbsp;", b' '),
        (b"equals;", b'='),
        (b"colon;", b':'),
    ];
    if let [b'#', rest @ ..] = rest {
        let len = rest.iter().take(8).position(|b| *b == b';')?;
        let char = match &rest[..len] {
            [b'x' | b'X', digits @ ..] => code_point(digits, 16),
            digits => code_point(digits, 10),
        };
        return Some((len + 2, Says::Char(char?)));
    }
    let (name, byte) = NAMES.iter().find(|(name, _)| rest.starts_with(name))?;
    Some((name.len(), Says::Byte(*byte)))
}

fn code_point(digits: &[u8], radix: u32) -> Option<char> {
    let code = digits.iter().try_fold(0_u32, |code, d| {
        char::from(*d).to_digit(radix).and_then(|d| code.checked_mul(radix)?.checked_add(d))
    });
    code.filter(|_| !digits.is_empty()).and_then(char::from_u32)
}

/// The value of a hexadecimal digit.
pub(super) fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        let view = unescape(text.as_bytes(), 0..text.len());
        view.map_or_else(|| "-".into(), |v| String::from_utf8_lossy(&v.bytes).into_owned())
    }

    #[test]
    fn one_layer_is_taken_off() {
        for (text, expect) in [
            (r#"a\"b\\c\/d"#, r#"a"b\c/d"#),
            (r"\u0041\u00e9\ud800", "Aé\u{fffd}"),
            ("%41%zz%4", "A%zz%4"),
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\x1b[0- ;O\x1b[ \"\\u0041", "0- ;O \"A"),
            ("\x1b]0;title\x07x", "x"),
            (r"plain \d 50% a && b", "-"),
            ("&quot;a&#39;&#x41;&amp;amp; && &x; &#;", "\"a'A&amp; && &x; &#;"),
            (r"\147\u{68}\u{1f600}", "gh😀"),
        ] {
            assert_eq!(decoded(text), expect, "{text:?}");
        }
    }

    #[test]
    fn only_lines_with_escapes_are_copied() {
        let text = b"one\ntwo \\n\nthree %41\nfour\nfive \\t";
        let lines: Vec<_> = escaped_lines(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(lines, [&b"two \\n\nthree %41\n"[..], &b"five \\t"[..]]);
    }
}
