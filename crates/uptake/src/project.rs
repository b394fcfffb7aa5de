//! Folder → project: the git remote, else the root commit, else the path. Worktrees and clones share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use uptake_core::project::{self, Project};
use uptake_core::session::Session;
use uptake_store::StoreError;

/// The project of a session. `folder` is the first-level folder of transcripts given by hand.
pub fn of_session(session: &Session, folder: Option<&str>, cache: &mut Cache) -> Project {
    if let Some(remote) = session.remote.as_deref().and_then(project::from_remote) {
        return remote;
    }
    if let Some(cwd) = session.cwd.as_deref()
        && Path::new(cwd).is_dir()
        && let Some(known) = cache.of_folder(Path::new(cwd))
    {
        return known;
    }
    match folder {
        Some(name) => project::from_folder_name(name),
        None => session.cwd.as_deref().map_or_else(|| project::from_path("unknown"), project::from_path),
    }
}

/// Folders that were looked at in this run.
#[derive(Default)]
pub struct Cache {
    known: HashMap<PathBuf, Option<Project>>,
    memory: Option<PathBuf>,
    /// Why something could not be written down.
    trouble: Option<StoreError>,
}

impl Cache {
    /// Also writes down what git had to be asked for, so that a hook need not ask.
    pub fn remembering(data: &Path) -> Self {
        Self { memory: Some(data.to_owned()), ..Self::default() }
    }

    /// Fails if something could not be written down. The run must end then: only the next one asks git again.
    pub fn check(&mut self) -> Result<(), StoreError> {
        self.trouble.take().map_or(Ok(()), Err)
    }

    /// The project of a folder that is in a git repository.
    pub fn of_folder(&mut self, folder: &Path) -> Option<Project> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let project = in_git(folder, |git| {
            let commit = root_commit(folder)?;
            if let Some(data) = &self.memory {
                self.trouble = uptake_store::open::write_private(&remembered(data, git), &commit).err();
            }
            Some(commit)
        });
        self.known.insert(folder.to_owned(), project.clone());
        project
    }
}

/// Where the root commit of a repository without a remote is written down.
fn remembered(data: &Path, git: &Path) -> PathBuf {
    data.join("projects").join(&blake3::hash(git.to_string_lossy().as_bytes()).to_hex()[..16])
}

/// The project of a folder, for a hook: nothing is run, only files are read. Its path if it is in no repository.
pub fn of_folder_quickly(folder: &Path, data: &Path) -> Project {
    let remembered = |git: &Path| std::fs::read_to_string(remembered(data, git)).ok();
    in_git(folder, remembered).unwrap_or_else(|| project::from_path(&folder.to_string_lossy()))
}

fn in_git(folder: &Path, commit: impl FnOnce(&Path) -> Option<String>) -> Option<Project> {
    let git = git_folder(folder)?;
    let git = git.canonicalize().unwrap_or(git);
    let config = std::fs::read_to_string(git.join("config")).unwrap_or_default();
    project::from_git_config(&config).or_else(|| commit(&git).map(|c| project::from_root_commit(&c)))
}

/// The top folder of the working tree a folder is in.
pub fn top(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|a| a.join(".git").exists()).map(Path::to_owned)
}

/// The repository's own folder, also of a worktree. Files are read instead of running git: a hook has 5 ms.
pub fn git_folder(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.ancestors().map(|a| a.join(".git")).find(|g| g.exists())?;
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = std::fs::read_to_string(&dot_git).ok()?;
    let pointed = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    match std::fs::read_to_string(pointed.join("commondir")) {
        Ok(common) => Some(pointed.join(common.trim())),
        Err(_) => Some(pointed),
    }
}

/// The first commit of a repository without a remote.
fn root_commit(folder: &Path) -> Option<String> {
    let out = Command::new("git")
        .args(["rev-list", "--max-parents=0", "HEAD"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    text.lines().last().map(str::to_owned).filter(|c| c.len() >= 40)
}
