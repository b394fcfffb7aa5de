//! What project something belongs to, as a stable key.
//!
//! Comes in: a git remote, a root commit or a path. Goes out: a key that is the same in every clone and worktree.

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

/// From a remote's address: no credentials, no `.git`, host in lower case. `None` if it is no address.
pub fn from_remote(url: &str) -> Option<Project> {
    let url = url.trim();
    let (rest, scp) = match url.split_once("://") {
        Some((_, rest)) => (rest, false),
        None => (url, true),
    };
    let rest = rest.rsplit_once('@').map_or(rest, |(_, r)| r);
    let (host, path) = if scp { rest.split_once(':')? } else { rest.split_once('/')? };
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git").trim_matches('/');
    let sound = !host.is_empty()
        && host.contains(|c: char| c.is_alphanumeric())
        && path.contains(|c: char| c.is_alphanumeric())
        && !host.contains(char::is_whitespace);
    sound.then(|| Project::from_key(&format!("{host}/{path}")))
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

/// From a folder that is in no repository.
pub fn from_path(path: &str) -> Project {
    let path = path.trim_end_matches(['/', '\\']);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
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
    fn clones_of_one_repository_are_one_project() {
        for url in [
            "https://github.com/Owner/Name.git",
            "https://user:secret@GitHub.com/Owner/Name",
            "git@github.com:Owner/Name.git",
            "ssh://git@github.com:22/Owner/Name.git",
            "https://github.com/Owner/Name/",
        ] {
            assert_eq!(from_remote(url).map(|p| p.key).as_deref(), Some("github.com/Owner/Name"), "{url}");
        }
        for url in ["", "/srv/git/x", "https://github.com/..git", "nonsense"] {
            assert_eq!(from_remote(url), None, "{url}");
        }
    }

    #[test]
    fn origin_comes_first() {
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@h:me/x.git\n[remote \"origin\"]\n\turl = git@h:us/x.git\n";
        assert_eq!(from_git_config(config).map(|p| p.key).as_deref(), Some("h/us/x"));
        assert_eq!(from_git_config("[core]\n"), None);
    }
}
