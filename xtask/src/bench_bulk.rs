//! Much to read: one endless session, and very many transcripts. Memory and what stays on disk.
//!
//! A tenth of the full size unless `--full` is given: two gigabytes and a million files take minutes and 6 GB of disk.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// How much is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// What the bars speak of.
    Full,
    /// Enough to see whether memory grows.
    Tenth,
}

impl Size {
    fn of(self, full: usize) -> usize {
        if self == Self::Full { full } else { full / 10 }
    }
}

const SESSION_BYTES: usize = 2_000_000_000;
const FILES: usize = 1_000_000;
const FILES_PER_FOLDER: usize = 1_000;

/// Runs the measurements.
pub fn run(binary: &Path, size: Size) -> Result<()> {
    one_line(binary)?;
    endless_session(binary, size)?;
    many_files(binary, size)
}

/// Highest memory on one line of 100 MB.
fn one_line(binary: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let line = folder.path().join("line.jsonl");
    let text = "lorem ipsum ".repeat(100_000_000 / 12);
    std::fs::write(&line, record("user", 0, 0, &json!(text)))?;
    let [events, learn] = ["events", "learn"].map(|command| peak(binary, command, Some(&line), folder.path()));
    println!("one line of 100 MB                       peak {:.0} MB, learn {:.0} MB (bar 150)", events?.mb, learn?.mb);
    Ok(())
}

/// Highest memory of each command that reads, and the databases that `learn` leaves.
fn endless_session(binary: &Path, size: Size) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("long.jsonl");
    let bytes = write_session(&path, size.of(SESSION_BYTES))?;
    let mut figures = Vec::new();
    for command in ["learn", "events", "detect", "retro", "sessions"] {
        let given = (command != "sessions").then_some(path.as_path());
        let run = peak(binary, command, given, folder.path())?;
        figures.push(format!("{command} {:.0} MB in {:.1} s", run.mb, run.seconds));
    }
    let kept = on_disk(&folder.path().join("u"));
    println!(
        "one session of {:.1} GB                    {} (bar 150 MB); databases {:.1} MB",
        bytes as f64 / 1e9,
        figures.join(", "),
        kept as f64 / 1e6
    );
    Ok(())
}

/// A first and a second `learn` of very many small transcripts.
fn many_files(binary: &Path, size: Size) -> Result<()> {
    let home = tempfile::tempdir()?;
    let count = size.of(FILES);
    for n in 0..count {
        let folder = home.path().join(format!(".claude/projects/-home-dev-work-project-{:04}", n / FILES_PER_FOLDER));
        if n.is_multiple_of(FILES_PER_FOLDER) {
            std::fs::create_dir_all(&folder)?;
        }
        let text = record("user", n, 0, &json!("say hello")) + &record("assistant", n, 1, &said("hello"));
        std::fs::write(folder.join(format!("{}.jsonl", session_id(n))), text)?;
    }
    let first = peak(binary, "learn", None, home.path())?;
    let second = peak(binary, "learn", None, home.path())?;
    println!(
        "{count} transcripts                     first learn {:.0} MB in {:.0} s, second {:.0} MB in {:.1} s (bar 150 MB)",
        first.mb, first.seconds, second.mb, second.seconds
    );
    Ok(())
}

fn session_id(session: usize) -> String {
    format!("{session:08x}-0000-4000-8000-{session:012x}")
}

fn said(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// One record as Claude Code writes it, with the message behind what is short.
fn record(kind: &str, session: usize, n: usize, content: &Value) -> String {
    let (id, folder) = (session_id(session), session / FILES_PER_FOLDER);
    format!(
        "{{\"parentUuid\":null,\"isSidechain\":false,\"cwd\":\"/srv/shop-{folder}\",\"sessionId\":\"{id}\",\"version\":\"2.1.0\",\"type\":\"{kind}\",\
         \"uuid\":\"{n:08x}-{kind}-{session}\",\"timestamp\":\"2026-01-05T10:00:00.000Z\",\"message\":{{\"role\":\"{kind}\",\"content\":{content}}}}}\n"
    )
}

/// Work that never ends: a wish now and then, listings, and a failure every tenth call that the next one mends.
fn write_session(path: &Path, bytes: usize) -> Result<usize> {
    let mut file = std::io::BufWriter::new(File::create(path)?);
    let row = |n: usize| {
        format!("-rw-r--r-- 1 dev dev {:6} Jan  3 10:{:02} src/module_{}/file_{n}.rs", n * 37, n % 60, n % 7)
    };
    let listing = (0..24).map(row).collect::<Vec<_>>().join("\n");
    let (mut written, mut n) = (0, 0);
    while written < bytes {
        let text = step(n, &listing);
        file.write_all(text.as_bytes())?;
        written += text.len();
        n += 1;
    }
    file.flush()?;
    Ok(written)
}

/// One call of the endless session, and what stands around it.
fn step(n: usize, listing: &str) -> String {
    let tool = n / 40;
    let (command, error) = match n % 10 {
        3 => (format!("tool{tool} report --format json"), "Exit code 2\nerror: unexpected argument '--format' found\n"),
        4 => (format!("tool{tool} report --output json"), ""),
        _ => (format!("ls -la src/module_{} && cargo test -p module_{}", n % 97, n % 97), ""),
    };
    let id = format!("toolu_{n:024}");
    let call = json!([{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }]);
    let printed = format!("{error}{listing}");
    let result =
        json!([{ "type": "tool_result", "tool_use_id": id, "content": printed, "is_error": !error.is_empty() }]);
    let wish = format!("please look at module {n} and make its tests pass");
    let asked = if n.is_multiple_of(20) { record("user", 0, 4 * n, &json!(wish)) } else { String::new() };
    let thought = said(&"I look at the file first, then run the tests of that module. ".repeat(6));
    asked
        + &record("assistant", 0, 4 * n + 1, &thought)
        + &record("assistant", 0, 4 * n + 2, &call)
        + &record("user", 0, 4 * n + 3, &result)
}

fn on_disk(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum()
}

/// How a run went.
struct Run {
    /// Most memory it held, in MB.
    mb: f64,
    seconds: f64,
}

/// Runs a command in a home and watches its memory.
fn peak(binary: &Path, command: &str, file: Option<&Path>, home: &Path) -> Result<Run> {
    let start = Instant::now();
    let mut child = Command::new(binary)
        .arg(command)
        .args(file)
        .env("UPTAKE_HOME", home.join("u"))
        .env("UPTAKE_HOLDOUT", "0")
        .env("HOME", home)
        .env_remove("CLAUDE_CONFIG_DIR")
        .env_remove("CODEX_HOME")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut mb = 0.0f64;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        mb = mb.max(highest(&text).unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(2));
    }
    anyhow::ensure!(child.wait().context("no status")?.success(), "{command} failed");
    Ok(Run { mb, seconds: start.elapsed().as_secs_f64() })
}

fn highest(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1e3)
}
