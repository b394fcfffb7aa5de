//! What is known before a call: lessons by what they name, and commands that always failed.
//!
//! Both are rows of what hooks find lessons by. Which command always failed is found out anew whenever sessions were read; a word on
//! its lesson takes it out until then.

use std::collections::{HashMap, HashSet};

use rusqlite::params;
use uptake_core::detect::Trigger;
use uptake_core::learn::Lesson;
use uptake_core::learn::trust::Mode;
use uptake_core::recall::before_call::{BEFORE_CALL, GUARD};

use crate::Result;
use crate::approved::Filed;
use crate::body::LESSON;
use crate::lessons::{Lessons, WORD, stored};
use crate::sessions::Sessions;

/// A command of a project that always failed, and the lesson that says what worked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guard {
    /// The project.
    pub project: String,
    /// The command line.
    pub command: String,
    /// The lesson.
    pub lesson: String,
}

/// How often a command was run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// How often it failed.
    pub failed: u32,
    /// How often it did not.
    pub worked: u32,
}

impl Lessons {
    /// Approved lessons of a project with one of these marks.
    pub fn approved_before_call(
        &self,
        marks: &[String],
        project: &str,
        mode: Mode,
        most: usize,
    ) -> Result<Vec<Lesson>> {
        let mut found: Vec<Lesson> = Vec::new();
        for mark in marks {
            for lesson in self.approved_by((BEFORE_CALL, mark), project, mode, Filed::Too, most)? {
                if !found.iter().any(|known| known.id == lesson.id) {
                    found.push(lesson);
                }
            }
        }
        found.truncate(most);
        Ok(found)
    }

    /// The approved lesson on a command of a project that always failed.
    pub fn guard_of(&self, command: &str, project: &str, mode: Mode) -> Result<Option<Lesson>> {
        let by = Trigger { program: GUARD.to_owned(), error: command.to_owned() };
        Ok(self.approved_for(&by, project, mode)?.into_iter().next())
    }

    /// All approved fixes of failures, in every project.
    pub fn approved_fixes(&self, mode: Mode) -> Result<Vec<Lesson>> {
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, FALSE AS rendered FROM verdicts v CROSS JOIN lessons l ON l.id = v.lesson
             LEFT JOIN deletions d ON d.lesson = l.id WHERE v.verdict = 'approved' AND l.kind = 'recovery' ORDER BY l.id"
        );
        let found = self.db.rows(&sql, [], |r| Ok(stored(r).ok()))?;
        Ok(found.into_iter().flatten().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }

    /// Replaces what is known of commands that always failed.
    pub fn set_guards(&mut self, guards: &[Guard]) -> Result<()> {
        let sql = "SELECT project, error, lesson FROM triggers WHERE program = ?1 ORDER BY project, error, lesson";
        let known = self.db.rows(sql, [GUARD], |r| {
            Ok(Guard { project: r.get("project")?, command: r.get("error")?, lesson: r.get("lesson")? })
        })?;
        let mut wanted = guards.to_vec();
        wanted.sort();
        if known == wanted {
            return Ok(());
        }
        self.db.write(|t| {
            t.execute("DELETE FROM triggers WHERE program = ?1", [GUARD])?;
            let mut insert = t.prepare_cached(
                "INSERT OR IGNORE INTO triggers (program, error, project, lesson) VALUES (?1, ?2, ?3, ?4)",
            )?;
            wanted.iter().try_for_each(|g| insert.execute(params![GUARD, g.command, g.project, g.lesson]).map(drop))
        })
    }
}

impl Sessions {
    /// How often these command lines were run in a project. What was forked counts once.
    pub fn ran(&self, project: &str, commands: &HashSet<&str>) -> Result<HashMap<String, Ran>> {
        let sql = "SELECT e.id, e.input, e.outcome FROM sessions s
                   CROSS JOIN events e ON e.place BETWEEN s.number << 32 AND (s.number << 32) + 4294967295
                   WHERE s.project = ?1 AND e.tool_kind = 'shell'";
        let one = |r: &rusqlite::Row<'_>| -> rusqlite::Result<Option<(String, String, String)>> {
            let input: String = r.get("input")?;
            if !commands.contains(input.trim()) {
                return Ok(None);
            }
            Ok(Some((r.get("id")?, input.trim().to_owned(), r.get("outcome")?)))
        };
        let mut seen = HashSet::new();
        let mut ran: HashMap<String, Ran> = HashMap::new();
        for (id, command, outcome) in self.db.rows(sql, [project], one)?.into_iter().flatten() {
            if !seen.insert(id) {
                continue;
            }
            let count = ran.entry(command).or_default();
            match outcome.as_str() {
                "failed" | "masked" => count.failed += 1,
                // It was not run, or nobody knows how it went.
                "denied" | "blocked" | "interrupted" | "unknown" => {}
                _ => count.worked += 1,
            }
        }
        Ok(ran)
    }
}
