//! Clearing away what was learned, with the way back; and throwing out what nobody can read any more.

use std::collections::HashSet;

use rusqlite::{Transaction, named_params, params};
use uptake_core::learn::Lesson;

use crate::Result;
use crate::body::{LESSON, OBSERVATION, lesson_in, observation_in};
use crate::ledger::{self, Action};
use crate::lessons::Lessons;
use crate::observations::folded_under;
use crate::tables::{self, OnClear, Table};

/// SQL for the bytes of lessons that were cleared away; what their id must be is to follow.
pub(crate) fn cleared_body() -> Option<String> {
    let table = tables::put_away("lessons")?;
    let (body, id) = (table.in_row("body"), table.in_row("id"));
    Some(format!("SELECT {body} FROM cleared WHERE tbl = '{}' AND {id}", table.name))
}

/// What cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flawed {
    /// Ids of lessons.
    pub lessons: Vec<String>,
    /// Ids of observations.
    pub observations: Vec<String>,
    /// Rows that belong to nothing.
    pub orphans: usize,
}

impl Flawed {
    /// How much it is.
    pub fn count(&self) -> usize {
        self.lessons.len() + self.observations.len() + self.orphans
    }
}

impl Lessons {
    /// Clears away all lessons and observations, of a project or of all; what was rejected stays rejected. Answers the
    /// number of the change and how many lessons it was.
    pub fn clear(&mut self, project: Option<&str>, at: i64) -> Result<(i64, usize)> {
        self.db.write(|t| {
            let change = ledger::note(t, Action::Cleared, project.unwrap_or("everything"), at)?;
            let mut lessons = 0;
            for table in tables::of_lessons() {
                let gone = clear_table(t, change, table, project)?;
                lessons += if table.name == "lessons" { gone } else { 0 };
            }
            Ok((change, lessons))
        })
    }

    /// Transcripts whose observations were cleared away and can come back. Until then nothing new is seen in them.
    pub fn cleared_paths(&self) -> Result<HashSet<String>> {
        let Some(table) = tables::put_away("observations") else { return Ok(HashSet::new()) };
        let sql = format!("SELECT DISTINCT {} AS path FROM cleared WHERE tbl = ?1", table.in_row("path"));
        Ok(self.db.rows(&sql, [table.name], |r| r.get("path"))?.into_iter().collect())
    }

    /// What cannot be read any more.
    pub fn flawed(&self) -> Result<Flawed> {
        let lessons = self.db.rows(&format!("SELECT {LESSON} FROM lessons l"), [], |r| {
            Ok(if lesson_in(r)?.is_none() { Some(r.get("id")?) } else { None })
        })?;
        let observations = self.db.rows(&format!("SELECT {OBSERVATION} FROM observations"), [], |r| {
            Ok(if observation_in(r)?.is_none() { Some(r.get("id")?) } else { None })
        })?;
        let counts = ORPHANS.map(|rows| format!("(SELECT count(*) FROM {rows})")).join(" + ");
        let orphans = self.db.rows(&format!("SELECT {counts} AS orphans"), [], |r| r.get::<_, i64>("orphans"))?;
        Ok(Flawed {
            lessons: lessons.into_iter().flatten().collect(),
            observations: observations.into_iter().flatten().collect(),
            orphans: usize::try_from(orphans.first().copied().unwrap_or(0)).unwrap_or(0),
        })
    }

    /// Throws out what cannot be read. What observations still support is folded again.
    pub fn purge(&mut self, flawed: &Flawed) -> Result<()> {
        self.db.write(|t| {
            for id in &flawed.observations {
                t.execute("DELETE FROM observations WHERE id = ?1", [id])?;
            }
            for id in &flawed.lessons {
                ledger::mark(t, id)?;
                t.execute("DELETE FROM lessons WHERE id = ?1", [id])?;
            }
            ORPHANS.iter().try_for_each(|rows| t.execute(&format!("DELETE FROM {rows}"), []).map(drop))
        })
    }
}

/// Rows that belong to nothing: of lessons that are not there, and of kinds nobody knows.
const ORPHANS: [&str; 2] = [
    "triggers WHERE lesson NOT IN (SELECT id FROM lessons)",
    "unfolded WHERE kind NOT IN ('recovery', 'correction', 'instruction', 'procedure', 'pitfall', 'decision', 'workflow', 'insight')",
];

