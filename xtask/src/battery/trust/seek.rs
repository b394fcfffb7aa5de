//! Finds pieces of planted strings in what left the store.

use std::collections::HashMap;

/// Letters in a row that give a string away.
const WINDOW: usize = 24;
/// A shorter string says nothing of its own.
const SHORTEST: usize = 8;

/// Looks for pieces of many strings at once.
#[derive(Default)]
pub struct Seeker {
    windows: HashMap<String, usize>,
    short: Vec<(String, usize)>,
}

impl Seeker {
    /// One that knows these strings by their places.
    pub fn new<'s>(strings: impl IntoIterator<Item = &'s str>) -> Self {
        let mut seeker = Self::default();
        for (n, text) in strings.into_iter().enumerate() {
            for form in forms(text) {
                let letters: Vec<char> = form.chars().collect();
                if letters.len() < WINDOW {
                    seeker.short.extend((letters.len() >= SHORTEST).then_some((form, n)));
                    continue;
                }
                for window in letters.windows(WINDOW) {
                    seeker.windows.entry(window.iter().collect()).or_insert(n);
                }
            }
        }
        seeker
    }

    /// The place of a string of which a piece is in the text.
    pub fn find(&self, text: &str) -> Option<usize> {
        forms(text).iter().find_map(|form| {
            let letters: Vec<char> = form.chars().collect();
            let long = letters.windows(WINDOW).find_map(|w| self.windows.get(&w.iter().collect::<String>()));
            let short = || self.short.iter().find(|(s, _)| form.contains(s.as_str())).map(|(_, n)| n);
            long.or_else(short).copied()
        })
    }
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
