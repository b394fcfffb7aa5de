//! Files made of lessons: a hundred of them rendered at once, looked at again, the card and the index, each beside a shell that
//! does nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// Lessons that are rendered.
const LESSONS: usize = 100;
/// Runs of each.
const RUNS: usize = 15;
/// Runs of rendering, each in a world of its own.
const RENDERED: usize = 5;

/// Runs the measurements.
pub fn run(binary: &Path, bash: f64) -> Result<()> {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..RENDERED {
        let world = World::new(binary)?;
        let ids = world.waiting()?;
        let args: Vec<&str> =
            std::iter::once("review").chain(ids.iter().flat_map(|id| ["--accept", id.as_str()])).collect();
        let start = Instant::now();
        world.run(&args)?;
        times.push(start.elapsed().as_secs_f64());
        last = Some(world);
    }
    tell("100 lessons rendered (bar 100 ms)", &mut times, bash);
    let world = last.context("nothing was rendered")?;
    for (what, args) in [
        ("reconcile of 100 (bar 10 ms)", &["reconcile"][..]),
        ("card (bar 3x)", &["card"]),
        ("index of knowledge (bar 3x)", &["knowledge"]),
        ("line for a status bar", &["hud"]),
    ] {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let start = Instant::now();
            // As the shell beside it: nobody reads what it prints.
            let ended = world.command(args).stdout(Stdio::null()).status()?;
            times.push(start.elapsed().as_secs_f64());
            ensure!(ended.success(), "{args:?}: {ended}");
        }
        tell(what, &mut times, bash);
    }
    Ok(())
}

fn tell(what: &str, times: &mut [f64], bash: f64) {
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!("{what:40} {:.1} ms = {:.1}x `bash -c true`", median * 1e3, median / bash);
}

struct World<'b> {
    folder: tempfile::TempDir,
    binary: &'b Path,
}

impl<'b> World<'b> {
    /// A project that wants files.
    fn new(binary: &'b Path) -> Result<Self> {
        let world = Self { folder: tempfile::tempdir()?, binary };
        for folder in ["home/.claude", "shop/.git"] {
            std::fs::create_dir_all(world.folder.path().join(folder))?;
        }
        world.run(&["trust", "--files"])?;
        Ok(world)
    }

    fn command(&self, args: &[&str]) -> Command {
        let at = self.folder.path();
        let mut command = Command::new(self.binary);
        command
            .args(args)
            .current_dir(at.join("shop"))
            .env("HOME", at.join("home"))
            .env("UPTAKE_HOME", at.join("data"))
            .env_remove("XDG_CONFIG_HOME");
        command
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        let out = self.command(args).output()?;
        ensure!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    }

    /// Takes in lessons of the four kinds that become files; answers their ids.
    fn waiting(&self) -> Result<Vec<String>> {
        let kinds = ["decision", "pitfall", "workflow", "instruction"];
        let row = |n: usize| {
            let text = format!("Choose option number {n} for the module m{n} in folder f{n}");
            let row = json!({ "format": "uptake-lessons", "id": format!("a{n}"), "kind": kinds[n % 4], "text": text, "sessions": 4 });
            format!("{row}\n")
        };
        let file = self.folder.path().join("lessons.jsonl");
        std::fs::write(&file, (0..LESSONS).map(row).collect::<String>())?;
        let key = self.run(&["project", "here"])?;
        self.run(&["import", "--project", key.trim(), &file.to_string_lossy()])?;
        let rows = self.run(&["review", "--all", "--json"])?;
        let ids = rows
            .lines()
            .filter_map(|l| serde_json::from_str::<Value>(l).ok())
            .filter_map(|r| Some(r["id"].as_str()?.to_owned()));
        let ids: Vec<String> = ids.collect();
        ensure!(ids.len() == LESSONS, "{} lessons wait", ids.len());
        Ok(ids)
    }
}
