//! `uptake project`: the projects there are and why, making two of them one, and one of them two.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Result, bail, ensure};
use clap::{Args as ClapArgs, Subcommand};
use serde::Serialize;
use uptake_core::project::{self as rules, Project, Why};
use uptake_store::{BELOW, By, Lessons, ProjectRow, SessionGroup, Sessions};

use crate::approve;
use crate::folding::{Tombstones, fold_changed};
use crate::project::{Cache, Names, here as project_here, of_folder_quickly, one_spelling};
use crate::stores::Stores;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, styled};
use crate::world::World;

/// List projects and what belongs to them; make two of them one, or one of them two
#[derive(ClapArgs)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// One JSON object a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List the projects something was learned in, with their folders
    List,
    /// Show one project: its folders, its remotes, and why they are one
    Show {
        /// Its name or key
        project: String,
    },
    /// Print the key of the project of this folder
    Here,
    /// Make one project another by another name; `uptake undo` takes it back
    Merge {
        /// The one that is to be no more (its name or key)
        from: String,
        /// The one it becomes
        into: String,
    },
    /// Make a folder or a remote of a project a project of its own; `uptake undo` takes it back
    ///
    /// Sessions in the folder and below it go, and lessons that were seen only in them. What was seen on both sides is
    /// kept on both, with what you decided.
    Split {
        /// The project (its name or key)
        project: String,
        /// The folder, or the address or key of the remote, as `uptake project show` tells it
        part: String,
    },
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    match &args.what {
        None | Some(What::List) => list(&mut ui, &world)?,
        Some(What::Show { project }) => show(&mut ui, &world, project)?,
        Some(What::Here) => here(&mut ui, &world)?,
        Some(What::Merge { from, into }) => merge(&mut ui, &world, from, into)?,
        Some(What::Split { project, part }) => split(&mut ui, &world, project, part)?,
    }
    Ok(ui.flush()?)
}

/// Folders of a project that are listed; `show` tells all.
const LISTED: usize = 4;

/// A folder of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct FolderRow {
    folder: String,
    sessions: usize,
    why: String,
}

/// All that is told of a project.
#[derive(Serialize)]
struct Told {
    project: String,
    name: String,
    sessions: usize,
    lessons: usize,
    approved: usize,
    also: Vec<String>,
    folders: Vec<FolderRow>,
    remotes: Vec<String>,
    /// Projects of the same name of which it is not known whether they are this one.
    alike: Vec<String>,
}

/// What projects are told of by.
struct Known {
    names: Names,
    aliases: HashMap<String, String>,
    rows: Vec<ProjectRow>,
    groups: BTreeMap<String, Vec<SessionGroup>>,
    cache: Cache,
}

impl Known {
    fn of(world: &World) -> Result<Self> {
        let lessons = Lessons::open_read_only(&world.data)?;
        let sessions = Sessions::open_read_only(&world.data)?;
        let mut groups: BTreeMap<String, Vec<SessionGroup>> = BTreeMap::new();
        for group in sessions.as_ref().map_or_else(|| Ok(Vec::new()), |s| s.groups(None))? {
            groups.entry(group.project.clone()).or_default().push(group);
        }
        Ok(Self {
            names: Names::of(lessons.as_ref(), sessions.as_ref())?,
            aliases: lessons.as_ref().map_or_else(|| Ok(HashMap::new()), Lessons::aliases)?,
            rows: lessons.as_ref().map_or_else(|| Ok(Vec::new()), Lessons::projects)?,
            cache: lessons
                .as_ref()
                .map_or_else(|| Ok(Cache::default()), |l| Cache::knowing(&world.data, &world.home, l))?,
            groups,
        })
    }

    fn told(&self, key: &str) -> Told {
        let row = self.rows.iter().find(|r| r.key == key).cloned().unwrap_or_default();
        let groups = self.groups.get(key).map_or(&[][..], Vec::as_slice);
        let other = |(name, to): &(&String, &String)| *to == key && *name != key && !name.starts_with(BELOW);
        let also: BTreeSet<String> = self.aliases.iter().filter(other).map(|(name, _)| name.clone()).collect();
        Told {
            project: key.to_owned(),
            name: self.names.get(key),
            sessions: groups.iter().map(|g| g.sessions).sum(),
            lessons: row.lessons,
            approved: row.approved,
            also: also.into_iter().collect(),
            folders: self.folders(key, groups),
            remotes: remotes(groups, &self.cache),
            alike: self.alike(key),
        }
    }

    /// Projects of the same last name; one of the two is known only by its folder.
    fn alike(&self, key: &str) -> Vec<String> {
        let name = |key: &str| Project::from_key(key).name.to_lowercase();
        let by_folder = |key: &str| key.starts_with("path:");
        let unsure = |other: &&str| *other != key && name(other) == name(key) && (by_folder(other) || by_folder(key));
        self.names.keys().filter(unsure).map(str::to_owned).collect()
    }

