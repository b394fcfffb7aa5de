//! Transcript bytes → sessions, hook payloads ↔ moments; one folder per agent, wire types private to it.
//!
//! Comes in: chunks of a transcript, or what a client gives to its hook. Goes out: a [`Session`] and the problems met, or
//! who asks at which moment. To add an agent, implement [`Format`] and add one row to [`SOURCES`].

mod build;
mod claude;
mod codex;
mod gemini;
mod hook;
mod json_end;
mod json_repair;
mod openai;
mod opencode;
mod outline;
mod raw;
mod records;
#[cfg(test)]
mod shown;
mod shrink;
mod text;
pub(crate) mod tool_names;
mod usage;
mod used_skills;
mod wrote;

pub use build::Builder;
pub use hook::{
    Form, Hook, HookEvent, Installed, Reply, Trust, Version, Wanted, is_our_command, is_our_plugin, runs_at,
};
pub use json_end::JsonEnd;
pub use outline::Outline;
pub use records::{Flaw, Problems, RecordPlace, RecordVerdict};
pub use used_skills::{UsedSkill, used_skills};

use std::path::Path;

use records::{Records, Taker};

use crate::redact::clean_up;
use crate::session::{Session, SourceName};

/// Understands the records of one agent.
pub trait Format: Send {
    /// Reads one record into the session.
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict;

    /// Picks up what it needs to know of a session that was read before.
    fn resume(&mut self, _session: &Session) {}
}

/// An agent whose transcripts we read.
pub struct Source {
    /// Its short name, as in `uptake hook <name>`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Whether the first bytes of a file look like its transcript.
    pub sniff: fn(&[u8]) -> bool,
    /// A new reader of its records.
    pub format: fn() -> Box<dyn Format>,
    /// How it names its events.
    pub ids: Ids,
    /// What a file of it is.
    pub shape: Shape,
    /// What only the place of a file says of the session in it; `None` if the file says it all.
    pub place: Option<PlaceTells>,
    /// Its hooks; `None` if it calls no program.
    pub hook: Option<Hook>,
}

/// Adds to a session what the path of its file says, and the small files around it.
type PlaceTells = fn(&Path, &mut Session, ReadFile<'_>);

/// The text of a file, if there is one.
pub(crate) type ReadFile<'r> = &'r dyn Fn(&Path) -> Option<String>;

/// What a transcript is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// One record a line, appended as things happen.
    #[default]
    Lines,
    /// It may also be one document, rewritten each time; each object in it is a record.
    Document,
}

/// How a source names its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// An id occurs once in the world: the same id in two sessions is the same event.
    Unique,
    /// Ids count from one in every session.
    Numbered,
}

/// All agents, in the order in which an unknown file is offered to them.
pub const SOURCES: &[Source] = &[
    Source {
        name: "claude",
        title: "Claude Code",
        sniff: claude::sniff,
        format: claude::format,
        ids: Ids::Unique,
        shape: Shape::Lines,
        place: None,
        hook: Some(claude::hook::HOOK),
    },
    Source {
        name: "codex",
        title: "Codex CLI",
        sniff: codex::sniff,
        format: codex::format,
        ids: Ids::Unique,
        shape: Shape::Lines,
        place: None,
        hook: Some(codex::hook::HOOK),
    },
    Source {
        name: "opencode",
        title: "OpenCode",
        sniff: opencode::sniff,
        format: opencode::format,
        ids: Ids::Unique,
        shape: Shape::Document,
        place: None,
        hook: Some(opencode::hook::HOOK),
    },
    Source {
        name: "gemini",
        title: "Gemini CLI",
        sniff: gemini::sniff,
        format: gemini::format,
        ids: Ids::Unique,
        shape: Shape::Document,
        place: Some(gemini::place::tells),
        hook: Some(gemini::hook::HOOK),
    },
    Source {
        name: "openai",
        title: "OpenAI-style messages",
        sniff: openai::sniff,
        format: openai::format,
        ids: Ids::Numbered,
        shape: Shape::Lines,
        place: None,
        hook: None,
    },
];

/// The source of that name.
pub fn source(name: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|s| s.name == name)
}

/// The source that recognises the first bytes of a file.
pub fn recognise(start: &[u8]) -> Option<&'static Source> {
    SOURCES.iter().find(|s| (s.sniff)(start))
}

/// Takes secrets out of a text of a session that ran in a folder.
pub(crate) type Cleaner<'c> = &'c dyn Fn(Option<&str>, &mut String);

/// Reads one transcript, chunk by chunk.
pub struct Reader {
    records: Records,
    taker: SessionTaker,
}

struct SessionTaker {
    format: Box<dyn Format>,
    builder: Builder,
}

impl Taker for SessionTaker {
    fn take(&mut self, record: &[u8], place: RecordPlace) -> RecordVerdict {
        self.format.record(record, place, &mut self.builder)
    }
}

/// What a reading gave.
pub struct Read {
    /// The session with all its events.
    pub session: Session,
    /// What could not be read.
    pub problems: Problems,
    /// Where the next reading begins.
    pub resume_at: u64,
    /// The first event that is new or was changed by this reading.
    pub first_changed: usize,
    /// Events in the middle of an endless session that are not kept.
    pub left_out: u64,
}

impl Reader {
    /// Reads from the start. `name` is the file's name without its ending; some clients put the session's id there.
    pub fn new(source: &Source, name: &str) -> Self {
        let session = Session { source: SourceName::parse(source.name), ..Session::default() };
        Self::resume(source, name, session, 0)
    }

    /// Goes on where an earlier reading ended.
    pub fn resume(source: &Source, name: &str, session: Session, offset: u64) -> Self {
        let mut format = (source.format)();
        format.resume(&session);
        Self {
            records: Records::starting_at(offset, source.shape),
            taker: SessionTaker { format, builder: Builder::new(session, name) },
        }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.feed_with(chunk, &|_, text| clean_up(text));
    }

    /// The same with a cleaner of one's own. Earlier texts of a very long session are cut meanwhile, after secrets were
    /// taken out: half a secret is not recognised.
    pub fn feed_with(&mut self, chunk: &[u8], clean: Cleaner<'_>) {
        self.records.feed(chunk, &mut self.taker);
        self.taker.builder.seal(clean);
    }

    /// Ends the file.
    pub fn finish(mut self) -> Read {
        self.records.finish(&mut self.taker);
        let resume_at = self.records.resume_at();
        let left_out = self.taker.builder.left_out();
        let (session, first_changed) = self.taker.builder.finish();
        Read { session, problems: self.records.problems, resume_at, first_changed, left_out }
    }
}

/// Reads a whole transcript that is in memory.
pub fn read_all(source: &Source, name: &str, bytes: &[u8]) -> Read {
    let mut reader = Reader::new(source, name);
    reader.feed(bytes);
    reader.finish()
}
