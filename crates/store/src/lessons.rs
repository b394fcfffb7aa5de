//! `lessons.db`: observations, lessons, a person's verdicts, what hooks look up.

use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use uptake_core::detect::{Kind, Observation, Trigger};
use uptake_core::learn::{Lesson, lesson_id};

use crate::Result;
use crate::foreign;
use crate::ledger;
use crate::open::{Db, Which, open, open_read_only, unless_empty};
use crate::sessions::Moved;
use crate::spool::Shown;

/// A person's word on a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be used.
    Approved,
    /// It must never come back.
    Rejected,
    /// Not now.
    Snoozed,
    /// The agent may write it up.
    Released,
}

impl Verdict {
    /// The word used in the store and in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Snoozed => "snoozed",
            Self::Released => "released",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Approved, Self::Rejected, Self::Snoozed, Self::Released].into_iter().find(|v| v.as_str() == word)
    }
}

/// A lesson with what a person said of it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The lesson.
    pub lesson: Lesson,
    /// The verdict, if any.
    pub verdict: Option<Verdict>,
}

/// The database of lessons.
pub struct Lessons {
    pub(crate) db: Db,
}

impl Lessons {
    /// Opens it under the home folder.
    ///
    /// # Errors
    /// If it cannot be made, opened or migrated.
    pub fn open(home: &Path) -> Result<Self> {
        Ok(Self { db: open(home, Which::Lessons)? })
    }

    /// Opens it for reading, as hooks do; `None` if there is none.
    ///
    /// # Errors
    /// If it exists and cannot be opened.
    pub fn open_read_only(home: &Path) -> Result<Option<Self>> {
        Ok(open_read_only(home, Which::Lessons)?.map(|db| Self { db }))
    }

    /// Opens it to look only, as if it were another program's: not even SQLite leaves a file. `None` if there is none.
    ///
    /// # Errors
    /// If it exists and cannot be opened.
    pub fn look(home: &Path) -> Result<Option<Self>> {
        let path = home.join(Which::Lessons.file());
        if !path.exists() {
            return Ok(None);
        }
        Ok(unless_empty(foreign::open(&path)?)?.map(|db| Self { db }))
    }

