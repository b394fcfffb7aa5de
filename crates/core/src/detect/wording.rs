//! Observations made of the user's own words: their name, their key, their text.

use std::collections::BTreeSet;

use super::signals::{Turn, words_of};
use super::{Kind, Observation, Seen, Sure};
use crate::normal::slug;
use crate::normal::statement;
use crate::session::{Origin, Session};

/// Longest text shown.
const LIMIT: usize = 400; // characters

/// What a message says, in the words of its user.
pub(super) fn said(detector: &'static str, kind: Kind, session: &Session, turn: &Turn, text: &str) -> Observation {
    let id = session.events[turn.at].id.clone();
    let mut o = Observation::new(detector, kind, session, vec![id.clone()], turn.at);
    o.claim.text = short(text);
    o.claim.name = name(text);
    o.claim.key = normal_statement(text);
    o.claim.trust = Origin::User;
    o.seen = Seen::Said { message: id, alone: turn.says_only(text) };
    o.claim.sure = Sure::Medium;
    o
}

/// One line, cut if long.
pub(crate) fn short(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= LIMIT { one } else { format!("{}…", one.chars().take(LIMIT - 1).collect::<String>()) }
}

/// The first words that say what a text is about.
pub(crate) fn telling(text: &str, most: usize) -> Vec<String> {
    words_of(text).filter(|w| w.len() > 2 && !SMALL.contains(&w.as_str())).take(most).collect()
}

/// A safe name for what a text says: its first telling words, and every word among them that forbids. A name that lost its
/// "not" says the opposite.
pub(crate) fn name(text: &str) -> String {
    const TELLING: usize = 5;
    let mut left = TELLING;
    let mut out = Vec::new();
    for word in words_of(text) {
        if left == 0 {
            break;
        }
        if let Some(forbids) = forbidding(&word) {
            out.push(forbids.to_owned());
        } else if word.len() > 1 && ![SMALL, LINKING].iter().any(|small| small.contains(&word.as_str())) {
            out.push(word);
            left -= 1;
        }
    }
    slug(&out.join(" "))
}

/// Words of two letters that only link others; `pr`, `ci` or `go` name something.
const LINKING: &[&str] = &["as", "at", "by", "do", "he", "if", "in", "me", "my", "on", "or", "up", "us"];

/// How a word that forbids is written in a name.
fn forbidding(word: &str) -> Option<&'static str> {
    match word {
        "never" => Some("never"),
        "no" => Some("no"),
        "not" => Some("not"),
        "without" => Some("without"),
        "cannot" => Some("not"),
        // don't, doesn't, shouldn't …; also as they are typed in a hurry.
        _ if word.ends_with("n't") || word.ends_with("n’t") => Some("not"),
        "dont" | "doesnt" | "shouldnt" | "mustnt" | "cant" | "wont" => Some("not"),
        _ => None,
    }
}

/// Whether a text has only words that name nothing.
pub(crate) fn names_nothing(text: &str) -> bool {
    words_of(text).all(|w| SMALL.contains(&w.as_str()))
}

/// The same for the same statement.
pub(crate) fn normal_statement(text: &str) -> String {
    statement::canonical(text)
}

/// The share of two statements' words that are the same if they are about one thing.
const SAME_SUBJECT: f64 = 0.6;

/// Whether of two statements about one thing one forbids what the other wants.
pub(crate) fn opposite(one: &str, other: &str) -> bool {
    let apart = |text: &str| {
        let words = statement::words(text);
        let forbids = words.iter().any(|w| w == "not");
        (forbids, words.into_iter().filter(|w| w != "not" && w.len() > 1).collect::<BTreeSet<_>>())
    };
    let ((forbids, one), (allows, other)) = (apart(one), apart(other));
    let (both, all) = (one.intersection(&other).count(), one.union(&other).count());
    forbids != allows && both >= 2 && both as f64 >= SAME_SUBJECT * all as f64
}

/// Words that name nothing.
#[rustfmt::skip]
pub(crate) const SMALL: &[&str] = &[
    "the", "and", "for", "that", "this", "with", "are", "you", "always", "never", "when", "have", "has", "must", "should",
    "use", "not", "all", "our", "from", "into", "please", "don't", "dont", "ok", "okay", "a", "an", "to", "of", "i", "think",
    "it", "is", "be", "we", "can", "just", "also", "so", "let's", "lets",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_statement_has_the_same_key() {
        assert_eq!(normal_statement("Never push to main!"), normal_statement("please, never push to main"));
        assert_ne!(normal_statement("Never push to main"), normal_statement("Never push to dev"));
        assert_eq!(telling("Never push to the main branch, ever", 3), ["push", "main", "branch"]);
        assert_eq!(short(&"ä ".repeat(1_000)).chars().count(), LIMIT);
    }

    #[test]
    fn opposites_speak_of_one_thing() {
        for (one, other, expected) in [
            ("Never wrap prose by hand", "always wrap prose by hand", true),
            ("Always wrap prose at 80 columns", "don't wrap prose at 80 columns", true),
            ("Never wrap prose by hand", "never wrap prose by hand", false),
            ("Never push to main", "push to main after a review of two people", false),
            ("Never push to main", "run the tests first", false),
        ] {
            assert_eq!(opposite(one, other), expected, "{one} / {other}");
        }
    }

    #[test]
    fn a_name_keeps_what_forbids() {
        for (text, expected) in [
            ("don't create a pr, just a commit", "not-create-pr-commit"),
            ("Never push to main", "never-push-main"),
            ("use pnpm, not npm", "pnpm-not-npm"),
            ("no more snapshot tests please", "no-more-snapshot-tests"),
            ("commit without the co-author line", "commit-without-co-author-line"),
            ("you shouldn’t touch the generated files", "not-touch-generated-files"),
            ("run make deps first", "run-make-deps-first"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }
}
