//! Speed and memory, each beside a baseline measured in the same run, as a ratio.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use serde_json::Value;
use uptake::transcripts::{self, Transcript};
use uptake_core::detect::{Kind, Sure, Trigger};
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Evidence, Lesson, Payload, Provenance, Spent, Worth};
use uptake_core::session::Origin;
use uptake_core::{detect, sources};
use uptake_store::Lessons;

use crate::bench_bulk::{self, Size};
use crate::{bench_artifacts, bench_cycle, bench_facts, bench_init, bench_lessons, bench_moments};

const CHUNK: usize = 256 * 1024;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// Everything; what is read in this size.
    All(Size),
    /// Only hooks.
    Moments,
    /// Only the first minute, on a history of so many gigabytes.
    Init(f64),
    /// Only the detectors.
    Detectors,
    /// Only facts: folding and telling them.
    Facts,
    /// Only files made of lessons.
    Artifacts,
    /// Only track records.
    Cycle,
    /// Only large stores.
    Lessons,
    /// Only reading: its speed, and much to read.
    Bulk(Size),
    /// Only the speed of reading.
    Reading,
}

/// Runs the measurements.
pub fn run(folders: &[PathBuf], what: What) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = if folders.is_empty() { vec![root.join("fixtures/recorded")] } else { folders.to_vec() };
    if what == What::Detectors {
        return detectors(&folders);
    }
    if what == What::Reading {
        return streaming(&folders).map(drop);
    }
    let installed = tempfile::tempdir()?;
    let binary = install(&build(&root)?, installed.path())?;
    let size = std::fs::metadata(&binary)?.len() as f64 / 1e6;
    println!("binary                                   {size:.1} MB (bar 25)");
    let bash = median(60, || spawn(Command::new("bash").args(["-c", "true"])))?;
    println!("baseline `bash -c true`                  {:.2} ms", bash * 1e3);
    if what == What::Moments {
        return bench_moments::run(&binary);
    }
    if let What::Init(gigabytes) = what {
        return bench_init::run(&binary, gigabytes);
    }
    if what == What::Facts {
        return bench_facts::run(&binary);
    }
    if what == What::Artifacts {
        return bench_artifacts::run(&binary, bash);
    }
    if what == What::Cycle {
        return bench_cycle::run(&binary, bash);
    }
    if what == What::Lessons {
        hook_by_lessons(&binary, bash)?;
        return bench_lessons::run(&binary, bash);
    }
    let scan = streaming(&folders)?;
    detectors(&folders)?;
    cold(&binary, &folders, scan)?;
    second_learn(&binary, &root, bash)?;
    if let What::All(size) | What::Bulk(size) = what {
        bench_bulk::run(&binary, size)?;
    }
    if matches!(what, What::Bulk(_)) {
        return Ok(());
    }
    hook_by_lessons(&binary, bash)?;
    bench_moments::run(&binary)?;
    bench_facts::run(&binary)?;
    bench_artifacts::run(&binary, bash)?;
    bench_cycle::run(&binary, bash)?;
    bench_lessons::run(&binary, bash)
}

fn build(root: &Path) -> Result<PathBuf> {
    let ok = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "uptake"])
        .current_dir(root)
        .status()?
        .success();
    anyhow::ensure!(ok, "the binary does not build");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("release/uptake").canonicalize().context("cannot find the binary")
}

/// A copy, as an installation makes one. The file that a linker wrote in pieces lies in pieces in memory, too, and starts half a
/// millisecond slower until it is read from disk again.
fn install(built: &Path, folder: &Path) -> Result<PathBuf> {
    let binary = folder.join("uptake");
    std::fs::copy(built, &binary)?;
    Ok(binary)
}

pub fn spawn(command: &mut Command) -> Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    anyhow::ensure!(command.status()?.success(), "{command:?} failed");
    Ok(())
}

