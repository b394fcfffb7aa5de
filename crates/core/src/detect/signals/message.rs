//! A message as the user wrote it: own sentences, their words, no pasted plans, code or traces.

use std::ops::Range;

use crate::normal::english::{SPELLINGS, sentences_of, words_of};

/// What follows these bytes of a message says nothing new about what it is.
const LONGEST: usize = 2_500; // bytes

/// A message of the user, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// The user's own sentences.
    pub text: String,
    /// Lower-case words, apostrophes and hyphens inside them kept.
    pub words: Vec<String>,
    /// Its sentences, in order.
    pub(super) sentences: Vec<Sentence>,
    /// Whether it is one line that does not begin like a quotation, a list or a document.
    is_remark: bool,
}

/// A sentence of a message.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// Its bytes in the text.
    pub place: Range<usize>,
    /// Its words.
    pub words: Range<usize>,
    /// Whether it ends in a question mark.
    pub asks: bool,
}

impl Message {
    /// Takes a message apart.
    pub(crate) fn new(said: &str) -> Self {
        let text = own(behind_command(&said[..said.floor_char_boundary(LONGEST)]));
        let (mut words, mut sentences) = (Vec::new(), Vec::new());
        for place in sentences_of(&text) {
            let from = words.len();
            words.extend(words_of(&text[place.clone()]).map(spelt));
            if words.len() > from {
                let asks = text[place.clone()].trim_end().ends_with('?');
                sentences.push(Sentence { place, words: from..words.len(), asks });
            }
        }
        let line = said.trim();
        let is_remark = line.len() <= LONGEST && !line.contains('\n') && line.starts_with(char::is_alphanumeric);
        Self { text, words, sentences, is_remark }
    }

    /// Whether the message says only this: one sentence on one line, and beside these words only filler.
    pub(super) fn says_only(&self, text: &str) -> bool {
        let [sentence] = &self.sentences[..] else { return false };
        // A colon at the end points at something that came with the message.
        if sentence.asks || !self.is_remark || self.text.trim_end().ends_with(':') {
            return false;
        }
        let mut beside: Vec<&String> = self.words.iter().collect();
        for word in words_of(text) {
            if let Some(at) = beside.iter().position(|w| **w == word) {
                beside.remove(at);
            }
        }
        beside.iter().all(|w| FILLING.contains(&w.as_str()))
    }

    /// Whether it ends in a question.
    pub(super) fn asks(&self) -> bool {
        self.sentences.last().is_some_and(|s| s.asks)
    }

    /// The words of a sentence.
    pub(super) fn words_in(&self, sentence: &Sentence) -> &[String] {
        &self.words[sentence.words.clone()]
    }

    /// The bytes of a sentence, trimmed.
    pub(super) fn said_in(&self, sentence: &Sentence) -> &str {
        self.text[sentence.place.clone()].trim()
    }
}

/// A word as it is spelt with time.
pub(super) fn spelt(word: String) -> String {
    SPELLINGS.iter().find(|(hasty, _)| *hasty == word).map_or(word, |(_, spelt)| (*spelt).to_owned())
}

/// Filler words that people put before and between what they say.
#[rustfmt::skip]
const FILLING: &[&str] = &[
    "ok", "okay", "please", "and", "also", "but", "so", "yeah", "yes", "no", "just", "then", "oh", "hey", "thanks", "first",
    "next", "finally", "remember", "this", "that", "note", "save", "down",
];

/// Whether a text opens by telling the agent who it is: a program made it, and no person says so in passing.
pub(super) fn is_prompt(said: &str) -> bool {
    const OPENINGS: &[&str] =
        &["You are a ", "You are an ", "You are the ", "You are **", "Your name is ", "Your role is "];
    let start = &said[..said.floor_char_boundary(PROMPT)];
    let bare = |line: &str| line.trim_start_matches(['"', '#', '*', ' ']).to_owned();
    start.lines().map(bare).any(|line| OPENINGS.iter().any(|opening| line.starts_with(opening)))
}

/// Bytes in which a prompt says who it speaks to.
const PROMPT: usize = 200;

/// `/go run it` → `run it`: what was typed behind a command of the client.
fn behind_command(said: &str) -> &str {
    let Some(rest) = said.strip_prefix('/') else { return said };
    let (name, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.contains(['/', '.']) { said } else { behind }
}

/// Without code blocks, without a document that was put behind the message, without lines that a program printed.
fn own(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut fenced = false;
    let headings = said.lines().filter(|l| is_heading(l)).count();
    for line in said.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if headings > 1 && is_heading(line) {
            break;
        }
        if !fenced && !is_printed(line) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|b| *b == b'#').count();
    (1..=4).contains(&marks) && line[marks..].starts_with(' ')
}

// A line of a stack, of a prompt, of a table, of a diff.
fn is_printed(line: &str) -> bool {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    bare.starts_with("at ") && indent > 1
        || ["$ ", "> ", "| ", "+++", "---", "@@ ", "+ ", "+\t", "//", "/*", "⏺", "⎿", "│"]
            .iter()
            .any(|mark| bare.starts_with(mark))
        || indent >= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_own_sentences() {
        let m = Message::new(
            "ok, don’t do that. Why? see v1.2\n```\nno\n```\n    at div\n\n        printed\nfull-auto -- x",
        );
        let said: Vec<_> = m.sentences.iter().map(|s| (m.said_in(s), s.asks)).collect();
        assert_eq!(
            said,
            [("ok, don’t do that.", false), ("Why?", true), ("see v1.2", false), ("full-auto -- x", false)]
        );
        assert_eq!(m.words_in(&m.sentences[0]), ["ok", "don't", "do", "that"]);
        assert_eq!(m.words_in(&m.sentences[3]), ["full-auto", "x"]);
    }

    #[test]
    fn a_remark_says_one_thing_and_what_is_pasted_stands_beside_something() {
        let rule = "never push to main";
        for (said, expect) in [
            ("Never push to main.", true),
            ("ok, please never push to main", true),
            ("remember this: never push to main", true),
            ("Please look at this: never push to main", false),
            ("Look at this. Never push to main.", false),
            ("Summarise this:\n\nnever push to main", false),
            ("never push to main\nwhat do they want?", false),
            ("never push to main - what does that mean?", false),
            ("The ticket says \"never push to main\"", false),
            ("“Never push to main”", false),
            ("- never push to main", false),
            ("never push to main:", false),
        ] {
            assert_eq!(Message::new(said).says_only(rule), expect, "{said}");
        }
    }

    #[test]
    fn a_prompt_says_who_the_agent_is() {
        for (said, expect) in [
            ("You are an expert reviewer.\nNever change files.", true),
            ("# Context\n\nYour name is **Ada**, an agent. Always run every test.", true),
            ("You are right, never push to main", false),
            ("no, you are a step too far", false),
        ] {
            assert_eq!(is_prompt(said), expect, "{said}");
        }
    }

    #[test]
    fn a_document_behind_a_message_is_not_the_message() {
        let m = Message::new("Implement this plan:\n# Plan\n## Context\nNever do that.");
        assert_eq!(m.text.trim(), "Implement this plan:");
        assert_eq!(Message::new("# one heading\nis a message").sentences.len(), 2);
        assert!(Message::new("").sentences.is_empty());
    }
}
