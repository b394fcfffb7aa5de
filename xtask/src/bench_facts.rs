//! Facts: failures and tallies of very many calls folded into them, a few new sessions beside them, and hooks that tell them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use uptake_core::detect::{self, FAILURES, Kind, Observation, TALLIES, Trigger};
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Lesson, Payload};
use uptake_core::session::{Body, Call, Event, Excerpt, Outcome, Session, ToolKind};
use uptake_store::{Lessons, SeenIn};

use crate::bench::{ask, lesson, on_processor, spawn};
use crate::bench_lessons::{PROJECT, fold_changed, middle};

/// Calls whose failures and tallies are folded.
const CALLS: usize = 100_000;
/// Calls of one session.
const SESSION: usize = 100;
/// Projects that the sessions are of.
const PROJECTS: usize = 10;
/// Sessions that are new at a time.
const NEW: usize = 10;
/// Approved facts that hooks choose from.
const FACTS: usize = 10_000;

/// Runs the measurements.
pub fn run(binary: &Path) -> Result<()> {
    folding()?;
    hooks(binary)
}

/// All of it at once, beside keeping the same observations; then a few sessions, beside two commits of one row.
fn folding() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path();
    let mut store = Lessons::open(data)?;
    let seen: Vec<Seen> = (0..CALLS / SESSION).map(|n| Seen::of(data, n)).collect();
    let start = Instant::now();
    seen.chunks(NEW).try_for_each(|some| keep(&mut store, some))?;
    let kept = start.elapsed().as_secs_f64();
    let (start, before) = (Instant::now(), on_processor()?);
    fold_changed(&mut store, data)?;
    let (folded, working) = (start.elapsed().as_secs_f64(), on_processor()? - before);
    let facts = store.count(None)?.iter().map(|(_, n)| n).sum::<usize>();
    let observations = seen.iter().map(|s| s.observations.len()).sum::<usize>();
    println!(
        "{observations} observations of {CALLS} calls     folded into {facts} facts in {:.0} ms (bar 300), {:.0} of it on the processor: {:.1}× keeping them",
        folded * 1e3,
        working * 1e3,
        folded / kept
    );
    adding(&mut store, data)
}

fn adding(store: &mut Lessons, data: &Path) -> Result<()> {
    let (mut ours, mut working, mut least) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..21 {
        let first = CALLS / SESSION + run * NEW;
        let new: Vec<Seen> = (first..first + NEW).map(|n| Seen::of(data, n)).collect();
        let (start, before) = (Instant::now(), on_processor()?);
        keep(store, &new)?;
        fold_changed(store, data)?;
        ours.push(start.elapsed().as_secs_f64());
        working.push(on_processor()? - before);
        let start = Instant::now();
        store.renote("bench", &format!("{run}a"))?;
        store.renote("bench", &format!("{run}b"))?;
        least.push(start.elapsed().as_secs_f64());
    }
    let (ours, least) = (middle(ours), middle(least));
    println!(
        "{NEW} new sessions beside those of {CALLS} calls {:.1} ms (bar 20), {:.1} of it on the processor: {:.1}× two one-row commits",
        ours * 1e3,
        middle(working) * 1e3,
        ours / least
    );
    Ok(())
}

/// What was seen in one session.
struct Seen {
    session: String,
    path: String,
    project: String,
    observations: Vec<Observation>,
}

impl Seen {
    fn of(data: &Path, n: usize) -> Self {
        let session = session(n);
        let mut observations = detect::detect(&session);
        observations.retain(|o| [FAILURES, TALLIES].contains(&&*o.head.detector));
        let path = data.join(format!("home/.claude/projects/p{}/{}.jsonl", n % PROJECTS, session.id));
        let project = format!("git.example.com/dev/p{}", n % PROJECTS);
        Self { session: session.id, path: path.display().to_string(), project, observations }
    }
}

fn keep(store: &mut Lessons, seen: &[Seen]) -> Result<()> {
    let all = seen.iter().map(|s| SeenIn {
        source: "claude",
        session: &s.session,
        path: &s.path,
        project: &s.project,
        observations: &s.observations,
    });
    Ok(store.keep_observations(&all.collect::<Vec<_>>())?)
}

/// A session in which every 25th call fails, twice as many as real ones have by cause; the others read files and run programs.
fn session(n: usize) -> Session {
    let root = format!("/home/dev/p{}", n % PROJECTS);
    let id = format!("6ba7b810-9dad-41d1-80b4-{n:012}");
    let mut session = Session { cwd: Some(root.clone()), root: id.clone(), id, ..Session::default() };
    for call in 0..SESSION {
        // Neighbours have much in common, and what is far apart little.
        let file = (n / PROJECTS * 13 + call * 7) % 400;
        let body =
            Body::Call(if call % 25 == 5 { failed(n + call / 25, file, &root) } else { worked(call, file, &root) });
        let at = Some(1_700_000_000_000 + (n * SESSION + call) as i64 * 60_000);
        session.events.push(Event { id: format!("{n}-{call}"), at, offset: 0, len: 0, tokens: Some(300), body });
    }
    session
}

fn worked(call: usize, file: usize, root: &str) -> Call {
    let done = match call % 3 {
        0 => Call::new("Read", ToolKind::Read, &format!("{root}/src/m{}/part{file}.rs", file % 20)),
        1 => Call::new("Bash", ToolKind::Shell, &format!("cd m{} && go test ./...", file % 20)),
        _ => Call::new("Bash", ToolKind::Shell, &format!("npm run task{}", file % 20)),
    };
    Call { outcome: Outcome::Ok, ..done }
}

