//! What speaks for and against a message: at most eight signs for each question, structure before words.
//!
//! Two questions are asked of every message that a person typed. Does it push back: reject, undo, stop or redirect what the
//! agent did? Does it last: should it be known to sessions after this one? Each sign can only speak one way; how loud it is
//! stands in `weights`, which a command makes.

use super::clause;
use super::message::Message;
use super::weights;
use crate::normal::english::{Class, English, negates, words_of};
use crate::normal::notes;
use crate::session::{Author, Body, Event, Excerpt, Outcome, Session};

/// A sign: its name, whether it speaks for (1) or against (-1), and whether a message has it.
pub struct Sign {
    /// Its name.
    pub name: &'static str,
    /// Which way it may speak.
    pub way: f64,
    has: fn(&View<'_>) -> bool,
}

const fn speaks_for(name: &'static str, has: fn(&View<'_>) -> bool) -> Sign {
    Sign { name, way: 1.0, has }
}

const fn against(name: &'static str, has: fn(&View<'_>) -> bool) -> Sign {
    Sign { name, way: -1.0, has }
}

/// Does it push back?
pub const PUSHBACK: [Sign; 7] = [
    speaks_for("the agent gives in", |v| v.around.conceded),
    speaks_for("an interrupt just before", |v| v.around.interrupted),
    speaks_for("it refuses or halts", refuses),
    speaks_for("it finds fault", judges),
    speaks_for("it sets one thing against another", contrasts),
    against("it opens an errand", |v| v.english.opens(Class::Errand, &v.message.words) && !refuses(v)),
    against("it tells a symptom", |v| v.english.within(Class::Symptom, &v.message.words)),
];

/// Does it last?
pub const LASTING: [Sign; 7] = [
    speaks_for("it asks to keep something", |v| v.keeps),
    speaks_for("the agent writes notes just after", |v| v.around.written),
    speaks_for("it lays down a rule for all of a kind", lays_down),
    speaks_for("it holds always or never", generalises),
    speaks_for("the agent gives in", |v| v.around.conceded),
    against("it only asks", |v| v.message.asks()),
    against("an interrupt just before", |v| v.around.interrupted),
];

/// Most words of a message in which a word of fault is one.
const SHORT: usize = 40;
/// Most words of a message that can lay something down beside a task.
const RULE: usize = 120;
/// Words from the start of a message, without filler, in which a negation refuses.
const NEAR: usize = 4;
/// Bytes from the start in which two things are set against each other.
const HEAD: usize = 300;

/// Which signs a message has, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Those of [`PUSHBACK`].
    pub pushback: u8,
    /// Those of [`LASTING`].
    pub lasting: u8,
}

impl Signs {
    /// Whether it pushes back.
    pub fn pushes_back(self) -> bool {
        weights::PUSHBACK.says(self.pushback)
    }

    /// Whether it asks to keep something, or the agent wrote notes just after.
    pub(in crate::detect) fn is_kept(self) -> bool {
        self.lasting & 0b11 != 0
    }

    /// Whether it lasts.
    pub fn lasts(self) -> bool {
        weights::LASTING.says(self.lasting)
    }
}

/// How loud each sign is.
pub struct Weights<const N: usize> {
    /// What is there without any sign.
    pub bias: f64,
    /// What each sign adds.
    pub each: [f64; N],
    /// From which sum on the answer is yes.
    pub enough: f64,
}

impl<const N: usize> Weights<N> {
    fn says(&self, signs: u8) -> bool {
        let sum: f64 = self.each.iter().enumerate().filter(|(n, _)| signs & (1 << n) != 0).map(|(_, w)| w).sum();
        self.bias + sum >= self.enough
    }
}

/// A message with what stands around it.
pub(super) struct View<'v> {
    pub message: &'v Message,
    pub around: Around,
    pub english: &'v English,
    /// Whether it asks to keep something.
    pub keeps: bool,
}

impl View<'_> {
    pub(super) fn signs(&self) -> Signs {
        let bits = |list: &[Sign]| list.iter().enumerate().map(|(n, s)| u8::from((s.has)(self)) << n).sum();
        // Before the agent did anything there is nothing to push back at.
        Signs { pushback: if self.around.acted { bits(&PUSHBACK) } else { 0 }, lasting: bits(&LASTING) }
    }
}

