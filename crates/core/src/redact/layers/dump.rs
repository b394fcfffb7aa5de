//! Bytes written one by one: hex dumps, arrays of numbers, pairs of digits with something between.
//!
//! Comes in: a text. Goes out: a view of every such stretch. A dump shows its bytes twice, as digits and as letters, sixteen to a line. The digits are read;
//! what is found in them takes the rest of its last line with it, letters included.

use super::view::View;
use memchr::{memchr, memrchr};
use std::ops::Range;

/// A stretch of such bytes.
pub(in crate::redact) struct Dump {
    /// What the bytes say.
    pub(in crate::redact) view: View,
    /// Do the letters stand behind the digits on each line? Then both are cut out.
    pub(in crate::redact) doubled: bool,
}

const LEAST: usize = 12; // bytes; less is a time, an address or a version
const STRIDE: usize = 24; // bytes between probes; a stretch that matters is longer than this and a probe

/// Every stretch in `text`.
pub(in crate::redact) fn dumps(text: &[u8]) -> Vec<Dump> {
    let mut found = Vec::new();
    let (mut done, mut at) = (0, 0);
    while let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        // Every second of the eight bytes decides nearly always.
        let class = |from: usize| (from..8).step_by(2).fold(0, |class, i| class | CLASS[usize::from(eight[i])]);
        let even = class(0);
        if even & OTHER != 0 || even | class(1) != DIGIT | BETWEEN {
            at += STRIDE;
            continue;
        }
        let end = lines(text, at, done, &mut found).unwrap_or_else(|| list(text, at, done, &mut found));
        done = end.max(at + 1);
        at = done;
    }
    found
}

