//! Which messages are worth a reader's time: a cheap score, so that what is sent is short.
//!
//! It need not tell what is durable; that is the reader's work. It has to put what certainly is not last: approvals, thanks,
//! "go on". Weights were not fitted; they are few and round.

use crate::detect::signals::{Signal, Turn};
use crate::normal::notes;
use crate::session::{Body, Event, Outcome, Session, ToolKind};

/// From here on a message is sent wherever there is room for its session.
pub(super) const WORTH: i32 = 2;

/// Words of a message that is most likely a document.
const LONG: usize = 150;
/// Words of one that can hardly say anything.
const SHORT: usize = 3;
/// An answer is not longer than this.
const ANSWER: usize = 6; // words
/// How many cues count.
const CUES_COUNTED: usize = 3;

/// How promising the message at a place is; `None` if nobody typed it.
pub(super) fn score(session: &Session, at: usize) -> Option<i32> {
    let turn = Turn::at(session, at)?;
    let words = &turn.message.words;
    if words.is_empty() {
        return None;
    }
    let signals: i32 = turn.signals().into_iter().map(weight).sum();
    let cues = words.iter().filter(|w| CUES.contains(&w.as_str())).count().min(CUES_COUNTED);
    let cues = 2 * i32::try_from(cues).unwrap_or(0);
    let length = match words.len() {
        n if n < SHORT => -4,
        n if n > LONG => -1,
        n if n > ANSWER => 1,
        _ => 0,
    };
    let answers = words.len() <= ANSWER && ANSWERS.contains(&words[0].as_str());
    let answers = if answers { -3 } else { 0 };
    let interrupted = i32::from(is_interrupted_before(session, at));
    let written = if writes_instructions_after(session, at) { 3 } else { 0 };
    Some(signals + cues + length + answers + interrupted + written)
}

fn weight(signal: Signal) -> i32 {
    match signal {
        Signal::Rule | Signal::Save => 4,
        Signal::Correction | Signal::Decision | Signal::Pitfall => 3,
        Signal::Workflow | Signal::Procedural => 2,
    }
}

/// Whether the person stopped what was going on to say this.
fn is_interrupted_before(session: &Session, at: usize) -> bool {
    let before = session.events[..at].iter().rev().take_while(|e| !e.is_typed()).take(2);
    before.into_iter().any(|e| e.call().is_some_and(|c| matches!(c.outcome, Outcome::Interrupted | Outcome::Denied)))
}

/// Whether the agent wrote into a file of instructions before the next message.
fn writes_instructions_after(session: &Session, at: usize) -> bool {
    session.events[at + 1..].iter().take_while(|e| !e.is_typed()).any(|e| instructions_of(e).is_some())
}

/// The file of instructions that an event changed.
pub(super) fn instructions_of(event: &Event) -> Option<&str> {
    let Body::Call(call) = &event.body else { return None };
    let name = call.input.rsplit(['/', '\\']).next().unwrap_or_default();
    let changed = call.kind == ToolKind::Edit && call.outcome == Outcome::Ok;
    (changed && notes::place_of(&call.input).is_some()).then_some(name)
}

/// Words with which people say how things should be.
#[rustfmt::skip]
const CUES: &[&str] = &[
    "always", "never", "should", "shouldn't", "must", "mustn't", "don't", "dont", "avoid", "prefer", "instead", "rather",
    "convention", "conventions", "standard", "standards", "style", "rule", "rules", "policy", "guideline", "guidelines",
    "remember", "forget", "future", "again", "usually", "normally", "supposed", "ensure", "without", "only", "expect", "why",
    "consistent", "pattern", "idiomatic", "everywhere", "whenever", "every", "each", "not", "isn't", "aren't", "didn't", "still",
    "want", "need", "our", "keep", "stop", "no", "wrong", "actually", "because", "since", "memory", "learnings", "learning",
    "note", "record", "memorize", "log", "document", "save", "knowledge",
];

/// Words with which answers and approvals begin.
#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "yes", "yeah", "yep", "ok", "okay", "sure", "continue", "proceed", "go", "lgtm", "great", "perfect", "thanks", "thank", "commit",
    "push", "done", "good", "nice", "cool", "right", "both", "all", "do", "try", "hi", "hello", "merge", "ship", "fine",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    #[test]
    fn what_teaches_comes_before_what_answers() {
        for (text, worth) in [
            ("why aren't we using table-driven tests here?", true),
            ("don't hard wrap lines in markdown, github shows the breaks", true),
            ("Postgres runs on the other host, not on localhost", true),
            ("remember to ask for a review after each pull request", true),
            ("yes", false),
            ("ok, go ahead", false),
            ("commit and push", false),
            ("continue", false),
        ] {
            let s = session(&format!("u fix it\na done\nu {text}\na ok"));
            assert_eq!(score(&s, 2).is_some_and(|n| n >= WORTH), worth, "{text}: {:?}", score(&s, 2));
        }
        let s = session("u x\na y\n$ make");
        assert_eq!(score(&s, 1), None);
    }

    #[test]
    fn a_message_after_which_instructions_are_written_is_worth_more() {
        let plain = session("u fix it\na done\nu the tests live elsewhere you know\na ok\ne src/a.rs");
        let kept = session("u fix it\na done\nu the tests live elsewhere you know\na ok\ne docs/AGENTS.md");
        assert!(score(&kept, 2) > score(&plain, 2));
    }
}
