//! What hooks write: one framed record each, appended to a file per session. The next command takes them over.
//!
//! A hook must not wait for a database lock. A frame is a newline, the length, a checksum and JSON; a torn frame
//! costs only itself. Hooks of one session take turns ([`Turn`]): what one shows, the next one sees. The lock is the
//! system's own, on the file of records: it ends with its process, and leaves nothing behind.

mod moments;
mod releases;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use self::moments::{AskedAt, asked_since, gates_of, note_asked, note_gate, sweep_asked};
pub use self::releases::{Releases, WRITE_UP};
use crate::{Result, StoreError, open};

/// How long a hook waits for another one of its session. It holds its turn for less than a millisecond, if it has a
/// processor to run on.
const PATIENCE: Duration = Duration::from_millis(100);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// A hint that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The same for the same showing.
    pub id: String,
    /// Which lesson.
    pub lesson: String,
    /// What it was about, where a lesson speaks of many things.
    pub about: String,
    /// To which agent.
    pub source: String,
    /// In which session.
    pub session: String,
    /// At which moment.
    pub moment: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The chance of being withheld, in thousandths; 0 if nothing was drawn.
    pub chance: u16,
    /// Whether it was withheld: then the agent did not hear it.
    pub withheld: bool,
}

fn file(home: &Path, source: &str, session: &str) -> PathBuf {
    // Session ids come from outside: nothing of them may leave the folder.
    let safe: String =
        session.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(80).collect();
    home.join("spool").join(format!("{source}-{safe}.log"))
}

