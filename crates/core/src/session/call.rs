//! One use of a tool, as every client writes it down in its own way.

use super::{COMMAND_LIMIT, Excerpt, Outcome, WRITTEN_LIMIT, cut};

/// What kind of thing a tool does, whatever its name is in one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Changes a file.
    Edit,
    /// Reads a file or searches.
    Read,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// The word used in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Edit => "edit",
            Self::Read => "read",
            Self::Other => "other",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Self {
        match word {
            "shell" => Self::Shell,
            "edit" => Self::Edit,
            "read" => Self::Read,
            _ => Self::Other,
        }
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The client's name of the tool.
    pub tool: String,
    /// What such a tool does.
    pub kind: ToolKind,
    /// The command line of a shell call, the file of an edit or read; empty if there is none.
    pub input: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What it printed.
    pub output: Excerpt,
    /// The folder it ran in, if the client names one that is not the session's.
    pub cwd: Option<String>,
    /// How long it ran, in milliseconds, if the client says so.
    pub took: Option<u32>,
    /// What its source has to remember until its end is told: how a later record will speak of it.
    pub pending: Option<String>,
    /// What an edit changed in files that tell agents how to work, as a small patch (`normal/notes`); of other files nothing is
    /// kept.
    pub written: Option<String>,
}

impl Call {
    /// A call whose result is still to come.
    pub fn new(tool: &str, kind: ToolKind, input: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            kind,
            input: input.to_owned(),
            outcome: Outcome::Unknown,
            output: Excerpt::default(),
            cwd: None,
            took: None,
            pending: None,
            written: None,
        }
    }

    /// Passes all but its output through `clean`.
    pub(super) fn clean_about(&mut self, clean: &impl Fn(&mut String)) {
        clean(&mut self.tool);
        cut::finish(&mut self.input, COMMAND_LIMIT, clean);
        [&mut self.cwd, &mut self.pending].into_iter().flatten().for_each(clean);
        self.written.iter_mut().for_each(|text| cut::finish(text, WRITTEN_LIMIT, clean));
    }

    /// The command line, for shell calls only.
    pub fn command(&self) -> Option<&str> {
        (self.kind == ToolKind::Shell).then_some(self.input.as_str())
    }
}
