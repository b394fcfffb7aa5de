//! `uptake purge`: throws out what nobody can read any more, and copies of older formats.

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::{Lessons, copies};

use super::Printed;
use crate::folding::{Tombstones, fold_changed};
use crate::ui::{self, GREEN, Ui, styled};
use crate::world::World;

/// Throw out entries that cannot be read any more, and copies made before updates
///
/// Without --yes they are only listed. What can be made again from what was seen, is.
#[derive(ClapArgs)]
pub struct Args {
    /// Throw them out
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let mut lessons = Lessons::open(&world.data)?;
    let flawed = lessons.flawed()?;
    let copies = copies::all_in(&world.data)?;
    if args.yes {
        copies::remove_all(&copies)?;
    }
    if args.yes && flawed.count() > 0 {
        lessons.purge(&flawed)?;
        let tombstones = Tombstones::of(&lessons, &world.data)?;
        fold_changed(&mut lessons, &tombstones, &world, &world.settings()?)?;
    }
    if args.printed.json {
        ui.object(&serde_json::json!({
            "lessons": flawed.lessons, "observations": flawed.observations, "orphans": flawed.orphans, "copies": copies,
            "purged": args.yes,
        }))?;
        return Ok(ui.flush()?);
    }
    let all = (flawed.count() + copies.len()) as u64;
    if all == 0 {
        ui.line("Everything can be read; there is nothing to throw out.")?;
        return Ok(ui.flush()?);
    }
    flawed.lessons.iter().try_for_each(|id| ui.line(format!("lesson {id} cannot be read")))?;
    flawed.observations.iter().try_for_each(|id| ui.line(format!("observation {id} cannot be read")))?;
    if flawed.orphans > 0 {
        ui.line(format!("{} to lessons that are not there", ui::count(flawed.orphans as u64, "pointer")))?;
    }
    copies.iter().try_for_each(|copy| ui.line(format!("copy made before an update: {}", copy.display())))?;
    ui.line(match args.yes {
        true => format!(
            "{} Threw out {}",
            styled(GREEN, "✓"),
            if all == 1 { "1 entry".into() } else { format!("{all} entries") }
        ),
        false => "Throw them out with: uptake purge --yes".to_owned(),
    })?;
    Ok(ui.flush()?)
}
