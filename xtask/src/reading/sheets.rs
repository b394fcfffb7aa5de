//! Sheets for people who judge by reading: what a careful reader took from a repository beside what is shown of it, and statements
//! beside the quotes that should carry them.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use uptake_core::detect::READER;
use uptake_store::{Lessons, Wanted};

use super::Repository;

/// How many statements are drawn to be read beside their quotes.
const DRAWN: usize = 60;
/// So many of what `learn` shows are read for lessons that say the same.
const NEAR: usize = 20;

/// A lesson that a careful reader took.
#[derive(Deserialize)]
struct Best {
    repo: String,
    rank: u32,
    lesson: String,
}

/// Writes them below the folder to work in.
pub fn write(work: &Path, corpus: &Path, repositories: &[Repository]) -> Result<()> {
    let folder = work.join("sheets");
    std::fs::create_dir_all(&folder)?;
    let best = best(corpus)?;
    for repository in repositories {
        let own: Vec<&Best> = best.iter().filter(|b| b.repo == repository.name).collect();
        if !own.is_empty() {
            std::fs::write(folder.join(format!("best-{}.md", repository.name)), beside(&own, repository))?;
        }
        let first = repository.first.iter().take(NEAR).zip(1..);
        let first: String = first.map(|(row, n): (_, usize)| format!("{n}. {}\n", text(row))).collect();
        std::fs::write(folder.join(format!("first-{}.md", repository.name)), first)?;
    }
    std::fs::write(folder.join("quotes.md"), quotes(repositories)?)?;
    println!("sheets to be read: {}", folder.display());
    Ok(())
}

fn best(corpus: &Path) -> Result<Vec<Best>> {
    let path = corpus.join("labels/best.jsonl");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text(row: &Value) -> &str {
    row["text"].as_str().unwrap_or_default()
}

fn beside(best: &[&Best], repository: &Repository) -> String {
    let mut out = String::from("# Taken by a careful reader\n\n");
    for b in best {
        let _ = writeln!(out, "B{} {}", b.rank, b.lesson);
    }
    for (title, rows) in [("Shown by `learn --all`", &repository.first), ("In `list --all`", &repository.list)] {
        let _ = writeln!(out, "\n# {title}\n");
        for (row, n) in rows.iter().zip(1..) {
            let _ = writeln!(out, "{n}. {}", text(row));
        }
    }
    out
}

/// Statements of the reader that are ready or wait, as many of each repository as of any other, with their quotes.
fn quotes(repositories: &[Repository]) -> Result<String> {
    let mut by: Vec<std::vec::IntoIter<String>> = Vec::new();
    for repository in repositories {
        let lessons = Lessons::open(&repository.data())?;
        let mut stored = lessons.list(&Wanted { now: i64::MAX, ..Wanted::default() })?;
        stored.retain(|s| s.lesson.origin.detector == READER);
        // Ids are hashes: their order says nothing about the lessons.
        stored.sort_by(|a, b| a.lesson.id.cmp(&b.lesson.id));
        let sheet = |s: &uptake_store::Stored| {
            let sightings = s.lesson.evidence.sightings.iter();
            let quotes: String = sightings.map(|s| format!("   > {}\n", s.quote.replace('\n', " "))).collect();
            format!("{}\n{quotes}", s.lesson.payload.statement)
        };
        by.push(stored.iter().map(sheet).collect::<Vec<String>>().into_iter());
    }
    let mut drawn = Vec::new();
    while drawn.len() < DRAWN {
        let before = drawn.len();
        drawn.extend(by.iter_mut().filter_map(Iterator::next));
        if drawn.len() == before {
            break;
        }
    }
    drawn.truncate(DRAWN);
    Ok(drawn.iter().zip(1..).map(|(one, n): (_, usize)| format!("S{n} {one}\n")).collect())
}
