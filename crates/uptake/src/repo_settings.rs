//! Settings that a repository carries in `.uptake/settings.toml`. They count only after `uptake trust`, in exactly the
//! bytes the user agreed to, and can only make uptake quieter there.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use uptake_core::learn::sha256_hex;
use uptake_store::Lessons;

use crate::project;

/// The file, seen from the top of a repository.
pub const FILE: &str = ".uptake/settings.toml";
/// Larger files are none.
const LIMIT: u64 = 64 * 1024;

/// What a repository may ask for. It cannot name a command, an endpoint or whose yes is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Wishes {
    /// Whether sessions are read and agents hear lessons here.
    pub enabled: Option<bool>,
    /// Folders below the repository that are left alone.
    pub exclude: Vec<String>,
}

/// The settings a folder's repository carries.
#[derive(Debug)]
pub struct RepoSettings {
    /// The top of the repository.
    pub top: PathBuf,
    /// What the file says.
    pub text: String,
    /// The sum of its bytes.
    pub sha256: String,
}

impl RepoSettings {
    /// Of the repository a folder is in; `None` if it carries none.
    pub fn of(folder: &Path) -> Option<Self> {
        let top = project::top(folder)?;
        let path = top.join(FILE);
        // A link could point anywhere.
        std::fs::symlink_metadata(&path).ok().filter(|m| m.is_file() && m.len() <= LIMIT)?;
        let text = std::fs::read_to_string(&path).ok()?;
        let top = top.canonicalize().unwrap_or(top);
        Some(Self { sha256: sha256_hex(text.as_bytes()), top, text })
    }

    /// What it asks for.
    pub fn wishes(&self) -> Result<Wishes> {
        let wishes: Wishes = toml_edit::de::from_str(&self.text).with_context(|| {
            format!("cannot use `{}`: a project may set `enabled` and `exclude`", self.top.join(FILE).display())
        })?;
        for entry in &wishes.exclude {
            let inside = Path::new(entry).components().all(|c| matches!(c, std::path::Component::Normal(_)));
            ensure!(inside, "`{entry}` in `{}` is no folder below it", self.top.join(FILE).display());
        }
        Ok(wishes)
    }

    /// Whether the user agreed to exactly this.
    pub fn is_trusted(&self, lessons: &Lessons) -> Result<bool> {
        Ok(lessons.trusted(&self.top.to_string_lossy())?.is_some_and(|sum| sum == self.sha256))
    }
}

/// Whether what a trusted repository carries asks to leave a folder alone.
pub fn leaves_alone(folder: &Path, lessons: &Lessons) -> bool {
    let Some(carried) = RepoSettings::of(folder) else { return false };
    if !carried.is_trusted(lessons).unwrap_or(false) {
        return false;
    }
    let Ok(wishes) = carried.wishes() else { return false };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    wishes.enabled == Some(false) || wishes.exclude.iter().any(|e| folder.starts_with(carried.top.join(e)))
}
