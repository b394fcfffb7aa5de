//! Characters that a reader does not see: dropped before a text is kept, spelled out before it is shown.
//!
//! Comes in: a text. Goes out: only what a reader sees of it ([`visible`]), or all of it with the rest as numbers
//! ([`spelled_out`]). An approval is worth something only if the person saw what the agent will read. So characters
//! that take no room are dropped: zero-width and joining ones, direction controls, tag characters,
//! variation selectors. The emoji selector U+FE0F stays directly after an emoji, where people
//! type it without knowing. The joiner U+200D goes, although it glues emoji together: apart they
//! still read well, and joined text can hide words.

use super::terminal::{control_len, sequence_len};
use std::borrow::Cow;

/// Drops everything from `text` that a reader would not see.
///
/// Line feeds and tabs stay. The result never holds an escape sequence, and what is already
/// visible is handed back as it is.
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(mut at) = first_hidden(text) else { return Cow::Borrowed(text) };
    let mut seen = String::with_capacity(text.len());
    seen.push_str(&text[..at]);
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        if c == '\u{1b}' || c == CONTROL_SEQUENCE {
            let rest = &text.as_bytes()[at..];
            at += if c == CONTROL_SEQUENCE { control_len(rest) } else { sequence_len(rest) };
            // The bytes of a sequence are ASCII, but a cut one may end at any character.
            while !text.is_char_boundary(at) {
                at += 1;
            }
        } else if !hidden(c) || c == EMOJI_STYLE && seen.chars().next_back().is_some_and(emoji) {
            seen.push(c);
        }
    }
    Cow::Owned(seen)
}

/// Does `text` hold a character that a reader would not see?
pub fn hides(text: &str) -> bool {
    !text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) && text.chars().any(hidden)
}

/// A character as it may be printed on a terminal; one that a reader would not see, by its number.
pub fn spelled_char(c: char) -> String {
    match c {
        '\n' => "⏎".to_owned(),
        '\t' => "  ".to_owned(),
        c if hidden(c) => format!("<U+{:04X}>", u32::from(c)),
        c => c.to_string(),
    }
}

/// A text as it may be printed on a terminal, in one line.
pub fn spelled_out(text: &str) -> String {
    if text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        return text.to_owned();
    }
    text.chars().map(spelled_char).collect()
}

// Where the first character stands that must be dropped. Nearly all text is ASCII without control characters, and is
// passed over in blocks.
fn first_hidden(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let plain = bytes[at..].first_chunk::<BLOCK>().is_some_and(|block| !asks_in(block));
        let end = bytes.len().min(at + BLOCK);
        let hides = |at: &usize| may_hide(bytes[*at], bytes.get(at + 1)) && is_hidden_at(text, *at);
        // The two bytes that tell may stand in two blocks.
        let found = if plain { None } else { odd_places(bytes, at.saturating_sub(1), end).find(hides) };
        if found.is_some() {
            return found;
        }
        at = end;
    }
    None
}

// Places between `from` and `to` whose byte may ask for a closer look. Eight bytes are judged at once; a few places too
// many do no harm.
fn odd_places(bytes: &[u8], from: usize, to: usize) -> impl Iterator<Item = usize> {
    const ONES: u64 = u64::MAX / 255;
    let places = bytes[from..to].chunks(8).enumerate().flat_map(move |(i, chunk)| {
        let padded = || chunk.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b));
        let word = chunk.first_chunk().map_or_else(padded, |eight| u64::from_le_bytes(*eight));
        let mut odd = (word | word.wrapping_sub(ONES * 0x20) | word.wrapping_add(ONES)) & ONES << 7;
        std::iter::from_fn(move || {
            let place = (odd != 0).then(|| from + i * 8 + odd.trailing_zeros() as usize / 8);
            odd &= odd.wrapping_sub(1);
            place
        })
    });
    places.take_while(move |at| *at < to)
}

const BLOCK: usize = 64; // bytes

// Is there a byte in `block` that a hidden character has? The bytes of arrows and lines, which listings are full of, do not
// count.
fn asks_in(block: &[u8; BLOCK]) -> bool {
    let suspect = |b: u8| {
        let control = (b < b' ') & (b != b'\n') & (b != b'\t') | (b == 0x7f);
        let second = b & 0xfe == 0x80; // behind 0xe2
        let first = (b == 0xc2) | (b == 0xcd) | (b == 0xd8) | (b == 0xe1) | (b == 0xe3) | (b >= 0xef);
        u8::from(control | second | first)
    };
    block.iter().fold(0, |any, b| any | suspect(*b)) != 0
}

