//! Puts events together: a result finds its call, repeated ids are taken once, outcomes are decided.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;

use super::Cleaner;
use super::records::RecordPlace;
use super::{text, wrote};
use crate::failure::outcome::{self, End, Facts};
use crate::session::EXCERPT_SIDE;
use crate::session::{
    Author, Body, COMMAND_LIMIT, Call, ENVELOPE, Event, Excerpt, INJECTED_LIMIT, Origin, Outcome, READER_MARK, Session,
    Span, ToolKind, WRITTEN_LIMIT, cut,
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
    /// Events of an endless session that are not kept.
    left_out: u64,
}

/// Bytes of text read before earlier events are cut.
const HELD: usize = 12 * 1024 * 1024;
/// The last events stay whole: results are still to come.
const OPEN_EVENTS: usize = 64;
/// What is kept of one session, however long it is: so many events, and so many bytes of their texts. The longest of 695
/// sessions of real work has 618 events, and 0.6 MB of texts.
const MOST_EVENTS: usize = 30_000;
const MOST_BYTES: usize = 24 * 1024 * 1024;
/// Events around a failure, and around what a person said, that tell what led to it and what came of it.
const BEFORE: usize = 4;
const AFTER: usize = 16;

impl Builder {
    /// Cleans and cuts earlier events of a long session. Secrets go first: half a secret is not recognised. Of an endless
    /// session the middle is thinned.
    pub(super) fn seal(&mut self, clean: Cleaner<'_>) {
        let end = self.session.events.len().saturating_sub(OPEN_EVENTS);
        if end <= self.sealed || (self.fresh_bytes < HELD && end - self.sealed < MOST_EVENTS / 4) {
            return;
        }
        self.fresh_bytes = 0;
        let cwd = self.session.cwd.as_deref();
        for event in &mut self.session.events[self.sealed..end] {
            event.settle(&|text: &mut String| clean(cwd, text));
            self.sealed_bytes += event.held();
        }
        self.sealed = end;
        while self.sealed > MOST_EVENTS || self.sealed_bytes > MOST_BYTES {
            self.thin();
        }
    }

    /// Drops a quarter of the sealed events, all from the middle half: the start says what the work was, the end is what
    /// is read on. What is far from failures and from a person's words goes first, then what is oldest.
    fn thin(&mut self) {
        let middle = self.sealed / 4..self.sealed - self.sealed / 4;
        let telling = self.telling();
        let plain = middle.clone().filter(|&i| !telling[i]);
        let drop = plain.chain(middle.clone().filter(|&i| telling[i])).take(self.sealed.div_ceil(4));
        let mut gone = vec![false; self.session.events.len()];
        drop.for_each(|i| gone[i] = true);
        self.first_changed = self.first_changed.min(gone.iter().position(|&g| g).unwrap_or(usize::MAX));
        let dropped = gone.iter().filter(|&&g| g).count();
        let mut gone = gone.into_iter();
        self.session.events.retain(|_| !gone.next().unwrap_or(false));
        self.sealed -= dropped;
        self.left_out += dropped as u64;
        self.sealed_bytes = self.session.events[..self.sealed].iter().map(Event::held).sum();
        (self.calls, self.messages) = places(&self.session.events);
    }

    /// Which events stand near a failure or a person's message.
    fn telling(&self) -> Vec<bool> {
        let events = &self.session.events;
        let mut near = vec![false; events.len()];
        for (i, event) in events.iter().enumerate() {
            let failed = event.call().is_some_and(|c| c.outcome.is_failure() || c.outcome == Outcome::TimedOut);
            if failed || matches!(event.body, Body::User { author: Author::Human, .. }) {
                near[i.saturating_sub(BEFORE)..(i + AFTER + 1).min(events.len())].fill(true);
            }
        }
        near
    }

    pub(super) fn new(session: Session, file: &str) -> Self {
        let (calls, messages) = places(&session.events);
        let first_changed = session.events.len();
        Self {
            sealed: session.events.len(),
            sealed_bytes: session.events.iter().map(Event::held).sum(),
            session,
            file: file.to_owned(),
            calls,
            messages,
            first_changed,
            fresh_bytes: 0,
            left_out: 0,
        }
    }

