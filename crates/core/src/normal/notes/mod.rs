//! Notes: files in which people and agents write down how agents should work. Instructions, rules, memories, skills.
//!
//! Comes in: paths as transcripts spell them, what a call wrote, a whole file. Goes out: whether a path is such a file, the
//! [`Change`]s that a call made to such files, and the statements that a text makes, each of which can stand alone.
//! Deliberately absent: files that only describe a project (README, docs), and skills that are a product: a skill counts
//! where an agent looks for it.

mod blocks;
mod change;
mod judge;
mod markdown;
mod words;

pub use change::Change;
pub(crate) use change::{of_edit, of_patch, of_shell};
pub(crate) use judge::{Statement, statements};

use std::collections::HashSet;

use super::statement::canonical;

/// What kind of notes a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// What an agent is told in every session: `CLAUDE.md`, `AGENTS.md`, rules.
    Instructions,
    /// What an agent remembers by itself.
    Memory,
    /// What an agent loads when it needs it.
    Skill,
}

/// Names that say it all, in small letters.
const NAMES: &[(&str, Place)] = &[
    ("claude.md", Place::Instructions),
    ("claude.local.md", Place::Instructions),
    ("agents.md", Place::Instructions),
    ("agents.override.md", Place::Instructions),
    ("gemini.md", Place::Instructions),
    ("copilot-instructions.md", Place::Instructions),
    (".cursorrules", Place::Instructions),
    ("memory.md", Place::Memory),
];

/// Folders whose Markdown files are notes.
const FOLDERS: &[(&str, Place)] = &[
    (".claude/rules/", Place::Instructions),
    (".cursor/rules/", Place::Instructions),
    (".github/instructions/", Place::Instructions),
    ("memory/", Place::Memory),
    ("memories/", Place::Memory),
];

/// Folders of agents: a skill below one of them is there for an agent, and not a product.
const OF_AGENTS: &[&str] =
    &[".claude/", ".agents/", ".codex/", ".gemini/", ".opencode/", "opencode/", ".cursor/", ".github/", ".copilot/"];

/// What notes a path holds; `None` for any other file.
pub fn place_of(path: &str) -> Option<Place> {
    // Nearly every path ends here.
    let ending = path.rsplit('.').next().unwrap_or_default();
    if !["md", "mdc", "cursorrules"].iter().any(|e| ending.trim_end().eq_ignore_ascii_case(e)) {
        return None;
    }
    let path = path.trim().replace('\\', "/").to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    if let Some((_, place)) = NAMES.iter().find(|(n, _)| *n == name) {
        return Some(*place);
    }
    let has = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    if name == "skill.md" {
        return OF_AGENTS.iter().any(|f| has(f)).then_some(Place::Skill);
    }
    let (_, place) = FOLDERS.iter().find(|(folder, _)| has(folder))?;
    // Memories lie side by side; what is deeper belongs to something else.
    let side_by_side = || path.rsplit('/').nth(1).is_some_and(|f| matches!(f, "memory" | "memories"));
    (*place != Place::Memory || side_by_side() && name != "readme.md").then_some(*place)
}

/// How a path is shown: its name, with the folder where the name alone says little.
pub(crate) fn shown(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folder) = (parts.last().copied().unwrap_or_default(), parts.iter().rev().nth(1).copied());
    let lower = name.to_lowercase();
    match folder {
        Some(folder) if !NAMES.iter().any(|(n, _)| *n == lower) => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

/// The keys of all that a file says: whether it says what a lesson says.
pub fn keys(text: &str) -> HashSet<String> {
    blocks::page(text).statements().iter().map(|s| key(&s.text)).collect()
}

/// What a file says, statement by statement.
pub fn texts(text: &str) -> Vec<String> {
    blocks::page(text).statements().into_iter().map(|s| s.text).collect()
}

/// The same for the same words, whatever stands around them.
pub(crate) fn key(text: &str) -> String {
    canonical(&text.replace('`', ""))
}

#[cfg(test)]
mod tests;
