//! What counting and pruning add to `learn`: the same history read with and without them, in turns, and each part timed by itself.
//! The difference of whole runs is as good as the machine is quiet; what a part takes is good on any.
//!
//! Every session was told three lessons and names one of them with a place, so that uses, citations and trials are there to be
//! counted. Then ten sessions are new beside all others.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use uptake::cycle::after_reading;
use uptake::ingest::ingest;
use uptake::settings::Settings;
use uptake::stores::Stores;
use uptake::transcripts;
use uptake::world::World;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Lesson, by_hand};
use uptake_store::Lessons;
use uptake_store::spool::Shown;
use uptake_testkit::{Rng, folders};

use crate::bench_init::{PROJECTS, session};
use crate::bench_lessons::middle;

/// Sessions of the history, and new ones beside it.
const SESSIONS: usize = 200;
const NEW: usize = 10;
/// Approved lessons of a project, and how many of them a session is told.
const LESSONS: usize = 10;
const TOLD: usize = 3;
/// Runs of each.
const RUNS: usize = 7;
/// After the last session, in milliseconds since 1970: 20 November 2026.
const NOW: i64 = 1_795_132_800_000;
/// Lines of a log that is too long.
const LINES: usize = 20_000;

/// What a run does after it read.
#[derive(Clone, Copy, PartialEq)]
enum After {
    Nothing,
    Counting,
    /// Half of the sessions are beyond what is kept.
    Pruning,
}

const VARIANTS: [After; 3] = [After::Nothing, After::Counting, After::Pruning];

/// Runs the measurements.
pub fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let lessons = lessons();
    (0..SESSIONS).try_for_each(|n| write(&home, n, &lessons))?;
    let kept = folder.path().join("kept");
    decided(&kept, &lessons)?;
    told(&kept, &lessons, 0..SESSIONS)?;
    let whole = in_turns(&home, &kept, folder.path(), SESSIONS)?;
    say(&format!("learn: {SESSIONS} sessions, {TOLD} lessons told in each"), whole);
    // All of it is known; then come ten more.
    learn(&home, &kept, After::Counting)?;
    (SESSIONS..SESSIONS + NEW).try_for_each(|n| write(&home, n, &lessons))?;
    told(&kept, &lessons, SESSIONS..SESSIONS + NEW)?;
    say(&format!("learn: {NEW} new sessions beside those"), in_turns(&home, &kept, folder.path(), NEW)?);
    Ok(())
}

/// Seconds of a run: reading, and what follows.
#[derive(Clone, Copy)]
struct Took {
    reading: f64,
    after: f64,
}

fn say(name: &str, [bare, counted, pruned]: [Took; 3]) {
    let whole = |took: Took| took.reading + took.after;
    let added = |took: Took| format!("{:.1} ms = {:.3} of reading", took.after * 1e3, took.after / took.reading);
    println!("{name:<48} read in {:.0} ms; counting takes {}", bare.reading * 1e3, added(counted));
    println!("{:<48} counting, and pruning half of the sessions, {}", "", added(pruned));
    let times = |took: Took| whole(took) / whole(bare);
    println!("{:<48} whole runs: {:.2}× and {:.2}× one without", "", times(counted), times(pruned));
}

/// The median of each variant, run in turns, each on a store of its own.
fn in_turns(home: &Path, kept: &Path, folder: &Path, new: usize) -> Result<[Took; 3]> {
    let mut times: [Vec<Took>; 3] = Default::default();
    let known = Lessons::open(kept)?.trials()?.iter().filter(|t| t.followed.is_some()).count();
    for run in 0..RUNS {
        for (n, after) in VARIANTS.into_iter().enumerate() {
            let data = folder.join(format!("data-{run}-{n}"));
            folders::copy(kept, &data);
            std::fs::write(data.join("hook.log"), "1 trouble of long ago\n".repeat(LINES))?;
            let (read, took) = learn(home, &data, after)?;
            times[n].push(took);
            ensure!(read == new as u64, "{read} sessions read, not {new}");
            check(&data, after, known + if after == After::Nothing { 0 } else { new * TOLD })?;
            std::fs::remove_dir_all(&data)?;
        }
    }
    let median = |times: Vec<Took>| Took {
        reading: middle(times.iter().map(|t| t.reading).collect()),
        after: middle(times.iter().map(|t| t.after).collect()),
    };
    Ok(times.map(median))
}

