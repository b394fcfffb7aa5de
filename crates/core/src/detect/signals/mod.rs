//! What a message of the user is: does it push back, does it last, does it ask to keep something; and, softer, a decision, a
//! warning, how something is done, a request. Several may hold.
//!
//! `features` asks for signs and `weights` says how loud they are; `clause` finds the statement that can stand alone, `soft`
//! what counts only when it comes up again. Machine messages and pasted text never come here; prompts that a program made and what is
//! not English are met with silence.

mod clause;
mod features;
mod message;
mod save;
mod soft;
#[cfg(test)]
mod tests;
mod weights;

use serde::Serialize;

pub(crate) use crate::normal::english::words_of;
use crate::normal::english::{Class, English, is_english};
use crate::session::{Body, Event, Origin, Session};
use crate::worded::worded;

use features::{Around, View};
pub use features::{LASTING, PUSHBACK, Sign, Signs};
pub use message::Message;
use save::{Save, save_request};
pub(super) use soft::names_something;

/// What a message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// It puts the agent right.
    Correction,
    /// It should be known to sessions after this one.
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

worded!(Signal {
    Correction = "correction", Rule = "rule", Save = "save", Decision = "decision", Pitfall = "pitfall", Workflow = "workflow",
    Procedural = "procedural",
});

/// A message a person typed, and what it is.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Its place among the session's events.
    pub at: usize,
    /// The message, taken apart.
    pub message: Message,
    /// Whether all that was sent was typed: nothing in it is known to be pasted or put in by the client.
    pub(super) typed: bool,
    /// What speaks for and against it.
    pub signs: Signs,
    /// What it lays down, if that can stand alone.
    pub(super) rule: Option<String>,
    /// What it asks to keep.
    pub(super) save: Option<Save>,
    /// What it settles.
    pub(super) decision: Option<String>,
    /// What it warns of.
    pub(super) pitfall: Option<String>,
    /// The steps it asks for.
    pub(super) workflow: Option<Vec<String>>,
    /// The one thing it asks for.
    pub(super) request: Option<String>,
    /// How something is done.
    pub(super) procedural: Option<String>,
}

impl Turn {
    /// The message at a place of a session, if a person typed it.
    pub fn at(session: &Session, at: usize) -> Option<Self> {
        Self::read(session, at, English::usual())
    }

    /// The same with other word classes than the usual ones.
    pub fn read(session: &Session, at: usize, english: &English) -> Option<Self> {
        let text = session.events.get(at).and_then(Event::human_text)?;
        let message = Message::new(&text);
        let typed = matches!(&session.events[at].body, Body::User { spans, .. } if spans.iter().all(|s| s.origin == Origin::User));
        if message.words.is_empty() || message::is_prompt(&text) || !is_english(&message.words) {
            return Some(Self { at, message, typed, ..Self::default() });
        }
        let save = save_request(english, &message);
        let around = Around::of(session, at, english);
        let signs = View { message: &message, around, english, keeps: save.is_some() }.signs();
        let rule = clause::statement(english, &message, signs.lasts());
        Some(Self {
            at,
            typed,
            signs,
            rule,
            save,
            decision: soft::decision(english, &message),
            pitfall: soft::pitfall(english, &message),
            workflow: soft::workflow(english, &message),
            request: soft::request(english, &message),
            procedural: soft::procedural(english, &message),
            message,
        })
    }

    /// Whether it puts the agent right.
    pub(super) fn corrects(&self) -> bool {
        self.signs.pushes_back()
    }

    /// Whether it takes back what was said before.
    pub(super) fn takes_back(&self) -> bool {
        English::usual().within(Class::TakenBack, &self.message.words)
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
            Signal::Rule => self.signs.lasts(),
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
