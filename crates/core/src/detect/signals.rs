//! What a message of the user is, in words and clauses: a correction, a request to keep something.
//!
//! Words, not substrings: "know" is not "no". Machine messages and pasted text never come here.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Serialize;

use crate::session::{Author, Body, Event, Session};

/// What a message may be; several may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// It puts the agent right.
    Correction,
    /// It asks to keep something.
    Save,
}

impl Signal {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Save => "save",
        }
    }
}

/// The signals of the event at a place of a session.
pub fn signals_of(session: &Session, at: usize) -> Vec<Signal> {
    let Some(text) = session.events.get(at).and_then(Event::human_text) else { return Vec::new() };
    let mut out = Vec::new();
    let acted = session.events[..at].iter().any(|e| !matches!(e.body, Body::User { .. }));
    if acted && is_correction(&text, followed_claim(session, at)) {
        out.push(Signal::Correction);
    }
    if save_request(&text).is_some() {
        out.push(Signal::Save);
    }
    out
}

/// Whether the agent had just said that something is done.
fn followed_claim(session: &Session, at: usize) -> bool {
    let last = session.events[..at]
        .iter()
        .rev()
        .take_while(|e| !matches!(&e.body, Body::User { author: Author::Human, .. }))
        .find_map(|e| match &e.body {
            Body::Assistant { text } => Some(text.to_text().to_lowercase()),
            _ => None,
        });
    let claims = [
        "done",
        "fixed",
        "now ",
        "should work",
        "completed",
        "complete",
        "added",
        "updated",
        "implemented",
        "working",
        "all tests pass",
        "ready",
    ];
    last.is_some_and(|t| claims.iter().any(|c| t.contains(c)))
}

/// Lower-case words of a text, apostrophes kept.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '-'))
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether the words occur in this order, next to each other.
fn has(words: &[String], phrase: &str) -> bool {
    (0..words.len()).any(|at| opens(&words[at..], phrase))
}

fn opens(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|p| words.next().is_some_and(|w| w == p))
}

/// Whether one of the phrases stands anywhere; looked up by its first word, because there are many phrases.
fn has_any(words: &[String], phrases: &LazyLock<Phrases>) -> bool {
    (0..words.len())
        .any(|at| phrases.get(words[at].as_str()).is_some_and(|list| list.iter().any(|p| opens(&words[at..], p))))
}

type Phrases = HashMap<&'static str, Vec<&'static str>>;

