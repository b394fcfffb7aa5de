//! Uses of lessons by iteration: the rows that trials are made of, and those of `uptake cycle` beside them.
//!
//! Comes in: an iteration with the lessons used in it. Goes out: uses to add up, joined by id. An iteration is written whole
//! or not at all, and the same one again replaces itself: nothing is counted twice, and nothing of another run is touched.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use uptake_core::measure::success::Use;

use crate::Result;
use crate::lessons::Lessons;
use crate::open::json;

/// The source of rows that `uptake cycle` writes.
pub const CYCLE: &str = "cycle";

/// The moment of rows of lessons that nobody told in the session: an agent used their skill, or named them. No trial is made of it.
pub(crate) const USED: &str = "used";

/// A finished session of a project, or one `cycle`.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The agent, or `cycle`.
    pub source: String,
    /// The session, or run and iteration.
    pub session: String,
    /// The project.
    pub project: String,
    /// When it ended.
    pub at: i64,
    /// Whether the build passed.
    pub built: Option<bool>,
    /// How it did by the goal.
    pub measured: Option<Measured>,
}

/// How an iteration did by the goal of its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The goal's name.
    pub goal: String,
    /// What was measured.
    pub value: f64,
    /// Whether it was met.
    pub met: bool,
    /// How nearly, in thousandths.
    pub score: u16,
}

/// A lesson in an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseRow {
    /// The lesson.
    pub lesson: String,
    /// Whether it was applied; else it was only shown.
    pub applied: bool,
    /// Places that were named for it, and whether each is in the diff.
    pub claims: Vec<(String, bool)>,
    /// In thousandths.
    pub relevance: Option<u16>,
}

impl UseRow {
    /// Whether one of its claims holds; so it is if there are none.
    pub fn is_verified(&self) -> bool {
        self.claims.is_empty() || self.claims.iter().any(|(_, holds)| *holds)
    }
}

impl Lessons {
    /// Keeps an iteration of `cycle` with the lessons used in it: all or nothing, in the place of the same one before. What it
    /// does not know of the build or the goal stays as it was known.
    pub fn keep_cycle(&mut self, iteration: &Iteration, uses: &[UseRow]) -> Result<()> {
        // Its time is that of the first run.
        let mut at = iteration.at;
        self.db.write(|t| {
            if let Some(before) = keep_iteration(t, iteration)? {
                at = before;
                t.prepare_cached(NAMED_BEFORE)?.execute([&iteration.source, &iteration.session])?;
            }
            let mut insert = t.prepare_cached(
                "INSERT OR REPLACE INTO outcomes (lesson, source, session, moment, at, withheld, chance, applied, verified, relevance, claims)
                 VALUES (?1, ?2, ?3, 'cycle', ?4, 0, 0, ?5, ?6, ?7, ?8)",
            )?;
            for one in uses {
                let claims = if one.claims.is_empty() { None } else { Some(json(&one.claims)?) };
                insert.execute(params![
                    one.lesson,
                    iteration.source,
                    iteration.session,
                    at,
                    one.applied,
                    one.is_verified(),
                    one.relevance,
                    claims
                ])?;
            }
            Ok(())
        })
    }

    /// Keeps finished sessions as iterations, and what became of lessons that were told in them, or used as skills. What an agent
    /// named once it has named.
    pub fn keep_sessions_as_iterations(&mut self, all: &[(Iteration, Vec<UseRow>)]) -> Result<()> {
        self.db.write(|t| {
            let mut update = t.prepare_cached(&format!(
                "INSERT INTO outcomes (lesson, source, session, moment, at, withheld, chance, applied, verified, relevance, claims)
                 VALUES (?1, ?2, ?3, '{USED}', ?8, 0, 0, ?4, ?5, ?6, ?7)
                 ON CONFLICT (lesson, source, session) DO UPDATE SET applied = max(coalesce(applied, 0), excluded.applied),
                   verified = excluded.verified, relevance = excluded.relevance, claims = excluded.claims"
            ))?;
            for (iteration, uses) in all {
                keep_iteration(t, iteration)?;
                for one in uses {
                    let claims = if one.claims.is_empty() { None } else { Some(json(&one.claims)?) };
                    let (source, session) = (&iteration.source, &iteration.session);
                    let (verified, at) = (one.is_verified(), iteration.at);
                    let row = params![one.lesson, source, session, one.applied, verified, one.relevance, claims, at];
                    update.execute(row)?;
                }
            }
            Ok(())
        })
    }

