//! `uptake add`: a lesson in your own words.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use uptake_core::learn::by_hand;
use uptake_core::redact::clean;
use uptake_store::Lessons;

use crate::accept;
use crate::project;
use crate::ui::{GREEN, Ui, styled};
use crate::world::World;

/// Add a lesson in your own words; it is approved at once
#[derive(ClapArgs)]
pub struct Args {
    /// What agents should know, in a sentence
    text: String,
    /// The project it holds for, by its key; without it the project of this folder
    #[arg(long, value_name = "KEY")]
    project: Option<String>,
    /// Retire the lesson with this id: the new one takes its place
    #[arg(long, value_name = "ID")]
    supersedes: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let text = clean(&args.text).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        bail!(
            "nothing to add: say what agents should know, for example: uptake add \"run make deps before make test\""
        );
    }
    let world = World::from_env()?;
    let project = match &args.project {
        Some(key) => key.clone(),
        None => {
            let here = std::env::current_dir()?;
            project::of_folder_quickly(&here, &world.data).key
        }
    };
    let mut lessons = Lessons::open(&world.data)?;
    let old = args.supersedes.as_deref().map(|id| super::review::one(&lessons, id)).transpose()?;
    let lesson = by_hand(&project, &text, world.now);
    lessons.add(&lesson, old.as_slice(), world.now)?;
    let replaced = accept::retire_older(&world, &mut lessons, &lesson)?;
    let mut ui = Ui::stdout(args.json);
    if args.json {
        ui.object(&serde_json::json!({
            "id": lesson.id, "project": project, "sha256": lesson.sha256(), "superseded": old.iter().map(|o| &o.id).chain(replaced.iter().map(|r| &r.lesson.id)).collect::<Vec<_>>(),
        }))?;
    } else {
        ui.line(format!("{} Added {} for {project}", styled(GREEN, "✓"), lesson.id))?;
        ui.line(format!("  {text}"))?;
        if let Some(old) = old {
            ui.line(format!("  It takes the place of {}: {}", old.id, old.statement))?;
        }
        super::review::tell_replaced(&mut ui, &replaced)?;
        ui.line("  Take changes back with: uptake undo --list, then uptake undo N")?;
    }
    Ok(ui.flush()?)
}
