//! Copies of `lessons.db`, made before its format changes: the way back if an update goes wrong.
//!
//! Comes in: a database that is about to be migrated. Goes out: `lessons.db.before-N` beside it, where N is the format it
//! is about to get; whole or not at all, for the user alone. The latest two stay. Deliberately absent: putting one back;
//! that is a person's decision, and a copy over a file.

use std::path::{Path, PathBuf};

use uptake_core::learn::Lesson;

use crate::atomic_file::{self, Over, Readers};
use crate::open::{StoreFile, json, look_into};
use crate::tables::{self, OnForget};
use crate::{Result, StoreError};

/// How many copies stay.
const KEPT: usize = 2;

/// Copies a database before it is migrated to a format, and removes older copies. The caller holds the lock for writing,
/// so that nobody changes it meanwhile.
pub(crate) fn keep(path: &Path, format: i64) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("{MARK}{format}"));
    let copy = PathBuf::from(name);
    let part = atomic_file::begin(&copy).map_err(|e| io(&copy, e))?;
    // Not a copy of the file: what is still in the log beside it belongs to it.
    let all = || -> rusqlite::Result<()> {
        // As bytes: the name of a folder need not be valid text.
        let into = part.path().as_os_str().as_encoded_bytes();
        look_into(path)?.execute("VACUUM INTO CAST(?1 AS TEXT)", [into]).map(drop)
    };
    all().map_err(|e| StoreError::from_sql(path, e))?;
    atomic_file::finish(part, &copy, Readers::User, Over::Replace).map_err(|e| io(&copy, e))?;
    let older = path.parent().map_or_else(|| Ok(Vec::new()), all_in)?;
    older.iter().skip(KEPT).try_for_each(|copy| remove(copy))
}

/// The copies in a home, latest first.
pub fn all_in(home: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<(i64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(home).map_err(|e| io(home, e))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let format = name.strip_prefix(StoreFile::Lessons.name()).and_then(|rest| rest.strip_prefix(MARK));
        found.extend(format.and_then(|n| n.parse().ok()).map(|n| (n, entry.path())));
    }
    found.sort_by(|a, b| b.cmp(a));
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Removes copies.
pub fn remove_all(copies: &[PathBuf]) -> Result<()> {
    copies.iter().try_for_each(|copy| remove(copy))
}

/// Removes copies that hold a lesson: its id, or one of these texts of it; and damaged files that were put aside and hold
/// such a text. Answers which.
pub fn forget(home: &Path, lesson: &Lesson, texts: &[String]) -> Result<Vec<PathBuf>> {
    let mut needles = needles(texts).map_err(|e| StoreError::from_sql(home, e))?;
    let mut damaged = damaged_in(home)?;
    let holds_bytes = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        needles.iter().any(|needle| memchr::memmem::find(&bytes, needle.as_bytes()).is_some())
    };
    damaged.retain(holds_bytes);
    remove_all(&damaged)?;
    needles.insert(0, lesson.id.clone());
    let mut gone = all_in(home)?;
    // One that cannot be read may hold anything.
    gone.retain(|copy| holds(copy, &needles).unwrap_or(true));
    remove_all(&gone)?;
    damaged.extend(gone);
    Ok(damaged)
}

/// Damaged files that were put aside.
fn damaged_in(home: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(home).map_err(|e| io(home, e))?.flatten();
    let damaged = entries.filter(|e| e.file_name().to_string_lossy().contains(".damaged-"));
    Ok(damaged.map(|e| e.path()).collect())
}

/// Texts in every spelling in which they may stand somewhere.
fn needles(texts: &[String]) -> rusqlite::Result<Vec<String>> {
    let mut needles = Vec::new();
    for text in texts.iter().filter(|text| text.len() >= SHORTEST) {
        needles.extend(spellings(text)?);
    }
    Ok(needles)
}

/// What a copy's name has after the database's.
const MARK: &str = ".before-";
/// Texts shorter than this stand everywhere.
const SHORTEST: usize = 4; // bytes

/// A text as it stands in a row: as it is, in JSON, in JSON inside JSON, and once more in a journal.
fn spellings(text: &str) -> rusqlite::Result<[String; 4]> {
    let inside = |text: &str| json(&text).map(|quoted| quoted[1..quoted.len() - 1].to_owned());
    let once = inside(text)?;
    let twice = inside(&once)?;
    let thrice = inside(&twice)?;
    Ok([text.to_owned(), once, twice, thrice])
}

/// Whether one of these texts stands in a table that speaks of lessons.
fn holds(copy: &Path, needles: &[String]) -> rusqlite::Result<bool> {
    let db = look_into(copy)?;
    for table in tables::of_lessons().filter(|t| t.forget != OnForget::Nothing) {
        let there = tables::columns(&db, table.name)?;
        // A table that the older format does not have.
        if there.is_empty() {
            continue;
        }
        let any: Vec<String> = there.iter().map(|column| format!("instr({column}, ?1)")).collect();
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {} WHERE {}) AS held", table.name, any.join(" OR "));
        let mut query = db.prepare(&sql)?;
        for needle in needles {
            if query.query_row([needle], |r| r.get("held"))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn remove(copy: &Path) -> Result<()> {
    std::fs::remove_file(copy).map_err(|e| io(copy, e))
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source }
}
