//! Values known beforehand to be secret on this machine, remembered only as keyed hashes.
//!
//! Comes in: the values, then texts. Goes out: where a value stands in a text. A free password has no shape. But the ones in the environment are known, and can be found
//! wherever they turn up. What is kept of a value: a keyed hash of its first and last eight
//! bytes, to find candidates, and a keyed BLAKE3 of the whole, to be sure. The key is random per
//! process and never leaves it; the result of a search does not depend on it.
//!
//! Most encodings need nothing here: `layers` takes escapes, percent-encoding, base64 and hexadecimal off before the search.
//! A value that is too short to be decoded there, or not plain text, is also remembered as it is written in base64 and
//! hexadecimal.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

const SHORTEST: usize = 8; // bytes; shorter values occur by chance
const LONGEST: usize = 16 * 1024; // bytes; a longer value is found by its first part
const LINE: usize = 16; // bytes of a line that is telling on its own
const DECODED: usize = 12; // bytes; the base64 of less is too short a run to be decoded

/// Hashes of the values to be found.
pub(super) struct KnownValues {
    key: [u8; 32],
    stir: u64,
    // One bit per possible stirred beginning: most positions are dismissed by one test.
    begins: Box<[u64; WORDS]>,
    values: HashMap<u64, Vec<Fingerprint>>,
}

struct Fingerprint {
    len: usize,
    last: u64,
    hash: blake3::Hash,
}

const WORDS: usize = 2048; // 16 KiB: nearly empty even with thousands of values
const BITS: u32 = (WORDS as u64 * 64).trailing_zeros();

impl KnownValues {
    /// Remembers `values`; `None` if none of them is long enough to tell.
    pub(super) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let random = RandomState::new();
        let mut known = Self {
            key: *blake3::hash(&random.hash_one(0_u8).to_le_bytes()).as_bytes(),
            stir: random.hash_one(1_u8) | 1,
            begins: Box::new([0; WORDS]),
            values: HashMap::new(),
        };
        for value in values.into_iter().map(str::trim) {
            known.remember(value.as_bytes());
            written(value.as_bytes()).iter().for_each(|form| known.remember(form));
            for line in value.lines().map(str::trim).filter(|line| line.len() < value.len() && tells(line)) {
                known.remember(line.as_bytes());
            }
        }
        (!known.values.is_empty()).then_some(known)
    }

    fn remember(&mut self, value: &[u8]) {
        let value = &value[..value.len().min(LONGEST)];
        let (Some(first), Some(last)) = (self.gram(value, 0), self.last_gram(value)) else {
            return;
        };
        let hash = blake3::keyed_hash(&self.key, value);
        let (word, bit) = place(first);
        self.begins[word] |= 1 << bit;
        let same_start = self.values.entry(first).or_default();
        if same_start.iter().all(|known| known.hash != hash) {
            let len = value.len();
            same_start.push(Fingerprint { len, last, hash });
            // The longest first, so that one value inside another does not leave a rest behind.
            same_start.sort_by_key(|known| std::cmp::Reverse(known.len));
        }
    }

    /// Every occurrence in `text`.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(first) = self.gram(text, at) {
            let (word, bit) = place(first);
            let end = if self.begins[word] >> bit & 1 == 1 { self.end(text, at, first) } else { None };
            match end {
                Some(end) => {
                    found.push(at..end);
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }

    fn end(&self, text: &[u8], at: usize, first: u64) -> Option<usize> {
        let candidates = self.values.get(&first)?;
        let hit = candidates.iter().find(|value| {
            text.get(at..at + value.len).is_some_and(|part| {
                self.last_gram(part) == Some(value.last) && blake3::keyed_hash(&self.key, part) == value.hash
            })
        })?;
        Some(at + hit.len)
    }

    fn gram(&self, text: &[u8], at: usize) -> Option<u64> {
        let bytes = text.get(at..)?.first_chunk::<SHORTEST>()?;
        let mixed = u64::from_le_bytes(*bytes).wrapping_mul(self.stir);
        Some((mixed ^ mixed >> 29).wrapping_mul(self.stir))
    }

    fn last_gram(&self, text: &[u8]) -> Option<u64> {
        self.gram(text, text.len().checked_sub(SHORTEST)?)
    }
}