/// The first sentence that says something opens with a negation. Later ones give reasons, and a "no" in the middle counts things.
fn refuses(v: &View<'_>) -> bool {
    let opening = v.message.sentences.iter().map(|s| v.message.words_in(s)).find(|words| !is_filler(v.english, words));
    let words = clause::without_filler(v.english, opening.unwrap_or_default());
    let near = &words[..words.len().min(NEAR)];
    let harmless = || (0..near.len()).any(|at| v.english.opens(Class::Harmless, &words[at..]));
    let denies = |(at, word): (usize, &String)| negates(word) && (at == 0 || word != "no");
    v.english.opens(Class::Halt, words) || near.iter().enumerate().any(denies) && !harmless()
}

/// "ok.", "yes please."
fn is_filler(english: &English, words: &[String]) -> bool {
    words.iter().all(|w| english.opens(Class::Filler, std::slice::from_ref(w)))
}

/// A short message finds fault. "…, too." adds something, and "Instead of X, …" begins a wish.
fn judges(v: &View<'_>) -> bool {
    let finds = |words: &[String]| {
        let words = words.strip_suffix(&["too".to_owned()]).unwrap_or(words);
        words.first().is_some_and(|w| w != "instead") && v.english.within(Class::Judgement, words)
    };
    v.message.words.len() <= SHORT && v.message.sentences.iter().any(|s| finds(v.message.words_in(s)))
}

/// "…, not Y", "… but …".
fn contrasts(v: &View<'_>) -> bool {
    let head = &v.message.text[..v.message.text.floor_char_boundary(HEAD)];
    let not =
        head.match_indices(", not").any(|(at, found)| !head[at + found.len()..].starts_with(char::is_alphanumeric));
    not || words_of(head).any(|w| w == "but")
}

fn lays_down(v: &View<'_>) -> bool {
    let m = v.message;
    m.words.len() < RULE && m.sentences.iter().any(|s| clause::lays_down(v.english, m.said_in(s)).is_some())
}

fn generalises(v: &View<'_>) -> bool {
    let m = v.message;
    m.words.len() < RULE && !m.asks() && v.english.within(Class::General, &m.words)
}

/// What was said and done around a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// The agent had said or done anything.
    acted: bool,
    /// The person stopped what was going on to say this.
    interrupted: bool,
    /// The agent's next words give in.
    conceded: bool,
    /// The agent wrote into notes for agents before the next message.
    written: bool,
}

/// Bytes and words of an answer that are read for a concession.
const CONCEDES: (usize, usize) = (160, 14);

impl Around {
    pub(super) fn of(session: &Session, at: usize, english: &English) -> Self {
        let (before, after) = (&session.events[..at], &session.events[at + 1..]);
        let answer = after.iter().take_while(|e| !e.is_typed()).find_map(said);
        let (bytes, most) = CONCEDES;
        let start = answer.map(|t| &t.head()[..t.head().floor_char_boundary(bytes)]).unwrap_or_default();
        let conceding: Vec<String> = words_of(start).take(most).collect();
        Self {
            acted: before.iter().any(|e| !matches!(e.body, Body::User { .. })),
            interrupted: before.iter().rev().take_while(|e| !e.is_typed()).take(2).any(is_interrupt),
            conceded: english.within(Class::Concession, &conceding),
            written: after.iter().take_while(|e| !e.is_typed()).any(writes_notes),
        }
    }
}

fn said(event: &Event) -> Option<&Excerpt> {
    match &event.body {
        Body::Assistant { text } if !text.head().trim().is_empty() => Some(text),
        _ => None,
    }
}

fn is_interrupt(event: &Event) -> bool {
    match &event.body {
        Body::Call(call) => matches!(call.outcome, Outcome::Interrupted | Outcome::Denied),
        Body::User { author: Author::Machine, spans } => spans.iter().any(|s| s.text.head().contains("interrupted by")),
        _ => false,
    }
}

fn writes_notes(event: &Event) -> bool {
    let Some(call) = event.call().filter(|c| matches!(c.outcome, Outcome::Ok | Outcome::Unknown)) else { return false };
    call.written.is_some() || call.command().is_some_and(|line| !notes::of_shell(line).is_empty())
}
