//! What can go wrong with a store, with the next step for the person.

use std::path::PathBuf;

/// What to do when the disk is full.
pub const FULL: &str = "free some space and run the command again; it goes on where it stopped";

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be made or opened.
    #[error("cannot open `{path}`: {why}")]
    Open {
        /// Which one.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// Written by a later release.
    #[error("`{path}` was written by a newer uptake (format {found}, this one knows {known})")]
    Newer {
        /// Which one.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// Not of the format a hook reads, and a hook changes nothing.
    #[error("`{path}` has format {found}, hooks of this uptake read format {known}")]
    OtherFormat {
        /// Which one.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The format known here.
        known: i64,
    },
    /// The disk is full.
    #[error("no space left while writing `{path}`; nothing was changed")]
    Full {
        /// Which one.
        path: PathBuf,
    },
    /// The system failed to read or write.
    #[error("cannot read or write `{path}`: {why}; what was not finished was left out")]
    Disk {
        /// Which one.
        path: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// The folder or file may not be written.
    #[error("`{path}` cannot be written: it is read-only; nothing was changed")]
    ReadOnly {
        /// Which one.
        path: PathBuf,
    },
    /// The file is no sound database.
    #[error("`{path}` is damaged: {why}")]
    Damaged {
        /// Which one.
        path: PathBuf,
        /// SQLite's words.
        why: String,
    },
    /// A command was cut short while it wrote the file. It is sound, but what was made of sessions must be looked at again.
    #[error("a command was cut short while it wrote `{path}`")]
    CutShort {
        /// Which one.
        path: PathBuf,
    },
    /// Anything else SQLite says.
    #[error("cannot use `{path}`: {source}")]
    Sql {
        /// Which one.
        path: PathBuf,
        /// SQLite's words.
        source: rusqlite::Error,
    },
    /// A file beside the databases.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// Which one.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl StoreError {
    /// What the person can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => FULL,
            Self::Open { .. } | Self::ReadOnly { .. } => {
                "check the folder's permissions and the space left, or set UPTAKE_HOME to a folder that can be written"
            }
            Self::Disk { .. } => "check that the disk is sound and has space left, then run the command again",
            Self::Newer { .. } => "update uptake, or set UPTAKE_HOME to another folder",
            Self::OtherFormat { found, known, .. } if found > known => "update uptake, then run `uptake learn` once",
            Self::OtherFormat { .. } => "run `uptake learn` once",
            Self::Full { .. } => FULL,
            Self::CutShort { .. } | Self::Damaged { .. } => {
                "run `uptake doctor --fix`: it keeps a copy of the file and brings back what you decided from the journal beside it"
            }
            Self::Sql { .. } | Self::Io { .. } => "run the command again; if it stays, report it with this message",
        }
    }

    /// Sorts SQLite's errors into ours.
    pub(crate) fn from_sql(path: &std::path::Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        // A value that is no text or not of its kind: nobody but a fault writes such a row.
        if matches!(
            source,
            rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
        ) {
            return Self::Damaged { path, why: source.to_string() };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) => Self::Disk { path, why: source.to_string() },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::CannotOpen) => Self::Open { path, why: source.to_string() },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, why: source.to_string() }
            }
            _ => Self::Sql { path, source },
        }
    }
}
