//! `uptake config`: looks at and changes the settings.

use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};
use uptake_core::learn::evidence::BARS;

use super::Printed;
use crate::settings::{self, BAR_PARTS, Change, KEYS, READER_KEYS, RETENTION_KEYS, Settings};
use crate::ui::{BOLD, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Look at and change the settings
///
/// Without a subcommand they are gone through one by one where somebody can answer, and listed otherwise.
/// They are kept in $XDG_CONFIG_HOME/uptake/config.toml; comments in it stay.
#[derive(ClapArgs)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Subcommand)]
enum What {
    /// List all settings
    List,
    /// Print one setting
    Get {
        /// Its name, as `uptake config list` shows it
        key: String,
    },
    /// Change one setting
    Set {
        /// Its name
        key: String,
        /// Its value
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Put one setting back to the usual
    Unset {
        /// Its name
        key: String,
    },
    /// Print where the settings are
    Path,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    match &args.what {
        None if Ui::can_ask() && !args.printed.json => go_through(&mut ui, &world)?,
        None | Some(What::List) => list(&mut ui, &world.settings()?)?,
        Some(What::Get { key }) => {
            let value = world.settings()?.get(key)?;
            if args.printed.json {
                ui.object(&serde_json::json!({ "key": key, "value": value }))?;
            } else {
                ui.line(value)?;
            }
        }
        Some(What::Set { key, value }) => changed(&mut ui, &world, key, &Change::Set(value))?,
        Some(What::Unset { key }) => changed(&mut ui, &world, key, &Change::Unset)?,
        Some(What::Path) => ui.line(world.config.display().to_string())?,
    }
    Ok(ui.flush()?)
}

fn changed(ui: &mut Ui, world: &World, key: &str, change: &Change<'_>) -> Result<()> {
    let before = world.settings()?.get(key)?;
    let value = settings::change(&world.config, key, change)?.get(key)?;
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "key": key, "value": value, "before": before }))?);
    }
    let word = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
    ui.line(format!("{} {key} = {} (was {})", styled(GREEN, "✓"), word(&value), word(&before)))?;
    if key == "mode" && value == "auto" {
        ui.line(
            "  What you said in three sessions, and plain commands that worked in three, are used without asking.",
        )?;
        ui.line("  What came out of a tool, a file or the web still waits for you. What passed: uptake undo --list")?;
    }
    if key == "reader" && value != "off" {
        ui.line("  It may be sent digests of your sessions, without secrets. What it says waits for you. Try it: uptake reader test")?;
    }
    Ok(())
}

fn list(ui: &mut Ui, settings: &Settings) -> Result<()> {
    if ui.json {
        return Ok(ui.object(settings)?);
    }
    for key in KEYS.iter().chain(READER_KEYS).chain(RETENTION_KEYS) {
        ui.line(format!("{:12} {}", key.name, styled(BOLD, &settings.get(key.name)?)))?;
        ui.line(styled(DIM, &format!("             {}; {}", key.what, key.values)))?;
    }
    ui.line(styled(DIM, "sessions, days between first and last, and confidence a lesson needs:"))?;
    for (name, _) in BARS {
        let parts: Result<Vec<String>> = BAR_PARTS
            .iter()
            .map(|part| Ok(format!("{part} {}", settings.get(&format!("thresholds.{name}.{part}"))?)))
            .collect();
        ui.line(format!("thresholds.{name:12} {}", parts?.join(", ")))?;
    }
    Ok(())
}

/// Asks for each setting; an empty answer keeps it.
fn go_through(ui: &mut Ui, world: &World) -> Result<()> {
    ui.line(styled(DIM, "Enter keeps a setting; `uptake config list` also shows the thresholds."))?;
    for key in KEYS.iter().chain(READER_KEYS.first()) {
        let now = world.settings()?.get(key.name)?;
        ui.line(format!("{}: {}", styled(BOLD, key.name), key.what))?;
        loop {
            let Some(answer) = ui.answer(&format!("  {} [{now}]: ", key.values))? else { return Ok(()) };
            if answer.is_empty() || answer == now {
                break;
            }
            match changed(ui, world, key.name, &Change::Set(&answer)) {
                Ok(()) => break,
                Err(e) => ui.line(format!("  {e:#}"))?,
            }
        }
    }
    Ok(())
}
