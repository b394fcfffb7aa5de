//! The one door to SQLite: opens and migrates the two databases.
//!
//! Comes in: the home folder. Goes out: a connection that is ready to use. Deliberately absent: what is in the tables.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

mod read_only;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Params, Row, Transaction, TransactionBehavior};

use crate::atomic_file::{self, Over, Readers};
use crate::journal::{self, Outbox};
use crate::keeper::Keeper;
use crate::seal::{self, Presence};
use crate::{Result, StoreError, advice, checkup, copies};

/// How long a writer waits for another.
const BUSY: Duration = Duration::from_secs(20);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(7);
/// Kibibytes of a database that are held: rows come in any order, and with few pages each is read and written many times. A
/// hook needs few.
const CACHE: i64 = 16 * 1024;
/// Statements that are kept ready: more than any command uses again and again.
const STATEMENTS: usize = 64;
/// Pages in the log beside a database before they are moved into it; four times the bytes of SQLite's own, for fewer moves.
const LOG_PAGES: u32 = 2_000;
/// Bytes of a page. Three rows of `lessons.db` fill most of a page of SQLite's own size, a quarter of which stays empty; of this
/// size 6 % does; `sessions.db` is 3 % smaller. Larger ones save little more, and cost more to write. A file keeps the size it
/// was made with.
const PAGE: u32 = 8_192;
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
            Self::Sessions => &[
                include_str!("migrations/sessions-0001.sql"),
                include_str!("migrations/sessions-0002.sql"),
                include_str!("migrations/sessions-0003.sql"),
                include_str!("migrations/sessions-0004.sql"),
                include_str!("migrations/sessions-0005.sql"),
                include_str!("migrations/sessions-0006.sql"),
                include_str!("migrations/sessions-0007.sql"),
            ],
            Self::Lessons => &[
                include_str!("migrations/lessons-0001.sql"),
                include_str!("migrations/lessons-0002.sql"),
                include_str!("migrations/lessons-0003.sql"),
                include_str!("migrations/lessons-0004.sql"),
                include_str!("migrations/lessons-0005.sql"),
                include_str!("migrations/lessons-0006.sql"),
                include_str!("migrations/lessons-0007.sql"),
                include_str!("migrations/lessons-0008.sql"),
                include_str!("migrations/lessons-0009.sql"),
                include_str!("migrations/lessons-0010.sql"),
                include_str!("migrations/lessons-0011.sql"),
                include_str!("migrations/lessons-0012.sql"),
                include_str!("migrations/lessons-0013.sql"),
                include_str!("migrations/lessons-0014.sql"),
            ],
        }
    }

    /// The newest format known here.
    pub(crate) fn newest(self) -> i64 {
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
    /// Keeps the journal beside the database, and seals both in the end; only where lessons are written.
    pub keeper: Option<Keeper>,
    /// Where it is read instead, if it lies on a disk that cannot be written. Goes after the connection.
    pub _copy: Option<tempfile::TempDir>,
}

