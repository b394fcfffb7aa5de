//! What worked where in a project: tallies of its sessions, added up as they come and go.
//!
//! Beside a sum stands, without a session, each cause whose fact was made with it: when the sum changes, so may the fact.
//! The sums can be made again from the observations that count (`tallies`); they are kept because a hook has no time to add
//! up. Deliberately absent: what is counted, and what follows from it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rusqlite::{Connection, Row, Transaction, params};
use uptake_core::detect::{TALLIES, Tally};
use uptake_core::learn::facts::Place;

use crate::Result;
use crate::body::{OBSERVATION, observation_in};
use crate::lessons::Lessons;
use crate::observations::PROJECTS;

/// Most places that are looked at for one thing.
const MOST: usize = 60;

impl Lessons {
    /// Where something worked in a project, most often first.
    pub fn worked(&self, project: &str, what: &str) -> Result<Vec<Place>> {
        places(&self.db.connection, project, what).map_err(|e| self.db.err(e))
    }
}

fn places(connection: &Connection, project: &str, what: &str) -> rusqlite::Result<Vec<Place>> {
    let sql = format!(
        "SELECT place, sessions, ok, failed, last FROM worked WHERE project = ?1 AND what = ?2 AND sessions > 0
         ORDER BY sessions DESC, place LIMIT {MOST}"
    );
    connection.prepare_cached(&sql)?.query_map([project, what], place)?.collect()
}

fn place(r: &Row<'_>) -> rusqlite::Result<Place> {
    let count = |name: &str| r.get::<_, i64>(name).map(|n| u32::try_from(n).unwrap_or(0));
    Ok(Place {
        place: r.get("place")?,
        sessions: count("sessions")?,
        ok: count("ok")?,
        failed: count("failed")?,
        last: r.get("last")?,
    })
}

/// Looks sums up for a fold, which knows no errors of a database: the first one is kept.
pub(crate) struct Lookup<'t> {
    connection: &'t Connection,
    projects: Vec<&'t str>,
    asked: RefCell<BTreeSet<String>>,
    failed: RefCell<rusqlite::Result<()>>,
}

impl<'t> Lookup<'t> {
    pub fn in_project(connection: &'t Connection, project: &'t str) -> Self {
        Self { connection, projects: vec![project], asked: RefCell::default(), failed: RefCell::new(Ok(())) }
    }

    /// In any of several projects.
    pub fn anywhere(connection: &'t Connection, projects: &'t [String]) -> Self {
        let projects = projects.iter().map(String::as_str).collect();
        Self { connection, projects, asked: RefCell::default(), failed: RefCell::new(Ok(())) }
    }

    pub fn get(&self, what: &str) -> Vec<Place> {
        self.asked.borrow_mut().insert(what.to_owned());
        let all = self.projects.iter().map(|project| places(self.connection, project, what));
        all.collect::<rusqlite::Result<Vec<_>>>().map(|found| found.concat()).unwrap_or_else(|e| {
            *self.failed.borrow_mut() = Err(e);
            Vec::new()
        })
    }

    /// Fails if a look did.
    pub fn end(self) -> rusqlite::Result<()> {
        self.failed.into_inner()
    }

    /// Notes for a cause of the project what was looked up; fails if a look did.
    pub fn note_for(self, project: &str, cause: &str) -> rusqlite::Result<()> {
        self.failed.into_inner()?;
        // No session was there: the place is the cause that leans on the sum.
        let mut note = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO worked (project, what, place, sessions, ok, failed) VALUES (?1, ?2, ?3, 0, 0, 0)",
        )?;
        self.asked.into_inner().iter().try_for_each(|what| note.execute([project, what, cause]).map(drop))
    }
}

/// Adds what a session counts.
pub(crate) fn add(t: &Transaction<'_>, project: &str, tallies: &[Tally], at: Option<i64>) -> rusqlite::Result<()> {
    let mut insert = t.prepare_cached(
        "INSERT INTO worked (project, what, place, sessions, ok, failed, last) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET sessions = sessions + 1, ok = ok + excluded.ok, failed = failed + excluded.failed,
           last = max(coalesce(last, excluded.last), coalesce(excluded.last, last))",
    )?;
    for Tally { what, place, ok, failed } in rows(tallies) {
        insert.execute(params![project, what, place, ok, failed, at])?;
    }
    Ok(())
}

