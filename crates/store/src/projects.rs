//! Projects: which there are, and making two of them one.

use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use uptake_core::learn::{Lesson, Payload, lesson_id};
use uptake_core::project::one_spelling;

use crate::Result;
use crate::body;
use crate::clearing::{put_away_lesson, put_away_words, put_back};
use crate::ledger::{self, Action};
use crate::lessons::{Lessons, insert_lesson};
use crate::observations::{OF_PATH, keep_rejected};
use crate::open::json;
use crate::sessions::Sessions;
use crate::tables;
use crate::verdicts::copy_approval;

/// A project, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectRow {
    /// Its key.
    pub key: String,
    /// Lessons about it.
    pub lessons: usize,
    /// Those that were approved.
    pub approved: usize,
}

/// How the name begins that stands for a folder and all that is in it, whatever else is known of it.
pub const BELOW: &str = "below:";

/// Who made two projects one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// A person.
    #[default]
    Person,
    /// What was learned of their folders and remotes.
    Rules,
}

/// What a merge moved, so that it can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// The project that is no more.
    pub from: String,
    /// The one it is now.
    pub to: String,
    /// Transcripts and imported files that belonged to it.
    pub paths: Vec<String>,
    /// Other names of it.
    names: Vec<String>,
    /// Lessons that were approved again for the other project.
    pub lessons: Vec<String>,
    /// Who did it.
    #[serde(default)]
    pub by: By,
}

impl Lessons {
    /// The projects there are lessons about.
    pub fn projects(&self) -> Result<Vec<ProjectRow>> {
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        self.db.rows(
            "SELECT l.project AS key, count(*) AS lessons, sum(v.verdict IS 'approved') AS approved FROM lessons l LEFT JOIN verdicts v ON v.lesson = l.id
             GROUP BY l.project ORDER BY count(*) DESC, l.project",
            [],
            |r| {
                let (lessons, approved) = (count(r.get("lessons")?), count(r.get("approved")?));
                Ok(ProjectRow { key: r.get("key")?, lessons, approved })
            },
        )
    }

    /// Merges one project into another, for good: what was and will be seen under `from` belongs to `to`.
    /// Approved lessons move along, as the user asked for it. Answers the number of the change.
    pub fn merge(&mut self, from: &str, to: &str, paths: Vec<String>, by: By, at: i64) -> Result<i64> {
        self.db.write(|t| {
            let mut merge = Merge { from: from.to_owned(), to: to.to_owned(), paths, by, ..Merge::default() };
            merge.paths.extend(column(t, "SELECT DISTINCT path FROM observations WHERE project = ?1", from)?);
            merge.paths.sort();
            merge.paths.dedup();
            merge.names = column(t, "SELECT name FROM aliases WHERE project = ?1", from)?;
            let change = ledger::note(t, Action::Merged, from, at)?;
            t.execute("UPDATE aliases SET project = ?2 WHERE project = ?1", [from, to])?;
            t.execute("INSERT OR REPLACE INTO aliases (name, project) VALUES (?1, ?2)", [from, to])?;
            keep_rejected(t, from, to)?;
            move_paths(t, &merge.paths, from, to)?;
            merge.lessons = move_approved(t, change, from, to)?;
            let before = json(&merge)?;
            t.execute("UPDATE ledger SET before = ?2 WHERE id = ?1", params![change, before])?;
            Ok(change)
        })
    }
}

/// The one column of a query with one parameter.
fn column(t: &Transaction<'_>, sql: &str, value: &str) -> rusqlite::Result<Vec<String>> {
    t.prepare_cached(sql)?.query_map([value], |r| r.get(0))?.collect()
}

/// Both projects are folded again where anything moved.
pub(crate) fn move_paths(t: &Transaction<'_>, paths: &[String], from: &str, to: &str) -> rusqlite::Result<()> {
    for path in paths {
        for project in [from, to] {
            t.prepare_cached(
                "INSERT OR IGNORE INTO unfolded (project, kind, key)
                 SELECT DISTINCT ?1, kind, CASE detector WHEN 'multi-step' THEN '' ELSE key END
                 FROM observations WHERE substr(path, -24) = substr(?2, -24) AND path = ?2 AND project = ?3",
            )?
            .execute([project, path, from])?;
        }
        t.prepare_cached(&format!("UPDATE observations SET project = ?3 WHERE {OF_PATH} AND project = ?2"))?
            .execute([path, from, to])?;
    }
    Ok(())
}

/// The scope is part of what was approved: each approval is given again for the other project.
fn move_approved(t: &Transaction<'_>, change: i64, from: &str, to: &str) -> rusqlite::Result<Vec<String>> {
    let sql = format!(
        "SELECT {} FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.project = ?1 AND v.verdict = 'approved'",
        body::LESSON
    );
    let approved: Vec<Option<Lesson>> =
        t.prepare_cached(&sql)?.query_map([from], body::lesson_in)?.collect::<rusqlite::Result<_>>()?;
    let mut moved = Vec::new();
    for old in approved.into_iter().flatten() {
        moved.extend(approve_for(t, change, &old, to)?);
        put_away_lesson(t, change, &old.id)?;
    }
    Ok(moved)
}