    /// Replaces what was seen in these sessions, all or none.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn keep_observations(&mut self, sessions: &[SeenIn<'_>]) -> Result<()> {
        self.db.write(|t| {
            for seen in sessions {
                replace_observations(t, seen)?;
                mark_unfolded(t, seen.project)?;
            }
            Ok(())
        })
    }

    /// What is kept of a file, in the order of ids: project and observation.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn kept_of(&self, path: &str) -> Result<Vec<(String, String)>> {
        let sql = "SELECT project, body FROM observations WHERE path = ?1 ORDER BY id";
        self.db.rows(sql, [path], |r| Ok((r.get(0)?, r.get(1)?)))
    }

    /// Moves what was seen in sessions whose project became known.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn move_observations(&mut self, moved: &[Moved]) -> Result<()> {
        self.db.write(|t| {
            for m in moved {
                t.prepare_cached("UPDATE observations SET project = ?3 WHERE source = ?1 AND session = ?2")?
                    .execute(params![m.source, m.session, m.to])?;
                mark_unfolded(t, &m.from)?;
                mark_unfolded(t, &m.to)?;
                keep_rejected(t, &m.from, &m.to)?;
            }
            Ok(())
        })
    }

    /// Projects with observations that are not added up yet, also of a run that was cut short.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn unfolded(&self) -> Result<Vec<String>> {
        self.db.rows("SELECT project FROM unfolded ORDER BY project", [], |r| r.get(0))
    }

    /// Adds up a project anew, in one transaction: what another process adds meanwhile is never lost.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn refold(&mut self, project: &str, fold: impl FnOnce(&[Observation]) -> Vec<Lesson>) -> Result<()> {
        self.db.write(|t| {
            let observations = observations(t, project)?;
            t.execute("DELETE FROM lessons WHERE project = ?1 AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.lesson = lessons.id AND v.verdict = 'approved')", [project])?;
            fold(&observations).iter().try_for_each(|l| insert_lesson(t, l))?;
            t.execute("DELETE FROM unfolded WHERE project = ?1", [project]).map(drop)
        })
    }

    /// Adds a lesson that was shown after one session, so that a verdict has something to stand on.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn add_single(&mut self, lesson: &Lesson) -> Result<()> {
        self.db.write(|t| {
            insert_lesson(t, lesson)?;
            // What is shown is what is stored, unless other bytes were approved before.
            t.execute(
                "UPDATE lessons SET body = ?2, sha256 = ?3 WHERE id = ?1 AND id NOT IN (SELECT lesson FROM verdicts WHERE verdict = 'approved')",
                params![lesson.id, serde_json::to_string(lesson).unwrap_or_default(), lesson.sha256()],
            )
            .map(drop)
        })
    }

    /// What a person said of a lesson.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn verdict(&self, lesson: &str) -> Result<Option<Verdict>> {
        let word: rusqlite::Result<Option<String>> = self
            .db
            .connection
            .query_row("SELECT verdict FROM verdicts WHERE lesson = ?1", [lesson], |r| r.get(0))
            .optional();
        Ok(word.map_err(|e| self.db.err(e))?.and_then(|w| Verdict::parse(&w)))
    }

    /// Lessons with their verdicts, best first; of one project if named.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn list(&self, project: Option<&str>) -> Result<Vec<Stored>> {
        self.query("WHERE ?1 IS NULL OR l.project = ?1 ORDER BY l.rank DESC, l.id", project)
    }

    /// Ready lessons without a verdict, best first; of one project if named.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn waiting(&self, project: Option<&str>) -> Result<Vec<Stored>> {
        self.query(
            "WHERE l.ready AND (v.verdict IS NULL OR v.verdict = 'snoozed' AND v.until <= strftime('%s', 'now') * 1000)
               AND (?1 IS NULL OR l.project = ?1) ORDER BY l.rank DESC, l.id",
            project,
        )
    }

    /// Lessons whose id begins like this.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn by_id(&self, prefix: &str) -> Result<Vec<Stored>> {
        self.query("WHERE substr(l.id, 1, length(?1)) = ?1 ORDER BY l.id", Some(prefix))
    }

    fn query(&self, filter: &str, argument: Option<&str>) -> Result<Vec<Stored>> {
        let run = || -> rusqlite::Result<Vec<Stored>> {
            let sql = format!(
                "SELECT l.body, l.sessions, l.days, l.last_seen, l.ready, v.verdict FROM lessons l LEFT JOIN verdicts v ON v.lesson = l.id {filter}"
            );
            let mut query = self.db.connection.prepare(&sql)?;
            let rows = query.query_map([argument], stored)?;
            let mut out = Vec::new();
            for row in rows {
                out.extend(row?);
            }
            Ok(out)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Writes a person's verdict, bound to the bytes shown.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn decide(&mut self, lesson: &Lesson, verdict: Verdict, at: i64) -> Result<()> {
        self.decide_all(std::slice::from_ref(lesson), verdict, at)
    }

    /// The same verdict on several lessons, all or none.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn decide_all(&mut self, lessons: &[Lesson], verdict: Verdict, at: i64) -> Result<()> {
        self.db.write(|t| lessons.iter().try_for_each(|lesson| decide(t, lesson, verdict, at)))
    }

    /// Approves other words than those that were shown: the user's own.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn edit(&mut self, lesson: &Lesson, statement: &str, at: i64) -> Result<Lesson> {
        let mut edited = lesson.clone();
        edited.statement = statement.to_owned();
        edited.trust = uptake_core::session::Origin::User;
        self.db.write(|t| {
            ledger::note(t, "edited", &lesson.id, at)?;
            say(t, &edited, Verdict::Approved, None, at)
        })?;
        Ok(edited)
    }

    /// Puts a lesson away until a time.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn snooze(&mut self, lesson: &Lesson, until: i64, at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note(t, "snoozed", &lesson.id, at)?;
            say(t, lesson, Verdict::Snoozed, Some(until), at)
        })
    }

    /// Adds a lesson a person wrote; it is approved at once.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn add(&mut self, lesson: &Lesson, at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note(t, "added", &lesson.id, at)?;
            insert_lesson(t, lesson)?;
            say(t, lesson, Verdict::Approved, None, at)
        })
    }

    /// Approved lessons for a failure in a project whose bytes are still those that were approved.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn approved_for(&self, trigger: &Trigger, project: &str) -> Result<Vec<Lesson>> {
        let run = || -> rusqlite::Result<Vec<Lesson>> {
            let mut query = self.db.connection.prepare(
                "SELECT l.body, v.sha256 FROM triggers t JOIN lessons l ON l.id = t.lesson JOIN verdicts v ON v.lesson = t.lesson
                 WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'approved' ORDER BY l.rank DESC, l.id LIMIT 3",
            )?;
            let rows = query.query_map(params![trigger.program, trigger.error, project], |r| {
                Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?))
            })?;
            let mut out = Vec::new();
            for row in rows {
                let (body, approved) = row?;
                let lesson: Option<Lesson> = serde_json::from_str(&body).ok();
                out.extend(lesson.filter(|l| l.sha256() == approved));
            }
            Ok(out)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Notes a file that was rendered from a lesson.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn keep_artifact(&mut self, path: &str, lesson: &str, sha256: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.execute(
                "INSERT OR REPLACE INTO artifacts (path, lesson, sha256, at) VALUES (?1, ?2, ?3, ?4)",
                params![path, lesson, sha256, at],
            )
            .map(drop)
        })
    }

    /// Takes over what hooks showed; the same record twice counts once.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn keep_trials(&mut self, shown: &[Shown]) -> Result<()> {
        self.db.write(|t| {
            let mut insert = t.prepare_cached("INSERT OR IGNORE INTO trials (id, lesson, source, session, moment, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for s in shown {
                insert.execute(params![s.id, s.lesson, s.source, s.session, s.moment, s.at])?;
            }
            Ok(())
        })
    }
}