/// Takes away what a session counted.
pub(crate) fn take(t: &Transaction<'_>, project: &str, tallies: &[Tally]) -> rusqlite::Result<()> {
    let mut update = t.prepare_cached(
        "UPDATE worked SET sessions = sessions - 1, ok = ok - ?4, failed = failed - ?5
         WHERE project = ?1 AND what = ?2 AND place = ?3",
    )?;
    let mut delete =
        t.prepare_cached("DELETE FROM worked WHERE project = ?1 AND what = ?2 AND place = ?3 AND sessions <= 0")?;
    for Tally { what, place, ok, failed } in rows(tallies) {
        update.execute(params![project, what, place, ok, failed])?;
        delete.execute(params![project, what, place])?;
    }
    Ok(())
}

/// Marks the causes whose facts were made with these sums. Of files it only matters which places there are: one that was known
/// before changes nothing, but for who looked for it right there.
pub(crate) fn mark(t: &Transaction<'_>, project: &str, tallies: &[Tally]) -> rusqlite::Result<()> {
    let mut mark = t.prepare_cached(&format!(
        "INSERT OR IGNORE INTO unfolded (project, kind, key)
         SELECT project, 'fact', place FROM worked WHERE project = ?1 AND what = ?2 AND sessions = 0 AND (
           NOT ?4 OR instr(place, ?3) > 0
           OR NOT EXISTS (SELECT 1 FROM worked s WHERE s.project = ?1 AND s.what = ?2 AND s.place = ?3 AND s.sessions > 1)
           OR (SELECT count(*) FROM worked s WHERE s.project = ?1 AND s.what = ?2 AND s.sessions > 0) > {MOST})"
    ))?;
    rows(tallies).try_for_each(|Tally { what, place, .. }| {
        let of_files = what.starts_with("f:") || what.starts_with("d:");
        mark.execute(params![project, what, place, of_files]).map(drop)
    })?;
    // A skill that works in one project is not missing on the machine, of which others may have spoken.
    let mut used = tallies.iter().filter(|t| t.is_of_skill()).peekable();
    if used.peek().is_none() {
        return Ok(());
    }
    let mut elsewhere = t.prepare_cached(&format!(
        "INSERT OR IGNORE INTO unfolded (project, kind, key)
         SELECT w.project, 'fact', w.place FROM ({PROJECTS}) p CROSS JOIN worked w
         ON w.project = p.project AND w.what = ?2 AND w.sessions = 0 WHERE p.project <> ?1"
    ))?;
    used.try_for_each(|tally| elsewhere.execute(params![project, tally.what]).map(drop))
}

/// A file counts for its folder, too.
fn rows(tallies: &[Tally]) -> impl Iterator<Item = Tally> {
    tallies.iter().flat_map(|t| [Some(t.clone()), t.for_folder()]).flatten()
}

/// Adds up a project anew: sessions came to it or went in another way than by being read. Marks what was made with its sums.
pub(crate) fn count_again(t: &Transaction<'_>, project: &str) -> rusqlite::Result<()> {
    t.execute("DELETE FROM worked WHERE project = ?1 AND sessions > 0", [project])?;
    t.execute(
        "INSERT OR IGNORE INTO unfolded (project, kind, key)
         SELECT project, 'fact', place FROM worked WHERE project = ?1 AND sessions = 0",
        [project],
    )?;
    let mut query = t.prepare_cached(&format!(
        "SELECT {OBSERVATION} FROM observations WHERE project = ?1 AND kind = 'fact' AND detector = ?2"
    ))?;
    let mut all = query.query([project, TALLIES])?;
    while let Some(row) = all.next()? {
        if let Some(o) = observation_in(row)? {
            add(t, project, o.seen.worked(), o.head.at)?;
        }
    }
    Ok(())
}
