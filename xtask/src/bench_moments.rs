//! Every moment of a hook, spawn to exit, beside hooks that do nothing in other languages; and what it needs of memory.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use uptake_core::detect::Kind;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Lesson, by_hand};
use uptake_store::{Guard, Lessons};

use crate::bench::spawn;
use crate::bench_lessons::middle;

/// Starts of each.
const STARTS: usize = 200;
/// Lessons that are looked up at prompts.
const LESSONS: usize = 10_000;

/// Lessons of which a prompt may take twice as long at most.
const MANY: usize = 1_000_000;

/// Runs the measurements.
pub fn run(binary: &Path) -> Result<()> {
    let home = tempfile::tempdir()?;
    let few = moments(binary, home.path(), LESSONS)?;
    nothing()?;
    let home = tempfile::tempdir()?;
    let many = moments(binary, home.path(), MANY)?;
    for ((name, few), (_, many)) in few.iter().zip(many) {
        println!("hook: {name:<30} {:.2}× as long with {MANY} lessons as with {LESSONS} (bar 2)", many / few);
    }
    Ok(())
}

/// The same moments in a home with a history.
pub fn beside(binary: &Path, home: &Path) -> Result<()> {
    println!("hooks beside that history:");
    moments(binary, home, LESSONS)?;
    nothing()
}

/// Every moment with so many lessons. Answers the median of each.
fn moments(binary: &Path, home: &Path, lessons: usize) -> Result<Vec<(&'static str, f64)>> {
    let (data, project) = (home.join("u"), home.join("work"));
    std::fs::create_dir_all(project.join(".git"))?;
    let remote = "[remote \"origin\"]\n\turl = https://git.example.com/dev/ledger.git\n";
    std::fs::write(project.join(".git/config"), remote)?;
    fill(&data, lessons)?;
    let asked = |event: &str, more: Value| {
        let mut payload = json!({ "session_id": "SESSION", "cwd": project, "hook_event_name": event });
        if let (Some(payload), Some(more)) = (payload.as_object_mut(), more.as_object()) {
            payload.extend(more.clone());
        }
        payload.to_string()
    };
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_response": { "stdout": "a" } });
    let stopped = json!({ "tool_name": "Bash", "tool_input": { "command": "make all" } });
    let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": project.join("db/up.sql") } });
    let agent = json!({ "agent_id": "a", "agent_type": "general-purpose" });
    let done = json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" },
        "tool_response": { "llmContent": "Output: a" } });
    let ran = json!({ "tool_name": "bash", "tool_input": { "command": "ls" }, "tool_response": { "output": "a", "exit": 0 } });
    let question = "How are invoices of region77 rounded?";
    let prompt = |event: &str, text: &str| asked(event, json!({ "prompt": text }));
    let start = || asked("SessionStart", json!({ "source": "startup" }));
    let end = || asked("SessionEnd", json!({ "reason": "other" }));
    let all = [
        ("claude", "start", start(), true),
        ("claude", "prompt that is answered", prompt("UserPromptSubmit", question), true),
        ("claude", "prompt that is not", prompt("UserPromptSubmit", "Please write a parser for dates"), false),
        ("claude", "before a call that is stopped", asked("PreToolUse", stopped), true),
        ("claude", "before an edit", asked("PreToolUse", edit), true),
        ("claude", "after a call that went well", asked("PostToolUse", call), false),
        ("claude", "subagent start", asked("SubagentStart", agent.clone()), true),
        ("claude", "subagent stop, asked", asked("SubagentStop", agent), true),
        ("claude", "end", end(), false),
        ("gemini", "start in Gemini CLI", start(), true),
        ("gemini", "prompt in Gemini CLI", prompt("BeforeAgent", question), true),
        ("gemini", "call in Gemini CLI", asked("AfterTool", done), false),
        ("gemini", "end in Gemini CLI", end(), false),
        ("opencode", "start in OpenCode", start(), true),
        ("opencode", "prompt in OpenCode", prompt("UserPromptSubmit", question), true),
        ("opencode", "call in OpenCode", asked("PostToolUse", ran), false),
        ("opencode", "end in OpenCode", end(), false),
    ];
    // All that a user has to want is wanted.
    let settings = home.join(".config/uptake");
    std::fs::create_dir_all(&settings)?;
    let wanted = "guard = true\nbefore-calls = true\nlearning-agents = [\"general-purpose\"]\n";
    std::fs::write(settings.join("config.toml"), wanted)?;
    let mut medians = Vec::new();
    for (source, name, payload, answers) in &all {
        let agent = |n: usize| format!("\"agent_id\":\"{n}\"");
        let line =
            |n: usize| payload.replace("SESSION", &format!("{name}-{n}")).replace("\"agent_id\":\"a\"", &agent(n));
        let hook = || {
            let mut command = Command::new(binary);
            command.args(["hook", source]).env("UPTAKE_HOME", &data).env("UPTAKE_HOLDOUT", "0").env("HOME", home);
            command
        };
        medians.push((*name, measured(&format!("hook: {name}, {lessons} lessons"), *answers, hook, line)?));
    }
    memory(binary, &data, home, &all[1].2)?;
    Ok(medians)
}