/// Clears one table, of a project or of all. Answers how many rows went.
fn clear_table(t: &Transaction<'_>, change: i64, table: &Table, project: Option<&str>) -> rusqlite::Result<usize> {
    let stays = match table.clear {
        OnClear::PutAway | OnClear::Drop => "FALSE",
        OnClear::PutAwayUnless(stays) => stays,
        OnClear::Stays => return Ok(0),
    };
    let rows = format!("{} WHERE NOT ({stays}) AND (:project IS NULL OR {})", table.name, table.of_project());
    if table.is_put_away() {
        put_away(t, table, &rows, named_params! { ":change": change, ":project": project })?;
    }
    t.execute(&format!("DELETE FROM {rows}"), named_params! { ":project": project })
}

/// Puts rows of a table away, whole.
fn put_away(
    t: &Transaction<'_>,
    table: &Table,
    rows: &str,
    params: &[(&str, &dyn rusqlite::ToSql)],
) -> rusqlite::Result<()> {
    let (name, columns) = (table.name, table.list());
    let sql =
        format!("INSERT INTO cleared (change, tbl, row) SELECT :change, '{name}', json_array({columns}) FROM {rows}");
    t.execute(&sql, params).map(drop)
}

/// Puts one lesson's rows away, as if it were cleared.
pub(crate) fn put_away_lesson(t: &Transaction<'_>, change: i64, lesson: &str) -> rusqlite::Result<()> {
    for table in tables::of_lessons().filter(|t| t.is_put_away()) {
        let Some(id) = table.lesson else { continue };
        let rows = format!("{} WHERE {id} = :lesson", table.name);
        put_away(t, table, &rows, named_params! { ":change": change, ":lesson": lesson })?;
        t.execute(&format!("DELETE FROM {rows}"), named_params! { ":lesson": lesson })?;
    }
    Ok(())
}

/// Puts a lesson's words away, and leaves what was said of it.
pub(crate) fn put_away_words(t: &Transaction<'_>, change: i64, lesson: &str) -> rusqlite::Result<()> {
    let Some(table) = tables::put_away("lessons") else { return Ok(()) };
    put_away(t, table, "lessons WHERE id = :lesson", named_params! { ":change": change, ":lesson": lesson })?;
    t.execute("DELETE FROM lessons WHERE id = ?1", [lesson]).map(drop)
}

/// Puts back what a change cleared away. What came since stays as it is.
pub(crate) fn put_back(t: &Transaction<'_>, change: i64) -> rusqlite::Result<()> {
    for table in tables::of_lessons().filter(|t| t.is_put_away()) {
        let values: Vec<String> = table.columns.iter().map(|c| table.in_row(c)).collect();
        let sql = format!(
            "INSERT OR IGNORE INTO {} ({}) SELECT {} FROM cleared WHERE change = ?1 AND tbl = ?2",
            table.name,
            table.list(),
            values.join(", "),
        );
        t.execute(&sql, params![change, table.name])?;
    }
    // Both are folded again: they may have been marked when they were cleared away.
    for table in ["observations", "lessons"].into_iter().filter_map(tables::put_away) {
        let [project, kind, key, detector] = ["project", "kind", "key", "detector"].map(|c| table.in_row(c));
        let under = folded_under(&detector, &key);
        let sql = format!(
            "INSERT OR IGNORE INTO unfolded (project, kind, key)
             SELECT {project}, {kind}, {under} FROM cleared WHERE change = ?1 AND tbl = ?2"
        );
        t.execute(&sql, params![change, table.name])?;
    }
    t.execute("DELETE FROM cleared WHERE change = ?1", [change]).map(drop)
}

/// Forgets a lesson also in what was cleared away.
pub(crate) fn forget_cleared(t: &Transaction<'_>, lesson: &Lesson, keys: &[String]) -> rusqlite::Result<()> {
    if let Some(table) = tables::put_away("observations") {
        let [id, kind, key] = ["id", "kind", "key"].map(|c| table.in_row(c));
        for former in keys {
            let sql = format!("DELETE FROM cleared WHERE tbl = ?1 AND {kind} = ?2 AND {key} = ?3");
            t.execute(&sql, params![table.name, lesson.kind.as_str(), former])?;
        }
        for sighting in &lesson.evidence.sightings {
            let sql = format!("DELETE FROM cleared WHERE tbl = ?1 AND {id} = ?2");
            t.execute(&sql, params![table.name, sighting.observation])?;
        }
    }
    let quoted = format!("\"{}\"", lesson.id);
    t.execute("DELETE FROM cleared WHERE tbl <> 'observations' AND instr(row, ?1)", [quoted]).map(drop)
}
