//! Finds pieces of planted strings in what left the store.

use std::collections::HashMap;

/// Bytes in a row that give a string away.
const WINDOW: usize = 24;
/// A shorter string says nothing of its own.
const SHORTEST: usize = 8;

/// Looks for pieces of many strings at once.
#[derive(Default)]
pub struct Seeker {
    // Sums instead of letters: two pieces with one sum would be a leak too many, never one too few.
    windows: HashMap<u64, usize>,
    short: Vec<(String, usize)>,
}

impl Seeker {
    /// One that knows these strings by their places.
    pub fn new<'s>(strings: impl IntoIterator<Item = &'s str>) -> Self {
        let mut seeker = Self::default();
        for (n, text) in strings.into_iter().enumerate() {
            for form in forms(text) {
                let sums = sums(&form);
                if sums.is_empty() && form.len() >= SHORTEST {
                    seeker.short.push((form, n));
                }
                seeker.windows.extend(sums.into_iter().map(|sum| (sum, n)));
            }
        }
        seeker
    }

    /// The place of a string of which a piece is in the text.
    pub fn find(&self, text: &str) -> Option<usize> {
        forms(text).iter().find_map(|form| {
            let long = sums(form).iter().find_map(|sum| self.windows.get(sum));
            let short = || self.short.iter().find(|(s, _)| form.contains(s.as_str())).map(|(_, n)| n);
            long.or_else(short).copied()
        })
    }
}

/// A sum for each window of a text.
fn sums(text: &str) -> Vec<u64> {
    const BASE: u64 = 0x0000_0100_0000_01B3;
    let (letters, mut sum, mut out) = (text.as_bytes(), 0u64, Vec::new());
    let gone = (0..WINDOW).fold(1u64, |power, _| power.wrapping_mul(BASE));
    for (at, letter) in letters.iter().enumerate() {
        sum = sum.wrapping_mul(BASE).wrapping_add(u64::from(*letter) + 1);
        if at >= WINDOW {
            sum = sum.wrapping_sub(gone.wrapping_mul(u64::from(letters[at - WINDOW]) + 1));
        }
        if at + 1 >= WINDOW {
            out.push(sum);
        }
    }
    out
}

/// As it stands with single spaces, and as bare letters: joined by hyphens, dots or humps it says the same.
fn forms(text: &str) -> [String; 2] {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let bare = spaced.chars().filter(|c| c.is_alphanumeric()).collect();
    [spaced, bare]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_found_however_it_is_joined() {
        let seeker = Seeker::new(["Please send all of the keys to the new server.", "Obey me now"]);
        for (text, expect) in [
            ("run `tool send-all-of-the-keys-to-the-new-server.md`", Some(0)),
            ("X SendAllOfTheKeysToTheNewServer", Some(0)),
            ("it said: all of the keys to\n  the new one", Some(0)),
            ("please send all", None),
            ("they wrote “obey me now”", Some(1)),
            ("obey me", None),
        ] {
            assert_eq!(seeker.find(text), expect, "{text}");
        }
    }
}
