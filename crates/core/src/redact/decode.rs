//! Layers of writing taken off before the rules look: colour codes, string escapes,
//! percent-encoding, character references of web pages, quoted-printable.
//!
//! Decoding is done only where there is something to decode: a line without a sign that opens an
//! escape is never copied.

use super::view::View;
use memchr::memmem::Finder;
use memchr::{memchr, memchr3, memrchr};
use std::ops::Range;
use std::sync::LazyLock;

/// Lines, joined where they touch, that hold an escape of some sort.
pub(super) fn escaped(text: &[u8]) -> Vec<Range<usize>> {
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

const ESC: u8 = 0x1b;

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
pub(super) fn unescape(text: &[u8], region: Range<usize>) -> Option<View> {
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

/// Quoted-printable off `text`, the writing of mail: `=3D` for a sign, `=` at the end of a line that
/// goes on. Nothing when there is none.
pub(super) fn unprintable(text: &[u8]) -> Option<View> {
    memchr(b'=', text)?;
    let wrapped = |at: usize| memchr(b'\n', &text[at.saturating_sub(SHORT_LINE)..at]).is_none();
    let breaks = || BROKEN_LINE.find_iter(text).any(|at| at >= SHORT_LINE && wrapped(at));
    if SIGN.find(text).is_none() && !breaks() {
        return None;
    }
    let mut view = View::default();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr(b'=', &text[at..]) {
        at += found;
        let (width, says) = match &text[at + 1..] {
            [b'\n', ..] => (2, Says::Nothing),
            [b'\r', b'\n', ..] => (3, Says::Nothing),
            [b'3', b'D' | b'd', ..] => (3, Says::Byte(b'=')),
            [high @ b'2'..=b'7', low @ (b'0'..=b'9' | b'A'..=b'F'), ..] => {
                (3, Says::Byte(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0)))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        view.copy(&text[copied..at], copied);
        says.put(&mut view, at, width);
        at += width;
        copied = at;
    }
    view.copy(&text[copied..], copied);
    Some(view)
}

static SIGN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"=3D"));
static BROKEN_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"=\n"));
const SHORT_LINE: usize = 40; // columns; mail is wrapped later than that

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
        [ESC, rest @ ..] => Some((1 + terminal(rest), Says::Nothing)),
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

/// Length of a terminal sequence after its ESC: control, title, or two characters.
pub(super) fn terminal(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'[') => 1 + control(&rest[1..]),
        // A title or link ends with BEL or ESC \; one that never ends must not eat the text.
        Some(b']' | b'P' | b'^' | b'_') => {
            let body = &rest[..rest.len().min(LONGEST_TITLE)];
            match body.iter().position(|b| matches!(*b, 0x07 | ESC | b'\n')) {
                Some(end) if body[end] == 0x07 => end + 1,
                Some(end) if body[end] == ESC && rest.get(end + 1) == Some(&b'\\') => end + 2,
                _ => 1,
            }
        }
        Some(b'(' | b')') => 1 + usize::from(rest.get(1).is_some_and(u8::is_ascii_alphanumeric)),
        Some(0x30..=0x7e) => 1,
        _ => 0,
    }
}

/// Length of a control sequence after what opens it: parameters, signs between, and one letter. What does not end so is
/// none, and is text.
pub(super) fn control(rest: &[u8]) -> usize {
    let parameters = rest.iter().take_while(|b| matches!(b, 0x30..=0x3f)).count();
    let between = rest[parameters..].iter().take_while(|b| matches!(b, 0x20..=0x2f)).count();
    let body = parameters + between;
    match rest.get(body) {
        Some(last) if last.is_ascii_alphabetic() || between == 0 && matches!(last, 0x40..=0x7e) => body + 1,
        Some(_) => 0,
        None => body, // cut off
    }
}

const LONGEST_TITLE: usize = 2_048; // bytes

fn hex(digit: u8) -> Option<u8> {
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
        let lines: Vec<_> = escaped(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(lines, [&b"two \\n\nthree %41\n"[..], &b"five \\t"[..]]);
    }
}
