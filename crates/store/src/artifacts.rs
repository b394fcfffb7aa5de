//! What was made of lessons, and what hooks showed.

use rusqlite::{Row, named_params, params};

use crate::Result;
use crate::lessons::Lessons;
use crate::spool::Shown;

/// A file that was made of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Where it was written.
    pub path: String,
    /// The lesson.
    pub lesson: String,
    /// The sum of what was written.
    pub sha256: String,
    /// Whether it was written to its end; otherwise it was begun, and nobody knows how far it came.
    pub written: bool,
}

/// Stands for the time of writing while a file is being written.
const BEING_WRITTEN: i64 = 0;

const ALL: &str = "SELECT path, lesson, sha256, at FROM artifacts";

fn artifact(r: &Row<'_>) -> rusqlite::Result<Artifact> {
    let written = r.get::<_, i64>("at")? != BEING_WRITTEN;
    Ok(Artifact { path: r.get("path")?, lesson: r.get("lesson")?, sha256: r.get("sha256")?, written })
}

impl Lessons {
    /// Notes files that are about to be written: whatever cuts that short, they are known.
    pub fn begin_artifacts(&mut self, paths: &[String], lesson: &str, sha256: &str) -> Result<()> {
        self.db.write(|t| {
            let mut insert = t.prepare_cached(
                "INSERT OR REPLACE INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, ?3, ?4)",
            )?;
            paths.iter().try_for_each(|path| insert.execute(params![path, lesson, sha256, BEING_WRITTEN]).map(drop))
        })
    }

    /// Notes a file that was rendered from a lesson.
    pub fn keep_artifact(&mut self, path: &str, lesson: &str, sha256: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.execute(
                "INSERT OR REPLACE INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, ?3, ?4)",
                params![path, lesson, sha256, at],
            )
            .map(drop)
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
