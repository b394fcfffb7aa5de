//! Observations, and folding them into lessons: only groups that changed are read again.
//!
//! Comes in: all that was seen in a session. Goes out: marks on the groups that changed, and their lessons. Deliberately
//! absent: the rules of the fold, which the caller brings.

use std::collections::{HashMap, HashSet};

use rusqlite::{Transaction, params};
use uptake_core::detect::{FAILURES, Kind, Observation, READER, TALLIES, Tally, WRITTEN_DOWN, WRITTEN_WHOLE};
use uptake_core::learn::facts::{Worked, may_be_causes};
use uptake_core::learn::{Lesson, RUNS, lesson_id};

use crate::Result;
use crate::body::{self, OBSERVATION, observation_for_fold, observation_in};
use crate::former::{Folded, insert_folded};
use crate::lessons::Lessons;
use crate::sessions::Moved;
use crate::worked;

/// What was seen in one session.
pub struct SeenIn<'o> {
    /// Its source.
    pub source: &'o str,
    /// Its id.
    pub session: &'o str,
    /// Its transcript: two files may carry one session id.
    pub path: &'o str,
    /// Its project.
    pub project: &'o str,
    /// All of it.
    pub observations: &'o [Observation],
}

/// The parts of a row that count as a change.
#[derive(PartialEq)]
struct ObservationRow {
    detector: String,
    kind: String,
    key: String,
    project: String,
    source: String,
    session: String,
    root: String,
    at: Option<i64>,
    body: String,
}

impl Lessons {
    /// Whether so many were seen, or more.
    pub fn has_observations(&self, count: usize) -> Result<bool> {
        let sql = "SELECT count(*) AS n FROM (SELECT 1 FROM observations LIMIT ?1)";
        let seen = self.db.rows(sql, [count as i64], |r| r.get::<_, i64>("n"))?;
        Ok(seen.first().is_some_and(|n| *n >= count as i64))
    }

