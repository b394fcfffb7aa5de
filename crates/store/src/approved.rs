//! Approved lessons as hooks and the card ask for them: by error, by prompt, by project, at the start of a session.
//!
//! An agent waits for most of these answers: each is found by an index, and what cannot be read is passed over.

use std::collections::{BTreeMap, HashMap};

use rusqlite::params;
use uptake_core::detect::{Kind, Trigger};
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::trust::Mode;
use uptake_core::recall::prompt::PROMPT;
use uptake_core::recall::skills::SKILL;

use crate::Result;
use crate::body::LESSON;
use crate::lessons::{IS_RENDERED, Lessons, RENDERED, SAID, Stored, WORD, stored};
use crate::spool::WRITE_UP;
use crate::verdicts::{AT_START, LOADED, TO_WRITE_UP};

/// Whether lessons with files of their own are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// Those, too.
    Too,
    /// Only others.
    Not,
}

/// So many lessons of a moment that to put them all in order takes too long.
const MANY: usize = 200;

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
        self.that_may_leave(best.iter().map(|(id, _)| id.as_str()), mode)
    }

    /// The facts of a project that may be told, most worth first.
    pub fn approved_facts(&self, project: &str, mode: Mode, most: usize) -> Result<Vec<Lesson>> {
        // There are many of them, and few that anybody said something of.
        const LOOKED_AT: i64 = 10_000;
        let mut best = self.best_of(project, &[Kind::Fact], most, LOOKED_AT)?;
        best.sort_by(|(a, m), (b, n)| n.total_cmp(m).then_with(|| a.cmp(b)));
        best.truncate(most);
        self.that_may_leave(best.iter().map(|(id, _)| id.as_str()), mode)
    }

    /// The approved lessons of a project that are worth most, so many of each of these kinds, ready or not: ids and ranks. Walks
    /// down the index and stops, at the latest after so many: a hook has no time to look at all.
    fn best_of(&self, project: &str, kinds: &[Kind], most: usize, looked_at: i64) -> Result<Vec<(String, f64)>> {
        let run = || -> rusqlite::Result<Vec<(String, f64)>> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT l.id, l.rank FROM (
                   SELECT id, rank FROM lessons INDEXED BY lessons_in_order
                   WHERE project = ?1 AND ready = ?2 AND kind = ?3 AND rank >= 0
                   ORDER BY rank DESC, last_seen DESC, grounded DESC, detector DESC, id DESC LIMIT ?5) l
                 CROSS JOIN verdicts v ON v.lesson = l.id WHERE v.verdict = 'approved' LIMIT ?4",
            )?;
            let mut best = Vec::new();
            for kind in kinds {
                for ready in [true, false] {
                    let given = params![project, ready, kind.as_str(), most as i64, looked_at];
                    let rows = query.query_map(given, |r| Ok((r.get(0)?, r.get(1)?)))?;
                    best.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
                }
            }
            Ok(best)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Those of these lessons that may be told; what cannot be read is passed over.
    fn that_may_leave<'i>(&self, ids: impl Iterator<Item = &'i str>, mode: Mode) -> Result<Vec<Lesson>> {
        let told = |s: &Stored| s.verdict() == Some(Verdict::Approved) && s.may_leave(mode);
        Ok(self.readable_with_ids(ids)?.into_iter().filter(told).map(|s| s.lesson).collect())
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
        match self.count_to(AT_START, project, MANY)? {
            0 => Ok(Vec::new()),
            MANY => self.best_at_start(project, mode, filed, most),
            _ => self.approved_of(AT_START, project, mode, filed, most),
        }
    }

    /// How many lessons of a project belong to a moment; counts no further than that. To plan this takes a tenth of what it takes to
    /// plan a question for the lessons themselves, of which there mostly are none.
    fn count_to(&self, (program, error): (&str, &str), project: &str, enough: usize) -> Result<usize> {
        let sql = "SELECT count(*) AS n FROM (SELECT 1 FROM triggers WHERE program = ?1 AND error = ?2 AND project = ?3 LIMIT ?4)";
        let count = self.db.rows(sql, params![program, error, project, enough as i64], |r| r.get::<_, i64>("n"))?;
        Ok(count.first().map_or(0, |n| usize::try_from(*n).unwrap_or(0)))
    }

    /// The same, down the order of all lessons of the project, kind by kind: where many are wanted the first ones are near. What is
    /// not among the best of its kind is not told.
    fn best_at_start(&self, project: &str, mode: Mode, filed: Filed, most: usize) -> Result<Vec<Lesson>> {
        const LOOKED_AT: i64 = 500;
        let sql = format!(
            "SELECT l.id, l.rank FROM (
               SELECT id, rank FROM lessons INDEXED BY lessons_in_order
               WHERE project = ?1 AND ready = ?2 AND kind = ?3 AND rank >= 0
               ORDER BY rank DESC, last_seen DESC, grounded DESC, detector DESC, id DESC LIMIT {LOOKED_AT}) l
             CROSS JOIN verdicts v ON v.lesson = l.id CROSS JOIN triggers t ON t.lesson = l.id
             WHERE v.verdict = 'approved' AND t.program = ?4 AND t.error = ?5 AND (?6 OR NOT {IS_RENDERED}) LIMIT ?7"
        );
        let run = || -> rusqlite::Result<Vec<(String, f64)>> {
            // Prepared once: to take such a question apart takes longer than to answer it.
            let mut query = self.db.connection.prepare_cached(&sql)?;
            let (program, error) = AT_START;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let mut best = Vec::new();
            for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Fact) {
                for ready in [true, false] {
                    let given = params![project, ready, kind.as_str(), program, error, filed == Filed::Too, most];
                    let rows = query.query_map(given, |r| Ok((r.get(0)?, r.get(1)?)))?;
                    best.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
                }
            }
            Ok(best)
        };
        let mut best = run().map_err(|e| self.db.err(e))?;
        best.sort_by(|(a, m), (b, n)| n.total_cmp(m).then_with(|| a.cmp(b)));
        best.truncate(most);
        self.that_may_leave(best.iter().map(|(id, _)| id.as_str()), mode)
    }

    /// Approved lessons of a project whose skill is to be told at every start, most worth first.
    pub fn approved_to_load(&self, project: &str, mode: Mode, most: usize) -> Result<Vec<Lesson>> {
        self.approved_by(LOADED, project, mode, Filed::Too, most)
    }

    /// Approved lessons of a project that belong to a moment, most worth first.
    pub(crate) fn approved_by(
        &self,
        moment: (&str, &str),
        project: &str,
        mode: Mode,
        filed: Filed,
        most: usize,
    ) -> Result<Vec<Lesson>> {
        match self.count_to(moment, project, 1)? {
            0 => Ok(Vec::new()),
            _ => self.approved_of(moment, project, mode, filed, most),
        }
    }

    /// The same where there are some.
    fn approved_of(
        &self,
        (program, error): (&str, &str),
        project: &str,
        mode: Mode,
        filed: Filed,
        most: usize,
    ) -> Result<Vec<Lesson>> {
        // The triggers come first: a hook has no time to look at all lessons.
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson {SAID}
             WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'approved' AND l.rank >= 0
               AND (?4 OR NOT {IS_RENDERED})
             ORDER BY l.rank DESC, l.id LIMIT ?5"
        );
        let given = params![program, error, project, filed == Filed::Too, i64::try_from(most).unwrap_or(i64::MAX)];
        let found = self.db.rows(&sql, given, |r| Ok(stored(r).ok()))?;
        Ok(found.into_iter().flatten().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }

    /// Approved lessons of a project that became skills about one of these topics, each with its file.
    pub fn approved_skills(&self, topics: &[&str], project: &str, mode: Mode) -> Result<Vec<(Lesson, String)>> {
        // Looked at for each topic: an agent waits.
        const MOST: i64 = 50;
        let run = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT t.lesson, a.path FROM triggers t CROSS JOIN artifacts a ON a.lesson = t.lesson
                 WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND a.path LIKE '%SKILL.md%' LIMIT ?4",
            )?;
            let mut found = BTreeMap::new();
            for topic in topics {
                let rows = query.query_map(params![SKILL, topic, project, MOST], |r| Ok((r.get(0)?, r.get(1)?)))?;
                found.extend(rows.collect::<rusqlite::Result<Vec<(String, String)>>>()?);
            }
            Ok(found)
        };
        let mut files = run().map_err(|e| self.db.err(e))?;
        let ids: Vec<String> = files.keys().cloned().collect();
        let found = self.readable_with_ids(ids.iter().map(String::as_str))?;
        let told = found.into_iter().filter(|s| s.verdict() == Some(Verdict::Approved) && s.may_leave(mode));
        Ok(told.filter_map(|s| files.remove(&s.lesson.id).map(|file| (s.lesson, file))).collect())
    }

    /// The approved lessons of a project that are worth most, so many of each of these kinds.
    pub fn approved_best(&self, project: &str, mode: Mode, kinds: &[Kind], most: usize) -> Result<Vec<Lesson>> {
        const LOOKED_AT: i64 = 300;
        let mut ids: Vec<String> = Vec::new();
        let mut walked = kinds.to_vec();
        // Few were approved: they are at hand, however many stand before them that nobody approved. Fixes and facts belong to an error.
        if self.count_to(AT_START, project, MANY)? < MANY {
            ids = self.few_at_start(project, kinds, most)?;
            walked.retain(|kind| matches!(kind, Kind::Recovery | Kind::Fact));
        }
        ids.extend(self.best_of(project, &walked, most, LOOKED_AT)?.into_iter().map(|(id, _)| id));
        self.that_may_leave(ids.iter().map(String::as_str), mode)
    }

    /// Those that belong to no error, most worth first, so many of each of these kinds: their ids.
    fn few_at_start(&self, project: &str, kinds: &[Kind], most: usize) -> Result<Vec<String>> {
        let sql = "SELECT l.id, l.kind FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson
                   WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND l.rank >= 0 ORDER BY l.rank DESC, l.id";
        let given = params![AT_START.0, AT_START.1, project];
        let mut rows: Vec<(String, String)> = self.db.rows(sql, given, |r| Ok((r.get(0)?, r.get(1)?)))?;
        let mut left: HashMap<&str, usize> = kinds.iter().map(|kind| (kind.as_str(), most)).collect();
        rows.retain(|(_, kind)| left.get_mut(kind.as_str()).filter(|left| **left > 0).map(|left| *left -= 1).is_some());
        Ok(rows.into_iter().map(|(id, _)| id).collect())
    }

    /// Whether a lesson was told in a session that was learned from.
    pub fn was_told(&self, lesson: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM outcomes WHERE lesson = ?1 AND session <> '' AND withheld = 0 LIMIT 1";
        Ok(!self.db.rows(sql, [lesson], |_| Ok(()))?.is_empty())
    }

    /// Lessons of a project that an agent may write up and that no session was shown since they were released, surest first;
    /// each with the time of its release.
    pub fn released(&self, project: &str, most: usize) -> Result<Vec<(Lesson, i64)>> {
        if self.count_to(TO_WRITE_UP, project, 1)? == 0 {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, FALSE AS rendered, v.at AS released
             FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson {SAID}
             WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'released' AND l.rank >= 0
               AND NOT EXISTS (SELECT 1 FROM trials s WHERE s.lesson = l.id AND s.moment = ?4 AND s.at >= v.at)
             ORDER BY l.rank DESC, l.id LIMIT ?5"
        );
        let (program, error) = TO_WRITE_UP;
        let given = params![program, error, project, WRITE_UP, most as i64];
        let found = self.db.rows(&sql, given, |r| Ok((stored(r).ok(), r.get::<_, i64>("released")?)))?;
        let as_shown = |s: &Stored| s.standing.said.is_some_and(|said| said.same);
        let found = found.into_iter().filter_map(|(s, at)| Some((s.filter(as_shown)?.lesson, at)));
        Ok(found.collect())
    }
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;

    use super::*;

    fn store(home: &std::path::Path, lessons: &[Lesson]) -> Lessons {
        let mut store = Lessons::open(home).expect("a store");
        store.add_shown(lessons).expect("kept");
        store.decide_all(lessons, Verdict::Approved, 1).expect("decided");
        store
    }

    fn fact(n: usize) -> Lesson {
        let mut fact = by_hand("shop", &format!("`tool{n}` is not installed here"), 1);
        fact.kind = Kind::Fact;
        fact.evidence.worth.rank = n as f64;
        fact.evidence.worth.ready = n.is_multiple_of(2);
        fact
    }

    #[test]
    fn facts_come_by_what_they_are_worth_ready_or_not() {
        let home = tempfile::tempdir().expect("a folder");
        let facts: Vec<Lesson> = (0..9).map(fact).collect();
        let store = store(home.path(), &facts);
        let found = store.approved_facts("shop", Mode::Review, 4).expect("facts");
        let best: Vec<&str> = [8, 7, 6, 5].iter().map(|n: &usize| facts[*n].id.as_str()).collect();
        assert_eq!(found.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(), best);
        assert_eq!(store.approved_facts("forum", Mode::Review, 4).expect("facts"), []);
    }

    /// An agent waits, and the rest is as good as before.
    #[test]
    fn a_lesson_that_cannot_be_read_silences_no_other() {
        let home = tempfile::tempdir().expect("a folder");
        let facts: Vec<Lesson> = (0..3).map(fact).collect();
        let store = store(home.path(), &facts);
        let damage = "UPDATE lessons SET body = '{' WHERE id = ?1";
        store.db.connection.execute(damage, [&facts[2].id]).expect("damaged");
        assert!(store.with_ids(std::iter::once(facts[2].id.as_str())).is_err(), "who has time is told");
        let found = store.approved_facts("shop", Mode::Review, 3).expect("facts");
        assert_eq!(found.iter().map(|f| &f.id).collect::<Vec<_>>(), [&facts[1].id, &facts[0].id]);
        let best = store.approved_best("shop", Mode::Review, &[Kind::Fact], 3).expect("lessons");
        assert_eq!(best.len(), 2);
    }

    #[test]
    fn who_holds_still_sees_one_state() {
        let home = tempfile::tempdir().expect("a folder");
        let mut store = store(home.path(), &[fact(1)]);
        let hook = Lessons::open_for_hook(home.path()).expect("opened").expect("there");
        hook.hold_still().expect("begun");
        assert_eq!(hook.approved_facts("shop", Mode::Review, 9).expect("facts").len(), 1);
        store.add_shown(&[fact(2)]).expect("kept");
        store.decide_all(&[fact(2)], Verdict::Approved, 2).expect("decided");
        assert_eq!(hook.approved_facts("shop", Mode::Review, 9).expect("facts").len(), 1);
        assert_eq!(store.approved_facts("shop", Mode::Review, 9).expect("facts").len(), 2, "nobody waited for it");
    }
}
