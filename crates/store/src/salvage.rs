//! A database that is damaged: a copy is kept, and what can still be read moves to a new one.
//!
//! `sessions.db` is simply made anew. From `lessons.db` every row that SQLite can still give is taken, table by table;
//! a table that breaks in the middle is read again from its end.

use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::open::{StoreFile, look_into, open};
use crate::sessions::Sessions;
use crate::tables::{self, OnDamage, Table};
use crate::{Result, StoreError};

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Where the damaged file is now.
    pub copy: PathBuf,
    /// Whether all of it can be read anew, so that nothing had to be saved.
    pub rebuilt: bool,
    /// Rows that were saved, by table.
    pub rows: Vec<(String, usize)>,
}

/// Moves a damaged database aside and makes a new one of what can be saved.
pub fn salvage(home: &Path, damaged: &Path, now: i64) -> Result<Saved> {
    let file = if damaged.ends_with(StoreFile::Lessons.name()) { StoreFile::Lessons } else { StoreFile::Sessions };
    let copy = put_aside(damaged, now)?;
    let mut saved = Saved { rebuilt: file == StoreFile::Sessions, copy, rows: Vec::new() };
    let mut new = open(home, file)?;
    if file == StoreFile::Lessons {
        if let Ok(old) = look_into(&saved.copy) {
            saved.rows = new.write(|t| take_rows(&old, t))?;
        }
        // Observations that could not be saved are seen again, if their transcripts still exist.
        Sessions::open(home)?.read_all_again()?;
    }
    Ok(saved)
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, source }
}

/// Files that belong to a database.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

fn part(path: &Path, part: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(part);
    PathBuf::from(name)
}

/// Moves a database with its log, under a name that is free.
fn put_aside(path: &Path, now: i64) -> Result<PathBuf> {
    let free = |n: &i64| !path.with_extension(format!("damaged-{n}.db")).exists();
    let stamp = (now..).find(free).unwrap_or(now);
    let copy = path.with_extension(format!("damaged-{stamp}.db"));
    for suffix in PARTS {
        let from = part(path, suffix);
        if from.exists() {
            std::fs::rename(&from, part(&copy, suffix)).map_err(io(&from))?;
        }
    }
    Ok(copy)
}

fn take_rows(old: &Connection, new: &Connection) -> rusqlite::Result<Vec<(String, usize)>> {
    let mut saved = Vec::new();
    for table in tables::of_lessons().filter(|t| t.salvage == OnDamage::Saved) {
        let name = table.name;
        let columns = common(old, table);
        if columns.is_empty() {
            continue;
        }
        let list = columns.join(", ");
        let holes = vec!["?"; columns.len()].join(", ");
        let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO {name} ({list}) VALUES ({holes})"))?;
        let mut count = 0;
        // From both ends: what lies behind a broken page is reached from the other side.
        for order in ["ASC", "DESC"] {
            for row in rows(old, name, &list, columns.len(), order) {
                count += insert.execute(params_from_iter(row)).unwrap_or(0);
            }
        }
        if count > 0 {
            saved.push((name.to_owned(), count));
        }
    }
    // Everything is folded again: what was saved may not fit together.
    new.execute(
        "INSERT OR IGNORE INTO unfolded (project, kind, key)
         SELECT DISTINCT project, kind, CASE detector WHEN 'multi-step' THEN '' ELSE key END FROM observations",
        [],
    )?;
    Ok(saved)
}

/// The columns the old database has, too: it may be of an older format.
fn common(old: &Connection, table: &Table) -> Vec<&'static str> {
    let there = tables::columns(old, table.name).unwrap_or_default();
    table.columns.iter().copied().filter(|c| there.iter().any(|t| t == c)).collect()
}

/// Rows until the first that cannot be read.
fn rows(old: &Connection, table: &str, list: &str, width: usize, order: &str) -> Vec<Vec<Value>> {
    let mut out = Vec::new();
    // In the order the table is kept in: sorting would read all of it first, and give nothing of a broken one. That is by
    // the first column only in tables without a rowid.
    let by = |first: &str| old.prepare(&format!("SELECT {list} FROM {table} NOT INDEXED ORDER BY {first} {order}"));
    let Ok(mut query) = by("rowid").or_else(|_| by("1")) else { return out };
    let Ok(mut rows) = query.query([]) else { return out };
    while let Ok(Some(row)) = rows.next() {
        let values: rusqlite::Result<Vec<Value>> = (0..width).map(|n| row.get(n)).collect();
        out.extend(values.ok());
    }
    out
}