/// The same lesson in another project.
pub(crate) fn in_project(old: &Lesson, to: &str) -> Lesson {
    let payload = Payload { scope: to.to_owned(), ..old.payload.clone() };
    Lesson { id: lesson_id(old.kind, &old.key, to), payload, ..old.clone() }
}

/// Approves a lesson for another project in the words in which it was approved. What stands there in other words, and nobody
/// spoke of, is put away. Answers its id; none if something was said there already.
pub(crate) fn approve_for(
    t: &Transaction<'_>,
    change: i64,
    old: &Lesson,
    to: &str,
) -> rusqlite::Result<Option<String>> {
    let new = in_project(old, to);
    // Bytes that were never approved do not become so by a move.
    if !copy_approval(t, old, &new)? {
        return Ok(None);
    }
    put_away_words(t, change, &new.id)?;
    insert_lesson(t, &new)?;
    Ok(Some(new.id))
}

/// Takes a merge back.
pub(crate) fn unmerge(t: &Transaction<'_>, change: i64, merge: &Merge) -> rusqlite::Result<()> {
    t.execute("DELETE FROM aliases WHERE name = ?1", [&merge.from])?;
    for name in &merge.names {
        t.execute("INSERT OR REPLACE INTO aliases (name, project) VALUES (?1, ?2)", [name, &merge.from])?;
    }
    if merge.by == By::Rules {
        stays_apart(t, &merge.from)?;
    }
    move_paths(t, &merge.paths, &merge.to, &merge.from)?;
    drop_made_again(t, &merge.lessons)?;
    put_back(t, change)
}

/// A person took back what the rules did: they must not do it again.
fn stays_apart(t: &Transaction<'_>, project: &str) -> rusqlite::Result<()> {
    let folder = project.strip_prefix("path:").map(|folder| format!("{BELOW}{}", one_spelling(folder)));
    for name in folder.iter().map(String::as_str).chain([project]) {
        t.execute("INSERT OR REPLACE INTO aliases (name, project) VALUES (?1, ?2)", [name, project])?;
    }
    Ok(())
}

/// Deletes what was made again of lessons for another project.
pub(crate) fn drop_made_again(t: &Transaction<'_>, lessons: &[String]) -> rusqlite::Result<()> {
    for table in tables::of_lessons().filter(|t| t.merge == tables::OnMerge::MadeAgain) {
        let Some(column) = table.lesson else { continue };
        for lesson in lessons {
            t.execute(&format!("DELETE FROM {} WHERE {column} = ?1", table.name), [lesson])?;
        }
    }
    Ok(())
}

impl Sessions {
    /// The transcripts of a project's sessions.
    pub fn paths_of(&self, project: &str) -> Result<Vec<String>> {
        self.db.rows("SELECT path FROM sessions WHERE project = ?1 ORDER BY path", [project], |r| r.get("path"))
    }

    /// Gives the sessions of these transcripts another project.
    pub fn move_paths(&mut self, paths: &[String], to: &str) -> Result<()> {
        self.db.write(|t| {
            let mut update = t.prepare_cached("UPDATE sessions SET project = ?2 WHERE path = ?1")?;
            paths.iter().try_for_each(|path| update.execute([path.as_str(), to]).map(drop))
        })
    }
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;
    use uptake_core::learn::status::Verdict;
    use uptake_core::learn::trust::Mode;

    use super::*;

    /// The same lesson in two projects, each in its own words.
    fn twins() -> [Lesson; 2] {
        let one = by_hand("part", "run make first", 1);
        let mut other = in_project(&one, "whole");
        "run make all first".clone_into(&mut other.payload.statement);
        [one, other]
    }

    #[test]
    fn what_was_approved_keeps_its_words_where_nobody_spoke_of_others() {
        for spoken in [false, true] {
            let home = tempfile::tempdir().expect("a folder");
            let mut lessons = Lessons::open(home.path()).expect("open");
            let [part, whole] = twins();
            lessons.add_shown(&[part.clone(), whole.clone()]).expect("added");
            lessons.decide(&part, Verdict::Approved, 2).expect("approved");
            if spoken {
                lessons.decide(&whole, Verdict::Approved, 3).expect("approved");
            }
            let change = lessons.merge("part", "whole", Vec::new(), By::Rules, 4).expect("merged");
            let words = |lessons: &Lessons| -> Vec<String> {
                let leave = lessons.may_leave(Mode::Review).expect("read");
                leave.into_iter().map(|l| l.payload.statement).collect()
            };
            let told = if spoken { "run make all first" } else { "run make first" };
            assert_eq!(words(&lessons), [told], "spoken of: {spoken}");
            lessons.undo(Some(change), 5).expect("undone");
            assert_eq!(words(&lessons).len(), 1 + usize::from(spoken));
            let stands = lessons.by_id(&whole.id).expect("read").remove(0).lesson;
            assert_eq!(stands.payload.statement, whole.payload.statement);
        }
    }
}
