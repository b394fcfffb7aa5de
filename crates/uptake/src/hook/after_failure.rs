//! After a failure: the known fix for an error that was met before.
//!
//! Comes in: a failed shell call. Goes out: at most two approved lessons that were not shown in this session yet, also if
//! many hooks of it run at once. Writes one record per lesson, before it is shown. Other tools than shells are left alone.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked, ToolUse};
use uptake_core::recall;
use uptake_core::sources::Source;
use uptake_store::Lessons;
use uptake_store::spool::{self, Turn};

use super::log;
use crate::settings::{self, Settings};
use crate::{project, repo_settings, world};

/// More would be read by nobody.
const HINTS: usize = 2;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, call: &ToolUse, output: &str) -> Result<Answer> {
    let Some(command) = call.command() else { return Ok(Answer::Silence) };
    let settings = settings::path().map_or_else(|| Ok(Settings::default()), |path| Settings::read(&path))?;
    if !settings.enabled {
        return Ok(Answer::Silence);
    }
    let mut known = known_fixes(data, asked, &settings, command, output)?;
    if known.is_empty() {
        return Ok(Answer::Silence);
    }
    let Some(turn) = Turn::take(data, source.name, &asked.session) else {
        bail!("other hooks of the session are at it")
    };
    known.retain(|l| !turn.was_heard(&l.id));
    let hints: Vec<String> = known.iter().take(HINTS).map(recall::hint).collect();
    let Some(told) = recall::envelope(&hints.iter().map(String::as_str).collect::<Vec<_>>()) else {
        return Ok(Answer::Silence);
    };
    note_shown(source, data, asked, turn, told.hints.iter().map(|n| &known[*n]));
    Ok(Answer::Context(told.text))
}

fn known_fixes(data: &Path, asked: &Asked, settings: &Settings, command: &str, output: &str) -> Result<Vec<Lesson>> {
    let Some(trigger) = recall::trigger(command, output) else { return Ok(Vec::new()) };
    let Some(lessons) = Lessons::open_for_hook(data)? else { return Ok(Vec::new()) };
    let folder = Path::new(&asked.folder);
    let project = project::here(folder, data, &lessons)?;
    let found = lessons.approved_for(&trigger, &project, settings.mode)?;
    // Asked last: most failures are new, and then there is nothing to withhold.
    let withheld = !found.is_empty() && leaves_alone(settings, &project, folder, &lessons)?;
    Ok(if withheld { Vec::new() } else { found })
}

fn leaves_alone(settings: &Settings, project: &str, folder: &Path, lessons: &Lessons) -> Result<bool> {
    // Without it `~/private` could be anywhere, and an agent there must hear nothing.
    let home = etcetera::home_dir().context("cannot find your home folder; set HOME")?;
    Ok(settings.excludes(project, folder.to_str(), &home) || repo_settings::leaves_alone(folder, lessons))
}

/// A full or read-only disk must not withhold the fix for as long as it is so; at worst it is told twice.
fn note_shown<'l>(source: &Source, data: &Path, asked: &Asked, turn: Turn, shown: impl Iterator<Item = &'l Lesson>) {
    let now = world::now();
    let records: Vec<spool::Shown> = shown.map(|lesson| record(source, &asked.session, &lesson.id, now)).collect();
    if let Err(e) = turn.end(&records) {
        log::note(data, &e.to_string());
    }
}

fn record(source: &Source, session: &str, lesson: &str, at: i64) -> spool::Shown {
    let id = blake3::hash(format!("{}\0{session}\0{lesson}\0{at}", source.name).as_bytes());
    spool::Shown {
        id: id.to_hex()[..20].to_owned(),
        lesson: lesson.to_owned(),
        source: source.name.to_owned(),
        session: session.to_owned(),
        moment: "failure".to_owned(),
        at,
    }
}
