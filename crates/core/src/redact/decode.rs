//! Layers of writing taken off before the rules look: colour codes, string escapes,
//! percent-encoding, base64 and hexadecimal.
//!
//! Decoding is done only where there is something to decode. A line without `\`, `%` or ESC is
//! never copied, and a run of base64 characters becomes a view only where it decodes to text:
//! most of what looks like base64 in a transcript is file paths.

use super::view::View;
use memchr::{memchr, memchr3, memrchr};
use std::ops::Range;

/// Runs shorter than this are not worth decoding.
const SHORTEST_RUN: usize = 16; // characters

/// Lines, joined where they touch, that hold an escape of some sort.
pub(super) fn escaped(text: &[u8]) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while let Some(at) = memchr3(b'\\', b'%', ESC, &text[from..]).map(|at| from + at) {
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

/// One layer of escapes off `region` of `text`; nothing when there was none.
pub(super) fn unescape(text: &[u8], region: Range<usize>) -> Option<View> {
    let mut view = View::default();
    let mut copied = region.start;
    let mut at = region.start;
    while let Some(found) = memchr3(b'\\', b'%', ESC, &text[at..region.end]) {
        at += found;
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
        [ESC, rest @ ..] => Some((1 + terminal(rest), Says::Nothing)),
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
        [b'u', digits @ ..] => {
            let digits = digits.get(..4)?;
            let code = digits.iter().try_fold(0, |code, d| Some(code << 4 | u32::from(hex(*d)?)))?;
            // Half of a surrogate pair says nothing that a secret could be made of.
            Some((5, Says::Char(char::from_u32(code).unwrap_or('\u{fffd}'))))
        }
        _ => None,
    }
}

/// Length of a terminal sequence after its ESC: control, title, or two characters.
pub(super) fn terminal(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'[') => {
            let body = rest[1..].iter().take_while(|b| matches!(b, 0x20..=0x3f)).count();
            let last = rest.get(1 + body).is_some_and(|b| matches!(b, 0x40..=0x7e));
            1 + body + usize::from(last)
        }
        // A title or link ends with BEL or ESC \; one that never ends must not eat the text.
        Some(b']' | b'P' | b'^' | b'_') => {
            let body = &rest[..rest.len().min(LONGEST_TITLE)];
            match body.iter().position(|b| matches!(*b, 0x07 | ESC | b'\n')) {
                Some(end) if body[end] == 0x07 => end + 1,
                Some(end) if body[end] == ESC && rest.get(end + 1) == Some(&b'\\') => end + 2,
                _ => 1,
            }
        }
        Some(b'(' | b')') => rest.len().min(2),
        Some(0x30..=0x7e) => 1,
        _ => 0,
    }
}

const LONGEST_TITLE: usize = 2_048; // bytes

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

// ---- runs ------------------------------------------------------------------------------------

type Class = [u8; 256];

const NONE: u8 = 0xff;

