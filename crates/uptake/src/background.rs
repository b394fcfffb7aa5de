//! Learning in the background: when it is due, how it is started, and what ends it.
//!
//! Comes in: sessions that ended. Goes out: a run of `learn` in a session of its own, one at a time, a few a day, with an end.
//! A hook starts it and does not wait; whether it is really due the run finds out itself, under its lock.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use uptake_store::atomic_file::{self, Over, Readers};
use uptake_store::{Lessons, spool};

use crate::env_vars;
use crate::hook::note;
use crate::settings::Settings;

/// Sessions that must have ended since the last run; more where much was seen already.
const SESSIONS: usize = 3;
const MORE_SESSIONS: usize = 5;
/// What is much: so many observations.
const MUCH: usize = 15;
/// After so long one is enough.
const LONG_AGO: u64 = DAY.unsigned_abs();
/// Between two runs.
const PAUSE: u64 = 10 * 60 * 1_000; // milliseconds
const DAY: i64 = 86_400_000;
/// A run that takes longer is ended. What it read stays read.
const LIMIT: Duration = Duration::from_secs(600);

/// What was run, kept beside the stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// When the last one began, in milliseconds since 1970.
    pub last: i64,
    /// The day of that.
    day: i64,
    /// How many there were that day.
    today: u32,
}

impl Runs {
    /// What was run so far.
    pub fn of(data: &Path) -> Self {
        std::fs::read(path(data)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// How many there were today.
    pub fn today(self, now: i64) -> u32 {
        if self.day == now.div_euclid(DAY) { self.today } else { 0 }
    }

    /// Whether another one may begin. One from the future was noted when the clock was wrong.
    fn allows(self, now: i64, most: u32) -> bool {
        self.today(now) < most && now.abs_diff(self.last) >= PAUSE
    }

    fn and_one(self, now: i64) -> Self {
        Self { last: now, day: now.div_euclid(DAY), today: self.today(now) + 1 }
    }
}

fn path(data: &Path) -> PathBuf {
    data.join("background.json")
}

/// Starts a run that nobody waits for, if one is allowed now.
pub fn start(data: &Path, now: i64, settings: &Settings) -> Result<()> {
    if env_vars::is_readers() || !data.is_dir() || !Runs::of(data).allows(now, settings.background_runs) {
        return Ok(());
    }
    spawn(data, &["learn", "--background"]).context("cannot start to learn in the background")
}

/// Has the files made of lessons looked at, and waits for nothing. It is due only when one of them was touched, and takes its
/// turn with everybody else who decides; without runs in the background nothing is started.
pub fn start_reconcile(data: &Path, settings: &Settings) -> Result<()> {
    if env_vars::is_readers() || settings.background_runs == 0 {
        return Ok(());
    }
    spawn(data, &["reconcile", "--background"]).context("cannot look at files in the background")
}

/// The file whose time says when all files were last looked at.
pub fn reconciled(data: &Path) -> PathBuf {
    data.join("projects").join("reconciled")
}

fn spawn(data: &Path, args: &[&str]) -> Result<()> {
    let own = std::env::current_exe().context("cannot find out where uptake itself is")?;
    let mut command = Command::new(own);
    command.args(args).current_dir(data);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Never waited for: when the hook ends, the system does.
    command.spawn()?;
    Ok(())
}

/// The right to run now. As long as it is held nobody else has it.
pub struct Turn {
    _lock: File,
}

impl Turn {
    /// Takes it, if a run is due; a note of it is kept first, so that one that fails is not begun again at once.
    pub fn take(data: &Path, now: i64, settings: &Settings) -> Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(data.join("background.lock"))?;
        let runs = Runs::of(data);
        if lock.try_lock().is_err() || !runs.allows(now, settings.background_runs) || !is_due(data, runs, now) {
            return Ok(None);
        }
        let noted = serde_json::to_string(&runs.and_one(now))?;
        atomic_file::write(&path(data), &noted, Readers::User, Over::Replace)?;
        Ok(Some(Self { _lock: lock }))
    }
}

/// Whether enough sessions ended since the last run.
fn is_due(data: &Path, runs: Runs, now: i64) -> bool {
    let since = runs.last.clamp(now.saturating_sub(7 * DAY), now);
    let ended: BTreeSet<String> = spool::asked_since(data, since)
        .into_iter()
        .filter(|asked| asked.moment == "end")
        .map(|asked| asked.session)
        .collect();
    ended.len() >= wanted(data) || !ended.is_empty() && now.abs_diff(runs.last) >= LONG_AGO
}

/// How many sessions are worth a run. A store that cannot be read is the run's own trouble.
fn wanted(data: &Path) -> usize {
    let lessons = Lessons::open_read_only(data).ok().flatten();
    let much = lessons.and_then(|lessons| lessons.has_observations(MUCH).ok()).unwrap_or(false);
    if much { MORE_SESSIONS } else { SESSIONS }
}

/// Leaves the session of the agent, gives way to everything else, and sees to it that this process ends.
pub fn detach(data: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        // Fails where it leads a group already: then nothing is to be left.
        let _ = rustix::process::setsid();
        let _ = rustix::process::nice(10);
    }
    let data = data.to_owned();
    let watch = move || {
        thread::sleep(LIMIT);
        note(&data, "learning in the background took too long and was ended; the next run goes on");
        #[expect(clippy::disallowed_methods, reason = "any moment is a good one: what was written is whole")]
        std::process::exit(1);
    };
    thread::Builder::new().spawn(watch).context("cannot watch the time")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_few_and_far_between() {
        const PAUSE: i64 = super::PAUSE.cast_signed();
        let now = 20_000 * DAY + 5;
        let one = Runs::default().and_one(now);
        assert!(Runs::default().allows(now, 5) && !Runs::default().allows(now, 0));
        assert!(!one.allows(now + PAUSE - 1, 5) && one.allows(now + PAUSE, 5) && !one.allows(now + PAUSE, 1));
        let five = (1..5).fold(one, |runs, n| runs.and_one(now + n * PAUSE));
        assert!(!five.allows(now + 6 * PAUSE, 5) && five.allows(now + DAY, 5), "a new day");
        assert!(five.allows(now - 2 * DAY, 5), "the clock was wrong");
    }

