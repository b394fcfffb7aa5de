//! Sessions → their projects, once all of a run's sessions are read: what is learned of one folder tells of others.
//!
//! Comes in: where kept sessions ran, and what was learned of folders, now and before. Goes out: sessions that moved, and
//! projects that turned out to be one with another. The latter are only told: what was decided moves along with them, and
//! that is `approve`'s matter. Deliberately absent: what a person decided stays, and no session loses its remote.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::Result;
use uptake_core::project::{self, Fact, is_remote, is_renamed};
use uptake_store::{Moved, SessionGroup};

use crate::project::{Cache, one_spelling};
use crate::stores::Stores;

/// The rules by which sessions are put into projects. Raised when they change: then all are looked at again.
const RULES: &str = "1";
/// The note that says by which rules that was done last.
const NOTE: &str = "projects";

/// The note that says whether projects were found that are still to be made one.
const OPEN: &str = "projects to join";

/// A project that turned out to be another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The one that is no more.
    pub from: String,
    /// The one it is.
    pub to: String,
}

/// What became of sessions.
#[derive(Debug, Default)]
pub struct Regrouped {
    /// Sessions that have another project now.
    pub moved: Vec<Moved>,
    /// Projects about which something was learned already, and that are another one.
    pub joins: Vec<Join>,
}

/// Looks at the projects of all sessions again, if anything was read or the rules are newer.
pub fn regroup(stores: &mut Stores, cache: &mut Cache, anything_new: bool) -> Result<Regrouped> {
    let same_rules = stores.lessons.noted(NOTE)?.is_some_and(|rules| rules == RULES);
    stores.lessons.keep_folders(cache.facts())?;
    // Marks that are left, and projects still to be joined, say that a run was cut short.
    let cut_short =
        !stores.lessons.unfolded()?.is_empty() || stores.lessons.noted(OPEN)?.is_some_and(|open| open == "yes");
    if same_rules && !anything_new && !cut_short {
        return Ok(Regrouped::default());
    }
    let groups = stores.sessions.groups(None)?;
    learn_from(&groups, cache);
    let aliases = stores.lessons.aliases()?;
    if !same_rules {
        keep_seen(stores, &groups, &aliases)?;
    }
    let told: BTreeSet<String> = stores.lessons.project_keys()?.into_iter().collect();
    let plan = Plan::of(with_unread(groups, &told), cache, &aliases);
    let mut done = Regrouped::default();
    for (from, parts) in plan.parts {
        let to: BTreeSet<&String> = parts.iter().map(|(_, to)| to).collect();
        match to.first() {
            Some(&to) if parts.len() == plan.groups[&from] && told.contains(&from) && is_one(&parts) => {
                done.joins.push(Join { from, to: to.clone() });
            }
            _ => {
                for (group, to) in &parts {
                    done.moved.extend(stores.sessions.moving(group, to)?);
                }
            }
        }
    }
    // Observations first: should this be cut short, the next run moves them again.
    if !done.moved.is_empty() {
        stores.lessons.move_observations(&done.moved)?;
        stores.sessions.move_sessions(&done.moved)?;
    }
    if !done.joins.is_empty() {
        stores.lessons.renote(OPEN, "yes")?;
    }
    stores.lessons.renote(NOTE, RULES)?;
    Ok(done)
}

/// Says that the projects which were found to be one are.
pub fn joined(stores: &mut Stores) -> Result<()> {
    stores.lessons.renote(OPEN, "no")?;
    Ok(())
}

fn is_one(parts: &[(SessionGroup, String)]) -> bool {
    parts.windows(2).all(|two| two[0].1 == two[1].1)
}

/// Also projects of folders of which no session is kept: something was learned or said of them.
fn with_unread(mut groups: Vec<SessionGroup>, told: &BTreeSet<String>) -> Vec<SessionGroup> {
    let read: BTreeSet<String> = groups.iter().map(|g| g.project.clone()).collect();
    for project in told.difference(&read) {
        if let Some(folder) = project.strip_prefix("path:") {
            let (project, cwd) = (project.clone(), Some(folder.to_owned()));
            groups.push(SessionGroup { project, cwd, remote: None, sessions: 0, last: None });
        }
    }
    groups
}

/// The folder in which a group's sessions ran, in its one spelling.
fn place(group: &SessionGroup) -> Option<String> {
    group.cwd.as_deref().map(one_spelling)
}

