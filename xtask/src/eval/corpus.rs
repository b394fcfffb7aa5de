//! A folder of labelled sessions: `claude/<repository>/*.jsonl`, `codex/<repository>/*.jsonl`,
//! `labels/{failures,masked,turns-strict,…}.jsonl`. Whatever is not there is not measured.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;
use uptake::{pipeline, transcripts};
use uptake_core::redact::clean_up;
use uptake_core::session::Session;

/// One judgement of a reader.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Label {
    /// The transcript, below `claude/`.
    pub file: String,
    /// The call it is about.
    pub call_id: String,
    /// Whether a flagged call failed.
    pub is_failure: Option<bool>,
    /// Whether an unflagged call failed.
    pub really_failed: Option<bool>,
    /// The call that reached the goal.
    pub fixed_by: Option<String>,
    /// How it was fixed.
    pub fix_type: Option<String>,
    /// Whether it is worth a lesson.
    pub lesson: Option<bool>,
    /// How sure the reader was, 1 to 3.
    pub sure: u8,
}

impl Label {
    /// The repository it is from.
    pub fn repository(&self) -> &str {
        self.file.split('/').next().unwrap_or(&self.file)
    }
}

/// What a message is, as a reader judged it.
#[derive(Debug, Deserialize)]
pub struct TurnLabel {
    /// The repository it is from.
    pub repo: String,
    /// The message it is about.
    pub id: String,
    /// Whether a person typed it.
    pub typed: bool,
    /// Whether sessions after this one should know it.
    #[serde(default)]
    pub durable: bool,
    /// Whether it pushes back, tells of a bug, makes a choice, or none of these.
    #[serde(default)]
    pub correction: String,
}

/// What kind of trouble a failure is, as readers judged it.
#[derive(Debug, Deserialize)]
pub struct FamilyLabel {
    /// The repository it is from.
    pub repo: String,
    /// The call it is about.
    pub id: String,
    /// One judgement of each reader.
    pub families: Vec<String>,
}

/// Failures of one repository that a reader took for one.
#[derive(Debug, Deserialize)]
pub struct Group {
    /// `owner+name#number`.
    pub group: String,
    /// The calls.
    pub ids: Vec<String>,
    /// Whether one note would have prevented most: yes, weak or no.
    pub lesson: String,
}

impl Group {
    /// The repository it is from.
    pub fn repository(&self) -> &str {
        self.group.split('#').next().unwrap_or(&self.group)
    }
}

/// Sessions of one repository.
pub struct Repository {
    /// Its folder's name.
    pub name: String,
    /// Which client wrote them.
    pub client: &'static str,
    /// As they were read.
    pub raw: Vec<Session>,
    /// As detectors see them: without secrets, cut.
    pub sessions: Vec<Session>,
}

/// Everything that is measured on.
pub struct Corpus {
    /// Sessions by client and repository.
    pub repositories: Vec<Repository>,
    /// Judgements of flagged calls.
    pub failures: Vec<Label>,
    /// Judgements of unflagged calls.
    pub masked: Vec<Label>,
    /// Judgements of messages, one by one: who typed them, whether they push back, whether they last.
    pub typed: Vec<TurnLabel>,
    /// Judgements of what went wrong.
    pub families: Vec<FamilyLabel>,
    /// Failures that are one.
    pub recurring: Vec<Group>,
    /// Repositories that nobody read while the rules were written.
    pub held_back: Vec<String>,
}

/// Judgements of a reader who was less sure are left out.
const SURE: u8 = 2;

