//! Skill files on disk: what is there already, and how a new one is written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use uptake_core::detect::Kind;
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::normal::slug::is_slug;
use uptake_core::render::{Skill, existing_skill};

use crate::agents::{self, AGENTS};

/// Texts larger than this are no instructions.
const TEXT_LIMIT: u64 = 1024 * 1024;

/// What agents are told already: skills, CLAUDE.md, AGENTS.md.
#[derive(Default)]
pub struct Told {
    names: Vec<String>,
    texts: Vec<String>,
}

impl Told {
    /// Reads what is there for this user and in a project's folders.
    pub fn read(home: &Path, projects: &[PathBuf]) -> Self {
        let mut told = Self::default();
        for agent in AGENTS {
            let folder = agent.folder(home);
            told.add_skills(&folder.join(agent.skills));
            for name in agent.instructions {
                told.add_text(&folder.join(name));
            }
            for project in projects {
                told.add_skills(&project.join(agent.project_skills));
                agent.instructions.iter().for_each(|name| told.add_text(&project.join(name)));
            }
        }
        told
    }

    fn add_skills(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Some(text) = small_text(&entry.path().join("SKILL.md")) else { continue };
            self.names.push(entry.file_name().to_string_lossy().into_owned());
            self.names.extend(existing_skill(&text).map(|(name, _)| name));
            self.texts.push(plain(&text));
        }
    }

    fn add_text(&mut self, path: &Path) {
        self.texts.extend(small_text(path).map(|t| plain(&t)));
    }

    /// Whether one of them says already what the lesson says: all its commands (of a fix the working one), or its words.
    pub fn says(&self, lesson: &Lesson) -> bool {
        let wanted: Vec<String> = match lesson.kind {
            Kind::Recovery | Kind::Correction => lesson.commands.last().into_iter().map(|c| plain(c)).collect(),
            Kind::Procedure => lesson.commands.iter().map(|c| plain(c)).collect(),
            _ if lesson.commands.is_empty() => vec![plain(&lesson.statement)],
            _ => lesson.commands.iter().map(|c| plain(c)).collect(),
        };
        let telling = wanted.iter().any(|w| w.len() >= 6);
        telling && self.texts.iter().any(|text| wanted.iter().all(|w| text.contains(w.as_str())))
    }

    /// The name, or the name with a number if it is taken.
    pub fn free_name(&self, name: &str) -> String {
        let taken = |n: &str| self.names.iter().any(|t| t == n);
        if !taken(name) {
            return name.to_owned();
        }
        (2..)
            .map(|n| format!("{}-{n}", &name[..name.len().min(60)]))
            .find(|n| !taken(n))
            .unwrap_or_else(|| name.to_owned())
    }

    /// Remembers a skill that was just written.
    pub fn add(&mut self, skill: &Skill) {
        self.names.push(skill.name.clone());
        self.texts.push(plain(&skill.text));
    }
}

fn small_text(path: &Path) -> Option<String> {
    std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= TEXT_LIMIT)?;
    std::fs::read(path).ok().map(|b| String::from_utf8_lossy(&b).into_owned())
}

/// Lower case, white space and code marks folded: how texts are compared.
fn plain(text: &str) -> String {
    text.to_lowercase().replace(['`', '*', '\\'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The skill folders in which the agents of a lesson will look.
pub fn folders(home: &Path, lesson: &Lesson) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> =
        lesson.sources.iter().map(|s| agents::agent(s)).map(|a| a.folder(home).join(a.skills)).collect();
    out.sort();
    out.dedup();
    out
}

/// Writes `<folder>/<name>/SKILL.md`: whole or not at all, never over a file that is there, never through a link.
///
/// # Errors
/// If it is there already or cannot be written.
pub fn write(folder: &Path, skill: &Skill) -> Result<PathBuf> {
    if !is_slug(&skill.name) {
        bail!("`{}` is no name for a skill", skill.name);
    }
    let dir = folder.join(&skill.name);
    if dir.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
        bail!("`{}` is a link; uptake writes through no links", dir.display());
    }
    let path = dir.join("SKILL.md");
    if path.symlink_metadata().is_ok() {
        bail!("`{}` is there already and was left alone", path.display());
    }
    let made = !dir.exists();
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make `{}`", dir.display()))?;
    let result = write_whole(&dir, &path, &skill.text);
    if result.is_err() && made {
        let _ = std::fs::remove_dir(&dir);
    }
    result.with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(path)
}

/// Removes a skill file that still is as it was written, and its folder if that is empty then. Whether it is gone.
pub fn take_back(path: &Path, sha256: &str) -> bool {
    match std::fs::read(path) {
        Ok(bytes) if sha256_hex(&bytes) == sha256 => {
            let gone = std::fs::remove_file(path).is_ok();
            let _ = path.parent().map(std::fs::remove_dir);
            gone
        }
        Ok(_) => false,
        Err(_) => path.symlink_metadata().is_err(),
    }
}

fn write_whole(dir: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".skill-").tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map(drop).map_err(|e| e.error)
}
