//! A request to keep something: as a skill, in the memory, in the notes.

use std::sync::LazyLock;

use super::message::{Message, words_of};
use crate::detect::phrases::{WordPhrases, has};

/// A request to keep something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Save {
    /// The name the user gave, if any.
    pub name: Option<String>,
    /// What to keep, if the message says it in words.
    pub what: Option<String>,
    /// Whether the agent is to write it down somewhere itself.
    pub elsewhere: bool,
}

/// Finds a request to keep something as a skill or note.
pub(super) fn save_request(message: &Message) -> Option<Save> {
    let all = &message.words;
    if all.len() > 120 || all.first().is_some_and(|w| ASKING.contains(&w.as_str())) {
        return None;
    }
    let skill = all.iter().any(|w| KEPT_AS.contains(&w.as_str()));
    // Saving a document is not keeping a lesson.
    let document = !skill && all.iter().any(|w| DOCUMENTS.contains(&w.as_str()));
    let asks = ASKS.within(all) || remembers(all) || saves(message, skill);
    let (here, elsewhere) = (asks && !document, puts_down(message) || has(all, "down in"));
    (here || puts_down(message)).then(|| Save {
        name: name_after_as(&message.text),
        what: said(&message.text),
        elsewhere,
    })
}

static ASKS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[ASKS_LIST]));

#[rustfmt::skip]
const ASKS_LIST: &[&str] = &[
    "add a skill", "create skill about", "create a skill about", "create a skill for", "save as skill", "save as a skill",
    "make a skill", "make this a skill", "turn this into a skill", "note this down", "note that down", "noting this down",
    "log a learning", "log this as a learning",
];
const ASKING: &[&str] = &["how", "what", "why", "can't", "did"];
#[rustfmt::skip]
const KEPT_AS: &[&str] = &[
    "skill", "skills", "lesson", "learning", "learnings", "memory", "procedure", "workflow", "playbook", "runbook",
];
#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "file", "checkpoint", "commit", "branch", "pr", "issue", "draft", "image", "screenshot", "csv", "json", "pdf", "markdown",
    "disk", "folder", "template",
];

fn remembers(words: &[String]) -> bool {
    let asked = |phrase: &str| has(words, phrase);
    asked("remember this") && !asked("do you remember this") && !asked("i remember this")
        || ["memorize", "memorise"].iter().any(|w| asked(w)) && !asked("did you memorize")
}

fn saves(message: &Message, skill: bool) -> bool {
    let words = &message.words;
    let later =
        ["for later", "next time", "for the future", "in the future", "for future"].iter().any(|p| has(words, p));
    has(words, "save this")
        && (skill || later || name_after_as(&message.text).is_some() || ends_with(words, &["save", "this"], 2))
}

// A verb of writing, and behind it a place where lessons are kept.
fn puts_down(message: &Message) -> bool {
    message.sentences.iter().filter(|s| !s.asks || opens_politely(message.words_in(s))).any(|s| {
        let words = message.words_in(s);
        let verb = words.iter().take(9).any(|w| VERBS.contains(&w.as_str()));
        if !verb {
            return false;
        }
        let said = message.said_in(s).to_lowercase();
        let thing = words.iter().any(|w| matches!(w.as_str(), "todo" | "todos" | "issue" | "ticket"));
        let place = PLACES.iter().any(|p| said.contains(p)) || words.iter().any(|w| MEMORIES.contains(&w.as_str()));
        place && !thing
    })
}

fn opens_politely(words: &[String]) -> bool {
    words.iter().take(3).any(|w| matches!(w.as_str(), "can" | "could" | "please" | "would"))
}

#[rustfmt::skip]
const VERBS: &[&str] = &["log", "note", "memorize", "memorise", "record", "write", "jot", "capture", "add", "put", "document"];
const PLACES: &[&str] = &["claude.md", "agents.md", "gemini.md", "learnings", "lessons learned"];
const MEMORIES: &[&str] = &["memory", "memories", "learning", "playbook", "runbook"];

fn ends_with(words: &[String], phrase: &[&str], slack: usize) -> bool {
    (0..=slack).any(|s| words.len().checked_sub(s).is_some_and(|end| words[..end].ends_with(&owned(phrase))))
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// `… as docker-dev` → `docker-dev`; "as a skill" names nothing.
fn name_after_as(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let after = words.iter().rposition(|w| w.eq_ignore_ascii_case("as"))?;
    let mut rest =
        words[after + 1..].iter().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '_'));
    let name = rest.find(|w| !UNNAMED.contains(&w.to_ascii_lowercase().as_str()))?;
    let plain = name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    plain.then(|| name.to_owned())
}

/// `Remember this: …` → what follows.
fn said(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    for phrase in ["remember this", "note this down", "save this", "log a learning"] {
        let Some(at) = lower.find(phrase) else { continue };
        // Outside ASCII lower case may change the length; then no place is safe to cut at.
        let Some(rest) = text.get(at + phrase.len()..) else { continue };
        let Some(said) = rest.trim_start().strip_prefix([':', ',', '-', '—']) else { continue };
        let said = said.trim();
        if words_of(said).count() >= 3 {
            return Some(said.to_owned());
        }
    }
    None
}

#[rustfmt::skip]
const UNNAMED: &[&str] = &[
    "", "a", "an", "the", "skill", "called", "named", "new", "please", "my", "our", "note", "lesson", "it", "soon", "well",
    "possible", "is", "learning",
];
