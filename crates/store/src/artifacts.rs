//! What was made of lessons, and what hooks showed.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, named_params, params};

use crate::Result;
use crate::lessons::Lessons;
use crate::spool::Shown;

/// Stands between a file and the part of it that was made of a lesson.
const PART: char = '#';

/// A file that was made of a lesson, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Where it was written; a part has its name behind `#`: `decisions.md#ADR-001`.
    pub path: String,
    /// The lesson.
    pub lesson: String,
    /// The sum of what was written.
    pub sha256: String,
    /// Whether it was written to its end; otherwise it was begun, and nobody knows how far it came.
    pub written: bool,
    /// Whether a person changed it: it is theirs then.
    pub edited: bool,
    /// The branch of its repository on which it was written; empty where there is none.
    pub branch: String,
}

impl Artifact {
    /// The file, and which part of it; empty if the whole file is meant.
    pub fn place(&self) -> (&str, &str) {
        self.path.rsplit_once(PART).unwrap_or((&self.path, ""))
    }

    /// How a part of a file is named.
    pub fn part(file: &str, part: &str) -> String {
        format!("{file}{PART}{part}")
    }
}

/// A file, or a part of one, that is about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Where; a part has its name behind `#`.
    pub path: String,
    /// The lesson it is made of.
    pub lesson: String,
    /// The sum of what is to be written.
    pub sha256: String,
    /// The branch of its repository; empty where there is none.
    pub branch: String,
}

/// What was written to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// What was made of one lesson: a file, or a part of one.
    Whole {
        /// Where; a part has its name behind `#`.
        path: String,
        /// The lesson.
        lesson: String,
        /// The sum of it.
        sha256: String,
    },
    /// A file of several lessons: all that is noted of it has this sum now.
    Parts {
        /// Where.
        file: String,
        /// The sum of the file.
        sha256: String,
    },
}

/// An entry that was named in sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The entry: its file, and its number behind `#`.
    pub entry: String,
    /// In how many sessions.
    pub sessions: usize,
    /// When last.
    pub last: Option<i64>,
}

/// The files of a project, newest first. Files come first: there are far fewer of them than of lessons, and left to itself SQLite
/// goes through all lessons of the project, which took a hook 200 ms where there were a million. Only the last 500 of all projects are
/// looked at: to look up the project of each took 150 ms where there were 100,000. `learn` looks at all.
const FILES: &str = "SELECT a.path AS path FROM (
     SELECT path, lesson FROM artifacts WHERE at > 0 ORDER BY at DESC, path LIMIT 500) a
   CROSS JOIN lessons l ON l.id = a.lesson WHERE l.project = ?1 LIMIT ?2";

/// Stands for the time of writing while a file is being written.
const BEING_WRITTEN: i64 = 0;

const ALL: &str = "SELECT path, lesson, sha256, at, edited, branch FROM artifacts";

fn artifact(r: &Row<'_>) -> rusqlite::Result<Artifact> {
    Ok(Artifact {
        path: r.get("path")?,
        lesson: r.get("lesson")?,
        sha256: r.get("sha256")?,
        written: r.get::<_, i64>("at")? != BEING_WRITTEN,
        edited: r.get("edited")?,
        branch: r.get("branch")?,
    })
}

fn begin(t: &Transaction<'_>, path: &str, lesson: &str, sha256: &str, branch: &str) -> rusqlite::Result<()> {
    t.prepare_cached(
        "INSERT OR REPLACE INTO artifacts (path, lesson, sha256, at, edited, branch) VALUES (?1, ?2, ?3, ?4, FALSE, ?5)",
    )?
    .execute(params![path, lesson, sha256, BEING_WRITTEN, branch])
    .map(drop)
}

/// Notes what was written to its end.
pub(crate) fn keep(t: &Transaction<'_>, kept: &[Finished], at: i64) -> rusqlite::Result<()> {
    let at = at.max(BEING_WRITTEN + 1);
    for one in kept {
        match one {
            Finished::Whole { path, lesson, sha256 } => t
                .prepare_cached(
                    "INSERT INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (path)
                     DO UPDATE SET lesson = excluded.lesson, sha256 = excluded.sha256, at = excluded.at",
                )?
                .execute(params![path, lesson, sha256, at])?,
            // `$` comes right behind `#`.
            Finished::Parts { file, sha256 } => t
                .prepare_cached(
                    "UPDATE artifacts SET sha256 = ?2, at = ?3
                     WHERE path = ?1 OR path > ?1 || '#' AND path < ?1 || '$'",
                )?
                .execute(params![file, sha256, at])?,
        };
    }
    Ok(())
}

/// Notes that a person wants a lesson to be a skill.
pub(crate) fn wish_skill(t: &Transaction<'_>, lesson: &str) -> rusqlite::Result<()> {
    t.prepare_cached("INSERT OR IGNORE INTO skill_wishes (lesson) VALUES (?1)")?.execute([lesson]).map(drop)
}

