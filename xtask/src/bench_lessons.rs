//! Large stores: a few new observations among many lessons, lists, and the review inbox.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use uptake::folding::{self, Tombstones};
use uptake::transcripts;
use uptake_core::detect::{Claim, Fix, Head, Kind, Observation, Seen, Sure, Trigger};
use uptake_core::learn::Lesson;
use uptake_core::learn::evidence::Bars;
use uptake_core::learn::status::Verdict;
use uptake_core::session::Origin;
use uptake_store::{Lessons, SeenIn, Wanted, Which};

use crate::bench::watch;

/// New observations at a time.
const NEW: usize = 10;
/// Observations of one session.
const SESSION: usize = 100;
const PROJECT: &str = "git.example.com/dev/ledger";

/// Runs the measurements.
pub fn run(binary: &Path, bash: f64) -> Result<()> {
    for lessons in [10_000, 100_000] {
        let folder = tempfile::tempdir()?;
        fill(folder.path(), lessons)?;
        adding(folder.path(), lessons)?;
        listing(binary, folder.path(), lessons, bash)?;
        inbox(folder.path(), lessons)?;
    }
    commands(binary, 50_000, bash)?;
    saying_yes(binary)
}

/// A home with one transcript, so that `learn` has something to look at.
fn home_with_transcript() -> Result<tempfile::TempDir> {
    let home = tempfile::tempdir()?;
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    let seed = transcripts::find(&[demo]).transcripts.into_iter().next().context("no demo")?;
    let folder = home.path().join(".claude/projects/demo");
    std::fs::create_dir_all(&folder)?;
    let path = seed.path();
    std::fs::copy(&path, folder.join(path.file_name().context("no name")?))?;
    Ok(home)
}

/// Runs a command in a home. Answers its seconds and its highest memory in MB.
fn timed(binary: &Path, home: &Path, args: &[&str]) -> Result<(f64, f64)> {
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(args)
        .env("HOME", home)
        .env("UPTAKE_HOME", home.join("u"))
        .env("XDG_CONFIG_HOME", home)
        .env_remove("CLAUDE_CONFIG_DIR")
        .env_remove("CODEX_HOME")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let memory = watch(&mut child)?;
    Ok((start.elapsed().as_secs_f64(), memory))
}

/// What people type in a store of many lessons, part of them decided, and what such a store takes on disk.
fn commands(binary: &Path, lessons: usize, bash: f64) -> Result<()> {
    let home = home_with_transcript()?;
    let data = home.path().join("u");
    fill(&data, lessons)?;
    decide_some(&data)?;
    let bytes: u64 = std::fs::read_dir(&data)?.flatten().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
    println!("a lesson on disk, {lessons} of them      {:.2} kB (bar 3)", bytes as f64 / 1e3 / lessons as f64);
    timed(binary, home.path(), &["learn", "--json"])?;
    let add = ["add", "always run make deps before make test", "--project", PROJECT];
    let instead = ["add", "use pnpm, not npm", "--project", PROJECT];
    for (args, bar) in [
        (&["status"][..], "100 ms"),
        (&add[..], "100 ms"),
        (&instead[..], "seconds: all lessons are held against it"),
        (&["learn", "--json"][..], "300 ms"),
        (&["review", "--json"][..], "none"),
        (&["query", "report"][..], "none"),
        (&["undo"][..], "none"),
    ] {
        let runs = (0..5).map(|_| timed(binary, home.path(), args)).collect::<Result<Vec<_>>>()?;
        let time = middle(runs.iter().map(|r| r.0).collect());
        let memory = runs.iter().map(|r| r.1).fold(0.0, f64::max);
        println!(
            "{:<40} {:.0} ms: {:.0}× bash (bar {bar}), {memory:.0} MB (bar 150)",
            format!("{} among {lessons} lessons", args[..args.len().min(2)].join(" ")),
            time * 1e3,
            time / bash
        );
    }
    Ok(())
}

/// A third approved, a third rejected.
fn decide_some(data: &Path) -> Result<()> {
    let mut store = Lessons::open(data)?;
    let places = store.order(&Wanted::default())?;
    for (n, page) in places.chunks(1_000).enumerate() {
        let page: Vec<Lesson> = store.at(page)?.into_iter().map(|s| s.lesson).collect();
        match n % 3 {
            0 => store.decide_all(&page, Verdict::Approved, 1)?,
            1 => store.decide_all(&page, Verdict::Rejected, 1)?,
            _ => {}
        }
    }
    Ok(())
}

/// `learn --yes --all`: each suggestion costs the same, however many there are.
fn saying_yes(binary: &Path) -> Result<()> {
    let mut first = None;
    for lessons in [500, 1_000, 2_000, 4_000] {
        let home = home_with_transcript()?;
        fill(&home.path().join("u"), lessons)?;
        let (time, memory) = timed(binary, home.path(), &["learn", "--yes", "--all"])?;
        let each = time / lessons as f64;
        let ratio = each / *first.get_or_insert(each);
        println!(
            "learn --yes --all, {lessons:>5} suggestions     {time:.1} s, {:.2} ms each: {ratio:.1}× that of 500 (bar 1.5), {memory:.0} MB",
            each * 1e3
        );
    }
    Ok(())
}

/// What one session saw: every number is another lesson.
fn observation(session: &str, n: usize) -> Observation {
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

fn keep(store: &mut Lessons, session: &str, numbers: impl Iterator<Item = usize>) -> Result<()> {
    let observations: Vec<Observation> = numbers.map(|n| observation(session, n)).collect();
    let path = format!("/transcripts/{session}.jsonl");
    let seen = SeenIn { source: "claude", session, path: &path, project: PROJECT, observations: &observations };
    Ok(store.keep_observations(&[seen])?)
}

fn fold_changed(store: &mut Lessons, data: &Path) -> Result<()> {
    let tombstones = Tombstones::of(store, data)?;
    folding::fold_changed(store, &tombstones, &Bars::default())
}

fn fill(data: &Path, lessons: usize) -> Result<()> {
    let mut store = Lessons::open(data)?;
    for n in (0..lessons).step_by(SESSION) {
        keep(&mut store, &format!("s{n}"), n..n + SESSION)?;
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
        keep(&mut store, &format!("new{run}"), known.chain(new))?;
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

fn middle(mut times: Vec<f64>) -> f64 {
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
