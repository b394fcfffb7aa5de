//! A damaged store: a copy of the damaged file is kept, and what can be had moves to a new one.
//!
//! `sessions.db` is simply made anew. `lessons.db` is filled from its journal; then from every row that SQLite can still
//! give of it, table by table; a table that breaks in the middle is read again from its end. A journal that is known to be
//! whole has the last word on what it keeps, otherwise both give what they have. A damaged journal is written anew from
//! a sound database.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params_from_iter};

use crate::checkup::{self, Checkup};
use crate::journal::{self, Journal};
use crate::observations::folded_under;
use crate::open::{StoreFile, look_into, open, open_unchecked};
use crate::seal::{self, Presence};
use crate::sessions::Sessions;
use crate::tables::{self, OnDamage, Table};
use crate::{Result, StoreError};

/// How long to wait until nobody else uses the store.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(7);

/// What was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Where the damaged files are now; none if nothing had to be put aside.
    pub copies: Vec<PathBuf>,
    /// Whether all of it can be read anew, so that nothing had to be saved.
    pub rebuilt: bool,
    /// Rows that came from the journal, by table.
    pub restored: Vec<(String, usize)>,
    /// Rows that were saved from the damaged file, by table.
    pub rows: Vec<(String, usize)>,
    /// Whether the journal was written anew from a sound database.
    pub renewed: bool,
    /// What could not be had from anywhere, in words.
    pub lost: Vec<String>,
}

/// Mends a damaged file of a store.
pub fn salvage(home: &Path, damaged: &Path, now: i64) -> Result<Saved> {
    if damaged.ends_with(StoreFile::Sessions.name()) {
        let copies = put_aside(damaged, now)?;
        drop(open(home, StoreFile::Sessions)?);
        return Ok(Saved { copies, rebuilt: true, ..Saved::default() });
    }
    let presence = alone(home);
    let found = checkup::check(home)?;
    match (&found.database, &found.journal) {
        (Some(_), _) => rebuild(home, presence, &found, now),
        (None, Some(_)) => renew(home, presence),
        // Another process was faster.
        (None, None) => Ok(Saved::default()),
    }
}

/// Has everything that is made of sessions made again, and seals the store: after a command was cut short.
pub fn look_at_all_again(home: &Path) -> Result<()> {
    let mut sessions = Sessions::open(home)?;
    let known = sessions.paths_by_session()?;
    let mut db = open_unchecked(home, StoreFile::Lessons, alone(home))?;
    db.write(|t| {
        mark_all(t)?;
        let spoken_of = tables::of_lessons().find(|t| t.name == "lessons").and_then(|t| t.twice.condition("lessons"));
        if let Some(spoken_of) = spoken_of {
            t.execute(&format!("DELETE FROM lessons WHERE NOT {spoken_of}"), [])?;
        }
        drop_misplaced(t, &known)
    })?;
    seal::forget_broken(home);
    drop(db);
    sessions.detect_all_again()
}

/// Waits until nobody else uses the lessons; not for ever.
fn alone(home: &Path) -> Option<Presence> {
    let until = Instant::now() + PATIENCE;
    loop {
        let (presence, alone) = Presence::enter(home)?;
        if alone || Instant::now() > until {
            return Some(presence);
        }
        drop(presence);
        std::thread::sleep(PAUSE);
    }
}

/// Writes the journal anew from a sound database.
fn renew(home: &Path, presence: Option<Presence>) -> Result<Saved> {
    let mut db = open_unchecked(home, StoreFile::Lessons, presence)?;
    db.write(journal::due_all)?;
    db.settle_journal()?;
    Ok(Saved { renewed: true, ..Saved::default() })
}