    #[test]
    fn a_run_waits_for_three_sessions_or_a_day() {
        const PAUSE: i64 = super::PAUSE.cast_signed();
        let home = tempfile::tempdir().expect("a folder");
        let settings = Settings::default();
        let now = 20_000 * DAY;
        let end = |session: &str, at| {
            let asked = spool::AskedAt { at, source: "claude".into(), moment: "end".into(), session: session.into() };
            spool::note_asked(home.path(), &asked).expect("written");
        };
        let take = |at| Turn::take(home.path(), at, &settings).expect("looked at").is_some();
        assert!(!take(now), "nothing ended");
        end("a", now);
        assert!(take(now), "the first, after a long time");
        end("a", now + PAUSE);
        end("b", now + PAUSE);
        end("b", now + PAUSE + 1);
        assert!(!take(now + 2 * PAUSE), "two sessions");
        end("c", now + 2 * PAUSE);
        assert!(take(now + 2 * PAUSE), "three");
        assert!(!take(now + 3 * PAUSE), "they are learned from");
    }

    #[test]
    fn one_run_at_a_time_and_only_so_many_a_day() {
        const PAUSE: i64 = super::PAUSE.cast_signed();
        let home = tempfile::tempdir().expect("a folder");
        let settings = Settings { background_runs: 2, ..Settings::default() };
        let now = 20_000 * DAY;
        let take = |round: i64| {
            let at = now + round * PAUSE;
            for n in 0..SESSIONS {
                let session = format!("s{round}-{n}");
                let asked = spool::AskedAt { at, source: "claude".into(), moment: "end".into(), session };
                spool::note_asked(home.path(), &asked).expect("written");
            }
            Turn::take(home.path(), at, &settings).expect("looked at")
        };
        let first = take(0).expect("the first");
        assert!(take(1).is_none(), "the first goes on");
        drop(first);
        assert!(take(2).is_some(), "it is over");
        assert!(take(3).is_none() && take(4).is_none(), "two a day");
        assert!(take(DAY / PAUSE).is_some(), "the next day");
    }

    #[test]
    fn where_little_was_seen_three_sessions_are_enough() {
        let world = tempfile::tempdir().expect("a folder");
        assert_eq!(wanted(world.path()), SESSIONS, "no store");
        drop(Lessons::open(world.path()).expect("a store"));
        assert_eq!(wanted(world.path()), SESSIONS, "nothing was seen");
    }
}
