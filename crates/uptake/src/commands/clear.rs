//! `uptake clear`: clears away what was learned, with a way back.

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::{Lessons, Wanted};

use super::{Confirmed, Question};
use crate::approve::{self, FileChanges};
use crate::project::Names;
use crate::ui::{self, GREEN, Ui, styled};
use crate::world::World;

/// Clear away all lessons and what they were seen in; `uptake undo` brings them back
///
/// What you rejected stays rejected. Sessions that were read are not read again.
#[derive(ClapArgs)]
pub struct Args {
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    #[command(flatten)]
    confirmed: Confirmed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut lessons = Lessons::open(&world.data)?;
    let names = Names::of(Some(&lessons), None)?;
    let project = args.project.as_ref().map(|name| super::project::named(&names, name)).transpose()?;
    let project = project.as_deref();
    let mut ui = Ui::stdout(args.confirmed.printed.json);
    let places = lessons.order(&Wanted { project, now: world.now, ..Wanted::default() })?;
    let what = ui::count(places.len() as u64, "lesson");
    let question = Question {
        warning: format!("this clears away {what}"),
        about: &[],
        words: format!("Clear away {what} of {}?", project.unwrap_or("all projects")),
    };
    if !args.confirmed.agrees(&mut ui, &question)? {
        return Ok(());
    }
    // The store first: files without a lesson are removed by the next `learn`.
    let mut files = FileChanges::default();
    let ids: std::collections::HashSet<&str> = places.iter().map(|p| p.id.as_str()).collect();
    let made = lessons.artifacts(None)?;
    let (change, count) = lessons.clear(project, world.now)?;
    for artifact in made.iter().filter(|a| ids.contains(a.lesson.as_str())) {
        approve::remove_file(&world, artifact, &mut files);
    }
    if ui.json {
        ui.object(
            &serde_json::json!({ "cleared": count, "change": change, "removed": files.removed, "left": files.left }),
        )?;
        return Ok(ui.flush()?);
    }
    ui.line(format!("{} Cleared away {}", styled(GREEN, "✓"), ui::count(count as u64, "lesson")))?;
    files.removed.iter().try_for_each(|path| ui.line(format!("  Removed {}", path.display())))?;
    files.left.iter().try_for_each(|path| ui.line(format!("  Changed since, and left: {}", path.display())))?;
    ui.line(format!("  Bring them back with: uptake undo {change}"))?;
    Ok(ui.flush()?)
}