impl Drop for Db {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.leave(&mut self.connection);
        }
    }
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
        let Self { connection, path, keeper, .. } = self;
        let go = |connection: &mut Connection, keeper: Option<&mut Keeper>| -> rusqlite::Result<T> {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if let Some(keeper) = keeper {
                keeper.begin(&transaction)?;
            }
            let value = run(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        let value = go(connection, keeper.as_mut()).map_err(|e| StoreError::from_sql(path, e))?;
        if let Some(keeper) = keeper {
            keeper.committed(connection);
        }
        Ok(value)
    }

    /// Waits until the journal has everything, and nothing is due.
    pub fn settle_journal(&mut self) -> Result<()> {
        match &mut self.keeper {
            Some(keeper) => keeper.settle(&mut self.connection),
            None => Ok(()),
        }
    }

    /// Writes the journal anew if it has grown long.
    pub fn shorten_journal(&mut self) -> Result<()> {
        match &mut self.keeper {
            Some(keeper) => keeper.tidy(&mut self.connection),
            None => Ok(()),
        }
    }

    /// Writes the file anew without what was deleted, and empties the log beside it.
    pub fn squeeze(&mut self) -> Result<()> {
        let watched = self.keeper.is_some();
        let run = |connection: &Connection| -> rusqlite::Result<()> {
            // The new file is made beside the old one, and with temporary tables in memory that would be there, too.
            connection.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")?;
            // That change takes away whatever is temporary, what watches the rows among it.
            if watched {
                journal::watch(connection)?;
            }
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        run(&self.connection).map_err(|e| self.err(e))
    }
}

/// Opens for reading and writing; makes and migrates as needed.
pub(crate) fn open(home: &Path, file: StoreFile) -> Result<Db> {
    open_to_write(home, file).map_err(|e| read_only::named(e, home))
}

fn open_to_write(home: &Path, file: StoreFile) -> Result<Db> {
    make_home(home)?;
    let presence = if file == StoreFile::Lessons { enter(home)? } else { None };
    open_unchecked(home, file, presence)
}

/// Opens a database that is thrown away with its folder: no journal, no seal, and no waiting for the disk.
pub(crate) fn open_scratch(home: &Path, file: StoreFile) -> Result<Db> {
    make_home(home)?;
    let path = home.join(file.name());
    make_private(&path)?;
    let connection = Connection::open(&path).map_err(|e| StoreError::from_sql(&path, e))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let mut db = Db { connection, path, keeper: None, _copy: None };
    prepare(&mut db, file)?;
    db.connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF").map_err(|e| db.err(e))?;
    Ok(db)
}

/// Takes part in using the lessons. Who is alone checks them first.
fn enter(home: &Path) -> Result<Option<Presence>> {
    let Some((presence, alone)) = Presence::enter(home) else { return Ok(None) };
    if alone {
        checkup::examine(home)?;
        presence.share();
    }
    Ok(Some(presence))
}

/// The same for somebody who has looked at the files.
pub(crate) fn open_unchecked(home: &Path, file: StoreFile, presence: Option<Presence>) -> Result<Db> {
    let path = home.join(file.name());
    make_private(&path)?;
    let connection = Connection::open(&path).map_err(|e| StoreError::from_sql(&path, e))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let mut db = Db { connection, path, keeper: None, _copy: None };
    let migrated = prepare(&mut db, file)?;
    if file == StoreFile::Lessons {
        let outbox = Outbox::open(&db.connection, journal::path(home)).map_err(|e| db.err(e))?;
        db.keeper = Some(Keeper::new(home, presence, outbox));
        if migrated && journal::path(home).exists() {
            db.write(journal::due_all)?;
        }
    }
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

/// Answers whether it had an older format; a new database has none.
fn prepare(db: &mut Db, file: StoreFile) -> Result<bool> {
    let run = |db: &mut Db| -> rusqlite::Result<i64> {
        // Patience first: changing the journal mode needs a lock, too.
        db.connection.busy_timeout(BUSY)?;
        plan_once(&db.connection)?;
        db.connection.pragma_update(None, "page_size", PAGE)?;
        // Where WAL cannot work (some network folders) SQLite answers with another mode; that one works everywhere.
        let _mode: String = db.connection.query_row("PRAGMA journal_mode = WAL", [], |r| r.get(0))?;
        let sync = if file == StoreFile::Lessons { "FULL" } else { "NORMAL" };
        db.connection.execute_batch(&format!(
            "PRAGMA synchronous = {sync}; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;
             PRAGMA cache_size = -{CACHE}; PRAGMA wal_autocheckpoint = {LOG_PAGES};"
        ))?;
        version(&db.connection)
    };
    let found = patiently(|| run(db)).map_err(|e| db.err(e))?;
    let older = is_older(db, file, found)?;
    if older {
        migrate(db, file)?;
    }
    Ok(older && found > 0)
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
    let Db { connection, path, .. } = db;
    if let (StoreFile::Lessons, Some(home)) = (file, path.parent()) {
        seal::break_open(home);
    }
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
    // Marks are the core's matter, which SQL cannot make.
    if file == StoreFile::Lessons {
        advice::mark(&transaction, "TRUE").map_err(sql)?;
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

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |r| r.get(0))
}

/// Whether a killed process left a journal that must be rolled back, which a reader may not do.
pub(crate) fn is_half_written(e: &rusqlite::Error) -> bool {
    e.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

pub(crate) fn roll_back(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(HOOK_BUSY)?;
    version(&connection).map(drop)
}

/// Opens an existing database for reading only; `None` if there is none. One of an older format is migrated first.
pub(crate) fn open_read_only(home: &Path, file: StoreFile) -> Result<Option<Db>> {
    if file == StoreFile::Lessons && may_be_checked(home) {
        seal_again(home, enter(home)?);
    }
    let Some((db, found)) = existing(home, file)? else { return Ok(None) };
    if is_older(&db, file, found)? {
        drop(db);
        return match open(home, file) {
            Err(e) if read_only::may_be(&e) => read_only::migrated(home, file).map(Some),
            opened => opened.map(Some),
        };
    }
    db.connection.pragma_update(None, "cache_size", -CACHE).map_err(|e| db.err(e))?;
    Ok(Some(db))
}

/// Seals what was found sound although a command was cut short, so that the next one need not read all of it. Where that is
/// not possible, it does.
fn seal_again(home: &Path, presence: Option<Presence>) {
    if presence.is_some()
        && !seal::is_there(home)
        && home.join(StoreFile::Lessons.name()).metadata().is_ok_and(|m| m.len() > 0)
    {
        drop(open_unchecked(home, StoreFile::Lessons, presence));
    }
}

/// Whether there is anything to check; where nothing is, looking must not make a file.
fn may_be_checked(home: &Path) -> bool {
    home.join(StoreFile::Lessons.name()).exists() || journal::path(home).exists()
}

/// Opens an existing database for a hook; `None` if there is none. A hook has no time for a migration, and nobody
/// watches it: a database of another format is refused.
pub(crate) fn open_for_hook(home: &Path, file: StoreFile) -> Result<Option<Db>> {
    let Some((db, found)) = existing(home, file)? else { return Ok(None) };
    let known = file.newest();
    if found != known {
        return Err(StoreError::OtherFormat { path: db.path.clone(), found, known });
    }
    Ok(Some(db))
}

/// An existing database for reading only, with its format.
fn existing(home: &Path, file: StoreFile) -> Result<Option<(Db, i64)>> {
    let path = home.join(file.name());
    if !path.exists() {
        return Ok(None);
    }
    match looked_into(&path) {
        Err(e) if read_only::may_be(&e) => with_format(read_only::open(&path)?),
        looked => looked,
    }
}

fn looked_into(path: &Path) -> Result<Option<(Db, i64)>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| StoreError::from_sql(path, e))?;
    let db = Db { connection, path: path.to_owned(), keeper: None, _copy: None };
    let prepare = |connection: &Connection| {
        connection.busy_timeout(HOOK_BUSY)?;
        plan_once(connection)
    };
    prepare(&db.connection).map_err(|e| db.err(e))?;
    with_format(db)
}

/// Else a statement is planned again for the first values it is given: a fifth of what a hook does.
fn plan_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn with_format(db: Db) -> Result<Option<(Db, i64)>> {
    let Some(db) = unless_empty(db)? else { return Ok(None) };
    let found = version(&db.connection).map_err(|e| db.err(e))?;
    Ok(Some((db, found)))
}

#[cfg(test)]
mod tests;
