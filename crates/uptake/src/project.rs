//! Folder → project: the git remote, else the root commit, else the path. Worktrees and clones share.
//!
//! Comes in: a folder or a session. Goes out: its project, and what was learned of the folder, to be kept: it may be gone
//! next time. The rules are the core's (`project::Map`); here is what needs the disk and the store.

mod tops;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use uptake_core::project::{self, Fact, Found, Map, OneLetter, Project};
use uptake_core::redact::clean;
use uptake_core::session::Session;
use uptake_store::{BELOW, Lessons, Sessions, StoreError};

/// The project of a session. `folder` is the first-level folder of transcripts given by hand.
pub fn of_session(session: &Session, folder: Option<&str>, cache: &mut Cache) -> Project {
    let remote = session.remote.as_deref().and_then(project::from_remote);
    let place = session.cwd.as_deref().map(one_spelling);
    if let (Some(cwd), Some(place)) = (session.cwd.as_deref(), &place) {
        cache.learn(cwd, place, remote.as_ref(), session.branch.as_deref());
        if let Some(given) = cache.split_off(place) {
            return Project::from_key(given);
        }
    }
    if let Some(remote) = remote {
        return remote;
    }
    let found = place.map(|place| cache.map.place(&place).key);
    match (found, folder) {
        (Some(key), Some(name)) if key.starts_with("path:") => project::from_folder_name(name),
        (Some(key), _) => Project::from_key(&key),
        (None, Some(name)) => project::from_folder_name(name),
        (None, None) => project::from_path("unknown"),
    }
}

/// The one spelling of a path on this machine.
pub fn one_spelling(path: &str) -> String {
    // Where there is such a folder, it is no drive.
    let is_folder = |letter: char| cfg!(unix) && Path::new(&format!("/{letter}")).is_dir();
    match project::top_letter(path).filter(|letter| is_folder(*letter)) {
        Some(_) => project::spelled(path, OneLetter::Folder),
        None => project::one_spelling(path),
    }
}

/// What is known of folders, and those that were looked at in this run.
#[derive(Default)]
pub struct Cache {
    known: HashMap<PathBuf, Option<Project>>,
    memory: Option<PathBuf>,
    /// Why something could not be written down.
    trouble: Option<StoreError>,
    map: Map,
    home: Option<String>,
    /// What was learned in this run, by folder.
    facts: BTreeMap<String, Fact>,
    /// Folders that are there, in a repository.
    seen: HashSet<String>,
    /// Projects that a person gave to folders.
    splits: HashMap<String, String>,
    /// Tops of working trees.
    tops: tops::Tops,
}

impl Cache {
    /// Also writes down what git had to be asked for, so that a hook need not ask.
    pub fn remembering(data: &Path) -> Self {
        Self { memory: Some(data.to_owned()), ..Self::default() }
    }

    /// The same, with all that was learned before.
    pub fn knowing(data: &Path, home: &Path, lessons: &Lessons) -> Result<Self> {
        let home = Some(one_spelling(&home.to_string_lossy()));
        let aliases = lessons.aliases()?.into_iter();
        Ok(Self {
            map: Map::new(home.as_deref(), lessons.folders()?),
            home,
            splits: aliases.filter_map(|(name, to)| Some((name.strip_prefix(BELOW)?.to_owned(), to))).collect(),
            ..Self::remembering(data)
        })
    }

    /// Fails if something could not be written down. The run must end then: only the next one asks git again.
    pub fn check(&mut self) -> Result<(), StoreError> {
        self.trouble.take().map_or(Ok(()), Err)
    }

    /// What was learned in this run.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.values()
    }

    /// Counts facts that stand elsewhere; what is known already stays. From now on all names count.
    pub fn count_on(&mut self, facts: Vec<Fact>) {
        for fact in facts {
            if self.key_of(&fact.folder).is_none() {
                self.map.learn(fact);
            }
        }
        let all = std::mem::take(&mut self.map).into_facts();
        self.map = Map::new(self.home.as_deref(), all);
    }

    /// The project of a folder, and why.
    pub fn place(&self, folder: &str) -> Found {
        self.map.place(folder)
    }

    /// The key under which a folder's repository is known.
    pub fn key_of(&self, folder: &str) -> Option<&str> {
        self.map.fact(folder)?.key.as_deref()
    }

    /// Whether a folder was found on disk in this run, in a repository.
    pub fn was_seen(&self, folder: &str) -> bool {
        self.seen.contains(folder)
    }

    /// The project a person gave a folder, or the nearest one it is in.
    pub fn split_off(&self, folder: &str) -> Option<&str> {
        project::ancestors(folder).find_map(|place| self.splits.get(place)).map(String::as_str)
    }

    /// Learns of a folder from the disk, and from a session's record where the folder is gone.
    fn learn(&mut self, cwd: &str, place: &str, remote: Option<&Project>, branch: Option<&str>) {
        if Path::new(cwd).is_dir() && self.of_folder(Path::new(cwd)).is_some() {
            self.seen.insert(place.to_owned());
        }
        let unknown = self.key_of(place).is_none() && !self.seen.contains(place);
        let key = remote.filter(|_| unknown).map(|r| r.key.clone());
        let branch = branch.map(str::to_owned);
        if key.is_some() || branch.is_some() {
            self.note(Fact { folder: place.to_owned(), top: None, key, branch });
        }
    }

    /// Keeps a fact for this run and the next ones.
    pub fn note(&mut self, fact: Fact) {
        let folder = fact.folder.clone();
        self.map.learn(fact);
        if let Some(fact) = self.map.fact(&folder) {
            self.facts.insert(folder, fact.clone());
        }
    }

    /// The project of a folder that is in a git repository.
    pub fn of_folder(&mut self, folder: &Path) -> Option<Project> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let seen = in_git(folder, |git| {
            let commit = root_commit(folder)?;
            if let Some(data) = &self.memory {
                self.trouble = uptake_store::open::write_private(&remembered(data, git), &commit).err();
            }
            Some(commit)
        });
        let project = seen.as_ref().map(InGit::project);
        if let Some(seen) = seen {
            seen.facts(folder).into_iter().for_each(|fact| self.note(fact));
        }
        self.known.insert(folder.to_owned(), project.clone());
        project
    }
}

