//! The words of a statement and of its quotes, as far as they can be compared.

use std::collections::BTreeSet;

use crate::detect::signals::words_of;

/// The stems of the words that say something, each once.
pub(super) fn content(text: &str) -> BTreeSet<String> {
    content_if(text, |_| true)
}

/// The same of words for which something holds.
pub(super) fn content_if(text: &str, holds: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let words = words_of(text).filter(|w| holds(w)).flat_map(|w| parts(&w));
    words.filter(|w| says_something(w) && holds(w)).map(|w| stem(&w)).collect()
}

/// How many words of texts say something, each counted once: what has no space in it is one word, however it is joined.
pub(super) fn telling(texts: &[&str]) -> usize {
    let all: BTreeSet<BTreeSet<String>> = texts.iter().flat_map(|t| t.split_whitespace()).map(content).collect();
    all.into_iter().filter(|stems| !stems.is_empty()).count()
}

/// A compound, and the words it is made of: "table-driven" is said by "table driven", too.
fn parts(word: &str) -> Vec<String> {
    word.split('-').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether a word says something by itself. Words that forbid do: see [`super::polarity`] for what they say.
pub(super) fn says_something(word: &str) -> bool {
    word.chars().count() > 1 && !EMPTY.contains(&word)
}

/// A word without its ending, roughly: "tests", "testing" and "tested" are one. Too much is cut rather than too little; a stem
/// is only ever compared with another.
pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let cut = |end: &str, least: usize| word.strip_suffix(end).filter(|rest| rest.chars().count() >= least);
    let bare = match () {
        () if let Some(rest) = cut("ies", 2) => format!("{rest}y"),
        () if let Some(rest) = cut("ing", 2).or_else(|| cut("ed", 2)) => undoubled(rest),
        () if let Some(rest) = cut("es", 3) => rest.to_owned(),
        () if let Some(rest) = cut("s", 3).filter(|rest| !rest.ends_with(['s', 'u', 'i'])) => rest.to_owned(),
        () => word.to_owned(),
    };
    bare.strip_suffix('e').filter(|rest| rest.chars().count() >= 2).unwrap_or(&bare).to_owned()
}

/// "committ" is "commit".
fn undoubled(stem: &str) -> String {
    let mut ends = stem.chars().rev();
    match (ends.next(), ends.next()) {
        // "add" is a word itself.
        (Some(last), Some(before)) if last == before && ends.count() > 1 && !matches!(last, 'l' | 's' | 'e' | 'o') => {
            stem[..stem.len() - last.len_utf8()].to_owned()
        }
        _ => stem.to_owned(),
    }
}

/// Words that name nothing, ask for nothing and forbid nothing. "yes, do that" has no other.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "it's", "that's", "there", "here", "i", "i'm", "i'd", "i'll",
    "i've", "me", "my", "we", "we're", "us", "our", "you", "you're", "your", "he", "she", "they", "them", "their", "who", "what",
    "which", "whose", "and", "or", "but", "nor", "so", "if", "then", "than", "as", "at", "by", "for", "from", "in", "into", "of",
    "on", "onto", "to", "up", "with", "about", "over", "off", "out", "be", "is", "are", "was", "were", "been", "being", "am", "do",
    "does", "did", "done", "doing", "have", "has", "had", "having", "will", "would", "shall", "should", "can", "could", "may",
    "might", "must", "let", "let's", "lets", "go", "ahead", "get", "got", "just", "also", "too", "very", "really", "actually",
    "please", "pls", "thanks", "thank", "ok", "okay", "yes", "yeah", "yep", "yup", "sure", "right", "well", "now", "again",
    "some", "any", "such", "like", "one", "ones", "thing", "things", "something", "how", "when", "where", "why", "because",
    "while", "before", "after", "until", "during", "through", "between", "within", "via", "per", "more", "most", "much", "many", "lot", "want", "need", "make", "sure", "think", "know", "see", "etc",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_the_same_have_one_stem() {
        for same in [
            &["test", "tests", "testing", "tested"][..],
            &["commit", "commits", "committing", "committed"],
            &["add", "adds", "adding", "added"],
            &["use", "uses", "using", "used"],
            &["dependency", "dependencies"],
            &["wrap", "wraps", "wrapping", "wrapped"],
            &["database", "databases"],
            &["fix", "fixes", "fixed"],
            &["class", "classes"],
        ] {
            let stems: BTreeSet<String> = same.iter().map(|w| stem(w)).collect();
            assert_eq!(stems.len(), 1, "{stems:?}");
        }
        assert_ne!(stem("main"), stem("master"));
    }

    #[test]
    fn an_approval_says_nothing() {
        for text in ["yes, do that", "ok go ahead", "please do it, thanks", "sure, let's do this one"] {
            assert!(content(text).is_empty(), "{text}: {:?}", content(text));
        }
        assert_eq!(content("use pnpm, not npm").len(), 4);
        assert_eq!(telling(&["on db.internal:5433, not"]), 2);
        assert_eq!(telling(&["table-driven tests", "Tests!"]), 2);
        assert_eq!(content("table-driven tests"), content("tests, table driven"));
    }
}
