//! What lessons would have done on folders of real sessions: the figures of `docs/quality.md`, the check with poisoned sessions, and
//! the comparison with a judge from outside. Nothing of the sessions is kept.

mod beside;
mod poison;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::battery::root;

/// What is measured on.
#[derive(clap::Args)]
pub struct Options {
    /// Folders of transcripts, each a project
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// A JSON list of objects with a `text` that nobody may ever be told: has sessions poisoned with them
    #[arg(long, value_name = "FILE")]
    poison: Option<PathBuf>,
    /// Groups of failures judged by a person, and what a judge from outside saw in them (a dump of its hints)
    #[arg(long, num_args = 2, value_names = ["GOLD", "DUMP"])]
    beside: Vec<PathBuf>,
    /// The binary to run, if not the one that is built now
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// Runs what is asked for.
pub fn run(options: &Options) -> Result<()> {
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => built()?,
    };
    let run = Run { binary: &binary };
    let begun = std::time::Instant::now();
    let (clean, said) = run.backtest(&options.folders)?;
    println!("{}", table(&clean));
    println!("{:.1} s", begun.elapsed().as_secs_f64());
    if let Some(file) = &options.poison {
        poison::run(&run, &options.folders, file, &clean)?;
    }
    if let [gold, dump] = options.beside.as_slice() {
        beside::run(&said, gold, dump)?;
    }
    Ok(())
}

pub fn built() -> Result<PathBuf> {
    let status = Command::new("cargo").args(["build", "--release", "-p", "uptake"]).current_dir(root()).status()?;
    ensure!(status.success(), "the binary was not built");
    Ok(root().join("target/release/uptake"))
}

/// Runs backtests.
struct Run<'r> {
    binary: &'r Path,
}

impl Run<'_> {
    /// The figures, and everything that was said.
    fn backtest(&self, folders: &[PathBuf]) -> Result<(Value, Vec<Value>)> {
        let dump = tempfile::NamedTempFile::new()?;
        let out = Command::new(self.binary)
            .args(["backtest", "--json", "--dump"])
            .arg(dump.path())
            .args(folders)
            .output()
            .with_context(|| format!("cannot run `{}`", self.binary.display()))?;
        ensure!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let said = std::fs::read_to_string(dump.path())?;
        let said = said.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        Ok((serde_json::from_slice(&out.stdout)?, said))
    }
}

/// The figures as rows of Markdown.
fn table(all: &Value) -> String {
    let mut out = String::from(
        "| | sessions | failures | came back | fix known | prevented | project | machine | tool | hints right | net tokens | net, retries carried |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let rows = all["projects"].as_array().cloned().unwrap_or_default();
    for row in rows.iter().chain([all]) {
        out.push_str(&line(row["project"].as_str().unwrap_or("**all**"), row, &row["ways"]["all"]));
    }
    out.push_str("\n| all projects | prevented | 90 % | project | machine | tool | hints right | lessons better by, without tool |\n|---|---|---|---|---|---|---|---|\n");
    for group in ["ways", "control", "baselines"] {
        for (name, way) in all[group].as_object().into_iter().flatten() {
            out.push_str(&compared(name, way));
        }
    }
    out
}

fn line(name: &str, row: &Value, way: &Value) -> String {
    let n = |key: &str| row[key].to_string();
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        n("sessions"),
        n("failures"),
        n("recurring"),
        n("judged"),
        n("prevented"),
        scope(way, "project"),
        scope(way, "machine"),
        scope(way, "tool"),
        percent(&way["precision"]),
        way["net_tokens"],
        way["net_tokens_if_retries_are_carried"]
    )
}

fn compared(name: &str, way: &Value) -> String {
    let range = |r: &Value| {
        if r.is_null() { "–".to_owned() } else { format!("{} to {}", percent(&r["low"]), percent(&r["high"])) }
    };
    let better = &way["lessons_better_by_without_tool"];
    let better =
        if better.is_null() { "–".to_owned() } else { format!("{} ({})", percent(&better["value"]), range(better)) };
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {better} |\n",
        percent(&way["rate"]["value"]),
        range(&way["rate"]),
        scope(way, "project"),
        scope(way, "machine"),
        scope(way, "tool"),
        percent(&way["precision"])
    )
}

fn scope(way: &Value, name: &str) -> String {
    match &way["scopes"][name] {
        Value::Array(pair) if pair.len() == 2 => format!("{}/{}", pair[0], pair[1]),
        _ => "–".to_owned(),
    }
}

fn percent(share: &Value) -> String {
    share.as_f64().map_or("–".to_owned(), |x| format!("{:.0} %", x * 100.0))
}