fn failed(kind: usize, file: usize, root: &str) -> Call {
    let (tool, input, output) = match kind % 5 {
        0 => ("Read", format!("{root}/lib/m{}/part{file}.rs", file % 20), "File does not exist.".to_owned()),
        1 => ("Edit", format!("{root}/src/a.rs"), NOT_READ.to_owned()),
        2 => {
            let found = format!("a.go:1:2: something is not as it should be (rule{})", file % 20);
            ("Bash", "golangci-lint run".to_owned(), found)
        }
        3 => {
            let error = format!("tool{file}: error: unrecognized arguments: --format json");
            ("Bash", format!("tool{file} report --format json"), error)
        }
        _ => {
            let error = format!("cat: docs/page{file}.md: No such file or directory");
            ("Bash", format!("cat docs/page{file}.md"), error)
        }
    };
    let kind = match tool {
        "Bash" => ToolKind::Shell,
        "Edit" => ToolKind::Edit,
        _ => ToolKind::Read,
    };
    Call { outcome: Outcome::Failed(Some(1)), output: Excerpt::new(&output), ..Call::new(tool, kind, &input) }
}

const NOT_READ: &str = "File has not been read yet. Read it first before writing to it.";

/// Hooks that are answered with a fact, each beside `bash -c true`.
fn hooks(binary: &Path) -> Result<()> {
    let home = tempfile::tempdir()?;
    let project = checkout(home.path())?;
    let data = home.path().join("u");
    fill(&data, &project)?;
    let at = |path: &str| project.join(path).display().to_string();
    let missing = json!({
        "hook_event_name": "PostToolUseFailure", "tool_name": "Read",
        "tool_input": { "file_path": at("src/shop/part7.rs") }, "error": "File does not exist."
    });
    let refused = json!({
        "hook_event_name": "PostToolBatch", "tool_calls": [{
            "tool_name": "Edit", "tool_input": { "file_path": at("src/a.rs"), "old_string": "a", "new_string": "b" },
            "tool_response": format!("<tool_use_error>{NOT_READ}</tool_use_error>")
        }]
    });
    let start = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    for (what, payload, answer) in [
        ("missing path", missing, "earlier sessions opened"),
        ("refused call", refused, "Fact 1 "),
        ("session start", start, "Fact "),
    ] {
        hook(binary, &data, &project, what, payload, answer)?;
    }
    Ok(())
}

/// A checkout with a file that is somewhere else than it is looked for.
fn checkout(home: &Path) -> Result<PathBuf> {
    let project = home.join("work");
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::create_dir_all(project.join("src/m7"))?;
    std::fs::write(project.join("src/m7/part7.rs"), "")?;
    let remote = format!("[remote \"origin\"]\n\turl = https://{PROJECT}.git\n");
    std::fs::write(project.join(".git/config"), remote)?;
    Ok(project)
}

fn hook(binary: &Path, data: &Path, project: &Path, what: &str, mut payload: Value, answer: &str) -> Result<()> {
    let (mut ours, mut bash) = (Vec::new(), Vec::new());
    for n in 0..200 {
        payload["cwd"] = project.display().to_string().into();
        payload["session_id"] = format!("{what} {n}").into();
        let (time, said) = ask(binary, data, &payload)?;
        anyhow::ensure!(said.contains(answer), "{what}: the hook said {said:?}");
        ours.push(time);
        let start = Instant::now();
        spawn(Command::new("bash").args(["-c", "true"]))?;
        bash.push(start.elapsed().as_secs_f64());
    }
    ours.sort_by(f64::total_cmp);
    let (p50, p99, bash) = (ours[ours.len() / 2], ours[ours.len() * 99 / 100], middle(bash));
    println!(
        "hook, {what:<13}, {FACTS} facts         p50 {:.2} ms, p99 {:.2} ms: {:.1}× bash (bar 3)",
        p50 * 1e3,
        p99 * 1e3,
        p50 / bash
    );
    Ok(())
}

/// A store with approved facts, and with what worked in the project.
fn fill(data: &Path, project: &Path) -> Result<()> {
    let mut store = Lessons::open(data)?;
    let facts: Vec<Lesson> = (0..FACTS).map(fact).collect();
    store.add_shown(&facts)?;
    store.decide_all(&facts, Verdict::Approved, 1)?;
    let root = project.to_str().context("a folder")?;
    for n in (0..CALLS / SESSION).step_by(PROJECTS) {
        let mut session = session(n);
        session.cwd = Some(root.to_owned());
        for event in &mut session.events {
            let Body::Call(call) = &mut event.body else { continue };
            call.input = call.input.replace("/home/dev/p0", root);
        }
        let mut observations = detect::detect(&session);
        observations.retain(|o| o.head.detector == TALLIES);
        let path = format!("/transcripts/{n}.jsonl");
        keep(&mut store, &[Seen { session: session.id, path, project: PROJECT.to_owned(), observations }])?;
    }
    Ok(())
}

/// The first two are about the calls that are tried; all are worth something else.
fn fact(n: usize) -> Lesson {
    let base = lesson(n);
    let (family, subject) = match n {
        0 => ("missing_path", "*".to_owned()),
        1 => ("tool_precondition", "file not-read".to_owned()),
        _ if n.is_multiple_of(2) => ("missing_path", format!("lib/m{n}/part{n}.rs")),
        _ => ("wrong_usage", format!("tool{n} --format")),
    };
    let mut evidence = base.evidence;
    evidence.worth.rank = 6.0 + (n % 1_000) as f64 / 500.0;
    Lesson {
        kind: Kind::Fact,
        key: format!("{family} {subject} → do {n}"),
        payload: Payload {
            statement: format!("Fact {n} says what to do about {subject}"),
            commands: Vec::new(),
            trigger: Some(Trigger { program: family.to_owned(), error: subject }),
            ..base.payload
        },
        evidence,
        ..base
    }
}
