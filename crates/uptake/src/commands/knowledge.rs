//! `uptake knowledge`: the index of a project's decisions and pitfalls.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use uptake_core::render::{Entry, EntryFile, index};
use uptake_store::{Artifact, Citation, Lessons};

use crate::project;
use crate::spots::Knowledge;
use crate::ui::{DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Show the index of this project's decisions and pitfalls, or one entry
#[derive(ClapArgs)]
pub struct Args {
    /// An entry, such as ADR-001 or PF-002, to be shown whole
    entry: Option<String>,
    /// How often each entry was named in sessions
    #[arg(long)]
    usage: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Active entries from which on a file is called long, and after which it should be shortened.
const LONG: usize = 50;
const TOO_LONG: usize = 100;

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    let here = std::env::current_dir()?;
    let Some(lessons) = Lessons::open_quickly(&world.data)? else {
        if !args.json {
            ui.line("(none)")?;
        }
        return Ok(ui.flush()?);
    };
    let project = project::here(&here, &world.data, &lessons)?;
    let knowledge = Knowledge::of(&world.data, &lessons, &project)?;
    if let Some(id) = &args.entry {
        return show(&mut ui, &knowledge, id);
    }
    let files = knowledge.files()?;
    let cited = lessons.citations()?;
    let times = |e: &Entry| cited.iter().find(|c| c.entry == Artifact::part(&project, &e.id));
    if args.json || args.usage {
        for (file, place, entries) in &files {
            entries.iter().try_for_each(|e| row(&mut ui, *file, place, e, times(e)))?;
        }
        return Ok(ui.flush()?);
    }
    ui.part(&index(&files))?;
    for (file, _, entries) in &files {
        let active = entries.iter().filter(|e| e.is_active()).count();
        if active >= LONG {
            let least = entries.iter().filter(|e| e.is_active()).min_by_key(|e| times(e).map_or(0, |c| c.sessions));
            let least = least.map_or("", |e| e.id.as_str());
            let line = format!("{} has {active} of {TOO_LONG} entries. The one named least is {least}.", file.name());
            ui.line(styled(YELLOW, &line))?;
        }
    }
    Ok(ui.flush()?)
}

fn row(ui: &mut Ui, file: EntryFile, place: &str, entry: &Entry, cited: Option<&Citation>) -> Result<()> {
    let (times, last) = cited.map_or((0, None), |c| (c.sessions, c.last));
    if ui.json {
        return Ok(ui.object(&serde_json::json!({
            "id": entry.id, "title": entry.title, "status": entry.status, "area": entry.area, "lesson": entry.lesson,
            "file": place, "kind": file.name(), "sessions": times, "last": last,
        }))?);
    }
    Ok(ui.line(format!("{:4}  {}  {}", times, entry.id, styled(DIM, &entry.title)))?)
}

fn show(ui: &mut Ui, knowledge: &Knowledge, id: &str) -> Result<()> {
    let id = id.to_uppercase();
    let Some(file) = EntryFile::of_id(&id) else { bail!("`{id}` is no entry; they are called ADR-001 or PF-001") };
    let text = knowledge.text(file)?.unwrap_or_default();
    let Some(entry) = file.entries(&text).into_iter().find(|e| e.id == id) else {
        bail!("there is no `{id}` in `{}`; `uptake knowledge` lists them", knowledge.path(file).display())
    };
    if ui.json {
        ui.object(&serde_json::json!({ "id": entry.id, "text": entry.text(&text) }))?;
    } else {
        ui.part(entry.text(&text))?;
    }
    Ok(ui.flush()?)
}
