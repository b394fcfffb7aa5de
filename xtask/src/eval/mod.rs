//! How often uptake is right, on a folder of labelled real sessions: per repository and overall, with intervals and
//! beside baselines. Writes `docs/quality.md`.

pub mod corpus;
mod family;
mod fit;
mod outcome;
mod recovery;
pub mod report;
pub mod score;
mod scripts;
mod suggest;
mod typed;
mod words;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::battery::root;
use corpus::Corpus;
use report::Table;

/// The part of the page that people write begins here.
const BY_HAND: &str = "<!-- below: written by hand -->";

/// What is measured on.
#[derive(clap::Args)]
pub struct On {
    /// The folder with `claude/`, `codex/` and `labels/`
    corpus: PathBuf,
    /// More judged messages beside `labels/turns-strict*.jsonl`
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// Repositories that are neither read nor scored, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    leave_out: Vec<String>,
    /// Repositories that nobody read while the rules were written: they get sums of their own, and no weight is fitted to them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    held_back: Vec<String>,
}

impl On {
    fn read(&self) -> Result<Corpus> {
        let mut corpus = Corpus::read(&self.corpus, &self.labels, &self.leave_out)?;
        corpus.held_back.clone_from(&self.held_back);
        Ok(corpus)
    }
}

/// Fits the weights of the user's words and writes their table.
pub fn fit(on: &On) -> Result<()> {
    fit::write(&on.read()?)
}

/// Prints what goes without each phrase.
pub fn ablate(on: &On) -> Result<()> {
    println!("{}", words::ablate(&on.read()?).plain());
    Ok(())
}

/// Runs every measurement, on all repositories but those left out; `out` is the page to write, `-` for none.
pub fn run(on: &On, out: Option<&Path>, verbose: bool) -> Result<()> {
    let (corpus, folder) = (on.read()?, on.corpus.as_path());
    let mut tables = vec![outcome::table(&corpus), recovery::table(&corpus)];
    tables.push(scripts::table(folder, &corpus)?);
    tables.push(typed::table(&corpus));
    tables.extend(family::families(&corpus));
    tables.extend(family::subjects(&corpus));
    tables.extend(words::tables(&corpus));
    tables.push(suggest::table(&corpus, &root().join("docs/quality-judged.txt"), verbose)?);
    if verbose {
        words::print_signs(&corpus);
    }
    for table in &tables {
        println!("{}", table.plain());
    }
    let page = out.map_or_else(|| root().join("docs/quality.md"), Path::to_owned);
    if page == Path::new("-") {
        return Ok(());
    }
    write(&page, &corpus, &tables)?;
    println!("written: {}", page.display());
    Ok(())
}

/// The tables as sections of the page. Those of the page before that were not measured this time stay where they stood: their
/// labels are not in the folder.
fn with_kept(tables: &[Table], before: &str) -> Vec<String> {
    let generated = before.split(BY_HAND).next().unwrap_or_default();
    let mut sections: Vec<String> = tables.iter().map(Table::markdown).collect();
    let title = |section: &str| section.lines().next().unwrap_or_default().to_owned();
    let mut above: Option<String> = None;
    for old in generated.split("\n## ").skip(1) {
        let old = format!("## {}\n", old.trim_end());
        if !sections.iter().any(|s| title(s) == title(&old)) && KEPT.iter().any(|k| title(&old) == format!("## {k}")) {
            let at = above.as_ref().and_then(|a| sections.iter().position(|s| title(s) == *a)).map_or(0, |at| at + 1);
            sections.insert(at, old.clone());
        }
        above = Some(title(&old));
    }
    sections
}

/// Tables whose labels may be elsewhere.
const KEPT: &[&str] = &["What went wrong", "What it is about", "Who typed it", "Pushback", "What lasts"];

fn write(page: &Path, corpus: &Corpus, tables: &[Table]) -> Result<()> {
    let before = std::fs::read_to_string(page).unwrap_or_default();
    let by_hand = before.split_once(BY_HAND).map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let mut text = String::from(
        "# How often it is right\n\n\
         Measured with `cargo xtask eval FOLDER` on published sessions of coding agents, with labels made by reading. The \
         sessions are not part of this repository; the command runs on any folder laid out as \
         `claude/<repository>/*.jsonl`, `codex/<repository>/*.jsonl`, `labels/*.jsonl` and prints these tables. In \
         brackets 95 % intervals. The rules were written with these sessions at hand, so other repositories will be a \
         little worse.\n\n",
    );
    let sessions: Vec<String> = corpus
        .repositories
        .iter()
        .filter(|r| !r.sessions.is_empty())
        .map(|r| format!("{} ({}, {})", r.name.replacen('+', "/", 1), r.client, r.sessions.len()))
        .collect();
    let _ = writeln!(text, "Sessions: {}.\n", sessions.join(", "));
    for section in with_kept(tables, &before) {
        let _ = writeln!(text, "{section}");
    }
    let _ = write!(text, "{BY_HAND}{by_hand}");
    std::fs::write(page, text).with_context(|| format!("cannot write `{}`", page.display()))
}
