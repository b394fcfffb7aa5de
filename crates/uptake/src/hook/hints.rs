//! Hints as they are told, and the record of each.

use std::path::Path;

use anyhow::{Result, bail};
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked};
use uptake_core::recall::{self, Because};
use uptake_core::session::Origin;
use uptake_core::sources::Source;
use uptake_store::spool::{self, Turn};

use super::holdout;
use super::log;
use super::place::Place;
use crate::world;

/// Most lessons that are told at a time, but for the start of a session.
pub(super) const AT_ONCE: usize = 2;

/// Something to be told.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// The lesson it is from.
    pub lesson: String,
    /// What it is about, where a lesson speaks of many things.
    pub about: String,
    /// The words, with the short id.
    pub text: String,
    /// Whether the user said so: then it is never withheld.
    pub own_words: bool,
    /// The chance of being withheld, in thousandths; 0 as long as nothing was drawn.
    pub chance: u16,
    /// Whether it is withheld.
    pub withheld: bool,
}

impl Hint {
    /// A lesson in its own words.
    pub(super) fn plain(lesson: &Lesson) -> Self {
        Self::of(lesson, &recall::hint(lesson), String::new())
    }

    pub(super) fn of(lesson: &Lesson, text: &str, about: String) -> Self {
        let own_words = lesson.origin.trust == Origin::User;
        let text = recall::with_id(text, &lesson.id);
        Self { lesson: lesson.id.clone(), about, text, own_words, chance: 0, withheld: false }
    }
}

/// Tells the first hints that the session did not hear yet.
pub(super) fn tell(
    source: &Source,
    data: &Path,
    asked: &Asked,
    place: &Place,
    mut hints: Vec<Hint>,
    moment: &str,
) -> Result<Answer> {
    let Some(turn) = Turn::take(data, source.name, &asked.session) else {
        bail!("other hooks of the session are at it")
    };
    hints.retain(|hint| !turn.was_heard(&hint.lesson, &hint.about));
    hints.truncate(AT_ONCE);
    let (hints, withheld) = holdout::drawn(place, &asked.session, hints);
    let new: Vec<&Hint> = holdout::new(&turn, &withheld).collect();
    let told = recall::envelope(Because::Asked, &hints.iter().map(|h| h.text.as_str()).collect::<Vec<_>>());
    let inside = told.iter().flat_map(|t| &t.hints).map(|n| &hints[*n]);
    note_told(source, data, asked, turn, moment, inside.chain(new));
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// Records what is told, and what is withheld. A full or read-only disk must not withhold the fix for as long as it is so; at worst it is told twice.
pub(super) fn note_told<'h>(
    source: &Source,
    data: &Path,
    asked: &Asked,
    turn: Turn,
    moment: &str,
    told: impl Iterator<Item = &'h Hint>,
) {
    if let Err(e) = turn.end(&records(source, asked, moment, told)) {
        log::note(data, &e.to_string());
    }
}

/// The records of what is told now.
pub(super) fn records<'h>(
    source: &Source,
    asked: &Asked,
    moment: &str,
    told: impl Iterator<Item = &'h Hint>,
) -> Vec<spool::Shown> {
    let now = world::now();
    told.map(|hint| record(source, &asked.session, hint, moment, now)).collect()
}

fn record(source: &Source, session: &str, hint: &Hint, moment: &str, at: i64) -> spool::Shown {
    let id = blake3::hash(format!("{}\0{session}\0{}\0{}\0{at}", source.name, hint.lesson, hint.about).as_bytes());
    spool::Shown {
        id: id.to_hex()[..20].to_owned(),
        lesson: hint.lesson.clone(),
        about: hint.about.clone(),
        source: source.name.to_owned(),
        session: session.to_owned(),
        moment: moment.to_owned(),
        at,
        chance: hint.chance,
        withheld: hint.withheld,
    }
}
