//! What one detector saw in one session: who saw it where, what a lesson of it would say, and what was seen.

use std::borrow::Cow;

use super::{Kind, Proposed};
use crate::failure::Family;
use crate::normal::slug;
use crate::session::{Origin, Session};

/// How sure a detector is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sure {
    /// Likely.
    #[default]
    Medium,
    /// Almost certainly.
    High,
}

impl Sure {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Self {
        if word == "high" { Self::High } else { Self::Medium }
    }
}

/// The error at which a lesson should be recalled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trigger {
    /// The program that failed.
    pub program: String,
    /// The masked error line.
    pub error: String,
}

/// A step of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepForm {
    /// Its canonical form.
    pub normal: String,
    /// The command as it was run.
    pub command: String,
}

/// What one detector saw in one session; it never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Who saw it, where and when.
    pub head: Head,
    /// What a lesson made of it would say.
    pub claim: Claim,
    /// What was seen.
    pub seen: Seen,
}

/// Who saw something, where and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Hash of detector, root session and events: the same for the same sight.
    pub id: String,
    /// Name of the detector.
    pub detector: Cow<'static, str>,
    /// The source of that session.
    pub source: String,
    /// The session.
    pub session: String,
    /// The root of that session; forks count once.
    pub root: String,
    /// Ids of the events that prove it.
    pub events: Vec<String>,
    /// Time of its last event.
    pub at: Option<i64>,
    /// A few words of the session that show it; empty if nobody said anything.
    pub quote: String,
}

/// What a lesson made of an observation would say, and how far that can be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub kind: Kind,
    /// The same for the same lesson in another session.
    pub key: String,
    /// A safe short name.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The statement an agent would be given.
    pub text: String,
    /// The commands shown with it.
    pub commands: Vec<String>,
    /// How sure.
    pub sure: Sure,
    /// The lowest origin of the bytes shown.
    pub trust: Origin,
    /// Whether it would be suggested after this session alone.
    pub suggest: bool,
    /// Whether it says something about this project that would not hold anywhere.
    pub telling: bool,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// A failure, and perhaps what got past it.
    Fix(Fix),
    /// A message that put a command right.
    Corrected {
        /// The user's message.
        message: String,
        /// The call that was wrong.
        failed: String,
        /// The call that was right.
        fixed: String,
    },
    /// Words of the user.
    Said {
        /// The message.
        message: String,
        /// Whether the message says this and nothing else: what stands beside it may have been pasted, and so may it.
        alone: bool,
    },
    /// Commands that belong together.
    Steps(Vec<StepForm>),
    /// Calls that failed in one way.
    Met(Met),
    /// What worked where.
    Worked(Vec<Tally>),
    /// Words that the agent wrote into a file that tells agents how to work.
    Noted {
        /// The files, from the root of the project.
        files: Vec<String>,
        /// The message that asked for it.
        message: Option<String>,
        /// Whether the words were there before, and were taken out.
        gone: bool,
    },
    /// A file that tells agents how to work was written whole.
    Whole {
        /// The file, from the root of the project.
        file: String,
        /// The sums of all that it says then.
        says: Vec<String>,
    },
    /// Words of a session that a reader made a statement of.
    Proposed(Proposed),
    /// A learning that an agent handed in.
    HandedIn(HandedIn),
    /// Something found out; the events prove it.
    #[default]
    Finding,
}

/// What an agent said of a learning that it handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandedIn {
    /// What it is about, in the agent's words; no two alike.
    pub tags: Vec<String>,
    /// Entries and lessons that it names.
    pub citations: Vec<String>,
}

/// Calls of one session that failed in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// What kind of trouble it was.
    pub family: Family,
    /// What it was about; `*` for all failures of a family together, with a `/` at its end for a folder.
    pub subject: String,
    /// The client's name of the tool.
    pub tool: String,
    /// What was tried: a command line as it is shown, or a path.
    pub tried: String,
    /// Where, from the root; empty if that is not known.
    pub folder: String,
    /// The line the tool printed.
    pub error: String,
    /// How often.
    pub times: u32,
    /// How many further calls it took until the goal was reached or given up.
    pub calls: u32,
    /// How many new tokens these took, as far as the client counts them.
    pub tokens: u32,
    /// What got past it.
    pub way: WayOut,
}

impl Met {
    /// A safe short name.
    pub fn name(&self) -> String {
        slug(&format!("{} {}", self.family.as_str().replace('_', " "), self.subject))
    }

    /// What was seen, in one line.
    pub fn text(&self) -> String {
        format!("{}, {}: {}", self.family.as_str().replace('_', " "), self.subject, self.error)
    }
}

/// How often something worked in a place, and how often not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// What: see [`Tally::of_file`], [`Tally::of_folder`], [`Tally::of_program`] and [`Tally::of_prefix`].
    pub what: String,
    /// Where: the path of a file, or the folder in which a program ran, from the root; or what it was run behind.
    pub place: String,
    /// How often it worked.
    pub ok: u32,
    /// How often it could not even begin.
    pub failed: u32,
}

impl Tally {
    /// Counts files with a name, whatever their folder and ending.
    pub fn of_file(path: &str) -> String {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        let stem = name.char_indices().rev().find(|(at, c)| *c == '.' && *at > 0).map_or(name, |(at, _)| &name[..at]);
        format!("f:{}", stem.to_lowercase())
    }

    /// Counts files right in a folder.
    pub fn of_folder(folder: &str) -> String {
        format!("d:{}", folder.trim_end_matches('/'))
    }

    /// Counts runs of a program with its subcommand.
    pub fn of_program(goal: &str) -> String {
        format!("r:{goal}")
    }

