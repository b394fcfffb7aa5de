//! A database on a disk that cannot be written: a read-only mount, folder or file.
//!
//! SQLite wants to make files beside a database in WAL mode even to read it. Comes in: the path of one that could not be
//! opened as usual. Goes out: a connection that reads it, with everything that is still in its log. Where the log holds
//! something, or the format is an older one, a private copy in a temporary folder is read. Nothing is written beside the
//! database, ever.
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use super::{Db, HOOK_BUSY, StoreFile};
use crate::foreign::{beside, uri};
use crate::{Result, StoreError};

/// What may stand beside a database and belongs to it: changes that are not in it yet, or the way back from half of one.
const LOGS: [&str; 2] = ["-wal", "-journal"];
/// How often a copy is made while somebody writes.
const TRIES: usize = 3;

/// Whether an error may come from a disk that cannot be written.
pub(super) fn may_be(error: &StoreError) -> bool {
    matches!(error, StoreError::Open { .. } | StoreError::ReadOnly { .. } | StoreError::Disk { .. })
}

/// The error of a writer, if the folder of its database cannot be written: it names the folder.
pub(super) fn named(error: StoreError, home: &Path) -> StoreError {
    if may_be(&error) && !is_writable(home) { StoreError::ReadOnly { path: home.to_owned() } } else { error }
}

/// Tried, not asked: rights do not tell of a read-only mount.
fn is_writable(folder: &Path) -> bool {
    let why = match tempfile::tempfile_in(folder) {
        Ok(_) => return true,
        Err(e) => e.kind(),
    };
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    !matches!(why, PermissionDenied | ReadOnlyFilesystem)
}

/// Opens a database that nobody can change where it lies.
pub(super) fn open(path: &Path) -> Result<Db> {
    if LOGS.iter().any(|log| beside(path, log).metadata().is_ok_and(|m| m.len() > 0)) {
        return Copied::of(path)?.ready(path);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // No locks, no helper files. Should its owner write to it meanwhile, it writes to a log first.
    let name = format!("{}?mode=ro&immutable=1", uri(path));
    let connection = Connection::open_with_flags(name, flags).map_err(|e| StoreError::from_sql(path, e))?;
    connection.busy_timeout(HOOK_BUSY).map_err(|e| StoreError::from_sql(path, e))?;
    Ok(Db { connection, path: path.to_owned(), keeper: None, _copy: None })
}

/// Reads a database of an older format: a copy is migrated, the database stays as it is.
pub(super) fn migrated(home: &Path, file: StoreFile) -> Result<Db> {
    let path = home.join(file.name());
    let copy = Copied::of(&path)?;
    drop(super::open(copy.folder.path(), file)?);
    copy.ready(&path)
}

/// A database and its logs in a private folder, which goes away with the connection.
struct Copied {
    folder: TempDir,
    path: PathBuf,
}

impl Copied {
    fn of(path: &Path) -> Result<Self> {
        let cannot = |e: std::io::Error| StoreError::Open {
            path: path.to_owned(),
            why: format!("its folder is read-only, and it cannot be copied to read it: {e}"),
        };
        let folder = tempfile::Builder::new().prefix("uptake-").tempdir().map_err(cannot)?;
        let to = folder.path().join(path.file_name().unwrap_or_default());
        for _ in 1..TRIES {
            let before = stamps(path);
            copy_all(path, &to).map_err(cannot)?;
            if stamps(path) == before {
                return Ok(Self { folder, path: to });
            }
        }
        // Somebody writes without a pause. The log has checksums: what is half in it is left out.
        copy_all(path, &to).map_err(cannot)?;
        Ok(Self { folder, path: to })
    }

    fn ready(self, original: &Path) -> Result<Db> {
        let sql = |e| StoreError::from_sql(original, e);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(sql)?;
        connection.busy_timeout(HOOK_BUSY).map_err(sql)?;
        // Whoever would write to the copy would lose it.
        connection.pragma_update(None, "query_only", true).map_err(sql)?;
        Ok(Db { connection, path: original.to_owned(), keeper: None, _copy: Some(self.folder) })
    }
}

fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    copy(from, to)?;
    for log in LOGS {
        match copy(&beside(from, log), &beside(to, log)) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Copies bytes, not rights: the copy of a read-only file must be ours to write.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut source = std::fs::File::open(from)?;
    std::io::copy(&mut source, &mut std::fs::File::create(to)?).map(drop)
}

/// Changes when somebody writes.
fn stamps(path: &Path) -> Vec<Option<(u64, Option<SystemTime>)>> {
    let stamp = |m: Metadata| (m.len(), m.modified().ok());
    ["", LOGS[0], LOGS[1]].iter().map(|part| beside(path, part).metadata().ok().map(stamp)).collect()
}