    /// The folders of a project's sessions, each once however it is written.
    fn folders(&self, key: &str, groups: &[SessionGroup]) -> Vec<FolderRow> {
        let mut rows: BTreeMap<String, FolderRow> = BTreeMap::new();
        for (group, cwd) in groups.iter().filter_map(|g| Some((g, g.cwd.as_deref()?))) {
            let folder = one_spelling(cwd);
            let fresh = || FolderRow { why: self.why(key, group, &folder), folder: folder.clone(), sessions: 0 };
            rows.entry(folder.clone()).or_insert_with(fresh).sessions += group.sessions;
        }
        rows.into_values().collect()
    }

    /// Why sessions of a folder belong to a project, in words.
    fn why(&self, key: &str, group: &SessionGroup, folder: &str) -> String {
        if self.cache.split_off(folder) == Some(key) {
            return "you said so".to_owned();
        }
        let remote = group.remote.as_deref().and_then(rules::from_remote).map(|p| p.key);
        let found = self.cache.place(folder);
        let merged = |name: &str| name != key && self.aliases.get(name).is_some_and(|to| to == key);
        match remote {
            Some(remote) if remote == key => "its sessions name the remote".to_owned(),
            Some(remote) if merged(&remote) => format!("its sessions name {remote}, which is this project now"),
            _ if found.key != key && merged(&found.key) => format!("{} is this project now", found.key),
            _ if key.starts_with("folder:") => "transcripts of this folder were given by hand".to_owned(),
            _ => words(&found.why, key),
        }
    }
}

fn words(why: &Why, key: &str) -> String {
    match why {
        Why::Repository if key.starts_with("root:") => "its first commit is the project's".to_owned(),
        Why::Repository => "its remote is the project's".to_owned(),
        Why::Checkout => "a checkout".to_owned(),
        Why::Below(top) => format!("in {top}"),
        Why::Worktree(top) => format!("a worktree of {top}"),
        Why::Called(name) => format!("a worktree of {name}"),
        Why::Branch(top) => format!("named like its branch, beside {top}"),
        Why::Folder => "the folder itself".to_owned(),
    }
}

/// The remotes that sessions of a project name, and those their folders have.
fn remotes(groups: &[SessionGroup], cache: &Cache) -> Vec<String> {
    let named = groups.iter().filter_map(|g| g.remote.as_deref().and_then(rules::from_remote)).map(|p| p.key);
    let folders = groups.iter().filter_map(|g| g.cwd.as_deref()).map(one_spelling);
    let held = folders.filter_map(|f| cache.key_of(&f).map(str::to_owned)).filter(|key| rules::is_remote(key));
    named.chain(held).collect::<BTreeSet<String>>().into_iter().collect()
}

fn list(ui: &mut Ui, world: &World) -> Result<()> {
    let known = Known::of(world)?;
    let keys: Vec<&str> = known.names.keys().collect();
    keys.into_iter().try_for_each(|key| tell(ui, &known.told(key), LISTED))
}

fn show(ui: &mut Ui, world: &World, project: &str) -> Result<()> {
    let known = Known::of(world)?;
    let key = named(&known.names, project)?;
    tell(ui, &known.told(&key), usize::MAX)
}

fn tell(ui: &mut Ui, told: &Told, most: usize) -> Result<()> {
    if ui.json {
        return Ok(ui.object(told)?);
    }
    let about = format!(
        "{}, {} ({} approved)",
        ui::count(told.sessions as u64, "session"),
        ui::count(told.lessons as u64, "lesson"),
        told.approved
    );
    ui.line(format!("{}  {}  {}", styled(BOLD, &told.name), told.project, styled(DIM, &about)))?;
    let mut dim = |line: String| ui.line(styled(DIM, &line));
    told.also.iter().try_for_each(|name| dim(format!("  also {name}")))?;
    for row in told.folders.iter().take(most) {
        dim(format!("  {}  {}: {}", row.folder, ui::count(row.sessions as u64, "session"), row.why))?;
    }
    if told.folders.len() > most {
        dim(format!("  {} more folders: uptake project show {}", told.folders.len() - most, told.name))?;
    }
    if most == usize::MAX {
        told.remotes.iter().try_for_each(|remote| dim(format!("  remote {remote}")))?;
        for other in &told.alike {
            dim(format!("  perhaps the same, by its name: uptake project merge {other} {}", told.project))?;
        }
    }
    Ok(())
}

fn here(ui: &mut Ui, world: &World) -> Result<()> {
    let folder = std::env::current_dir()?;
    let key = of_folder_quickly(&folder, &world.data).key;
    let lessons = Lessons::open_read_only(&world.data)?;
    let project = lessons.map_or_else(|| Ok(key.clone()), |l| project_here(&folder, &world.data, &l))?;
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "project": project, "key": key }))?);
    }
    Ok(ui.line(project)?)
}

fn merge(ui: &mut Ui, world: &World, from: &str, into: &str) -> Result<()> {
    let mut stores = Stores::open(&world.data)?;
    let names = Names::of(Some(&stores.lessons), Some(&stores.sessions))?;
    let (from, to) = (named(&names, from)?, named(&names, into)?);
    ensure!(from != to, "`{from}` is that project already");
    let change = join(world, &mut stores, &from, &to, By::Person)?;
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "from": from, "into": to, "change": change }))?);
    }
    ui.line(format!("{} {from} is {to} from now on", styled(GREEN, "✓")))?;
    Ok(ui.line(format!("  Take it back with: uptake undo {change}"))?)
}

