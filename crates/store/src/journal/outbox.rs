//! From the database into the journal: what is due, and how it gets there.

use std::collections::HashSet;
use std::path::PathBuf;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::frames::{Appending, columns_of, line, record, rewrite};
use crate::tables::{self, Table};
use crate::{Result, StoreError};

/// The table of a due row that has the whole journal written anew.
const EVERYTHING: &str = "*";
/// A journal shorter than this is never written anew for its length alone.
const SHORT: u64 = 256 * 1024; // bytes
/// Rows that are written down at a time: very many may change in one transaction.
const AT_A_TIME: i64 = 1_000;

/// The way of one connection into the journal.
#[derive(Debug)]
pub(crate) struct Outbox {
    journal: PathBuf,
    /// Due rows up to this number are in the journal.
    written: i64,
    /// Those up to this number are no longer due.
    cleared: i64,
}

impl Outbox {
    /// Begins to note what changes through a connection.
    pub fn open(connection: &Connection, journal: PathBuf) -> rusqlite::Result<Self> {
        watch(connection)?;
        Ok(Self { journal, written: 0, cleared: 0 })
    }

    /// At the start of every transaction: what was written down is due no longer.
    pub fn clear(&mut self, t: &Transaction<'_>) -> rusqlite::Result<()> {
        if self.cleared < self.written {
            t.prepare_cached("DELETE FROM journal_due WHERE number <= ?1")?.execute([self.written])?;
        }
        Ok(())
    }

    /// After the commit of a transaction in which [`Self::clear`] was called.
    pub fn committed(&mut self) {
        self.cleared = self.written;
    }

    /// Writes down what is due. Under the lock for writing: so records come in the order of the changes.
    pub fn drain(&mut self, connection: &mut Connection) -> Result<()> {
        let path = path_of(connection);
        let sql = |e| StoreError::from_sql(&path, e);
        if latest(connection).map_err(sql)? <= self.written {
            return Ok(());
        }
        let t = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let last = latest(&t).map_err(sql)?;
        let mut due = due_after(&t, self.written, AT_A_TIME).map_err(sql)?;
        if is_everything_due(&t, self.written).map_err(sql)? || !due.is_empty() && !self.journal.exists() {
            drop(t);
            return self.rewrite(connection);
        }
        if !due.is_empty() {
            let mut journal = Appending::to(&self.journal)?;
            while let Some((number, ..)) = due.last() {
                journal.add(&lines(&t, &due).map_err(sql)?)?;
                due = due_after(&t, *number, AT_A_TIME).map_err(sql)?;
            }
            journal.finish()?;
        }
        self.written = last;
        Ok(())
    }

    /// Whether the journal is missing although there is something to write down.
    pub fn is_missing(&self, connection: &Connection) -> Result<bool> {
        let has_rows = || has_rows(connection).map_err(|e| StoreError::from_sql(&path_of(connection), e));
        Ok(!self.journal.exists() && has_rows()?)
    }

    /// Whether the journal is much longer than when it was last written anew.
    pub fn is_long(&self, connection: &Connection) -> bool {
        let then = "SELECT CAST(value AS INTEGER) FROM notes WHERE name = 'journal'";
        let then: i64 = connection.query_row(then, [], |r| r.get(0)).unwrap_or(0);
        let now = std::fs::metadata(&self.journal).map_or(0, |m| m.len());
        now > 2 * then.max(0).unsigned_abs() + SHORT
    }

    /// Writes the whole journal anew, and notes how long it is.
    pub fn rewrite(&mut self, connection: &mut Connection) -> Result<()> {
        let path = path_of(connection);
        let sql = |e| StoreError::from_sql(&path, e);
        let t = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let last = latest(&t).map_err(sql)?;
        rewrite(&t, &self.journal, last)?;
        let long = std::fs::metadata(&self.journal).map_or(0, |m| m.len());
        let note = "INSERT OR REPLACE INTO notes (name, value) VALUES ('journal', ?1)";
        t.execute(note, [long.to_string()]).map_err(sql)?;
        t.commit().map_err(sql)?;
        self.written = last;
        Ok(())
    }
}

/// Has every change of a row that is kept twice noted, through this connection.
pub(crate) fn watch(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&triggers())
}

fn path_of(connection: &Connection) -> PathBuf {
    connection.path().map(PathBuf::from).unwrap_or_default()
}

/// Has the whole journal written anew after this transaction.
pub(crate) fn due_all(t: &Transaction<'_>) -> rusqlite::Result<()> {
    t.execute("INSERT INTO journal_due (tbl, key) VALUES (?1, '')", [EVERYTHING]).map(drop)
}

/// The keys that are due by table; `None` if everything is.
pub(crate) fn all_due(connection: &Connection) -> rusqlite::Result<Option<HashSet<(String, String)>>> {
    if is_everything_due(connection, 0)? {
        return Ok(None);
    }
    let due = due_after(connection, 0, i64::MAX)?;
    Ok(Some(due.into_iter().map(|(_, table, key)| (table, key)).collect()))
}

