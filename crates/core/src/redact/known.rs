//! Values known to be secret, remembered only as keyed hashes.
//!
//! A free password has no shape. But the ones in the environment are known, and can be found
//! wherever they turn up. What is kept of a value: a keyed hash of its first and last eight
//! bytes, to find candidates, and a keyed BLAKE3 of the whole, to be sure. The key is random per
//! process and never leaves it; the result of a search does not depend on it.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

const SHORTEST: usize = 8; // bytes; shorter values occur by chance
const LONGEST: usize = 16 * 1024; // bytes; a longer value is found by its first part

pub(super) struct Known {
    key: [u8; 32],
    stir: u64,
    // One bit per possible stirred beginning: most positions are dismissed by one test.
    begins: Box<[u64; WORDS]>,
    values: HashMap<u64, Vec<Value>>,
}

struct Value {
    len: usize,
    last: u64,
    hash: blake3::Hash,
}

const WORDS: usize = 256;
const BITS: u32 = (WORDS as u64 * 64).trailing_zeros();

impl Known {
    /// Remember `values`; nothing when none of them is long enough to tell.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let random = RandomState::new();
        let mut known = Self {
            key: *blake3::hash(&random.hash_one(0_u8).to_le_bytes()).as_bytes(),
            stir: random.hash_one(1_u8) | 1,
            begins: Box::new([0; WORDS]),
            values: HashMap::new(),
        };
        for value in values {
            known.remember(value.trim().as_bytes());
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
            same_start.push(Value { len, last, hash });
            // The longest first, so that one value inside another does not leave a rest behind.
            same_start.sort_by_key(|known| std::cmp::Reverse(known.len));
        }
    }

    /// Every occurrence in `text`.
    pub fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_wherever_it_stands() {
        let Some(known) = Known::new(["correct horse", "short", "correct horse battery"]) else {
            panic!("nothing remembered");
        };
        for (text, expect) in [
            ("correct horse", "<>"),
            ("a correct horse battery b", "a <> b"),
            ("correct hors", "correct hors"),
            ("correct horsecorrect horse", "<><>"),
            ("short", "short"),
        ] {
            let mut rest = String::from(text);
            known.find(text.as_bytes()).into_iter().rev().for_each(|place| rest.replace_range(place, "<>"));
            assert_eq!(rest, expect, "{text}");
        }
    }

    #[test]
    fn nothing_worth_remembering_is_nothing() {
        assert!(Known::new(["", "1234567", "  true  "]).is_none());
    }
}
