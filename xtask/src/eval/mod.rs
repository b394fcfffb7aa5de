//! How often uptake is right, on a folder of labelled real sessions: per repository and overall, with intervals and
//! beside baselines. Writes `docs/quality.md`.

mod corpus;
mod family;
mod outcome;
mod recovery;
mod report;
mod score;
mod scripts;
mod suggest;
mod turns;
mod typed;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::battery::root;
use corpus::Corpus;
use report::Table;

/// The part of the page that people write begins here.
const BY_HAND: &str = "<!-- below: written by hand -->";

/// Runs every measurement, on all repositories but those left out; `out` is the page to write, `-` for none.
pub fn run(folder: &Path, leave_out: &[String], held_back: &[String], out: Option<&Path>, verbose: bool) -> Result<()> {
    let mut corpus = Corpus::read(folder, leave_out)?;
    corpus.held_back = held_back.to_vec();
    let mut tables = vec![outcome::table(&corpus), recovery::table(&corpus)];
    tables.push(scripts::table(folder, &corpus)?);
    tables.push(typed::table(&corpus));
    tables.extend(family::families(&corpus));
    tables.extend(family::subjects(&corpus));
    tables.extend(turns::tables(&corpus));
    tables.push(suggest::table(&corpus, &root().join("docs/quality-judged.txt"), verbose)?);
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
    for table in tables {
        let _ = writeln!(text, "{}", table.markdown());
    }
    let _ = write!(text, "{BY_HAND}{by_hand}");
    std::fs::write(page, text).with_context(|| format!("cannot write `{}`", page.display()))
}