/// The highest number that was ever due.
fn latest(connection: &Connection) -> rusqlite::Result<i64> {
    let seq = "SELECT seq FROM sqlite_sequence WHERE name = 'journal_due'";
    Ok(connection.prepare_cached(seq)?.query_row([], |r| r.get(0)).optional()?.unwrap_or(0))
}

fn is_everything_due(connection: &Connection, after: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM journal_due WHERE number > ?1 AND tbl = ?2)";
    connection.prepare_cached(sql)?.query_row(params![after, EVERYTHING], |r| r.get(0))
}

fn due_after(connection: &Connection, number: i64, most: i64) -> rusqlite::Result<Vec<(i64, String, String)>> {
    let sql = "SELECT number, tbl, key FROM journal_due WHERE number > ?1 ORDER BY number LIMIT ?2";
    let row = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, r.get(1)?, r.get(2)?));
    connection.prepare_cached(sql)?.query_map([number, most], row)?.collect()
}

/// The records of these rows that are due, each row once and as it is now.
fn lines(t: &Transaction<'_>, due: &[(i64, String, String)]) -> rusqlite::Result<String> {
    let (mut seen, mut out) = (HashSet::new(), String::new());
    for (number, table, key) in due.iter().rev() {
        let Some(known) = tables::of_lessons().find(|t| t.name == table) else { continue };
        if seen.insert((table, key)) {
            let row = row_of(t, known, key)?;
            out.push_str(&line(*number, &record(known, key, row.as_deref())));
        }
    }
    Ok(out)
}

/// A row as it is, if it is there and kept twice.
pub(crate) fn row_of(connection: &Connection, table: &Table, key: &str) -> rusqlite::Result<Option<Vec<Value>>> {
    let Some(which) = table.twice.condition("r") else { return Ok(None) };
    let sql = format!("SELECT {} FROM {} r WHERE {} AND {which}", table.list(), table.name, same_key(table));
    let mut query = connection.prepare_cached(&sql)?;
    query.query_row([key], |r| columns_of(r, 0, table.columns.len())).optional()
}

/// Deletes the row with a key.
pub(crate) fn delete(t: &Transaction<'_>, table: &Table, key: &str) -> rusqlite::Result<usize> {
    t.execute(&format!("DELETE FROM {} AS r WHERE {}", table.name, same_key(table)), [key])
}

fn same_key(table: &Table) -> String {
    let same = |(n, column): (usize, &&str)| format!("r.{column} = json_extract(?1, '$[{n}]')");
    table.key.iter().enumerate().map(same).collect::<Vec<_>>().join(" AND ")
}

/// Whether there is anything to write down.
fn has_rows(connection: &Connection) -> rusqlite::Result<bool> {
    let any = tables::kept_twice().map(|(t, which)| format!("EXISTS (SELECT 1 FROM {} r WHERE {which})", t.name));
    let sql = format!("SELECT {} AS any", any.collect::<Vec<_>>().join(" OR "));
    connection.query_row(&sql, [], |r| r.get("any"))
}

/// The triggers of a connection that note every change of a row that is kept twice.
fn triggers() -> String {
    let mut sql = String::new();
    for (table, _) in tables::kept_twice() {
        for on in ["INSERT", "UPDATE", "DELETE"] {
            let row = if on == "DELETE" { "old" } else { "new" };
            let mut which = table.twice.condition(row).unwrap_or_default();
            let mut noted = vec![table.noted(table.name, table.key, row)];
            if on == "UPDATE" {
                let all = |row: &str| table.columns.iter().map(|c| format!("{row}.{c}")).collect::<Vec<_>>().join(", ");
                which = format!("{which} AND ({}) IS NOT ({})", all("old"), all("new"));
                noted.push(table.noted(table.name, table.key, "old"));
            }
            // A word on a lesson decides whether the lesson itself is kept twice.
            if SPEAKS.contains(&table.name) {
                noted.push(table.noted("lessons", &["lesson"], row));
            }
            let name = table.name;
            sql.push_str(&format!(
                "CREATE TEMP TRIGGER IF NOT EXISTS twice_{name}_{on} AFTER {on} ON {name} WHEN {which} BEGIN {} END;\n",
                noted.concat()
            ));
        }
    }
    sql
}

/// Tables that say which lessons somebody spoke of.
const SPEAKS: [&str; 2] = ["verdicts", "deletions"];

impl Table {
    /// A statement that notes a row as due.
    fn noted(&self, table: &str, key: &[&str], row: &str) -> String {
        let key: Vec<String> = key.iter().map(|c| format!("{row}.{c}")).collect();
        format!("INSERT INTO journal_due (tbl, key) VALUES ('{table}', json_array({}));", key.join(", "))
    }
}