/// What the sessions themselves tell of folders: a remote in one's record, or the project it was given when its folder was
/// still there. Of a folder that is gone, the latest record tells.
fn learn_from(groups: &[SessionGroup], cache: &mut Cache) {
    let mut latest: BTreeMap<String, (Option<i64>, String)> = BTreeMap::new();
    for group in groups {
        let (Some(place), Some(remote)) = (place(group), group.remote.as_deref().and_then(project::from_remote)) else {
            continue;
        };
        if latest.get(&place).is_none_or(|(last, _)| *last < group.last) {
            latest.insert(place, (group.last, remote.key));
        }
    }
    for (folder, (_, key)) in latest {
        if !cache.was_seen(&folder) && cache.key_of(&folder) != Some(&key) {
            cache.note(Fact { folder, key: Some(key), ..Fact::default() });
        }
    }
    let given = groups.iter().filter(|g| is_remote(&g.project) || g.project.starts_with("root:"));
    let given = given.filter_map(|g| Some(Fact { folder: place(g)?, key: Some(g.project.clone()), ..Fact::default() }));
    cache.count_on(given.collect());
}

/// Sessions that an older release read in folders of a repository: that is kept, for the folders may be gone.
fn keep_seen(stores: &mut Stores, groups: &[SessionGroup], aliases: &HashMap<String, String>) -> Result<()> {
    let merged: BTreeSet<&String> = aliases.values().collect();
    let seen = groups.iter().filter(|g| !g.project.starts_with("path:") && !g.project.starts_with("folder:"));
    let facts = seen.filter(|g| !merged.contains(&g.project));
    let facts = facts.filter_map(|g| Some(Fact { folder: place(g)?, key: Some(g.project.clone()), ..Fact::default() }));
    let known: BTreeSet<String> =
        stores.lessons.folders()?.into_iter().filter(|f| f.key.is_some()).map(|f| f.folder).collect();
    let new: Vec<Fact> = facts.filter(|f| !known.contains(&f.folder)).collect();
    Ok(stores.lessons.keep_folders(&new)?)
}

/// Which groups of sessions go where.
struct Plan {
    /// How many groups each project has.
    groups: BTreeMap<String, usize>,
    /// Those that move, by the project they are in.
    parts: BTreeMap<String, Vec<(SessionGroup, String)>>,
}

impl Plan {
    fn of(groups: Vec<SessionGroup>, cache: &Cache, aliases: &HashMap<String, String>) -> Self {
        let spellings = common_spellings(&groups);
        let mut plan = Self { groups: BTreeMap::new(), parts: BTreeMap::new() };
        for group in groups {
            *plan.groups.entry(group.project.clone()).or_default() += 1;
            // A person said that it stays.
            if aliases.get(&group.project) == Some(&group.project) {
                continue;
            }
            let to = wanted(&group, cache, &spellings);
            let to = aliases.get(&to).cloned().unwrap_or(to);
            if to != group.project {
                plan.parts.entry(group.project.clone()).or_default().push((group, to));
            }
        }
        plan
    }
}

/// The project that a group's sessions belong to, by all that is known now.
fn wanted(group: &SessionGroup, cache: &Cache, spellings: &HashMap<String, String>) -> String {
    let stays = || group.project.clone();
    let Some(place) = place(group) else { return common(spellings, &group.project) };
    if let Some(given) = cache.split_off(&place) {
        return given.to_owned();
    }
    let found = || cache.place(&place).key;
    let named = group.remote.as_deref().and_then(project::from_remote).map(|p| p.key);
    if let Some(remote) = named.or_else(|| is_remote(&group.project).then(stays)) {
        let renamed = cache.key_of(&place).filter(|key| is_remote(key) && is_renamed(&remote, key, &place));
        return common(spellings, renamed.unwrap_or(&remote));
    }
    match group.project.split_once(':').map(|(kind, _)| kind) {
        Some("path") => common(spellings, &found()),
        Some("root") => Some(found()).filter(|key| is_remote(key)).unwrap_or_else(stays),
        _ => Some(found()).filter(|key| !key.starts_with("path:")).unwrap_or_else(stays),
    }
}

fn common(spellings: &HashMap<String, String>, key: &str) -> String {
    spellings.get(&key.to_lowercase()).filter(|_| is_remote(key)).cloned().unwrap_or_else(|| key.to_owned())
}

/// Hosts do not tell small letters in remotes from capitals: the spelling with most sessions stands for the others.
fn common_spellings(groups: &[SessionGroup]) -> HashMap<String, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups.iter().filter(|g| is_remote(&g.project)) {
        *counts.entry(&group.project).or_default() += group.sessions;
    }
    let mut best: HashMap<String, (usize, &str)> = HashMap::new();
    for (key, count) in counts {
        let held = best.entry(key.to_lowercase()).or_insert((count, key));
        if count > held.0 {
            *held = (count, key);
        }
    }
    best.into_iter().map(|(lower, (_, key))| (lower, key.to_owned())).collect()
}
