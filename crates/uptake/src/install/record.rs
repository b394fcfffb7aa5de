//! What was put into an agent's settings, kept so that exactly that can be taken out again.
//!
//! Comes in: a change that is about to be made. Goes out: the way back. Kept are the texts that were put in, where, and the
//! sums of the file before and after; never the file itself, in which secrets may stand.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use uptake_core::learn::sha256_hex;
use uptake_store::atomic_file::{self, Over, Readers};

use super::json_text::{Inserted, take_out};

/// What was done to the settings of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The shape of this record.
    v: u8,
    /// The command line that was put in.
    pub command: String,
    /// The version of the client at that time, if it was known.
    pub version: Option<String>,
    /// The events that were put in.
    pub events: Vec<String>,
    /// The files.
    pub files: Vec<FileRecord>,
}

/// What was done to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Which file.
    pub path: PathBuf,
    /// The sum of its bytes before; `None` if it was not there.
    pub before: Option<String>,
    /// The sum of its bytes after.
    pub after: String,
    /// What was put in, in order.
    pub inserted: Vec<Inserted>,
    /// Objects and arrays that were made for it.
    pub made: Vec<String>,
    /// Folders that were made for it, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
}

impl FileRecord {
    /// The bytes as they were before, if the file was not changed since; `None` in it if there was no file.
    pub(super) fn undone(&self, text: &str) -> Option<Option<String>> {
        if sha256_hex(text.as_bytes()) != self.after {
            return None;
        }
        let Some(before) = &self.before else { return Some(None) };
        let undone = take_out(text, &self.inserted)?;
        (sha256_hex(undone.as_bytes()) == *before).then_some(Some(undone))
    }
}

impl Record {
    pub(super) fn new(command: &str, version: Option<String>, events: Vec<String>, files: Vec<FileRecord>) -> Self {
        Self { v: 1, command: command.to_owned(), version, events, files }
    }

    /// What was done for an agent; `None` if nothing was.
    pub fn of(data: &Path, source: &str) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path(data, source)).ok()?).ok()
    }

    /// When it was done, in milliseconds since 1970; `None` if nothing was.
    pub fn changed_at(data: &Path, source: &str) -> Option<i64> {
        let at = path(data, source).metadata().ok()?.modified().ok()?;
        i64::try_from(at.duration_since(std::time::UNIX_EPOCH).ok()?.as_millis()).ok()
    }

    /// What was done to a file.
    pub(super) fn file(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Keeps it. To be called before the files are changed.
    pub(super) fn keep(&self, data: &Path, source: &str) -> Result<()> {
        let path = path(data, source);
        if let Some(folder) = path.parent() {
            uptake_store::open::make_home(folder)?;
        }
        atomic_file::write(&path, &serde_json::to_string(self)?, Readers::User, Over::Replace)
            .with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Throws it away.
    pub(super) fn drop_of(data: &Path, source: &str) -> Result<()> {
        match std::fs::remove_file(path(data, source)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
            _ => Ok(()),
        }
    }
}

fn path(data: &Path, source: &str) -> PathBuf {
    data.join("installed").join(format!("{source}.json"))
}
