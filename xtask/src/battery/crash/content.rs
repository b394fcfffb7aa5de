//! What a data folder holds: rows, and files by name.
#![expect(clippy::disallowed_methods, reason = "compares what is in our databases, row by row")]

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use uptake_store::spool;

use crate::battery::world::files;

/// Rows whose loss is the loss of something that was acknowledged.
const ACKNOWLEDGED: &[&str] =
    &["seen", "verdicts", "triggers", "approved", "artifacts", "ledger", "tombstones", "heard"];
/// Rows that a decision changes, all or none. Not files it writes first: those are compared in the end.
const DECIDED: &[&str] = &["observations", "lessons", "verdicts", "triggers", "ledger", "tombstones"];

/// What is compared. Without times of this run, and without numbers that only tell rows apart.
const TABLES: &[(&str, &str, &str)] = &[
    ("lessons.db", "seen", "SELECT id FROM observations"),
    (
        "lessons.db",
        "observations",
        "SELECT id, detector, kind, key, project, source, session, path, root, at, body FROM observations",
    ),
    (
        "lessons.db",
        "lessons",
        "SELECT id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank FROM lessons",
    ),
    (
        "lessons.db",
        "approved",
        "SELECT l.id, l.body, v.sha256 FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE v.verdict = 'approved'",
    ),
    ("lessons.db", "verdicts", "SELECT lesson, verdict, sha256, until FROM verdicts"),
    ("lessons.db", "triggers", "SELECT program, error, project, lesson FROM triggers"),
    ("lessons.db", "artifacts", "SELECT path, lesson, sha256 FROM artifacts"),
    (
        "lessons.db",
        "in use",
        "SELECT a.lesson, a.path FROM artifacts a JOIN verdicts v ON v.lesson = a.lesson
         WHERE v.verdict = 'approved' AND a.at > 0",
    ),
    ("lessons.db", "ledger", "SELECT DISTINCT action, lesson, undone IS NULL FROM ledger"),
    ("lessons.db", "tombstones", "SELECT count(*) FROM tombstones"),
    ("lessons.db", "unfolded", "SELECT project FROM unfolded"),
    ("lessons.db", "trials", "SELECT id, lesson, source, session, moment, at FROM trials"),
    ("sessions.db", "transcripts", "SELECT path, size, modified, resume_at, print FROM transcripts"),
    (
        "sessions.db",
        "sessions",
        "SELECT source, id, root, agent, version, cwd, remote, project, path, started, ended, messages, calls, failures, injected FROM sessions",
    ),
    (
        "sessions.db",
        "events",
        "SELECT s.path, e.place & 0xffffffff, e.id, e.at, e.byte, e.bytes, e.kind, e.author, e.tool, e.input, e.outcome, e.code, e.head, e.tail, e.size
         FROM events e LEFT JOIN sessions s ON s.number = e.place >> 32",
    ),
];

/// What is there.
#[derive(Default)]
pub struct Content {
    /// Sorted; each begins with its table.
    pub rows: Vec<String>,
    /// Files that were made, with the lengths of those that are neither databases nor belong to one.
    pub files: BTreeMap<String, u64>,
    /// What integrity checks say, other than that all is well.
    pub unsound: Vec<String>,
}

impl Content {
    /// Reads a data folder that nobody else will use: SQLite may clean up in it.
    pub fn read(data: &Path) -> Self {
        let mut content = Self::default();
        for name in ["lessons.db", "sessions.db"] {
            let path = data.join(name);
            if path.metadata().is_ok_and(|m| m.len() > 0)
                && let Err(e) = content.add(name, &path)
            {
                content.unsound.push(format!("{name}: {e:#}"));
            }
        }
        let heard = spool::read_all(data).into_iter().flat_map(|(_, list)| list).map(|s| format!("heard|{}", s.id));
        content.rows.extend(heard);
        let trials: Vec<String> =
            content.rows.iter().filter_map(|r| r.strip_prefix("trials|")).map(first_cell).collect();
        content.rows.extend(trials);
        content.rows.sort();
        // A record that was taken over stays in the spool for a while: it was heard once.
        content.rows.dedup_by(|a, b| a == b && a.starts_with("heard|"));
        content
    }

