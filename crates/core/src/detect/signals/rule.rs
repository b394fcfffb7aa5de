//! A rule for the agent in the user's words: a short clause, riding along in a task or a correction.

use super::message::{Message, Sentence, words_of};
use crate::detect::phrases::{has, opens};

/// The clause that lays down a rule.
pub(super) fn rule(message: &Message) -> Option<String> {
    // A message this long describes a task.
    if message.words.len() > 200 {
        return None;
    }
    let may = |s: &&Sentence| !s.asks && message.words_in(s).iter().any(|w| TELLING.contains(&w.as_str()));
    message.sentences.iter().filter(may).find_map(|s| {
        clauses(message.said_in(s)).into_iter().find(|clause| is_rule(clause)).map(|clause| bare(clause).to_owned())
    })
}

// Parts of a sentence that can stand alone.
fn clauses(sentence: &str) -> Vec<&str> {
    const JOINTS: &[&str] = &[", and ", ", but ", " and also ", " - ", ": "];
    let mut out = vec![sentence];
    for joint in JOINTS {
        out = out.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    out
}

// Without the words it may begin with.
fn bare(clause: &str) -> &str {
    let mut rest = clause.trim();
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let word = rest[..end].to_lowercase();
        if !LEADING.contains(&word.as_str()) || end == rest.len() {
            return rest;
        }
        rest = rest[end..].trim_start_matches(|c: char| !c.is_alphanumeric());
    }
}

fn is_rule(clause: &str) -> bool {
    let all: Vec<String> = words_of(clause).collect();
    let lead = all.iter().take_while(|w| LEADING.contains(&w.as_str())).count();
    let words = &all[lead..];
    if words.len() < 3 || words.len() > 40 {
        return false;
    }
    let forbids = ["never", "don't", "dont", "do not"].iter().find(|p| opens(words, p));
    if let Some(phrase) = forbids {
        let verb = &words[phrase.split(' ').count()];
        return !NOT_ACTING.contains(&verb.as_str());
    }
    let general = opens(words, "all") || opens(words, "every");
    opens(words, "always")
        || LASTING.iter().any(|p| has(words, p))
        || general && words.iter().any(|w| matches!(w.as_str(), "must" | "needs" | "can"))
}

/// A sentence without any of these lays down nothing.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "never", "don't", "dont", "not", "always", "all", "every", "now", "forward", "again", "repeats", "standing", "rule",
    "future", "whenever",
];
/// Words a clause may begin with that say nothing.
const LEADING: &[&str] = &["ok", "please", "and", "also", "but", "so", "yeah", "yes", "no", "just", "then", "oh"];
/// "don't worry", "I don't see it": no order.
#[rustfmt::skip]
const NOT_ACTING: &[&str] = &[
    "worry", "see", "think", "know", "have", "want", "need", "like", "understand", "get", "you", "we", "i", "mind", "care",
    "bother", "really", "work", "works", "seem", "directly",
];
#[rustfmt::skip]
const LASTING: &[&str] = &[
    "from now on", "going forward", "never again", "never repeats", "never happens again", "not happen again",
    "standing order", "standing orders", "standing item", "as a rule", "every new", "in the future always",
    "whenever you", "every time you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_ride_along() {
        for (said, expect) in [
            ("Looks fine. Never push to main directly.", "Never push to main directly."),
            ("ok do it, but don't use the global install", "don't use the global install"),
            ("from now on run the linter first", "from now on run the linter first"),
            (
                "dont forget to branch off main and not off this one",
                "dont forget to branch off main and not off this one",
            ),
            ("oh yes, one more: every new file needs a licence header", "every new file needs a licence header"),
            ("I don't see the button", "-"),
            ("do you never sleep?", "-"),
            ("the tests never pass here", "-"),
            ("don't worry about it", "-"),
            ("It always fails", "-"),
        ] {
            assert_eq!(rule(&Message::new(said)).as_deref().unwrap_or("-"), expect, "{said}");
        }
    }
}