/// Makes a new database of the journal and of what the old one still gives.
fn rebuild(home: &Path, presence: Option<Presence>, found: &Checkup, now: i64) -> Result<Saved> {
    seal::break_open(home);
    let path = home.join(StoreFile::Lessons.name());
    let journal = Journal::read(&journal::path(home))?;
    let mut saved = Saved { copies: put_aside(&path, now)?, ..Saved::default() };
    if let Some(why) = &found.journal {
        saved.lost.push(format!("perhaps some of what was decided: lessons.journal is damaged as well ({why})"));
        // What a person may still find in it.
        let aside = saved.copies.first().map(|copy| copy.with_extension("journal"));
        if let Some(aside) = aside.filter(|aside| std::fs::copy(journal::path(home), aside).is_ok()) {
            saved.copies.push(aside);
        }
    }
    let old = saved.copies.first().and_then(|copy| look_into(copy).ok());
    // A letter changed in the words that made one index must not hide all tables.
    let old = old.filter(|old| old.pragma_update(None, "writable_schema", true).is_ok());
    let mut new = open_unchecked(home, StoreFile::Lessons, presence)?;
    let filled = new.write(|t| {
        journal::due_all(t)?;
        let restored = journal.as_ref().map_or_else(Vec::new, |journal| restore(journal, t, &mut saved.lost));
        let rows = match &old {
            Some(old) => {
                let exact = found.journal_is_whole && take_due(old, t, &mut saved.lost)?;
                take_rows(old, t, exact, &mut saved.lost)?
            }
            None => Vec::new(),
        };
        mark_all(t)?;
        Ok((restored, rows))
    })?;
    (saved.restored, saved.rows) = filled;
    // What could not be saved is seen again in the sessions that are kept, and in the transcripts that still exist.
    if let Ok(mut sessions) = Sessions::open(home) {
        let known = sessions.paths_by_session()?;
        new.write(|t| drop_misplaced(t, &known))?;
        sessions.read_all_again()?;
        sessions.detect_all_again()?;
    }
    new.settle_journal()?;
    Ok(saved)
}

/// Drops observations that stand under another transcript than their session's, or whose columns are not those of their
/// body: they would be in the way of those that are seen again.
fn drop_misplaced(t: &Transaction<'_>, known: &HashMap<(String, String), HashSet<String>>) -> rusqlite::Result<()> {
    let Some(table) = tables::of_lessons().find(|t| t.name == "observations") else { return Ok(()) };
    let names: Vec<String> = table.columns.iter().map(|&c| c.to_owned()).collect();
    let mut query = t.prepare(&format!("SELECT {} FROM observations WHERE detector <> 'import'", table.list()))?;
    let mut rows = query.query([])?;
    let mut misplaced = Vec::new();
    while let Some(row) = rows.next()? {
        let values: Vec<Value> = (0..names.len()).map(|n| row.get(n)).collect::<rusqlite::Result<_>>()?;
        let session = (row.get("source")?, row.get("session")?);
        let path: String = row.get("path")?;
        let elsewhere = known.get(&session).is_some_and(|paths| !paths.contains(&path));
        if elsewhere || !checkup::is_sound(table.name, &names, &values) {
            misplaced.push(row.get::<_, String>("id")?);
        }
    }
    misplaced.iter().try_for_each(|id| t.execute("DELETE FROM observations WHERE id = ?1", [id]).map(drop))
}

/// Puts back what the journal says.
fn restore(journal: &Journal, t: &Transaction<'_>, lost: &mut Vec<String>) -> Vec<(String, usize)> {
    let mut counts = Vec::new();
    let read = journal.each(|table, key, columns, row| {
        if checkup::is_sound(table.name, columns, &row) && put(t, table, columns, row).is_ok_and(|n| n > 0) {
            count(&mut counts, table.name);
        } else {
            lost.push(format!("a row of {} in the journal: {key}", table.name));
        }
    });
    if let Err(e) = read {
        lost.push(format!("what is in the journal: {e}"));
    }
    counts
}

/// Writes a row over what is there.
fn put(t: &Transaction<'_>, table: &Table, columns: &[String], row: Vec<Value>) -> rusqlite::Result<usize> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    // The journal may be of an older format.
    for (name, value) in columns.iter().zip(row).filter(|(name, _)| table.columns.contains(&name.as_str())) {
        names.push(name.as_str());
        values.push(value);
    }
    let holes = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT OR REPLACE INTO {} ({}) VALUES ({holes})", table.name, names.join(", "));
    t.prepare_cached(&sql)?.execute(params_from_iter(values))
}

fn count(counts: &mut Vec<(String, usize)>, table: &str) {
    match counts.iter_mut().find(|(name, _)| name == table) {
        Some((_, n)) => *n += 1,
        None => counts.push((table.to_owned(), 1)),
    }
}

/// Takes over rows that are newer than the journal. Answers whether all of them are known.
fn take_due(old: &Connection, t: &Transaction<'_>, lost: &mut Vec<String>) -> rusqlite::Result<bool> {
    // One of an older format, or too broken to tell: then the journal alone is not the whole.
    let Ok(Some(due)) = journal::all_due(old) else { return Ok(false) };
    for (name, key) in &due {
        let Some(table) = tables::of_lessons().find(|t| t.name == name) else { continue };
        let columns: Vec<String> = table.columns.iter().map(|&c| c.to_owned()).collect();
        match journal::row_of(old, table, key) {
            Ok(Some(row)) if checkup::is_sound(name, &columns, &row) => drop(put(t, table, &columns, row)?),
            Ok(None) => drop(journal::delete(t, table, key)?),
            _ => lost.push(format!("the latest change of a row of {name}: {key}")),
        }
    }
    Ok(true)
}

