//! `lessons.db`: lessons as they stand, in the order in which people and hooks ask for them.
//!
//! Comes in: which lessons are wanted. Goes out: lessons with what was said of them. Deliberately absent: changing what was
//! said (`verdicts`) and making lessons of observations (`observations`).

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, Transaction, named_params, params};
use uptake_core::detect::Kind;
use uptake_core::learn::evidence::decay;
use uptake_core::learn::status::{By, Said, Standing, Status, Verdict};
use uptake_core::learn::supersede::marks;
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, Payload, Provenance};

use crate::Result;
use crate::body::{self, LESSON, lesson_in};
use crate::checkup;
use crate::foreign;
use crate::open::{Db, StoreFile, json, open, open_for_hook, open_read_only, open_scratch, unless_empty};
use crate::seal;

/// A lesson with what was said of it.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The lesson.
    pub lesson: Lesson,
    /// What was said of it.
    pub standing: Standing,
}

impl Stored {
    /// The word that was said of it.
    pub fn verdict(&self) -> Option<Verdict> {
        self.standing.said.map(|said| said.verdict)
    }

    /// Whether it may be rendered, injected or shared.
    pub fn may_leave(&self, mode: Mode) -> bool {
        self.standing.may_leave(mode)
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
    pub which: Which,
    /// The time: older lessons rank lower, and snoozed ones come back.
    pub now: i64,
    /// Whose approvals count.
    pub mode: Mode,
}

/// In which state the lessons are that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    #[default]
    Any,
    /// Ready or decided, and not rejected.
    Known,
    /// Ready and undecided.
    Waiting,
}

impl Which {
    fn takes(self, standing: &Standing, wanted: &Wanted<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Known => standing.is_known(),
            Self::Waiting => standing.waits(wanted.now, wanted.mode),
        }
    }
}

/// A lesson's place in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPlace {
    /// Its id.
    pub id: String,
    /// Its project.
    pub project: String,
    /// The detector that saw it.
    pub detector: String,
    /// Whether it was seen in several sessions or said by the user; also where that is not known.
    pub grounded: bool,
    /// Its rank at that time: higher first.
    pub rank: f64,
}

/// The database of lessons.
pub struct Lessons {
    pub(crate) db: Db,
}

impl Lessons {
    /// Opens it under the home folder.
    pub fn open(home: &Path) -> Result<Self> {
        Ok(Self { db: open(home, StoreFile::Lessons)? })
    }

    /// Opens one in a folder that is thrown away: what is written need not outlive a crash.
    pub fn open_scratch(home: &Path) -> Result<Self> {
        Ok(Self { db: open_scratch(home, StoreFile::Lessons)? })
    }

    /// Opens it for a hook: read only, never migrated. `None` if there is none.
    pub fn open_for_hook(home: &Path) -> Result<Option<Self>> {
        Ok(open_for_hook(home, StoreFile::Lessons)?.map(|db| Self { db }))
    }

    /// From here on every question is asked of the same state, until this is dropped. Else SQLite takes and gives back a lock for
    /// each of them, and a hook asks many.
    pub fn hold_still(&self) -> Result<()> {
        self.db.connection.execute_batch("BEGIN").map_err(|e| self.db.err(e))
    }

    /// Opens it for reading; `None` if there is none.
    pub fn open_read_only(home: &Path) -> Result<Option<Self>> {
        Ok(open_read_only(home, StoreFile::Lessons)?.map(|db| Self { db }))
    }

    /// Opens it for reading what agents and status bars ask for again and again: without a look at all of it, if it was closed
    /// well. `None` if there is none.
    pub fn open_quickly(home: &Path) -> Result<Option<Self>> {
        match seal::is_there(home).then(|| Self::open_for_hook(home)) {
            Some(Ok(Some(lessons))) => Ok(Some(lessons)),
            // Cut short, damaged or of another format: who has time puts that right.
            _ => Self::open_read_only(home),
        }
    }

    /// Opens it to look only, as if it were another program's: not even SQLite leaves a file. `None` if there is none.
    pub fn look(home: &Path) -> Result<Option<Self>> {
        let path = home.join(StoreFile::Lessons.name());
        if !path.exists() {
            return Ok(None);
        }
        Ok(unless_empty(foreign::open(&path)?)?.map(|db| Self { db }))
    }

    /// Writes the journal anew if it has grown much longer than what it says.
    pub fn shorten_journal(&mut self) -> Result<()> {
        self.db.shorten_journal()
    }

    /// Fails if the store is damaged. For whoever meets an approved lesson in other bytes than those that were approved: if
    /// nobody changed it, the disk did.
    pub fn doubt(&self) -> Result<()> {
        self.db.path.parent().map_or(Ok(()), checkup::fail_if_unsound)
    }

