//! The first minute: `init` on a history of several gigabytes, and hooks beside such a history.
//!
//! The history is made up: sessions of a few hundred calls in forty projects, each with failures that come up again, and with as much
//! read and printed text as real ones have. Each session has other words, files and ids.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use uptake_testkit::Rng;

use crate::bench::watch;
use crate::bench_moments;

/// Projects in the history.
pub const PROJECTS: usize = 40;
/// Calls of a session.
const CALLS: usize = 120;
/// Seconds until the first lessons are shown.
const BAR: f64 = 60.0;
/// Share of the history that `sessions.db` may be.
const KEPT: f64 = 0.05;

/// Makes a history of so many gigabytes and measures `init` on it, then hooks.
pub fn run(binary: &Path, gigabytes: f64) -> Result<()> {
    let home = tempfile::tempdir()?;
    let begun = Instant::now();
    let (files, bytes) = write_history(home.path(), (gigabytes * 1e9) as u64)?;
    println!(
        "history                                  {files} sessions, {:.2} GB (made in {:.0} s)",
        bytes as f64 / 1e9,
        begun.elapsed().as_secs_f64()
    );
    init(binary, home.path())?;
    rest(binary, home.path(), bytes)?;
    bench_moments::beside(binary, home.path())
}

fn uptake(binary: &Path, home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(args).env("UPTAKE_HOME", home.join("u")).env("HOME", home);
    for var in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "UPTAKE_NOW"] {
        command.env_remove(var);
    }
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Seconds until lessons are shown, and how many.
fn init(binary: &Path, home: &Path) -> Result<()> {
    let begun = Instant::now();
    let out = uptake(binary, home, &["init", "--json"]).output()?;
    let seconds = begun.elapsed().as_secs_f64();
    ensure!(out.status.success(), "init failed");
    let told: Value = serde_json::from_slice(&out.stdout).context("init printed no JSON")?;
    let lessons = told["lessons"].as_array().map_or(0, Vec::len);
    println!(
        "init: the first {lessons} lessons                {seconds:.1} s (bar {BAR:.0}); {} sessions read, {} left for later",
        told["read"], told["later"]
    );
    Ok(())
}

/// What is left of the history, and what is kept of all of it.
fn rest(binary: &Path, home: &Path, bytes: u64) -> Result<()> {
    let begun = Instant::now();
    let mut child = uptake(binary, home, &["learn", "--json"]).stdout(Stdio::null()).spawn()?;
    let memory = watch(&mut child)?;
    ensure!(child.wait()?.success(), "learn failed");
    let kept = std::fs::metadata(home.join("u/sessions.db"))?.len();
    println!(
        "learn: the rest                          {:.0} s, {memory:.0} MB of memory; sessions.db {:.1} % of the history (bar {:.0})",
        begun.elapsed().as_secs_f64(),
        100.0 * kept as f64 / bytes as f64,
        100.0 * KEPT
    );
    Ok(())
}

/// Writes sessions until there are so many bytes. Answers how many, and how many bytes.
fn write_history(home: &Path, wanted: u64) -> Result<(usize, u64)> {
    let mut rng = Rng::new(7, "history");
    let (mut files, mut bytes) = (0, 0);
    while bytes < wanted {
        let project = files % PROJECTS;
        let folder = home.join(format!(".claude/projects/-srv-shop-{project}"));
        std::fs::create_dir_all(&folder)?;
        let id = format!("{files:08x}-0000-4000-8000-{files:012x}");
        let text = session(&id, project, &mut rng);
        std::fs::File::create(folder.join(format!("{id}.jsonl")))?.write_all(text.as_bytes())?;
        bytes += text.len() as u64;
        files += 1;
    }
    Ok((files, bytes))
}

/// The text of one session.
pub fn session(id: &str, project: usize, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut n = 0;
    let mut say = |kind: &str, content: &Value, more: Option<&Value>| {
        let day = 1 + project % 27;
        let record = json!({
            "parentUuid": null, "isSidechain": false, "cwd": format!("/srv/shop-{project}"), "sessionId": id, "version": "2.1.0",
            "type": kind, "uuid": format!("{id}-{n}"), "timestamp": format!("2026-10-{day:02}T{:02}:{:02}:00.000Z", 8 + n / 60 % 12, n % 60),
            "message": { "role": kind, "content": content }, "toolUseResult": more,
        });
        n += 1;
        let _ = writeln!(out, "{record}");
    };
    for call in 0..CALLS {
        if call.is_multiple_of(30) {
            say("user", &json!(format!("please look at {} and make its tests pass", words(rng, 4))), None);
        }
        say("assistant", &json!([{ "type": "text", "text": words(rng, 40) }]), None);
        let (tool, input, printed, failed) = step(call, project, rng);
        let tool_use = format!("toolu_{id}_{call}");
        say("assistant", &json!([{ "type": "tool_use", "id": tool_use, "name": tool, "input": input }]), None);
        let result =
            json!([{ "type": "tool_result", "tool_use_id": tool_use, "content": printed, "is_error": failed }]);
        // The client writes most results twice.
        say("user", &result, Some(&json!({ "stdout": printed })));
    }
    out
}

/// One call: mostly reading, some work, and now and then a failure that the next call mends.
fn step(call: usize, project: usize, rng: &mut Rng) -> (&'static str, Value, String, bool) {
    let file = format!("/srv/shop-{project}/src/{}/{}.rs", words(rng, 1), words(rng, 1));
    match call {
        20 => (
            "Bash",
            json!({ "command": format!("tool{project} report --format json") }),
            "Exit code 2\nerror: unexpected argument '--format' found".into(),
            true,
        ),
        21 => ("Bash", json!({ "command": format!("tool{project} report --output json") }), words(rng, 300), false),
        50 => (
            "Edit",
            json!({ "file_path": file, "old_string": words(rng, 9), "new_string": words(rng, 9) }),
            "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>".into(),
            true,
        ),
        70 => (
            "Bash",
            json!({ "command": "cd web && npm test" }),
            "Exit code 1\ncd: web: No such file or directory".into(),
            true,
        ),
        71 => ("Bash", json!({ "command": format!("cd /srv/shop-{project}/web && npm test") }), words(rng, 200), false),
        _ if call.is_multiple_of(3) => (
            "Bash",
            json!({ "command": format!("cargo test -p {}", words(rng, 1)) }),
            words(rng, 150 + call % 400),
            false,
        ),
        _ if call.is_multiple_of(7) => (
            "Edit",
            json!({ "file_path": file, "old_string": words(rng, 60), "new_string": words(rng, 80) }),
            format!("The file {file} has been updated."),
            false,
        ),
        _ => ("Read", json!({ "file_path": file }), words(rng, 400 + call * 17 % 2_000), false),
    }
}

/// So many words of chance.
fn words(rng: &mut Rng, count: usize) -> String {
    const PARTS: &[&str] = &[
        "or", "der", "bas", "ket", "in", "voice", "ship", "ment", "user", "page", "tok", "en", "cart", "re", "turn",
        "stock",
    ];
    let mut text = String::new();
    for n in 0..count {
        if n > 0 {
            text.push(if n % 12 == 0 { '\n' } else { ' ' });
        }
        (0..2 + rng.below(2)).for_each(|_| text.push_str(PARTS[rng.below(PARTS.len())]));
    }
    text
}
