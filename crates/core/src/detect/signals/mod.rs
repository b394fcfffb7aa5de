//! What a message of the user is, in words and clauses: a correction, a rule, a request to keep something, a decision, a
//! pitfall, a workflow. Several may hold.
//!
//! Words, not substrings: "know" is not "no". Machine messages and pasted text never come here.

mod correction;
mod decision;
mod message;
pub(super) mod pitfall;
mod procedural;
mod rule;
mod save;
mod workflow;

use serde::Serialize;

use crate::session::{Body, Event, Excerpt, Origin, Session};

pub use message::Message;
pub(crate) use message::words_of;
use save::{Save, save_request};

/// What a message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// It puts the agent right.
    Correction,
    /// It lays down how things are done from now on.
    Rule,
    /// It asks to keep something.
    Save,
    /// It settles something and says why.
    Decision,
    /// It warns of something that goes wrong.
    Pitfall,
    /// It asks for several steps in an order.
    Workflow,
    /// It tells how something is done.
    Procedural,
}

impl Signal {
    /// Every signal.
    pub(super) const ALL: [Self; 7] =
        [Self::Correction, Self::Rule, Self::Save, Self::Decision, Self::Pitfall, Self::Workflow, Self::Procedural];

    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Rule => "rule",
            Self::Save => "save",
            Self::Decision => "decision",
            Self::Pitfall => "pitfall",
            Self::Workflow => "workflow",
            Self::Procedural => "procedural",
        }
    }
}

/// A message a person typed, and what it is.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its place among the session's events.
    pub at: usize,
    /// The message, taken apart.
    pub message: Message,
    /// Whether all that was sent was typed: nothing in it is known to be pasted or put in by the client.
    pub(super) typed: bool,
    /// How much speaks for a correction, in half points.
    pub correcting: u32,
    /// The rule it lays down.
    pub rule: Option<String>,
    /// What it asks to keep.
    pub(super) save: Option<Save>,
    /// What it settles.
    pub decision: Option<String>,
    /// What it warns of.
    pub pitfall: Option<String>,
    /// The steps it asks for.
    pub workflow: Option<Vec<String>>,
    /// How something is done.
    pub procedural: Option<String>,
}

impl Turn {
    /// From how many half points on a message is a correction.
    pub const CORRECTING: u32 = 4;

    /// The message at a place of a session, if a person typed it.
    pub fn at(session: &Session, at: usize) -> Option<Self> {
        let text = session.events.get(at).and_then(Event::human_text)?;
        let message = Message::new(&text);
        let acted = session.events[..at].iter().any(|e| !matches!(e.body, Body::User { .. }));
        let correcting = if acted { correction::points(&message, around(session, at)) } else { 0 };
        let typed = matches!(&session.events[at].body, Body::User { spans, .. } if spans.iter().all(|s| s.origin == Origin::User));
        Some(Self {
            at,
            typed,
            correcting,
            rule: rule::rule(&message),
            save: save_request(&message),
            decision: decision::decision(&message),
            pitfall: pitfall::pitfall(&message),
            workflow: workflow::workflow(&message),
            procedural: procedural::procedural(&message),
            message,
        })
    }

    /// Whether it puts the agent right.
    pub(super) fn corrects(&self) -> bool {
        self.correcting >= Self::CORRECTING
    }

    /// Whether the message is one remark that says this and nothing else. A request with something pasted behind it, in
    /// front of it or into it is more than that, however it was joined.
    pub(crate) fn says_only(&self, text: &str) -> bool {
        self.typed && self.message.says_only(text)
    }

    /// What the message is.
    pub fn signals(&self) -> Vec<Signal> {
        let holds = |signal: &Signal| match signal {
            Signal::Correction => self.corrects(),
            Signal::Rule => self.rule.is_some(),
            Signal::Save => self.save.is_some(),
            Signal::Decision => self.decision.is_some(),
            Signal::Pitfall => self.pitfall.is_some(),
            Signal::Workflow => self.workflow.is_some(),
            Signal::Procedural => self.procedural.is_some(),
        };
        Signal::ALL.into_iter().filter(holds).collect()
    }
}

/// The signals of the event at a place of a session.
pub fn signals_of(session: &Session, at: usize) -> Vec<Signal> {
    Turn::at(session, at).map(|turn| turn.signals()).unwrap_or_default()
}

/// What the agent said last before a message, and first after it.
fn around(session: &Session, at: usize) -> correction::Around {
    let before = session.events[..at].iter().rev().take_while(|e| !e.is_typed()).find_map(said);
    let after = session.events[at + 1..].iter().take_while(|e| !e.is_typed()).find_map(said);
    correction::Around {
        claimed: before
            .is_some_and(|text| correction::claims(text.head()) || text.is_cut() && correction::claims(text.tail())),
        conceded: after.is_some_and(|text| correction::concedes(text.head())),
    }
}

fn said(event: &Event) -> Option<&Excerpt> {
    match &event.body {
        Body::Assistant { text } if !text.head().trim().is_empty() => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
