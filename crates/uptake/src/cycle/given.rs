//! What an agent or a loop hands in: logs of outcomes, and learnings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use uptake_core::measure::outcome_log::{Logged, read};
use uptake_core::measure::places::places;
use uptake_core::project::Project;

use crate::folding::{Tombstones, fold_changed};
use crate::imports::Reader;
use crate::project::Cache;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::ui::Ui;
use crate::world::World;

/// Larger files hold something else.
const LARGEST: u64 = 32 * 1024 * 1024;
/// Files of one folder that are read.
const MOST: usize = 1_000;

fn text_of(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read `{}`", path.display());
    let about = std::fs::metadata(path).with_context(cannot)?;
    ensure!(about.is_file(), "`{}` is not a regular file", path.display());
    ensure!(about.len() <= LARGEST, "`{}` is too large for what it should be", path.display());
    Ok(String::from_utf8_lossy(&std::fs::read(path).with_context(cannot)?).into_owned())
}

/// The lines of logs.
pub(super) fn outcomes(paths: &[PathBuf]) -> Result<Vec<Logged>> {
    let mut out = Vec::new();
    for path in paths {
        let text = text_of(path)?;
        let all = text.lines().filter(|l| !l.trim().is_empty()).count();
        let lines: Vec<Logged> = text.lines().filter_map(read).collect();
        if lines.len() < all {
            Ui::note(format!("{} of {all} lines of `{}` are no outcomes", all - lines.len(), path.display()));
        }
        out.extend(lines);
    }
    Ok(out)
}

/// A file with learnings.
pub(super) struct Learning {
    path: PathBuf,
    /// Lessons that it says were applied, as lines of a log.
    pub cited: Vec<Logged>,
}

/// Finds files with learnings; those of a folder by their ending.
pub(super) fn learnings(paths: &[PathBuf]) -> Result<Vec<Learning>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).with_context(|| format!("cannot read `{}`", path.display()))?;
            let mut found: Vec<PathBuf> =
                entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
            found.sort();
            files.extend(found.into_iter().take(MOST));
        } else {
            files.push(path.clone());
        }
    }
    let one = |path: PathBuf| {
        let path = path.canonicalize().with_context(|| format!("cannot read `{}`", path.display()))?;
        let cited = cited(&text_of(&path)?);
        Ok(Learning { path, cited })
    };
    files.into_iter().map(one).collect()
}

/// Lessons that a learning names: `"citations": ["0e3dd src/a.rs:10", "Applied: \"words\" -> src/a.rs:10"]`.
fn cited(text: &str) -> Vec<Logged> {
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return Vec::new() };
    let agent = object.get("agent").and_then(Value::as_str).unwrap_or_default();
    let list = object.get("citations").and_then(Value::as_array);
    let named = |v: &Value| {
        let said = v.as_str()?.trim();
        let places = places(said);
        let words = said.strip_prefix("Applied:").unwrap_or(said);
        let words = words.split(" -> ").next().unwrap_or(words);
        let words = places.iter().fold(words.to_owned(), |w, p| w.replace(&p.to_string(), ""));
        let pattern = words.trim().trim_matches(['"', '[', ']', ' ']).to_owned();
        (!pattern.is_empty()).then(|| Logged {
            agent: agent.to_owned(),
            pattern,
            applied: true,
            places,
            ..Logged::default()
        })
    };
    list.into_iter().flatten().filter_map(named).collect()
}

/// Keeps learnings as evidence, which waits for a person like everything else. Answers how many of each kind.
pub(super) fn keep(
    world: &World,
    settings: &Settings,
    stores: &mut Stores,
    project: &str,
    learnings: &[Learning],
) -> Result<BTreeMap<&'static str, usize>> {
    let mut kinds = BTreeMap::new();
    if learnings.is_empty() {
        return Ok(kinds);
    }
    let mut reader = Reader::new(world, Some(Project::from_key(project)), Cache::default());
    for learning in learnings {
        let file = reader.read(&learning.path)?;
        for problem in &file.imported.problems {
            Ui::note(format!("`{}`: line {} {}", learning.path.display(), problem.line, problem.why));
        }
        for one in &file.imported.items {
            *kinds.entry(one.claim.kind.as_str()).or_default() += 1;
        }
        file.keep(&mut stores.lessons)?;
    }
    let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
    fold_changed(&mut stores.lessons, &tombstones, world, settings)?;
    Ok(kinds)
}