/// Median seconds of a few runs.
fn median(runs: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn each_chunk(path: &Path, buffer: &mut [u8], mut take: impl FnMut(&[u8])) -> Result<()> {
    let mut file = File::open(path)?;
    loop {
        match file.read(buffer)? {
            0 => return Ok(()),
            n => take(&buffer[..n]),
        }
    }
}

/// One thread, files in the page cache: reading and understanding, versus a bare SIMD scan of every line, whose seconds
/// it answers.
fn streaming(folders: &[PathBuf]) -> Result<f64> {
    let found = transcripts::find(folders).transcripts;
    let bytes: u64 = found.iter().map(|t| t.size).sum();
    let mut buffer = vec![0; CHUNK];
    let scan = median(5, || {
        for t in &found {
            let mut carry: Vec<u8> = Vec::new();
            each_chunk(&t.path(), &mut buffer, |chunk| {
                let mut rest = chunk;
                while let Some(end) = memchr::memchr(b'\n', rest) {
                    carry.extend_from_slice(&rest[..end]);
                    std::hint::black_box(sonic_rs::from_slice::<sonic_rs::Value>(&carry).is_ok());
                    carry.clear();
                    rest = &rest[end + 1..];
                }
                carry.extend_from_slice(rest);
            })?;
        }
        Ok(())
    })?;
    let ours = median(5, || {
        for t in &found {
            std::hint::black_box(understand(t, &mut buffer)?);
        }
        Ok(())
    })?;
    let rate = |s: f64| bytes as f64 / 1e6 / s;
    println!(
        "stream and understand, one core          {:.0} MB/s; bare SIMD JSON scan {:.0} MB/s: ratio {:.2} (bar 0.33)",
        rate(ours),
        rate(scan),
        scan / ours
    );
    Ok(scan)
}

fn understand(t: &Transcript, buffer: &mut [u8]) -> Result<usize> {
    let mut start = vec![0; 64 * 1024];
    let n = File::open(t.path())?.read(&mut start)?;
    let Some(source) = sources::recognise(&start[..n]) else { return Ok(0) };
    let mut reader = sources::Reader::new(source, &t.name());
    each_chunk(&t.path(), buffer, |chunk| reader.feed(chunk))?;
    Ok(reader.finish().session.events.len())
}

/// Seconds that this thread was on a processor: what others do on the machine at the same time is not in it.
pub fn on_processor() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let ns: f64 = text.split(' ').next().unwrap_or_default().parse().context("no time of this thread")?;
    Ok(ns / 1e9)
}

/// All detectors, per 20,000 calls.
fn detectors(folders: &[PathBuf]) -> Result<()> {
    let mut sessions = Vec::new();
    uptake::pipeline::for_each(
        &transcripts::find(folders),
        &uptake::known_secrets::KnownSecrets::from_env(),
        |item| -> Result<()> {
            let mut session = item.read.session;
            session.settle_from(0, uptake_core::redact::clean_up);
            sessions.push(session);
            Ok(())
        },
    )?;
    let calls: usize = sessions.iter().map(|s| s.events.iter().filter(|e| e.call().is_some()).count()).sum();
    let mut working = Vec::new();
    let time = median(5, || {
        let before = on_processor()?;
        sessions.iter().for_each(|s| {
            std::hint::black_box(detect::detect(s));
        });
        working.push(on_processor()? - before);
        Ok(())
    })?;
    let working = bench_lessons::middle(working);
    let as_learn_does = median(5, || {
        sessions.par_iter().for_each(|s| {
            std::hint::black_box(detect::detect(s));
        });
        Ok(())
    })?;
    let per = |time: f64| time * 1e3 * 20_000.0 / calls as f64;
    println!(
        "detectors                                {:.1} ms for {calls} calls: {:.0} ms per 20,000 on one core (bar 100), {:.0} of it on the processor; {:.0} on all, as learn runs them",
        time * 1e3,
        per(time),
        per(working),
        per(as_learn_does)
    );
    Ok(())
}

/// A first `learn` with an empty store, versus `cat` and a bare scan of the same files; and what it keeps.
fn cold(binary: &Path, folders: &[PathBuf], scan: f64) -> Result<()> {
    let found = transcripts::find(folders).transcripts;
    let bytes: u64 = found.iter().map(|t| t.size).sum();
    let cat = median(5, || spawn(Command::new("cat").args(found.iter().map(Transcript::path))))?;
    let mut kept = 0;
    let learn = median(3, || {
        let home = tempfile::tempdir()?;
        spawn(
            Command::new(binary)
                .args(["learn", "--json"])
                .args(folders)
                .env("UPTAKE_HOME", home.path())
                .env("UPTAKE_HOLDOUT", "0")
                .env("HOME", home.path()),
        )?;
        kept = std::fs::metadata(home.path().join("sessions.db"))?.len();
        Ok(())
    })?;
    println!(
        "cold learn, {} transcripts, {:.0} MB       {:.2} s ({:.0} MB/s); `cat` {:.3} s: ratio {:.0}; bare JSON scan {:.2} s: ratio {:.1} (bar 200 MB/s on two cores); sessions.db {:.0} kB per MB",
        found.len(),
        bytes as f64 / 1e6,
        learn,
        bytes as f64 / 1e6 / learn,
        cat,
        learn / cat,
        scan,
        learn / scan,
        kept as f64 / 1e3 / (bytes as f64 / 1e6)
    );
    Ok(())
}

/// `learn` with nothing new, for 2,000 transcripts.
fn second_learn(binary: &Path, root: &Path, bash: f64) -> Result<()> {
    let home = tempfile::tempdir()?;
    let seeds = transcripts::find(&[root.join("fixtures/demo")]).transcripts;
    for n in 0..2_000 {
        let seed = &seeds[n % seeds.len()];
        let text = std::fs::read_to_string(seed.path())?;
        let name = seed.name();
        let folder = home.path().join(format!(".claude/projects/p{}", n % 40));
        std::fs::create_dir_all(&folder)?;
        // Another session each: another id, other events.
        std::fs::write(
            folder.join(format!("{n:08}-0000-4000-8000-000000000000.jsonl")),
            text.replace(&name, &format!("{n:08}-0000-4000-8000-000000000000"))
                .replace("toolu_01", &format!("toolu_{n}")),
        )?;
    }
    let learn = || {
        spawn(
            Command::new(binary)
                .args(["learn", "--json"])
                .env("UPTAKE_HOME", home.path().join("u"))
                .env("UPTAKE_HOLDOUT", "0")
                .env("HOME", home.path())
                .env_remove("CLAUDE_CONFIG_DIR")
                .env_remove("CODEX_HOME"),
        )
    };
    let start = Instant::now();
    learn()?;
    let first = start.elapsed().as_secs_f64();
    let time = median(15, learn)?;
    println!(
        "second learn, 2,000 transcripts          {:.1} ms (first {first:.2} s): {:.1}× bash (bar 20)",
        time * 1e3,
        time / bash
    );
    Ok(())
}