/// Whether a person wants a lesson to be a skill.
pub(crate) fn is_wished(connection: &Connection, lesson: &str) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM skill_wishes WHERE lesson = ?1")?.exists([lesson])
}

impl Lessons {
    /// Notes files that are about to be written, all or none: whatever cuts that short, they are known.
    pub fn begin_artifacts(&mut self, files: &[Begun]) -> Result<()> {
        self.db.write(|t| files.iter().try_for_each(|f| begin(t, &f.path, &f.lesson, &f.sha256, &f.branch)))
    }

    /// Gives new entries of a file their numbers, each above all that it ever had and has, and notes that they are about to
    /// be written. `made` says how the part of a lesson is called under a number, and the sum of its text.
    pub fn begin_entries(
        &mut self,
        file: &str,
        in_file: u32,
        lessons: &[&str],
        branch: &str,
        made: impl Fn(usize, u32) -> (String, String),
    ) -> Result<Vec<u32>> {
        self.db.write(|t| {
            let highest: Option<u32> =
                t.query_row("SELECT highest FROM numbers WHERE file = ?1", [file], |r| r.get(0)).optional()?;
            let mut last = highest.unwrap_or(0).max(in_file);
            let mut numbers = Vec::with_capacity(lessons.len());
            for (n, lesson) in lessons.iter().enumerate() {
                last = last.saturating_add(1);
                let (part, sha256) = made(n, last);
                begin(t, &Artifact::part(file, &part), lesson, &sha256, branch)?;
                numbers.push(last);
            }
            t.execute("INSERT OR REPLACE INTO numbers (file, highest) VALUES (?1, ?2)", params![file, last])?;
            Ok(numbers)
        })
    }

    /// Notes that a file is about to be written without one of its lessons. If that was the first of it, another one is now.
    pub fn begin_without(&mut self, gone: &str, file: &str, heir: &str, sha256: &str) -> Result<()> {
        self.db.write(|t| {
            t.execute("DELETE FROM artifacts WHERE path = ?1", [gone])?;
            if gone == file {
                t.execute("UPDATE artifacts SET path = ?1 WHERE path = ?2", [file, heir])?;
            }
            // `$` comes right behind `#`.
            t.execute(
                "UPDATE artifacts SET sha256 = ?2, at = ?3 WHERE path = ?1 OR path > ?1 || '#' AND path < ?1 || '$'",
                params![file, sha256, BEING_WRITTEN],
            )
            .map(drop)
        })
    }

    /// Notes a file that was rendered from a lesson.
    pub fn keep_artifact(&mut self, path: &str, lesson: &str, sha256: &str, at: i64) -> Result<()> {
        self.keep_all(&[Finished::Whole { path: path.into(), lesson: lesson.into(), sha256: sha256.into() }], at)
    }

    /// Notes that all parts of a file were written with it.
    pub fn keep_parts(&mut self, file: &str, sha256: &str, at: i64) -> Result<()> {
        self.keep_all(&[Finished::Parts { file: file.into(), sha256: sha256.into() }], at)
    }

    /// Notes that a person wants a lesson to be a skill, whatever is usual.
    pub fn wish_skill(&mut self, lesson: &str) -> Result<()> {
        self.db.write(|t| wish_skill(t, lesson))
    }

    /// Whether a person wants a lesson to be a skill.
    pub fn is_wished_as_skill(&self, lesson: &str) -> Result<bool> {
        is_wished(&self.db.connection, lesson).map_err(|e| self.db.err(e))
    }

    /// Notes what was written, all or none.
    pub fn keep_all(&mut self, kept: &[Finished], at: i64) -> Result<()> {
        self.db.write(|t| keep(t, kept, at))
    }

    /// Notes that a person changed what was made of a lesson, and what it is now.
    pub fn keep_edited(&mut self, path: &str, sha256: &str) -> Result<()> {
        self.db.write(|t| {
            t.execute("UPDATE artifacts SET edited = TRUE, sha256 = ?2 WHERE path = ?1", [path, sha256]).map(drop)
        })
    }

    /// What was made of lessons in one file, in the order of its parts.
    pub fn artifacts_in(&self, file: &str) -> Result<Vec<Artifact>> {
        // `$` comes right behind `#`.
        let sql = format!("{ALL} WHERE path = ?1 OR path > ?1 || '#' AND path < ?1 || '$' ORDER BY path");
        self.db.rows(&sql, [file], artifact)
    }

    /// Files in which entries got numbers.
    pub fn numbered_files(&self) -> Result<Vec<String>> {
        self.db.rows("SELECT file FROM numbers ORDER BY file", [], |r| r.get("file"))
    }

    /// What was made after a time.
    pub fn artifacts_since(&self, at: i64) -> Result<Vec<Artifact>> {
        self.db.rows(&format!("{ALL} WHERE at > ?1 ORDER BY at, path"), [at], artifact)
    }

