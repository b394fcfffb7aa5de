//! `uptake enable` and `uptake disable`: switches uptake on and off, everywhere or for one project.

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::Lessons;

use super::Printed;
use crate::project;
use crate::settings::{self, Change};
use crate::ui::{GREEN, Ui, styled};
use crate::world::World;

/// What is switched.
#[derive(ClapArgs)]
pub struct Args {
    /// Only the project of this folder
    #[arg(long)]
    here: bool,
    /// Only this project or folder: a name, a key, a /path
    #[arg(long, value_name = "NAME", conflicts_with = "here")]
    project: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Sessions are read, agents hear lessons.
    On,
    /// Neither.
    Off,
}

/// The project of the current folder.
fn here(world: &World) -> Result<String> {
    let folder = std::env::current_dir()?;
    match Lessons::open_read_only(&world.data)? {
        Some(lessons) => project::here(&folder, &world.data, &lessons),
        None => Ok(project::of_folder_quickly(&folder, &world.data).key),
    }
}

/// Runs the command.
pub fn run(args: &Args, switch: Switch) -> Result<()> {
    let world = World::from_env()?;
    let what = match (&args.project, args.here) {
        (Some(name), _) => Some(name.clone()),
        (None, true) => Some(here(&world)?),
        (None, false) => None,
    };
    match (&what, switch) {
        (None, Switch::On) => settings::change(&world.config, "enabled", &Change::Unset)?,
        (None, Switch::Off) => settings::change(&world.config, "enabled", &Change::Set("false"))?,
        (Some(name), Switch::On) => settings::change(&world.config, "exclude", &Change::Remove(name))?,
        (Some(name), Switch::Off) => settings::change(&world.config, "exclude", &Change::Add(name))?,
    };
    let mut ui = Ui::stdout(args.printed.json);
    let on = switch == Switch::On;
    if args.printed.json {
        ui.object(&serde_json::json!({ "enabled": on, "project": what }))?;
        return Ok(ui.flush()?);
    }
    let place = what.unwrap_or_else(|| "everywhere".to_owned());
    ui.line(match on {
        true => format!("{} Switched on: {place}", styled(GREEN, "✓")),
        false => {
            format!("{} Switched off: {place}. Agents hear nothing, and new sessions are not read.", styled(GREEN, "✓"))
        }
    })?;
    Ok(ui.flush()?)
}
