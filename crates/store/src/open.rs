//! The one door to SQLite: opens and migrates the two databases.
//!
//! Comes in: the home folder. Goes out: a connection that is ready to use. Deliberately absent: what is in the tables.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Params, Row, Transaction, TransactionBehavior};

use crate::atomic_file::{self, Over, Readers};
use crate::{Result, StoreError, copies};

/// How long a writer waits for another.
const BUSY: Duration = Duration::from_secs(20);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(7);
/// Pages that are held: rows come in any order, and with few pages each is read and written many times. A hook needs few.
const CACHE: i64 = 16_384; // KiB
/// A hook has no time to wait.
const HOOK_BUSY: Duration = Duration::from_millis(40);

/// One of our two databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFile {
    /// Rebuildable.
    Sessions,
    /// Irreplaceable.
    Lessons,
}

impl StoreFile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions.db",
            Self::Lessons => "lessons.db",
        }
    }

    fn migrations(self) -> &'static [&'static str] {
        match self {
            Self::Sessions => {
                &[include_str!("migrations/sessions-0001.sql"), include_str!("migrations/sessions-0002.sql")]
            }
            Self::Lessons => &[
                include_str!("migrations/lessons-0001.sql"),
                include_str!("migrations/lessons-0002.sql"),
                include_str!("migrations/lessons-0003.sql"),
                include_str!("migrations/lessons-0004.sql"),
                include_str!("migrations/lessons-0005.sql"),
            ],
        }
    }

    /// The newest format known here.
    fn newest(self) -> i64 {
        i64::try_from(self.migrations().len()).unwrap_or(i64::MAX)
    }
}

/// Makes the folder, private to the user.
pub fn make_home(home: &Path) -> Result<()> {
    let result = {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(home)
    };
    result.map_err(|e| StoreError::Open { path: home.to_owned(), why: e.to_string() })
}

/// Writes a small file that only the user can read: whole or not at all.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        make_home(folder)?;
    }
    atomic_file::write(path, text, Readers::User, Over::Replace)
        .map_err(|source| StoreError::Io { path: path.to_owned(), source })
}

/// A value as JSON. One that cannot be written is an error, never an empty text in a row.
pub(crate) fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
}

/// Opens a copy of a database to read what is in it, in whatever format and state it is.
pub(crate) fn look_into(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// A connection with its path, for errors.
pub(crate) struct Db {
    pub connection: Connection,
    pub path: PathBuf,
}

impl Db {
    /// Turns SQLite's error into ours.
    pub fn err(&self, e: rusqlite::Error) -> StoreError {
        StoreError::from_sql(&self.path, e)
    }

    /// All rows of a query.
    pub fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let run = move || -> rusqlite::Result<Vec<T>> {
            self.connection.prepare_cached(sql)?.query_map(params, map)?.collect()
        };
        run().map_err(|e| self.err(e))
    }

    /// Writes all or nothing.
    pub fn write<T>(&mut self, run: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        let go = |connection: &mut Connection| -> rusqlite::Result<T> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = run(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        go(&mut self.connection).map_err(|e| StoreError::from_sql(&self.path, e))
    }

    /// Writes the file anew without what was deleted, and empties the log beside it.
    pub fn squeeze(&mut self) -> Result<()> {
        let run = |connection: &Connection| -> rusqlite::Result<()> {
            // The new file is made beside the old one, and with temporary tables in memory that would be there, too.
            connection.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        run(&self.connection).map_err(|e| self.err(e))
    }
}

/// Opens for reading and writing; makes and migrates as needed.
pub(crate) fn open(home: &Path, file: StoreFile) -> Result<Db> {
    make_home(home)?;
    let path = home.join(file.name());
    make_private(&path)?;
    let connection = Connection::open(&path).map_err(|e| StoreError::from_sql(&path, e))?;
    let mut db = Db { connection, path };
    prepare(&mut db, file)?;
    Ok(db)
}

/// A database file is made with the right mode before SQLite sees it: the WAL takes over its mode.
fn make_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|e| StoreError::Open { path: path.to_owned(), why: e.to_string() })
}

