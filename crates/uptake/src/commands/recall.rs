//! `uptake recall`: what an agent would be told here, and why.

use anyhow::{Context as _, Result, ensure};
use clap::Args as ClapArgs;
use serde_json::json;
use uptake_core::redact::spelled_out;

use super::Printed;
use crate::hook::preview::{Question, Told, preview};
use crate::ui::{DIM, Ui, styled};
use crate::world::World;

/// Say what an agent would be told here, and why, or why not
///
/// For a prompt: uptake recall "install the packages". For a failure: uptake recall --command "npm ci" --error "npm: not
/// found". For the start of a session: uptake recall --start. Nothing is recorded.
#[derive(ClapArgs)]
pub struct Args {
    /// What somebody types to an agent
    prompt: Option<String>,
    /// A command that fails
    #[arg(long, requires = "error", conflicts_with = "prompt")]
    command: Option<String>,
    /// What it prints
    #[arg(long, requires = "command")]
    error: Option<String>,
    /// The start of a session
    #[arg(long, conflicts_with_all = ["prompt", "command"])]
    start: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let folder = std::env::current_dir().context("cannot find out which folder this is")?;
    let question = match (&args.prompt, &args.command, &args.error) {
        (Some(prompt), ..) => Question::Prompt(prompt),
        (_, Some(command), Some(output)) => Question::Failure { command, output },
        _ => {
            ensure!(args.start, "nothing to recall for; give a prompt, --command with --error, or --start");
            Question::Start
        }
    };
    let (told, against) = preview(&world.data, &folder.to_string_lossy(), &question)?;
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        let row = |t: &Told| json!({ "id": t.lesson, "text": t.text, "why": t.why });
        let told: Vec<serde_json::Value> = told.iter().map(row).collect();
        ui.object(&json!({ "told": told, "against": against }))?;
        return Ok(ui.flush()?);
    }
    for hint in &told {
        ui.line(spelled_out(&hint.text))?;
        ui.line(format!("  {}", styled(DIM, &format!("because {}", spelled_out(&hint.why)))))?;
    }
    for why in &against {
        let nothing = if told.is_empty() { "Nothing is told" } else { "But nothing would be told" };
        ui.line(format!("{nothing}: {}.", spelled_out(why)))?;
    }
    Ok(ui.flush()?)
}
