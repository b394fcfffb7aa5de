//! `discovery`: the assistant says that something was not as it seemed ("turns out", "root cause", "the trick"), in a
//! sentence that stands for itself.
//!
//! Most such words are plans, questions and headings: "let me find the root cause" found nothing yet. The sentence
//! must state something, and about something: a name in code marks, a path, a number.

use std::collections::BTreeSet;
use std::ops::Range;

use super::steps::Steps;
use super::texts::assistant;
use super::{Kind, Observation, Sure};
use crate::normal::english::{NON_OBVIOUS, around, cut, sentence};
use crate::normal::slug;
use crate::session::{Event, Origin, Session};

/// Most observations of one session.
const MOST: usize = 3;
/// Longest sentence shown.
const LIMIT: usize = 360;

/// Finds what was found out.
pub(super) fn discoveries(session: &Session, _steps: &Steps<'_>) -> Vec<Observation> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        let Some((said, anchors)) = stated(event) else { continue };
        let o = observe(session, at, said, &anchors);
        if seen.insert(o.claim.key.clone()) {
            out.push(o);
        }
    }
    out.sort_by_key(|o: &Observation| std::cmp::Reverse(o.claim.sure));
    out.truncate(MOST);
    out
}

/// The first sentence of a message that states a discovery, and the names in it.
fn stated(event: &Event) -> Option<(&str, Vec<&str>)> {
    assistant(event).find_map(|text| {
        NON_OBVIOUS.all(text).find_map(|place| {
            let said = told(text, &place)?;
            let anchors = anchors(said);
            (!anchors.is_empty()).then_some((said, anchors))
        })
    })
}

/// The sentence, if it states something; for a heading, the text below it.
fn told<'t>(text: &'t str, place: &Range<usize>) -> Option<&'t str> {
    if in_code(text, place.start) {
        return None;
    }
    let said = sentence(text, place);
    let before = &text[around(text, place).start..place.start];
    if plans(before) || said.ends_with(['?', ':']) || said.starts_with('|') {
        return None;
    }
    let rest = text[place.end..].trim_start_matches(['*', ':', '_', ' ', '#']);
    let below = rest.starts_with('\n') && before.trim_matches(|c: char| !c.is_alphabetic()).len() <= 4;
    let said = if below { first_sentence(rest)? } else { said };
    let states = below || states(&text[place.clone()], text[place.end..].trim_start_matches('*'));
    (states && (40..=LIMIT).contains(&said.len())).then_some(said)
}

fn first_sentence(text: &str) -> Option<&str> {
    let at = text.find(|c: char| c.is_alphanumeric())?;
    let skipped = &text[..at];
    if skipped.contains("```") || skipped.contains('|') {
        return None;
    }
    Some(sentence(text, &(at..at)))
}

/// "let me find the root cause", "if it turns out", "to see what the culprit is".
fn plans(before: &str) -> bool {
    const PLANNING: &[&str] = &[
        "let",
        "i'll",
        "i’ll",
        "will",
        "should",
        "if",
        "whether",
        "to",
        "find",
        "investigate",
        "identify",
        "understand",
        "need",
        "needs",
        "might",
        "may",
        "could",
        "likely",
        "probably",
        "possibly",
        "no",
        "not",
        "never",
        "potential",
        "until",
        "unless",
        "before",
        "can",
        "would",
        "when",
        "possible",
        "each",
        "every",
        "any",
        "apply",
        "same",
    ];
    before
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'))
        .any(|w| PLANNING.iter().any(|p| w.eq_ignore_ascii_case(p)))
}

/// "Root cause" and the like need a statement behind them; "turns out" always has one.
fn states(phrase: &str, after: &str) -> bool {
    let lower = phrase.to_ascii_lowercase();
    if lower.starts_with("turn") || lower.starts_with("surprising") || lower.starts_with("counter") {
        return !after.trim_start().starts_with("to be fine");
    }
    let clause = after.split(['.', ';', '\n']).next().unwrap_or_default();
    clause.starts_with(':')
        || [" is ", " was ", " — ", ": ", " - ", " are ", " were "].iter().any(|w| clause.contains(w))
}

/// Whether a place is inside a fenced block.
fn in_code(text: &str, at: usize) -> bool {
    memchr::memmem::find_iter(&text.as_bytes()[..at], b"```").count() % 2 == 1
}

/// What the sentence is about: names in code marks, else words that only code has.
fn anchors(said: &str) -> Vec<&str> {
    let marked: Vec<&str> = said.split('`').skip(1).step_by(2).filter(|m| m.len() > 1 && m.len() <= 60).collect();
    if !marked.is_empty() {
        return marked;
    }
    let coded = |w: &&str| {
        w.len() > 3
            && (w.contains(['_', '/', '=']) || w.contains("::") || w.contains("()") || w.contains('.'))
            && w.bytes().any(|b| b.is_ascii_alphabetic())
            && !w.starts_with("http")
            || (w.len() > 5
                && w.bytes().skip(1).any(|b| b.is_ascii_uppercase())
                && w.bytes().any(|b| b.is_ascii_lowercase()))
    };
    said.split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '(' | ')')))
        .filter(coded)
        .collect()
}

fn observe(session: &Session, at: usize, said: &str, anchors: &[&str]) -> Observation {
    let events = vec![session.events[at].id.clone()];
    let mut o = Observation::new("discovery", Kind::Insight, session, events, at);
    let said = said.replace("**", "");
    o.claim.name = slug(&format!("discovery-{}", anchors[0]));
    o.claim.title = cut(&said, 80);
    o.claim.text = cut(&said, LIMIT);
    // Every discovery has a non-obvious phrase; a name in code marks makes it sure.
    o.claim.sure = if said.contains('`') { Sure::High } else { Sure::Medium };
    o.claim.trust = Origin::Assistant;
    o.claim.telling = false;
    let mut about: Vec<String> = anchors.iter().map(|a| a.to_lowercase()).collect();
    about.sort_unstable();
    about.dedup();
    about.truncate(4);
    o.claim.key = format!("discovery | {}", about.join(" "));
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<String> {
        let s = session(script);
        discoveries(&s, &Steps::new(&s)).into_iter().map(|o| o.claim.text).collect()
    }

    #[test]
    fn a_sentence_that_states_something_is_quoted() {
        assert_eq!(
            seen("a I looked at it. It turns out `make deps` has to run before the tests. Next I go on."),
            ["It turns out `make deps` has to run before the tests."]
        );
        assert_eq!(
            seen("a **Root cause:** the book is opened twice and `close()` frees the first one"),
            ["Root cause: the book is opened twice and `close()` frees the first one"]
        );
    }

    #[test]
    fn plans_questions_and_substrings_are_none() {
        for text in [
            "a Let me find the root cause of the failing `make test` run.",
            "a If it turns out that `make test` is slow, we can look again.",
            "a What is the root cause of `make test` failing: is it the book?",
            "a This returns outer values of `make test` for the whole book.",
            "a It turns out that all of this is simply fine as it is now.",
            "a ``` root cause is `x` and this is a block that goes on and on",
            "u it turns out that `make deps` has to run before the tests",
        ] {
            assert_eq!(seen(text).len(), 0, "{text}");
        }
    }
}
