//! Whether `lessons.db` and its journal are sound.
//!
//! Comes in: the home folder, which nobody else writes to now. Goes out: what is wrong with each of the two. A store that
//! is as it was sealed costs two looks at files; any other is read whole and held against the journal. Deliberately
//! absent: mending, which is `salvage`'s matter.

use std::path::Path;

use rusqlite::{Connection, Row};
use uptake_core::learn::status::Verdict;

use crate::body::{self, LESSON, OBSERVATION};
use crate::journal::{self, Journal, Live, Trouble};
use crate::open::{StoreFile, is_half_written, look_into, roll_back, version};
use crate::seal::{self, Kept, Seal};
use crate::{Result, StoreError};

/// What is wrong with the two files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkup {
    /// With the database.
    pub database: Option<String>,
    /// With the journal.
    pub journal: Option<String>,
    /// Whether a command was cut short while the database file itself was being written: then nobody can tell whether it
    /// has other bytes for that reason alone.
    pub cut_short: bool,
    /// Whether the journal is known to hold all that was ever written down.
    pub(crate) journal_is_whole: bool,
}

impl Checkup {
    /// Whether both are sound.
    pub fn is_sound(&self) -> bool {
        self.database.is_none() && self.journal.is_none()
    }
}

/// Fails if something is wrong. Cheap for a store that is as it was left.
pub(crate) fn examine(home: &Path) -> Result<()> {
    let seal = Seal::read(home);
    if let Some(seal) = &seal {
        refuse_newer(home, seal.format)?;
        if !seal::has_log(home) && seal.database(home) == Kept::Same && seal.journal(home) == Kept::Same {
            // Left where a command was killed right after it had sealed.
            seal::forget_broken(home);
            return Ok(());
        }
    }
    fail_if_unsound(home)
}

/// Reads everything, and fails if something is wrong.
pub(crate) fn fail_if_unsound(home: &Path) -> Result<()> {
    let found = check(home)?;
    let damaged = |path, why: &str| Err(StoreError::Damaged { path, why: why.to_owned() });
    match (&found.database, &found.journal) {
        (Some(why), _) => damaged(home.join(StoreFile::Lessons.name()), why),
        (None, Some(why)) => damaged(journal::path(home), why),
        (None, None) if found.cut_short => Err(StoreError::CutShort { path: home.join(StoreFile::Lessons.name()) }),
        (None, None) => Ok(()),
    }
}

fn refuse_newer(home: &Path, found: i64) -> Result<()> {
    let (path, known) = (home.join(StoreFile::Lessons.name()), StoreFile::Lessons.newest());
    if found > known { Err(StoreError::Newer { path, found, known }) } else { Ok(()) }
}

/// Reads everything and says what is wrong.
pub fn check(home: &Path) -> Result<Checkup> {
    let seal = Seal::read(home);
    let log = seal::has_log(home);
    let journal = Journal::read(&journal::path(home))?;
    let mut found = Checkup { journal: of_journal(home, seal.as_ref(), journal.as_ref()), ..Checkup::default() };
    found.journal_is_whole = journal.as_ref().is_some_and(Journal::is_whole) && found.journal.is_none();
    let path = home.join(StoreFile::Lessons.name());
    let db = match open(&path) {
        Ok(db) => db,
        Err(e) => {
            found.database = Some(e.to_string());
            return Ok(found);
        }
    };
    let Some((db, format)) = db else {
        if journal.as_ref().is_some_and(|j| j.live().next().is_some()) {
            found.database = Some("it is empty or gone".to_owned());
        }
        return Ok(found);
    };
    if seal.as_ref().is_some_and(|s| !log && s.database(home) == Kept::Other) {
        found.database = Some("it is not as uptake left it".to_owned());
        return Ok(found);
    }
    match journal.as_ref().and_then(|j| j.format) {
        Some(written)
            if written <= StoreFile::Lessons.newest() && !(written..=StoreFile::Lessons.newest()).contains(&format) =>
        {
            found.database = Some(format!("it says that it has format {format}, its journal has {written}"));
            return Ok(found);
        }
        Some(written) if written < format => found.journal = Some("it is of an older format".to_owned()),
        _ => {}
    }
    refuse_newer(home, format)?;
    if format < StoreFile::Lessons.newest() {
        // It is migrated first, and its rows have another shape.
        found.database = structure(&db);
        return Ok(found);
    }
    let before = Seal::broken(home).filter(|_| seal.is_none());
    found.cut_short = before.is_some_and(|s| s.database(home) != Kept::Same);
    found.database = structure(&db).or_else(|| unreadable(&db));
    if let (None, None, Some(journal)) = (&found.database, &found.journal, &journal) {
        compare(&db, journal, &mut found);
    }
    Ok(found)
}

/// The database with its format; `None` if there is none, or one without tables.
fn open(path: &Path) -> rusqlite::Result<Option<(Connection, i64)>> {
    if !path.metadata().is_ok_and(|m| m.len() > 0) {
        return Ok(None);
    }
    let db = look_into(path)?;
    let format = match version(&db) {
        Err(e) if is_half_written(&e) => roll_back(path).and_then(|()| version(&db))?,
        other => other?,
    };
    db.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    Ok((format > 0).then_some((db, format)))
}

