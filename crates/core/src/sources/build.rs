//! Puts events together: a result finds its call, repeated ids are taken once, outcomes are decided.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;

use super::Cleaner;
use super::records::RecordPlace;
use crate::outcome::{self, Facts};
use crate::session::EXCERPT_SIDE;
use crate::session::{
    Author, Body, COMMAND_LIMIT, Call, ENVELOPE, Event, Excerpt, INJECTED_LIMIT, Origin, Outcome, Session, Span,
    ToolKind, cut,
};

/// How many injected texts are remembered.
const INJECTED_MOST: usize = 200;

/// When and where an event was written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamp {
    /// Milliseconds since 1970.
    pub at: Option<i64>,
    /// The record it came in.
    pub place: RecordPlace,
}

impl Stamp {
    /// Reads the client's time, if it is one.
    pub(super) fn new(time: Option<&str>, place: RecordPlace) -> Self {
        let at = time.and_then(|t| t.parse::<Timestamp>().ok()).map(Timestamp::as_millisecond);
        Self { at, place }
    }
}

/// A session while it is being read.
pub struct Builder {
    /// What is known of the session so far; formats set its head data directly.
    pub session: Session,
    /// The transcript's file name without its ending.
    pub file: String,
    calls: HashMap<String, usize>,
    messages: HashMap<String, usize>,
    first_changed: usize,
    /// Events before this one are cleaned and cut: a session of many gigabytes must not be held as it is.
    sealed: usize,
    /// Bytes of text in the sealed events.
    sealed_bytes: usize,
    /// Bytes of text that came since.
    fresh_bytes: usize,
}

/// Bytes of text read before earlier events are cut; sessions that people and agents really write stay below.
const HELD: usize = 16 * 1024 * 1024;
/// The last events stay whole: results are still to come.
const OPEN_EVENTS: usize = 64;

impl Builder {
    /// Cuts earlier events of a very long session: the longer it is, the more. Secrets go first: half a secret is not
    /// recognised.
    pub(super) fn seal(&mut self, clean: Cleaner<'_>) {
        let end = self.session.events.len().saturating_sub(OPEN_EVENTS);
        if self.fresh_bytes < HELD || end <= self.sealed {
            return;
        }
        self.fresh_bytes = 0;
        let share = 1 << (3 * (self.sealed_bytes / HELD)).min(9);
        let cwd = self.session.cwd.as_deref();
        for event in &mut self.session.events[self.sealed..end] {
            event.settle(share, &|text: &mut String| clean(cwd, text));
            self.sealed_bytes += event.held();
        }
        self.sealed = end;
    }

    pub(super) fn new(session: Session, file: &str) -> Self {
        let mut calls = HashMap::new();
        let mut messages = HashMap::new();
        for (i, event) in session.events.iter().enumerate() {
            if event.call().is_some() {
                calls.insert(event.id.clone(), i);
            } else {
                messages.insert(event.id.clone(), i);
            }
        }
        let first_changed = session.events.len();
        Self {
            sealed: session.events.len(),
            session,
            file: file.to_owned(),
            calls,
            messages,
            first_changed,
            sealed_bytes: 0,
            fresh_bytes: 0,
        }
    }

    pub(super) fn finish(mut self) -> (Session, usize) {
        let session = &mut self.session;
        if session.id.is_empty() {
            session.id.clone_from(&self.file);
        }
        if session.root.is_empty() {
            session.root.clone_from(&session.id);
        }
        (self.session, self.first_changed)
    }

    fn push(&mut self, id: &str, stamp: Stamp, body: Body) {
        self.session.events.push(Event {
            id: id.to_owned(),
            at: stamp.at,
            offset: stamp.place.offset,
            len: stamp.place.len,
            body,
        });
        self.fresh_bytes += self.session.events.last().map_or(0, Event::held);
    }

    /// A message of role "user".
    pub(super) fn user(&mut self, id: &str, stamp: Stamp, author: Author, spans: Vec<Span>) {
        if !spans.is_empty() && self.is_new(id) {
            self.push(id, stamp, Body::User { author, spans });
        }
    }

    /// A text of the model.
    pub(super) fn assistant(&mut self, id: &str, stamp: Stamp, text: &str) {
        if !text.trim().is_empty() && self.is_new(id) {
            self.push(id, stamp, Body::Assistant { text: Excerpt::new(text) });
        }
    }

    /// A text of the model that may have been written before, in a shorter form: the last one counts.
    pub(super) fn assistant_again(&mut self, id: &str, stamp: Stamp, new: &str) {
        let Some(&at) = self.messages.get(id) else { return self.assistant(id, stamp, new) };
        let Body::Assistant { text } = &mut self.session.events[at].body else { return };
        let new = Excerpt::new(new);
        if *text != new {
            *text = new;
            self.first_changed = self.first_changed.min(at);
        }
    }

