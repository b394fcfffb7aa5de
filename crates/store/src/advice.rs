//! The column `advice`: the marks of what lessons tell to do, by which those are found that a new lesson may end.
//!
//! Comes in: a project. Goes out: the marks of its lessons, read from one index; and the lessons that were picked by them.
//! Deliberately absent: what a mark is, and which fit (`learn/supersede` in the core).

use rusqlite::Transaction;
use uptake_core::learn::Lesson;
use uptake_core::learn::evidence::decay;
use uptake_core::learn::supersede::{MARKS, marks};

use crate::Result;
use crate::body::{LESSON, lesson_in};
use crate::lessons::{Lessons, Stored};

/// A lesson's id, and the marks of what it tells to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The id.
    pub id: String,
    /// The marks, with spaces between them.
    pub marks: String,
}

impl Lessons {
    /// The marks of all lessons of a project that tell to do something.
    pub fn advice(&mut self, project: &str) -> Result<Vec<Marked>> {
        self.mark_advice(project)?;
        let sql = "SELECT id, advice FROM lessons INDEXED BY lessons_by_advice WHERE project = ?1 AND advice IS NOT ''";
        self.db.rows(sql, [project], |r| Ok(Marked { id: r.get(0)?, marks: r.get(1)? }))
    }

    /// Those of these lessons that are ready or decided and were not given up, best first.
    pub fn known_among(&self, ids: &[&str], now: i64) -> Result<Vec<Stored>> {
        let mut found = self.with_ids(ids.iter().copied())?;
        found.retain(|s| s.standing.is_known());
        let rank = |l: &Lesson| l.evidence.worth.rank * decay(l.evidence.last, now);
        found.sort_by(|a, b| rank(&b.lesson).total_cmp(&rank(&a.lesson)).then_with(|| a.lesson.id.cmp(&b.lesson.id)));
        Ok(found)
    }

    /// Makes marks where there are none yet: rows that came back as an older release wrote them. Makes all again if what
    /// a mark is has changed.
    fn mark_advice(&mut self, project: &str) -> Result<()> {
        let noted = self.db.rows("SELECT value FROM notes WHERE name = 'advice'", [], |r| r.get::<_, String>(0))?;
        let unseen = "SELECT 1 FROM lessons INDEXED BY lessons_by_advice
                      WHERE project = ?1 AND advice IS NULL AND advice IS NOT '' LIMIT 1";
        if noted.first() != Some(&MARKS.to_string()) {
            self.db.write(|t| mark(t, "TRUE"))
        } else if !self.db.rows(unseen, [project], |_| Ok(()))?.is_empty() {
            self.db.write(|t| mark(t, "l.advice IS NULL"))
        } else {
            Ok(())
        }
    }
}

/// Makes the marks of these lessons.
pub(crate) fn mark(t: &Transaction<'_>, which: &str) -> rusqlite::Result<()> {
    let mut query = t.prepare(&format!("SELECT {LESSON}, l.advice FROM lessons l WHERE {which}"))?;
    let mut rows = query.query([])?;
    let mut other = Vec::new();
    while let Some(row) = rows.next()? {
        // What cannot be read is damage: whoever reads it tells.
        let marks = lesson_in(row).ok().flatten().as_ref().map(marks).unwrap_or_default();
        if row.get_ref("advice")?.as_str_or_null()? != Some(&marks) {
            other.push((row.get::<_, String>("id")?, marks));
        }
    }
    let mut update = t.prepare_cached("UPDATE lessons SET advice = ?2 WHERE id = ?1")?;
    for (id, marks) in &other {
        update.execute([id, marks])?;
    }
    t.execute("INSERT OR REPLACE INTO notes (name, value) VALUES ('advice', ?1)", [MARKS.to_string()]).map(drop)
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;
    use uptake_core::learn::status::Verdict;

    use super::*;

    /// Ids, marks as they are kept, and marks as they would be made now.
    fn all(lessons: &Lessons) -> Vec<(String, Option<String>, String)> {
        let sql = format!("SELECT {LESSON}, l.advice FROM lessons l ORDER BY l.id");
        let row = |r: &rusqlite::Row<'_>| {
            Ok((r.get("id")?, r.get("advice")?, lesson_in(r)?.as_ref().map(marks).unwrap_or_default()))
        };
        lessons.db.rows(&sql, [], row).expect("read")
    }

    fn hold(lessons: &Lessons, after: &str) {
        let all = all(lessons);
        assert!(!all.is_empty(), "after {after}");
        for (id, kept, made) in all {
            assert_eq!(kept.as_ref(), Some(&made), "{id} after {after}");
        }
    }

    #[test]
    fn marks_are_in_step_with_the_words_whatever_is_done_to_a_lesson() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        let (npm, make) = (by_hand("shop", "use npm", 1), by_hand("shop", "run make deps first", 2));
        lessons.add(&npm, &[], 1).expect("added");
        lessons.add_shown(std::slice::from_ref(&make)).expect("added");
        hold(&lessons, "adding");
        lessons.edit(&make, "use yarn for deps", 3).expect("edited");
        hold(&lessons, "editing");
        assert_eq!(
            all(&lessons).iter().filter(|(_, kept, _)| kept.as_ref().is_some_and(|k| k.contains("yarn"))).count(),
            1
        );
        lessons.undo(None, 4).expect("undone");
        hold(&lessons, "taking it back");
        lessons.edit(&npm, "use pnpm", 5).expect("edited");
        lessons.decide(&npm, Verdict::Approved, 6).expect("decided");
        hold(&lessons, "approving other words");
        lessons.undo(None, 7).expect("undone");
        hold(&lessons, "taking that back");
        lessons.merge("shop", "store", Vec::new(), crate::By::Person, 8).expect("merged");
        hold(&lessons, "a merge");
        lessons.undo(None, 9).expect("undone");
        hold(&lessons, "taking the merge back");
        lessons.clear(None, 10).expect("cleared");
        assert_eq!(lessons.advice("shop").expect("read"), []);
        lessons.undo(None, 11).expect("undone");
        hold(&lessons, "clearing and taking it back");
    }

    #[test]
    fn marks_are_made_for_rows_without_and_again_when_marks_change() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        lessons.add_shown(&[by_hand("shop", "use npm", 1), by_hand("blog", "use npm", 1)]).expect("added");
        let wanted = lessons.advice("shop").expect("read");
        assert_eq!(wanted.len(), 1);
        for spoil in [
            "UPDATE lessons SET advice = NULL",
            "UPDATE lessons SET advice = 'old'; UPDATE notes SET value = '0' WHERE name = 'advice'",
            "UPDATE lessons SET advice = ''; DELETE FROM notes WHERE name = 'advice'",
        ] {
            lessons.db.connection.execute_batch(spoil).expect("spoilt");
            assert_eq!(lessons.advice("shop").expect("read"), wanted, "{spoil}");
            hold(&lessons, spoil);
        }
    }

    #[test]
    fn marks_are_read_from_one_index_which_holds_no_lesson_without_any() {
        let home = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(home.path()).expect("a store");
        let sql = "EXPLAIN QUERY PLAN SELECT id, advice FROM lessons WHERE project = 'p' AND advice IS NOT ''";
        let plan: Vec<String> = lessons.db.rows(sql, [], |r| r.get("detail")).expect("a plan");
        assert!(
            plan.iter().all(|line| line.contains("USING COVERING INDEX lessons_by_advice (project=?)")),
            "{plan:?}"
        );
    }
}