    /// Where lessons stand in a list, best first, without reading them.
    pub fn order(&self, wanted: &Wanted<'_>) -> Result<Vec<ListPlace>> {
        let of = if wanted.project.is_some() { "l.project = :project" } else { ":project IS NULL" };
        let sql = format!(
            "SELECT l.id, l.project, l.detector, l.rank, l.last_seen, l.grounded, l.ready, v.verdict, v.by, v.until,
                    FALSE AS deleted, FALSE AS rendered, {SAME}
             FROM lessons l INDEXED BY lessons_in_order LEFT JOIN verdicts v ON v.lesson = l.id
             WHERE {of} AND (:kind IS NULL OR l.kind = :kind)"
        );
        // Few are ever deleted: they are looked up here, not in the database for each lesson. Files decide no list.
        let deleted = self.deletions()?;
        let kind = wanted.kind.map(Kind::as_str);
        // Names are looked up once, not for each of very many rows.
        let mut columns: Option<(StandingColumns, [usize; 7])> = None;
        let rows = self.db.rows(&sql, named_params! { ":project": wanted.project, ":kind": kind }, |r| {
            let (standing, place) = match &columns {
                Some(columns) => columns,
                None => columns.insert((
                    StandingColumns::of(r)?,
                    places_of(r, ["id", "project", "detector", "rank", "last_seen", "grounded", "same"])?,
                )),
            };
            let [id, project, detector, rank, last_seen, grounded, same] = *place;
            let mut standing = standing.read(r, r.get::<_, Option<bool>>(same)?.unwrap_or(true))?;
            let id: String = r.get(id)?;
            standing.deleted = deleted.contains(&id);
            if !wanted.which.takes(&standing, wanted) {
                return Ok(None);
            }
            Ok(Some(ListPlace {
                id,
                project: r.get(project)?,
                detector: r.get(detector)?,
                grounded: r.get::<_, Option<bool>>(grounded)?.unwrap_or(true),
                rank: r.get::<_, f64>(rank)? * decay(r.get(last_seen)?, wanted.now),
            }))
        })?;
        let mut places: Vec<ListPlace> = rows.into_iter().flatten().collect();
        places.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.id.cmp(&b.id)));
        Ok(places)
    }

    /// The lessons at these places, in this order; what is gone meanwhile is left out.
    pub fn at(&self, places: &[ListPlace]) -> Result<Vec<Stored>> {
        self.with_ids(places.iter().map(|place| place.id.as_str()))
    }

    /// The lessons with these ids, in this order; what is not there is left out.
    pub(crate) fn with_ids<'i>(&self, ids: impl Iterator<Item = &'i str>) -> Result<Vec<Stored>> {
        self.each_with_id(ids, stored)
    }

    /// The same for somebody who waits: what cannot be read is left out, too.
    pub(crate) fn readable_with_ids<'i>(&self, ids: impl Iterator<Item = &'i str>) -> Result<Vec<Stored>> {
        Ok(self.each_with_id(ids, |r| Ok(stored(r).ok()))?.into_iter().flatten().collect())
    }

    fn each_with_id<'i, T>(
        &self,
        ids: impl Iterator<Item = &'i str>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let run = || -> rusqlite::Result<Vec<T>> {
            // Once for all of them: to find the statement again for each takes longer than to run it.
            let mut query = self.db.connection.prepare_cached(&format!(
                "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM lessons l {SAID} WHERE l.id = ?1"
            ))?;
            ids.filter_map(|id| query.query_row([id], &read).optional().transpose()).collect()
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
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM lessons l {SAID} WHERE l.id >= ?1 AND l.id < ?1 || '~' ORDER BY l.id"
        );
        self.db.rows(&sql, [prefix], stored)
    }

    /// The bytes that are kept of a lesson; `None` if it is not there.
    pub fn kept_bytes(&self, id: &str) -> Result<Option<String>> {
        let rows = self.db.rows("SELECT body FROM lessons WHERE id = ?1", [id], |r| r.get("body"))?;
        Ok(rows.into_iter().next())
    }

    /// How many lessons there are of each project; of one kind if named.
    pub fn count(&self, kind: Option<Kind>) -> Result<Vec<(String, usize)>> {
        self.db.rows(
            "SELECT project, count(*) AS n FROM lessons INDEXED BY lessons_in_order WHERE ?1 IS NULL OR kind = ?1 GROUP BY project",
            [kind.map(Kind::as_str)],
            |r| Ok((r.get("project")?, usize::try_from(r.get::<_, i64>("n")?).unwrap_or(0))),
        )
    }

    /// The titles of lessons that these detectors saw and of which nothing was said, project by project, until `enough`
    /// says that those of a project are enough.
    pub fn open_titles(&self, detectors: &[&str], mut enough: impl FnMut(&str, &str) -> bool) -> Result<()> {
        let mut run = |project: &str| -> rusqlite::Result<()> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT CASE WHEN json_valid(l.body) THEN l.body ->> 'title' END AS title
                 FROM lessons l INDEXED BY lessons_in_order
                 WHERE l.project = ?1 AND l.detector IN (SELECT value FROM json_each(?2))
                   AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.lesson = l.id)",
            )?;
            let mut rows = query.query(params![project, json(&detectors)?])?;
            while let Some(row) = rows.next()? {
                if row.get_ref("title")?.as_str_or_null()?.is_some_and(|title| enough(project, title)) {
                    break;
                }
            }
            Ok(())
        };
        // One look into the index for each project, not for each lesson.
        let projects: Vec<String> = self.db.rows(
            "WITH RECURSIVE p (project) AS (
               SELECT min(project) FROM lessons
               UNION ALL SELECT (SELECT min(project) FROM lessons WHERE project > p.project) FROM p WHERE project IS NOT NULL
             )
             SELECT project FROM p WHERE project IS NOT NULL",
            [],
            |r| r.get(0),
        )?;
        projects.iter().try_for_each(|project| run(project)).map_err(|e| self.db.err(e))
    }

    /// How many lessons there are in each state.
    pub fn tally(&self, now: i64) -> Result<Vec<(Status, usize)>> {
        let mut tally = BTreeMap::new();
        let mut columns: Option<(StandingColumns, [usize; 1])> = None;
        self.db.rows(&tally_sql(), [], |r| {
            let (standing, [same]) = match &columns {
                Some(columns) => columns,
                None => columns.insert((StandingColumns::of(r)?, places_of(r, ["same"])?)),
            };
            let standing = standing.read(r, r.get::<_, Option<bool>>(*same)?.unwrap_or(true))?;
            // When each of those that were put away comes back is not asked here.
            let status = match standing.status(now) {
                Status::Snoozed(_) => Status::Snoozed(None),
                other => other,
            };
            *tally.entry(status).or_default() += 1;
            Ok(())
        })?;
        Ok(tally.into_iter().collect())
    }

    /// Adds lessons as they are shown, so that a verdict has something to stand on, all or none. What was approved in
    /// other words keeps them.
    pub fn add_shown(&mut self, lessons: &[Lesson]) -> Result<()> {
        self.db.write(|t| lessons.iter().try_for_each(|lesson| insert_lesson(t, lesson)))
    }

    /// Every lesson that may be rendered, injected or shared.
    pub fn may_leave(&self, mode: Mode) -> Result<Vec<Lesson>> {
        let found = self.db.rows(
            &format!(
                "SELECT {LESSON}, v.sha256, {WORD}, {RENDERED} FROM lessons l {SAID} WHERE v.verdict = 'approved' ORDER BY l.id"
            ),
            [],
            stored,
        )?;
        Ok(found.into_iter().filter(|s| s.may_leave(mode)).map(|s| s.lesson).collect())
    }
}

