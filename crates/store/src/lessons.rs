//! `lessons.db`: lessons as they stand, in the order in which people and hooks ask for them.

use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use uptake_core::detect::{Kind, Trigger};
use uptake_core::learn::Lesson;
use uptake_core::learn::evidence::decay;
use uptake_core::learn::trust::Mode;

use crate::Result;
use crate::foreign;
use crate::open::{Db, Which, open, open_for_hook, open_read_only, unless_empty};
use crate::verdicts::{By, Verdict};

/// A lesson with what was said of it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The lesson.
    pub lesson: Lesson,
    /// The verdict, if any.
    pub verdict: Option<Verdict>,
    /// Who said it.
    pub by: By,
    /// Whether the bytes are still those the verdict was about.
    pub same: bool,
    /// Whether the user deleted what was made of it.
    pub deleted: bool,
}

impl Stored {
    /// What stands of a lesson, in a word.
    pub fn status(&self) -> &'static str {
        match self.verdict {
            Some(Verdict::Approved) if !self.same => "withdrawn",
            Some(verdict) => verdict.as_str(),
            None if self.deleted => "retired",
            None if self.lesson.ready => "ready",
            None => "observing",
        }
    }
}

/// Which lessons are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'w> {
    /// Of this project only.
    pub project: Option<&'w str>,
    /// Of this kind only.
    pub kind: Option<Kind>,
    /// In which state.
    pub which: State,
    /// The time: what age takes off counts in the order, and what was put away comes back.
    pub now: i64,
    /// Whose approvals count.
    pub mode: Mode,
}

/// In which state the lessons are that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// All of them.
    #[default]
    Any,
    /// Ready or decided, and not rejected.
    Known,
    /// Ready and undecided.
    Waiting,
}

/// A lesson's place in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its id.
    pub id: String,
    /// Its project.
    pub project: String,
    /// The detector that saw it.
    pub detector: String,
    rank: f64,
}

/// The database of lessons.
pub struct Lessons {
    pub(crate) db: Db,
}

impl Lessons {
    /// Opens it under the home folder.
    pub fn open(home: &Path) -> Result<Self> {
        Ok(Self { db: open(home, Which::Lessons)? })
    }

    /// Opens it for a hook: read only, never migrated. `None` if there is none.
    pub fn open_for_hook(home: &Path) -> Result<Option<Self>> {
        Ok(open_for_hook(home, Which::Lessons)?.map(|db| Self { db }))
    }

    /// Opens it for reading; `None` if there is none.
    pub fn open_read_only(home: &Path) -> Result<Option<Self>> {
        Ok(open_read_only(home, Which::Lessons)?.map(|db| Self { db }))
    }

    /// Opens it to look only, as if it were another program's: not even SQLite leaves a file. `None` if there is none.
    pub fn look(home: &Path) -> Result<Option<Self>> {
        let path = home.join(Which::Lessons.file());
        if !path.exists() {
            return Ok(None);
        }
        Ok(unless_empty(foreign::open(&path)?)?.map(|db| Self { db }))
    }