// Both alphabets at once; a run never mixes them in a way that matters.
const SIXBIT: Class = {
    let mut class = [NONE; 256];
    let mut i = 0;
    while i < 26 {
        class[b'A' as usize + i] = i as u8;
        class[b'a' as usize + i] = 26 + i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 10 {
        class[b'0' as usize + i] = 52 + i as u8;
        i += 1;
    }
    class[b'+' as usize] = 62;
    class[b'-' as usize] = 62;
    class[b'/' as usize] = 63;
    class[b'_' as usize] = 63;
    class
};

const HEX: Class = {
    let mut class = [NONE; 256];
    let mut i = 0;
    while i < 10 {
        class[b'0' as usize + i] = i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 6 {
        class[b'a' as usize + i] = 10 + i as u8;
        class[b'A' as usize + i] = 10 + i as u8;
        i += 1;
    }
    class
};

/// Runs of base64 characters (paths and long names among them).
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    long_runs(text, &SIXBIT, 0)
}

// A long run covers a whole group of eight bytes, wherever it begins. Most groups hold a space,
// a quote or a bracket, and are dismissed by one test of all eight bytes at once.
fn long_runs<'a>(text: &'a [u8], class: &'static Class, mut from: usize) -> impl Iterator<Item = Range<usize>> + 'a {
    let is = move |byte: &&u8| class[usize::from(**byte)] != NONE;
    let mut group = 0;
    std::iter::from_fn(move || {
        while let Some(eight) = text.get(group..).and_then(|rest| rest.first_chunk::<8>()) {
            let at = group;
            group += 8;
            // No early end: eight lookups cost less than one wrong guess.
            let misses = |sum: u8, byte: &u8| sum | class[usize::from(*byte)];
            if has_sign(u64::from_le_bytes(*eight)) || eight.iter().fold(0, misses) == NONE {
                continue;
            }
            let start = at - text[from..at].iter().rev().take_while(is).count();
            let end = at + text[at..].iter().take_while(is).count();
            (from, group) = (end, end.next_multiple_of(8));
            if end - start >= SHORTEST_RUN {
                return Some(start..end);
            }
        }
        None
    })
}

// Is any of eight bytes below `+`: white space, a quote, a bracket? Exact for the lowest such
// byte, which is all that is asked.
fn has_sign(eight: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    eight.wrapping_sub(ONES * b'+' as u64) & !eight & (ONES << 7) != 0
}

/// What a run says if it is base64 or hexadecimal, wherever its groups may begin.
pub(super) fn texts(run: &[u8]) -> Vec<View> {
    let mut views = Vec::new();
    // Text in base64 has capitals all over; paths and names have few. The cheaper question first.
    if run.iter().filter(|b| b.is_ascii_uppercase()).count() > 1 {
        for shift in 0..4 {
            base64_texts(run, shift, &mut views);
        }
    }
    for digits in long_runs(run, &HEX, 0) {
        for shift in 0..2 {
            hex_texts(run, digits.start + shift..digits.end, &mut views);
        }
    }
    views
}

// Groups of four characters that decode to text, with one group more on each side: a token may
// begin in the middle of a group whose other bytes are binary.
fn base64_texts(run: &[u8], shift: usize, views: &mut Vec<View>) {
    let groups = run.len().saturating_sub(shift) / 4;
    let text = |i: usize| {
        let at = shift + i * 4;
        let (one, two, three) = group(&run[at..at + 4]);
        readable(one) && readable(two) && readable(three)
    };
    for_each_stretch(groups, 3, text, |stretch| {
        let start = shift + stretch.start.saturating_sub(1) * 4;
        let end = (shift + (stretch.end + 1) * 4).min(run.len());
        let mut bytes = Vec::with_capacity((end - start) / 4 * 3 + 3);
        for chunk in run[start..end].chunks(4) {
            let mut padded = [b'A'; 4];
            padded[..chunk.len()].copy_from_slice(chunk);
            let (one, two, three) = group(&padded);
            bytes.extend(&[one, two, three][..chunk.len().saturating_sub(1)]);
        }
        views.push(View::six_bits(bytes, start));
    });
}

fn group(four: &[u8]) -> (u8, u8, u8) {
    let bits = four.iter().fold(0_u32, |bits, c| bits << 6 | u32::from(SIXBIT[*c as usize]));
    let [_, one, two, three] = bits.to_be_bytes();
    (one, two, three)
}

fn hex_texts(run: &[u8], digits: Range<usize>, views: &mut Vec<View>) {
    let pairs = digits.len() / 2;
    let byte = |i: usize| {
        let at = digits.start + i * 2;
        HEX[run[at] as usize] << 4 | HEX[run[at + 1] as usize]
    };
    for_each_stretch(
        pairs,
        SHORTEST_RUN / 2,
        |i| readable(byte(i)),
        |stretch| {
            let mut view = View::default();
            for i in stretch {
                view.put(byte(i), digits.start + i * 2, 2);
            }
            views.push(view);
        },
    );
}

// Stretches of at least `least` indices below `count` that hold, found by probing every
// `least`-th: random bytes are given up after a few probes.
fn for_each_stretch(count: usize, least: usize, holds: impl Fn(usize) -> bool, mut found: impl FnMut(Range<usize>)) {
    let mut from = 0;
    loop {
        let probe = from + least - 1;
        if probe >= count {
            return;
        }
        if !holds(probe) {
            from = probe + 1;
            continue;
        }
        let mut start = probe;
        while start > from && holds(start - 1) {
            start -= 1;
        }
        let mut end = probe + 1;
        while end < count && holds(end) {
            end += 1;
        }
        if end - start >= least {
            found(start..end);
        }
        from = end;
    }
}

fn readable(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | b'\n' | b'\r' | b'\t')
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
            ("\x1b]0;title\x07x", "x"),
            (r"plain \d 50%", "-"),
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

    #[test]
    fn runs_are_found_whole() {
        let long = "a".repeat(40);
        for (text, expect) in [
            (String::new(), None),
            ("a".repeat(15), None),
            ("a".repeat(16), Some(0..16)),
            (format!("{} {long} x", "b".repeat(15)), Some(16..56)),
            (format!("  {long}"), Some(2..42)),
        ] {
            assert_eq!(runs(text.as_bytes()).next(), expect, "{text}");
            assert!(runs(text.as_bytes()).count() <= 1, "{text}");
        }
    }

    #[test]
    fn a_run_is_read_at_every_alignment() {
        // "plain words inside" in base64, and in hexadecimal.
        for (prefix, run) in [("", "cGxhaW4gd29yZHMgaW5zaWRl"), ("", "706c61696e20776f72647320696e73696465")] {
            for junk in ["", "/", "zz", "zzz"] {
                let run = format!("{prefix}{junk}{run}");
                let found = texts(run.as_bytes())
                    .iter()
                    .any(|view| String::from_utf8_lossy(&view.bytes).contains("plain words inside"));
                assert!(found, "{run}");
            }
        }
    }

    #[test]
    fn a_path_is_not_text_in_disguise() {
        assert!(texts(b"/usr/local/share/applications/mimeinfo").len() <= 1);
    }
}