fn place(gram: u64) -> (usize, u32) {
    let slot = gram >> (64 - BITS);
    (slot as usize / 64, slot as u32 % 64)
}

// Is this line of a longer value secret by itself? Not the frame of a key, and not the name of a
// member: those stand in many files.
fn tells(line: &str) -> bool {
    let member = line.starts_with(['"', '\'']) && line.contains(':');
    line.len() >= LINE && !line.starts_with("-----") && !member
}

// How `value` is written in base64 and hexadecimal, where decoding would not notice.
fn written(value: &[u8]) -> Vec<Vec<u8>> {
    let text = value.iter().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    let mut forms = Vec::new();
    if value.len() < SHORTEST || text && value.len() >= DECODED {
        return forms;
    }
    for lead in 0..3 {
        let coded = sixbits(value, lead);
        forms.push(coded.iter().map(|six| STANDARD[usize::from(*six)]).collect());
        if coded.iter().any(|six| *six > 61) {
            forms.push(coded.iter().map(|six| URL[usize::from(*six)]).collect());
        }
    }
    if !text {
        for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
            let two = |b: &u8| [digits[usize::from(b >> 4)], digits[usize::from(b & 15)]];
            forms.push(value.iter().flat_map(two).collect());
        }
    }
    forms
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// The six-bit characters that `value` alone decides when `lead` bytes stand before it in its group.
fn sixbits(value: &[u8], lead: usize) -> Vec<u8> {
    let bit = |at: usize| value[at / 8] >> (7 - at % 8) & 1;
    let skip = (6 - lead * 8 % 6) % 6;
    let count = (value.len() * 8 - skip) / 6;
    (0..count).map(|i| (0..6).fold(0, |six, j| six << 1 | bit(skip + i * 6 + j))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::formats::{base64, hex};
    use super::*;

    fn without(known: &KnownValues, text: &str) -> String {
        let mut rest = String::from(text);
        known.find(text.as_bytes()).into_iter().rev().for_each(|place| rest.replace_range(place, "<>"));
        rest
    }

    fn knowing<'a>(values: impl IntoIterator<Item = &'a str>) -> KnownValues {
        KnownValues::new(values).expect("something to remember")
    }

    #[test]
    fn a_value_is_found_wherever_it_stands() {
        let known = knowing(["correct horse", "short", "correct horse battery"]);
        for (text, expect) in [
            ("correct horse", "<>"),
            ("a correct horse battery b", "a <> b"),
            ("correct hors", "correct hors"),
            ("correct horsecorrect horse", "<><>"),
            ("short", "short"),
        ] {
            assert_eq!(without(&known, text), expect, "{text}");
        }
    }

    #[test]
    fn nothing_worth_remembering_is_nothing() {
        assert!(KnownValues::new(["", "1234567", "  true  "]).is_none());
    }

    #[test]
    fn a_short_value_is_found_in_base64_at_every_alignment() {
        for value in ["8letters", "nine char", "ten?chars>", "elevenchars", "gruß an alle im haus"] {
            let known = knowing([value]);
            for (before, after) in [("", ""), ("a", ""), ("ab", "c"), ("abc", "cd"), ("", "cde")] {
                let text = base64(&format!("{before}{value}{after}"));
                assert!(without(&known, &text).contains("<>"), "{value}: {text}");
                let text = text.replace('+', "-").replace('/', "_");
                assert!(without(&known, &text).contains("<>"), "{value}: {text}");
            }
        }
        assert_eq!(without(&knowing(["gruß an alle"]), &hex("gruß an alle")), "<>");
    }

    #[test]
    fn lines_of_a_long_value_are_found_on_their_own() {
        let known =
            knowing(["  first line of it, long\r\nshort\n\"member\": \"of an object\"\nthe third line is long\n"]);
        for (text, expect) in [
            ("1\tfirst line of it, long\n2\tshort", "1\t<>\n2\tshort"),
            ("the third line is long", "<>"),
            ("\"member\": \"of an object\"", "\"member\": \"of an object\""),
        ] {
            assert_eq!(without(&known, text), expect, "{text}");
        }
    }
}