/// What the disk says of a folder in a repository.
struct InGit {
    /// The top of this working tree.
    tree: PathBuf,
    /// The top of the main checkout.
    top: PathBuf,
    /// By its remote or first commit.
    repository: Option<Project>,
}

impl InGit {
    fn project(&self) -> Project {
        let by_path = || project::from_path(&spelled(&self.top));
        self.repository.clone().unwrap_or_else(by_path)
    }

    /// What is to be remembered: of the folder, of the tree it is in, and of the main checkout.
    fn facts(&self, folder: &Path) -> Vec<Fact> {
        let (top, key) = (Some(spelled(&self.top)), self.repository.as_ref().map(|p| p.key.clone()));
        let mut folders = vec![spelled(folder), spelled(&self.tree), spelled(&self.top)];
        folders.dedup();
        let fact = |folder| Fact { folder, top: top.clone(), key: key.clone(), branch: None };
        folders.into_iter().map(fact).collect()
    }
}

/// A path of this disk in its one spelling, without secrets: it is kept.
fn spelled(path: &Path) -> String {
    clean(&one_spelling(&path.to_string_lossy()))
}

/// Where the root commit of a repository without a remote is written down.
fn remembered(data: &Path, git: &Path) -> PathBuf {
    data.join("projects").join(&blake3::hash(git.to_string_lossy().as_bytes()).to_hex()[..16])
}

/// The project of a folder, for a hook: nothing is run, only files are read. Its path if it is in no repository.
pub fn of_folder_quickly(folder: &Path, data: &Path) -> Project {
    let remembered = |git: &Path| std::fs::read_to_string(remembered(data, git)).ok();
    in_git(folder, remembered).map_or_else(|| project::from_path(&spelled(folder)), |seen| seen.project())
}

/// The project that a folder belongs to now, after merges and splits. As quick as [`of_folder_quickly`].
pub fn here(folder: &Path, data: &Path, lessons: &Lessons) -> Result<String> {
    let place = spelled(folder);
    if let Some(given) = lessons.split_off(&place)? {
        return Ok(given);
    }
    let mut key = of_folder_quickly(folder, data).key;
    if key == project::from_path(&place).key {
        // A store of an older format knows no folders, and a hook does not change it.
        key = Map::new(None, lessons.folders_above(&place).unwrap_or_default()).place(&place).key;
    }
    Ok(lessons.project_of(&key)?)
}

/// Names of all projects, for people.
#[derive(Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// Of the projects in these stores.
    pub fn of(lessons: Option<&Lessons>, sessions: Option<&Sessions>) -> Result<Self> {
        let mut keys = lessons.map_or_else(|| Ok(Vec::new()), Lessons::project_keys)?;
        keys.extend(sessions.map_or_else(|| Ok(Vec::new()), Sessions::project_keys)?);
        // Only keys that say nothing need what was learned of folders.
        let unnamed = keys.iter().any(|key| key.starts_with("root:"));
        let facts = lessons.filter(|_| unnamed).map_or_else(|| Ok(Vec::new()), Lessons::folders)?;
        let folder_of = |key: &str| {
            let fact = facts.iter().find(|f| f.key.as_deref() == Some(key))?;
            Some(fact.top.clone().unwrap_or_else(|| fact.folder.clone()))
        };
        Ok(Self(project::names(keys, folder_of)))
    }

    /// The same; opens the stores that are there.
    pub fn in_stores(data: &Path) -> Result<Self> {
        Self::of(Lessons::open_read_only(data)?.as_ref(), Sessions::open_read_only(data)?.as_ref())
    }

    /// The name of a project.
    pub fn get(&self, key: &str) -> String {
        if key.starts_with("machine:") {
            return "this machine".to_owned();
        }
        let alone = || project::names([key.to_owned()], |_| None).remove(key);
        self.0.get(key).cloned().or_else(alone).unwrap_or_else(|| key.to_owned())
    }

    /// Whether a project goes by a name: its key, its whole name, or the end of it.
    pub fn is_called(&self, key: &str, name: &str) -> bool {
        key == name || Project::from_key(key).name == name || self.0.get(key).is_some_and(|n| n == name)
    }

    /// All keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn in_git(folder: &Path, commit: impl FnOnce(&Path) -> Option<String>) -> Option<InGit> {
    let found = git_folder(folder)?;
    let git = found.canonicalize().unwrap_or_else(|_| found.clone());
    let config = std::fs::read_to_string(git.join("config")).unwrap_or_default();
    let repository = project::from_git_config(&config).or_else(|| commit(&git).map(|c| project::from_root_commit(&c)));
    let tree = top(folder)?;
    Some(InGit { top: main_checkout(&tree, &found), tree, repository })
}

/// The top of the main checkout of a working tree, by the repository's own folder.
fn main_checkout(tree: &Path, git: &Path) -> PathBuf {
    if git.parent() == Some(tree) {
        return tree.to_owned();
    }
    // Git writes the way from a worktree's notes to the repository with steps back.
    let git = git.canonicalize().unwrap_or_else(|_| git.to_owned());
    let own = git.file_name().is_some_and(|name| name == ".git" || name == ".bare");
    git.parent().filter(|_| own).unwrap_or(tree).to_owned()
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
