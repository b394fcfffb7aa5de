//! Folder → project, by all that was ever learned of folders. Also when the folder is gone.
//!
//! Comes in: facts on folders, all in their one spelling. Goes out: a project's key, and why. Deliberately absent: the disk,
//! what a person decided (merges and splits come after this), and guesses from likeness.

use std::collections::{BTreeMap, BTreeSet};

use super::spelling::{ancestors, below};
use super::worktree::{self, Checkout};
use super::{Project, from_path};

/// What was learned of a folder: it is in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// The folder.
    pub folder: String,
    /// The top of the main checkout, if that was seen on disk.
    pub top: Option<String>,
    /// The repository's key: its remote's, or that of its first commit.
    pub key: Option<String>,
    /// The branch a session's record names.
    pub branch: Option<String>,
}

/// Why a folder belongs to a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its repository's remote, or first commit.
    Repository,
    /// It is a checkout.
    Checkout,
    /// It lies in this checkout.
    Below(String),
    /// It is a worktree of this checkout.
    Worktree(String),
    /// It is a worktree, and only one project has the name.
    Called(String),
    /// It is named like its branch, and lies beside this checkout alone.
    Branch(String),
    /// Nothing is known but itself.
    Folder,
}

/// A project that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its key.
    pub key: String,
    /// Why.
    pub why: Why,
}

/// All facts on folders.
#[derive(Debug, Default)]
pub struct Map {
    home: Option<String>,
    facts: BTreeMap<String, Fact>,
    /// Projects of checkouts, by the names they go by in small letters.
    called: BTreeMap<String, BTreeSet<String>>,
}

impl Map {
    /// Of these facts. `home` is this user's.
    pub fn new(home: Option<&str>, facts: impl IntoIterator<Item = Fact>) -> Self {
        let facts = facts.into_iter().map(|f| (f.folder.clone(), f)).collect();
        let mut map = Self { home: home.map(str::to_owned), facts, called: BTreeMap::new() };
        map.give_checkouts_the_remotes_of_their_worktrees();
        map.called = map.names_of_checkouts();
        map
    }

    fn give_checkouts_the_remotes_of_their_worktrees(&mut self) {
        let known = self.facts.values().filter_map(|f| Some((f, f.key.clone()?)));
        let found: Vec<(String, String)> = known
            .filter_map(|(fact, key)| match worktree::checkout(&fact.folder, |f| self.is_home(f))? {
                Checkout::In(checkout) => Some((checkout, key)),
                Checkout::Named { likely, .. } => {
                    let checkout = likely.into_iter().find(|f| self.facts.contains_key(f) && !self.is_home(f))?;
                    Some((checkout, key))
                }
            })
            .collect();
        for (folder, key) in found {
            let fact = self.facts.entry(folder.clone()).or_insert(Fact { folder, ..Fact::default() });
            fact.key.get_or_insert(key);
        }
    }

    /// All of them again.
    pub fn into_facts(self) -> impl Iterator<Item = Fact> {
        self.facts.into_values()
    }

    /// What is known of a folder itself.
    pub fn fact(&self, folder: &str) -> Option<&Fact> {
        self.facts.get(folder)
    }

    /// Adds a fact. What an older one says, and the new one does not, stays. Names are counted when a map is made.
    pub fn learn(&mut self, fact: Fact) {
        let old = self.facts.remove(&fact.folder).unwrap_or_default();
        let new = Fact {
            top: fact.top.or(old.top),
            key: fact.key.or(old.key),
            branch: telling(&fact.folder, old.branch, fact.branch),
            folder: fact.folder,
        };
        self.facts.insert(new.folder.clone(), new);
    }

    /// The top of the working tree that a folder was in which is gone, if it was seen on disk once.
    pub fn top_of(&self, folder: &str) -> Option<String> {
        let above = || ancestors(folder).take_while(|p| *p == folder || !self.is_home(p));
        let seen = above().find_map(|place| self.facts.get(place)?.top.as_ref())?;
        if below(folder, seen).is_some() {
            return Some(seen.clone()).filter(|top| self.may_be_top(top, folder));
        }
        // A worktree that lies elsewhere: its own top was noted with it.
        let same = |place: &&str| self.facts.get(*place).is_some_and(|f| f.top.as_ref() == Some(seen));
        above().filter(same).last().map(str::to_owned)
    }

    /// Whether a repository that lies above a folder is the one the folder was in: not if that was a worktree.
    pub fn may_be_top(&self, top: &str, folder: &str) -> bool {
        let worktree = top != folder && worktree::checkout(folder, |f| self.is_home(f)).is_some();
        !worktree && !self.is_home(top)
    }

    /// The project of a folder.
    pub fn place(&self, folder: &str) -> Found {
        self.placed(folder, DEPTH)
    }