    /// Notes that an agent named lessons in a session: they were of use there.
    pub fn keep_named(&mut self, lessons: &[String], source: &str, session: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            let mut insert = t.prepare_cached(&format!(
                "INSERT INTO outcomes (lesson, source, session, moment, at, withheld, chance, applied, verified)
                 VALUES (?1, ?2, ?3, '{USED}', ?4, 0, 0, 1, 1)
                 ON CONFLICT (lesson, source, session) DO UPDATE SET applied = 1"
            ))?;
            lessons.iter().try_for_each(|lesson| insert.execute(params![lesson, source, session, at]).map(drop))
        })
    }

    /// When each iteration ended, by source and session.
    pub fn iterations_at(&self) -> Result<HashMap<(String, String), i64>> {
        let rows = self.db.rows("SELECT source, session, at FROM outcomes WHERE lesson = ''", [], |r| {
            Ok(((r.get("source")?, r.get("session")?), r.get("at")?))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// All iterations, oldest first; each under the project it belongs to now.
    pub fn iterations(&self) -> Result<Vec<Iteration>> {
        let sql = "SELECT i.source, i.session, coalesce(a.project, i.moment) AS project, i.at, i.applied, i.verified, i.relevance, i.claims
                   FROM outcomes i LEFT JOIN aliases a ON a.name = i.moment WHERE i.lesson = '' ORDER BY i.at, i.source, i.session";
        self.db.rows(sql, [], iteration)
    }

    /// Every use of a lesson of which is known what came of it. Withheld ones are none.
    pub fn each_use(&self, mut take: impl FnMut(&str, &Use)) -> Result<()> {
        let wrong: std::collections::HashSet<(String, String)> = self.called_wrong()?.into_iter().collect();
        let mut run = || -> rusqlite::Result<()> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT o.lesson, o.source, o.session, o.at, o.failed, o.pushed, o.applied, o.verified, o.relevance, i.applied AS built, i.verified AS met
                 FROM outcomes o LEFT JOIN outcomes i ON i.lesson = '' AND i.source = o.source AND i.session = o.session
                 WHERE o.lesson > '' AND NOT o.withheld AND o.session <> ''",
            )?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let lesson = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                let called_wrong = !wrong.is_empty() && wrong.contains(&(lesson.to_owned(), row.get(2)?));
                if let Some(one) = use_of(row, called_wrong)? {
                    take(lesson, &one);
                }
            }
            Ok(())
        };
        run().map_err(|e| self.db.err(e))
    }
}

/// What came of a row; nothing if that is not known.
fn use_of(row: &Row<'_>, called_wrong: bool) -> rusqlite::Result<Option<Use>> {
    let cycle = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)? == CYCLE;
    let failed: Option<bool> = row.get(4)?;
    let harmed = called_wrong || row.get::<_, Option<bool>>(5)?.unwrap_or(false);
    let applied: Option<bool> = row.get(6)?;
    let built: Option<bool> = row.get(9)?;
    // In a session a lesson that is about a failure was put to use; another one if the agent says so.
    let counts = cycle || failed.is_some() || applied == Some(true) || called_wrong;
    if !counts {
        return Ok(None);
    }
    let passed = match (harmed || failed == Some(true), failed.is_some()) {
        (true, _) => Some(false),
        (false, true) => Some(built != Some(false)),
        (false, false) => built,
    };
    Ok(Some(Use {
        applied: if cycle { applied.unwrap_or(false) } else { true },
        verified: row.get::<_, Option<bool>>(7)?.unwrap_or(true),
        passed,
        goal: row.get(10)?,
        relevance: row.get(8)?,
        at: row.get(3)?,
    }))
}

/// Removes what was noted of lessons in an iteration. Lessons are gone through one by one: the rows stand in their order.
const NAMED_BEFORE: &str = "WITH RECURSIVE l(lesson) AS (
       SELECT min(lesson) FROM outcomes WHERE lesson > ''
       UNION ALL SELECT (SELECT min(lesson) FROM outcomes WHERE lesson > l.lesson) FROM l WHERE l.lesson IS NOT NULL)
     DELETE FROM outcomes WHERE lesson IN (SELECT lesson FROM l) AND source = ?1 AND session = ?2 AND moment = 'cycle'";