/// Everything is folded again: what was saved may not fit together.
fn mark_all(t: &Transaction<'_>) -> rusqlite::Result<()> {
    for table in ["observations", "lessons"] {
        t.execute(
            &format!(
                "INSERT OR IGNORE INTO unfolded (project, kind, key)
                 SELECT DISTINCT project, kind, {} FROM {table}",
                folded_under("detector", "key")
            ),
            [],
        )?;
    }
    Ok(())
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

/// Moves a database with its log, under a name that is free. Answers where it is; nothing if it is not there.
fn put_aside(path: &Path, now: i64) -> Result<Vec<PathBuf>> {
    let free = |n: &i64| !path.with_extension(format!("damaged-{n}.db")).exists();
    let stamp = (now..).find(free).unwrap_or(now);
    let copy = path.with_extension(format!("damaged-{stamp}.db"));
    let there = path.exists();
    for suffix in PARTS {
        let from = part(path, suffix);
        if from.exists() {
            std::fs::rename(&from, part(&copy, suffix)).map_err(io(&from))?;
        }
    }
    Ok(there.then_some(copy).into_iter().collect())
}

/// Takes what the old database gives and nobody else has. Of a journal that is whole, only what it does not keep.
fn take_rows(
    old: &Connection,
    new: &Transaction<'_>,
    exact: bool,
    lost: &mut Vec<String>,
) -> rusqlite::Result<Vec<(String, usize)>> {
    let mut saved = Vec::new();
    for table in tables::of_lessons().filter(|t| t.salvage == OnDamage::Saved) {
        let columns = common(old, table);
        let Some(which) = left_to_save(table, exact).filter(|_| !columns.is_empty()) else { continue };
        let list = columns.join(", ");
        let holes = vec!["?"; columns.len()].join(", ");
        let names: Vec<String> = columns.iter().map(|&c| c.to_owned()).collect();
        let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO {} ({list}) VALUES ({holes})", table.name))?;
        let (mut taken, mut unsound) = (0, 0);
        // From both ends: what lies behind a broken page is reached from the other side.
        for order in ["ASC", "DESC"] {
            for row in rows(old, table.name, &list, &which, columns.len(), order) {
                match row.filter(|row| checkup::is_sound(table.name, &names, row)) {
                    Some(row) => taken += insert.execute(params_from_iter(row)).unwrap_or(0),
                    None if order == "ASC" => unsound += 1,
                    None => {}
                }
            }
        }
        if taken > 0 {
            saved.push((table.name.to_owned(), taken));
        }
        // What is made again is no loss.
        if unsound > 0 && !exact && table.twice == tables::Twice::All {
            lost.push(format!("{unsound} rows of {} that cannot be read", table.name));
        }
    }
    Ok(saved)
}

/// Which rows of a table are to be saved, as SQL; `None` if all of it is in the journal.
fn left_to_save(table: &Table, exact: bool) -> Option<String> {
    match table.twice {
        _ if !exact => Some("TRUE".to_owned()),
        tables::Twice::All => None,
        // Those nobody spoke of are folded again: what the file says of them may be anything.
        tables::Twice::Rows(_) if table.name == "lessons" => None,
        tables::Twice::Rows(which) => Some(format!("NOT ({})", which.replace("r.", ""))),
        tables::Twice::No => Some("TRUE".to_owned()),
    }
}

/// The columns the old database has, too: it may be of an older format.
fn common(old: &Connection, table: &Table) -> Vec<&'static str> {
    let there = tables::columns(old, table.name).unwrap_or_default();
    table.columns.iter().copied().filter(|c| there.iter().any(|t| t == c)).collect()
}

/// Rows until the first that SQLite cannot give; `None` for one whose values cannot be read.
fn rows(old: &Connection, table: &str, list: &str, which: &str, width: usize, order: &str) -> Vec<Option<Vec<Value>>> {
    let mut out = Vec::new();
    // In the order the table is kept in: sorting would read all of it first, and give nothing of a broken one. That is by
    // the first column only in tables without a rowid.
    let from = format!("SELECT {list} FROM {table} NOT INDEXED WHERE {which}");
    let by = |first: &str| old.prepare(&format!("{from} ORDER BY {first} {order}"));
    let Ok(mut query) = by("rowid").or_else(|_| by("1")) else { return out };
    let Ok(mut rows) = query.query([]) else { return out };
    while let Ok(Some(row)) = rows.next() {
        let values: rusqlite::Result<Vec<Value>> = (0..width).map(|n| row.get(n)).collect();
        out.push(values.ok());
    }
    out
}
