//! Files that gave their place to one of ours: who had one open before may still write to it.
//!
//! Comes in: the old file, after the change of places. It is kept in our own data folder for a while. Goes out: what was added to
//! it late, put at the end of the file that has its name now; where it was written anew, it stays here, and the user is told.
//! Deliberately absent: a promise for a file on another disk than our data. It cannot be moved here, and goes when nobody is seen
//! writing to it.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
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
    /// All: nothing of what they hold may stay. What a person wrote anew is theirs, and is told.
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
    /// How long the file that has its name was when more began to be added to that; nothing once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    appending: Option<usize>,
}

impl About {
    fn of(root: &Path, below: &Path, taken: &[u8]) -> Self {
        let (root, below) = (root.to_owned(), below.to_owned());
        Self { root, below, length: taken.len(), sum: blake3::hash(taken).to_hex().to_string(), appending: None }
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

    /// Notes that more is added to the new file, which has so much of it and is so long.
    pub fn note_adding(&self, taken: &[u8], at: usize) -> io::Result<()> {
        About { appending: Some(at), ..About::of(&self.root, &self.below, taken) }.write(&self.folder)
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
    let clock = Clock::at(&place);
    let mut trouble = None;
    for folder in folders {
        match settle_one(&folder, going, &clock) {
            Ok(told) => out.extend(told),
            Err(e) => trouble = Some(e),
        }
    }
    // What stays is looked at again by the next run. Who wants nothing to stay must know.
    trouble.filter(|_| going == Going::All).map_or(Ok(out), Err)
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
    let open = match File::open(&file) {
        // A run was ended before the old file was here.
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if going == Going::All || clock.is_past(&[folder]) {
                std::fs::remove_dir_all(folder)?;
            }
            return Ok(None);
        }
        other => other?,
    };
    let stays = |path: &Path| Some(Late::Kept { path: path.to_owned(), copy: file.clone() });
    // Who replaces it holds it, and so does who takes it over.
    if open.try_lock().is_err() {
        return Ok(stays(&file).filter(|_| going == Going::All));
    }
    let quiet = going == Going::All || clock.is_past(&[&file, folder]) && !open_files::is_written_to(&real(&file));
    let bytes = std::fs::read(&file)?;
    let Some(about) = About::read(folder) else { return Ok(stays(&file).filter(|_| going == Going::All)) };
    let path = about.root.join(&about.below);
    let told = match about.added(&bytes) {
        Some([]) => None,
        Some(added) => {
            if take_over(about, folder, &bytes, added).is_err() {
                return Ok(stays(&path));
            }
            Some(Late::Added(path))
        }
        // Emptied by somebody who has not written yet, or never did.
        None if bytes.is_empty() => None,
        None => return Ok(stays(&path)),
    };
    if quiet {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(told)
}

/// Adds to the end of the new file what was added to the old one. It is noted before where that begins: a run that is killed on the
/// way has the next one go on, and not begin anew.
fn take_over(mut about: About, folder: &Path, bytes: &[u8], added: &[u8]) -> io::Result<()> {
    let mut file = crate::rooted::open_to_add(&about.root, &about.below)?;
    let mut there = Vec::new();
    file.read_to_end(&mut there)?;
    // It begins a line, unless it ends one of which the start was taken over.
    let ends_a_line = bytes.get(..about.length).is_some_and(ends_in_half_a_line);
    let more_at = |at: usize| {
        let newline: &[u8] = if ends_in_half_a_line(&there[..at]) && !ends_a_line { b"\n" } else { b"" };
        [newline, added].concat()
    };
    let begun = about.appending.filter(|at| *at <= there.len()).map(|at| (at, more_at(at), &there[at..]));
    let begun = begun.filter(|(_, more, done)| more.starts_with(done) || done.starts_with(more));
    let (at, more, done) = begun.unwrap_or_else(|| (there.len(), more_at(there.len()), &[]));
    about.appending = Some(at);
    about.write(folder)?;
    file.write_all(more.get(done.len()..).unwrap_or_default())?;
    file.sync_all()?;
    About::of(&about.root, &about.below, bytes).write(folder)
}

pub(crate) fn ends_in_half_a_line(text: &[u8]) -> bool {
    text.last().is_some_and(|byte| *byte != b'\n')
}

/// As the system names it.
fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

/// What time the disk has, as files are dated by it; nothing where it does not say.
struct Clock(Option<std::time::SystemTime>);

impl Clock {
    fn at(folder: &Path) -> Self {
        Self(tempfile::tempfile_in(folder).and_then(|file| file.metadata()?.modified()).ok())
    }

    /// Whether the last change of all of these is a while ago.
    fn is_past(&self, paths: &[&Path]) -> bool {
        let changed = paths.iter().map(|p| p.metadata().and_then(|m| m.modified()));
        let is_old = |t| self.0.is_some_and(|now| now.duration_since(t).is_ok_and(|age| age > GRACE));
        changed.into_iter().flatten().all(is_old)
    }
}