fn iteration(r: &Row<'_>) -> rusqlite::Result<Iteration> {
    Ok(Iteration {
        source: r.get("source")?,
        session: r.get("session")?,
        project: r.get("project")?,
        at: r.get("at")?,
        built: r.get("applied")?,
        measured: measured(r)?,
    })
}

fn measured(r: &Row<'_>) -> rusqlite::Result<Option<Measured>> {
    let kept: Option<String> = r.get("claims")?;
    let Some((goal, value)) = kept.and_then(|text| serde_json::from_str::<(String, f64)>(&text).ok()) else {
        return Ok(None);
    };
    let met = r.get::<_, Option<bool>>("verified")?.unwrap_or(false);
    Ok(Some(Measured { goal, value, met, score: r.get::<_, Option<u16>>("relevance")?.unwrap_or(0) }))
}

/// Answers when it was, if it was kept before.
fn keep_iteration(t: &Transaction<'_>, one: &Iteration) -> rusqlite::Result<Option<i64>> {
    let before = t
        .prepare_cached("SELECT at FROM outcomes WHERE lesson = '' AND source = ?1 AND session = ?2")?
        .query_row([&one.source, &one.session], |r| r.get("at"))
        .optional()?;
    let m = one.measured.as_ref();
    let claims = m.map(|m| json(&(&m.goal, m.value))).transpose()?;
    t.prepare_cached(
        "INSERT INTO outcomes (lesson, source, session, moment, at, withheld, chance, applied, verified, relevance, claims)
         VALUES ('', ?1, ?2, ?3, ?4, 0, 0, ?5, ?6, ?7, ?8)
         ON CONFLICT (lesson, source, session) DO UPDATE SET moment = excluded.moment,
           at = CASE source WHEN 'cycle' THEN at ELSE excluded.at END, applied = coalesce(excluded.applied, applied),
           verified = coalesce(excluded.verified, verified), relevance = coalesce(excluded.relevance, relevance),
           claims = coalesce(excluded.claims, claims)",
    )?
    .execute(params![
        one.source,
        one.session,
        one.project,
        one.at,
        one.built,
        m.map(|m| m.met),
        m.map(|m| m.score),
        claims
    ])?;
    Ok(before)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use uptake_core::measure::success::Record;

    use super::*;

    fn cycle(run: &str, at: i64) -> Iteration {
        Iteration {
            source: CYCLE.into(),
            session: format!("{run}/1"),
            project: "p".into(),
            at,
            built: Some(true),
            measured: None,
        }
    }

    fn used(lesson: &str, claims: &[(&str, bool)]) -> UseRow {
        let claims = claims.iter().map(|(p, h)| ((*p).to_owned(), *h)).collect();
        UseRow { lesson: lesson.into(), applied: true, claims, relevance: Some(500) }
    }

    fn rates(lessons: &Lessons) -> BTreeMap<String, (u32, String)> {
        let mut all: BTreeMap<String, Record> = BTreeMap::new();
        lessons.each_use(|id, one| all.entry(id.to_owned()).or_default().add(one)).expect("uses");
        let shown = |r: &Record| (r.uses, r.rate().map(|r| format!("{r:.2}")).unwrap_or_default());
        all.iter().map(|(id, r)| (id.clone(), shown(r))).collect()
    }

    /// Theirs overwrote all counts by those of one folder.
    #[test]
    fn a_run_adds_to_what_others_did_and_the_same_one_again_adds_nothing() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        for n in 0..40 {
            lessons.keep_cycle(&cycle(&format!("r{n}"), n), &[used("a", &[]), used("b", &[])]).expect("kept");
        }
        let one = cycle("new", 99);
        for _ in 0..3 {
            lessons.keep_cycle(&one, &[used("b", &[("x.rs:1", false)]), used("c", &[])]).expect("kept");
        }
        let (all, wanted) = (rates(&lessons), [("a", 40, "1.00"), ("b", 41, "0.98"), ("c", 1, "1.00")]);
        assert_eq!(all, wanted.map(|(id, n, rate)| (id.to_owned(), (n, rate.to_owned()))).into());
        assert_eq!(lessons.trials().expect("rows").len(), 0, "no trial is made of it");
        assert_eq!(lessons.iterations().expect("rows").len(), 41);
    }

    #[test]
    fn a_lesson_that_was_used_untold_counts_and_is_no_trial_until_it_is_told() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        let session = Iteration { source: "claude".into(), session: "s".into(), built: None, ..cycle("r", 5) };
        lessons.keep_sessions_as_iterations(&[(session.clone(), vec![used("a", &[])])]).expect("kept");
        lessons.keep_named(&["b".to_owned()], "claude", "s", 6).expect("kept");
        assert_eq!(rates(&lessons).keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(lessons.trials().expect("rows").len(), 0);
        let told = crate::spool::Shown {
            id: "i".into(),
            lesson: "a".into(),
            about: String::new(),
            source: "claude".into(),
            session: "s".into(),
            moment: "start".into(),
            at: 7,
            chance: 200,
            withheld: false,
        };
        lessons.keep_outcomes(&[told]).expect("kept");
        assert_eq!(lessons.trials().expect("rows").len(), 1, "the session went on, and was told");
        let unnamed = UseRow { applied: false, ..used("b", &[]) };
        lessons.keep_sessions_as_iterations(&[(session, vec![unnamed])]).expect("kept");
        assert_eq!(rates(&lessons).keys().collect::<Vec<_>>(), ["a", "b"], "what was named was named");
    }

    #[test]
    fn a_false_claim_marks_only_itself() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        let uses = [used("a", &[("x.rs:1", true), ("y.rs:1", false)]), used("b", &[]), used("c", &[("y.rs:1", false)])];
        lessons.keep_cycle(&cycle("r", 1), &uses).expect("kept");
        let wanted = [("a", 1, "1.00"), ("b", 1, "1.00"), ("c", 1, "0.00")];
        assert_eq!(rates(&lessons), wanted.map(|(id, n, rate)| (id.to_owned(), (n, rate.to_owned()))).into());
    }

    /// The same through the store, beside a list that is looked through for each lesson.
    #[test]
    fn rates_of_random_histories_equal_a_slow_reference() {
        let mut chance = uptake_core::measure::rates::Chance::new(7);
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open_scratch(home.path()).expect("a store");
        type Kept = (Option<bool>, Option<bool>, Vec<UseRow>);
        let mut all: BTreeMap<String, Kept> = BTreeMap::new();
        for n in 0..600 {
            let maybe = [None, Some(true), Some(false)];
            let (built, met) = (maybe[chance.below(3)], maybe[chance.below(3)]);
            // Some iterations come again, with other uses.
            let run = format!("r{}", chance.below(400));
            let named = (0..6).filter(|_| chance.below(2) == 0).collect::<Vec<usize>>();
            let mut uses: Vec<UseRow> = Vec::new();
            for lesson in named {
                let claims: &[(&str, bool)] = [&[][..], &[("x:1", true)], &[("x:1", false)]][chance.below(3)];
                let applied = chance.below(3) > 0;
                let relevance = [None, Some(chance.below(1_001) as u16)][chance.below(2)];
                uses.push(UseRow { applied, relevance, ..used(&format!("l{lesson}"), claims) });
            }
            let measured = met.map(|met| Measured { goal: "g".into(), value: 1.0, met, score: 1 });
            lessons.keep_cycle(&Iteration { built, measured, ..cycle(&run, n) }, &uses).expect("kept");
            let before = all.get(&run).map_or((None, None), |(b, m, _)| (*b, *m));
            all.insert(run, (built.or(before.0), met.or(before.1), uses));
        }
        let mut ours: BTreeMap<String, Record> = BTreeMap::new();
        lessons.each_use(|id, one| ours.entry(id.to_owned()).or_default().add(one)).expect("uses");
        for lesson in (0..6).map(|n| format!("l{n}")) {
            let (mut uses, mut sum) = (0, 0.0);
            for (built, met, used) in all.values() {
                for one in used.iter().filter(|u| u.lesson == lesson) {
                    uses += 1;
                    let good = one.applied && one.is_verified() && built.unwrap_or(true);
                    let missed = f64::from(one.relevance.unwrap_or(500)) / 2_000.0;
                    sum += if !good {
                        0.0
                    } else if *met == Some(false) {
                        missed
                    } else {
                        1.0
                    };
                }
            }
            let record = ours.remove(&lesson).unwrap_or_default();
            let rate = record.rate().unwrap_or(0.0);
            assert!(
                record.uses == uses && (rate - sum / f64::from(uses)).abs() < 1e-9,
                "{lesson} {record:?} {uses} {sum}"
            );
        }
        assert!(ours.is_empty());
    }
}