fn prepare(db: &mut Db, file: StoreFile) -> Result<()> {
    let run = |db: &mut Db| -> rusqlite::Result<i64> {
        // Patience first: changing the journal mode needs a lock, too.
        db.connection.busy_timeout(BUSY)?;
        // Where WAL cannot work (some network folders) SQLite answers with another mode; that one works everywhere.
        let _mode: String = db.connection.query_row("PRAGMA journal_mode = WAL", [], |r| r.get(0))?;
        let sync = if file == StoreFile::Lessons { "FULL" } else { "NORMAL" };
        db.connection.execute_batch(&format!(
            "PRAGMA synchronous = {sync}; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;
             PRAGMA cache_size = -{CACHE};"
        ))?;
        version(&db.connection)
    };
    let found = patiently(|| run(db)).map_err(|e| db.err(e))?;
    if is_older(db, file, found)? {
        migrate(db, file)?;
    }
    Ok(())
}

/// Whether a database has an older format; a newer one is refused.
fn is_older(db: &Db, file: StoreFile, found: i64) -> Result<bool> {
    let known = file.newest();
    if found > known {
        return Err(StoreError::Newer { path: db.path.clone(), found, known });
    }
    Ok(found < known)
}

/// Tries again while others hold the lock. When many processes make one database at once, SQLite says "busy" without
/// waiting, for fear of a deadlock; here none is possible.
fn patiently<T>(mut run: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let until = std::time::Instant::now() + BUSY;
    loop {
        match run() {
            Err(e) if is_busy(&e) && std::time::Instant::now() < until => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
}

fn is_busy(e: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    matches!(e.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn migrate(db: &mut Db, file: StoreFile) -> Result<()> {
    let Db { connection, path } = db;
    let sql = |e| StoreError::from_sql(path, e);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    // Another process may have been faster: ask again under the lock.
    let found = version(&transaction).map_err(sql)?;
    let steps: Vec<(i64, &str)> = (1..).zip(file.migrations().iter().copied()).filter(|(n, _)| *n > found).collect();
    if let (StoreFile::Lessons, true, Some((format, _))) = (file, found > 0, steps.last()) {
        copies::keep(path, *format)?;
    }
    for (format, step) in steps {
        transaction.execute_batch(step).map_err(sql)?;
        transaction.pragma_update(None, "user_version", format).map_err(sql)?;
    }
    transaction.commit().map_err(sql)
}

/// `None` for a database without tables, which a process leaves that is killed while it makes one. It counts as none, and
/// the next writer finishes it.
pub(crate) fn unless_empty(db: Db) -> Result<Option<Db>> {
    let version = match version(&db.connection) {
        Err(e) if is_half_written(&e) => roll_back(&db.path).and_then(|()| version(&db.connection)),
        other => other,
    };
    let version = version.map_err(|e| db.err(e))?;
    Ok((version > 0).then_some(db))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |r| r.get(0))
}

/// Whether a killed process left a journal that must be rolled back, which a reader may not do.
fn is_half_written(e: &rusqlite::Error) -> bool {
    e.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

fn roll_back(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(HOOK_BUSY)?;
    version(&connection).map(drop)
}

/// Opens an existing database for reading only; `None` if there is none. One of an older format is migrated first.
pub(crate) fn open_read_only(home: &Path, file: StoreFile) -> Result<Option<Db>> {
    let Some((db, found)) = existing(home, file)? else { return Ok(None) };
    if is_older(&db, file, found)? {
        drop(db);
        return open(home, file).map(Some);
    }
    db.connection.pragma_update(None, "cache_size", -CACHE).map_err(|e| db.err(e))?;
    Ok(Some(db))
}

/// Opens an existing database for a hook; `None` if there is none. A hook has no time for a migration, and nobody
/// watches it: a database of another format is refused.
pub(crate) fn open_for_hook(home: &Path, file: StoreFile) -> Result<Option<Db>> {
    let Some((db, found)) = existing(home, file)? else { return Ok(None) };
    let known = file.newest();
    if found != known {
        return Err(StoreError::OtherFormat { path: db.path, found, known });
    }
    Ok(Some(db))
}

/// An existing database for reading only, with its format.
fn existing(home: &Path, file: StoreFile) -> Result<Option<(Db, i64)>> {
    let path = home.join(file.name());
    if !path.exists() {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(&path, flags).map_err(|e| StoreError::from_sql(&path, e))?;
    let db = Db { connection, path };
    db.connection.busy_timeout(HOOK_BUSY).map_err(|e| db.err(e))?;
    let Some(db) = unless_empty(db)? else { return Ok(None) };
    let found = version(&db.connection).map_err(|e| db.err(e))?;
    Ok(Some((db, found)))
}

#[cfg(test)]
mod tests;
