//! What goes into the state machine of the inbox and what comes out: keys and actions.

/// A key, whatever the terminal library calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names on the keyboard")]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    /// Ctrl-C.
    Interrupt,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
}

/// What a person said of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the words are the documentation")]
pub enum Choice {
    Accepted,
    Rejected,
    Snoozed,
    Released,
}

impl Choice {
    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Snoozed => "snoozed",
            Self::Released => "released",
        }
    }
}

/// What the desk, the screen or the editor must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Say something of the lesson with this id; `edited` is the statement in the person's words.
    Say {
        /// The lesson.
        id: String,
        /// What is said.
        said: Choice,
        /// Its new statement.
        edited: Option<String>,
    },
    /// Open the person's editor on this text.
    Edit(String),
    /// Take back what was said last.
    Undo,
    /// Leave.
    Quit,
}
