//! Which detectors read a session, and a note when newer ones looked at it again.

use rusqlite::named_params;

use crate::Result;
use crate::events;
use crate::sessions::Sessions;

/// A session that was read with other detectors than today's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// Its transcript, which may be gone.
    pub path: String,
    /// Its project.
    pub project: String,
    /// The folder it ran in.
    pub cwd: Option<String>,
    /// How many events are kept of it.
    pub events: usize,
    number: i64,
    was: String,
}

impl Sessions {
    /// Sessions that were read with other detectors than these, in the order in which they were first read. What was seen in one
    /// whose events are gone stays as it is.
    pub fn outdated(&self, detectors: &str) -> Result<Vec<Outdated>> {
        let sql = "SELECT number, path, project, cwd, detectors,
                          coalesce((SELECT max(place) - (number << 32) + 1 FROM events
                                    WHERE place BETWEEN number << 32 AND (number << 32) + 0xffffffff), 0) AS events
                   FROM sessions WHERE detectors <> ?1
                     AND EXISTS (SELECT 1 FROM events WHERE place BETWEEN number << 32 AND (number << 32) + 0xffffffff)
                   ORDER BY number";
        self.db.rows(sql, [detectors], |r| {
            Ok(Outdated {
                path: r.get("path")?,
                project: r.get("project")?,
                cwd: r.get("cwd")?,
                events: usize::try_from(r.get::<_, i64>("events")?).unwrap_or(0),
                number: r.get("number")?,
                was: r.get("detectors")?,
            })
        })
    }

    /// Gives sessions that have none the top of their working tree, all or none.
    pub fn give_tops(&mut self, tops: &[(&Outdated, String)]) -> Result<()> {
        self.db.write(|t| {
            let mut give = t.prepare_cached("UPDATE sessions SET top = ?2 WHERE number = ?1 AND top IS NULL")?;
            tops.iter().try_for_each(|(session, top)| give.execute((session.number, top)).map(drop))
        })
    }

    /// Notes that these detectors looked at sessions, all or none, and blanks events of forgotten lessons by their ids.
    /// A session that another process read on meanwhile is left for the next time.
    pub fn detected_again(&mut self, done: &[(&Outdated, Vec<String>)], detectors: &str) -> Result<()> {
        self.db.write(|t| {
            let mut note = t.prepare_cached(
                "UPDATE sessions SET detectors = CASE detectors WHEN :was THEN :now ELSE '' END WHERE number = :number",
            )?;
            let mut blank = t.prepare_cached(
                "UPDATE events SET input = CASE WHEN input IS NULL THEN NULL ELSE '' END, head = '', tail = '', written = NULL
                 WHERE place BETWEEN ?1 AND ?2 AND id = ?3",
            )?;
            for (session, forgotten) in done {
                note.execute(named_params! { ":was": session.was, ":now": detectors, ":number": session.number })?;
                let (first, last) = events::places(session.number);
                forgotten.iter().try_for_each(|id| blank.execute((first, last, id)).map(drop))?;
            }
            Ok(())
        })
    }
}