    fn add(&mut self, name: &str, path: &Path) -> Result<()> {
        let db = Connection::open(path)?;
        let verdict: String = db.query_row("PRAGMA integrity_check", [], |r| r.get(0))?;
        if verdict != "ok" {
            self.unsound.push(format!("{name}: {verdict}"));
        }
        let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0))?;
        if version == 0 {
            return Ok(());
        }
        for (_, table, sql) in TABLES.iter().filter(|(db, ..)| *db == name) {
            let mut query = db.prepare(sql)?;
            let columns = query.column_count();
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let mut text = (*table).to_owned();
                for n in 0..columns {
                    text.push('|');
                    text.push_str(&cell(row.get_ref(n)?));
                }
                self.rows.push(text);
            }
        }
        Ok(())
    }

    /// Notes the files under a folder; databases by name alone. The log of a database belongs to it: it stays until
    /// somebody writes.
    pub fn add_files(&mut self, folder: &Path, called: &str) {
        for path in files(folder) {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            // The seal is there when the last command ended well, and its absence costs only a check.
            if ["-wal", "-shm", "lessons.seal", "lessons.seal-broken"].iter().any(|end| name.ends_with(end)) {
                continue;
            }
            // How long the journal is depends on how often a row was written down.
            let database = [".db", "lessons.journal"].iter().any(|end| name.ends_with(end));
            let len = if database { 0 } else { path.metadata().map_or(0, |m| m.len()) };
            self.files.insert(format!("{called}/{name}"), len);
        }
    }

    /// Whether a row is there.
    pub fn has(&self, row: &String) -> bool {
        self.rows.binary_search(row).is_ok()
    }

    /// Rows that must never get lost.
    pub fn acknowledged(&self) -> impl Iterator<Item = &String> {
        self.of(ACKNOWLEDGED)
    }

    /// Rows that a decision changes.
    pub fn decided(&self) -> impl Iterator<Item = &String> {
        self.of(DECIDED)
    }

    fn of(&self, tables: &'static [&str]) -> impl Iterator<Item = &String> {
        self.rows.iter().filter(move |row| row.split('|').next().is_some_and(|table| tables.contains(&table)))
    }

    /// The first row that is here and not there, or there and not here.
    pub fn first_difference(&self, wanted: &Self) -> String {
        let cut = |row: &String| row.chars().take(300).collect::<String>();
        let extra = self.rows.iter().find(|r| !wanted.has(r)).map(|r| format!("too much: {}", cut(r)));
        let missing = wanted.rows.iter().find(|r| !self.has(r)).map(|r| format!("missing: {}", cut(r)));
        let count = format!("{} rows instead of {}", self.rows.len(), wanted.rows.len());
        [extra, missing, Some(count)].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Parts of files, and skills that the store does not know, does not know to be written, or has no yes for.
    pub fn left_over(&self) -> Vec<String> {
        let known = |name: &str| self.rows.iter().any(|row| row.starts_with("in use|") && row.ends_with(name));
        let left = |name: &&String| name.contains(".part-") || name.ends_with("/SKILL.md") && !known(name);
        self.files.keys().filter(left).cloned().collect()
    }

    /// Files that are only here or only there, or of another length.
    pub fn other_files(&self, wanted: &Self) -> String {
        let missing =
            wanted.files.iter().filter(|(n, l)| self.files.get(*n) != Some(l)).map(|(n, l)| format!("-{n} {l}"));
        let extra =
            self.files.iter().filter(|(n, l)| wanted.files.get(*n) != Some(l)).map(|(n, l)| format!("+{n} {l}"));
        missing.chain(extra).collect::<Vec<_>>().join(", ")
    }
}

fn first_cell(rest: &str) -> String {
    format!("heard|{}", rest.split('|').next().unwrap_or_default())
}

fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(n) => n.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}
