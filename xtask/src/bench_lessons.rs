//! Large stores: a few new observations among many lessons, lists, and the review inbox.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use uptake::folding::{self, Tombstones};
use uptake::settings::Settings;
use uptake::world::World;
use uptake_core::detect::{Claim, Fix, Head, Kind, Observation, Seen, Sure, Trigger};
use uptake_core::session::Origin;
use uptake_store::{Lessons, SeenIn, Wanted, Which};

use crate::bench_growth;

/// New observations at a time.
const NEW: usize = 10;
/// Observations of one session.
const SESSION: usize = 100;
/// The project of all of them.
pub const PROJECT: &str = "git.example.com/dev/ledger";

/// Runs the measurements.
pub fn run(binary: &Path, bash: f64) -> Result<()> {
    for lessons in [10_000, 100_000] {
        let folder = tempfile::tempdir()?;
        fill(folder.path(), lessons, observation)?;
        adding(folder.path(), lessons)?;
        listing(binary, folder.path(), lessons, bash)?;
        inbox(folder.path(), lessons)?;
    }
    bench_growth::run(binary, bash)
}

/// What one session saw: every number is another lesson.
pub fn observation(session: &str, n: usize) -> Observation {
    let error = format!("tool{n}: error: unrecognized arguments: --format json");
    Observation {
        head: Head {
            id: format!("{session}-{n}"),
            detector: "error-recovery".into(),
            source: "claude".into(),
            session: session.into(),
            root: session.into(),
            events: vec![format!("e{n}")],
            at: Some(1_700_000_000_000 + n as i64),
            quote: error.clone(),
        },
        claim: Claim {
            kind: Kind::Recovery,
            key: format!("tool{n} --output"),
            name: format!("error-tool{n}"),
            title: format!("Recover from tool{n} errors"),
            text: format!("Instead of `tool{n} report --format json` run `tool{n} report --output json`"),
            commands: vec![format!("tool{n} report --format json"), format!("tool{n} report --output json")],
            sure: Sure::High,
            trust: Origin::Assistant,
            suggest: true,
            telling: true,
        },
        seen: Seen::Fix(Fix {
            trigger: Some(Trigger { program: format!("tool{n}"), error: error.clone() }),
            error: Some(error),
            ..Fix::default()
        }),
    }
}

/// What somebody said: every number is another lesson that tells to use something.
pub fn saying(session: &str, n: usize) -> Observation {
    let text = format!("use tool{n} to write report {n}, and keep its output");
    let mut observation = observation(session, n);
    (observation.claim.kind, observation.claim.trust) = (Kind::Instruction, Origin::User);
    observation.claim.key.clone_from(&text);
    observation.head.detector = "explicit-instruction".into();
    observation.head.quote.clone_from(&text);
    observation.claim.text = text;
    observation.claim.commands.clear();
    observation.seen = Seen::Said { message: observation.claim.text.clone(), alone: true };
    observation
}

/// What one session saw.
pub type SeenBy = fn(&str, usize) -> Observation;

fn keep(store: &mut Lessons, session: &str, numbers: impl Iterator<Item = usize>, by: SeenBy) -> Result<()> {
    let observations: Vec<Observation> = numbers.map(|n| by(session, n)).collect();
    let path = format!("/transcripts/{session}.jsonl");
    let seen = SeenIn { source: "claude", session, path: &path, project: PROJECT, observations: &observations };
    Ok(store.keep_observations(&[seen])?)
}

/// Folds what changed in a store.
pub fn fold_changed(store: &mut Lessons, data: &Path) -> Result<()> {
    let tombstones = Tombstones::of(store, data)?;
    let at = |name: &str| data.join(name);
    let world = World { home: at("home"), data: data.to_owned(), config: at("config.toml"), now: 0 };
    folding::fold_changed(store, &tombstones, &world, &Settings::default())
}

/// A store with so many lessons.
pub fn fill(data: &Path, lessons: usize, by: SeenBy) -> Result<()> {
    let mut store = Lessons::open(data)?;
    for n in (0..lessons).step_by(SESSION) {
        keep(&mut store, &format!("s{n}"), n..n + SESSION, by)?;
    }
    fold_changed(&mut store, data)
}

/// New observations of known and of new lessons, beside the two empty transactions that are the least a store can do.
fn adding(data: &Path, lessons: usize) -> Result<()> {
    let mut store = Lessons::open(data)?;
    let (mut ours, mut least) = (Vec::new(), Vec::new());
    for run in 0..21 {
        let start = Instant::now();
        let known = run * NEW..run * NEW + NEW / 2;
        let new = lessons + run * NEW..lessons + run * NEW + NEW / 2;
        keep(&mut store, &format!("new{run}"), known.chain(new), observation)?;
        fold_changed(&mut store, data)?;
        ours.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        store.renote("bench", &format!("{run}a"))?;
        store.renote("bench", &format!("{run}b"))?;
        least.push(start.elapsed().as_secs_f64());
    }
    let (ours, least) = (middle(ours), middle(least));
    println!(
        "{NEW} observations into {lessons:>6} lessons    {:.1} ms (bar 20 at 10,000): {:.1}× two one-row commits",
        ours * 1e3,
        ours / least
    );
    Ok(())
}

/// The median.
pub fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The time until a person sees the first line, and until the last of all.
fn listing(binary: &Path, data: &Path, lessons: usize, bash: f64) -> Result<()> {
    let list = |args: &[&str]| -> Result<(f64, f64)> {
        let start = Instant::now();
        let mut child = Command::new(binary)
            .args(args)
            .env("UPTAKE_HOME", data)
            .env("UPTAKE_HOLDOUT", "0")
            .env("XDG_CONFIG_HOME", data)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut out = child.stdout.take().context("no output")?;
        let mut first = [0; 1];
        out.read_exact(&mut first)?;
        let seen = start.elapsed().as_secs_f64();
        std::io::copy(&mut out, &mut std::io::sink())?;
        anyhow::ensure!(child.wait()?.success(), "`uptake list` failed");
        Ok((seen, start.elapsed().as_secs_f64()))
    };
    let mut first = Vec::new();
    let mut all = Vec::new();
    for _ in 0..7 {
        first.push(list(&["list"])?.0);
        all.push(list(&["list", "--limit", "0"])?.1);
    }
    let (first, all) = (middle(first), middle(all));
    println!(
        "list of {lessons:>6} lessons               first line {:.0} ms ({:.0}× bash), all {:.0} ms",
        first * 1e3,
        first / bash,
        all * 1e3
    );
    Ok(())
}

/// What the inbox does before it is on the screen, and the longest pause while the rest comes.
fn inbox(data: &Path, lessons: usize) -> Result<()> {
    const PAGE: usize = 1_000;
    let store = Lessons::open_read_only(data)?.context("no store")?;
    let start = Instant::now();
    let wanted = Wanted { which: Which::Waiting, now: 1_800_000_000_000, ..Wanted::default() };
    let places = store.order(&wanted)?;
    let shown = store.at(&places[..PAGE.min(places.len())])?;
    let open = start.elapsed().as_secs_f64();
    anyhow::ensure!(shown.len() == PAGE, "{} of {PAGE} lessons", shown.len());
    let mut longest = 0.0_f64;
    for page in places.chunks(PAGE) {
        let start = Instant::now();
        std::hint::black_box(store.at(page)?);
        longest = longest.max(start.elapsed().as_secs_f64());
    }
    println!(
        "inbox of {:>6} waiting lessons       opens in {:.0} ms, longest pause while the rest comes {:.0} ms",
        places.len().max(lessons),
        open * 1e3,
        longest * 1e3
    );
    Ok(())
}