/// What was seen in one session.
pub struct SeenIn<'o> {
    /// Its source.
    pub source: &'o str,
    /// Its id.
    pub session: &'o str,
    /// Its transcript: two files may carry one session id.
    pub path: &'o str,
    /// Its project.
    pub project: &'o str,
    /// All of it.
    pub observations: &'o [Observation],
}

fn decide(t: &Transaction<'_>, lesson: &Lesson, verdict: Verdict, at: i64) -> rusqlite::Result<()> {
    ledger::note(t, verdict.as_str(), &lesson.id, at)?;
    say(t, lesson, verdict, None, at)
}

/// Writes a verdict and what follows from it.
fn say(t: &Transaction<'_>, lesson: &Lesson, verdict: Verdict, until: Option<i64>, at: i64) -> rusqlite::Result<()> {
    let sha = lesson.sha256();
    t.prepare_cached(
        "INSERT INTO verdicts (lesson, verdict, sha256, at, until) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (lesson) DO UPDATE SET verdict = excluded.verdict, sha256 = excluded.sha256, at = excluded.at,
           until = excluded.until",
    )?
    .execute(params![lesson.id, verdict.as_str(), sha, at, until])?;
    // The bytes the person saw are the bytes that stay.
    t.prepare_cached("UPDATE lessons SET body = ?2, sha256 = ?3 WHERE id = ?1")?.execute(params![
        lesson.id,
        serde_json::to_string(lesson).unwrap_or_default(),
        sha
    ])?;
    set_triggers(t, &lesson.id, Some(lesson), Some(verdict))
}

