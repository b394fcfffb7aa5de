//! Approved lessons as hooks and the card ask for them: by error, by prompt, by project, at the start of a session.
//!
//! An agent waits for most of these answers: each is found by an index, and what cannot be read is passed over.

use std::collections::HashMap;

use rusqlite::params;
use uptake_core::detect::Trigger;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::trust::Mode;
use uptake_core::recall::prompt::PROMPT;

use crate::Result;
use crate::body::LESSON;
use crate::lessons::{IS_RENDERED, Lessons, RENDERED, SAID, Stored, WORD, stored};
use crate::verdicts::AT_START;

/// Whether lessons with files of their own are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// Those, too.
    Too,
    /// Only others.
    Not,
}

impl Lessons {
    /// Approved lessons for a failure in a project whose bytes are still those that were approved. What only the rules
    /// of mode `auto` approved counts in that mode only.
    pub fn approved_for(&self, trigger: &Trigger, project: &str, mode: Mode) -> Result<Vec<Lesson>> {
        // The triggers come first: a hook has no time to look at all lessons.
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson {SAID}
             WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'approved' AND l.rank >= 0
             ORDER BY l.rank DESC, l.id LIMIT 6"
        );
        // An agent waits: what cannot be read is passed over here, and told by commands.
        let found = self.db.rows(&sql, params![trigger.program, trigger.error, project], |r| Ok(stored(r).ok()))?;
        let may_leave = found.into_iter().flatten().filter(|s| s.may_leave(mode));
        Ok(may_leave.map(|s| s.lesson).take(3).collect())
    }

    /// Approved lessons of a project that share most words with a prompt.
    pub fn approved_at_prompt(&self, words: &[&str], project: &str, mode: Mode, most: usize) -> Result<Vec<Lesson>> {
        // A word that so many lessons share tells nothing, and an agent waits.
        const COMMON: usize = 200;
        let run = || -> rusqlite::Result<HashMap<String, usize>> {
            let mut shared = HashMap::new();
            let mut query = self.db.connection.prepare_cached(
                "SELECT lesson FROM triggers WHERE program = ?1 AND error = ?2 AND project = ?3 LIMIT ?4",
            )?;
            for word in words {
                let found = query.query_map(params![PROMPT, word, project, COMMON as i64], |r| r.get("lesson"))?;
                let found = found.collect::<rusqlite::Result<Vec<String>>>()?;
                if found.len() < COMMON {
                    found.into_iter().for_each(|lesson| *shared.entry(lesson).or_default() += 1);
                }
            }
            Ok(shared)
        };
        let mut best: Vec<(String, usize)> = run().map_err(|e| self.db.err(e))?.into_iter().collect();
        best.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        best.truncate(most);
        let found = self.with_ids(best.iter().map(|(id, _)| id.as_str()))?;
        let told = |s: &Stored| s.verdict() == Some(Verdict::Approved) && s.may_leave(mode);
        Ok(found.into_iter().filter(told).map(|s| s.lesson).collect())
    }

    /// The facts of a project that may be told, most worth first.
    pub fn approved_facts(&self, project: &str, mode: Mode, most: usize) -> Result<Vec<Lesson>> {
        // Each half walks down the index and stops: a hook has no time to look at all facts.
        let best = |ready: &str| {
            format!(
                "SELECT * FROM (SELECT l.rowid AS place FROM lessons l INDEXED BY lessons_in_order CROSS JOIN verdicts v ON v.lesson = l.id
                   WHERE l.project = ?1 AND l.ready = {ready} AND l.kind = 'fact' AND l.rank >= 0 AND v.verdict = 'approved'
                   ORDER BY l.rank DESC, l.id LIMIT ?2)"
            )
        };
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, FALSE AS rendered
             FROM ({} UNION ALL {}) best CROSS JOIN lessons l ON l.rowid = best.place {SAID}
             ORDER BY l.rank DESC, l.id LIMIT ?2",
            best("TRUE"),
            best("FALSE")
        );
        let found = self.db.rows(&sql, params![project, most as i64], |r| Ok(stored(r).ok()))?;
        Ok(found.into_iter().flatten().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }

    /// All lessons of a project that may be told.
    pub fn approved_in(&self, project: &str, mode: Mode) -> Result<Vec<Lesson>> {
        // What was said comes first: fewer words are said than lessons are kept.
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, FALSE AS rendered FROM verdicts v CROSS JOIN lessons l ON l.id = v.lesson
             LEFT JOIN deletions d ON d.lesson = l.id WHERE v.verdict = 'approved' AND l.project = ?1 ORDER BY l.rank DESC, l.id"
        );
        let found = self.db.rows(&sql, [project], stored)?;
        Ok(found.into_iter().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }

    /// Approved lessons of a project that belong to no error, most worth first. What has a file of its own is left out
    /// unless it is wanted.
    pub fn approved_at_start(&self, project: &str, mode: Mode, filed: Filed, most: usize) -> Result<Vec<Lesson>> {
        // The triggers come first: a hook has no time to look at all lessons.
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson {SAID}
             WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'approved' AND l.rank >= 0
               AND (?4 OR NOT {IS_RENDERED})
             ORDER BY l.rank DESC, l.id LIMIT ?5"
        );
        let (program, error) = AT_START;
        let given = params![program, error, project, filed == Filed::Too, i64::try_from(most).unwrap_or(i64::MAX)];
        let found = self.db.rows(&sql, given, |r| Ok(stored(r).ok()))?;
        Ok(found.into_iter().flatten().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }
}
