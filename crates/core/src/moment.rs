//! Moments at which an agent asks a hook: what each carries, and what may be answered.
//!
//! Comes in: nothing. Goes out: the values that `sources/<agent>/hook.rs` reads from payloads and puts into the client's
//! dialect. Deliberately absent: names of events and fields of any client, and what is done at a moment.

use crate::session::ToolKind;

/// A question of an agent: where it is, and which moment it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The session's id; empty if the client does not say.
    pub session: String,
    /// The folder it works in; empty if the client does not say.
    pub folder: String,
    /// Where its transcript is or will be.
    pub transcript: Option<String>,
    /// The subagent in which it happens; `None` for the session itself.
    pub subagent: Option<Subagent>,
    /// The moment.
    pub moment: Moment,
}

/// An agent that another one started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subagent {
    /// Its id.
    pub id: String,
    /// What kind of agent it is; empty for the client's own helpers.
    pub kind: String,
}

/// When an agent asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A session starts or goes on.
    SessionStart {
        /// How it starts.
        start: Start,
    },
    /// A person sent a prompt.
    Prompt {
        /// What was typed.
        text: String,
    },
    /// A tool is about to be used.
    BeforeCall {
        /// How.
        call: ToolUse,
    },
    /// A tool was used, and the payload does not say that it failed. Some clients never say.
    AfterCall {
        /// How.
        call: ToolUse,
        /// What it printed.
        output: String,
    },
    /// A tool was used and failed. A call that a person interrupted is no failure.
    AfterFailure {
        /// How.
        call: ToolUse,
        /// What it printed, without the client's frame.
        output: String,
    },
    /// Calls that the client itself refused: they never ran.
    Refused {
        /// Each with what the client said, without its frame.
        calls: Vec<(ToolUse, String)>,
    },
    /// A subagent starts.
    SubagentStart {
        /// Which one.
        agent: Subagent,
    },
    /// A subagent is done.
    SubagentStop {
        /// Which one.
        agent: Subagent,
        /// Its last words.
        said: String,
        /// Where its transcript is.
        transcript: Option<String>,
    },
    /// A session ends.
    SessionEnd {
        /// Why, in the client's word.
        reason: String,
    },
}

impl Moment {
    /// A word for records.
    pub fn word(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "start",
            Self::Prompt { .. } => "prompt",
            Self::BeforeCall { .. } => "before-call",
            Self::AfterCall { .. } => "after-call",
            Self::AfterFailure { .. } => "failure",
            Self::Refused { .. } => "refused",
            Self::SubagentStart { .. } => "subagent-start",
            Self::SubagentStop { .. } => "subagent-stop",
            Self::SessionEnd { .. } => "end",
        }
    }
}

/// How a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// For the first time; also where a client has a word for it that we do not know.
    New,
    /// An earlier session goes on with all it knew.
    Resumed,
    /// The session goes on with a summary.
    Compacted,
    /// The user emptied it.
    Cleared,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// The client's id of the call; not every client has one.
    pub id: Option<String>,
    /// The client's name of the tool.
    pub tool: String,
    /// What such a tool does.
    pub kind: ToolKind,
    /// The command line of a shell, the file of an edit or read; empty if there is none.
    pub input: String,
}

impl ToolUse {
    /// The command line, for shells only.
    pub fn command(&self) -> Option<&str> {
        (self.kind == ToolKind::Shell).then_some(self.input.as_str())
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// A text for the model.
    Context(String),
    /// The call shall not be made, for this reason; at the end of a subagent: it shall go on.
    Deny(String),
}
