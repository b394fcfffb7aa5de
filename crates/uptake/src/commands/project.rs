//! `uptake project`: the projects there are, and making two of them one.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use clap::{Args as ClapArgs, Subcommand};
use uptake_core::project::Project;
use uptake_store::{Lessons, Sessions};

use crate::approve;
use crate::ingest::{self, Graves};
use crate::project::of_folder_quickly;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, styled};
use crate::world::World;

/// List projects, or make two of them one
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
    /// List the projects something was learned in
    List,
    /// Print the key of the project of this folder
    Here,
    /// Make one project another by another name; `uptake undo` takes it back
    Merge {
        /// The one that is to be no more (its name or key)
        from: String,
        /// The one it becomes
        into: String,
    },
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    match &args.what {
        None | Some(What::List) => list(&mut ui, &world)?,
        Some(What::Here) => here(&mut ui, &world)?,
        Some(What::Merge { from, into }) => merge(&mut ui, &world, from, into)?,
    }
    Ok(ui.flush()?)
}

/// Sessions of each project.
fn sessions_by_project(world: &World) -> Result<BTreeMap<String, usize>> {
    let mut by = BTreeMap::new();
    if let Some(sessions) = Sessions::open_read_only(&world.data)? {
        for row in sessions.list(None)? {
            *by.entry(row.project).or_default() += 1;
        }
    }
    Ok(by)
}

fn list(ui: &mut Ui, world: &World) -> Result<()> {
    let sessions = sessions_by_project(world)?;
    let lessons = Lessons::open_read_only(&world.data)?;
    let rows = lessons.as_ref().map_or(Ok(Vec::new()), Lessons::projects)?;
    let aliases = lessons.as_ref().map_or(Ok(Default::default()), Lessons::aliases)?;
    let mut keys: Vec<&String> = rows.iter().map(|r| &r.key).chain(sessions.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let row = rows.iter().find(|r| r.key == *key).cloned().unwrap_or_default();
        let seen = sessions.get(key).copied().unwrap_or(0);
        let mut names: Vec<&String> = aliases.iter().filter(|(_, to)| *to == key).map(|(from, _)| from).collect();
        names.sort();
        if ui.json {
            ui.object(&serde_json::json!({
                "project": key, "sessions": seen, "lessons": row.lessons, "approved": row.approved, "also": names,
            }))?;
            continue;
        }
        let about = format!(
            "{}, {} ({} approved)",
            ui::count(seen as u64, "session"),
            ui::count(row.lessons as u64, "lesson"),
            row.approved
        );
        ui.line(format!("{}  {}", styled(BOLD, key), styled(DIM, &about)))?;
        names.iter().try_for_each(|name| ui.line(styled(DIM, &format!("  also {name}"))))?;
    }
    Ok(())
}

fn here(ui: &mut Ui, world: &World) -> Result<()> {
    let key = of_folder_quickly(&std::env::current_dir()?, &world.data).key;
    let lessons = Lessons::open_read_only(&world.data)?;
    let project = lessons.map_or_else(|| Ok(key.clone()), |l| l.project_of(&key))?;
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "project": project, "key": key }))?);
    }
    Ok(ui.line(project)?)
}

fn merge(ui: &mut Ui, world: &World, from: &str, into: &str) -> Result<()> {
    let mut lessons = Lessons::open(&world.data)?;
    let mut sessions = Sessions::open(&world.data)?;
    let mut keys: Vec<String> = lessons.projects()?.into_iter().map(|r| r.key).collect();
    keys.extend(sessions_by_project(world)?.into_keys());
    keys.sort();
    keys.dedup();
    let (from, to) = (named(&keys, from)?, named(&keys, into)?);
    ensure!(from != to, "`{from}` is that project already");
    let paths = sessions.paths_of(&from)?;
    let change = approve::merge(world, &mut lessons, &from, &to, paths.clone())?;
    sessions.move_paths(&paths, &to)?;
    let graves = Graves::of(&lessons, &world.data)?;
    ingest::add_up(&mut lessons, &graves, &world.settings()?.thresholds)?;
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "from": from, "into": to, "change": change }))?);
    }
    ui.line(format!("{} {from} is {to} from now on", styled(GREEN, "✓")))?;
    Ok(ui.line(format!("  Take it back with: uptake undo {change}"))?)
}

/// The project a person names: by its key, or by a name only one has.
pub(super) fn named(keys: &[String], given: &str) -> Result<String> {
    if keys.iter().any(|k| k == given) {
        return Ok(given.to_owned());
    }
    let found: Vec<&String> = keys.iter().filter(|k| Project::from_key(k).name == given).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => bail!("there is no project `{given}`; `uptake project list` lists them"),
        more => bail!(
            "{} projects are called `{given}`: {}; give the key",
            more.len(),
            more.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(", ")
        ),
    }
}
