//! Phrases in messages: whole words only, "know" is not "no".
//!
//! Two ways to look, for two forms of a message: `TextPhrases` in a text as it stands, whatever the case, with the place;
//! `WordPhrases` in the lower-case words of a message that was taken apart.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// A set of phrases, found in a text whatever their case. Most texts have none: they are passed over by a quick search for
/// the phrases without their first letter, which alone is a capital at the start of a sentence.
pub(crate) struct TextPhrases {
    quick: Option<AhoCorasick>,
    exact: Option<AhoCorasick>,
}

impl TextPhrases {
    pub(super) fn new(list: &[&str]) -> Self {
        // Only leftmost searches of letters as they stand use the processor's vectors.
        let quick = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(list.iter().map(|p| &p[1..]));
        let exact = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(list);
        Self { quick: quick.ok(), exact: exact.ok() }
    }

    /// Where a phrase stands as words, first one first.
    pub(crate) fn all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let some = self.quick.as_ref().is_none_or(|q| q.is_match(text));
        let exact = self.exact.iter().filter(move |_| some);
        exact.flat_map(move |set| set.find_iter(text)).map(|m| m.range()).filter(|r| is_word(text, r))
    }

    /// The first of them.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.all(text).next()
    }
}

/// "prefix" is not "fix", "know" is not "no", `error.rs` is not "error".
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '`');
    let after = &text[range.end..];
    let dotted = after.strip_prefix(['.', ':']).is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric()));
    !text[..range.start].ends_with(|c| joins(c) || c == '.') && !after.starts_with(joins) && !dotted
}

/// A set of phrases, found in words taken apart before: looked up by their first word.
pub(crate) struct WordPhrases {
    by_first: HashMap<&'static str, Vec<&'static str>>,
    /// Bits of what first words look like: most words are passed over by them.
    looks: [u64; LOOKS / 64],
}

const LOOKS: usize = 1024;

/// The bit of what a word looks like: its length, its first letter and its last.
fn look(word: &str) -> usize {
    let (Some(first), Some(last)) = (word.bytes().next(), word.bytes().next_back()) else { return 0 };
    (word.len() + 7 * usize::from(first) + 31 * usize::from(last)) % LOOKS
}

impl WordPhrases {
    /// Takes phrases whose words are separated by single spaces.
    pub(crate) fn of(list: impl IntoIterator<Item = &'static str>) -> Self {
        let mut phrases = Self { by_first: HashMap::new(), looks: [0; LOOKS / 64] };
        for phrase in list {
            let first = phrase.split(' ').next().unwrap_or_default();
            phrases.by_first.entry(first).or_default().push(phrase);
            let look = look(first);
            phrases.looks[look / 64] |= 1 << (look % 64);
        }
        phrases
    }

    /// The phrase the words begin with.
    pub(crate) fn open(&self, words: &[String]) -> Option<&'static str> {
        let first = words.first()?.as_str();
        let look = look(first);
        if self.looks[look / 64] & (1 << (look % 64)) == 0 {
            return None;
        }
        let list = self.by_first.get(first)?;
        list.iter().copied().find(|phrase| opens(words, phrase))
    }

    /// Whether one of them stands anywhere.
    pub(crate) fn within(&self, words: &[String]) -> bool {
        (0..words.len()).any(|at| self.open(&words[at..]).is_some())
    }
}

/// Whether the words begin with these.
pub(crate) fn opens(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|p| words.next().is_some_and(|w| w == p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::english::{CLAIM, PROBLEM, words_of};

    #[test]
    fn phrases_are_words() {
        for (text, found) in [
            ("a terrorist movie list", false),
            ("see errors.rs", false),
            ("`error` is a name", false),
            ("It Fails.", true),
            ("the crash-log", false),
            ("an error: x", true),
            ("all errors of a book", false),
        ] {
            assert_eq!(PROBLEM.find(text).is_some(), found, "{text}");
        }
        assert!(CLAIM.find("Read prefixed table").is_none());
    }

    #[test]
    fn whole_words_only() {
        let set = WordPhrases::of(["no", "not what i"]);
        let words = |text: &str| words_of(text).collect::<Vec<_>>();
        assert!(set.within(&words("well, no")) && set.within(&words("that's not what I meant")));
        assert!(!set.within(&words("I know nothing")) && !set.within(&words("not what we")));
        assert_eq!(set.open(&words("No way")), Some("no"));
    }
}
