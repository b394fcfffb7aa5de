//! Phrases of whole words, found in one pass: "know" is not "no".

use std::collections::HashMap;

/// A set of phrases, looked up by their first word.
pub(super) struct Phrases(HashMap<&'static str, Vec<&'static str>>);

impl Phrases {
    /// Of lists of phrases, their words apart by single spaces.
    pub(crate) fn of(lists: &[&[&'static str]]) -> Self {
        let mut map: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for phrase in lists.iter().copied().flatten() {
            map.entry(phrase.split(' ').next().unwrap_or_default()).or_default().push(phrase);
        }
        Self(map)
    }

    /// The phrase the words begin with.
    pub(crate) fn open(&self, words: &[String]) -> Option<&'static str> {
        let list = self.0.get(words.first()?.as_str())?;
        list.iter().copied().find(|phrase| opens(words, phrase))
    }

    /// Whether one of them stands anywhere.
    pub(crate) fn within(&self, words: &[String]) -> bool {
        (0..words.len()).any(|at| self.open(&words[at..]).is_some())
    }
}

/// Whether the words begin with these.
pub(super) fn opens(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|p| words.next().is_some_and(|w| w == p))
}

/// Whether these words stand anywhere, next to each other and in this order.
pub(super) fn has(words: &[String], phrase: &str) -> bool {
    let first = phrase.split(' ').next().unwrap_or_default();
    (0..words.len()).any(|at| words[at] == first && opens(&words[at..], phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::signals::message::words_of;

    #[test]
    fn whole_words_only() {
        let set = Phrases::of(&[&["no", "not what i"]]);
        let words = |text: &str| words_of(text).collect::<Vec<_>>();
        assert!(set.within(&words("well, no")) && set.within(&words("that's not what I meant")));
        assert!(!set.within(&words("I know nothing")) && !set.within(&words("not what we")));
        assert_eq!(set.open(&words("No way")), Some("no"));
    }
}
