//! One English: what detectors take words, sentences and phrases for.
//!
//! Comes in: texts of people and agents. Goes out: their lower-case words ([`words_of`]), their sentences (`sentences_of`,
//! `sentence`), the phrases in them (`WordPhrases` in words, `TextPhrases` in a text as it stands), and word classes by
//! name ([`Class`]): a class is a table of phrases, never a list beside a detector. Deliberately absent: other languages.
//! What is not English is met with silence ([`is_english`]).

mod classes;
mod lists;
mod phrases;
mod sentences;

pub use classes::{Class, English};
pub(crate) use classes::{SPELLINGS, could_be_done, negates, tells_to};
pub(crate) use lists::{CAUSE, CLAIM, NON_OBVIOUS, PROBLEM};
pub(crate) use sentences::{around, cut, sentence, sentences_of, whole_sentences};

/// Lower-case words of a text, apostrophes and hyphens inside them kept.
pub fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')))
        .map(|word| word.trim_matches(['\'', '’', '-']))
        .filter(|word| !word.is_empty())
        .map(|word| match word.is_ascii() {
            true => word.to_ascii_lowercase(),
            false => word.to_lowercase().replace('’', "'"),
        })
}

/// Fewer words cannot tell a language: they count as English if all their letters are.
const FEW: usize = 4;
/// Of so many words one has to be a small English word.
const SMALL_SHARE: usize = 12;

/// Whether words are English. Letters of other alphabets and a text without any of the small words that every English
/// sentence is held together by are not.
pub fn is_english(words: &[String]) -> bool {
    let foreign = words.iter().filter(|w| w.chars().any(|c| c.is_alphabetic() && !c.is_ascii())).count();
    if foreign * 8 > words.len() {
        return false;
    }
    let small = words.iter().filter(|w| HOLDING.contains(&w.as_str()) || w.contains("n't")).count();
    words.len() <= FEW || small * SMALL_SHARE >= words.len().min(60)
}

/// Small words that hold English sentences together, without those that other languages share.
#[rustfmt::skip]
const HOLDING: &[&str] = &[
    "the", "to", "is", "it", "of", "and", "that", "we", "you", "for", "not", "this", "with", "be", "are", "do", "should", "can", "use",
    "have", "if", "but", "there", "what", "why", "how", "when", "never", "always", "don't", "all", "add", "make", "i'm", "it's", "let's",
    "my", "our", "your", "from", "only", "instead", "please", "just", "run", "any", "every", "still", "too", "yes", "also", "as", "at",
    "by", "or", "on", "which", "was", "has", "would", "could", "they", "them", "these", "those", "like", "then", "now", "fix", "check",
    "update", "look", "need", "want", "where", "again", "stop", "keep", "push", "commit", "before", "after", "remember", "dont",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_english_is_told() {
        for (text, expected) in [
            ("never push to main", true),
            ("the build fails on windows, use pwsh instead", true),
            ("no", true),
            ("rebase onto develop", true),
            ("Nein, das ist falsch, nimm bitte pnpm statt npm", false),
            ("no, usa siempre pnpm en lugar de npm", false),
            ("non, il ne faut jamais pousser sur main directement", false),
            ("никогда не пушь в main", false),
            ("永远不要直接推送到 main", false),
        ] {
            assert_eq!(is_english(&words_of(text).collect::<Vec<_>>()), expected, "{text}");
        }
    }

    #[test]
    fn words_keep_what_belongs_inside() {
        let words: Vec<String> = words_of("Don’t, full-auto -- 'x' v1.2").collect();
        assert_eq!(words, ["don't", "full-auto", "x", "v1", "2"]);
    }
}
