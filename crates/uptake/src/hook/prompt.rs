//! A prompt: what was said before on what is asked, else silence.
//!
//! Comes in: what a person typed. Goes out: at most two approved lessons that share enough words with it and were not told
//! in this session yet.

use std::path::Path;

use anyhow::{Result, bail};
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked};
use uptake_core::recall::prompt::{self, shared, words_in};
use uptake_core::recall::{self, Because};
use uptake_core::sources::Source;
use uptake_store::spool::Turn;

use super::hints::{self, Hint};
use super::holdout;
use super::place::Place;

/// Most lessons that are told.
pub(super) const HINTS: usize = 2;
/// Most lessons that are looked at.
const LOOKED_AT: usize = 24;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, text: &str) -> Result<Answer> {
    let words = words_in(text);
    if words.is_empty() {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    let known = known_about(&place, &words)?;
    if known.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    let Some(turn) = Turn::take(data, source.name, &asked.session) else {
        bail!("other hooks of the session are at it")
    };
    let hint = |lesson: &Lesson| Hint::of(lesson, &recall::hint(lesson), String::new());
    let mut hints: Vec<Hint> = known.iter().map(|(lesson, _)| hint(lesson)).collect();
    hints.retain(|hint| !turn.was_heard(&hint.lesson, &hint.about));
    hints.truncate(HINTS);
    let (hints, withheld) = holdout::drawn(&place, &asked.session, hints);
    let new: Vec<&Hint> = holdout::new(&turn, &withheld).collect();
    let told = recall::envelope(Because::Asked, &hints.iter().map(|h| h.text.as_str()).collect::<Vec<_>>());
    let inside = told.iter().flat_map(|t| &t.hints).map(|n| &hints[*n]);
    hints::note_told(source, data, asked, turn, "prompt", inside.chain(new));
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// The lessons that have to do with a prompt, and the words by which.
pub(super) fn known_about(place: &Place, words: &prompt::Words) -> Result<Vec<(Lesson, Vec<String>)>> {
    let list: Vec<&str> = words.keys().map(String::as_str).collect();
    let mut known = Vec::new();
    for scope in place.scopes() {
        for lesson in place.lessons.approved_at_prompt(&list, scope, place.settings.mode, LOOKED_AT)? {
            let own = prompt::words_of(&lesson);
            let by = shared(words, &own).map(|by| by.into_iter().map(str::to_owned).collect());
            known.extend(by.map(|by| (lesson, by)));
        }
    }
    Ok(known)
}
