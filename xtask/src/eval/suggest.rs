//! What would be suggested after each session, and what a reader thought of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use uptake_core::detect::{self, Observation};

use super::corpus::Corpus;
use super::report::Table;
use super::score::share;
use crate::battery::Rng;

/// How many are drawn to be read.
const DRAWN: usize = 50;
/// Where chance begins: the same draw on the same sessions.
const SEED: u64 = 4;

/// A repository's observations, one list per session.
type Seen<'c> = Vec<(&'c str, Vec<Vec<Observation>>)>;

fn seen(corpus: &Corpus) -> Seen<'_> {
    let mut out = Vec::new();
    for repository in &corpus.repositories {
        let mut known = HashSet::new();
        // A fork shows again what its root showed.
        let lists = repository.sessions.iter().map(|s| {
            let fresh = detect::detect(s).into_iter().filter(|o| known.insert(o.head.id.clone()));
            fresh.collect::<Vec<_>>()
        });
        out.push((repository.name.as_str(), lists.collect()));
    }
    out
}

/// Suggestions per session and detector, and the tally of those that were read.
pub fn table(corpus: &Corpus, judged: &Path, verbose: bool) -> Result<Table> {
    let seen = seen(corpus);
    let verdicts = verdicts(judged)?;
    let mut table = Table::new(
        "Suggestions after one session",
        "Observations marked `suggest`, before sessions are added up. Bars: median ≤ 1 a session; of 50 drawn at random \
         and read, at least 80 % worth keeping.",
        &["repository", "sessions", "suggested", "median a session", "most"],
    );
    let mut all: Vec<usize> = Vec::new();
    for (name, lists) in &seen {
        let counts: Vec<usize> = lists.iter().map(|l| l.iter().filter(|o| o.claim.suggest).count()).collect();
        table.row(name, cells(&counts));
        all.extend(counts);
    }
    let met = if median(&all) <= 1 { "" } else { " (**missed**)" };
    table.row(&format!("**all**{met}"), cells(&all));
    let mut by: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for o in seen.iter().flat_map(|(_, lists)| lists).flatten() {
        let entry = by.entry(&o.head.detector).or_default();
        entry.0 += 1;
        entry.1 += usize::from(o.claim.suggest);
    }
    let list: Vec<String> = by.iter().map(|(name, (all, suggested))| format!("{name} {all} ({suggested})")).collect();
    table.notes.push(format!("observations by detector, in brackets those suggested: {}", list.join(", ")));
    let drawn = draw(&seen);
    let read: Vec<bool> = drawn.iter().filter_map(|o| verdicts.get(o.head.id.as_str()).copied()).collect();
    let worth = read.iter().filter(|v| **v).count();
    table.notes.push(format!(
        "of {} drawn at random {} were read: {} worth keeping",
        drawn.len(),
        read.len(),
        share(u32::try_from(worth)?, u32::try_from(read.len())?)
    ));
    if verbose {
        for o in &drawn {
            let verdict = verdicts.get(o.head.id.as_str()).map_or("unread", |v| if *v { "worth" } else { "not" });
            println!(
                "{}\t{verdict}\t{}\t{}\t{}",
                o.head.id,
                o.head.detector,
                o.claim.title,
                o.claim.text.replace('\n', " ")
            );
        }
    }
    Ok(table)
}

fn cells(counts: &[usize]) -> Vec<String> {
    vec![
        counts.len().to_string(),
        counts.iter().sum::<usize>().to_string(),
        median(counts).to_string(),
        counts.iter().max().copied().unwrap_or(0).to_string(),
    ]
}

fn median(counts: &[usize]) -> usize {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

fn draw<'s>(seen: &'s Seen<'_>) -> Vec<&'s Observation> {
    let mut pool: Vec<&Observation> =
        seen.iter().flat_map(|(_, lists)| lists).flatten().filter(|o| o.claim.suggest).collect();
    pool.sort_by(|a, b| a.head.id.cmp(&b.head.id));
    let mut rng = Rng::new(SEED, "suggestions");
    let mut drawn = Vec::new();
    while drawn.len() < DRAWN && !pool.is_empty() {
        drawn.push(pool.swap_remove(rng.below(pool.len())));
    }
    drawn
}

/// `ID worth|not reason`, a line each; none if there is no such file.
fn verdicts(path: &Path) -> Result<HashMap<String, bool>> {
    if !path.is_file() {
        return Ok(HashMap::new());
    }
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    Ok(lines
        .filter_map(|l| {
            let mut words = l.split_whitespace();
            Some((words.next()?.to_owned(), words.next()? == "worth"))
        })
        .collect())
}