/// What hooks look up is there for approved lessons with an error, and for nothing else.
pub(crate) fn set_triggers(
    t: &Transaction<'_>,
    id: &str,
    lesson: Option<&Lesson>,
    verdict: Option<Verdict>,
) -> rusqlite::Result<()> {
    t.prepare_cached("DELETE FROM triggers WHERE lesson = ?1")?.execute([id])?;
    if let (Some(Verdict::Approved), Some(lesson)) = (verdict, lesson)
        && let Some(trigger) = &lesson.trigger
    {
        t.prepare_cached("INSERT OR REPLACE INTO triggers (program, error, project, lesson) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![trigger.program, trigger.error, lesson.project, id])?;
    }
    Ok(())
}

/// What was rejected under a project's old name stays rejected under its new one. An approval does not move along: the
/// project is part of what was approved.
fn keep_rejected(t: &Transaction<'_>, from: &str, to: &str) -> rusqlite::Result<()> {
    let mut query = t.prepare_cached(
        "SELECT l.kind, l.key, v.sha256, v.at FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.project = ?1 AND v.verdict = 'rejected'",
    )?;
    let rejected: Vec<(String, String, String, i64)> = query
        .query_map([from], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (kind, key, sha, at) in rejected {
        let Some(kind) = Kind::parse(&kind) else { continue };
        t.prepare_cached(
            "INSERT OR IGNORE INTO verdicts (lesson, verdict, sha256, at) VALUES (?1, 'rejected', ?2, ?3)",
        )?
        .execute(params![lesson_id(kind, &key, to), sha, at])?;
    }
    Ok(())
}

fn mark_unfolded(t: &Transaction<'_>, project: &str) -> rusqlite::Result<()> {
    t.prepare_cached("INSERT OR IGNORE INTO unfolded (project) VALUES (?1)")?.execute([project]).map(drop)
}

fn replace_observations(t: &Transaction<'_>, seen: &SeenIn<'_>) -> rusqlite::Result<()> {
    // A file may have belonged to another project before.
    t.prepare_cached(
        "INSERT OR IGNORE INTO unfolded (project) SELECT DISTINCT project FROM observations WHERE path = ?1",
    )?
    .execute([seen.path])?;
    t.prepare_cached("DELETE FROM observations WHERE path = ?1")?.execute([seen.path])?;
    // A fork sees again what its root saw: the first one stays.
    let mut insert = t.prepare_cached(
        "INSERT OR IGNORE INTO observations (id, detector, kind, key, project, source, session, path, root, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for o in seen.observations {
        insert.execute(params![
            o.id,
            o.detector,
            o.kind.as_str(),
            o.key,
            seen.project,
            seen.source,
            seen.session,
            seen.path,
            o.root,
            o.at,
            serde_json::to_string(o).unwrap_or_default()
        ])?;
    }
    Ok(())
}

fn observations(t: &Transaction<'_>, project: &str) -> rusqlite::Result<Vec<Observation>> {
    let mut query = t.prepare_cached("SELECT body FROM observations WHERE project = ?1 ORDER BY id")?;
    let rows = query.query_map([project], |r| r.get::<_, String>(0))?;
    let mut out = Vec::new();
    for body in rows {
        out.extend(serde_json::from_str(&body?).ok());
    }
    Ok(out)
}

/// Inserts a lesson. One that is there keeps its bytes: they may have been approved.
fn insert_lesson(t: &Transaction<'_>, l: &Lesson) -> rusqlite::Result<()> {
    t.prepare_cached(
        "INSERT INTO lessons (id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (id) DO UPDATE SET sessions = excluded.sessions, days = excluded.days, first_seen = excluded.first_seen,
           last_seen = excluded.last_seen, ready = excluded.ready, rank = excluded.rank",
    )?
    .execute(params![
        l.id,
        l.project,
        l.kind.as_str(),
        l.key,
        l.name,
        serde_json::to_string(l).unwrap_or_default(),
        l.sha256(),
        l.sessions as i64,
        l.days as i64,
        l.first,
        l.last,
        l.ready,
        l.rank
    ])?;
    Ok(())
}

fn stored(r: &Row<'_>) -> rusqlite::Result<Option<Stored>> {
    let body: String = r.get(0)?;
    let Ok(mut lesson) = serde_json::from_str::<Lesson>(&body) else { return Ok(None) };
    lesson.sessions = usize::try_from(r.get::<_, i64>(1)?).unwrap_or(0);
    lesson.days = usize::try_from(r.get::<_, i64>(2)?).unwrap_or(0);
    lesson.last = r.get(3)?;
    lesson.ready = r.get(4)?;
    let verdict = r.get::<_, Option<String>>(5)?.and_then(|word| Verdict::parse(&word));
    Ok(Some(Stored { lesson, verdict }))
}