    /// How many events of an endless session were not kept.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(super) fn finish(mut self) -> (Session, usize) {
        let session = &mut self.session;
        if session.id.is_empty() {
            session.id.clone_from(&self.file);
        }
        if session.root.is_empty() {
            session.root.clone_from(&session.id);
        }
        if is_readers(&session.events) {
            session.events.clear();
            self.first_changed = 0;
        }
        (self.session, self.first_changed)
    }

    fn push(&mut self, id: &str, stamp: Stamp, body: Body) {
        self.session.events.push(Event {
            id: id.to_owned(),
            at: stamp.at,
            offset: stamp.place.offset,
            len: stamp.place.len,
            tokens: None,
            body,
        });
        self.fresh_bytes += self.session.events.last().map_or(0, Event::held);
    }

    /// What a step of the model took, told with an event of it. It is kept with the first event of the step, which is
    /// found by looking back from the last one: a reading that goes on later finds the same. Clients repeat what they
    /// tell; the largest counts.
    pub(super) fn spent(&mut self, tokens: u32, same_step: impl Fn(&Event, &Event) -> bool) {
        let events = &self.session.events;
        let Some(mut at) = events.len().checked_sub(1).filter(|_| tokens > 0) else { return };
        while at > 0 && events[at - 1].is_models() && same_step(&events[at - 1], &events[at]) {
            at -= 1;
        }
        let event = &mut self.session.events[at];
        if event.tokens.unwrap_or(0) < tokens {
            event.tokens = Some(tokens);
            self.first_changed = self.first_changed.min(at);
        }
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
        self.push(id, stamp, Body::Call(Call::new(tool, kind, &command(input))));
    }

    /// What a call changed in notes for agents, as a small patch; nothing if that is empty.
    pub(super) fn wrote(&mut self, id: &str, patch: &str) {
        let is_new = self.call_of(id).is_some_and(|c| c.written.is_none());
        if patch.is_empty() || !is_new {
            return;
        }
        let at = self.calls.get(id).copied().unwrap_or_default();
        let patch = wrote::over_what_was_read(&self.session.events[..at], patch);
        if patch.is_empty() {
            return;
        }
        let kept = cut::start(&patch, WRITTEN_LIMIT).to_owned();
        self.fresh_bytes += kept.len();
        self.call_mut(id).into_iter().for_each(|call| call.written = Some(kept.clone()));
    }

    /// The folder a call runs in; the session's own is not kept with each call.
    pub(super) fn runs_in(&mut self, id: &str, folder: &str) {
        let own = self.session.cwd.clone();
        let folder = match &own {
            Some(own) if !folder.starts_with('/') && !folder.contains(':') => format!("{own}/{folder}"),
            _ => folder.to_owned(),
        };
        if own.is_none_or(|own| own != folder)
            && let Some(call) = self.call_mut(id)
        {
            call.cwd = Some(folder);
        }
    }

    /// How long a call ran; what is said later is added.
    pub(super) fn took(&mut self, id: &str, seconds: f64) {
        if let Some(call) = self.call_mut(id) {
            let more = (seconds * 1000.0).round().clamp(0.0, f64::from(u32::MAX)) as u32;
            call.took = Some(call.took.unwrap_or(0).saturating_add(more));
        }
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
        // A call that we stopped ourselves never ran, whatever the client calls that.
        let refused = text::is_our_refusal(output);
        if refused {
            self.injected(output);
        }
        let facts = if refused { Facts { end: End::Denied, ..facts } } else { facts };
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

    /// What a call printed, without a word on what became of it.
    pub(super) fn printed(&mut self, id: &str, output: &str) {
        self.fresh_bytes += output.len().min(2 * EXCERPT_SIDE);
        let Some(call) = self.call_mut(id) else { return };
        call.output = Excerpt::new(output);
        call.outcome = Outcome::Unknown;
    }

    /// What a call printed while it went on in the background.
    pub(super) fn printed_more(&mut self, id: &str, output: &str) {
        self.fresh_bytes += output.len().min(2 * EXCERPT_SIDE);
        if let Some(call) = self.call_mut(id).filter(|c| c.outcome == Outcome::Background && !output.is_empty()) {
            call.output.append(output);
        }
    }

    /// The end of a call that went on in the background.
    pub(super) fn ended(&mut self, id: &str, facts: Facts, more_output: &str) {
        let Some(call) = self.call_mut(id) else { return };
        if !more_output.is_empty() {
            call.output.append(more_output);
        }
        // Its exit code may have come before, in a record of its own.
        if !matches!(call.outcome, Outcome::Background | Outcome::TimedOut | Outcome::Unknown) {
            return;
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

/// Whether a session began with a request of ours to a reader: what is told there of other sessions was seen in those.
fn is_readers(events: &[Event]) -> bool {
    // Some clients keep the quotes around a prompt.
    let is_request = |span: &Span| span.text.head().trim_start_matches(['"', ' ', '\n']).starts_with(READER_MARK);
    let before_the_model = events.iter().take_while(|e| !e.is_models());
    before_the_model
        .filter_map(|e| if let Body::User { spans, .. } = &e.body { Some(spans) } else { None })
        .any(|spans| spans.iter().any(is_request))
}

/// Where calls and messages stand, by their ids.
fn places(events: &[Event]) -> (HashMap<String, usize>, HashMap<String, usize>) {
    let (mut calls, mut messages) = (HashMap::new(), HashMap::new());
    for (i, event) in events.iter().enumerate() {
        let map = if event.call().is_some() { &mut calls } else { &mut messages };
        map.insert(event.id.clone(), i);
    }
    (calls, messages)
}

/// What is held of a command until its secrets are out.
pub(super) fn command(text: &str) -> String {
    cut::start(text, COMMAND_LIMIT).to_owned()
}

/// One span of one origin.
pub(super) fn span(origin: Origin, text: &str) -> Span {
    Span { origin, text: Excerpt::new(text) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A session of so many calls, each of which prints so many bytes; one of 500 fails.
    fn long(calls: usize, printed: usize) -> Builder {
        let mut builder = Builder::new(Session::default(), "long");
        add(&mut builder, 0..calls, printed);
        builder
    }

    fn add(builder: &mut Builder, calls: std::ops::Range<usize>, printed: usize) {
        for n in calls {
            let id = format!("call {n}");
            builder.call(&id, Stamp::default(), "Bash", ToolKind::Shell, "make");
            let facts = Facts { flag: Some(n % 500 == 7), code: None, ..Facts::default() };
            builder.result(&id, facts, &"x ".repeat(printed / 2));
            builder.seal(&|_, _| ());
        }
    }

    fn is_failure(event: &Event) -> bool {
        event.call().is_some_and(|c| c.outcome.is_failure())
    }

    #[test]
    fn a_session_that_people_really_have_is_kept_whole() {
        let builder = long(MOST_EVENTS - 1, 8);
        assert_eq!((builder.session.events.len(), builder.left_out()), (MOST_EVENTS - 1, 0));
    }

    #[test]
    fn of_an_endless_session_the_start_the_end_and_the_failures_between_are_kept() {
        let calls = 3 * MOST_EVENTS;
        let builder = long(calls, 8);
        let events = &builder.session.events;
        assert!(events.len() <= 2 * MOST_EVENTS && events.len() + builder.left_out() as usize == calls);
        let ids: HashSet<&str> = events.iter().map(|e| e.id.as_str()).collect();
        let kept = |n: usize| ids.contains(format!("call {n}").as_str());
        assert!((0..MOST_EVENTS / 8).all(kept), "the start");
        assert!((calls - MOST_EVENTS / 4..calls).all(kept), "the end");
        let failures = events.iter().filter(|e| is_failure(e)).count();
        assert_eq!(failures, calls / 500, "what went wrong, all of it");
        let at =
            events.iter().position(|e| e.id == format!("call {}", calls / 2 + 7)).expect("a failure in the middle");
        let after = |k: usize| events[at + k].id == format!("call {}", calls / 2 + 7 + k);
        assert!(is_failure(&events[at]) && (1..=AFTER).all(after), "with what came after it");
    }

    #[test]
    fn the_bytes_that_are_kept_of_a_session_do_not_grow_with_it() {
        for calls in [20_000, 40_000] {
            let mut builder = long(0, 0);
            for n in 0..calls {
                builder.user(
                    &format!("m{n}"),
                    Stamp::default(),
                    Author::Human,
                    vec![span(Origin::User, &"y".repeat(4_000))],
                );
                builder.seal(&|_, _| ());
            }
            let held: usize = builder.session.events.iter().map(Event::held).sum();
            assert!(held <= MOST_BYTES + HELD && held > MOST_BYTES / 4, "{calls}: {held}");
        }
    }

    #[test]
    fn a_thinned_session_that_is_read_on_stays_bounded_and_says_what_changed() {
        let (first, _) = long(2 * MOST_EVENTS, 8).finish();
        let was = first.events.clone();
        let mut builder = Builder::new(first, "long");
        add(&mut builder, 2 * MOST_EVENTS..4 * MOST_EVENTS, 8);
        // A result still finds its call.
        let last = format!("call {}", 4 * MOST_EVENTS - 1);
        builder.result(&last, Facts::default(), "late");
        let (session, changed) = builder.finish();
        assert!(session.events.len() <= 2 * MOST_EVENTS);
        assert_eq!(session.events.last().and_then(Event::call).map(|c| c.output.to_text()), Some("late".to_owned()));
        assert!(changed < was.len() && session.events[..changed] == was[..changed]);
        assert_ne!(session.events[changed], was[changed]);
    }
}
