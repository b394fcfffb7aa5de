//! Retention: removes what can be had again and is beyond what the settings keep.
//!
//! Comes in: the six settings and the time. Goes out: what would go, or what went. Nothing younger than the protected window is
//! touched, nor anything from a future that a wrong clock made. Deliberately absent: `lessons.db` and its journal, copies and
//! key. No lesson, approval, trial or tombstone is reached from here.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context as _, Result};
use serde::Serialize;
use uptake_store::Sessions;
use uptake_store::atomic_file::{self, Over, Readers};

use crate::cycle::RUNS;
use crate::settings::Retention;
use crate::spots::is_at;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Where retrospectives of days are kept.
pub const RETROS: &str = "retro";

/// Whether anything is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is only said what would go.
    Look,
    /// It goes.
    Remove,
}

/// What goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Folders of runs.
    pub runs: Vec<PathBuf>,
    /// Sessions whose events go.
    pub sessions: usize,
    /// Lines of logs.
    pub log_lines: usize,
    /// Old retrospectives, records of hooks and damaged session stores.
    pub archives: Vec<PathBuf>,
    /// Locks that nobody holds, and what killed processes left of files.
    pub stale: Vec<PathBuf>,
}

impl Pruned {
    /// Whether nothing goes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Removes what is beyond the settings, or says what that is.
pub fn prune(data: &Path, sessions: Option<&mut Sessions>, keep: &Retention, now: i64, act: Act) -> Result<Pruned> {
    let ages = Ages { now, window: i64::from(keep.protected_window_minutes) * MINUTE };
    let mut out = Pruned {
        runs: runs(data, keep, ages),
        archives: archives(data, keep, ages),
        stale: stale(data, keep, ages),
        ..Pruned::default()
    };
    for log in logs(data) {
        out.log_lines += shorten(&log, keep, ages, act)?;
    }
    if let Some(sessions) = sessions {
        let before = now.saturating_sub(ages.window);
        let numbers = sessions.beyond(keep.max_sessions, before)?;
        out.sessions = match act {
            Act::Look => numbers.len(),
            Act::Remove if numbers.is_empty() => 0,
            Act::Remove => sessions.drop_events(&numbers, before)?,
        };
    }
    if act == Act::Remove {
        out.runs.retain(|path| std::fs::remove_dir_all(path).is_ok());
        out.archives.retain(|path| std::fs::remove_file(path).is_ok());
        out.stale.retain(|path| remove_if_nobodys(path));
    }
    Ok(out)
}

/// What is how old.
#[derive(Clone, Copy)]
struct Ages {
    now: i64,
    window: i64,
}

impl Ages {
    /// How old a file is, in milliseconds; nothing if it is protected.
    fn of(self, path: &Path) -> Option<i64> {
        let changed = std::fs::symlink_metadata(path).ok()?.modified().ok()?;
        let changed =
            changed.duration_since(UNIX_EPOCH).map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        let age = self.now.checked_sub(changed)?;
        (age > self.window && age >= 0).then_some(age)
    }

