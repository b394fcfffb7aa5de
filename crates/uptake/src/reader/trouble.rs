//! Why a reader gave no answer, in one line, and where that line stays until it answers again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uptake_core::reader::Trouble;
use uptake_core::redact;

use crate::ui;

/// Characters of what a client or a server says that are shown.
const SHOWN: usize = 300;
/// Where the last trouble is kept, below our data.
const FILE: &str = "reader/trouble.json";

/// What others say, as one line without secrets.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    ui::cut(&redact::clean(&words.join(" ")), SHOWN)
}

/// A file or folder that cannot be used.
pub(super) fn of_file(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::Unavailable(format!("cannot write `{}`: {error}", path.display()))
}

/// The last trouble with a reader.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct LastTrouble {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// With whom.
    pub reader: String,
    /// What it was.
    pub what: String,
}

impl LastTrouble {
    fn path(data: &Path) -> PathBuf {
        data.join(FILE)
    }

    /// The one that is kept, if the reader did not answer since.
    pub fn of(data: &Path) -> Option<Self> {
        serde_json::from_str(&std::fs::read_to_string(Self::path(data)).ok()?).ok()
    }

    /// Keeps it. That it cannot be kept is no further trouble.
    pub(super) fn keep(&self, data: &Path) {
        if let Ok(text) = serde_json::to_string(self) {
            let _ = uptake_store::open::write_private(&Self::path(data), &text);
        }
    }

    /// The reader answers again.
    pub(super) fn is_over(data: &Path) {
        let _ = std::fs::remove_file(Self::path(data));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_say_is_one_line_without_secrets() {
        let key = format!("sk-ant-api03-{}", "a1B2".repeat(22));
        for (said, shown) in [
            ("Not logged in\n  Please run /login ", "Not logged in Please run /login".to_owned()),
            (&*"x".repeat(400), format!("{}…", "x".repeat(299))),
        ] {
            assert_eq!(one_line(said), shown);
        }
        assert!(!one_line(&format!("invalid key {key}")).contains("a1B2a1B2"));
    }

    #[test]
    fn trouble_stays_until_it_is_over() {
        let data = tempfile::tempdir().expect("a folder");
        assert_eq!(LastTrouble::of(data.path()), None);
        let trouble = LastTrouble { at: 5, reader: "Claude Code".into(), what: "Not logged in".into() };
        trouble.keep(data.path());
        assert_eq!(LastTrouble::of(data.path()), Some(trouble));
        LastTrouble::is_over(data.path());
        assert_eq!(LastTrouble::of(data.path()), None);
    }
}