    /// Notes a message; `false` if it was there before.
    fn is_new(&mut self, id: &str) -> bool {
        match self.messages.entry(id.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(self.session.events.len());
                true
            }
        }
    }

    /// A call; its result comes later.
    pub(super) fn call(&mut self, id: &str, stamp: Stamp, tool: &str, kind: ToolKind, input: &str) {
        if self.calls.contains_key(id) {
            return;
        }
        self.calls.insert(id.to_owned(), self.session.events.len());
        let input = command(input);
        let call = Call { tool: tool.to_owned(), kind, input, outcome: Outcome::Unknown, output: Excerpt::default() };
        self.push(id, stamp, Body::Call(call));
    }

    /// The call of that id, to be changed.
    pub(super) fn call_mut(&mut self, id: &str) -> Option<&mut Call> {
        let at = *self.calls.get(id)?;
        self.first_changed = self.first_changed.min(at);
        match &mut self.session.events[at].body {
            Body::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The call of that id.
    pub(super) fn call_of(&self, id: &str) -> Option<&Call> {
        self.session.events.get(*self.calls.get(id)?)?.call()
    }

    /// The exit code of a call, told apart from its output.
    pub(super) fn coded(&mut self, id: &str, code: i32) {
        let Some(call) = self.call_mut(id) else { return };
        if !matches!(call.outcome, Outcome::Denied | Outcome::Blocked | Outcome::Interrupted) {
            let facts = Facts { flag: None, code: Some(code), ..Facts::default() };
            call.outcome = outcome::decide(call.kind, &call.input, facts, &call.output);
        }
    }

    /// What kind of tool a call used.
    pub(super) fn kind_of(&self, id: &str) -> Option<ToolKind> {
        self.session.events.get(*self.calls.get(id)?)?.call().map(|c| c.kind)
    }

    /// The result of a call.
    pub(super) fn result(&mut self, id: &str, facts: Facts, output: &str) {
        self.fresh_bytes += output.len().min(2 * EXCERPT_SIDE);
        let Some(call) = self.call_mut(id) else { return };
        call.output = Excerpt::new(output);
        call.outcome = outcome::decide(call.kind, &call.input, facts, &call.output);
    }

    /// The result of a call of a client that tells no exit codes at all.
    pub(super) fn result_without_code(&mut self, id: &str, output: &str) {
        self.fresh_bytes += output.len().min(2 * EXCERPT_SIDE);
        let Some(call) = self.call_mut(id) else { return };
        call.output = Excerpt::new(output);
        call.outcome = match call.kind {
            ToolKind::Shell => outcome::from_output(&call.input, &call.output),
            _ => Outcome::Ok,
        };
    }

    /// The end of a call that went on in the background.
    pub(super) fn ended(&mut self, id: &str, facts: Facts, more_output: &str) {
        let Some(call) = self.call_mut(id) else { return };
        if !matches!(call.outcome, Outcome::Background | Outcome::TimedOut | Outcome::Unknown) {
            return;
        }
        if !more_output.is_empty() {
            call.output.append(more_output);
        }
        call.outcome = outcome::decide(call.kind, &call.input, facts, &call.output);
    }

    /// The user stopped the agent: calls that have no result yet will never have one.
    pub(super) fn interrupted(&mut self) {
        for at in (0..self.session.events.len()).rev().take(16) {
            let Body::Call(call) = &mut self.session.events[at].body else { continue };
            if call.outcome == Outcome::Unknown && call.output.is_empty() {
                call.outcome = Outcome::Interrupted;
                self.first_changed = self.first_changed.min(at);
            }
        }
    }

    /// The last call looked refused, but was interrupted while it ran.
    pub(super) fn refused_was_interrupted(&mut self) {
        let last = self.session.events.iter().rposition(|e| e.call().is_some_and(|c| c.outcome == Outcome::Denied));
        if let Some(at) = last
            && let Body::Call(call) = &mut self.session.events[at].body
        {
            call.outcome = Outcome::Interrupted;
            self.first_changed = self.first_changed.min(at);
        }
    }

    /// A text that a hook put into the model's context.
    pub(super) fn injected(&mut self, text: &str) {
        // Only our own words matter: a fix that stood in them is no evidence.
        let Some(at) = text.find(ENVELOPE).filter(|_| self.session.injected.len() < INJECTED_MOST) else { return };
        let ours = cut::start(&text[at..], INJECTED_LIMIT);
        // The same record may be read twice: the unfinished end of a file is.
        if !self.session.injected.iter().any(|known| ours.starts_with(known.as_str())) {
            self.session.injected.push(ours.to_owned());
        }
    }
}

/// What is held of a command until its secrets are out.
pub(super) fn command(text: &str) -> String {
    cut::start(text, COMMAND_LIMIT).to_owned()
}

/// One span of one origin.
pub(super) fn span(origin: Origin, text: &str) -> Span {
    Span { origin, text: Excerpt::new(text) }
}
