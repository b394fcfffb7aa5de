//! `retention`: a year in a few minutes. Every day a few sessions of the corpus (without one: of the fixtures) come in under new ids
//! and on that day, hooks ask, `learn` runs, and the client removes transcripts that are thirty days old. What uptake keeps of it
//! stays within its caps, in bytes, and every session that was read keeps its row.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use uptake_testkit::database;

use super::world::{World, binary, files, finish};
use super::{Figure, Options, root, say};

const DAYS: i64 = 365;
const DAY: i64 = 86_400_000;
/// The first day: in a future that no file of this run has by itself.
const BEGIN: i64 = 2_000_000_000_000;
/// Sessions that end on a day.
const A_DAY: usize = 4;
/// Days after which the client removes a transcript.
const CLIENT_KEEPS: i64 = 30;
/// The settings, small enough to be met soon.
const MAX_SESSIONS: usize = 60;
const MAX_LINES: usize = 200;
const MAX_DAYS: usize = 30;
/// What stays of every session that was ever read: rows that tell it apart and how far it was read.
const ROWS: u64 = 4 * 1024; // bytes
/// An empty database with its indexes, and pages that wait for the next day.
const SPARE: u64 = 2 * 1024 * 1024; // bytes
/// Longest record of a hook.
const RECORD: u64 = 200; // bytes
/// Larger transcripts would make a year too long.
const LARGEST: u64 = 1024 * 1024; // bytes
/// Different sessions that come in turn.
const DIFFERENT: usize = 120;

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let world = World::new(&binary(options)?)?;
    let sources = sources(options)?;
    let settings = format!(
        "[retention]\nmax-sessions = {MAX_SESSIONS}\nmax-log-lines = {MAX_LINES}\nmax-archive-age-days = {MAX_DAYS}\n"
    );
    world.write(&world.home().join(".config/uptake/config.toml"), settings.as_bytes())?;
    let mut year = Year { world, sources, sizes: Vec::new(), rows: 0, fewer: 0 };
    let (mut over, mut spool_over, mut highest, mut spool_highest) = (Vec::new(), 0, 0.0_f64, 0);
    for day in 0..DAYS {
        year.live(day)?;
        year.count_rows();
        let (cap, kept) = (year.cap(), year.kept("sessions.db"));
        highest = highest.max(kept as f64 / cap as f64);
        if kept > cap {
            over.push(format!("day {day}: {kept} of {cap} bytes"));
        }
        let spool: u64 = files(&year.world.data().join("spool")).iter().map(|f| size(f)).sum();
        spool_highest = spool_highest.max(spool);
        spool_over += usize::from(spool > spool_cap());
        if day % 60 == 59 {
            say(&format!("retention: day {}: sessions.db {kept} bytes (cap {cap}), spool {spool}", day + 1));
        }
    }
    year.figures(over, spool_over, highest, spool_highest)
}

/// Bytes of the days that are kept, each as long as a log may be, and of today.
fn spool_cap() -> u64 {
    (MAX_DAYS as u64 + 2) * MAX_LINES as u64 * RECORD
}

/// Transcripts of Claude Code, smallest first, so that the same ones are taken on every machine.
fn sources(options: &Options) -> Result<Vec<PathBuf>> {
    let folder = options.corpus.as_ref().map_or_else(|| root().join("fixtures/recorded"), |c| c.join("claude"));
    let session = |p: &PathBuf| p.extension().is_some_and(|e| e == "jsonl") && size(p) <= LARGEST;
    let claude = |p: &PathBuf| options.corpus.is_some() || p.components().any(|c| c.as_os_str() == "projects");
    let mut all: Vec<PathBuf> = files(&folder).into_iter().filter(session).filter(claude).collect();
    all.sort_by_key(|p| (size(p), p.clone()));
    let step = (all.len() / DIFFERENT).max(1);
    let some: Vec<PathBuf> = all.into_iter().step_by(step).collect();
    ensure!(!some.is_empty(), "no sessions in `{}`", folder.display());
    Ok(some)
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |m| m.len())
}

struct Year {
    world: World,
    sources: Vec<PathBuf>,
    /// Bytes of each transcript that came in.
    sizes: Vec<u64>,
    /// Sessions that have a row, and days on which there were fewer than before.
    rows: i64,
    fewer: usize,
}

impl Year {
    /// One day.
    fn live(&mut self, day: i64) -> Result<()> {
        for n in 0..A_DAY {
            let number = self.sizes.len();
            let text = on_day(&std::fs::read_to_string(&self.sources[number % self.sources.len()])?, day, n);
            self.sizes.push(text.len() as u64);
            self.world.write(&self.transcript(day, n), text.as_bytes())?;
            let start = json!({ "session_id": format!("d{day}-{n}"), "cwd": self.world.project(), "source": "startup",
                "hook_event_name": "SessionStart" });
            self.uptake(&["hook", "claude"], day, start.to_string().as_bytes())?;
        }
        if day >= CLIENT_KEEPS {
            (0..A_DAY).for_each(|n| drop(std::fs::remove_file(self.transcript(day - CLIENT_KEEPS, n))));
        }
        // `learn` prunes by the time of files.
        self.date(day)?;
        self.uptake(&["learn", "--json"], day, b"")?;
        self.date(day)
    }