impl Corpus {
    /// Reads all of it, without some repositories; `more` are further files of judged messages.
    pub fn read(folder: &Path, more: &[PathBuf], leave_out: &[String]) -> Result<Self> {
        let mut repositories = Vec::new();
        for client in ["claude", "codex", "opencode", "gemini"] {
            for path in folders(&folder.join(client)) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if is_left_out(&name, leave_out) {
                    continue;
                }
                let raw = sessions(&path)?;
                let mut settled = raw.clone();
                settled.iter_mut().for_each(|s| s.settle_from(0, clean_up));
                repositories.push(Repository { name, client, raw, sessions: settled });
            }
        }
        anyhow::ensure!(
            !repositories.is_empty(),
            "no sessions in `{}`: expected claude/<repository>/*.jsonl or codex/<repository>/*.jsonl",
            folder.display()
        );
        Ok(Self {
            repositories,
            failures: labels(folder, "failures.jsonl", leave_out)?,
            masked: labels(folder, "masked.jsonl", leave_out)?,
            families: lines::<FamilyLabel>(folder, "families.jsonl")?
                .into_iter()
                .filter(|l| !is_left_out(&l.repo, leave_out))
                .collect(),
            held_back: Vec::new(),
            recurring: lines::<Group>(folder, "recurring.jsonl")?
                .into_iter()
                .filter(|g| !is_left_out(g.repository(), leave_out))
                .collect(),
            typed: turn_labels(folder, more, leave_out)?,
        })
    }

    /// Whether nobody read a repository while the rules were written.
    pub fn is_held_back(&self, repository: &str) -> bool {
        is_left_out(repository, &self.held_back)
    }

    /// All sessions of a client, as they were read.
    pub fn raw_of(&self, client: &'static str) -> impl Iterator<Item = &Session> {
        self.repositories.iter().filter(move |r| r.client == client).flat_map(|r| &r.raw)
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    found.sort();
    found
}

fn sessions(folder: &Path) -> Result<Vec<Session>> {
    let found = transcripts::find(&[folder.to_owned()]);
    let mut out = Vec::new();
    pipeline::for_each(&found, &uptake::known_secrets::KnownSecrets::from_env(), |item| -> Result<()> {
        out.push(item.read.session);
        Ok(())
    })?;
    out.sort_by(|a: &Session, b| a.id.cmp(&b.id));
    Ok(out)
}

/// Whether a repository, named `owner+name`, is among those left out, with or without its owner.
fn is_left_out(repository: &str, leave_out: &[String]) -> bool {
    let name = repository.split_once('+').map_or(repository, |(_, name)| name);
    leave_out.iter().any(|out| out == repository || out == name)
}

/// The judgements of a file, each call once; none if there is no such file.
fn labels(folder: &Path, name: &str, leave_out: &[String]) -> Result<Vec<Label>> {
    let mut seen = HashSet::new();
    let mut out = lines::<Label>(folder, name)?;
    out.retain(|l| l.sure >= SURE && !is_left_out(l.repository(), leave_out) && seen.insert(l.call_id.clone()));
    Ok(out)
}

/// Judged messages of all files `turns-strict*.jsonl` and of those named beside them, each message once.
pub fn turn_labels(folder: &Path, more: &[PathBuf], leave_out: &[String]) -> Result<Vec<TurnLabel>> {
    let entries = std::fs::read_dir(folder.join("labels")).into_iter().flatten().flatten();
    let strict = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("turns-strict"));
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(strict).collect();
    files.sort();
    for path in more {
        anyhow::ensure!(path.is_file(), "no labels in `{}`: no such file", path.display());
    }
    let mut known = HashSet::new();
    let mut out = Vec::new();
    for path in files.iter().chain(more) {
        out.extend(lines_of::<TurnLabel>(path)?);
    }
    out.retain(|l| !is_left_out(&l.repo, leave_out) && known.insert((l.repo.clone(), l.id.clone())));
    Ok(out)
}

/// The lines of a file of judgements; none if there is no such file.
fn lines<T: for<'de> Deserialize<'de>>(folder: &Path, name: &str) -> Result<Vec<T>> {
    let path = folder.join("labels").join(name);
    if path.is_file() { lines_of(&path) } else { Ok(Vec::new()) }
}

fn lines_of<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read labels `{}`", path.display()))?;
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let label = serde_json::from_str(line);
        out.push(label.with_context(|| format!("odd label in line {} of `{}`", n + 1, path.display()))?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_left_out_by_its_name_alone_or_with_its_owner() {
        let out = ["ledger".to_owned(), "dev+shop".to_owned()];
        for (repository, expected) in
            [("dev+ledger", true), ("dev+shop", true), ("other+shop", false), ("dev+ledger-web", false)]
        {
            assert_eq!(is_left_out(repository, &out), expected, "{repository}");
        }
    }
}
