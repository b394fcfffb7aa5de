//! `uptake undo`: takes back a change a person made.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use uptake_store::Lessons;

use crate::approve;
use crate::ui::Ui;
use crate::world::World;

/// Take back a change: the last one, or the one with this number
#[derive(ClapArgs)]
pub struct Args {
    /// The change's number, as `uptake undo --list` and `uptake show` tell it
    change: Option<i64>,
    /// List the changes that can be taken back
    #[arg(long)]
    list: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut lessons = Lessons::open(&world.data)?;
    let mut ui = Ui::stdout(args.json);
    if args.list {
        for change in lessons.changes(None)?.iter().filter(|c| c.undone.is_none()) {
            if args.json {
                ui.object(&serde_json::json!({
                    "change": change.id, "action": change.action.as_str(), "lesson": change.lesson, "at": change.at,
                }))?;
            } else {
                ui.line(format!("{:6}  {:9} {}", change.id, change.action.as_str(), change.lesson))?;
            }
        }
        return Ok(ui.flush()?);
    }
    let Some((change, files)) = approve::undo(&world, &mut lessons, args.change)? else {
        match args.change {
            Some(id) => bail!("there is no change {id} to take back; `uptake undo --list` lists them"),
            None => bail!("nothing to take back"),
        }
    };
    if args.json {
        ui.object(&serde_json::json!({
            "undone": change.id, "action": change.action.as_str(), "lesson": change.lesson, "change": change.undone,
            "removed": files.removed, "written": files.written, "left": files.left,
        }))?;
    } else {
        let redo = change.undone.map(|n| format!("; again with: uptake undo {n}")).unwrap_or_default();
        ui.line(format!(
            "Took back change {}: {} is no longer {}{redo}",
            change.id,
            change.lesson,
            change.action.as_str()
        ))?;
        for (word, paths) in
            [("Removed", &files.removed), ("Wrote", &files.written), ("Changed since, and left as it is:", &files.left)]
        {
            paths.iter().try_for_each(|path| ui.line(format!("  {word} {}", path.display())))?;
        }
    }
    Ok(ui.flush()?)
}
