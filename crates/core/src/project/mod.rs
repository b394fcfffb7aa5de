//! What project something belongs to, as a stable key.
//!
//! Comes in: a git remote, a root commit or a path, and what was learned of folders. Goes out: a key that is the same in
//! every clone and worktree, why it is that one, and a name for people. Deliberately absent: the disk.
//!
//! `spelling` writes a path in one way, `worktree` reads what its name says, `map` puts that together with what was learned
//! of folders, `remote` does the same for addresses, `names` finds names.

#[cfg(test)]
mod layouts;
mod map;
mod names;
mod remote;
mod spelling;
mod worktree;

pub use map::{Fact, Found, Map, Why};
pub use names::names;
pub use remote::{from_remote, is_renamed};
pub use spelling::{OneLetter, ancestors, below, in_one_spelling, one_spelling, spelled, top_letter};
pub use worktree::in_worktree;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Project {
    /// The same for every clone: `github.com/owner/name`, `root:<commit>`, `path:<folder>`.
    pub key: String,
    /// Short name for people.
    pub name: String,
}

impl Project {
    /// From a stored key.
    pub fn from_key(key: &str) -> Self {
        let name = key.rsplit(['/', ':']).find(|p| !p.is_empty()).unwrap_or(key);
        Self { key: key.to_owned(), name: name.to_owned() }
    }
}

/// Whether a key is that of a remote: the strongest there is.
pub fn is_remote(key: &str) -> bool {
    !["root:", "path:", "folder:"].iter().any(|kind| key.starts_with(kind))
}

/// From the text of `.git/config`: `origin`, else the first remote.
pub fn from_git_config(config: &str) -> Option<Project> {
    let mut first = None;
    let mut section = "";
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.starts_with("[remote ")
            && let Some((key, url)) = line.split_once('=')
            && key.trim() == "url"
        {
            let project = from_remote(url);
            if section.contains("\"origin\"") && project.is_some() {
                return project;
            }
            first = first.or(project);
        }
    }
    first
}

/// From the first commit of a repository without a remote.
pub fn from_root_commit(commit: &str) -> Project {
    Project { key: format!("root:{commit}"), name: commit.chars().take(8).collect() }
}

/// From a folder that is in no repository. Needs the one spelling.
pub fn from_path(path: &str) -> Project {
    let name = path.rsplit('/').find(|p| !p.is_empty()).unwrap_or(path);
    Project { key: format!("path:{path}"), name: name.to_owned() }
}

/// From the name of a folder of transcripts given by hand.
pub fn from_folder_name(name: &str) -> Project {
    Project { key: format!("folder:{name}"), name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_comes_first() {
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@h:me/x.git\n[remote \"origin\"]\n\turl = git@h:us/x.git\n";
        assert_eq!(from_git_config(config).map(|p| p.key).as_deref(), Some("h/us/x"));
        assert_eq!(from_git_config("[core]\n"), None);
    }
}