    /// Replaces what was seen in these sessions, all or none. What a reader saw stays: it is not seen again.
    pub fn keep_observations(&mut self, sessions: &[SeenIn<'_>]) -> Result<()> {
        self.db.write(|t| {
            count_seen(t)?;
            sessions.iter().try_for_each(|seen| replace(t, seen))
        })
    }

    /// What is kept of a file, in the order of ids: project and observation.
    pub fn kept_of(&self, path: &str) -> Result<Vec<(String, Observation)>> {
        let sql = format!("SELECT {OBSERVATION}, project FROM observations WHERE {OF_PATH} ORDER BY id");
        let rows = self.db.rows(&sql, [path], |r| Ok((r.get("project")?, observation_in(r)?)))?;
        Ok(rows.into_iter().filter_map(|(project, o)| Some((project, o?))).collect())
    }

    /// Moves what was seen in sessions whose project became known.
    pub fn move_observations(&mut self, moved: &[Moved]) -> Result<()> {
        self.db.write(|t| {
            for m in moved {
                for project in [&m.from, &m.to] {
                    t.prepare_cached(&format!(
                        "{MARK} WHERE {END_OF_SESSION} = substr(?3, -12) AND o.source = ?2 AND o.session = ?3"
                    ))?
                    .execute(params![project, m.source, m.session])?;
                }
                t.prepare_cached(&format!(
                    "UPDATE observations SET project = ?3
                     WHERE {END_OF_SESSION} = substr(?2, -12) AND source = ?1 AND session = ?2"
                ))?
                .execute(params![m.source, m.session, m.to])?;
                keep_rejected(t, &m.from, &m.to)?;
            }
            Ok(())
        })
    }

    /// Projects with observations that are not folded yet, also of a run that was cut short.
    pub fn unfolded(&self) -> Result<Vec<String>> {
        self.db.rows("SELECT DISTINCT project FROM unfolded ORDER BY project", [], |r| r.get(0))
    }

    /// Marks everything to be folded again if the rules of the fold changed.
    pub fn mark_all_if_rules_changed(&mut self, rules: &str) -> Result<()> {
        let noted = self.db.rows("SELECT value FROM notes WHERE name = 'fold'", [], |r| r.get::<_, String>(0))?;
        if noted.first().is_some_and(|n| n == rules) {
            return Ok(());
        }
        self.db.write(|t| {
            // Tallies are added up as they come: no rule of the fold is in their sums.
            t.execute(&format!("{} WHERE o.detector <> '{TALLIES}'", MARK.replace("?1", "o.project")), [])?;
            t.execute("INSERT OR REPLACE INTO notes (name, value) VALUES ('fold', ?1)", [rules]).map(drop)
        })
    }

    /// Folds what changed in a project, in one transaction: what another process adds meanwhile is never lost. `fold`
    /// gets the observations of one group at a time.
    pub fn refold(&mut self, project: &str, mut fold: impl FnMut(&[Observation]) -> Vec<Lesson>) -> Result<()> {
        self.refold_with_former_ids(project, |seen, _| fold(seen).into_iter().map(Folded::from).collect())
    }

    /// The same for lessons that may have had other keys.
    pub fn refold_with_former_ids(
        &mut self,
        project: &str,
        mut fold: impl FnMut(&[Observation], &Worked<'_>) -> Vec<Folded>,
    ) -> Result<()> {
        self.refold_projects(&[project.to_owned()], |_, seen, worked| fold(seen, worked))
    }

    /// The same for several projects: the disk is waited for once. `fold` gets the project, too.
    pub fn refold_projects(
        &mut self,
        projects: &[String],
        mut fold: impl FnMut(&str, &[Observation], &Worked<'_>) -> Vec<Folded>,
    ) -> Result<()> {
        self.db.write(|t| refold_each(t, projects, &mut fold))
    }
}

pub(crate) fn refold_each(
    t: &Transaction<'_>,
    projects: &[String],
    mut fold: impl FnMut(&str, &[Observation], &Worked<'_>) -> Vec<Folded>,
) -> rusqlite::Result<()> {
    for project in projects {
        // What holds on a machine is folded over all projects.
        if !is_machine(project) {
            refold(t, project, |seen, worked| fold(project, seen, worked))?;
        }
        t.prepare_cached("DELETE FROM unfolded WHERE project = ?1")?.execute([project])?;
    }
    Ok(())
}

/// Folds what is marked in a project.
fn refold(
    t: &Transaction<'_>,
    project: &str,
    mut fold: impl FnMut(&[Observation], &Worked<'_>) -> Vec<Folded>,
) -> rusqlite::Result<()> {
    let mut groups = marked(t, project)?;
    if groups.iter().any(|(_, key)| key == TALLIES) {
        worked::count_again(t, project)?;
        groups = marked(t, project)?;
    }
    if groups.iter().any(|(_, key)| key == WRITTEN_WHOLE) {
        t.prepare_cached(&format!("{MARK} WHERE o.project = ?1 AND o.kind = ?2 AND o.detector = ?3"))?.execute([
            project,
            Kind::Instruction.as_str(),
            WRITTEN_DOWN,
        ])?;
        groups = marked(t, project)?;
    }
    let mut whole: Option<Vec<Observation>> = None;
    // All rows go before the first one comes: a lesson may come under the id of another group.
    let is_fact = |kind: &str| kind == Kind::Fact.as_str();
    drop_facts(t, project, &groups.iter().filter(|(kind, _)| is_fact(kind)).map(|(_, key)| key.as_str()).collect())?;
    for (kind, key) in groups.iter().filter(|(kind, _)| !is_fact(kind)) {
        Kind::parse(kind).map_or(Ok(()), |kind| drop_lessons(t, project, kind, key))?;
    }
    for (kind, key) in groups.iter().filter(|(_, key)| key != TALLIES) {
        let mut all = group(t, project, kind, key)?;
        // What files say that were written whole ends notes.
        if key != WRITTEN_WHOLE && all.iter().any(|o| o.head.detector == WRITTEN_DOWN) {
            if whole.is_none() {
                whole = Some(group(t, project, kind, WRITTEN_WHOLE)?);
            }
            all.extend(whole.iter().flatten().cloned());
        }
        fold_group(t, project, key, &all, &mut fold)?;
    }
    Ok(())
}

/// The groups that are marked in a project.
fn marked(t: &Transaction<'_>, project: &str) -> rusqlite::Result<Vec<(String, String)>> {
    t.prepare_cached("SELECT kind, key FROM unfolded WHERE project = ?1")?
        .query_map([project], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect()
}

/// Folds one group, and notes what its facts lean on. Its former lessons are gone.
pub(crate) fn fold_group(
    t: &Transaction<'_>,
    project: &str,
    key: &str,
    group: &[Observation],
    mut fold: impl FnMut(&[Observation], &Worked<'_>) -> Vec<Folded>,
) -> rusqlite::Result<()> {
    let known = worked::Lookup::in_project(t, project);
    let folded = fold(group, &|what| known.get(what));
    known.note_for(project, key)?;
    folded.iter().try_for_each(|l| insert_folded(t, l))
}

/// The journal hears of it, too, when something is seen: should the database lose this, that is how it is known.
pub(crate) fn count_seen(t: &Transaction<'_>) -> rusqlite::Result<()> {
    let more = "INSERT INTO notes (name, value) VALUES ('seen', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1";
    t.execute(more, []).map(drop)
}

/// Which observations are of the file `?1`. The index holds only the ends of paths, which differ most.
pub(crate) const OF_PATH: &str = "substr(path, -24) = substr(?1, -24) AND path = ?1";
/// Which observations are of the key `?3`, but for runs.
pub(crate) const OF_KEY: &str =
    "substr(key, 1, 16) = substr(?3, 1, 16) AND substr(key, -16) = substr(?3, -16) AND key = ?3
    AND detector <> 'multi-step'";
/// What the index of sessions holds.
const END_OF_SESSION: &str = "substr(session, -12)";

/// All projects: from one to the next in the index, without looking at each observation.
pub(crate) const PROJECTS: &str = "WITH RECURSIVE known (project) AS (
      SELECT min(project) FROM observations
      UNION ALL SELECT (SELECT min(project) FROM observations WHERE project > known.project) FROM known
        WHERE known.project IS NOT NULL)
    SELECT project FROM known WHERE project IS NOT NULL";

/// The key under which a row is folded, as SQL: runs are looked at together, and facts of one cause.
pub(crate) fn folded_under(detector: &str, key: &str) -> String {
    format!(
        "CASE {detector} WHEN '{RUNS}' THEN ''
           WHEN '{FAILURES}' THEN substr({key}, 1, instr({key} || ' → ', ' → ') - 1) ELSE {key} END"
    )
}

/// The rank of a fact that was approved and no longer follows from what was seen.
pub(crate) const FADED: f64 = -1.0;

/// Marks the groups of observations as not folded, under the project given.
const MARK: &str = "INSERT OR IGNORE INTO unfolded (project, kind, key)
    SELECT DISTINCT ?1, o.kind, CASE o.detector WHEN 'multi-step' THEN '' ELSE o.key END FROM observations o";

/// Marks what changed. Tallies are counted at once, and what was made with the sums is marked with them.
fn mark(t: &Transaction<'_>, row: &ObservationRow, tallies: &[Tally]) -> rusqlite::Result<()> {
    if row.detector == TALLIES {
        return worked::mark(t, &row.project, tallies);
    }
    let key = if row.detector == RUNS { "" } else { &row.key };
    t.prepare_cached("INSERT OR IGNORE INTO unfolded (project, kind, key) VALUES (?1, ?2, ?3)")?
        .execute(params![row.project, row.kind, key])
        .map(drop)
}

impl ObservationRow {
    fn of(o: &Observation, seen: &SeenIn<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            detector: o.head.detector.clone().into_owned(),
            kind: o.claim.kind.as_str().to_owned(),
            key: o.claim.key.clone(),
            project: seen.project.to_owned(),
            source: seen.source.to_owned(),
            session: seen.session.to_owned(),
            root: body::root_column(o).to_owned(),
            at: o.head.at,
            body: body::of_observation(o, seen.source, seen.session)?,
        })
    }

    /// What it counts, if it counts something.
    fn tallies(&self) -> Vec<Tally> {
        if self.detector == TALLIES { body::tallies(&self.body) } else { Vec::new() }
    }
}

/// Writes only what differs, and marks only its groups: most of a session that grew is unchanged.
fn replace(t: &Transaction<'_>, seen: &SeenIn<'_>) -> rusqlite::Result<()> {
    let mut old = rows_of(t, seen.path)?;
    for o in seen.observations {
        let row = ObservationRow::of(o, seen)?;
        match old.remove(&o.head.id) {
            Some(was) if was == row => continue,
            Some(was) => {
                unmake(t, &was)?;
                t.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([&o.head.id])?;
            }
            None => {}
        }
        insert(t, seen, o, &row)?;
    }
    for (id, was) in &old {
        unmake(t, was)?;
        t.prepare_cached("DELETE FROM observations WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

/// Takes away what a row counts, and marks its group.
fn unmake(t: &Transaction<'_>, was: &ObservationRow) -> rusqlite::Result<()> {
    let tallies = was.tallies();
    worked::take(t, &was.project, &tallies)?;
    mark(t, was, &tallies)
}

fn rows_of(t: &Transaction<'_>, path: &str) -> rusqlite::Result<HashMap<String, ObservationRow>> {
    t.prepare_cached(&format!(
        "SELECT project, {OBSERVATION} FROM observations WHERE {OF_PATH} AND detector <> '{READER}'"
    ))?
    .query_map([path], |r| {
        let row = ObservationRow {
            detector: r.get("detector")?,
            kind: r.get("kind")?,
            key: r.get("key")?,
            project: r.get("project")?,
            source: r.get("source")?,
            session: r.get("session")?,
            root: r.get("root")?,
            at: r.get("at")?,
            body: r.get("body")?,
        };
        Ok((r.get("id")?, row))
    })?
    .collect()
}

/// Adds what was seen in a session to what is there.
pub(crate) fn add(t: &Transaction<'_>, seen: &SeenIn<'_>, o: &Observation) -> rusqlite::Result<()> {
    insert(t, seen, o, &ObservationRow::of(o, seen)?)
}

fn insert(t: &Transaction<'_>, seen: &SeenIn<'_>, o: &Observation, row: &ObservationRow) -> rusqlite::Result<()> {
    // A fork sees again what its root saw: the first one stays.
    let new = t
        .prepare_cached(
            "INSERT OR IGNORE INTO observations (id, detector, kind, key, project, source, session, path, root, at, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            o.head.id,
            row.detector,
            row.kind,
            row.key,
            row.project,
            row.source,
            row.session,
            seen.path,
            row.root,
            row.at,
            row.body
        ])?;
    if new == 0 {
        return Ok(());
    }
    worked::add(t, &row.project, o.seen.worked(), row.at)?;
    mark(t, row, o.seen.worked())
}

pub(crate) fn group(t: &Transaction<'_>, project: &str, kind: &str, key: &str) -> rusqlite::Result<Vec<Observation>> {
    let (and, key) = if key.is_empty() { ("detector = ?3", RUNS) } else { (OF_KEY, key) };
    let mut query = t.prepare_cached(&format!(
        "SELECT {OBSERVATION} FROM observations WHERE project = ?1 AND kind = ?2 AND {and}"
    ))?;
    let rows = query.query_map([project, kind, key], observation_for_fold)?.collect::<rusqlite::Result<Vec<_>>>()?;
    // Sorted here: SQLite would carry whole rows through its sort.
    let mut all: Vec<Observation> = rows.into_iter().flatten().collect();
    all.sort_unstable_by(|a, b| a.head.id.cmp(&b.head.id));
    Ok(all)
}

/// Whether a project's key is that of a machine.
pub(crate) fn is_machine(project: &str) -> bool {
    project.starts_with("machine:")
}

/// What a person approved stays, whatever is seen.
const OPEN: &str = "NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.lesson = lessons.id AND v.verdict = 'approved')";

/// Drops the lessons of groups of a project, but for facts.
fn drop_lessons(t: &Transaction<'_>, project: &str, kind: Kind, key: &str) -> rusqlite::Result<()> {
    if key.is_empty() {
        t.prepare_cached(&format!("DELETE FROM lessons WHERE project = ?1 AND kind = ?2 AND detector = ?3 AND {OPEN}"))?
            .execute(params![project, kind.as_str(), RUNS])
    } else {
        t.prepare_cached(&format!("DELETE FROM lessons WHERE id = ?1 AND {OPEN}"))?
            .execute([lesson_id(kind, key, project)])
    }
    .map(drop)
}

/// Drops what is known of these causes in a project. What was approved, but no longer follows from what was seen, is not
/// told any more. All facts are looked through once: no index knows their keys.
pub(crate) fn drop_facts(t: &Transaction<'_>, project: &str, causes: &HashSet<&str>) -> rusqlite::Result<()> {
    if causes.is_empty() {
        return Ok(());
    }
    let known: Vec<(i64, String)> = t
        .prepare_cached("SELECT rowid, key FROM lessons WHERE project = ?1 AND kind = 'fact'")?
        .query_map([project], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (row, _) in known.iter().filter(|(_, key)| may_be_causes(key).any(|cause| causes.contains(cause))) {
        let gone = t.prepare_cached(&format!("DELETE FROM lessons WHERE rowid = ?1 AND {OPEN}"))?.execute([row])?;
        if gone == 0 {
            t.prepare_cached(&format!("UPDATE lessons SET ready = FALSE, rank = {FADED} WHERE rowid = ?1"))?
                .execute([row])?;
        }
    }
    Ok(())
}

/// What was rejected under a project's old name stays rejected under its new one. An approval does not move along: the
/// project is part of what was approved.
pub(crate) fn keep_rejected(t: &Transaction<'_>, from: &str, to: &str) -> rusqlite::Result<()> {
    let mut query = t.prepare_cached(
        "SELECT l.kind, l.key, v.sha256, v.at FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.project = ?1 AND v.verdict IN ('rejected', 'superseded')",
    )?;
    let rejected: Vec<(String, String, String, i64)> = query
        .query_map([from], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (kind, key, sha, at) in rejected {
        let Some(kind) = Kind::parse(&kind) else { continue };
        t.prepare_cached(
            "INSERT OR IGNORE INTO verdicts (lesson, verdict, sha256, at) VALUES (?1, 'rejected', ?2, ?3)",
        )?
        .execute(params![lesson_id(kind, &key, to), sha, at])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How SQLite answers a question: one line per table.
    fn plan(lessons: &Lessons, sql: &str) -> Vec<String> {
        lessons.db.rows(&format!("EXPLAIN QUERY PLAN {sql}"), [], |r| r.get("detail")).expect("a plan")
    }

    #[test]
    fn lists_and_counts_do_not_read_the_lessons() {
        let home = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(home.path()).expect("a store");
        let from = "FROM lessons l INDEXED BY lessons_in_order LEFT JOIN verdicts v ON v.lesson = l.id";
        let columns = "l.id, l.project, l.detector, l.rank, l.last_seen, l.grounded, l.ready, substr(l.sha256, 1, 8)";
        for which in ["", "WHERE l.project = 'p'"] {
            let plan = plan(&lessons, &format!("SELECT {columns}, v.verdict {from} {which}"));
            assert!(plan.iter().any(|line| line.contains("USING COVERING INDEX lessons_in_order")), "{plan:?}");
            assert!(plan.iter().any(|line| line.starts_with("SEARCH v")), "{plan:?}");
        }
    }

    #[test]
    fn what_is_asked_for_each_file_session_and_key_is_found_by_an_index() {
        let home = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(home.path()).expect("a store");
        let of = |which: &str| format!("SELECT {OBSERVATION} FROM observations WHERE {which}").replace('?', "'x'||");
        for (which, index) in [
            (of(OF_PATH), "observations_by_path"),
            (of(&format!("{END_OF_SESSION} = substr(?3, -12) AND session = ?3")), "observations_by_session"),
            (
                of(&format!("project = ?1 AND kind = ?2 AND {OF_KEY}")),
                "observations_by_project (project=? AND kind=? AND <expr>=? AND <expr>=?)",
            ),
            (of("project = ?1 AND kind = ?2 AND detector = ?3"), "observations_by_project (project=? AND kind=?)"),
            ("SELECT path FROM artifacts WHERE lesson = 'x' ORDER BY path".to_owned(), "artifacts_by_lesson"),
        ] {
            let plan = plan(&lessons, &which);
            assert!(plan.iter().any(|line| line.contains(index)), "{which}: {plan:?}");
            assert!(!plan.iter().any(|line| line.contains("SCAN")), "{which}: {plan:?}");
        }
    }
}
