//! The one vocabulary: sessions, events, calls, outcomes, spans of text.
//!
//! Comes in: nothing. Goes out: plain values every other room speaks in.
//! Deliberately absent: anything that knows how one agent writes its transcripts.

mod call;
pub(crate) mod cut;
mod excerpt;
mod who;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use call::{Call, ToolKind};
pub(crate) use excerpt::EXCERPT_SIDE;
pub use excerpt::Excerpt;
pub use who::{Agent, SourceName};

/// Opens every text we put into an agent's context: how we recognise our own words in a transcript.
pub const ENVELOPE: &str = "uptake, notes from past work in this project";

/// What follows [`ENVELOPE`] in the reason of a call that we stopped: such a call never ran, and teaches nothing.
pub const STOPPED: &str = ") Not run:";

/// The first line of every request to a reader: how the session that a client makes of it is recognised, and never read.
pub const READER_MARK: &str =
    "This is a request that uptake makes of past sessions; it is not a session to learn from.";

/// Where a piece of text came from; the lower, the less it may be trusted.
///
/// The order matters: the trust of a lesson is the *lowest* origin of the spans whose bytes it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Brought in from another tool's files.
    Imported,
    /// Output of a tool, a file, the web; also text a user pasted or a slash command expanded to.
    Tool,
    /// Written by the model.
    Assistant,
    /// Typed by the person.
    User,
}

impl Origin {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Tool => "tool",
            Self::Assistant => "assistant",
            Self::User => "user",
        }
    }

    /// Reads the word back; an unknown word is trusted least.
    pub fn parse(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            _ => Self::Imported,
        }
    }
}

/// Longest command kept.
pub(crate) const COMMAND_LIMIT: usize = 8 * 1024;
/// How much is kept of what a call wrote into notes for agents.
pub(crate) const WRITTEN_LIMIT: usize = 8 * 1024;
/// How much of a text that a hook put in is kept.
pub(crate) const INJECTED_LIMIT: usize = 2_000;

/// What compact events keep of each end of a text.
/// Of a failed call.
pub(crate) const FAILURE_SIDE: usize = 2 * 1024;
const OK_SIDE: usize = 200;
/// Of what a successful call printed that ran no command: the start of a file. No detector looks at it.
const FILE_START: usize = 100;
const ASSISTANT_SIDE: usize = 600;
const USER_SIDE: usize = 2 * 1024;

/// A piece of a message with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Who wrote these bytes.
    pub origin: Origin,
    /// The bytes.
    pub text: Excerpt,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it should.
    Ok,
    /// It failed and the client knew; the exit code where one is known.
    Failed(Option<i32>),
    /// It failed although the client saw a success: the exit code was hidden, for example by a pipe.
    Masked,
    /// It was stopped because it took too long.
    TimedOut,
    /// A person or a permission rule refused it.
    Denied,
    /// A hook refused it.
    Blocked,
    /// The user interrupted it, or it was cancelled beside a failing sibling.
    Interrupted,
    /// It was left running and its end was not seen.
    Background,
    /// Nothing reliable is known.
    Unknown,
}

impl Outcome {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed(_) => "failed",
            Self::Masked => "masked",
            Self::TimedOut => "timed_out",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Interrupted => "interrupted",
            Self::Background => "background",
            Self::Unknown => "unknown",
        }
    }

    /// Reads the word back, with the code kept beside it.
    pub fn parse(word: &str, code: Option<i32>) -> Self {
        match word {
            "ok" => Self::Ok,
            "failed" => Self::Failed(code),
            "masked" => Self::Masked,
            "timed_out" => Self::TimedOut,
            "denied" => Self::Denied,
            "blocked" => Self::Blocked,
            "interrupted" => Self::Interrupted,
            "background" => Self::Background,
            _ => Self::Unknown,
        }
    }

    /// The exit code, where the client told one.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Failed(code) => code,
            _ => None,
        }
    }

    /// Whether the work itself went wrong: failed openly or behind a pipe.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed(_) | Self::Masked)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(Some(code)) => write!(f, "failed({code})"),
            other => f.write_str(other.as_str()),
        }
    }
}

/// Who caused a message of role "user".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// A person typed it.
    Human,
    /// No person typed it. The client made it (notifications, summaries, interrupt notes, expansions), or another
    /// agent told it to this one.
    Machine,
}

