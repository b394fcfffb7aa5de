//! Trials: lessons in sessions in which they were told or withheld, what followed, and what that says of each.
//!
//! Comes in: records of hooks, outcomes from structure. Goes out: rows to judge by. Deliberately absent: the statistics.

use rusqlite::{OptionalExtension as _, Row, params};
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::{By, Verdict};
use uptake_core::measure::followed::Followed;

use crate::Result;
use crate::ledger::{self, Action};
use crate::lessons::Lessons;
use crate::observations::OF_KEY;
use crate::spool::Shown;
use crate::uses::USED;
use crate::verdicts::say;

/// A lesson in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialRow {
    /// The lesson.
    pub lesson: String,
    /// The agent.
    pub source: String,
    /// The session.
    pub session: String,
    /// At which moment it was told or withheld first.
    pub moment: String,
    /// When.
    pub at: i64,
    /// Whether it was withheld.
    pub withheld: bool,
    /// The chance of that, in thousandths.
    pub chance: u16,
    /// What followed, if the session was read since.
    pub followed: Option<Followed>,
}

const COLUMNS: &str = "lesson, source, session, moment, at, withheld, chance, failed, pushed, reached, calls, tokens";

fn trial(r: &Row<'_>) -> rusqlite::Result<TrialRow> {
    let small = |name: &str| r.get::<_, Option<i64>>(name).map(|n| u32::try_from(n.unwrap_or(0)).unwrap_or(u32::MAX));
    let pushed: Option<bool> = r.get("pushed")?;
    let followed = match pushed {
        None => None,
        Some(pushed) => Some(Followed {
            failed: r.get("failed")?,
            pushed,
            reached: r.get::<_, Option<bool>>("reached")?.unwrap_or(false),
            calls: small("calls")?,
            tokens: small("tokens")?,
        }),
    };
    Ok(TrialRow {
        lesson: r.get("lesson")?,
        source: r.get("source")?,
        session: r.get("session")?,
        moment: r.get("moment")?,
        at: r.get("at")?,
        withheld: r.get("withheld")?,
        chance: u16::try_from(r.get::<_, i64>("chance")?).unwrap_or(0),
        followed,
    })
}

impl Lessons {
    /// Takes over what hooks told and withheld: the first time in a session counts.
    pub fn keep_outcomes(&mut self, records: &[Shown]) -> Result<()> {
        self.db.write(|t| {
            let mut insert = t.prepare_cached(
                // What was only used before becomes a trial.
                &format!(
                    "INSERT INTO outcomes (lesson, source, session, moment, at, withheld, chance)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (lesson, source, session) DO UPDATE SET
                       moment = excluded.moment, at = excluded.at, withheld = excluded.withheld, chance = excluded.chance
                     WHERE moment = '{USED}'"
                ),
            )?;
            let mut told = records.iter().filter(|s| s.moment != "wrong");
            told.try_for_each(|s| params_of(&mut insert, s))
        })
    }

    /// All trials, in the order they happened.
    pub fn trials(&self) -> Result<Vec<TrialRow>> {
        self.db.rows(
            &format!(
                "SELECT {COLUMNS} FROM outcomes WHERE lesson <> '' AND session <> '' AND source <> 'cycle' AND moment <> '{USED}' ORDER BY at, lesson, session"
            ),
            [],
            trial,
        )
    }

    /// Notes what followed.
    pub fn keep_followed(&mut self, rows: &[TrialRow]) -> Result<()> {
        self.db.write(|t| {
            let mut update = t.prepare_cached(
                "UPDATE outcomes SET failed = ?4, pushed = ?5, reached = ?6, calls = ?7, tokens = ?8
                 WHERE lesson = ?1 AND source = ?2 AND session = ?3",
            )?;
            for row in rows {
                if let Some(f) = row.followed {
                    let Followed { failed, pushed, reached, calls, tokens } = f;
                    update.execute(params![
                        row.lesson,
                        row.source,
                        row.session,
                        failed,
                        pushed,
                        reached,
                        calls,
                        tokens
                    ])?;
                }
            }
            Ok(())
        })
    }