// Does a byte ask for a closer look? Without a branch, so that many are judged at once.
fn asks(byte: u8) -> u8 {
    u8::from(byte.wrapping_sub(b' ') > b'~' - b' ') & u8::from(byte != b'\n') & u8::from(byte != b'\t')
}

// Could a hidden character begin with these bytes? Arrows, lines and most letters do not.
fn may_hide(first: u8, second: Option<&u8>) -> bool {
    match first {
        0..=0x7f => asks(first) != 0,
        0xe2 => matches!(second, Some(0x80 | 0x81)),
        0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe3 | 0xef | 0xf0 | 0xf3 => true,
        _ => false,
    }
}

fn is_hidden_at(text: &str, at: usize) -> bool {
    let styled = || text[..at].chars().next_back().is_some_and(emoji);
    text[at..].chars().next().is_some_and(|c| hidden(c) && !(c == EMOJI_STYLE && styled()))
}

// ESC and `[` in one character.
const CONTROL_SEQUENCE: char = '\u{9b}';
const EMOJI_STYLE: char = '\u{fe0f}';

fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{feff}' => true, // soft hyphen, joiners, marks, BOM
        '\u{115f}'..='\u{1160}' | '\u{3164}' | '\u{ffa0}' => true, // fillers: letters without ink
        '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => true, // variation selectors
        '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e007f}' => true, // tags
        c => c.is_control(),
    }
}

fn emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' |
        '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' |
        '\u{2934}'..='\u{2935}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' |
        '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_does_not_see_is_dropped() {
        for (text, expect) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("é ö 漢字 — “quoted”", "é ö 漢字 — “quoted”"),
            ("a\0b\x07c\x7fd\u{85}e\r\n", "abcde\n"),
            ("\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\x1b", "red x"),
            ("\x1b[é\x1bé", "éé"),
            ("a\u{9b}1;31mb\u{9b}", "ab"),
            ("\u{feff}pass\u{200b}wo\u{200d}rd\u{2060}", "password"),
            ("left\u{202e}right\u{2066}x\u{2069}", "leftrightx"),
            ("tag\u{e0041}\u{e007f}ged\u{e0100}", "tagged"),
            ("ok ✔\u{fe0f} a\u{fe0f} ❤\u{fe0f}\u{fe0f}", "ok ✔\u{fe0f} a ❤\u{fe0f}"),
        ] {
            assert_eq!(visible(text), expect, "{text:?}");
            assert_eq!(visible(expect), expect, "twice: {text:?}");
        }
    }

    #[test]
    fn every_hiding_character_is_dropped_in_every_position() {
        let ranges = [
            (0xe0000, 0xe007f),
            (0xe0100, 0xe01ef),
            (0x200b, 0x200f),
            (0x202a, 0x202e),
            (0x2060, 0x2069),
            (0xfeff, 0xfeff),
            (0x0, 0x8),
            (0xb, 0x1f),
            (0x7f, 0x9f),
        ];
        for c in ranges.iter().flat_map(|(from, to)| *from..=*to).filter_map(char::from_u32) {
            for text in [
                format!("{c}ab"),
                format!("a{c}b"),
                format!("ab{c}"),
                format!("a{c}{c}b"),
                format!("é{c}✔"),
                format!("line\n{c}\nline"),
            ] {
                let seen = visible(&text);
                assert!(!seen.contains(c), "{text:?}");
                assert!(!crate::redact::clean(&text).contains(c), "{text:?}");
            }
        }
    }

    #[test]
    fn no_hidden_character_is_overlooked_by_its_bytes() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| hidden(*c)) {
            let text = format!("{c}");
            let bytes = text.as_bytes();
            assert!(asks(bytes[0]) != 0 && may_hide(bytes[0], bytes.get(1)), "{c:?}");
            for lead in 58..64 {
                let text = format!("{:lead$}{c}{:70}", "", "");
                assert_eq!(first_hidden(&text), Some(lead), "{c:?}");
            }
        }
    }

    #[test]
    fn clean_text_is_not_copied() {
        assert!(matches!(visible("clean ✔\u{fe0f}"), Cow::Borrowed(_)));
    }
}
