//! Clearing away what was learned, with the way back; and throwing out what nobody can read any more.

use rusqlite::{Transaction, params};
use uptake_core::detect::Observation;
use uptake_core::learn::Lesson;

use crate::Result;
use crate::ledger;
use crate::lessons::Lessons;

/// A table that is cleared: its columns, and which rows belong to a project.
struct Cleared {
    name: &'static str,
    columns: &'static [&'static str],
    of_project: &'static str,
    /// Rows that stay in any case.
    stays: &'static str,
}

const OF_LESSONS: &str = "lesson IN (SELECT id FROM lessons WHERE project = ?2)";

/// In the order in which they are emptied: lessons last, the others are found by them. What was rejected stays so.
const TABLES: &[Cleared] = &[
    Cleared {
        name: "verdicts",
        columns: &["lesson", "verdict", "sha256", "at", "until", "by"],
        of_project: OF_LESSONS,
        stays: "verdict = 'rejected'",
    },
    Cleared { name: "deletions", columns: &["lesson", "at"], of_project: OF_LESSONS, stays: "FALSE" },
    Cleared {
        name: "triggers",
        columns: &["program", "error", "project", "lesson"],
        of_project: "project = ?2",
        stays: "FALSE",
    },
    Cleared { name: "artifacts", columns: &["path", "lesson", "sha256", "at"], of_project: OF_LESSONS, stays: "FALSE" },
    Cleared {
        name: "observations",
        columns: &["id", "detector", "kind", "key", "project", "source", "session", "path", "root", "at", "body"],
        of_project: "project = ?2",
        stays: "FALSE",
    },
    Cleared {
        name: "lessons",
        columns: &[
            "id",
            "project",
            "kind",
            "key",
            "name",
            "body",
            "sha256",
            "sessions",
            "days",
            "first_seen",
            "last_seen",
            "ready",
            "rank",
            "detector",
        ],
        of_project: "project = ?2",
        stays: "FALSE",
    },
];

/// The bytes of lessons that were cleared away, by their id; a test holds it to the columns above.
pub(crate) const CLEARED_BODY: &str =
    "SELECT c.row ->> '$[5]' FROM cleared c WHERE c.tbl = 'lessons' AND c.row ->> '$[0]'";

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
            let change = ledger::note(t, "cleared", project.unwrap_or("everything"), at)?;
            let mut lessons = 0;
            for table in TABLES {
                put_away(t, change, table, project)?;
                // The last table is that of the lessons.
                let of_project = table.of_project.replace("?2", "?1");
                lessons = t.execute(
                    &format!("DELETE FROM {} WHERE NOT ({}) AND (?1 IS NULL OR {of_project})", table.name, table.stays),
                    [project],
                )?;
            }
            t.execute("DELETE FROM unfolded WHERE ?1 IS NULL OR project = ?1", [project])?;
            Ok((change, lessons))
        })
    }

    /// What cannot be read any more.
    pub fn flawed(&self) -> Result<Flawed> {
        let row = |r: &rusqlite::Row<'_>| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?));
        let unread = |rows: Vec<(String, String)>, sound: fn(&str) -> bool| -> Vec<String> {
            rows.into_iter().filter(|(_, body)| !sound(body)).map(|(id, _)| id).collect()
        };
        let lessons = self.db.rows("SELECT id, CAST(body AS TEXT) FROM lessons", [], row)?;
        let observations = self.db.rows("SELECT id, CAST(body AS TEXT) FROM observations", [], row)?;
        let orphans =
            self.db.rows(&format!("SELECT {}", ORPHANS.map(|(_, s)| format!("({s})")).join(" + ")), [], |r| {
                r.get::<_, i64>(0)
            })?;
        Ok(Flawed {
            lessons: unread(lessons, |body| serde_json::from_str::<Lesson>(body).is_ok()),
            observations: unread(observations, |body| serde_json::from_str::<Observation>(body).is_ok()),
            orphans: usize::try_from(orphans.first().copied().unwrap_or(0)).unwrap_or(0),
        })
    }

    /// Throws out what cannot be read; what can be added up anew is.
    pub fn purge(&mut self, flawed: &Flawed) -> Result<()> {
        self.db.write(|t| {
            for id in &flawed.observations {
                t.execute("DELETE FROM observations WHERE id = ?1", [id])?;
            }
            for id in &flawed.lessons {
                ledger::mark(t, id)?;
                t.execute("DELETE FROM lessons WHERE id = ?1", [id])?;
            }
            ORPHANS.iter().try_for_each(|(delete, _)| t.execute(delete, []).map(drop))
        })
    }
}