fn of_journal(home: &Path, seal: Option<&Seal>, journal: Option<&Journal>) -> Option<String> {
    let sealed = seal.map(|s| s.journal(home));
    match (journal, sealed) {
        (_, Some(Kept::Same)) | (None, None) => None,
        (None, Some(_)) => Some("it is gone".to_owned()),
        (Some(journal), _) if !journal.is_whole() => Some(format!("{} of its records cannot be read", journal.flawed)),
        (Some(_), Some(Kept::Other)) => Some("it is not as uptake left it".to_owned()),
        (Some(_), _) => None,
    }
}

/// What SQLite says of its own structure.
fn structure(db: &Connection) -> Option<String> {
    match db.query_row("PRAGMA integrity_check(1)", [], |r| r.get::<_, String>(0)) {
        Ok(word) if word == "ok" => None,
        Ok(why) => Some(why.lines().collect::<Vec<_>>().join("; ")),
        Err(e) => Some(e.to_string()),
    }
}

/// The first row that nobody can read.
fn unreadable(db: &Connection) -> Option<String> {
    let lessons = format!("SELECT {LESSON} FROM lessons l");
    let observations = format!("SELECT {OBSERVATION} FROM observations");
    let lesson = first_unlike(db, &lessons, |r| Ok(body::lesson_in(r)?.is_some()));
    let found = lesson.and_then(|found| match found {
        Some(id) => Ok(Some(format!("a row of lessons cannot be read: {id}"))),
        None => first_unlike(db, &observations, |r| Ok(body::observation_in(r)?.is_some()))
            .map(|found| found.map(|id| format!("a row of observations cannot be read: {id}"))),
    });
    found.unwrap_or_else(|e| Some(e.to_string()))
}

type Sound = fn(&Row<'_>) -> rusqlite::Result<bool>;

fn first_unlike(db: &Connection, sql: &str, is_sound: Sound) -> rusqlite::Result<Option<String>> {
    let mut query = db.prepare(sql)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        if !is_sound(row)? {
            return row.get("id").map(Some);
        }
    }
    Ok(None)
}

/// Holds every row that is kept twice against the journal.
fn compare(db: &Connection, journal: &Journal, found: &mut Checkup) {
    let due = match journal::all_due(db) {
        // Everything is to be written down anew: nothing can be compared.
        Ok(None) => return,
        Ok(Some(due)) => due,
        Err(e) => return found.database = Some(e.to_string()),
    };
    let (mut seen, mut other, mut unknown) = (std::collections::HashSet::new(), 0_usize, 0_usize);
    let walk = journal::each_row(db, |table, key, row| {
        let place = (table.name.to_owned(), key.to_owned());
        if !due.contains(&place) {
            match journal.says(table, key, &row) {
                Live::Same => {}
                Live::Other => other += 1,
                Live::Unknown => unknown += 1,
            }
        }
        seen.insert(place);
        Ok(())
    });
    if let Err(e) = walk {
        let why = match e {
            Trouble::Sql(e) => e.to_string(),
            Trouble::Store(e) => e.to_string(),
        };
        return found.database = Some(why);
    }
    let gone = |(table, key): &(&str, &str)| {
        let place = ((*table).to_owned(), (*key).to_owned());
        !seen.contains(&place) && !due.contains(&place)
    };
    let missing = journal.live().filter(gone).count();
    if other + missing > 0 {
        let rows = |n: usize| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") };
        found.database = Some(format!("{} missing and {} changed, by its journal", rows(missing), rows(other)));
    }
    if unknown > 0 {
        found.journal = Some(format!("{unknown} rows of the database are not in it"));
        found.journal_is_whole = false;
    }
}

/// Whether a row that is about to be put back can be used.
pub(crate) fn is_sound(table: &str, columns: &[String], row: &[rusqlite::types::Value]) -> bool {
    let text = |name: &str| {
        let place = columns.iter().position(|c| c == name)?;
        match row.get(place) {
            Some(rusqlite::types::Value::Text(text)) => Some(text.as_str()),
            _ => None,
        }
    };
    match table {
        "lessons" => text("body").is_some_and(body::is_lesson),
        "observations" => text("body").is_some_and(body::is_observation),
        "verdicts" => text("verdict").and_then(Verdict::parse).is_some(),
        "ledger" => text("action").is_some_and(crate::ledger::is_action),
        _ => true,
    }
}

/// What is wrong with `sessions.db`.
pub fn sessions(home: &Path) -> Option<String> {
    match open(&home.join(StoreFile::Sessions.name())) {
        Ok(None) => None,
        Ok(Some((db, _))) => structure(&db),
        Err(e) => Some(e.to_string()),
    }
}

/// Ids of approved lessons whose bytes are not those that were approved. They are not used.
pub fn not_as_approved(home: &Path) -> Vec<String> {
    let Ok(Some((db, format))) = open(&home.join(StoreFile::Lessons.name())) else { return Vec::new() };
    if format != StoreFile::Lessons.newest() {
        return Vec::new();
    }
    let walk = || -> rusqlite::Result<Vec<String>> {
        let sql = format!(
            "SELECT {LESSON}, v.sha256 FROM lessons l JOIN verdicts v ON v.lesson = l.id
             WHERE v.verdict = 'approved' ORDER BY l.id"
        );
        let mut query = db.prepare(&sql)?;
        let (mut rows, mut others) = (query.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            let sum: String = row.get("sha256")?;
            if body::lesson_in(row)?.is_none_or(|l| l.sha256() != sum) {
                others.push(row.get("id")?);
            }
        }
        Ok(others)
    };
    walk().unwrap_or_default()
}
