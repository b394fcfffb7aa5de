//! `uptake reconcile`: what became of the files made of lessons.

use std::time::Duration;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_core::normal::notes::paths_in;
use uptake_store::Lessons;
use uptake_store::late::Late;

use super::Printed;
use crate::approve::{self, Reconciled};
use crate::background;
use crate::project;
use crate::ui::{self, Ui};
use crate::world::World;

/// Look at the files made of lessons: what you deleted retires, what you changed is yours
#[derive(ClapArgs)]
pub struct Args {
    /// Stop after so many milliseconds; the next run goes on
    #[arg(long, value_name = "MS")]
    within: Option<u64>,
    /// Started by a hook: nobody waits, and nothing is printed
    #[arg(long, hide = true)]
    background: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    // Looking must not make anything.
    if Lessons::open_read_only(&world.data)?.is_none() {
        return tell(&mut ui, &Reconciled::default(), &[]);
    }
    if args.background {
        background::detach(&world.data)?;
    }
    let mut lessons = Lessons::open(&world.data)?;
    let time = args.within.map_or(Duration::MAX, Duration::from_millis);
    let done = approve::reconcile_within(&world, &mut lessons, world.settings()?.mode, time)?;
    if args.background {
        return Ok(());
    }
    let stale = stale(&world, &lessons)?;
    tell(&mut ui, &done, &stale)
}

/// Lessons of this project in use that name a file which is not there.
fn stale(world: &World, lessons: &Lessons) -> Result<Vec<(String, String)>> {
    let here = std::env::current_dir()?;
    let Some(top) = project::top(&here) else { return Ok(Vec::new()) };
    let project = project::here(&here, &world.data, lessons)?;
    let gone = |statement: &str| paths_in(statement).into_iter().find(|p| !top.join(p).exists()).map(str::to_owned);
    let all = lessons.approved_in(&project, world.settings()?.mode)?;
    Ok(all.into_iter().filter_map(|l| Some((gone(&l.payload.statement)?, l.id))).map(|(path, id)| (id, path)).collect())
}

fn late_row(late: &Late) -> serde_json::Value {
    match late {
        Late::Added(path) => serde_json::json!({ "path": path }),
        Late::Kept { path, copy } => serde_json::json!({ "path": path, "copy": copy }),
    }
}

fn tell(ui: &mut Ui, done: &Reconciled, stale: &[(String, String)]) -> Result<()> {
    if ui.json {
        let stale: Vec<_> = stale.iter().map(|(id, path)| serde_json::json!({ "id": id, "missing": path })).collect();
        ui.object(&serde_json::json!({
            "deletions": done.deleted.len(), "edits": done.edited.len(), "unchanged": done.unchanged,
            "healed": done.healed.len(), "deleted": done.deleted, "edited": done.edited, "written": done.files.written,
            "removed": done.files.removed, "left": done.files.left, "not_looked_at": done.left, "stale": stale,
            "late": done.late.iter().map(late_row).collect::<Vec<_>>(),
        }))?;
        return Ok(ui.flush()?);
    }
    let count = |n: usize, one: &str| ui::count(n as u64, one);
    ui.line(format!(
        "{}, {}, {} unchanged, {} healed",
        count(done.deleted.len(), "deletion"),
        count(done.edited.len(), "edit"),
        done.unchanged,
        done.healed.len()
    ))?;
    for id in &done.deleted {
        ui.line(format!("  You deleted what was made of lesson {id}: it is retired until you approve it anew."))?;
    }
    for path in &done.edited {
        ui.line(format!("  {} is yours now: uptake will not change it.", path.display()))?;
    }
    for late in &done.late {
        ui.line(match late {
            Late::Added(path) => {
                format!("  What was typed into {} while it was replaced stands at its end.", path.display())
            }
            Late::Kept { path, copy } => {
                format!(
                    "  {} was written anew while it was replaced; that text is in {}",
                    path.display(),
                    copy.display()
                )
            }
        })?;
    }
    for path in &done.files.removed {
        ui.line(format!("  Removed {}: its lesson is not approved in these words.", path.display()))?;
    }
    for (id, path) in stale {
        ui.line(format!("  Lesson {id} names {path}, which is not there: uptake show {id}"))?;
    }
    if done.left > 0 {
        ui.line(format!("  {} not looked at: the time was over.", count(done.left, "file")))?;
    }
    Ok(ui.flush()?)
}
