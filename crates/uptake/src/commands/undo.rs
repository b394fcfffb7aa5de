//! `uptake undo`: takes back a change a person made.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use jiff::Timestamp;
use uptake_core::redact::spelled_out;
use uptake_store::{About, Change, Lessons};

use super::Listed;
use crate::approve;
use crate::project::Names;
use crate::ui::{self, Ui};
use crate::world::World;

/// Take back a change: the last one, or the one with this number
#[derive(ClapArgs)]
pub struct Args {
    /// The change's number, as `uptake undo --list` and `uptake show` tell it
    change: Option<i64>,
    /// List the changes that can be taken back
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    printed: Listed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    if args.list {
        return list(Lessons::open_read_only(&world.data)?.as_ref(), args.printed.ui());
    }
    let mut lessons = Lessons::open(&world.data)?;
    let mut ui = Ui::stdout(args.printed.json);
    let Some((change, files)) = approve::undo(&world, &mut lessons, args.change)? else {
        match args.change {
            Some(id) => bail!("there is no change {id} to take back; `uptake undo --list` lists them"),
            None => bail!("nothing to take back"),
        }
    };
    if args.printed.json {
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

/// The changes that can be taken back: number, time, what was done, to which lesson, and what that says.
fn list(lessons: Option<&Lessons>, mut ui: Ui) -> Result<()> {
    let columns = Ui::columns().unwrap_or(usize::MAX);
    let names = Names::of(lessons, None)?;
    let changes = lessons.map_or_else(|| Ok(Vec::new()), Lessons::standing_changes)?;
    if changes.is_empty() && !ui.json {
        ui.line("There is nothing to take back.")?;
    }
    for (change, about) in changes {
        let words = words(&change, &about, &names);
        if ui.json {
            ui.object(&serde_json::json!({
                "change": change.id, "action": change.action.as_str(), "lesson": change.lesson, "at": change.at, "text": words,
            }))?;
            continue;
        }
        let when = Timestamp::from_millisecond(change.at).map(|t| t.strftime("%Y-%m-%d %H:%M").to_string());
        let head = format!(
            "{:6}  {}  {:13}  ",
            change.id,
            when.unwrap_or_else(|_| format!("{:16}", "no date")),
            change.action.as_str()
        );
        let id = if matches!(about, About::Lesson(_)) { format!("{}  ", change.lesson) } else { String::new() };
        ui.line(ui::cut(&format!("{head}{id}{}", spelled_out(&words)), columns))?;
    }
    Ok(ui.end()?)
}

fn words(change: &Change, about: &About, names: &Names) -> String {
    let name = |project: &str| names.get(project);
    match about {
        About::Lesson(Some(statement)) => statement.split_whitespace().collect::<Vec<_>>().join(" "),
        About::Lesson(None) => "nothing is left of it".to_owned(),
        About::Cleared(lessons) => {
            let of = if change.lesson == "everything" { "all projects".to_owned() } else { name(&change.lesson) };
            format!("{} of {of}", ui::count(*lessons as u64, "lesson"))
        }
        About::Split(split) => format!("{} was split off {}", name(&split.to), name(&split.from)),
        About::Merged(merge) => format!("{} became part of {}", name(&merge.from), name(&merge.to)),
    }
}
