//! `uptake add`: a lesson in your own words.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use uptake_core::learn::by_hand;
use uptake_core::redact::clean;
use uptake_store::Lessons;

use super::Printed;
use crate::approve::{self, Wish};
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
    /// Save it as a skill file: of the project if it wants files, else for all your projects
    #[arg(long)]
    skill: bool,
    #[command(flatten)]
    printed: Printed,
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
    let mut lessons = Lessons::open(&world.data)?;
    let project = match &args.project {
        Some(key) => key.clone(),
        None => project::here(&std::env::current_dir()?, &world.data, &lessons)?,
    };
    approve::finish_writing(&world, &mut lessons)?;
    let old = args.supersedes.as_deref().map(|id| approve::lesson_of(&lessons, id)).transpose()?;
    let wish = if args.skill { Wish::Skill } else { Wish::Usual };
    let done = approve::add(&world, &mut lessons, by_hand(&project, &text, world.now), old, wish)?;
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        let superseded: Vec<&str> = done.replaced.iter().map(|r| r.lesson.id.as_str()).collect();
        ui.object(&serde_json::json!({
            "id": done.lesson.id, "project": project, "sha256": done.lesson.sha256(), "skills": done.files,
            "superseded": superseded,
        }))?;
    } else {
        ui.line(format!("{} Added {} for {project}", styled(GREEN, "✓"), done.lesson.id))?;
        ui.line(format!("  {text}"))?;
        done.files.iter().try_for_each(|path| ui.line(format!("  Saved as {}", path.display())))?;
        super::review::tell_replaced(&mut ui, &done.replaced)?;
        ui.line("  Take changes back with: uptake undo --list, then uptake undo N")?;
    }
    Ok(ui.flush()?)
}