/// What an event is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A message of role "user".
    User {
        /// Person or machine.
        author: Author,
        /// Its parts, each with its origin.
        spans: Vec<Span>,
    },
    /// A text of the model.
    Assistant {
        /// The text.
        text: Excerpt,
    },
    /// A tool call with its result.
    Call(Call),
}

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The client's own id: record uuid of a message, call id of a call.
    pub id: String,
    /// Milliseconds since 1970, from the transcript; never from the wall clock.
    pub at: Option<i64>,
    /// First byte of its record in the transcript.
    pub offset: u64,
    /// Length of its record.
    pub len: u64,
    /// New tokens that the model's step with this event took, if the client counts them.
    pub tokens: Option<u32>,
    /// What it is.
    pub body: Body,
}

impl Event {
    /// The call, if it is one.
    pub fn call(&self) -> Option<&Call> {
        match &self.body {
            Body::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Whether the model made it: a text of its own or a call.
    pub(crate) fn is_models(&self) -> bool {
        !matches!(self.body, Body::User { .. })
    }

    /// Whether it is a call whose result is known.
    pub(crate) fn is_answered(&self) -> bool {
        self.call().is_some_and(|c| c.outcome != Outcome::Unknown)
    }

    /// The shell call and its command, if it is one.
    pub fn shell(&self) -> Option<(&Call, &str)> {
        let call = self.call()?;
        Some((call, call.command()?))
    }

    /// Whether a person typed this message. A slash command, pasted text and a suggestion that was accepted count: a person
    /// meant to say it. Whose words they are is said by the spans.
    pub fn is_typed(&self) -> bool {
        matches!(&self.body, Body::User { author: Author::Human, .. })
    }

    /// What the person typed in this message, without pasted text and expansions.
    pub fn human_text(&self) -> Option<String> {
        let Body::User { author: Author::Human, spans } = &self.body else { return None };
        let own: Vec<String> = spans.iter().filter(|s| s.origin == Origin::User).map(|s| s.text.to_text()).collect();
        (!own.is_empty()).then(|| own.join("\n"))
    }

    /// Takes secrets out of its texts with `clean`, then cuts them to what detectors need: half a secret would not be
    /// recognised.
    pub(crate) fn settle(&mut self, clean: &impl Fn(&mut String)) {
        match &mut self.body {
            // Without a failure the output is files and listings. Nobody looks further than its first lines, and
            // cleaning all of it would be most of the work.
            Body::Call(call) if !call.outcome.is_failure() => {
                let kept = if call.kind == ToolKind::Shell { 2 * OK_SIDE } else { FILE_START };
                call.output.keep_start(kept, clean);
                clean(&mut self.id);
                call.clean_about(clean);
            }
            _ => self.clean(clean),
        }
        self.compact();
    }

    fn compact(&mut self) {
        match &mut self.body {
            Body::Call(call) => {
                let side = if call.outcome.is_failure() { FAILURE_SIDE } else { OK_SIDE };
                call.output.cut(side);
            }
            Body::Assistant { text } => text.cut(ASSISTANT_SIDE),
            Body::User { author: Author::Machine, spans } => spans.iter_mut().for_each(|s| s.text.cut(OK_SIDE)),
            Body::User { spans, .. } => spans.iter_mut().for_each(|s| s.text.cut(USER_SIDE)),
        }
    }

    /// Bytes of text it holds.
    pub fn held(&self) -> usize {
        match &self.body {
            Body::Call(call) => {
                let about =
                    [&call.cwd, &call.pending, &call.written].into_iter().flatten().map(String::len).sum::<usize>();
                call.input.len() + call.output.held() + about
            }
            Body::Assistant { text } => text.held(),
            Body::User { spans, .. } => spans.iter().map(|s| s.text.held()).sum(),
        }
    }

    /// Passes its texts through `clean`, names and ids as well: whoever writes a transcript chooses them.
    fn clean(&mut self, clean: &impl Fn(&mut String)) {
        clean(&mut self.id);
        match &mut self.body {
            Body::Call(call) => {
                call.clean_about(clean);
                call.output.change(clean);
            }
            Body::Assistant { text } => text.change(clean),
            Body::User { spans, .. } => spans.iter_mut().for_each(|s| s.text.change(clean)),
        }
    }

    /// Empties its texts; the event itself stays.
    pub fn blank(&mut self) {
        match &mut self.body {
            Body::Call(call) => {
                call.input.clear();
                call.output.change(String::clear);
                (call.cwd, call.pending, call.written) = (None, None, None);
            }
            Body::Assistant { text } => text.change(String::clear),
            Body::User { spans, .. } => spans.iter_mut().for_each(|s| s.text.change(String::clear)),
        }
    }

    /// The word for its kind in the store.
    pub fn kind(&self) -> &'static str {
        match self.body {
            Body::User { .. } => "user",
            Body::Assistant { .. } => "assistant",
            Body::Call(_) => "call",
        }
    }

    /// The word for its kind in what people and programs are shown: only a person's message is `user`.
    pub fn shown_kind(&self) -> &'static str {
        match self.body {
            Body::User { author: Author::Machine, .. } => "machine",
            _ => self.kind(),
        }
    }
}

