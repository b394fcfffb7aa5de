//! Files that gave their place to one of ours: who had one open before may still write to it.
//!
//! Comes in: the old file, after the change of places. It is kept in our own data folder for a while. Goes out: what was added to
//! it late, put at the end of the file that has its name now; where it was written anew, it stays here, and the user is told.
//! Deliberately absent: a promise for a file on another disk than our data. It cannot be moved here, and goes when nobody is seen
//! writing to it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::open_files;

/// The folder of old files, in the data folder.
pub const LATE: &str = "late";
/// The old file, in a folder of its own.
const FILE: &str = "file";
/// Where it lay and what is known of it, beside it.
const ABOUT: &str = "about.json";
/// How long somebody may take between opening a file and writing to it without being seen.
const GRACE: Duration = Duration::from_secs(60);

/// Which old files go once what was added to them is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Going {
    /// Those that nobody will write to any more.
    Quiet,
    /// All: nothing of what they hold may stay.
    All,
}

/// What became of an old file that was written to late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late {
    /// What was added is at the end of this file now.
    Added(PathBuf),
    /// It was written anew; this file has another text, and theirs is kept.
    Kept {
        /// The file that has its name.
        path: PathBuf,
        /// Theirs.
        copy: PathBuf,
    },
}

/// What is known of an old file.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    /// What the user answers for, and the file below it.
    root: PathBuf,
    below: PathBuf,
    /// How much of it is taken over, and its sum.
    length: usize,
    sum: String,
}

impl About {
    fn of(root: &Path, below: &Path, taken: &[u8]) -> Self {
        let (root, below) = (root.to_owned(), below.to_owned());
        Self { root, below, length: taken.len(), sum: blake3::hash(taken).to_hex().to_string() }
    }

    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(ABOUT)).ok()?).ok()
    }

    /// A kill must not leave half of it; a disk that is full may leave the one before.
    fn write(&self, folder: &Path) -> io::Result<()> {
        let part = folder.join("about.new");
        std::fs::write(&part, serde_json::to_vec(self)?)?;
        std::fs::rename(part, folder.join(ABOUT))
    }

    /// What came after what is taken over; `None` if it was written anew.
    fn added<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (taken, added) = bytes.split_at_checked(self.length)?;
        (blake3::hash(taken).to_hex().as_str() == self.sum).then_some(added)
    }
}

/// Where old files are kept, and which one this is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep<'k> {
    pub data: &'k Path,
    pub root: &'k Path,
    pub below: &'k Path,
}

/// A folder for one old file, which is moved there by whoever replaces it.
pub(crate) struct Kept {
    pub folder: PathBuf,
    root: PathBuf,
    below: PathBuf,
}

impl Keep<'_> {
    /// Makes the folder. `taken` is what the new file has of it.
    pub fn begin(&self, drawn: &str, taken: &[u8]) -> io::Result<Kept> {
        let folder = self.data.join(LATE).join(drawn);
        crate::open::make_home(&self.data.join(LATE)).map_err(io::Error::other)?;
        std::fs::create_dir(&folder)?;
        let kept = Kept { folder, root: self.root.to_owned(), below: self.below.to_owned() };
        kept.note(taken)?;
        Ok(kept)
    }
}

impl Kept {
    pub const FILE: &str = FILE;

    /// Notes how much of it the new file has.
    pub fn note(&self, taken: &[u8]) -> io::Result<()> {
        About::of(&self.root, &self.below, taken).write(&self.folder)
    }

    /// Nothing is to be kept after all.
    pub fn forget(self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Takes over what was added to old files late, and removes those that can go. Answers what was taken over or is kept.
pub fn settle(data: &Path, going: Going) -> io::Result<Vec<Late>> {
    let mut out = Vec::new();
    let place = data.join(LATE);
    let folders: Vec<PathBuf> = std::fs::read_dir(&place).into_iter().flatten().flatten().map(|e| e.path()).collect();
    if folders.is_empty() {
        return Ok(out);
    }
    let clock = Clock::at(&place)?;
    for folder in folders {
        out.extend(settle_one(&folder, going, &clock)?);
    }
    Ok(out)
}

/// Old files that were written anew: the file that has the name, and the text that it has not.
pub fn written_anew(data: &Path) -> Vec<(PathBuf, PathBuf)> {
    let folders = std::fs::read_dir(data.join(LATE)).into_iter().flatten().flatten().map(|e| e.path());
    let anew = folders.filter_map(|folder| {
        let (about, file) = (About::read(&folder)?, folder.join(FILE));
        let bytes = std::fs::read(&file).ok()?;
        (!bytes.is_empty() && about.added(&bytes).is_none()).then(|| (about.root.join(&about.below), file))
    });
    anew.collect()
}

fn settle_one(folder: &Path, going: Going, clock: &Clock) -> io::Result<Option<Late>> {
    let file = folder.join(FILE);
    let Ok(open) = File::open(&file) else {
        // A run was ended before the old file was here.
        if going == Going::All || clock.is_past(&[folder]) {
            std::fs::remove_dir_all(folder)?;
        }
        return Ok(None);
    };
    // Who replaces it holds it, and so does who takes it over.
    if open.try_lock().is_err() {
        return Ok(None);
    }
    let quiet = going == Going::All || clock.is_past(&[&file, folder]) && !open_files::is_written_to(&real(&file));
    let bytes = std::fs::read(&file)?;
    let Some(about) = About::read(folder) else { return Ok(None) };
    let path = about.root.join(&about.below);
    let kept = Late::Kept { path: path.clone(), copy: file.clone() };
    let told = match about.added(&bytes) {
        Some([]) => None,
        Some(added) => {
            if crate::rooted::append(&about.root, &about.below, added).is_err() {
                return Ok(Some(kept));
            }
            About::of(&about.root, &about.below, &bytes).write(folder)?;
            Some(Late::Added(path))
        }
        // Emptied by somebody who has not written yet, or never did.
        None if bytes.is_empty() => None,
        None => return Ok(Some(kept)),
    };
    if quiet {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(told)
}

/// As the system names it.
fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// What time the disk has, as files are dated by it.
struct Clock(std::time::SystemTime);

impl Clock {
    fn at(folder: &Path) -> io::Result<Self> {
        Ok(Self(tempfile::tempfile_in(folder)?.metadata()?.modified()?))
    }

    /// Whether the last change of all of these is a while ago.
    fn is_past(&self, paths: &[&Path]) -> bool {
        let changed = paths.iter().map(|p| p.metadata().and_then(|m| m.modified()));
        changed.into_iter().flatten().all(|t| self.0.duration_since(t).is_ok_and(|age| age > GRACE))
    }
}
