//! Keeps the journal of an open database of lessons, and seals both files when the last command is done with them.
//!
//! A journal that cannot be written is no reason to fail: the decision is in the database, and what is missing stays due.
//! It must be told, though ([`trouble_with_journal`]).

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::journal::Outbox;
use crate::open::{StoreFile, version};
use crate::seal::{self, Presence, Seal};
use crate::{Result, StoreError};

/// How long the last command waits for readers before it leaves the seal to the next one.
const PATIENCE: Duration = Duration::from_millis(100);

/// Why the journal could not be written, last time it could not. One place for the process: the stores are closed when
/// this is asked for.
static TROUBLE: Mutex<Option<StoreError>> = Mutex::new(None);

/// Why something that was decided is not in the journal yet; asked for once, at the end of a command.
pub fn trouble_with_journal() -> Option<StoreError> {
    TROUBLE.lock().ok().and_then(|mut trouble| trouble.take())
}

/// What goes along with a connection that writes lessons.
pub(crate) struct Keeper {
    home: PathBuf,
    presence: Option<Presence>,
    outbox: Outbox,
    wrote: bool,
}

impl Keeper {
    /// For a connection that was opened just now.
    pub fn new(home: &Path, presence: Option<Presence>, outbox: Outbox) -> Self {
        Self { home: home.to_owned(), presence, outbox, wrote: false }
    }

    /// At the start of every transaction.
    pub fn begin(&mut self, t: &Transaction<'_>) -> rusqlite::Result<()> {
        if !self.wrote {
            seal::break_open(&self.home);
            self.wrote = true;
        }
        self.outbox.clear(t)
    }

    /// After the commit.
    pub fn committed(&mut self, connection: &mut Connection) {
        self.outbox.committed();
        note(self.outbox.drain(connection));
    }

    /// Writes down what is due, and leaves nothing due.
    pub fn settle(&mut self, connection: &mut Connection) -> Result<()> {
        self.outbox.drain(connection)?;
        if self.outbox.is_missing(connection)? {
            self.outbox.rewrite(connection)?;
        }
        let sql = |e| StoreError::from_sql(&self.home.join(StoreFile::Lessons.name()), e);
        let t = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        self.outbox.clear(&t).map_err(sql)?;
        t.commit().map_err(sql)?;
        self.outbox.committed();
        Ok(())
    }

    /// Writes the journal anew if it has grown long.
    pub fn tidy(&mut self, connection: &mut Connection) -> Result<()> {
        if self.outbox.is_long(connection) { self.outbox.rewrite(connection) } else { Ok(()) }
    }

    /// At the end: the last one seals the files.
    pub fn leave(&mut self, connection: &mut Connection) {
        if !self.wrote && Seal::read(&self.home).is_some() {
            return;
        }
        let done = self.settle(connection);
        let settled = done.is_ok();
        note(done);
        let last = self.presence.as_ref().is_some_and(Presence::is_last);
        if settled && last && is_in_one_file(connection) {
            // Without a seal the next command checks everything; that is all.
            let _ = version(connection).map(|format| Seal::write(&self.home, format));
        }
    }
}

/// Brings the log into the database; whether nothing is left in it.
fn is_in_one_file(connection: &Connection) -> bool {
    let busy = |r: &rusqlite::Row<'_>| r.get::<_, i64>(0);
    let patient = connection.busy_timeout(PATIENCE).is_ok();
    patient && connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy).is_ok_and(|busy| busy == 0)
}

fn note(done: Result<()>) {
    if let (Err(e), Ok(mut trouble)) = (done, TROUBLE.lock()) {
        *trouble = Some(e);
    }
}