    /// The same of a folder: as old as the youngest in it.
    fn of_all(self, folder: &Path) -> Option<i64> {
        let mut age = self.of(folder)?;
        for entry in entries(folder) {
            let real = std::fs::symlink_metadata(&entry).ok()?;
            age = age.min(if real.is_dir() { self.of_all(&entry)? } else { self.of(&entry)? });
        }
        Some(age)
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.sort();
    all
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

/// Folders of runs beyond the newest.
fn runs(data: &Path, keep: &Retention, ages: Ages) -> Vec<PathBuf> {
    let real = |p: &PathBuf| std::fs::symlink_metadata(p).is_ok_and(|m| m.is_dir());
    let mut all: Vec<(Option<i64>, PathBuf)> =
        entries(&data.join(RUNS)).into_iter().filter(real).map(|p| (ages.of_all(&p), p)).collect();
    all.sort_by_key(|(age, _)| age.unwrap_or(-1));
    let beyond = all.into_iter().skip(keep.max_runs as usize);
    beyond.filter(|(age, _)| age.is_some()).map(|(_, path)| path).collect()
}

/// Old files that nobody looks at any more.
fn archives(data: &Path, keep: &Retention, ages: Ages) -> Vec<PathBuf> {
    let damaged = entries(data).into_iter().filter(|p| name(p).starts_with("sessions.damaged-"));
    let days = entries(&data.join(RETROS)).into_iter().filter(|p| name(p).ends_with(".jsonl"));
    let asked = entries(&data.join("spool")).into_iter().filter(|p| name(p).ends_with(".rec"));
    let oldest = i64::from(keep.max_archive_age_days) * DAY;
    damaged.chain(days).chain(asked).filter(|p| p.is_file() && ages.of(p).is_some_and(|age| age > oldest)).collect()
}

/// Locks that were not taken for long, and parts of files that a killed process left.
fn stale(data: &Path, keep: &Retention, ages: Ages) -> Vec<PathBuf> {
    let mut folders = vec![data.to_owned(), data.join("projects"), data.join("spool"), data.join(RETROS)];
    for run in entries(&data.join(RUNS)) {
        folders.extend(entries(&run));
    }
    let oldest = i64::from(keep.lock_stale_hours) * HOUR;
    let part = |p: &PathBuf| name(p).starts_with('.') && name(p).contains(".part-");
    let parts = folders.iter().flat_map(|f| entries(f)).filter(part);
    // One for each project that was ever decided in. Those beside the stores are few, and their owners look at nothing but them.
    let locks = entries(&data.join("projects")).into_iter().filter(|p| name(p).ends_with(".lock"));
    let all = parts.chain(locks).filter(|p| p.is_file() && ages.of(p).is_some_and(|age| age > oldest));
    all.filter(|p| is_nobodys(p)).collect()
}

/// Whether no process is writing a file, or has taken it as a lock: who does holds it.
fn is_nobodys(path: &Path) -> bool {
    File::options().write(true).open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// It goes while we hold it: who waits for it finds that it has no name any more ([`crate::spots::locked`]).
fn remove_if_nobodys(path: &Path) -> bool {
    File::options().write(true).open(path).is_ok_and(|file| remove_opened(&file, path))
}

/// Another run may have removed it since it was opened: then the name is somebody else's.
fn remove_opened(file: &File, path: &Path) -> bool {
    file.try_lock().is_ok() && is_at(file, path) && std::fs::remove_file(path).is_ok()
}

/// The logs: of hooks, and what they were asked on which day.
fn logs(data: &Path) -> Vec<PathBuf> {
    let mut all = vec![data.join("hook.log")];
    all.extend(entries(&data.join("spool")).into_iter().filter(|p| name(p).ends_with(".rec")));
    all.retain(|p| std::fs::symlink_metadata(p).is_ok_and(|m| m.is_file()));
    all
}

/// Keeps the last lines of a log. One that is written to is within the window, and left alone.
fn shorten(log: &Path, keep: &Retention, ages: Ages, act: Act) -> Result<usize> {
    if ages.of(log).is_none() {
        return Ok(0);
    }
    let text = std::fs::read(log).with_context(|| format!("cannot read `{}`", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.split_inclusive('\n').filter(|l| !l.trim().is_empty()).count();
    let beyond = lines.saturating_sub(keep.max_log_lines as usize);
    if beyond > 0 && act == Act::Remove {
        let kept: String = text.split_inclusive('\n').filter(|l| !l.trim().is_empty()).skip(beyond).collect();
        // Records begin with the end of the line before.
        let kept = if text.starts_with('\n') { format!("\n{kept}") } else { kept };
        let changed = std::fs::metadata(log).and_then(|m| m.modified());
        atomic_file::write(log, &kept, Readers::User, Over::Replace)
            .with_context(|| format!("cannot write `{}`", log.display()))?;
        // It is as old as its last line.
        if let (Ok(changed), Ok(file)) = (changed, File::options().write(true).open(log)) {
            let _ = file.set_modified(changed);
        }
    }
    Ok(beyond)
}

#[cfg(test)]
mod tests;
