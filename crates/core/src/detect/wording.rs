//! Observations made of the user's own words: their name, their key, their text.

use super::signals::{Turn, words_of};
use super::{Kind, Observation, Seen, Sure};
use crate::normal::slug::slug;
use crate::normal::statement;
use crate::session::{Origin, Session};

/// Longest text shown.
const LIMIT: usize = 400; // characters

/// What a message says, in the words of its user.
pub(super) fn said(detector: &'static str, kind: Kind, session: &Session, turn: &Turn, text: &str) -> Observation {
    let id = session.events[turn.at].id.clone();
    let mut o = Observation::new(detector, kind, session, vec![id.clone()], turn.at);
    o.claim.text = short(text);
    o.claim.name = slug(&telling(text, 5).join(" "));
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

/// Whether a text has only words that name nothing.
pub(crate) fn names_nothing(text: &str) -> bool {
    words_of(text).all(|w| SMALL.contains(&w.as_str()))
}

/// The same for the same statement.
pub fn normal_statement(text: &str) -> String {
    statement::canonical(text)
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
}