    /// Notes that entries were named in a session; the same once more counts once.
    pub fn keep_citations(&mut self, entries: &[String], session: &str, at: Option<i64>) -> Result<()> {
        self.db.write(|t| {
            let mut insert =
                t.prepare_cached("INSERT OR IGNORE INTO citations (entry, session, at) VALUES (?1, ?2, ?3)")?;
            entries.iter().try_for_each(|entry| insert.execute(params![entry, session, at]).map(drop))
        })
    }

    /// How often each entry was named.
    pub fn citations(&self) -> Result<Vec<Citation>> {
        let sql = "SELECT entry, count(*) AS n, max(at) AS last FROM citations GROUP BY entry ORDER BY entry";
        self.db.rows(sql, [], |r| {
            let sessions = usize::try_from(r.get::<_, i64>("n")?).unwrap_or(0);
            Ok(Citation { entry: r.get("entry")?, sessions, last: r.get("last")? })
        })
    }

    /// Forgets files of a lesson that are gone.
    pub fn drop_artifact(&mut self, path: &str) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM artifacts WHERE path = ?1", [path]).map(drop))
    }

    /// The files that were made of lessons; of one if named.
    pub fn artifacts(&self, lesson: Option<&str>) -> Result<Vec<Artifact>> {
        // Two questions: one that fits both would look at all files each time.
        match lesson {
            Some(lesson) => self.db.rows(&format!("{ALL} WHERE lesson = ?1 ORDER BY path"), [lesson], artifact),
            None => self.db.rows(&format!("{ALL} ORDER BY path"), [], artifact),
        }
    }

    /// The files made of the lessons of a project, the latest first, at most so many.
    pub fn files_of_project(&self, project: &str, most: usize) -> Result<Vec<String>> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.db.rows(FILES, params![project, most], |r| r.get::<_, String>("path"))?;
        let mut files: Vec<String> = rows
            .into_iter()
            .map(|path| path.rsplit_once(PART).map_or(path.clone(), |(file, _)| file.to_owned()))
            .collect();
        files.dedup();
        Ok(files)
    }

    /// Files that were begun and not written to their end.
    pub fn unwritten_artifacts(&self) -> Result<Vec<Artifact>> {
        self.db.rows(&format!("{ALL} WHERE at = ?1 ORDER BY path"), [BEING_WRITTEN], artifact)
    }

    /// Lessons whose file the user deleted.
    pub fn deletions(&self) -> Result<std::collections::HashSet<String>> {
        Ok(self.db.rows("SELECT lesson FROM deletions", [], |r| r.get("lesson"))?.into_iter().collect())
    }

    /// Takes over what hooks showed; the same record twice counts once.
    pub fn keep_trials(&mut self, shown: &[Shown]) -> Result<()> {
        self.db.write(|t| {
            let mut insert = t.prepare_cached(
                "INSERT OR IGNORE INTO trials (id, lesson, source, session, moment, at)
                 VALUES (:id, :lesson, :source, :session, :moment, :at)",
            )?;
            shown.iter().try_for_each(|s| {
                let row = named_params! {
                    ":id": s.id, ":lesson": s.lesson, ":source": s.source,
                    ":session": s.session, ":moment": s.moment, ":at": s.at,
                };
                insert.execute(row).map(drop)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the start of every session this is asked.
    #[test]
    fn files_of_a_project_are_found_without_going_through_its_lessons() {
        let home = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(home.path()).expect("a store");
        let sql = format!("EXPLAIN QUERY PLAN {FILES}");
        let plan: Vec<String> = lessons.db.rows(&sql, params!["p", 1], |r| r.get("detail")).expect("a plan");
        assert!(plan.iter().any(|line| line.starts_with("SEARCH l") && line.contains("(id=?)")), "{plan:?}");
        assert!(!plan.iter().any(|line| line.contains("project=?")), "{plan:?}");
    }

    #[test]
    fn the_latest_files_of_a_project_come_first_and_no_other_project_has_them() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        let two = ["shop", "forum"].map(|project| uptake_core::learn::by_hand(project, "run make deps first", 1));
        lessons.add_shown(&two).expect("kept");
        for (n, (lesson, path)) in
            [(0, "/a/SKILL.md"), (1, "/b/SKILL.md"), (0, "/d.md#ADR-001"), (0, "/d.md#ADR-002")].into_iter().enumerate()
        {
            let sql = "INSERT INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, '', ?3)";
            let row = params![path, two[lesson].id, n as i64 + 1];
            lessons.db.connection.execute(sql, row).expect("kept");
        }
        assert_eq!(lessons.files_of_project("shop", 9).expect("files"), ["/d.md", "/a/SKILL.md"]);
        assert_eq!(lessons.files_of_project("shop", 1).expect("files"), ["/d.md"]);
        assert_eq!(lessons.files_of_project("forum", 9).expect("files"), ["/b/SKILL.md"]);
    }
}