    fn placed(&self, folder: &str, depth: usize) -> Found {
        let mut outermost = None;
        for place in ancestors(folder).take_while(|p| *p == folder || !self.is_home(p)) {
            let Some(fact) = self.facts.get(place) else { continue };
            if let Some(found) = self.by_fact(fact, folder, depth) {
                return found;
            }
            outermost = Some(place);
        }
        if let Some(found) = self.by_name(folder, depth) {
            return found;
        }
        match outermost {
            Some(checkout) => self.by_branch(checkout).unwrap_or_else(|| Found {
                key: from_path(checkout).key,
                why: if checkout == folder { Why::Checkout } else { Why::Below(checkout.to_owned()) },
            }),
            None => Found { key: from_path(folder).key, why: Why::Folder },
        }
    }

    /// By what was seen of this folder or one it is in; `None` if that is only that it is in some repository.
    fn by_fact(&self, fact: &Fact, asked: &str, depth: usize) -> Option<Found> {
        let place = &fact.folder;
        let away = |top: &String| below(place, top).is_none();
        let why = match &fact.top {
            Some(top) if away(top) => Why::Worktree(top.clone()),
            Some(top) if top != asked => Why::Below(top.clone()),
            None if place != asked => Why::Below(place.clone()),
            _ if fact.key.is_some() => Why::Repository,
            _ => Why::Checkout,
        };
        if let Some(key) = &fact.key {
            return Some(Found { key: key.clone(), why });
        }
        let top = fact.top.as_ref()?;
        let key = match depth {
            1.. if top != place => self.placed(top, depth - 1).key,
            _ => from_path(top).key,
        };
        Some(Found { key, why })
    }

    /// By what the folder's path says of worktrees.
    fn by_name(&self, folder: &str, depth: usize) -> Option<Found> {
        if depth == 0 {
            return None;
        }
        match worktree::checkout(folder, |f| self.is_home(f))? {
            Checkout::In(checkout) => {
                let key = self.placed(&checkout, depth - 1).key;
                Some(Found { key, why: Why::Worktree(checkout) })
            }
            Checkout::Named { likely, name, stands_for } => {
                if let Some(checkout) = likely.into_iter().find(|f| self.facts.contains_key(f) && !self.is_home(f)) {
                    let key = self.placed(&checkout, depth - 1).key;
                    return Some(Found { key, why: Why::Worktree(checkout) });
                }
                if name.is_empty() {
                    return None;
                }
                let only = self.called.get(&name.to_lowercase()).filter(|keys| keys.len() == 1);
                let key = only.and_then(|keys| keys.first().cloned()).unwrap_or_else(|| from_path(&stands_for).key);
                Some(Found { key, why: Why::Called(name) })
            }
        }
    }

    /// A folder that has the name of its branch is a worktree. It belongs to the one checkout that lies where the branch's
    /// name begins.
    fn by_branch(&self, folder: &str) -> Option<Found> {
        let around = around_branch(self.facts.get(folder)?)?;
        let beside = |f: &&Fact| {
            below(&f.folder, around).is_some_and(|rest| rest.matches('/').count() == 1) && around_branch(f).is_none()
        };
        let mut checkouts = self.facts.values().filter(beside);
        let (checkout, None) = (&checkouts.next()?.folder, checkouts.next()) else { return None };
        Some(Found { key: self.placed(checkout, 1).key, why: Why::Branch(checkout.clone()) })
    }

    fn is_home(&self, folder: &str) -> bool {
        self.home.as_deref() == Some(folder) || worktree::is_a_home(folder)
    }

    /// A checkout is known by its folder's name and by its remote's.
    fn names_of_checkouts(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut called: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for folder in self.facts.keys().filter(|f| worktree::checkout(f, |f| self.is_home(f)).is_none()) {
            let Found { key, why } = self.placed(folder, 1);
            let own = matches!(why, Why::Repository | Why::Checkout).then(|| from_path(folder).name);
            let of_key = (!key.starts_with("root:")).then(|| Project::from_key(&key).name);
            for name in own.into_iter().chain(of_key) {
                called.entry(name.to_lowercase()).or_default().insert(key.clone());
            }
        }
        called
    }
}

/// Where a folder lies that has the name of its branch. One word may be a repository's name, too, and says nothing.
fn around_branch(fact: &Fact) -> Option<&str> {
    let branch = fact.branch.as_deref().filter(|b| b.contains(['/', '-', '_']))?;
    fact.folder.strip_suffix(branch)?.strip_suffix('/').filter(|around| !around.is_empty())
}

/// Of two branches the one that the folder has its name from, else the newer one.
fn telling(folder: &str, old: Option<String>, new: Option<String>) -> Option<String> {
    let named = old.as_ref().is_some_and(|old| folder.ends_with(&format!("/{old}")));
    if named { old } else { new.or(old) }
}

/// Steps from a worktree to its checkout, and from there to what that is known by.
const DEPTH: usize = 4;
