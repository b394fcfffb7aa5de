//! Lessons whose key function changed: what was said of them under an older key still holds.
//!
//! The rule: a lesson that somebody spoke of keeps the id it had then, and gets its new key. So its verdict, its files,
//! its history and the way back stay as they are; nothing comes back as new, and nothing is there twice.

use rusqlite::{OptionalExtension as _, Transaction};
use uptake_core::learn::Lesson;

use crate::Result;
use crate::lessons::{Lessons, insert_lesson};

/// A lesson as it was folded.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The lesson.
    pub lesson: Lesson,
    /// The ids it had under older key functions.
    pub former: Vec<String>,
}

impl From<Lesson> for Folded {
    fn from(lesson: Lesson) -> Self {
        Self { lesson, former: Vec::new() }
    }
}

impl Lessons {
    /// The id under which a lesson stands: its own, or a former one if somebody spoke of it then.
    pub fn standing_id(&self, id: &str, former: &[String]) -> Result<String> {
        let found = spoken_of(&self.db.connection, id, former).map_err(|e| self.db.err(e))?;
        Ok(found.map_or_else(|| id.to_owned(), ToOwned::to_owned))
    }
}

/// Inserts a folded lesson, under the id under which it stands.
pub(crate) fn insert_folded(t: &Transaction<'_>, folded: &Folded) -> rusqlite::Result<()> {
    let Folded { lesson, former } = folded;
    let Some(id) = spoken_of(t, &lesson.id, former)? else {
        former.iter().try_for_each(|id| drop_row(t, id, &lesson.key))?;
        return insert_lesson(t, lesson);
    };
    insert_lesson(t, &Lesson { id: id.to_owned(), ..lesson.clone() })?;
    t.prepare_cached("UPDATE lessons SET key = ?2 WHERE id = ?1")?.execute([id, &lesson.key])?;
    add_trigger(t, id, lesson)
}

/// The former id of which something was said; `None` if nothing was, or if something was said of today's.
/// A yes counts first: its words must not be offered a second time.
fn spoken_of<'f>(
    connection: &rusqlite::Connection,
    id: &str,
    former: &'f [String],
) -> rusqlite::Result<Option<&'f str>> {
    if former.is_empty() || weight(connection, id)?.is_some() {
        return Ok(None);
    }
    let mut best: Option<(u8, &str)> = None;
    for id in former {
        if let Some(weight) = weight(connection, id)?
            && best.is_none_or(|(b, _)| weight > b)
        {
            best = Some((weight, id));
        }
    }
    Ok(best.map(|(_, id)| id))
}

/// How much weight has what was said of an id; a yes has most.
fn weight(connection: &rusqlite::Connection, id: &str) -> rusqlite::Result<Option<u8>> {
    connection
        .prepare_cached(
            "SELECT CASE verdict WHEN 'approved' THEN 3 WHEN 'rejected' THEN 2 ELSE 1 END AS weight
             FROM verdicts WHERE lesson = ?1
             UNION ALL SELECT 1 FROM deletions WHERE lesson = ?1 ORDER BY weight DESC LIMIT 1",
        )?
        .query_row([id], |r| r.get("weight"))
        .optional()
}

/// Drops the row of a former id of which nothing is said any more.
fn drop_row(t: &Transaction<'_>, id: &str, key: &str) -> rusqlite::Result<()> {
    t.prepare_cached(
        "DELETE FROM lessons WHERE id = ?1 AND key = ?2 AND NOT EXISTS (SELECT 1 FROM verdicts WHERE lesson = ?1)",
    )?
    .execute([id, key])
    .map(drop)
}

/// Hooks look errors up in today's form, an approved lesson keeps the form it had: so both lead to it.
fn add_trigger(t: &Transaction<'_>, id: &str, lesson: &Lesson) -> rusqlite::Result<()> {
    let Some(trigger) = &lesson.payload.trigger else { return Ok(()) };
    t.prepare_cached(
        "INSERT OR IGNORE INTO triggers (program, error, project, lesson)
         SELECT ?1, ?2, ?3, lesson FROM verdicts WHERE lesson = ?4 AND verdict = 'approved'",
    )?
    .execute([trigger.program.as_str(), &trigger.error, lesson.project(), id])
    .map(drop)
}
