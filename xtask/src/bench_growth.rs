//! What people type in a store that has grown large, what it takes on disk, saying yes to all of it, and importing it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use uptake::transcripts;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_store::{Lessons, Wanted};
use uptake_testkit::transcript::claude;

use crate::bench::watch;
use crate::bench_lessons::{PROJECT, SeenBy, fill, middle, observation, saying};

/// Lessons of a large store.
const LESSONS: usize = 50_000;
/// How often a command is run.
const RUNS: usize = 5;

/// Runs the measurements.
pub fn run(binary: &Path, bash: f64) -> Result<()> {
    for (what, by) in [("fixes", observation as SeenBy), ("rules", saying)] {
        commands(binary, what, by, bash)?;
    }
    learning(binary)?;
    importing(binary)?;
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
        .env("UPTAKE_HOLDOUT", "0")
        .env("XDG_CONFIG_HOME", home)
        .env_remove("CLAUDE_CONFIG_DIR")
        .env_remove("CODEX_HOME")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let memory = watch(&mut child)?;
    anyhow::ensure!(child.wait()?.success(), "`uptake {}` failed", args.join(" "));
    Ok((start.elapsed().as_secs_f64(), memory))
}

/// All bytes of a folder and of those in it.
fn bytes_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { bytes_of(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

fn on_disk(data: &Path, lessons: usize, of: &str) -> Result<()> {
    let each = bytes_of(data)? as f64 / 1e3 / lessons as f64;
    println!("{:<40} {each:.2} kB a lesson, in the whole data folder (bar 3)", format!("{lessons} {of}"));
    Ok(())
}

/// Sessions in which something is put right now and then, read as people have them: also the events are kept.
fn learning(binary: &Path) -> Result<()> {
    const SESSIONS: usize = 500;
    const FIXES: usize = 20;
    let home = tempfile::tempdir()?;
    let folder = home.path().join(".claude/projects/ledger");
    std::fs::create_dir_all(&folder)?;
    for session in 0..SESSIONS {
        let id = format!("6ba7b810-9dad-41d1-80b4-{session:012}");
        let fixes = session * FIXES..(session + 1) * FIXES;
        let script: String = fixes.map(fix).collect();
        std::fs::write(folder.join(format!("{id}.jsonl")), claude(&id, "/home/dev/ledger", &script))?;
    }
    let data = home.path().join("u");
    timed(binary, home.path(), &["learn", "--json"])?;
    let lessons = Lessons::open(&data)?.count(None)?.iter().map(|(_, n)| n).sum();
    on_disk(&data, lessons, "fixes, read from sessions")
}

fn fix(n: usize) -> String {
    format!(
        "u make report {n}, please\n\
         ! tool{n} report --format json accounts/{n} => tool{n}: error: unrecognized arguments: --format json\n\
         $ tool{n} report --output json accounts/{n} => written\n\
         a Report {n} is made.\n"
    )
}

/// What people type among many lessons, part of them decided.
fn commands(binary: &Path, what: &str, by: SeenBy, bash: f64) -> Result<()> {
    let home = home_with_transcript()?;
    let data = home.path().join("u");
    fill(&data, LESSONS, by)?;
    on_disk(&data, LESSONS, &format!("{what}, undecided"))?;
    let decided = decide_some(&data)?;
    on_disk(&data, LESSONS, &format!("{what}, {decided} decided"))?;
    timed(binary, home.path(), &["learn", "--json"])?;
    // Every run gives up something else: its number stands for `{}`.
    for (args, bar) in [
        (&["status"][..], "100 ms"),
        (&["add", "always run make deps before make test", "--project", PROJECT][..], "100 ms"),
        (&["add", "use pnpm, not tool{}", "--project", PROJECT][..], "100 ms"),
        (&["add", "use pnpm, not npm", "--project", PROJECT][..], "100 ms"),
        (&["learn", "--json"][..], "300 ms"),
        (&["review", "--json"][..], "none"),
        (&["query", "report"][..], "none"),
        (&["undo"][..], "none"),
    ] {
        let run = |n: usize| -> Result<(f64, f64)> {
            let args: Vec<String> = args.iter().map(|arg| arg.replace("{}", &(7 * n).to_string())).collect();
            timed(binary, home.path(), &args.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let runs = (0..RUNS).map(run).collect::<Result<Vec<_>>>()?;
        let time = middle(runs.iter().map(|r| r.0).collect());
        let memory = runs.iter().map(|r| r.1).fold(0.0, f64::max);
        println!(
            "{:<40} {:.0} ms: {:.0}× bash (bar {bar}), {memory:.0} MB (bar 150)",
            format!("{} among {LESSONS} {what}", args[..args.len().min(2)].join(" ")),
            time * 1e3,
            time / bash
        );
    }
    Ok(())
}

/// Two of five approved, two rejected. Answers how many that is.
fn decide_some(data: &Path) -> Result<usize> {
    let mut store = Lessons::open(data)?;
    let places = store.order(&Wanted::default())?;
    let mut decided = 0;
    for (n, page) in places.chunks(1_000).enumerate() {
        let verdict = match n % 5 {
            0 | 1 => Verdict::Approved,
            2 | 3 => Verdict::Rejected,
            _ => continue,
        };
        let page: Vec<Lesson> = store.at(page)?.into_iter().map(|s| s.lesson).collect();
        store.decide_all(&page, verdict, 1)?;
        decided += page.len();
    }
    Ok(decided)
}

/// Entries that are taken of one file.
const A_FILE: usize = 5_000;

/// `import` of files that another tool wrote: each entry costs the same, however many there are.
fn importing(binary: &Path) -> Result<()> {
    let mut first = None;
    for entries in [5_000, 10_000, 25_000, 50_000] {
        let home = home_with_transcript()?;
        let mut args = vec!["import".to_owned()];
        for n in (0..entries).step_by(A_FILE) {
            let folder = home.path().join(format!("p{n}/.memory"));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join("learning-log.jsonl"), learning_log(n..n + A_FILE))?;
            args.push(folder.join("learning-log.jsonl").display().to_string());
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (time, memory) = timed(binary, home.path(), &args)?;
        let (again, _) = timed(binary, home.path(), &args)?;
        let each = time / entries as f64;
        let ratio = each / *first.get_or_insert(each);
        let disk = bytes_of(&home.path().join("u"))? as f64 / 1e3 / entries as f64;
        println!(
            "import of {entries:>6} entries               {time:.1} s, {:.2} ms each: {ratio:.1}× that of 5000 (bar 1.5), {memory:.0} MB (bar 150), {disk:.2} kB each on disk; again {again:.1} s",
            each * 1e3
        );
    }
    Ok(())
}

fn learning_log(entries: std::ops::Range<usize>) -> String {
    let mut out = String::new();
    for n in entries {
        let pattern =
            format!("Run make deps-{n} before make test-{n}, because the fixtures of part {n} are built by it");
        let _ = writeln!(
            out,
            r#"{{"id":"obs_{n:06}","type":"decision","pattern":"{pattern}","observations":2,"first_seen":"2026-11-01T10:00:00Z","last_seen":"2026-11-15T18:12:14Z","status":"ready","evidence":["said so twice in part {n}"],"details":"part {n}","quality_ok":true}}"#
        );
    }
    out
}

/// `learn --yes --all`: each suggestion costs the same, however many there are.
fn saying_yes(binary: &Path) -> Result<()> {
    let mut first = None;
    for lessons in [500, 1_000, 2_000, 4_000] {
        let home = home_with_transcript()?;
        fill(&home.path().join("u"), lessons, observation)?;
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