    /// Some transcripts have no session in them; what has a row keeps it.
    fn count_rows(&mut self) {
        let rows = database::number(&self.world.data().join("sessions.db"), "SELECT count(*) FROM sessions");
        self.fewer += usize::from(rows < self.rows);
        self.rows = rows;
    }

    fn transcript(&self, day: i64, n: usize) -> PathBuf {
        self.world.home().join(format!(".claude/projects/ledger/d{day}-{n}.jsonl"))
    }

    fn uptake(&self, args: &[&str], day: i64, input: &[u8]) -> Result<()> {
        let now = (BEGIN + day * DAY).to_string();
        let said = finish(self.world.command(&[]).args(args).env("UPTAKE_NOW", now), input)?;
        ensure!(said.ok, "{args:?} on day {day}: {}", String::from_utf8_lossy(&said.err));
        Ok(())
    }

    /// Files that were written today have the time of this machine: they get that of the day.
    fn date(&self, day: i64) -> Result<()> {
        let time = |millis: i64| UNIX_EPOCH + Duration::from_millis(millis.unsigned_abs());
        for path in files(&self.world.data()) {
            let file = std::fs::File::options().write(true).open(&path)?;
            if file.metadata()?.modified()? < time(BEGIN - DAY) {
                file.set_modified(time(BEGIN + day * DAY))?;
            }
        }
        Ok(())
    }

    /// What may be kept: events of so many sessions, never more than their transcripts have, and rows of all.
    fn cap(&self) -> u64 {
        // What is younger than the window stays beside those that are kept.
        let newest = self.sizes.iter().rev().take(MAX_SESSIONS + A_DAY).sum::<u64>();
        newest + self.sizes.len() as u64 * ROWS + SPARE
    }

    /// Bytes of a database with what SQLite has beside it.
    fn kept(&self, name: &str) -> u64 {
        ["", "-wal", "-shm"].iter().map(|end| size(&self.world.data().join(format!("{name}{end}")))).sum()
    }

    fn figures(&self, over: Vec<String>, spool_over: usize, highest: f64, spool: u64) -> Result<Vec<Figure>> {
        let number = |name: &str, sql: &str| database::number(&self.world.data().join(name), sql);
        let with_events = number("sessions.db", "SELECT count(DISTINCT place >> 32) FROM events") as usize;
        let read: u64 = self.sizes.iter().sum();
        Ok(vec![
            Figure::new("sessions that came in over a year", self.sizes.len()),
            Figure::new("bytes of their transcripts", read),
            Figure::none("days on which sessions.db was over its cap in bytes", over.len()).why(over.join("; ")),
            Figure::new("most of the cap that sessions.db had", format!("{:.0} %", highest * 100.0)),
            Figure::new("bytes of sessions.db in the end", self.kept("sessions.db")),
            Figure::none("days on which the spool was over its cap in bytes", spool_over),
            Figure::new("most bytes of the spool", spool).bar(format!("≤ {}", spool_cap()), spool <= spool_cap()),
            Figure::new("sessions whose events are kept", with_events)
                .bar(format!("≤ {}", MAX_SESSIONS + A_DAY), with_events <= MAX_SESSIONS + A_DAY),
            Figure::new("sessions that have a row in the end", self.rows),
            Figure::none("days on which there were fewer rows than before", self.fewer),
        ])
    }
}

/// A transcript as a session of its own on a day.
fn on_day(text: &str, day: i64, n: usize) -> String {
    let session = format!("d{day}-{n}");
    let mut out = String::new();
    for (at, line) in text.lines().enumerate() {
        let Ok(Value::Object(mut record)) = serde_json::from_str(line) else { continue };
        let time = BEGIN + day * DAY - 2 * 3_600_000 + at as i64 * 1_000;
        let time = jiff::Timestamp::from_millisecond(time).map(|t| t.to_string()).unwrap_or_default();
        if record.contains_key("timestamp") {
            record.insert("timestamp".to_owned(), time.into());
        }
        if record.contains_key("sessionId") {
            record.insert("sessionId".to_owned(), session.clone().into());
        }
        for key in ["uuid", "parentUuid", "leafUuid", "requestId"] {
            if let Some(Value::String(id)) = record.get_mut(key) {
                *id = format!("{session}-{id}");
            }
        }
        if let Some(Value::String(id)) = record.get_mut("message").and_then(|m| m.get_mut("id")) {
            *id = format!("{session}-{id}");
        }
        out.push_str(&Value::Object(record).to_string());
        out.push('\n');
    }
    out
}
