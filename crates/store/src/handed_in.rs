//! What agents handed in, beside the lessons made of it; and lessons that a person let an agent write up, once one did.
//!
//! Comes in: a lesson that was released. Goes out: that it is written up, with a way back; tags and citations by lesson.

use rusqlite::{OptionalExtension as _, params};
use uptake_core::detect::{HandedIn, Kind, SUBMITTED, Seen};
use uptake_core::learn::status::{By, Verdict};
use uptake_core::learn::{Lesson, lesson_id};

use crate::Result;
use crate::body::{OBSERVATION, observation_in};
use crate::ledger::{self, Action};
use crate::lessons::{Lessons, Stored};
use crate::verdicts::say;

impl Lessons {
    /// What agents said of what they handed in for a project, with the id of the lesson it became.
    pub fn handed_in(&self, project: &str) -> Result<Vec<(String, HandedIn)>> {
        let sql = format!(
            "SELECT {OBSERVATION} FROM observations
             WHERE project = ?1 AND kind = ?2 AND substr(key, 1, 16) >= ?3 AND substr(key, 1, 16) < ?4 ORDER BY at, id"
        );
        // All keys that begin with the name and a colon, by the index.
        let (from, to) = (format!("{SUBMITTED}:"), format!("{SUBMITTED};"));
        let mut all = Vec::new();
        for kind in [Kind::Pitfall, Kind::Procedure] {
            let given = params![project, kind.as_str(), from, to];
            for seen in self.db.rows(&sql, given, observation_in)?.into_iter().flatten() {
                if let Seen::HandedIn(handed) = seen.seen {
                    all.push((lesson_id(kind, &seen.claim.key, project), handed));
                }
            }
        }
        Ok(all)
    }

    /// Closes a lesson that was released, because an agent wrote it up. Answers whether it did: what a person said since holds.
    pub fn write_up(&mut self, lesson: &Lesson, at: i64) -> Result<bool> {
        self.db.write(|t| {
            let said: Option<String> = t
                .prepare_cached("SELECT verdict FROM verdicts WHERE lesson = ?1")?
                .query_row([&lesson.id], |r| r.get("verdict"))
                .optional()?;
            let is_open = said.is_some_and(|word| word == Verdict::Released.as_str());
            if is_open {
                ledger::note_word(t, Action::WrittenUp, lesson, at)?;
                say(t, lesson, Verdict::Superseded, By::Auto, None, at)?;
            }
            Ok(is_open)
        })
    }

    /// Lessons that an agent wrote up.
    pub fn written_up(&self) -> Result<Vec<Stored>> {
        let sql = "SELECT lesson FROM verdicts WHERE verdict = ?1 AND by = ?2 ORDER BY at DESC, lesson";
        let given = [Verdict::Superseded.as_str(), By::Auto.as_str()];
        let ids: Vec<String> = self.db.rows(sql, given, |r| r.get("lesson"))?;
        self.with_ids(ids.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;

    use super::*;

    #[test]
    fn only_what_was_released_is_written_up_once_and_with_a_way_back() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        let lesson = by_hand("shop", "the port is 8080", 1);
        lessons.add_shown(std::slice::from_ref(&lesson)).expect("added");
        assert!(!lessons.write_up(&lesson, 2).expect("asked"), "nobody released it");
        for verdict in [Verdict::Approved, Verdict::Rejected] {
            lessons.decide(&lesson, verdict, 3).expect("decided");
            assert!(!lessons.write_up(&lesson, 4).expect("asked"), "{verdict:?}");
        }
        lessons.decide(&lesson, Verdict::Released, 5).expect("released");
        assert_eq!(lessons.released("shop", 9).expect("read").len(), 1);
        assert!(lessons.write_up(&lesson, 6).expect("asked"));
        assert!(!lessons.write_up(&lesson, 7).expect("asked"), "once");
        assert!(lessons.released("shop", 9).expect("read").is_empty(), "nobody is asked any more");
        assert_eq!(lessons.written_up().expect("read").len(), 1);
        let change = lessons.undo(None, 8).expect("taken back").expect("a change");
        assert_eq!((change.action, change.lesson), (Action::WrittenUp, lesson.id.clone()));
        assert_eq!(lessons.verdict(&lesson.id).expect("read"), Some(Verdict::Released));
        assert_eq!(lessons.released("shop", 9).expect("read").len(), 1);
    }
}
