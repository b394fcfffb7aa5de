//! What hooks write: one framed record each, appended to a file per session. The next command takes them over.
//!
//! A hook must not wait for a database lock. A frame is a newline, the length, a checksum and JSON; a torn frame
//! costs only itself.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::{Result, StoreError, open};

/// A hint that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The same for the same showing.
    pub id: String,
    /// Which lesson.
    pub lesson: String,
    /// To which agent.
    pub source: String,
    /// In which session.
    pub session: String,
    /// At which moment.
    pub moment: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
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

/// Appends records.
pub fn append(home: &Path, shown: &[Shown]) -> Result<()> {
    let Some(first) = shown.first() else { return Ok(()) };
    let path = file(home, &first.source, &first.session);
    if let Some(folder) = path.parent() {
        open::make_home(folder)?;
    }
    let mut frames = String::new();
    for s in shown {
        let json = serde_json::json!([s.id, s.lesson, s.source, s.session, s.moment, s.at]).to_string();
        frames.push_str(&format!("\n{:06x} {:08x} {json}", json.len(), checksum(&json)));
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || options.open(&path)?.write_all(frames.as_bytes());
    write().map_err(|source| StoreError::Io { path, source })
}

/// What was shown in a session so far.
pub fn shown_in(home: &Path, source: &str, session: &str) -> Vec<Shown> {
    std::fs::read(file(home, source, session)).map(|bytes| parse(&bytes)).unwrap_or_default()
}

fn parse(bytes: &[u8]) -> Vec<Shown> {
    // A torn frame may end inside a character.
    String::from_utf8_lossy(bytes).lines().filter_map(frame).collect()
}

fn frame(line: &str) -> Option<Shown> {
    let (len, rest) = line.split_once(' ')?;
    let (sum, json) = rest.split_once(' ')?;
    let sound =
        usize::from_str_radix(len, 16).ok()? == json.len() && u32::from_str_radix(sum, 16).ok()? == checksum(json);
    let (id, lesson, source, session, moment, at) = serde_json::from_str(json).ok().filter(|_| sound)?;
    Some(Shown { id, lesson, source, session, moment, at })
}

/// All records, with the files they are in.
pub fn read_all(home: &Path) -> Vec<(PathBuf, Vec<Shown>)> {
    let Ok(entries) = std::fs::read_dir(home.join("spool")) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "log")).collect();
    files.sort();
    files.into_iter().filter_map(|p| Some((p.clone(), parse(&std::fs::read(&p).ok()?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(n: i64) -> Shown {
        Shown {
            id: format!("i{n}"),
            lesson: "l".into(),
            source: "claude".into(),
            session: "../s/1".into(),
            moment: "failure".into(),
            at: n,
        }
    }

    #[test]
    fn a_torn_frame_costs_only_itself() {
        let home = tempfile::tempdir().expect("a folder");
        append(home.path(), &[shown(1)]).expect("written");
        let path = file(home.path(), "claude", "../s/1");
        assert!(path.starts_with(home.path().join("spool")));
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend_from_slice(b"\n000040 12345678 [\"torn \xC3");
        std::fs::write(&path, bytes).expect("written");
        append(home.path(), &[shown(2)]).expect("written");
        assert_eq!(shown_in(home.path(), "claude", "../s/1"), [shown(1), shown(2)]);
        assert_eq!(read_all(home.path()).len(), 1);
    }
}
