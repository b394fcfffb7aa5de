//! That hooks were asked: one short record each, a file for each day. Whoever wants to know whether an agent is heard counts
//! them; nothing of what was asked is in them. That an agent was asked for what it learned stands in files of its own: a hook
//! reads them, and all that was asked on a day is long.
//!
//! A record is one write to the end of a file, so many hooks at once do not wait for each other, and one that is killed
//! loses nothing that was written.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::{body_of, framed, opened};
use crate::{Result, StoreError};

/// A hook that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAt {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// By which agent.
    pub source: String,
    /// At which moment.
    pub moment: String,
    /// In which session.
    pub session: String,
}

const DAY: i64 = 86_400_000;
/// Days that are kept.
const KEPT: i64 = 14;
/// Size at which the file of a day is left as it is.
const LIMIT: u64 = 64 * 1024 * 1024;

/// What a file is of: hooks that were asked.
const ASKED: &str = "asked";
/// Agents that were asked for what they learned.
const GATES: &str = "gates";

fn file(home: &Path, of: &str, day: i64) -> PathBuf {
    home.join("spool").join(format!("{of}-{day}.rec"))
}

/// Writes down that a hook was asked. Nothing is made where nothing is.
pub fn note_asked(home: &Path, asked: &AskedAt) -> Result<()> {
    note(home, ASKED, asked).map(drop)
}

/// Writes down that an agent is asked for what it learned. Answers whether it stands there.
pub fn note_gate(home: &Path, source: &str, agent: &str, at: i64) -> Result<bool> {
    let asked = AskedAt { at, source: source.to_owned(), moment: GATES.to_owned(), session: agent.to_owned() };
    note(home, GATES, &asked)
}

fn note(home: &Path, of: &str, asked: &AskedAt) -> Result<bool> {
    if !home.is_dir() {
        return Ok(false);
    }
    let path = file(home, of, asked.at.div_euclid(DAY));
    let json = serde_json::json!([asked.at, asked.source, asked.moment, asked.session]).to_string();
    let write = || {
        let mut file = opened(&path)?;
        if file.metadata()?.len() > LIMIT {
            return Ok(false);
        }
        file.write_all(framed(&json).as_bytes()).map(|()| true)
    };
    write().map_err(|source| StoreError::Io { path: path.clone(), source })
}

/// How often an agent was asked for what it learned in this time.
pub fn gates_of(home: &Path, source: &str, agent: &str, time: RangeInclusive<i64>) -> usize {
    let days = time.start().div_euclid(DAY)..=time.end().div_euclid(DAY);
    let bytes = days.filter_map(|day| std::fs::read(file(home, GATES, day)).ok());
    let of_agent = |asked: &AskedAt| asked.source == source && asked.session == agent && time.contains(&asked.at);
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).lines().filter_map(record).filter(of_agent).count()).sum()
}

/// All records since a time, oldest file first.
pub fn asked_since(home: &Path, time: i64) -> Vec<AskedAt> {
    let mut all = Vec::new();
    for (day, path) in files(home, ASKED) {
        if day >= time.div_euclid(DAY) {
            let bytes = std::fs::read(path).unwrap_or_default();
            all.extend(String::from_utf8_lossy(&bytes).lines().filter_map(record).filter(|asked| asked.at >= time));
        }
    }
    all
}

fn record(line: &str) -> Option<AskedAt> {
    let (at, source, moment, session) = serde_json::from_str(body_of(line)?).ok()?;
    Some(AskedAt { at, source, moment, session })
}

/// Removes files of days long past.
pub fn sweep_asked(home: &Path, now: i64) {
    let old = now.div_euclid(DAY).saturating_sub(KEPT);
    let all = [ASKED, GATES].into_iter().flat_map(|of| files(home, of));
    all.filter(|(day, _)| *day < old).for_each(|(_, path)| drop(std::fs::remove_file(path)));
}

fn files(home: &Path, of: &str) -> Vec<(i64, PathBuf)> {
    let entries = std::fs::read_dir(home.join("spool")).into_iter().flatten().flatten();
    let of_day = |path: PathBuf| {
        let day =
            path.file_name()?.to_str()?.strip_prefix(of)?.strip_prefix('-')?.strip_suffix(".rec")?.parse().ok()?;
        Some((day, path))
    };
    let mut files: Vec<(i64, PathBuf)> = entries.filter_map(|entry| of_day(entry.path())).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(at: i64, session: &str) -> AskedAt {
        AskedAt { at, source: "claude".into(), moment: "start".into(), session: session.into() }
    }

    #[test]
    fn many_at_once_are_written_down_once_each() {
        let home = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for n in 0..16 {
                let home = home.path();
                scope.spawn(move || {
                    (0..50).for_each(|m| note_asked(home, &asked(DAY + m, &format!("s{n}-{m}"))).expect("written"));
                });
            }
        });
        let mut sessions: Vec<String> = asked_since(home.path(), 0).into_iter().map(|a| a.session).collect();
        sessions.sort();
        sessions.dedup();
        assert_eq!((sessions.len(), asked_since(home.path(), 0).len()), (800, 800));
        assert_eq!(asked_since(home.path(), DAY + 49).len(), 16);
    }

    #[test]
    fn old_days_go_and_torn_records_cost_only_themselves() {
        let home = tempfile::tempdir().expect("a folder");
        note_asked(home.path(), &asked(1, "old")).expect("written");
        let now = 40 * DAY;
        note_asked(home.path(), &asked(now, "new")).expect("written");
        let path = file(home.path(), ASKED, now.div_euclid(DAY));
        let mut bytes = std::fs::read(&path).expect("there");
        bytes.extend_from_slice(b"\n000040 12345678 [1, \"torn \xC3");
        std::fs::write(&path, bytes).expect("written");
        note_asked(home.path(), &asked(now + 1, "newer")).expect("written");
        sweep_asked(home.path(), now);
        assert_eq!(asked_since(home.path(), 0), [asked(now, "new"), asked(now + 1, "newer")]);
        note_asked(&home.path().join("gone"), &asked(1, "x")).expect("nothing to do");
        assert!(!home.path().join("gone").exists());
    }
    #[test]
    fn how_often_an_agent_was_asked_is_known_without_reading_what_else_was_asked() {
        let home = tempfile::tempdir().expect("a folder");
        let time = 9 * DAY..=10 * DAY + 5;
        assert!(!note_gate(&home.path().join("gone"), "claude", "a1", DAY).expect("nothing to do"));
        for (agent, at) in [("a1", 8 * DAY), ("a1", 9 * DAY), ("a1", 10 * DAY), ("a2", 10 * DAY), ("a1", 10 * DAY + 6)]
        {
            assert!(note_gate(home.path(), "claude", agent, at).expect("written"));
        }
        assert_eq!(gates_of(home.path(), "claude", "a1", time.clone()), 2);
        assert_eq!(gates_of(home.path(), "claude", "a2", time.clone()), 1);
        assert_eq!(gates_of(home.path(), "codex", "a1", time.clone()), 0);
        assert_eq!(asked_since(home.path(), 0), [], "no hook was asked");
        note_asked(home.path(), &asked(10 * DAY, "a1")).expect("written");
        assert_eq!(gates_of(home.path(), "claude", "a1", time.clone()), 2);
        sweep_asked(home.path(), 30 * DAY);
        assert_eq!(gates_of(home.path(), "claude", "a1", time), 0, "old days go");
    }
}
