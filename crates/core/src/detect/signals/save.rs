//! A request to keep something: as a skill, in the memory, in the notes.

use super::message::Message;
use crate::normal::english::{Class, English, words_of};

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

/// Most words of a message that asks to keep what was done, and of one that names where to.
const SHORT: usize = 120;
const LONG: usize = 250;
/// Words from the start of a sentence in which the verb of keeping stands.
const VERB: usize = 14;

/// Finds a request to keep something as a skill or note.
pub(super) fn save_request(english: &English, message: &Message) -> Option<Save> {
    let words = &message.words;
    let asks =
        words.first().is_some_and(|w| matches!(w.as_str(), "how" | "what" | "why" | "can't" | "did" | "do" | "i"));
    if words.len() > LONG || asks {
        return None;
    }
    let elsewhere = puts_down(english, message);
    let here = words.len() <= SHORT && (english.within(Class::KeepThis, words) || saves(english, message));
    let name = name_after_as(&message.text);
    (here || elsewhere).then(|| Save { name, what: said(&message.text), elsewhere: elsewhere && !here })
}

/// "save this", and it is a lesson and not a document.
fn saves(english: &English, message: &Message) -> bool {
    let words = &message.words;
    let this = words.windows(2).any(|w| w[0] == "save" && w[1] == "this");
    let later = words.iter().any(|w| matches!(w.as_str(), "later" | "future"));
    let last = words.iter().rev().take(4).any(|w| w == "this");
    let document = words.iter().any(|w| DOCUMENTS.contains(&w.as_str()));
    this && (english.within(Class::KeptIn, words)
        || !document && (later || last || name_after_as(&message.text).is_some()))
}

#[rustfmt::skip]
const DOCUMENTS: &[&str] = &[
    "file", "checkpoint", "commit", "branch", "pr", "issue", "draft", "image", "screenshot", "csv", "json", "pdf", "markdown",
    "disk", "folder", "template",
];

/// A verb of keeping, and behind it a place where lessons are kept.
fn puts_down(english: &English, message: &Message) -> bool {
    let polite =
        |words: &[String]| words.iter().take(5).any(|w| matches!(w.as_str(), "can" | "could" | "please" | "would"));
    message.sentences.iter().any(|s| {
        let words = message.words_in(s);
        let verb = (0..words.len().min(VERB)).any(|at| english.opens(Class::Keeping, &words[at..]));
        let ticket = words.iter().any(|w| matches!(w.as_str(), "todo" | "todos" | "issue" | "ticket"));
        verb && !ticket
            && (!s.asks || polite(words))
            && (english.within(Class::KeptIn, words) || names_instructions(message.said_in(s)))
    })
}

/// Whether a file of instructions is named.
fn names_instructions(said: &str) -> bool {
    let lower = said.to_lowercase();
    ["claude.md", "agents.md", "agent.md", "gemini.md", "copilot-instructions"].iter().any(|f| lower.contains(f))
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