/// Inserts a lesson. What was approved keeps its words; what speaks for it is always new.
pub(crate) fn insert_lesson(t: &Transaction<'_>, new: &Lesson) -> rusqlite::Result<()> {
    let kept = approved_words(t, &new.id)?.map(|old| Lesson {
        payload: Payload { scope: new.payload.scope.clone(), ..old.payload },
        origin: Provenance { trust: old.origin.trust, ..new.origin.clone() },
        ..new.clone()
    });
    let l = kept.as_ref().unwrap_or(new);
    t.prepare_cached(
        "INSERT INTO lessons (id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank, detector, grounded, advice)
         VALUES (:id, :project, :kind, :key, :name, :body, :sha256, :sessions, :days, :first, :last, :ready, :rank, :detector, :grounded, :advice)
         ON CONFLICT (id) DO UPDATE SET body = excluded.body, sessions = excluded.sessions, days = excluded.days,
           first_seen = excluded.first_seen, last_seen = excluded.last_seen, ready = excluded.ready, rank = excluded.rank,
           sha256 = excluded.sha256, key = excluded.key, detector = excluded.detector,
           grounded = excluded.grounded, advice = excluded.advice",
    )?
    .execute(named_params! {
        ":id": l.id,
        ":project": l.project(),
        ":kind": l.kind.as_str(),
        ":key": l.key,
        // It stands in the body, with all that a yes binds.
        ":name": "",
        ":body": body::in_row(l)?,
        ":sha256": l.sha256(),
        ":sessions": l.evidence.sessions as i64,
        ":days": l.evidence.days as i64,
        ":first": l.evidence.first,
        ":last": l.evidence.last,
        ":ready": l.evidence.worth.ready,
        ":rank": l.evidence.worth.rank,
        ":detector": l.origin.detector,
        ":grounded": l.is_grounded(),
        ":advice": marks(l),
    })?;
    Ok(())
}