    /// The places of lessons, best first; none of them is read for that.
    pub fn order(&self, wanted: &Wanted<'_>) -> Result<Vec<Place>> {
        let state = match wanted.which {
            State::Any => "TRUE",
            State::Known => "(l.ready = 1 OR v.verdict IS NOT NULL) AND v.verdict IS NOT 'rejected'",
            // Also what was approved in other bytes, or by nobody whose word counts in this mode.
            State::Waiting => {
                "l.ready = 1 AND (v.verdict IS NULL OR v.verdict = 'snoozed' AND v.until <= ?3
                   OR v.verdict = 'approved' AND (v.sha256 <> l.sha256 OR v.by = 'auto' AND ?4))"
            }
        };
        // Of one project only its rows are looked at; of all, only an index that holds everything needed.
        let (from, of) = match wanted.project {
            Some(_) => ("lessons l", "l.project = ?1"),
            None => ("lessons l INDEXED BY lessons_in_order", "?1 IS NULL"),
        };
        let sql = format!(
            "SELECT l.id, l.project, l.detector, l.rank, l.last_seen FROM {from} LEFT JOIN verdicts v ON v.lesson = l.id
             WHERE {of} AND (?2 IS NULL OR l.kind = ?2) AND ?3 IS NOT NULL AND ?4 IS NOT NULL AND {state}"
        );
        let kind = wanted.kind.map(Kind::as_str);
        let mut places =
            self.db.rows(&sql, params![wanted.project, kind, wanted.now, wanted.mode == Mode::Review], |r| {
                let (rank, last): (f64, Option<i64>) = (r.get(3)?, r.get(4)?);
                let rank = rank * decay(last, wanted.now);
                Ok(Place { id: r.get(0)?, project: r.get(1)?, detector: r.get(2)?, rank })
            })?;
        places.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.id.cmp(&b.id)));
        Ok(places)
    }

    /// The lessons at these places, in this order; what is gone meanwhile is left out.
    pub fn at(&self, places: &[Place]) -> Result<Vec<Stored>> {
        let run = || -> rusqlite::Result<Vec<Stored>> {
            let mut query = self
                .db
                .connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM lessons l {SAID} WHERE l.id = ?1"))?;
            let mut out = Vec::with_capacity(places.len());
            for place in places {
                out.extend(query.query_row([&place.id], stored).optional()?.flatten());
            }
            Ok(out)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Lessons with what was said of them, best first.
    pub fn list(&self, wanted: &Wanted<'_>) -> Result<Vec<Stored>> {
        self.at(&self.order(wanted)?)
    }

    /// Lessons whose id begins like this.
    pub fn by_id(&self, prefix: &str) -> Result<Vec<Stored>> {
        // `~` comes after every letter and digit.
        let sql = format!("SELECT {COLUMNS} FROM lessons l {SAID} WHERE l.id >= ?1 AND l.id < ?1 || '~' ORDER BY l.id");
        Ok(self.db.rows(&sql, [prefix], stored)?.into_iter().flatten().collect())
    }

    /// How many lessons there are of each project; of one kind if named.
    pub fn count(&self, kind: Option<Kind>) -> Result<Vec<(String, usize)>> {
        self.db.rows(
            "SELECT project, count(*) FROM lessons INDEXED BY lessons_in_order WHERE ?1 IS NULL OR kind = ?1 GROUP BY project",
            [kind.map(Kind::as_str)],
            |r| Ok((r.get(0)?, usize::try_from(r.get::<_, i64>(1)?).unwrap_or(0))),
        )
    }

    /// How many lessons there are in each state.
    pub fn tally(&self) -> Result<Vec<(String, usize)>> {
        self.db.rows(
            "SELECT CASE WHEN v.verdict = 'approved' AND v.sha256 <> l.sha256 THEN 'withdrawn' WHEN v.verdict IS NOT NULL THEN v.verdict
                    WHEN d.lesson IS NOT NULL THEN 'retired' WHEN l.ready = 1 THEN 'ready' ELSE 'observing' END AS state, count(*)
             FROM lessons l LEFT JOIN verdicts v ON v.lesson = l.id LEFT JOIN deletions d ON d.lesson = l.id
             GROUP BY state ORDER BY state",
            [],
            |r| Ok((r.get(0)?, usize::try_from(r.get::<_, i64>(1)?).unwrap_or(0))),
        )
    }

    /// Adds lessons as they are shown, so that a verdict has something to stand on, all or none. What was approved in
    /// other words keeps them.
    pub fn add_shown(&mut self, lessons: &[Lesson]) -> Result<()> {
        self.db.write(|t| lessons.iter().try_for_each(|lesson| insert_lesson(t, lesson)))
    }

    /// Approved lessons for a failure in a project whose bytes are still those that were approved. What only the rules
    /// of mode `auto` approved counts in that mode only.
    pub fn approved_for(&self, trigger: &Trigger, project: &str, mode: Mode) -> Result<Vec<Lesson>> {
        // The triggers come first: a hook has no time to look at all lessons.
        let sql = format!(
            "SELECT {COLUMNS} FROM triggers t CROSS JOIN lessons l ON l.id = t.lesson {SAID}
             WHERE t.program = ?1 AND t.error = ?2 AND t.project = ?3 AND v.verdict = 'approved'
             ORDER BY l.rank DESC, l.id LIMIT 6"
        );
        let found = self.db.rows(&sql, params![trigger.program, trigger.error, project], stored)?;
        let may_leave = found.into_iter().flatten().filter(|s| s.may_leave(mode));
        Ok(may_leave.map(|s| s.lesson).take(3).collect())
    }

    /// Every lesson that may be rendered, injected or shared.
    pub fn may_leave(&self, mode: Mode) -> Result<Vec<Lesson>> {
        let found = self.db.rows(
            &format!("SELECT {COLUMNS} FROM lessons l {SAID} WHERE v.verdict = 'approved' ORDER BY l.id"),
            [],
            stored,
        )?;
        Ok(found.into_iter().flatten().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }
}

impl Stored {
    /// Whether it may be rendered, injected or shared: someone entitled said yes to exactly these bytes.
    pub fn may_leave(&self, mode: Mode) -> bool {
        self.verdict == Some(Verdict::Approved) && self.same && (self.by == By::Person || mode == Mode::Auto)
    }
}

/// Inserts a lesson. What was approved keeps its words; what speaks for it is always new.
pub(crate) fn insert_lesson(t: &Transaction<'_>, new: &Lesson) -> rusqlite::Result<()> {
    let kept = standing(t, &new.id)?.map(|old| Lesson {
        name: old.name,
        title: old.title,
        statement: old.statement,
        commands: old.commands,
        trigger: old.trigger,
        trust: old.trust,
        ..new.clone()
    });
    let l = kept.as_ref().unwrap_or(new);
    t.prepare_cached(
        "INSERT INTO lessons (id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank, detector)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, sessions = excluded.sessions, days = excluded.days,
           first_seen = excluded.first_seen, last_seen = excluded.last_seen, ready = excluded.ready, rank = excluded.rank,
           sha256 = excluded.sha256",
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
        l.rank,
        l.detector
    ])?;
    Ok(())
}

/// The lesson that is there, if its words were approved.
fn standing(t: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<Lesson>> {
    let body: Option<String> = t
        .prepare_cached(
            "SELECT l.body FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.id = ?1 AND v.verdict = 'approved'",
        )?
        .query_row([id], |r| r.get(0))
        .optional()?;
    Ok(body.and_then(|b| serde_json::from_str(&b).ok()))
}

/// What [`stored`] reads.
const COLUMNS: &str = "l.body, l.ready, v.verdict, v.by, v.sha256, d.lesson IS NOT NULL";
/// What was said of a lesson.
const SAID: &str = "LEFT JOIN verdicts v ON v.lesson = l.id LEFT JOIN deletions d ON d.lesson = l.id";

fn stored(r: &Row<'_>) -> rusqlite::Result<Option<Stored>> {
    let body: String = r.get(0)?;
    let Ok(mut lesson) = serde_json::from_str::<Lesson>(&body) else { return Ok(None) };
    lesson.ready = r.get(1)?;
    let verdict = r.get::<_, Option<String>>(2)?.and_then(|word| Verdict::parse(&word));
    let by = r.get::<_, Option<String>>(3)?.map_or(By::Person, |word| By::parse(&word));
    // The sum is counted from the bytes that would be used, never taken from a column beside them.
    let same = r.get::<_, Option<String>>(4)?.is_none_or(|sum| sum == lesson.sha256());
    Ok(Some(Stored { lesson, verdict, by, same, deleted: r.get(5)? }))
}
