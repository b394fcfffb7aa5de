//! Databases of other programs, read while those run. Nothing in them is changed, and no file is left beside them.
//!
//! Comes in: the path of a database. Goes out: its rows as the bytes they were written in; what they mean is the
//! core's matter.
#![expect(clippy::disallowed_methods, reason = "the door to other programs' databases")]

pub mod opencode;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::open::Db;
use crate::{Result, StoreError};

/// A reader waits only while the owner changes the layout or recovers.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first bytes of any SQLite database.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// Opens for reading only.
pub(crate) fn open(path: &Path) -> Result<Db> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let err = |e| StoreError::from_sql(path, e);
    // A database that nobody has open needs no helper files; SQLite would make them and could not take them away.
    // Should its owner start meanwhile, it writes to its log first; what we read here changes only much later.
    let at_rest = !beside(path, "-wal").exists() && !beside(path, "-shm").exists();
    let name = if at_rest { format!("{}?immutable=1", uri(path)) } else { uri(path) };
    let connection = Connection::open_with_flags(name, flags).map_err(err)?;
    connection.busy_timeout(PATIENCE).map_err(err)?;
    Ok(Db { connection, path: path.to_owned(), keeper: None, _copy: None })
}

pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// `file:` with everything escaped that means something in such a name.
pub(crate) fn uri(path: &Path) -> String {
    let mut out = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
                out.push(char::from(*byte));
            }
            _ => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}