/// Makes one project another. Answers the number of the change.
pub(super) fn join(world: &World, stores: &mut Stores, from: &str, to: &str, by: By) -> Result<i64> {
    let paths = stores.sessions.paths_of(from)?;
    let change = approve::merge(world, &mut stores.lessons, from, to, paths.clone(), by)?;
    stores.sessions.move_paths(&paths, to)?;
    fold(world, stores)?;
    Ok(change)
}

fn fold(world: &World, stores: &mut Stores) -> Result<()> {
    let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
    fold_changed(&mut stores.lessons, &tombstones, world, &world.settings()?)
}

/// A part of a project, to be split off.
struct Part {
    /// The key of the project it becomes.
    key: String,
    /// The name that stands for it from now on.
    name: String,
    groups: Vec<SessionGroup>,
}

fn split(ui: &mut Ui, world: &World, project: &str, part: &str) -> Result<()> {
    let mut stores = Stores::open(&world.data)?;
    let names = Names::of(Some(&stores.lessons), Some(&stores.sessions))?;
    let from = named(&names, project)?;
    let Part { key, name, groups } = part_of(&stores, world, &from, part)?;
    let mut paths = Vec::new();
    for group in &groups {
        paths.extend(stores.sessions.paths_in(group)?);
    }
    let (change, moved) = approve::split(world, &mut stores.lessons, &from, &key, &name, paths)?;
    stores.sessions.move_paths(&moved.paths, &key)?;
    fold(world, &mut stores)?;
    let sessions: usize = groups.iter().map(|g| g.sessions).sum();
    if ui.json {
        let decided = moved.lessons;
        let row = serde_json::json!({ "from": from, "project": key, "sessions": sessions, "decided": decided, "change": change });
        return Ok(ui.object(&row)?);
    }
    let what = ui::count(sessions as u64, "session");
    ui.line(format!("{} {key} is a project of its own from now on, with {what} of {from}", styled(GREEN, "✓")))?;
    Ok(ui.line(format!("  Take it back with: uptake undo {change}"))?)
}

/// What a person names of a project: a folder its sessions ran in, or a remote.
fn part_of(stores: &Stores, world: &World, project: &str, given: &str) -> Result<Part> {
    let all = stores.sessions.groups(Some(project))?;
    let cache = Cache::knowing(&world.data, &world.home, &stores.lessons)?;
    let part = if let Some(part) = of_remote(&all, &cache, given) { part } else { of_folder(&all, given)? };
    ensure!(
        !part.groups.is_empty(),
        "no session of `{project}` ran in `{given}`; `uptake project show` tells its folders and remotes"
    );
    ensure!(part.key != project, "`{given}` is what `{project}` is known by; split off its other folders instead");
    ensure!(part.groups.len() < all.len(), "all sessions of `{project}` ran in `{given}`: nothing would be left of it");
    Ok(part)
}

fn of_remote(all: &[SessionGroup], cache: &Cache, given: &str) -> Option<Part> {
    let key = rules::from_remote(given).map_or_else(|| given.to_owned(), |p| p.key);
    let names = |g: &&SessionGroup| {
        let named = g.remote.as_deref().and_then(rules::from_remote).map(|p| p.key);
        let held = || g.cwd.as_deref().and_then(|cwd| cache.key_of(&one_spelling(cwd)).map(str::to_owned));
        named.or_else(held).is_some_and(|k| k == key)
    };
    let groups: Vec<SessionGroup> = all.iter().filter(names).cloned().collect();
    (!groups.is_empty() && rules::is_remote(&key)).then(|| Part { name: key.clone(), key, groups })
}

fn of_folder(all: &[SessionGroup], given: &str) -> Result<Part> {
    let given = given.strip_prefix("path:").unwrap_or(given);
    let looks_whole = one_spelling(given).starts_with('/') || one_spelling(given).contains(":/");
    let whole = if looks_whole { Path::new(given).to_owned() } else { std::env::current_dir()?.join(given) };
    let folder = one_spelling(&whole.to_string_lossy());
    let inside =
        |g: &&SessionGroup| g.cwd.as_deref().is_some_and(|cwd| rules::below(&one_spelling(cwd), &folder).is_some());
    let groups = all.iter().filter(inside).cloned().collect();
    Ok(Part { key: rules::from_path(&folder).key, name: format!("{BELOW}{folder}"), groups })
}

/// The project a person names: by its key, or by a name only one has.
pub(super) fn named(names: &Names, given: &str) -> Result<String> {
    let found: Vec<&str> = names.keys().filter(|key| names.is_called(key, given)).collect();
    let exact = found.iter().find(|key| **key == given || names.get(key) == given);
    match (exact, found.as_slice()) {
        (Some(key), _) | (None, [key]) => Ok((*key).to_owned()),
        (None, []) => bail!("there is no project `{given}`; `uptake project list` lists them"),
        (None, more) => bail!("{} projects are called `{given}`: {}; give the key", more.len(), more.join(", ")),
    }
}
