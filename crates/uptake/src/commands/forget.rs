//! `uptake forget`: removes a lesson and all that only it supported, without a trace.

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::{Lessons, Sessions, TombstoneKey, copies};

use super::{Confirmed, Question};
use crate::approve;
use crate::ui::{self, Ui};
use crate::world::World;

/// Remove a lesson and all that only it supported; this cannot be undone
#[derive(ClapArgs)]
pub struct Args {
    /// The lesson's id, or the start of it
    id: String,
    #[command(flatten)]
    confirmed: Confirmed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.confirmed.printed.json);
    let mut lessons = Lessons::open(&world.data)?;
    let lesson = approve::lesson_of(&lessons, &args.id)?;
    let question = Question {
        warning: "forgetting cannot be undone".to_owned(),
        about: std::slice::from_ref(&lesson.payload.statement),
        words: "Forget this for ever, with the events it came from?".to_owned(),
    };
    if !args.confirmed.agrees(&mut ui, &question)? {
        return Ok(());
    }
    // The lesson goes last: should this be cut short, it is still there to forget.
    let texts: Vec<String> = std::iter::once(lesson.payload.statement.clone())
        .chain(lesson.payload.commands.iter().cloned())
        .chain(lesson.evidence.error.clone())
        .chain(lesson.evidence.sightings.iter().map(|e| e.quote.clone()))
        .collect();
    let mut sessions = Sessions::open(&world.data)?;
    let mut blanked = sessions.blank(&texts)?;
    if lesson.is_note() {
        let events = lesson.evidence.sightings.iter().flat_map(|s| &s.events).map(String::as_str);
        blanked += sessions.blank_calls(&events.collect::<Vec<_>>())?;
    }
    let copies = copies::forget(&world.data, &lesson, &texts)?;
    let (files, kept) = approve::forget_files(&world, &mut lessons, &lesson)?;
    let key = TombstoneKey::of(&world.data)?;
    let forgotten = lessons.forget(&lesson, &key, world.now)?;
    if ui.json {
        ui.object(&serde_json::json!({
            "id": lesson.id, "observations": forgotten.observations, "events": blanked, "files": files, "copies": copies, "kept": kept,
        }))?;
    } else {
        ui.line(format!(
            "Forgotten, with {}, the texts of {} and {}. It will not come back.",
            ui::count(forgotten.observations as u64, "observation"),
            ui::count(blanked as u64, "event"),
            ui::count(files.len() as u64, "file")
        ))?;
        for copy in &copies {
            ui.line(format!("  Removed a copy of a database that held it: {}", copy.display()))?;
        }
        for copy in &kept {
            ui.line(format!("  Somebody typed this, and it may hold it; it is yours to remove: {}", copy.display()))?;
        }
    }
    Ok(ui.flush()?)
}
