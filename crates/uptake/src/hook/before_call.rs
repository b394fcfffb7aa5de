//! Before a call: a command that always failed here is stopped, once; and what holds for a file or a program is told.
//!
//! Comes in: a call that is about to be made. Goes out: a refusal with what worked, at most two approved lessons, or silence. Both only
//! where the user wants it. What is told here the model hears after the call: only a refusal changes it.

use std::path::Path;

use anyhow::{Result, bail};
use uptake_core::moment::{Answer, Asked, ToolUse};
use uptake_core::recall::before_call::{marks_in, refusal};
use uptake_core::sources::Source;
use uptake_store::spool::Turn;

use super::hints::{self, Hint};
use super::log;
use super::place::Place;
use crate::settings::Settings;

/// Most lessons that are looked at.
const LOOKED_AT: usize = 12;
/// What the hint of a refusal is about: the same call is never stopped twice.
const STOPPED: &str = "stopped";

/// What is said before a call. `hears`: a text reaches the model; otherwise it is told afterwards.
pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, call: &ToolUse, hears: bool) -> Result<Answer> {
    // Most users want neither, and a client may ask before every call.
    let settings = Settings::of_user()?;
    if !settings.asks_before_calls() {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::with(settings, data, asked)? else { return Ok(Answer::Silence) };
    if place.settings.guard
        && let Some(reason) = stopped(source, data, asked, call, &place)?
    {
        return Ok(Answer::Deny(reason));
    }
    match place.settings.before_calls && hears {
        true => told(source, data, asked, call, &place),
        false => Ok(Answer::Silence),
    }
}

/// The same lessons right after a call, for a client whose model hears nothing before it.
pub(super) fn afterwards(source: &Source, data: &Path, asked: &Asked, call: &ToolUse) -> Result<Answer> {
    let settings = Settings::of_user()?;
    if !settings.before_calls {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::with(settings, data, asked)? else { return Ok(Answer::Silence) };
    told(source, data, asked, call, &place)
}

/// Why a call is stopped, if it is.
fn stopped(source: &Source, data: &Path, asked: &Asked, call: &ToolUse, place: &Place) -> Result<Option<String>> {
    let Some(command) = call.command() else { return Ok(None) };
    let Some(lesson) = place.lessons.guard_of(command.trim(), &place.project, place.settings.mode)? else {
        return Ok(None);
    };
    let Some(reason) = refusal(&lesson).filter(|_| !asked.session.is_empty()) else { return Ok(None) };
    if place.is_left_alone()? {
        return Ok(None);
    }
    let Some(turn) = Turn::take(data, source.name, &asked.session) else {
        bail!("other hooks of the session are at it")
    };
    if turn.was_heard(&lesson.id, STOPPED) {
        return Ok(None);
    }
    let hint = Hint::of(&lesson, &reason, STOPPED.to_owned());
    // Where it cannot be written down it would be stopped for ever.
    if let Err(e) = turn.end(&hints::records(source, asked, "guard", std::iter::once(&hint))) {
        log::note(data, &e.to_string());
        return Ok(None);
    }
    Ok(Some(reason))
}

fn told(source: &Source, data: &Path, asked: &Asked, call: &ToolUse, place: &Place) -> Result<Answer> {
    let marks = marks_in(call, &place.root);
    let mut hints: Vec<Hint> = Vec::new();
    for scope in place.scopes() {
        let found = place.lessons.approved_before_call(&marks, scope, place.settings.mode, LOOKED_AT)?;
        hints.extend(found.iter().map(Hint::plain));
    }
    if hints.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    hints::tell(source, data, asked, place, hints, "before-call")
}
