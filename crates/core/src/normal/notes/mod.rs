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
pub(crate) use change::{of_edit, of_patch, of_shell, with_sums, written_over, written_whole};
pub(crate) use judge::{Statement, statements, withdrawn};

use std::collections::{BTreeSet, HashSet};

use super::english::whole_sentences;
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
    ("agent.md", Place::Instructions),
    ("gemini.md", Place::Instructions),
    ("qwen.md", Place::Instructions),
    ("copilot-instructions.md", Place::Instructions),
    (".cursorrules", Place::Instructions),
    (".windsurfrules", Place::Instructions),
    (".clinerules", Place::Instructions),
    ("memory.md", Place::Memory),
];

/// Folders whose Markdown files are notes.
const FOLDERS: &[(&str, Place)] = &[
    (".claude/rules/", Place::Instructions),
    (".cursor/rules/", Place::Instructions),
    (".github/instructions/", Place::Instructions),
    (".windsurf/rules/", Place::Instructions),
    (".clinerules/", Place::Instructions),
    (".roo/rules/", Place::Instructions),
    (".kiro/steering/", Place::Instructions),
    (".agents/", Place::Instructions),
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
    if !["md", "mdc", "cursorrules", "windsurfrules", "clinerules"]
        .iter()
        .any(|e| ending.trim_end().eq_ignore_ascii_case(e))
    {
        return None;
    }
    let path = path.trim().replace('\\', "/").to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    if let Some((_, place)) = NAMES.iter().find(|(n, _)| *n == name) {
        return Some(*place);
    }
    let has = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    // A skill, and what lies beside it for when it is needed.
    let of_agent = || OF_AGENTS.iter().any(|f| has(f));
    if name == "skill.md" || has("skills/") {
        return of_agent().then_some(Place::Skill);
    }
    let (_, place) = FOLDERS.iter().find(|(folder, _)| has(folder))?;
    // Memories lie side by side, and so do rules for all agents; what is deeper belongs to something else.
    let side_by_side =
        path.rsplit('/').nth(1).is_some_and(|f| matches!(f, "memory" | "memories" | ".agents" | "rules"));
    let apart = *place != Place::Memory && !has(".agents/");
    (apart || side_by_side && name != "readme.md").then_some(*place)
}

/// Folders of agents in a home whose notes are for every project; what lies deeper may be a project's memory.
const OF_USERS: &[&str] = &[".claude", ".codex", ".gemini", ".copilot", ".config/opencode", ".agents"];
/// Folders in these whose notes are for every project, too.
const USERS_NOTES: &[&str] = &["rules", "skills", "memories", "memory"];

/// A file in a person's home that tells agents how to work in every project, from the home on: `~/.claude/CLAUDE.md`.
pub(crate) fn of_user(path: &str) -> Option<String> {
    let rest = in_home(path)?;
    let inside = OF_USERS.iter().find_map(|folder| rest.strip_prefix(folder)?.strip_prefix('/'))?;
    let (first, deeper) = inside.split_once('/').unwrap_or(("", inside));
    (first.is_empty() || USERS_NOTES.contains(&first) && !deeper.is_empty()).then(|| format!("~/{rest}"))
}

/// A path from somebody's home on.
fn in_home(path: &str) -> Option<String> {
    let path = path.trim().replace('\\', "/");
    let below = |home: &str| path.strip_prefix(home).map(str::to_owned);
    let named = || {
        let rest = path.split_once(':').map_or(path.as_str(), |(_, rest)| rest);
        let rest = ["/Users/", "/home/"].iter().find_map(|homes| rest.strip_prefix(homes))?;
        rest.split_once('/').map(|(_, rest)| rest.to_owned())
    };
    ["~/", "$HOME/", "${HOME}/", "/root/"].iter().find_map(|home| below(home)).or_else(named)
}

/// Whether a file lies in a hidden folder of a home, where agents keep what they know of any project.
pub(crate) fn is_in_home(path: &str) -> bool {
    in_home(path).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a path, as it is shown, holds for every project of a person.
pub(crate) fn is_users(shown: &str) -> bool {
    shown.starts_with("~/")
}

/// How a path is shown: its name, with the folder where the name alone says little.
pub(crate) fn shown(path: &str) -> String {
    if let Some(users) = of_user(path) {
        return users;
    }
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

/// Short sums of all sentences of a file: by them it is known whether it still says something, without its words.
pub(crate) fn sums(text: &str) -> Vec<String> {
    let page = blocks::page(text);
    let said = page.about.iter().chain(page.blocks.iter().map(|b| &b.text));
    let all: BTreeSet<String> = said.flat_map(|text| whole_sentences(text).map(sum)).collect();
    all.into_iter().collect()
}

fn sum(sentence: &str) -> String {
    blake3::hash(key(sentence).as_bytes()).to_hex()[..8].to_owned()
}

/// Whether a file with these sums makes a statement. What a secret was taken out of has no sum to be known by: it is not missed.
pub(crate) fn is_said(statement: &str, sums: &[String]) -> bool {
    whole_sentences(statement).all(|s| s.contains("[redacted:") || sums.contains(&sum(s)))
}

/// A rule in a file of notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its words.
    pub text: String,
    /// The line it begins in, from one.
    pub line: usize,
    /// The same for the same words.
    pub key: String,
    /// The same for the same words and for their opposite.
    pub about: String,
}

/// The rules of a whole file, each with its line.
pub fn rules(text: &str) -> Vec<Rule> {
    let lines: Vec<String> = text.lines().map(markdown::plain).collect();
    let line_of = |words: &str| {
        let start: String = words.chars().take(LINE_START).collect();
        lines.iter().position(|l| l.contains(&start)).map_or(1, |n| n + 1)
    };
    let rule = |s: Statement| {
        let key = key(&s.text);
        let about = key.split(' ').filter(|w| !NEGATIONS.contains(w)).collect::<Vec<_>>().join(" ");
        Rule { line: line_of(&s.text), key, about, text: s.text }
    };
    judge::rules(text).into_iter().map(rule).collect()
}

/// So much of a rule finds its line.
const LINE_START: usize = 24; // characters
/// Words that turn a rule round.
const NEGATIONS: &[&str] = &["not", "never", "no", "don't", "dont", "avoid", "do"];

/// Files that a text names, as far as that can be seen: with a folder and an ending, or between backticks.
pub fn paths_in(text: &str) -> Vec<&str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "_/.-".contains(c);
    let words = text.split(|c: char| !inside(c)).map(|w| w.trim_end_matches('.').trim_start_matches("./"));
    words.filter(|w| is_file(w)).collect()
}

/// Endings of files that a project holds; `.com` or `.1` is none.
const ENDINGS: &[&str] = &[
    "ts", "tsx", "js", "jsx", "cjs", "mjs", "md", "sh", "py", "go", "java", "rs", "toml", "yaml", "yml", "json", "sql",
    "rb", "php", "c", "h", "cpp", "cs", "kt", "swift", "css", "html", "vue", "svelte",
];

fn is_file(word: &str) -> bool {
    let Some((stem, ending)) = word.rsplit_once('.') else { return false };
    !stem.is_empty()
        && !stem.starts_with('/')
        && !word.contains("//")
        && ENDINGS.contains(&ending)
        && stem.contains('/')
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