/// Reads what is new, and does what follows. Answers how many sessions were read.
fn learn(home: &Path, data: &Path, after: After) -> Result<(u64, Took)> {
    let world = World { home: home.to_owned(), data: data.to_owned(), config: home.join("config.toml"), now: NOW };
    let mut settings = Settings::default();
    if after == After::Pruning {
        settings.retention.max_sessions = SESSIONS as u32 / 2;
    } else {
        settings.retention.max_log_lines = LINES as u32;
    }
    let found = transcripts::find(&[home.join(".claude/projects")]);
    let begun = Instant::now();
    let mut stores = Stores::open(data)?;
    let read = ingest(&found, &mut stores, &world, &settings)?.report.read;
    let reading = begun.elapsed().as_secs_f64();
    if after != After::Nothing {
        after_reading(&mut stores, &settings, &world)?;
    }
    Ok((read, Took { reading, after: begun.elapsed().as_secs_f64() - reading }))
}

/// That each variant did what it is named after.
fn check(data: &Path, after: After, wanted: usize) -> Result<()> {
    let stores = Stores::open(data)?;
    let counted = stores.lessons.trials()?.iter().filter(|t| t.followed.is_some()).count();
    ensure!(counted == wanted, "{counted} of what was told was looked up, not {wanted}");
    let lines = std::fs::read_to_string(data.join("hook.log"))?.lines().count();
    ensure!((lines < LINES) == (after == After::Pruning), "{lines} lines are left");
    Ok(())
}

fn project(n: usize) -> String {
    format!("path:/srv/shop-{n}")
}

/// By project.
fn lessons() -> Vec<Vec<Lesson>> {
    let of = |n: usize| {
        (0..LESSONS).map(|m| by_hand(&project(n), &format!("Rule {m}: invoices of region{m} are rounded"), 1)).collect()
    };
    (0..PROJECTS).map(of).collect()
}

fn decided(data: &Path, lessons: &[Vec<Lesson>]) -> Result<()> {
    let mut store = Lessons::open(data)?;
    let all: Vec<Lesson> = lessons.iter().flatten().cloned().collect();
    store.add_shown(&all)?;
    Ok(store.decide_all(&all, Verdict::Approved, 1)?)
}

fn id(n: usize) -> String {
    format!("{n:08x}-0000-4000-8000-{n:012x}")
}

/// The lessons that a session is told.
fn of_session(n: usize, lessons: &[Vec<Lesson>]) -> impl Iterator<Item = &Lesson> {
    lessons[n % PROJECTS].iter().cycle().skip(n / PROJECTS % LESSONS).take(TOLD)
}

/// What hooks told in these sessions, as `learn` takes it over.
fn told(data: &Path, lessons: &[Vec<Lesson>], sessions: std::ops::Range<usize>) -> Result<()> {
    let shown = |n: usize| {
        of_session(n, lessons).map(move |lesson| Shown {
            id: format!("{n}-{}", lesson.id),
            lesson: lesson.id.clone(),
            about: "card".to_owned(),
            source: "claude".to_owned(),
            session: id(n),
            moment: "start".to_owned(),
            at: 1,
            chance: 0,
            withheld: false,
        })
    };
    let all: Vec<Shown> = sessions.flat_map(shown).collect();
    let mut store = Lessons::open(data)?;
    store.keep_trials(&all)?;
    Ok(store.keep_outcomes(&all)?)
}

/// A session that names one of its lessons in the end.
fn write(home: &Path, n: usize, lessons: &[Vec<Lesson>]) -> Result<()> {
    let of = n % PROJECTS;
    let folder: PathBuf = home.join(format!(".claude/projects/-srv-shop-{of}"));
    std::fs::create_dir_all(&folder)?;
    let lesson = of_session(n, lessons).next().context("a lesson")?;
    let named = json!({
        "parentUuid": null, "isSidechain": false, "cwd": format!("/srv/shop-{of}"), "sessionId": id(n), "version": "2.1.0",
        "type": "assistant", "uuid": format!("{n}-end"), "timestamp": "2026-10-28T10:00:00.000Z",
        "message": { "role": "assistant", "content": format!("Applied {} in src/order.rs:10 and src/cart.rs:7.", &lesson.id[..5]) },
    });
    let mut rng = Rng::new(n as u64, "counting");
    let text = format!("{}{named}\n", session(&id(n), of, &mut rng));
    Ok(std::fs::write(folder.join(format!("{}.jsonl", id(n))), text)?)
}