/// The match path of the hook by the number of approved lessons.
fn hook_by_lessons(binary: &Path, bash: f64) -> Result<()> {
    let few = hook(binary, 10_000, bash, 3.0)?;
    hook(binary, 50_000, bash, 3.0)?;
    hook(binary, 1_000_000, bash, 2.0 * few).map(drop)
}

/// A failing command with a known fix, spawn to exit. Answers how many times as long as `bash` it takes.
fn hook(binary: &Path, lessons: usize, bash: f64, bar: f64) -> Result<f64> {
    let home = tempfile::tempdir()?;
    let project = home.path().join("work");
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::write(
        project.join(".git/config"),
        "[remote \"origin\"]\n\turl = https://git.example.com/dev/ledger.git\n",
    )?;
    fill(&home.path().join("u"), lessons)?;
    let mut times = Vec::new();
    for n in 0..200 {
        let payload = serde_json::json!({
            "session_id": format!("s{n}"), "cwd": project, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_input": { "command": "tool7 report --format json" }, "error": "Exit code 2\ntool7: error: unrecognized arguments: --format json"
        });
        let (time, said) = ask(binary, &home.path().join("u"), &payload)?;
        times.push(time);
        anyhow::ensure!(said.contains("--output json"), "the hook did not answer");
    }
    times.sort_by(f64::total_cmp);
    let p = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "hook that answers, {lessons:>7} lessons        p50 {:.2} ms, p99 {:.2} ms: {:.1}× bash (bar {bar:.1})",
        p(0.5) * 1e3,
        p(0.99) * 1e3,
        p(0.5) / bash
    );
    Ok(p(0.5) / bash)
}

/// Runs the hook with a payload. Answers its seconds, from spawn to exit, and what it said.
pub fn ask(binary: &Path, data: &Path, payload: &Value) -> Result<(f64, String)> {
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(["hook", "claude"])
        .env("UPTAKE_HOME", data)
        .env("UPTAKE_HOLDOUT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().context("no stdin")?.write_all(payload.to_string().as_bytes())?;
    let out = child.wait_with_output()?;
    Ok((start.elapsed().as_secs_f64(), String::from_utf8_lossy(&out.stdout).into_owned()))
}

/// Approved lessons in a store, one of which fits.
fn fill(data: &Path, count: usize) -> Result<()> {
    const AT_A_TIME: usize = 10_000;
    let mut store = Lessons::open(data)?;
    for first in (0..count).step_by(AT_A_TIME) {
        let lessons: Vec<Lesson> = (first..count.min(first + AT_A_TIME)).map(lesson).collect();
        store.add_shown(&lessons)?;
        store.decide_all(&lessons, Verdict::Approved, 1)?;
    }
    Ok(())
}

/// A fix of a tool that is called wrongly: every number is another one.
pub fn lesson(n: usize) -> Lesson {
    let program = format!("tool{n}");
    Lesson {
        id: format!("{n:010x}"),
        kind: Kind::Recovery,
        key: format!("k{n}"),
        payload: Payload {
            statement: format!("Instead of `{program} report --format json` run `{program} report --output json`"),
            commands: vec![format!("{program} report --format json"), format!("{program} report --output json")],
            scope: "git.example.com/dev/ledger".into(),
            name: format!("error-{program}"),
            title: format!("Recover from {program} errors"),
            trigger: Some(Trigger {
                error: format!("{program}: error: unrecognized arguments: --format json"),
                program,
            }),
        },
        origin: Provenance {
            detector: "error-recovery".into(),
            trust: Origin::Assistant,
            alone: false,
            leaps: Vec::new(),
            basis: None,
        },
        evidence: Evidence {
            sure: Sure::High,
            sessions: 2,
            same: 2,
            days: 1,
            first: Some(0),
            last: Some(0),
            sources: vec!["claude".into()],
            error: None,
            sightings: Vec::new(),
            spent: Spent::default(),
            tally: None,
            quality: true,
            worth: Worth { confidence: 0.95, ready: true, rank: 5.0 },
        },
    }
}

/// Waits for a process. Answers its highest memory in MB.
pub fn watch(child: &mut Child) -> Result<f64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kb = text
            .lines()
            .find_map(|l| l.strip_prefix("VmHWM:"))
            .and_then(|v| v.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kb.unwrap_or(0.0) / 1e3);
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(peak)
}