/// The lesson that is there, if its words were approved.
fn approved_words(t: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<Lesson>> {
    let sql = format!(
        "SELECT {LESSON} FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.id = ?1 AND v.verdict = 'approved'"
    );
    Ok(t.prepare_cached(&sql)?.query_row([id], lesson_in).optional()?.flatten())
}

/// What [`standing_of`] reads, but whether there are files.
pub(crate) const WORD: &str = "l.ready, v.verdict, v.by, v.until, d.lesson IS NOT NULL AS deleted";
/// Whether there are files.
pub(crate) const RENDERED: &str = "EXISTS (SELECT 1 FROM artifacts a WHERE a.lesson = l.id) AS rendered";
pub(crate) const IS_RENDERED: &str = "EXISTS (SELECT 1 FROM artifacts a WHERE a.lesson = l.id)";
/// Whether the bytes are those that were approved, by the starts of the sums beside them, as the index has them: good
/// enough for a list.
const SAME: &str = "CASE WHEN v.verdict IS NOT NULL THEN substr(v.sha256, 1, 8) = substr(l.sha256, 1, 8) END AS same";
/// What was said of a lesson.
pub(crate) const SAID: &str = "LEFT JOIN verdicts v ON v.lesson = l.id LEFT JOIN deletions d ON d.lesson = l.id";

/// What decides the standing of every lesson. Lessons come in the order of what was said of them: the next word is always
/// near the last one. Only an approved lesson is another one by its files.
fn tally_sql() -> String {
    format!(
        "SELECT {WORD}, CASE WHEN v.verdict = 'approved' THEN {IS_RENDERED} ELSE FALSE END AS rendered, {SAME}
         FROM lessons l INDEXED BY lessons_by_standing {SAID}"
    )
}

pub(crate) fn stored(r: &Row<'_>) -> rusqlite::Result<Stored> {
    // A body that cannot be read is damage, and is told; it does not vanish from a list.
    let mut lesson = lesson_in(r)?.ok_or_else(unreadable)?;
    // The sum is computed from the bytes that would be used, never taken from a column beside them.
    let same = r.get::<_, Option<String>>("sha256")?.is_none_or(|sum| sum == lesson.sha256());
    let standing = standing_of(r, same)?;
    lesson.evidence.worth.ready = standing.ready;
    Ok(Stored { lesson, standing })
}

fn unreadable() -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, "a lesson cannot be read".into())
}

fn standing_of(r: &Row<'_>, same: bool) -> rusqlite::Result<Standing> {
    StandingColumns::of(r)?.read(r, same)
}

/// Where the columns with these names are in a row.
fn places_of<const N: usize>(r: &Row<'_>, names: [&str; N]) -> rusqlite::Result<[usize; N]> {
    let mut places = [0; N];
    for (place, name) in places.iter_mut().zip(names) {
        *place = r.as_ref().column_index(name)?;
    }
    Ok(places)
}

/// Where in a row that stands which decides what stands of a lesson.
struct StandingColumns([usize; 6]);

impl StandingColumns {
    fn of(r: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self(places_of(r, ["ready", "verdict", "by", "until", "deleted", "rendered"])?))
    }

    fn read(&self, r: &Row<'_>, same: bool) -> rusqlite::Result<Standing> {
        let [ready, verdict, by, until, deleted, rendered] = self.0;
        let said = match r.get_ref(verdict)?.as_str_or_null()?.and_then(Verdict::parse) {
            None => None,
            Some(verdict) => {
                let by = r.get_ref(by)?.as_str_or_null()?.map_or(By::Person, By::parse);
                Some(Said { verdict, by, until: r.get(until)?, same })
            }
        };
        Ok(Standing { said, ready: r.get(ready)?, deleted: r.get(deleted)?, rendered: r.get(rendered)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_reads_no_lesson_and_looks_for_each_word_by_an_index() {
        let home = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(home.path()).expect("a store");
        let sql = format!("EXPLAIN QUERY PLAN {}", tally_sql());
        let plan: Vec<String> = lessons.db.rows(&sql, [], |r| r.get("detail")).expect("a plan");
        assert!(plan[0].starts_with("SCAN l USING COVERING INDEX lessons_by_standing"), "{plan:?}");
        assert!(plan[1..].iter().all(|line| !line.contains("SCAN")), "{plan:?}");
    }
}