fn checksum(text: &str) -> u32 {
    // FNV-1a: enough to tell a torn frame from a whole one
    text.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// A hook's turn in its session: as long as it is held, no other hook of that session says anything.
pub struct Turn {
    path: PathBuf,
    /// Why nothing can be written down, if so.
    file: io::Result<File>,
    heard: Vec<Shown>,
    session: String,
}

impl Turn {
    /// Waits for the turn; `None` if another hook keeps it. Where nothing can be written nobody can take turns: then it is
    /// known what was shown before, and two hooks at once may both speak.
    pub fn take(home: &Path, source: &str, session: &str) -> Option<Self> {
        let path = file(home, source, session);
        let mut opened = locked(&path);
        if opened.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock) {
            return None;
        }
        let mut bytes = Vec::new();
        // What cannot be read now cannot be told from nothing.
        let _ = match &mut opened {
            Ok(file) => file.read_to_end(&mut bytes),
            Err(_) => File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        Some(Self { heard: parse(&bytes), file: opened, path, session: session.to_owned() })
    }

    /// Whether a lesson was shown in this session about the same thing.
    pub fn was_heard(&self, lesson: &str, about: &str) -> bool {
        self.heard_at(lesson, about).is_some()
    }

    /// When a lesson was last shown in this session about the same thing.
    pub fn heard_at(&self, lesson: &str, about: &str) -> Option<i64> {
        let same = |h: &&Shown| h.lesson == lesson && h.about == about && h.session == self.session && !h.withheld;
        self.heard.iter().rfind(same).map(|h| h.at)
    }

    /// Whether a lesson was withheld in this session before: that is noted once.
    pub fn was_withheld(&self, lesson: &str) -> bool {
        self.heard.iter().any(|h| h.withheld && h.lesson == lesson && h.session == self.session)
    }

    /// Writes down what is shown now, and ends the turn. To be called before it is shown: a hint that is lost is better
    /// than one told twice.
    pub fn end(self, shown: &[Shown]) -> Result<()> {
        let write = self.file.and_then(|mut file| file.write_all(frames(shown).as_bytes()));
        write.map_err(|source| StoreError::Io { path: self.path, source })
    }
}

/// The file of records, made if need be, for us alone. Fails with `WouldBlock` if another process keeps it.
fn locked(path: &Path) -> io::Result<File> {
    let until = Instant::now() + PATIENCE;
    loop {
        let file = opened(path)?;
        match file.try_lock() {
            // Taken over and removed since it was opened: what is written there nobody reads.
            Ok(()) if is_removed(&file) => {}
            // Some network folders know no locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            Err(e @ TryLockError::WouldBlock) => return Err(e.into()),
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match (options.open(path), path.parent()) {
        (Err(e), Some(folder)) if e.kind() == io::ErrorKind::NotFound => {
            open::make_home(folder).map_err(io::Error::other)?;
            options.open(path)
        }
        (opened, _) => opened,
    }
}

#[cfg(unix)]
fn is_removed(file: &File) -> bool {
    file.metadata().is_ok_and(|m| std::os::unix::fs::MetadataExt::nlink(&m) == 0)
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_removed(_file: &File) -> bool {
    false
}

fn frames(shown: &[Shown]) -> String {
    let mut frames = String::new();
    for s in shown {
        let Shown { id, lesson, about, source, session, moment, at, chance, withheld } = s;
        let json = serde_json::json!([id, lesson, source, session, moment, at, about, chance, withheld]).to_string();
        frames.push_str(&framed(&json));
    }
    frames
}

fn framed(json: &str) -> String {
    format!("\n{:06x} {:08x} {json}", json.len(), checksum(json))
}

/// What is in a frame; `None` if it is torn.
fn body_of(line: &str) -> Option<&str> {
    let (len, rest) = line.split_once(' ')?;
    let (sum, json) = rest.split_once(' ')?;
    let sound =
        usize::from_str_radix(len, 16).ok()? == json.len() && u32::from_str_radix(sum, 16).ok()? == checksum(json);
    sound.then_some(json)
}

fn parse(bytes: &[u8]) -> Vec<Shown> {
    // A torn frame may end inside a character.
    String::from_utf8_lossy(bytes).lines().filter_map(frame).collect()
}

fn frame(line: &str) -> Option<Shown> {
    let json = body_of(line)?;
    type Whole = (String, String, String, String, String, i64, String, u16, bool);
    if let Ok((id, lesson, source, session, moment, at, about, chance, withheld)) = serde_json::from_str::<Whole>(json)
    {
        return Some(Shown { id, lesson, about, source, session, moment, at, chance, withheld });
    }
    // Records of older releases do not say what a hint was about, or of a chance.
    type Old = (String, String, String, String, String, i64, String);
    let (id, lesson, source, session, moment, at, about) = match serde_json::from_str::<Old>(json) {
        Ok(old) => old,
        Err(_) => {
            let (id, lesson, source, session, moment, at) = serde_json::from_str(json).ok()?;
            (id, lesson, source, session, moment, at, String::new())
        }
    };
    Some(Shown { id, lesson, about, source, session, moment, at, chance: 0, withheld: false })
}

/// All records, with the files they are in.
pub fn read_all(home: &Path) -> Vec<(PathBuf, Vec<Shown>)> {
    let Ok(entries) = std::fs::read_dir(home.join("spool")) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "log")).collect();
    files.sort();
    files.into_iter().filter_map(|p| Some((p.clone(), parse(&std::fs::read(&p).ok()?)))).collect()
}

/// Removes a file of records, if there is nothing else in it. It stays if a hook is at it.
pub fn remove(path: &Path, records: &[Shown]) {
    let Ok(mut file) = OpenOptions::new().read(true).append(true).open(path) else { return };
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return;
    }
    let mut bytes = Vec::new();
    if file.read_to_end(&mut bytes).is_ok() && parse(&bytes) == records {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "../s/1";

    fn shown(n: i64) -> Shown {
        Shown {
            id: format!("i{n}"),
            lesson: format!("l{n}"),
            about: String::new(),
            source: "claude".into(),
            session: SESSION.into(),
            moment: "failure".into(),
            at: n,
            chance: 0,
            withheld: false,
        }
    }

    fn take(home: &Path) -> Turn {
        Turn::take(home, "claude", SESSION).expect("a turn")
    }

    #[test]
    fn a_torn_frame_costs_only_itself() {
        let home = tempfile::tempdir().expect("a folder");
        take(home.path()).end(&[shown(1)]).expect("written");
        let path = file(home.path(), "claude", SESSION);
        assert!(path.starts_with(home.path().join("spool")));
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend_from_slice(b"\n000040 12345678 [\"torn \xC3");
        std::fs::write(&path, bytes).expect("written");
        take(home.path()).end(&[shown(2)]).expect("written");
        assert_eq!(take(home.path()).heard, [shown(1), shown(2)]);
        assert_eq!(read_all(home.path()).len(), 1);
    }

    #[test]
    fn what_was_shown_is_heard_in_its_session_only() {
        let home = tempfile::tempdir().expect("a folder");
        take(home.path()).end(&[shown(1)]).expect("written");
        assert!(take(home.path()).was_heard("l1", ""));
        assert!(!take(home.path()).was_heard("l2", ""));
        // The same file, another session.
        assert!(!Turn::take(home.path(), "claude", "../s_1").expect("a turn").was_heard("l1", ""));
    }

    #[test]
    fn a_turn_is_had_by_one_hook_at_a_time() {
        let home = tempfile::tempdir().expect("a folder");
        let first = take(home.path());
        assert!(Turn::take(home.path(), "claude", SESSION).is_none(), "it is not free");
        assert!(Turn::take(home.path(), "claude", "another").is_some(), "other sessions do not wait");
        first.end(&[shown(1)]).expect("written");
        assert!(take(home.path()).was_heard("l1", ""));
    }

    #[test]
    fn one_of_many_hooks_at_once_shows_a_lesson() {
        let home = tempfile::tempdir().expect("a folder");
        let (spoken, barrier) = (std::sync::atomic::AtomicUsize::new(0), std::sync::Barrier::new(32));
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    barrier.wait();
                    let Some(turn) = Turn::take(home.path(), "claude", SESSION) else { return };
                    if !turn.was_heard("l1", "") {
                        turn.end(&[shown(1)]).expect("written");
                        spoken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(spoken.into_inner(), 1);
    }

    #[test]
    fn a_file_that_a_hook_is_at_is_not_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let path = file(home.path(), "claude", SESSION);
        let turn = take(home.path());
        remove(&path, &[]);
        assert!(path.exists(), "a hook is at it");
        turn.end(&[shown(1)]).expect("written");
        remove(&path, &[]);
        assert!(path.exists(), "there is more in it than was taken over");
        remove(&path, &[shown(1)]);
        assert!(!path.exists());
        // It was removed while a hook waited for it: the record must be where the next one looks.
        take(home.path()).end(&[shown(2)]).expect("written");
        assert!(take(home.path()).was_heard("l2", ""));
    }

    #[test]
    fn where_nothing_can_be_written_it_is_known_what_was_shown() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join("spool"), "no folder").expect("written");
        let turn = take(home.path());
        assert!(!turn.was_heard("l1", ""));
        assert!(turn.end(&[shown(1)]).is_err());
    }
}
