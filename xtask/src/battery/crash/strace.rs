//! System calls of a command, and a fault at one of them: by strace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::battery::world::{Said, World, finish};

/// A command that is harmed, and where it runs.
pub struct Harmed<'h> {
    /// Its world.
    pub world: &'h World,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// What figures call it.
    pub name: &'h str,
    /// Its arguments.
    pub args: &'h [String],
}

/// A call that was made.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// The file it is about.
    pub path: String,
    /// Whether it may make or change the file.
    pub writes: bool,
}

/// Fails if strace is missing: without it nothing can be said of every single write.
pub fn is_there() -> Result<()> {
    let there = Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(there.is_ok_and(|s| s.success()), "needs strace; Debian: apt-get install strace");
    Ok(())
}

/// All calls of these names that a command makes, in order.
pub fn calls(harmed: &Harmed<'_>, names: &str) -> Result<Vec<Call>> {
    let log = harmed.world.path("calls");
    let around = ["strace", "-f", "-qq", "-y", "-s", "0", "-e", "signal=none", "-e", &format!("trace={names}"), "-o"];
    let around: Vec<String> =
        around.iter().map(|a| (*a).to_owned()).chain([log.to_string_lossy().into_owned()]).collect();
    let said = run(harmed, &around)?;
    ensure!(said.ok, "`{}` fails under strace: {}", harmed.name, String::from_utf8_lossy(&said.err));
    let text = std::fs::read_to_string(&log)?;
    let folder = harmed.world.path("");
    let mut first = None;
    let mut out = Vec::new();
    for line in text.lines() {
        let (process, line) = line.split_once(' ').context("a line without a process")?;
        let Some(call) = parse(line.trim_start()) else { continue };
        if process == *first.get_or_insert(process) {
            out.push(call);
        } else {
            ensure!(!(call.writes && Path::new(&call.path).starts_with(&folder)), "another thread writes: {line}");
        }
    }
    Ok(out)
}

/// `pwrite64(6</folder/file>, ""..., 24, 0) = 24`, `unlink("/folder/file") = 0` and the like.
fn parse(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    if !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let path = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        rest.split_once('<')?.1.split_once('>')?.0
    } else {
        rest.split('"').find(|part| part.starts_with('/')).unwrap_or_default()
    };
    let writes = name != "openat" || rest.contains("O_CREAT");
    Some(Call { name: name.to_owned(), path: path.to_owned(), writes })
}

/// A fault at one call, told by its place among the calls of its name: so strace counts.
pub struct Point {
    options: Vec<String>,
    /// In words, for what is told.
    pub how: String,
}

impl Point {
    /// The process is killed before the call.
    pub fn kill(calls: &[Call], at: usize) -> Self {
        let (name, nth) = (&calls[at].name, nth(calls, at, &calls[at].name) + 1);
        Self::new(calls, at, vec![format!("inject={name}:signal=SIGKILL:when={nth}")], "killed at")
    }

    /// The call fails, and no other.
    pub fn full_once(calls: &[Call], at: usize) -> Self {
        let (name, nth) = (&calls[at].name, nth(calls, at, &calls[at].name) + 1);
        Self::new(calls, at, vec![format!("inject={name}:error=ENOSPC:when={nth}")], "full at")
    }

    /// The call fails, and all after it of those names that only write to files do.
    pub fn full_from(calls: &[Call], at: usize, for_files: &[&str]) -> Self {
        let mut point = Self::full_once(calls, at);
        let names: BTreeSet<&str> = calls.iter().map(|c| c.name.as_str()).filter(|n| for_files.contains(n)).collect();
        point.options.retain(|_| !names.contains(calls[at].name.as_str()));
        for name in names {
            point.options.push(format!("inject={name}:error=ENOSPC:when={}+", nth(calls, at, name) + 1));
        }
        point.how = point.how.replace("full at", "full from");
        point
    }

    fn new(calls: &[Call], at: usize, options: Vec<String>, how: &str) -> Self {
        let file = calls[at].path.rsplit('/').next().unwrap_or_default();
        Self { options, how: format!("{how} call {} of {} ({} {file})", at + 1, calls.len(), calls[at].name) }
    }

    /// Runs a command with the fault. Also answers whether the fault came.
    pub fn run(&self, harmed: &Harmed<'_>, names: &str) -> Result<(Said, bool)> {
        // Without `-f`: only the first thread writes, and only its calls count.
        let log = harmed.world.path("calls");
        let mut around: Vec<String> = ["strace", "-qq", "-s", "0", "-e", "signal=none", "-e"].map(str::to_owned).into();
        around.push(format!("trace={names}"));
        around.extend(self.options.iter().flat_map(|o| ["-e".to_owned(), o.clone()]));
        around.extend(["-o".to_owned(), log.to_string_lossy().into_owned()]);
        let said = run(harmed, &around)?;
        let came = said.killed || std::fs::read_to_string(&log)?.contains("(INJECTED)");
        Ok((said, came))
    }
}

/// How many calls of a name come before one.
fn nth(calls: &[Call], at: usize, name: &str) -> usize {
    calls[..at].iter().filter(|c| c.name == name).count()
}

fn run(harmed: &Harmed<'_>, around: &[String]) -> Result<Said> {
    let mut command = harmed.world.command(around);
    finish(command.args(harmed.args).current_dir(&harmed.folder).env("RAYON_NUM_THREADS", "1"), b"")
}
