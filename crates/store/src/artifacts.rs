//! What was made of lessons, and what hooks showed.

use rusqlite::{OptionalExtension as _, Row, Transaction, named_params, params};

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

impl Lessons {
    /// Notes files that are about to be written: whatever cuts that short, they are known.
    pub fn begin_artifacts(&mut self, paths: &[String], lesson: &str, sha256: &str, branch: &str) -> Result<()> {
        self.db.write(|t| paths.iter().try_for_each(|path| begin(t, path, lesson, sha256, branch)))
    }

    /// Gives the next entry of a file its number, above all that it ever had and has, and notes that it is about to be
    /// written. `made` says how the part is called under a number, and the sum of its text.
    pub fn begin_entry(
        &mut self,
        file: &str,
        in_file: u32,
        lesson: &str,
        branch: &str,
        made: impl Fn(u32) -> (String, String),
    ) -> Result<u32> {
        self.db.write(|t| {
            let highest: Option<u32> =
                t.query_row("SELECT highest FROM numbers WHERE file = ?1", [file], |r| r.get(0)).optional()?;
            let number = highest.unwrap_or(0).max(in_file).saturating_add(1);
            t.execute("INSERT OR REPLACE INTO numbers (file, highest) VALUES (?1, ?2)", params![file, number])?;
            let (part, sha256) = made(number);
            begin(t, &Artifact::part(file, &part), lesson, &sha256, branch)?;
            Ok(number)
        })
    }

    /// Notes a file that was rendered from a lesson.
    pub fn keep_artifact(&mut self, path: &str, lesson: &str, sha256: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.prepare_cached(
                "INSERT INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (path) DO UPDATE SET lesson = excluded.lesson, sha256 = excluded.sha256, at = excluded.at",
            )?
            .execute(params![path, lesson, sha256, at.max(BEING_WRITTEN + 1)])
            .map(drop)
        })
    }

    /// Notes that all parts of a file were written with it.
    pub fn keep_parts(&mut self, file: &str, sha256: &str, at: i64) -> Result<()> {
        let parts = Artifact::part(file, "");
        self.db.write(|t| {
            t.execute(
                "UPDATE artifacts SET sha256 = ?3, at = ?4 WHERE path = ?1 OR substr(path, 1, length(?2)) = ?2",
                params![file, parts, sha256, at.max(BEING_WRITTEN + 1)],
            )
            .map(drop)
        })
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
