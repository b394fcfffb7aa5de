//! What instruction files and memories say: each rule with its file and line.
//!
//! Comes in: the user's home and a project's folder. Goes out: rules, and whether a file states something. Deliberately absent:
//! changing these files.

mod gone;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use uptake_core::normal::notes::{self, Rule};

use crate::agents::{AGENTS, Agent};

pub use gone::gone;

/// Larger files are no instructions.
const LIMIT: u64 = 1024 * 1024;
/// Files of one folder that are read.
const MOST: usize = 200;

/// The instruction files of a project that lines are offered for, each with the agents that read it.
const FILES: &[(&str, &[&str])] =
    &[("CLAUDE.md", &["claude"]), ("AGENTS.md", &["codex", "opencode"]), ("GEMINI.md", &["gemini"])];

/// The names of the instruction files of a project.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The files that lines are offered for: those that are there, else those of the agents that are used.
pub fn names_for(home: &Path, top: &Path) -> Vec<&'static str> {
    let there = |name: &str| top.join(name).symlink_metadata().is_ok();
    let used = |agents: &[&str]| AGENTS.iter().any(|a| agents.contains(&a.source) && a.is_used(home));
    let any = FILES.iter().any(|(name, _)| there(name));
    let wanted = |name: &str, agents: &[&str]| if any { there(name) } else { used(agents) };
    let names: Vec<&str> = FILES.iter().filter(|(name, agents)| wanted(name, agents)).map(|(name, _)| *name).collect();
    if names.is_empty() { vec![MOST_READ] } else { names }
}

/// The file that most agents read.
const MOST_READ: &str = "AGENTS.md";

/// All that an instruction file says, with what it takes in.
pub struct Instructions {
    keys: HashSet<String>,
    plain: String,
}

impl Instructions {
    /// Of a file; nothing if it is not there.
    pub fn of(path: &Path) -> Self {
        let text = texts(path).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n");
        Self { keys: notes::keys(&text), plain: plain(&text) }
    }

    /// Whether it states something, whatever stands around it.
    pub fn say(&self, statement: &str) -> bool {
        self.plain.contains(&plain(statement)) || notes::keys(statement).iter().any(|key| self.keys.contains(key))
    }
}

fn plain(text: &str) -> String {
    let bare = text.to_lowercase().replace(['`', '*', '\\'], "");
    bare.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

/// A file and those that it takes in with lines like `@AGENTS.md`.
fn texts(path: &Path) -> Vec<(PathBuf, String)> {
    let Some(text) = small(path) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let taken_in = text.lines().filter_map(|line| line.trim().strip_prefix('@')).take(MOST);
    let more: Vec<(PathBuf, String)> =
        taken_in.map(|name| folder.join(name)).filter_map(|p| small(&p).map(|text| (p, text))).collect();
    std::iter::once((path.to_owned(), text)).chain(more).collect()
}

fn small(path: &Path) -> Option<String> {
    std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= LIMIT)?;
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A rule that agents are told.
#[derive(Clone, Debug)]
pub struct Told {
    /// Where it stands.
    pub file: PathBuf,
    /// What it says, and in which line.
    pub rule: Rule,
    /// The agents that are told it.
    pub agents: Vec<&'static str>,
    /// The line as it stands there.
    pub line: String,
    /// Whether it is told in this project only.
    pub here: bool,
}

/// All rules that this user's agents are told in a project.
pub fn rules(home: &Path, top: &Path) -> Vec<Told> {
    let mut out: Vec<Told> = Vec::new();
    for agent in AGENTS.iter().filter(|a| a.is_used(home)) {
        let files = files_of(agent, home, top).into_iter();
        let read = files.flat_map(|(path, here)| texts(&path).into_iter().map(move |(file, text)| (file, text, here)));
        for (file, text, here) in read {
            for rule in notes::rules(&text) {
                let line = text.lines().nth(rule.line.saturating_sub(1)).unwrap_or_default().to_owned();
                let same = |t: &&mut Told| t.file == file && t.rule.line == rule.line && t.rule.key == rule.key;
                match out.iter_mut().find(same) {
                    Some(told) if !told.agents.contains(&agent.source) => told.agents.push(agent.source),
                    Some(_) => {}
                    None => out.push(Told { file: file.clone(), rule, agents: vec![agent.source], line, here }),
                }
            }
        }
    }
    out
}

/// The files that an agent reads, each with whether it is about this project only.
fn files_of(agent: &Agent, home: &Path, top: &Path) -> Vec<(PathBuf, bool)> {
    let user = agent.folder(home);
    let mut out: Vec<(PathBuf, bool)> = agent.instructions.iter().map(|name| (user.join(name), false)).collect();
    out.extend(agent.instructions.iter().map(|name| (top.join(name), true)));
    let users = agent.user_notes.iter().map(|f| (user.join(f), false));
    let projects = agent.project_notes.iter().map(|f| top.join(f)).chain(agent.memory(home, top));
    for (folder, here) in users.chain(projects.map(|f| (f, true))) {
        let mut notes: Vec<PathBuf> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        notes.retain(|path| path.extension().is_some_and(|e| e == "md"));
        notes.sort();
        out.extend(notes.into_iter().take(MOST).map(|path| (path, here)));
    }
    out
}
