//! What an agent may write up is shown to one session of a project: which one, all hooks of the project agree on here.
//!
//! The same records as a session's own, in a file that all sessions of the project share. When they are taken over the store knows
//! what was shown.

use std::path::Path;

use super::{Shown, Turn, file, parse};
use crate::Result;

/// The moment of such a record.
pub const WRITE_UP: &str = "write up";

/// Begins the name of the file.
const NAME: &str = "release";

/// The turn of a hook among all sessions of a project.
pub struct Releases(Turn);

impl Releases {
    /// Waits for the turn; `None` if another hook keeps it.
    pub fn take(home: &Path, project: &str) -> Option<Self> {
        Turn::take(home, NAME, project).map(Self)
    }

    /// Whether a lesson was shown to any session since it was released.
    pub fn was_shown(&self, lesson: &str, released: i64) -> bool {
        self.0.heard.iter().any(|h| h.lesson == lesson && h.at >= released)
    }

    /// The same for somebody who only wants to know.
    pub fn look(home: &Path, project: &str) -> impl Fn(&str, i64) -> bool + use<> {
        let shown = parse(&std::fs::read(file(home, NAME, project)).unwrap_or_default());
        move |lesson, released| shown.iter().any(|h| h.lesson == lesson && h.at >= released)
    }

    /// Writes down what is shown now, and ends the turn.
    pub fn end(self, shown: &[Shown]) -> Result<()> {
        self.0.end(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_session_was_shown_no_other_is_until_it_is_released_again() {
        let home = tempfile::tempdir().expect("a folder");
        let take = || Releases::take(home.path(), "git.example.com/dev/shop").expect("a turn");
        let shown = Shown {
            id: "i".into(),
            lesson: "l".into(),
            about: String::new(),
            source: "claude".into(),
            session: "s1".into(),
            moment: WRITE_UP.into(),
            at: 5,
            chance: 0,
            withheld: false,
        };
        assert!(!take().was_shown("l", 1));
        take().end(&[shown]).expect("written");
        assert!(take().was_shown("l", 1) && take().was_shown("l", 5));
        assert!(!take().was_shown("l", 6), "released again");
        assert!(!take().was_shown("m", 1), "another lesson");
        let look = Releases::look(home.path(), "git.example.com/dev/shop");
        assert!(look("l", 5) && !look("l", 6) && !look("m", 1));
    }
}
