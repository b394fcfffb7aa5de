//! A database changed behind the back of its owner.
#![expect(clippy::disallowed_methods, reason = "it goes around the store on purpose")]

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use rusqlite::Connection;

/// Makes one from the statements of a dump.
pub fn from_sql(database: &Path, statements: &str) {
    Connection::open(database).expect("a database").execute_batch(statements).expect("a dump");
}

/// Runs one statement; answers how many rows it changed. Afterwards the database is the only copy there is, as in a store
/// of an older release: otherwise uptake would bring back what was there.
pub fn execute(database: &Path, statement: &str) -> usize {
    let changed = open(database).execute(statement, []).expect("a statement");
    without_second_copy(database);
    changed
}

/// Removes the journal and the seal beside a database.
pub fn without_second_copy(database: &Path) {
    for ending in ["journal", "seal", "seal-broken"] {
        let _ = std::fs::remove_file(database.with_extension(ending));
    }
}

/// Runs one statement, and something else while its change is in the log alone.
pub fn held_open(database: &Path, statement: &str, meanwhile: impl FnOnce()) {
    let connection = open(database);
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").expect("a log");
    connection.execute(statement, []).expect("a statement");
    meanwhile();
}

/// The one number a question gives.
pub fn number(database: &Path, question: &str) -> i64 {
    open(database).query_row(question, [], |row| row.get(0)).expect("a number")
}

/// Says that another release wrote it.
pub fn set_version(database: &Path, version: i64) {
    open(database).pragma_update(None, "user_version", version).expect("a version");
    without_second_copy(database);
}

/// Runs something while somebody reads the database, so that its log stays beside it.
pub fn while_read<T>(database: &Path, run: impl FnOnce() -> T) -> T {
    let reader = open(database);
    reader.execute_batch("BEGIN; SELECT count(*) FROM sqlite_master;").expect("read");
    run()
}

/// Runs something while somebody keeps the database to themselves: nobody else can even read it.
pub fn while_locked<T>(database: &Path, run: impl FnOnce() -> T) -> T {
    let owner = open(database);
    owner.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").expect("locked");
    let done = run();
    owner.execute_batch("ROLLBACK").expect("unlocked");
    done
}

/// Overwrites the first page of a table and of each of its indexes.
pub fn break_table(database: &Path, table: &str) {
    let connection = open(database);
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
    let size: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).expect("a size");
    let pages = root_pages(&connection, table);
    connection.close().expect("closed");
    let mut file = std::fs::OpenOptions::new().write(true).open(database).expect("the database");
    for page in pages {
        file.seek(SeekFrom::Start(u64::from(page - 1) * u64::from(size))).expect("the place");
        file.write_all(&vec![0xff; size as usize]).expect("written");
    }
}

fn root_pages(connection: &Connection, table: &str) -> Vec<u32> {
    let mut question =
        connection.prepare("SELECT rootpage FROM sqlite_master WHERE tbl_name = ?1").expect("a question");
    let pages = question.query_map([table], |row| row.get(0)).expect("pages");
    pages.map(|page| page.expect("a page")).collect()
}

fn open(database: &Path) -> Connection {
    assert!(database.is_file(), "there is no database `{}`", database.display());
    Connection::open(database).expect("a database")
}