fn by_first_word(lists: &[&[&'static str]]) -> Phrases {
    let mut out = Phrases::new();
    for phrase in lists.iter().copied().flatten() {
        out.entry(phrase.split(' ').next().unwrap_or_default()).or_default().push(phrase);
    }
    out
}

/// Openings that look like a "no" and are none.
const HARMLESS: &[&str] = &[
    "no problem",
    "no worries",
    "no need",
    "no rush",
    "no thanks",
    "no idea",
    "no more",
    "no changes",
    "no issues",
    "wait for",
    "wait until",
    "actually great",
    "not sure",
    "no questions",
    "stop here",
];
const OPENINGS: &[&str] = &[
    "no",
    "nope",
    "nah",
    "wait",
    "hmm",
    "hm",
    "don't",
    "dont",
    "do not",
    "never",
    "that's not",
    "thats not",
    "that is not",
    "that isn't",
    "this is not",
    "this isn't",
    "not that",
    "not what",
    "wrong",
    "incorrect",
    "i meant",
    "i mean",
    "i said",
    "you misunderstood",
    "stop",
    "why did you",
    "why are you",
    "why do you",
    "why is it still",
    "it still",
    "still",
    "you still",
    "you forgot",
    "you missed",
    "you didn't",
    "you should have",
    "you shouldn't",
    "i don't want",
    "i dont want",
    "i didn't ask",
    "i don't see",
    "i dont see",
    "i was talking",
    "i thought",
    "isn't that",
    "isn't it",
    "shouldn't",
    "revert",
    "undo",
    "actually no",
    "but you",
    "but i",
    "but it",
    "but that",
    "that doesn't",
    "that didn't",
    "it doesn't",
    "it didn't",
    "this doesn't",
    "doesn't work",
    "not working",
    "that's wrong",
    "this is wrong",
];
const ANYWHERE: &[&str] = &[
    "talking about",
    "i meant",
    "that's wrong",
    "is wrong",
    "not what i",
    "you're wrong",
    "instead of",
    "should not be",
    "shouldn't be",
    "should have been",
    "you forgot",
    "you missed",
    "you broke",
    "you removed",
    "you deleted",
    "still failing",
    "still fails",
    "still broken",
    "still not",
    "still doesn't",
    "still see",
    "still getting",
    "still shows",
    "didn't work",
    "doesn't work",
    "does not work",
    "isn't working",
    "not working",
    "does nothing",
    "that's not",
    "isn't what",
    "you should have",
    "why did you",
    "there's no need",
    "you don't need to",
    "we don't need",
    "handle it yourself",
    "you run it",
    "you can run",
    "never do",
    "stop doing",
    "try again",
    "not the right",
    "the wrong",
    "wasn't supposed",
    "not supposed to",
    "go back to",
    "roll back",
    "rather than",
    "looks like you",
    "seems like you",
    "no longer works",
];
/// Openings of errands that correct nothing.
const ERRANDS: &[&str] = &[
    "commit",
    "push",
    "ship",
    "merge",
    "please commit",
    "ok commit",
    "yes",
    "ok",
    "okay",
    "great",
    "perfect",
    "thanks",
    "thank",
    "lgtm",
    "continue",
    "go ahead",
    "proceed",
    "good",
    "sounds good",
    "nice",
];

static STRONG: LazyLock<Phrases> = LazyLock::new(|| by_first_word(&[ANYWHERE]));
static AFTER_BUT: LazyLock<Phrases> = LazyLock::new(|| by_first_word(&[ANYWHERE, OPENINGS]));
static REPORTED: LazyLock<Phrases> = LazyLock::new(|| by_first_word(&[REPORTS]));

/// Whether a message puts the agent right. `claimed`: the agent had just said that it was done.
pub fn is_correction(text: &str, claimed: bool) -> bool {
    let head: String = text.chars().take(600).collect();
    let all = words(&head);
    if all.is_empty() || all.len() > 160 || HARMLESS.iter().any(|h| opens(&all, h)) {
        return false;
    }
    if OPENINGS.iter().any(|o| opens(&all, o)) {
        return true;
    }
    if ERRANDS.iter().any(|e| opens(&all, e)) {
        // "looks good but …": what follows decides
        let Some(but) = all.iter().position(|w| w == "but") else { return false };
        return has_any(&all[but + 1..], &AFTER_BUT);
    }
    if all.len() > 90 {
        return false;
    }
    let strong = has_any(&all, &STRONG);
    let reported = claimed && all.len() <= 60 && has_any(&all, &REPORTED);
    strong || reported
}

/// What people write when the thing that was "done" is not.
const REPORTS: &[&str] = &[
    "i don't see",
    "i can't see",
    "i get",
    "i'm getting",
    "i am getting",
    "it shows",
    "it fails",
    "fails with",
    "still",
    "no longer",
    "is not",
    "isn't",
    "aren't",
    "can't",
    "cannot",
    "doesn't",
    "didn't",
    "not being",
    "nothing happens",
    "missing",
    "only shows",
    "not visible",
    "error",
    "broken",
    "too much",
    "too many",
    "too big",
    "too small",
    "hard to",
];

/// A request to keep something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// The name the user gave, if any.
    pub name: Option<String>,
    /// What to keep, if the message says it in words.
    pub what: Option<String>,
}

/// Finds a request to keep something as a skill or note.
pub fn save_request(text: &str) -> Option<Save> {
    let head: String = text.chars().take(1_000).collect();
    let all = words(&head);
    if all.len() > 120 {
        return None;
    }
    let skill = all.iter().any(|w| {
        matches!(
            w.as_str(),
            "skill" | "skills" | "lesson" | "learning" | "memory" | "procedure" | "workflow" | "playbook" | "runbook"
        )
    });
    let later = has(&all, "for later")
        || has(&all, "next time")
        || has(&all, "for the future")
        || has(&all, "in the future")
        || has(&all, "for future");
    let asks = has(&all, "add a skill")
        || has(&all, "create skill about")
        || has(&all, "create a skill about")
        || has(&all, "create a skill for")
        || has(&all, "save as skill")
        || has(&all, "save as a skill")
        || has(&all, "make a skill")
        || has(&all, "make this a skill")
        || has(&all, "turn this into a skill")
        || has(&all, "note this down")
        || has(&all, "log a learning")
        || (has(&all, "remember this") && !has(&all, "do you remember this") && !has(&all, "i remember this"))
        || (has(&all, "save this")
            && (skill || later || name_after_as(&head).is_some() || ends_with_phrase(&all, "save this", 2)))
        || ((has(&all, "add this to")
            || has(&all, "add that to")
            || has(&all, "put this in")
            || has(&all, "write this down in"))
            && all.iter().any(|w| matches!(w.as_str(), "claude" | "agents" | "memory" | "memories")));
    // Saving a document is not keeping a lesson.
    let document = !skill && all.iter().any(|w| DOCUMENTS.contains(&w.as_str()));
    if !asks || document || all.first().is_some_and(|w| matches!(w.as_str(), "how" | "what" | "why" | "can't" | "did"))
    {
        return None;
    }
    Some(Save { name: name_after_as(&head), what: said(&head) })
}

const DOCUMENTS: &[&str] = &[
    "file",
    "checkpoint",
    "commit",
    "branch",
    "pr",
    "issue",
    "draft",
    "image",
    "screenshot",
    "csv",
    "json",
    "pdf",
    "markdown",
    "disk",
    "folder",
    "template",
];

fn ends_with_phrase(words: &[String], phrase: &str, slack: usize) -> bool {
    let len = phrase.split(' ').count();
    words.len() >= len
        && (0..=slack.min(words.len() - len)).any(|s| has(&words[words.len() - len - s..words.len() - s], phrase))
}

/// `… as docker-dev` → `docker-dev`; "as a skill" names nothing.
fn name_after_as(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let after = words.iter().rposition(|w| w.eq_ignore_ascii_case("as"))?;
    let mut rest =
        words[after + 1..].iter().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '_'));
    let name = rest.find(|w| {
        !matches!(
            w.to_ascii_lowercase().as_str(),
            "a" | "an"
                | "the"
                | "skill"
                | "called"
                | "named"
                | "new"
                | "please"
                | "my"
                | "our"
                | "note"
                | "lesson"
                | "it"
                | "soon"
                | "well"
                | "possible"
                | "is"
                | "learning"
                | ""
        )
    })?;
    let plain = name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    plain.then(|| name.to_owned())
}

/// `Remember this: …` → what follows.
fn said(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    for phrase in ["remember this", "note this down", "save this", "log a learning"] {
        let Some(at) = lower.find(phrase) else { continue };
        // Lower-casing may change lengths outside ASCII; then there is no safe place to cut.
        let Some(rest) = text.get(at + phrase.len()..) else { continue };
        let Some(said) = rest.trim_start().strip_prefix([':', ',', '-', '—']) else { continue };
        let said = said.trim();
        if words(said).len() >= 3 {
            return Some(said.to_owned());
        }
    }
    None
}