/// Approved rules of one project, each with a word of its own.
fn fill(data: &Path, lessons: usize) -> Result<()> {
    const AT_A_TIME: usize = 10_000;
    let mut store = Lessons::open(data)?;
    for first in (0..lessons).step_by(AT_A_TIME) {
        let rule = |n: usize| {
            by_hand("git.example.com/dev/ledger", &format!("Rule {n}: region{n} invoices are rounded to cents"), 1)
        };
        let rules: Vec<Lesson> = (first..lessons.min(first + AT_A_TIME)).map(rule).collect();
        store.add_shown(&rules)?;
        store.decide_all(&rules, Verdict::Approved, 1)?;
    }
    let project = "git.example.com/dev/ledger";
    let rule = by_hand(project, "Every `*.sql` file begins with the number of its ticket", 1);
    let mut fix = by_hand(project, "Instead of `make all` run `make every`", 1);
    (fix.kind, fix.payload.commands) = (Kind::Recovery, ["make all", "make every"].map(str::to_owned).to_vec());
    let guard = Guard { project: project.to_owned(), command: "make all".to_owned(), lesson: fix.id.clone() };
    let both = [rule, fix];
    store.add_shown(&both)?;
    store.decide_all(&both, Verdict::Approved, 1)?;
    Ok(store.set_guards(&[guard])?)
}

/// Hooks that do nothing, in other languages.
fn nothing() -> Result<()> {
    for (name, program, args) in [
        ("a hook in Python that does nothing", "python3", ["-c", "import json,sys; json.load(sys.stdin)"]),
        ("a hook in Node that does nothing", "node", ["-e", "JSON.parse(require('fs').readFileSync(0))"]),
    ] {
        let hook = || {
            let mut command = Command::new(program);
            command.args(args);
            command
        };
        // Not everybody has them.
        if let Err(e) = measured(name, false, hook, |_| "{}".to_owned()) {
            println!("{name}: not measured ({e:#})");
        }
    }
    Ok(())
}

/// The median of a hook beside that of `bash -c true`, started in turns: whatever else the machine does slows down both.
fn measured(name: &str, answers: bool, hook: impl Fn() -> Command, payload: impl Fn(usize) -> String) -> Result<f64> {
    let (mut times, mut least) = (Vec::new(), Vec::new());
    for n in 0..STARTS {
        let begun = Instant::now();
        spawn(Command::new("bash").args(["-c", "true"]))?;
        least.push(begun.elapsed().as_secs_f64());
        let payload = payload(n);
        let begun = Instant::now();
        let mut child = hook().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        child.stdin.take().context("no standard input")?.write_all(payload.as_bytes())?;
        let out = child.wait_with_output()?;
        times.push(begun.elapsed().as_secs_f64());
        ensure!(out.status.success() && out.stdout.is_empty() != answers, "{name}: {out:?}");
    }
    times.sort_by(f64::total_cmp);
    let (p50, p99, bash) = (times[STARTS / 2], times[STARTS * 99 / 100], middle(least));
    println!("{name:<52} p50 {:.2} ms, p99 {:.2} ms: {:.1}× bash", p50 * 1e3, p99 * 1e3, p50 / bash);
    Ok(p50)
}

/// The most memory of a hook that answers, where GNU time is there to tell.
fn memory(binary: &Path, data: &Path, home: &Path, payload: &str) -> Result<()> {
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["-f", "%M"])
        .arg(binary)
        .args(["hook", "claude"])
        .env("UPTAKE_HOME", data)
        .env("UPTAKE_HOLDOUT", "0")
        .env("HOME", home);
    let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() else {
        println!("memory of a hook: not measured (no /usr/bin/time)");
        return Ok(());
    };
    child.stdin.take().context("no standard input")?.write_all(payload.as_bytes())?;
    let out = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&out.stderr);
    let kilobytes: f64 = said.trim().parse().with_context(|| format!("no number: {said}"))?;
    println!("memory of a hook that answers                        {:.1} MB (bar 30)", kilobytes / 1e3);
    Ok(())
}