const DIGIT: u8 = 1;
const BETWEEN: u8 = 2;
const OTHER: u8 = 4;
const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        class[byte as usize] = match byte {
            b'x' | b'X' => DIGIT,
            b' ' | b',' | b':' | b'-' | b'\n' | b'\r' | b'\t' => BETWEEN,
            _ if byte.is_ascii_hexdigit() => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

// The lines of a dump, the first of which holds `at`; gives where they end.
fn lines(text: &[u8], at: usize, done: usize, found: &mut Vec<Dump>) -> Option<usize> {
    let mut start = memrchr(b'\n', &text[done..at]).map_or(done, |i| done + i + 1);
    let mut view = View::default();
    while start < text.len() {
        let end = memchr(b'\n', &text[start..]).map_or(text.len(), |len| start + len);
        if !line(text, start..end, &mut view) {
            break;
        }
        start = end + 1;
    }
    if view.bytes.is_empty() {
        return None;
    }
    if view.bytes.len() >= LEAST {
        found.push(Dump { view, doubled: true });
    }
    Some(start.min(text.len()))
}

const MOST_PER_LINE: usize = 32; // bytes

// `00000010: 6768 705f …  letters`: an offset, then groups of digits.
fn line(text: &[u8], line: Range<usize>, view: &mut View) -> bool {
    let mut words = words(text, line.start..line.end.min(line.start + 400), |b| matches!(b, b' ' | b'\t' | b'\r'));
    let offset = |word: &Range<usize>| {
        let word = text[word.clone()].strip_suffix(b":").unwrap_or(&text[word.clone()]);
        // A listing may have put its line number in front, with an arrow that is not ASCII.
        let word = &word[word.iter().rposition(|b| !b.is_ascii()).map_or(0, |i| i + 1)..];
        matches!(word.len(), 6..=16) && word.iter().all(u8::is_ascii_hexdigit)
    };
    if !words.by_ref().take(3).any(|word| offset(&word)) {
        return false;
    }
    let mut end = None;
    let mut count = 0;
    for word in words {
        let digits = &text[word.clone()];
        let gap = end.map_or(0, |end| word.start - end);
        let group = matches!(digits.len(), 2 | 4 | 8) && digits.iter().all(u8::is_ascii_hexdigit);
        if !group || gap > 2 || gap == 2 && count != 8 || count >= MOST_PER_LINE {
            break;
        }
        for (i, pair) in digits.chunks(2).enumerate() {
            view.put(byte(pair, 16), word.start + 2 * i, 2);
            count += 1;
        }
        end = Some(word.end);
    }
    count > 0
}

// Numbers with the same things between them around `at`; gives where they end.
fn list(text: &[u8], at: usize, done: usize, found: &mut Vec<Dump>) -> usize {
    let inside = |b: &&u8| CLASS[usize::from(**b)] != OTHER;
    let start = at - text[done..at].iter().rev().take_while(inside).count();
    let end = at + text[at..].iter().take_while(inside).count();
    let (mut hex, mut decimal) = (View::default(), View::default());
    for word in words(text, start..end, |b| CLASS[usize::from(b)] == BETWEEN) {
        let digits = &text[word.clone()];
        let bare = digits.strip_prefix(b"0x").or_else(|| digits.strip_prefix(b"0X")).unwrap_or(digits);
        if bare.len() == 2 && bare.iter().all(u8::is_ascii_hexdigit) {
            hex.put(byte(bare, 16), word.start, word.len());
        } else {
            finish(&mut hex, found);
        }
        if matches!(digits.len(), 1..=3) && digits.iter().all(u8::is_ascii_digit) && byte(digits, 10) > 0 {
            decimal.put(byte(digits, 10), word.start, word.len());
        } else {
            finish(&mut decimal, found);
        }
    }
    finish(&mut hex, found);
    finish(&mut decimal, found);
    end
}

fn finish(view: &mut View, found: &mut Vec<Dump>) {
    let view = std::mem::take(view);
    let text = view.bytes.iter().filter(|b| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
    if text >= LEAST && text * 2 > view.bytes.len() {
        found.push(Dump { view, doubled: false });
    }
}

// The number that digits say, or nothing that reads.
fn byte(digits: &[u8], radix: u32) -> u8 {
    let number = digits.iter().try_fold(0, |sum, d| Some(sum * radix + char::from(*d).to_digit(radix)?));
    number.and_then(|number| u8::try_from(number).ok()).unwrap_or(0)
}

fn words<'t>(text: &'t [u8], part: Range<usize>, between: fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> + 't {
    let mut at = part.start;
    let words = text[part].split(move |b| between(*b)).map(move |word| {
        let start = at;
        at += word.len() + 1;
        start..start + word.len()
    });
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        dumps(text.as_bytes()).iter().map(|d| String::from_utf8_lossy(&d.view.bytes).into_owned()).collect()
    }

    #[test]
    fn dumps_and_lists_are_read() {
        for (text, expect) in [
            (
                "00000000: 706c 6169 6e20 776f 7264 7320 6865 7265  plain words here\n00000010: 2021  !\n",
                "plain words here !",
            ),
            ("   7→00000000  70 6c 61 69 6e 20 77 6f  72 64 73 20 68 65 72 65  |plain words here|", "plain words here"),
            ("x 70:6c:61:69:6e:20:77:6f:72:64:73:20 y", "plain words "),
            ("<Buffer 70 6c 61 69 6e 20 77 6f 72 64 73 20>", "plain words "),
            ("[112, 108, 97, 105, 110, 32, 119, 111, 114, 100, 115, 32]", "plain words "),
            ("[\n  0x70, 0x6c, 0x61, 0x69, 0x6e, 0x20, 0x77, 0x6f,\n  0x72, 0x64, 0x73, 0x20\n]", "plain words "),
        ] {
            assert_eq!(said(text), [expect], "{text}");
        }
    }

    #[test]
    fn numbers_that_say_nothing_are_passed_over() {
        for text in [
            "",
            "12:34:56 2024-01-01 10:00",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
            "de:ad:be:ef:00:01",
            "fade face bed",
        ] {
            assert!(said(text).is_empty(), "{text}");
        }
    }
}
