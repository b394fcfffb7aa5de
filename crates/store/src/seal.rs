//! The seal `lessons.seal`: how `lessons.db` and its journal looked when uptake last closed them.
//!
//! Comes in: the home folder. Goes out: whether both files are as they were left. The first write of a command breaks the
//! seal, the end of the last command renews it: so a file that differs from its seal was changed by something else, and a
//! missing seal means that a command was cut short. A broken seal is kept until then: it tells whether the database file
//! itself was written meanwhile, or only its log. Deliberately absent: what to do about it (`checkup`, `salvage`).

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::journal;
use crate::open::StoreFile;

/// Files up to this length are read whole to tell whether they changed; of longer ones the time of the last change tells.
const READ: u64 = 8 * 1024 * 1024; // bytes

/// How a file looked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    len: u64,
    modified: u64,
    /// The sum of all bytes; none of a long file.
    sum: Option<String>,
}

impl Look {
    /// `None` if there is no such file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let about = file.metadata()?;
        let since = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut look = Self { len: about.len(), modified: since.as_nanos() as u64, sum: None };
        if look.len <= READ {
            let mut bytes = Vec::with_capacity(look.len as usize);
            file.read_to_end(&mut bytes)?;
            look.sum = Some(blake3::hash(&bytes).to_hex().to_string());
        }
        Ok(Some(look))
    }

    fn is_like(&self, other: &Self) -> bool {
        let times = self.sum.is_some() || self.modified == other.modified;
        self.len == other.len && self.sum == other.sum && times
    }
}

/// Whether a file is as it was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It is.
    Same,
    /// Its bytes are others.
    Other,
    /// It was written at another time; its bytes were not compared.
    Touched,
}

/// How both files looked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The format of the database.
    pub format: i64,
    database: Option<Look>,
    journal: Option<Look>,
}

impl Seal {
    /// The seal of a home; `None` if there is none that can be read.
    pub fn read(home: &Path) -> Option<Self> {
        Self::from(&path(home))
    }

    /// The seal that was broken last: how the files looked before the commands that did not end well.
    pub fn broken(home: &Path) -> Option<Self> {
        Self::from(&broken(home))
    }

    fn from(path: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(path).ok()?;
        let (sum, json) = text.trim_end().split_once(' ')?;
        (sum == blake3::hash(json.as_bytes()).to_hex().as_str()).then(|| serde_json::from_str(json).ok())?
    }

    /// Seals both files as they are.
    pub fn write(home: &Path, format: i64) -> io::Result<()> {
        let database = Look::of(&home.join(StoreFile::Lessons.name()))?;
        let seal = Self { format, database, journal: Look::of(&journal::path(home))? };
        let json = serde_json::to_string(&seal)?;
        let text = format!("{} {json}\n", blake3::hash(json.as_bytes()).to_hex());
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Neither whole in any case nor waited for: a torn seal counts as none, and costs only a check.
        options.open(path(home))?.write_all(text.as_bytes())?;
        forget_broken(home);
        Ok(())
    }

    /// Whether the database is as it was sealed.
    pub fn database(&self, home: &Path) -> Kept {
        compare(self.database.as_ref(), &home.join(StoreFile::Lessons.name()))
    }

    /// Whether the journal is as it was sealed.
    pub fn journal(&self, home: &Path) -> Kept {
        compare(self.journal.as_ref(), &journal::path(home))
    }
}

fn compare(then: Option<&Look>, path: &Path) -> Kept {
    match (then, Look::of(path)) {
        (Some(then), Ok(Some(now))) if then.is_like(&now) => Kept::Same,
        (Some(then), Ok(Some(now))) if then.sum.is_none() && then.len == now.len => Kept::Touched,
        (None, Ok(None)) => Kept::Same,
        _ => Kept::Other,
    }
}

/// Whether there is a seal, sound or not.
pub(crate) fn is_there(home: &Path) -> bool {
    path(home).exists()
}

/// Breaks the seal: something is about to be written.
pub(crate) fn break_open(home: &Path) {
    // Without a seal there is nothing to do; one that cannot be moved only costs a check.
    let _ = std::fs::rename(path(home), broken(home));
}

/// What the broken seal could tell is settled.
pub(crate) fn forget_broken(home: &Path) {
    let _ = std::fs::remove_file(broken(home));
}

fn broken(home: &Path) -> PathBuf {
    home.join("lessons.seal-broken")
}

fn path(home: &Path) -> PathBuf {
    home.join("lessons.seal")
}

/// Whether there is a log beside the database that is not in it yet.
pub(crate) fn has_log(home: &Path) -> bool {
    ["-wal", "-journal"].iter().any(|ending| {
        let log = home.join(format!("{}{ending}", StoreFile::Lessons.name()));
        log.metadata().is_ok_and(|m| m.len() > 0)
    })
}

/// Who uses the store: everybody who writes holds a lock, and who is alone may check and mend.
pub(crate) struct Presence(File);

impl Presence {
    /// Takes part; says whether nobody else does. `None` where locks do not work.
    pub fn enter(home: &Path) -> Option<(Self, bool)> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(home.join("lessons.lock")).ok()?;
        let alone = file.try_lock().is_ok();
        if !alone {
            // Waits while somebody checks or mends.
            file.lock_shared().ok()?;
        }
        Some((Self(file), alone))
    }

    /// Lets others in.
    pub fn share(&self) {
        let _ = self.0.unlock();
        let _ = self.0.lock_shared();
    }

    /// Whether nobody else is there any more. The lock is lost or held alone then.
    pub fn is_last(&self) -> bool {
        let _ = self.0.unlock();
        self.0.try_lock().is_ok()
    }
}
