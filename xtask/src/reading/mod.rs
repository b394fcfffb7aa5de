//! How good the lessons of a reader are, on a folder of labelled real sessions. Who answers sees nothing but the requests.
//!
//! Comes in: the folder, and a folder to work in. Goes out: requests as files there. Run again once answers stand beside them: it
//! asks what is left to ask, and at the end prints the table and writes sheets for people who judge by reading. Nothing of the
//! sessions is kept in this repository.

mod score;
mod sheets;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use uptake_core::reader::digest::tokens;

use crate::eval::corpus::{TurnLabel, turn_labels};
use crate::proof::built;

/// What is measured on.
#[derive(clap::Args)]
pub struct Options {
    /// The folder with `claude/`, `codex/`, `opencode/`, `gemini/` and `labels/`
    corpus: PathBuf,
    /// The folder to work in: stores, requests, answers, sheets
    work: PathBuf,
    /// Only these repositories, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Repositories that nobody read while prompts and rules were written: they get sums of their own
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    held_back: Vec<String>,
    /// The binary to run, if not the one that is built now
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// The sources of which a repository may have sessions.
const SOURCES: [&str; 4] = ["claude", "codex", "opencode", "gemini"];

/// A repository that is measured, in a home of its own.
pub struct Repository {
    /// As the labels name it.
    pub name: String,
    /// Its part of the folder to work in.
    pub home: PathBuf,
    /// Its sessions.
    folders: Vec<PathBuf>,
    /// What `learn --all` shows.
    pub first: Vec<Value>,
    /// What `list --all` has.
    pub list: Vec<Value>,
    /// Requests that wait for their answers.
    waiting: u64,
}

/// Asks, and scores once everything is answered.
pub fn run(options: &Options) -> Result<()> {
    let binary = options.binary.clone().map_or_else(built, Ok)?;
    let binary = binary.canonicalize().with_context(|| format!("cannot find `{}`", binary.display()))?;
    let labels = turn_labels(&options.corpus, &[], &[])?;
    let mut repositories = repositories(options, &labels)?;
    ensure!(!repositories.is_empty(), "no judged messages of such repositories in `{}`", options.corpus.display());
    for repository in &mut repositories {
        repository.ask(&binary)?;
    }
    let waiting: u64 = repositories.iter().map(|r| r.waiting).sum();
    if waiting > 0 {
        for r in repositories.iter().filter(|r| r.waiting > 0) {
            println!("{:3} wait in {}", r.waiting, r.home.join("requests").display());
        }
        println!(
            "{waiting} requests: put the answer to each `ID.request.md` beside it, as `ID.answer.json`; then run this again"
        );
        return Ok(());
    }
    println!("{}", score::table(&repositories, &labels, &options.held_back)?.plain());
    sheets::write(&options.work, &options.corpus, &repositories)
}

fn repositories(options: &Options, labels: &[TurnLabel]) -> Result<Vec<Repository>> {
    let mut names: Vec<&str> = labels.iter().map(|l| l.repo.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|n| options.only.is_empty() || options.only.iter().any(|o| o == n));
    let folders = |name: &str| {
        let all = SOURCES.iter().map(|source| options.corpus.join(source).join(name));
        all.filter(|p| p.is_dir()).map(|p| Ok(p.canonicalize()?)).collect::<Result<Vec<PathBuf>>>()
    };
    std::fs::create_dir_all(&options.work)?;
    let work = options.work.canonicalize()?;
    let one = |name: &str| {
        let (first, list, waiting) = (Vec::new(), Vec::new(), 0);
        Ok(Repository { name: name.to_owned(), home: work.join(name), folders: folders(name)?, first, list, waiting })
    };
    names.into_iter().map(one).collect()
}

impl Repository {
    /// The texts of all requests and answers so far, each about so many tokens.
    pub fn sent(&self) -> Result<usize> {
        let files = std::fs::read_dir(self.home.join("requests"))?.flatten().map(|e| e.path());
        let texts = files.map(std::fs::read_to_string).collect::<std::io::Result<Vec<String>>>()?;
        Ok(texts.iter().map(|text| tokens(text)).sum())
    }

    /// The folder of its stores.
    pub fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    /// Reads what is new, and answers that have come.
    fn ask(&mut self, binary: &Path) -> Result<()> {
        let settings = self.home.join("config/uptake/config.toml");
        let folders: Vec<&str> = self.folders.iter().filter_map(|p| p.to_str()).collect();
        let learn = [&["learn", "--all", "--json"], folders.as_slice()].concat();
        if !settings.exists() {
            for folder in ["requests", "home", "config/uptake"] {
                std::fs::create_dir_all(self.home.join(folder))?;
            }
            self.run(binary, &learn)?;
            self.make_one_project(binary)?;
            let reader = toml_edit::value(self.home.join("requests").to_string_lossy().into_owned());
            std::fs::write(&settings, format!("[reader]\nfolder = {reader}\n{NO_LIMITS}"))?;
        }
        let learned = self.run(binary, &learn)?;
        let (reports, first): (Vec<Value>, Vec<Value>) = learned.into_iter().partition(|row| !row["reader"].is_null());
        let ended = |row: &Value| row["reader"]["trouble"].is_null() && row["reader"]["left"] == 0;
        ensure!(!reports.is_empty() && reports.iter().all(ended), "{}: not read to the end: {reports:?}", self.name);
        self.waiting = reports.iter().filter_map(|row| row["reader"]["waiting"].as_u64()).sum();
        self.first = first;
        self.list = self.run(binary, &["list", "--all", "--json"])?;
        Ok(())
    }

    /// Makes what was found in its sessions one project, as a person would: a clone without its remote, an earlier name, and a client
    /// that notes no folder give several, and labels are of repositories.
    fn make_one_project(&self, binary: &Path) -> Result<()> {
        let mut projects = self.run(binary, &["project", "list", "--json"])?;
        projects.sort_by_key(|p| std::cmp::Reverse(p["sessions"].as_u64()));
        let keys: Vec<&str> = projects.iter().filter_map(|p| p["project"].as_str()).collect();
        let Some((most, others)) = keys.split_first() else { return Ok(()) };
        for other in others {
            self.run(binary, &["project", "merge", other, most, "--json"])?;
        }
        Ok(())
    }

    /// The lines of JSON that a command prints.
    fn run(&self, binary: &Path, args: &[&str]) -> Result<Vec<Value>> {
        let home = |name: &str| self.home.join(name);
        let out = Command::new(binary)
            .args(args)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs([("HOME", home("home")), ("UPTAKE_HOME", self.data()), ("XDG_CONFIG_HOME", home("config"))])
            .output()
            .with_context(|| format!("cannot run `{}`", binary.display()))?;
        ensure!(out.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8(out.stdout)?;
        Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }
}

/// Everything at once, whoever wrote it: what is measured is quality, not throttling.
const NO_LIMITS: &str = "days = 365\nrequests-a-day = 1000\ntokens-a-day = 10000000\ncross = true\n";