/// Rows of lessons that are not there: how they are thrown out, and how they are counted.
const ORPHANS: [(&str, &str); 2] = [
    (
        "DELETE FROM triggers WHERE lesson NOT IN (SELECT id FROM lessons)",
        "SELECT count(*) FROM triggers WHERE lesson NOT IN (SELECT id FROM lessons)",
    ),
    (
        "DELETE FROM unfolded WHERE kind NOT IN ('recovery', 'correction', 'instruction', 'procedure', 'pitfall', 'decision', 'workflow', 'insight')",
        "SELECT count(*) FROM unfolded WHERE kind NOT IN ('recovery', 'correction', 'instruction', 'procedure', 'pitfall', 'decision', 'workflow', 'insight')",
    ),
];

fn put_away(t: &Transaction<'_>, change: i64, table: &Cleared, project: Option<&str>) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO cleared (change, tbl, row) SELECT ?1, '{}', json_array({}) FROM {} WHERE NOT ({}) AND (?2 IS NULL OR {})",
        table.name,
        table.columns.join(", "),
        table.name,
        table.stays,
        table.of_project
    );
    t.execute(&sql, params![change, project]).map(drop)
}

/// Puts one lesson's rows away, as if it were cleared.
pub(crate) fn put_away_lesson(t: &Transaction<'_>, change: i64, lesson: &str) -> rusqlite::Result<()> {
    for table in TABLES.iter().filter(|t| t.name != "observations") {
        let id = if table.name == "lessons" { "id" } else { "lesson" };
        let sql = format!(
            "INSERT INTO cleared (change, tbl, row) SELECT ?1, '{}', json_array({}) FROM {} WHERE {id} = ?2",
            table.name,
            table.columns.join(", "),
            table.name
        );
        t.execute(&sql, params![change, lesson])?;
        t.execute(&format!("DELETE FROM {} WHERE {id} = ?1", table.name), [lesson])?;
    }
    Ok(())
}

/// Puts back what a change cleared away. What came since stays as it is.
pub(crate) fn put_back(t: &Transaction<'_>, change: i64) -> rusqlite::Result<()> {
    for table in TABLES {
        let values: Vec<String> = (0..table.columns.len()).map(|n| format!("json_extract(row, '$[{n}]')")).collect();
        let sql = format!(
            "INSERT OR IGNORE INTO {} ({}) SELECT {} FROM cleared WHERE change = ?1 AND tbl = '{}'",
            table.name,
            table.columns.join(", "),
            values.join(", "),
            table.name
        );
        t.execute(&sql, [change])?;
    }
    // Both are added up anew: something may have been open when it was cleared away.
    for (table, project, detector) in [("observations", 4, 1), ("lessons", 1, 13)] {
        t.execute(
            &format!(
                "INSERT OR IGNORE INTO unfolded (project, kind, key)
                 SELECT json_extract(row, '$[{project}]'), json_extract(row, '$[2]'),
                        CASE json_extract(row, '$[{detector}]') WHEN 'multi-step' THEN '' ELSE json_extract(row, '$[3]') END
                 FROM cleared WHERE change = ?1 AND tbl = '{table}'"
            ),
            [change],
        )?;
    }
    t.execute("DELETE FROM cleared WHERE change = ?1", [change]).map(drop)
}

/// Forgets a lesson also in what was cleared away.
pub(crate) fn forget_cleared(t: &Transaction<'_>, lesson: &Lesson) -> rusqlite::Result<()> {
    let observation = "DELETE FROM cleared WHERE tbl = 'observations' AND";
    t.execute(
        &format!("{observation} json_extract(row, '$[2]') = ?1 AND json_extract(row, '$[3]') = ?2"),
        params![lesson.kind.as_str(), lesson.key],
    )?;
    for evidence in &lesson.evidence {
        t.execute(&format!("{observation} json_extract(row, '$[0]') = ?1"), [&evidence.observation])?;
    }
    t.execute("DELETE FROM cleared WHERE tbl <> 'observations' AND instr(row, ?1)", [format!("\"{}\"", lesson.id)])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cleared_lesson_keeps_its_id_and_its_bytes_where_they_are_looked_for() {
        let lessons = TABLES.iter().find(|t| t.name == "lessons").map(|t| (t.columns[0], t.columns[5]));
        assert_eq!(lessons, Some(("id", "body")));
        assert!(CLEARED_BODY.contains("'$[5]'") && CLEARED_BODY.ends_with("'$[0]'"));
    }
}