    /// Sessions in which lessons were called wrong: lesson and session.
    pub fn called_wrong(&self) -> Result<Vec<(String, String)>> {
        let sql = "SELECT lesson, session FROM trials WHERE moment = 'wrong'";
        self.db.rows(sql, [], |r| Ok((r.get("lesson")?, r.get("session")?)))
    }

    /// When a lesson was approved, if it is.
    pub fn approved_at(&self, lesson: &str) -> Result<Option<i64>> {
        let sql = "SELECT at FROM verdicts WHERE lesson = ?1 AND verdict = 'approved'";
        Ok(self.db.rows(sql, [lesson], |r| r.get("at"))?.pop())
    }

    /// When something was seen in a project, once for each root session.
    pub fn seen_at(&self, project: &str, kind: Kind, key: &str) -> Result<Vec<i64>> {
        let sql = format!(
            "SELECT max(at) AS at FROM observations WHERE project = ?1 AND kind = ?2 AND {OF_KEY} AND at IS NOT NULL
             GROUP BY root ORDER BY 1"
        );
        self.db.rows(&sql, [project, kind.as_str(), key], |r| r.get("at"))
    }

    /// What trials say of a lesson, as a word.
    pub fn fate(&self, lesson: &str) -> Result<Option<String>> {
        let run = || {
            let mut query = self
                .db
                .connection
                .prepare_cached("SELECT moment FROM outcomes WHERE lesson = ?1 AND source = '' AND session = ''")?;
            query.query_row([lesson], |r| r.get(0)).optional()
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Notes what trials say of a lesson.
    pub fn keep_fate(&mut self, lesson: &str, fate: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            // The row without a session.
            let sql = "INSERT OR REPLACE INTO outcomes (lesson, source, session, moment, at, withheld, chance)
                       VALUES (?1, '', '', ?2, ?3, 0, 0)";
            t.execute(sql, params![lesson, fate, at]).map(drop)
        })
    }

    /// Retires a lesson that trials show to be of no help. A person may approve it anew, or take it back with `undo`.
    pub fn retire_useless(&mut self, lesson: &Lesson, at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note_word(t, Action::Retired, lesson, at)?;
            say(t, lesson, Verdict::Retired, By::Auto, None, at)
        })
    }
}

fn params_of(insert: &mut rusqlite::CachedStatement<'_>, s: &Shown) -> rusqlite::Result<()> {
    insert.execute(params![s.lesson, s.source, s.session, s.moment, s.at, s.withheld, s.chance]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(session: &str, withheld: bool, at: i64) -> Shown {
        Shown {
            id: format!("{session}{at}"),
            lesson: "l".into(),
            about: String::new(),
            source: "claude".into(),
            session: session.into(),
            moment: "failure".into(),
            at,
            chance: 200,
            withheld,
        }
    }

    #[test]
    fn a_lesson_is_one_trial_a_session_and_what_followed_is_kept() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        lessons.keep_outcomes(&[record("a", true, 1), record("a", true, 2), record("b", false, 3)]).expect("kept");
        let mut rows = lessons.trials().expect("rows");
        assert_eq!(
            rows.iter().map(|r| (r.at, r.withheld, r.chance)).collect::<Vec<_>>(),
            [(1, true, 200), (3, false, 200)]
        );
        assert!(rows.iter().all(|r| r.followed.is_none()));
        let followed = Followed { failed: Some(true), pushed: false, reached: true, calls: 2, tokens: 30 };
        rows[0].followed = Some(followed);
        lessons.keep_followed(&rows).expect("kept");
        assert_eq!(lessons.trials().expect("rows"), rows);
        lessons.keep_fate("l", "proven", 4).expect("kept");
        assert_eq!(lessons.fate("l").expect("asked").as_deref(), Some("proven"));
    }
}