/// One conversation of one agent in one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The client's id of it.
    pub id: String,
    /// The session it was forked from, resumed from or spawned by; itself if none.
    pub root: String,
    /// Which source wrote it.
    pub source: SourceName,
    /// Which agent worked in it.
    pub agent: Agent,
    /// Version of the client, if it says so.
    pub version: Option<String>,
    /// The folder it was started in.
    pub cwd: Option<String>,
    /// The top folder of the working tree it was started in, if that is known: no transcript tells it.
    pub top: Option<String>,
    /// The git remote, if the transcript names it.
    pub remote: Option<String>,
    /// The git branch, if the transcript names it: then the folder is in a repository.
    pub branch: Option<String>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Texts a hook put into the model's context; never evidence.
    pub injected: Vec<String>,
}

impl Session {
    /// The folder a call ran in, as far as the transcript says.
    pub fn folder_of<'s>(&'s self, call: &'s Call) -> Option<&'s str> {
        call.cwd.as_deref().or(self.cwd.as_deref())
    }

    /// The folder that paths are told from: the top of the working tree; where that is not known, the session's own.
    pub fn root_folder(&self) -> Option<&str> {
        self.top.as_deref().or(self.cwd.as_deref())
    }

    /// Time of the first event that has one.
    pub fn started(&self) -> Option<i64> {
        self.events.iter().find_map(|e| e.at)
    }

    /// Time of the last event that has one.
    pub fn ended(&self) -> Option<i64> {
        self.events.iter().rev().find_map(|e| e.at)
    }

    /// Takes secrets out with `clean` from an event on, and cuts texts to what detectors need once outcomes are decided: a
    /// history must fit in memory and in the store. Earlier events were settled before.
    pub fn settle_from(&mut self, first: usize, clean: impl Fn(&mut String)) {
        self.events.iter_mut().skip(first).for_each(|e| e.settle(&clean));
        self.clean_about(clean);
    }

    /// Passes every text through `clean`.
    pub fn redact(&mut self, clean: impl Fn(&mut String)) {
        self.events.iter_mut().for_each(|e| e.clean(&clean));
        self.clean_about(clean);
    }

    // Cleans the fields that are not in an event.
    fn clean_about(&mut self, clean: impl Fn(&mut String)) {
        self.injected.iter_mut().for_each(|text| cut::finish(text, INJECTED_LIMIT, &clean));
        let about = [&mut self.remote, &mut self.branch, &mut self.cwd, &mut self.top, &mut self.version];
        about.into_iter().flatten().for_each(&clean);
        [&mut self.id, &mut self.root].into_iter().for_each(&clean);
    }

    /// Shell calls with their position.
    pub fn shells(&self) -> impl DoubleEndedIterator<Item = (usize, &Call, &str)> {
        self.events.iter().enumerate().filter_map(|(i, e)| e.shell().map(|(call, command)| (i, call, command)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_both_ends_at_character_boundaries() {
        let text = "ä".repeat(20_000);
        let e = Excerpt::new(&text);
        assert!(e.is_cut());
        assert!(e.head().len() <= EXCERPT_SIDE && e.tail().len() <= EXCERPT_SIDE);
        assert_eq!(e.full_len(), 40_000);
    }

    #[test]
    fn what_the_cut_of_a_file_broke_is_not_kept() {
        let secret = "the-whole-secret";
        for before in 0..3_000 {
            let mut kept = Excerpt::new(&format!("{}{secret}{}", "x".repeat(before), "y".repeat(9_000)));
            kept.keep_start(400, &|text: &mut String| *text = text.replace(secret, "[out]"));
            assert!(kept.head().len() <= 400 && !kept.is_cut());
            assert!(!kept.head().contains("the-"), "{before}: {}", kept.head());
        }
    }

    #[test]
    fn trust_is_ordered_from_imported_to_user() {
        assert!(
            Origin::Imported < Origin::Tool && Origin::Tool < Origin::Assistant && Origin::Assistant < Origin::User
        );
        for o in [Origin::Imported, Origin::Tool, Origin::Assistant, Origin::User] {
            assert_eq!(Origin::parse(o.as_str()), o);
        }
    }
}