    /// Counts what a program was run behind: `uv run` for `uv run pytest`.
    pub fn of_prefix(program: &str) -> String {
        format!("w:{program}")
    }

    /// Counts uses of a skill or slash command, by the agent in which it was used.
    pub fn of_skill(name: &str) -> String {
        format!("{SKILL}{name}")
    }

    /// Whether it counts a skill.
    pub fn is_of_skill(&self) -> bool {
        self.what.starts_with(SKILL)
    }

    /// The same file, counted for its folder; `None` for programs.
    pub fn for_folder(&self) -> Option<Self> {
        let folder = self.place.rsplit_once('/').map_or(".", |(folder, _)| folder);
        self.what.starts_with("f:").then(|| Self { what: Self::of_folder(folder), ..self.clone() })
    }
}

/// Begins what counts a skill.
const SKILL: &str = "s:";

/// What got past a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WayOut {
    /// Nothing that can be told.
    #[default]
    None,
    /// The same, once more.
    Again,
    /// A change in the code.
    Edited,
    /// Another command.
    Instead {
        /// The command.
        run: String,
        /// Words that went, and words that came.
        change: String,
    },
    /// The same, after these commands.
    After(Vec<String>),
    /// The same file in another place, from the root.
    Path(String),
}

/// A failure, and what got past it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// The failing call; none where words tell of the failure.
    pub failed: Option<String>,
    /// The call in which the same goal succeeded.
    pub fixed: Option<String>,
    /// What was run or edited in between to get there.
    pub via: Vec<String>,
    /// The message in which a person told of it.
    pub message: Option<String>,
    /// The line the tool printed, as evidence; never part of the statement.
    pub error: Option<String>,
    /// The error at which to recall it.
    pub trigger: Option<Trigger>,
}

impl Seen {
    /// The failing call.
    pub fn failed(&self) -> Option<&str> {
        match self {
            Self::Fix(fix) => fix.failed.as_deref(),
            Self::Corrected { failed, .. } => Some(failed),
            _ => None,
        }
    }

    /// The call in which the same goal succeeded.
    pub fn fixed(&self) -> Option<&str> {
        match self {
            Self::Fix(fix) => fix.fixed.as_deref(),
            Self::Corrected { fixed, .. } => Some(fixed),
            _ => None,
        }
    }

    /// What was done between failure and success.
    pub fn via(&self) -> &[String] {
        if let Self::Fix(fix) = self { &fix.via } else { &[] }
    }

    /// The user's message.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Fix(fix) => fix.message.as_deref(),
            Self::Corrected { message, .. } | Self::Said { message, .. } => Some(message),
            Self::Noted { message, .. } => message.as_deref(),
            _ => None,
        }
    }

    /// Whether words were taken out of a file.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Noted { gone: true, .. })
    }

    /// The line the tool printed.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Fix(fix) => fix.error.as_deref(),
            Self::Met(met) => Some(&met.error),
            _ => None,
        }
    }

    /// What worked where.
    pub fn worked(&self) -> &[Tally] {
        if let Self::Worked(tallies) = self { tallies } else { &[] }
    }

    /// Calls that failed in one way.
    pub fn met(&self) -> Option<&Met> {
        if let Self::Met(met) = self { Some(met) } else { None }
    }

    /// The error at which to recall it.
    pub fn trigger(&self) -> Option<&Trigger> {
        if let Self::Fix(fix) = self { fix.trigger.as_ref() } else { None }
    }

    /// Whether a message of the user says this and nothing else.
    pub fn alone(&self) -> bool {
        matches!(self, Self::Said { alone: true, .. } | Self::Proposed(Proposed { alone: true, .. }))
    }

    /// What is known of a reader's statement.
    pub fn proposed(&self) -> Option<&Proposed> {
        if let Self::Proposed(proposed) = self { Some(proposed) } else { None }
    }

    /// The steps of a procedure.
    pub fn steps(&self) -> &[StepForm] {
        if let Self::Steps(steps) = self { steps } else { &[] }
    }
}

impl Observation {
    /// An observation with its identity; the detector fills in what it claims and what was seen.
    /// `last` is the place of the last of its events.
    pub(crate) fn new(detector: &'static str, kind: Kind, session: &Session, events: Vec<String>, last: usize) -> Self {
        Self::about("", detector, kind, session, events, last)
    }

    /// The same, where several things are seen in the same events: `what` tells them apart.
    pub(crate) fn about(
        what: &str,
        detector: &'static str,
        kind: Kind,
        session: &Session,
        events: Vec<String>,
        last: usize,
    ) -> Self {
        let at = session.events.get(last).and_then(|e| e.at).or(session.ended());
        let head = Head {
            id: id(what, detector, &session.root, &events),
            detector: Cow::Borrowed(detector),
            source: session.source.to_string(),
            session: session.id.clone(),
            root: session.root.clone(),
            events,
            at,
            quote: String::new(),
        };
        Self { head, claim: Claim::new(kind), seen: Seen::Finding }
    }
}

/// The id of what a detector saw in events of a root session.
pub(crate) fn id(what: &str, detector: &str, root: &str, events: &[String]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [detector, root].into_iter().chain(events.iter().map(String::as_str)) {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    }
    // Nothing where the events say it all: such an id is as it always was.
    hash.update(what.as_bytes());
    hash.finalize().to_hex()[..20].to_owned()
}

impl Claim {
    /// A claim of which nothing but its kind is known.
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            key: String::new(),
            name: String::new(),
            title: String::new(),
            text: String::new(),
            commands: Vec::new(),
            sure: Sure::Medium,
            trust: Origin::Assistant,
            suggest: false,
            telling: true,
        }
    }
}
