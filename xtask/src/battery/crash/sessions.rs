//! The sessions of a stage: three clients, four projects, a first part and a later one.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::battery::plants::script::{Script, Step};
use crate::battery::plants::write::WRITERS;
use crate::battery::world::World;

/// Clients that write one file a session.
const CLIENTS: [&str; 3] = ["claude", "codex", "gemini lines"];
/// Projects that exist: with a remote, with a remote, known by their first commit.
const PROJECTS: [&str; 3] = ["ledger", "shop", "plain"];
/// Sessions of the first part, and of both.
const FIRST: usize = 18;
const ALL: usize = 42;
/// Sessions of the first part that go on in the second.
const GROW: usize = 6;
/// Sessions begin here: 1 March 2026.
const BEGIN: i64 = 1_772_359_200_000;

/// A folder that is no longer there.
const GONE: &str = "/srv/gone/stock";

/// Makes the folders of the projects.
pub fn make_projects(world: &World) -> Result<()> {
    let config = b"[remote \"origin\"]\n\turl = https://git.example.com/dev/shop.git\n";
    world.write(&world.path("shop/.git/config"), config)?;
    let log = r#"{"id":"obs_wf0001","type":"workflow","pattern":"Squash merge, pull main, delete branch","observations":3,"first_seen":"2026-01-01T10:00:00Z","last_seen":"2026-01-15T18:12:14Z","status":"ready","evidence":[],"details":"1. squash 2. pull","quality_ok":true}
{"id":"obs_de0001","type":"decision","pattern":"Keep SQLite because one file is easy to back up","observations":2,"status":"created","quality_ok":true}
"#;
    world.write(&world.path("shop/.memory/learning-log.jsonl"), log.as_bytes())?;
    let plain = world.path("plain");
    std::fs::create_dir_all(&plain)?;
    for args in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        let status = Command::new("git")
            .args(["-c", "user.name=d", "-c", "user.email=d@example.com", "-c", "init.defaultBranch=main"])
            .args(args)
            .env("HOME", world.home())
            .current_dir(&plain)
            .status()
            .context("cannot run git")?;
        ensure!(status.success(), "git {} fails", args.join(" "));
    }
    Ok(())
}

/// Writes the first part.
pub fn write_first(world: &World) -> Result<()> {
    for n in 0..FIRST {
        write(world, client(n), &script(world, n))?;
    }
    for n in 0..2 {
        write(world, "claude", &elsewhere(FIRST * 10 + n))?;
    }
    Ok(())
}

/// Writes the later part: new sessions, more of old ones, a fork, and one that tells the remote of a folder.
pub fn write_later(world: &World) -> Result<()> {
    for n in FIRST..ALL {
        write(world, client(n), &script(world, n))?;
    }
    for n in 0..GROW {
        let mut script = script(world, n);
        script.steps.extend(steps(&tool(n, n / 3 + 1)));
        write(world, client(n), &script)?;
    }
    write(world, "codex", &elsewhere(ALL * 10))?;
    fork(world)
}

/// The transcript of the first session.
pub fn first(world: &World) -> PathBuf {
    world.home().join(format!(".claude/projects/-work-ledger/{}.jsonl", id(0)))
}

/// A copy of the first session under another name, as a client writes it that resumes one.
fn fork(world: &World) -> Result<()> {
    let (path, old, new) = (first(world), id(0), id(ALL + 1));
    let text = std::fs::read_to_string(&path)?;
    world.write(&path.with_file_name(format!("{new}.jsonl")), text.replace(&old, &new).as_bytes())
}

fn write(world: &World, client: &str, script: &Script) -> Result<()> {
    let writer = WRITERS.iter().find(|w| w.name == client).context("no such client")?;
    (writer.write)(world, std::slice::from_ref(script)).map(drop)
}

/// Which client writes a session. Where there is no remote, only Claude Code leaves it out.
fn client(n: usize) -> &'static str {
    if PROJECTS[n % 3] == "plain" { "claude" } else { CLIENTS[n / 3 % 3] }
}

fn id(n: usize) -> String {
    format!("5e55{n:04}-0000-4000-8000-000000000000")
}

fn tool(n: usize, number: usize) -> String {
    format!("tool{}x{number}", n % 3)
}

/// Two sessions in a row are about the same tool, so that lessons are made.
fn script(world: &World, n: usize) -> Script {
    let project = PROJECTS[n % 3];
    let round = n / 3;
    let number = if n < FIRST { round / 2 } else { (round - 1) / 2 };
    Script {
        id: id(n),
        at: BEGIN + 43_200_000 * n as i64,
        cwd: world.path(project).to_string_lossy().into_owned(),
        remote: format!("https://git.example.com/dev/{project}.git"),
        steps: steps(&tool(n, number)),
    }
}

fn elsewhere(n: usize) -> Script {
    Script {
        id: id(n),
        at: BEGIN + 43_200_000 * n as i64,
        cwd: GONE.to_owned(),
        remote: "https://git.example.com/dev/stock.git".to_owned(),
        steps: steps("tool9x0"),
    }
}

/// The command of a tool that fails, and what it prints.
pub fn failure(tool: &str) -> (String, String) {
    let error = format!("usage: {tool} sync [--output FORMAT]\n{tool}: error: unrecognized arguments: --format json\n");
    (format!("{tool} sync --format json"), error)
}

/// A failure and its fix, a procedure, a correction, something to remember.
fn steps(tool: &str) -> Vec<Step> {
    let (failing, error) = failure(tool);
    let ok = |what: &str| Step::Shell { command: format!("{tool} {what}"), output: "done\n".to_owned(), code: 0 };
    vec![
        Step::User(format!("Set up {tool}, please.")),
        Step::Shell { command: failing, output: error, code: 2 },
        ok("sync --output json"),
        Step::Assistant("The option is called --output.".to_owned()),
        ok("fetch --all"),
        ok("build --fast"),
        ok("ship --now"),
        Step::Shell { command: format!("{tool} push --slow"), output: format!("{tool}: error: too slow\n"), code: 1 },
        Step::User(format!("no, use {tool} push --quick instead.")),
        ok("push --quick"),
        Step::User(format!("Remember: {tool} is always run with --output json.")),
        Step::Assistant("Noted.".to_owned()),
    ]
}
