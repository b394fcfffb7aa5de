//! Which hints are withheld, to see what happens without them.
//!
//! Comes in: hints that would be told. Goes out: those that are, and those that are not. Drawn per lesson and session, with a
//! chance that is known and recorded: the same session hears a lesson always or never. What the user said in their own words is
//! never withheld.

use uptake_core::measure::trial::{Fate, chance, is_withheld};
use uptake_store::spool::Turn;

use super::hints::Hint;
use super::place::Place;
use crate::env_vars;
use crate::settings::Settings;

/// The word for a lesson that is proven to help, in the store.
pub const PROVEN: &str = "proven";

/// The largest chance of being withheld that the user allows.
fn most(settings: &Settings) -> f64 {
    if env_vars::shows_all() { 0.0 } else { f64::from(settings.holdout) / 100.0 }
}

/// Draws. Those that are withheld come second.
pub(super) fn drawn(place: &Place, session: &str, hints: Vec<Hint>) -> (Vec<Hint>, Vec<Hint>) {
    let most = most(&place.settings);
    let draw = |mut hint: Hint| {
        if most > 0.0 && !hint.own_words {
            let is_proven = place.lessons.fate(&hint.lesson).is_ok_and(|fate| fate.as_deref() == Some(PROVEN));
            let chance = chance(if is_proven { Fate::Proven } else { Fate::Open }, most);
            hint.chance = (chance * 1_000.0).round() as u16;
            hint.withheld = is_withheld(&hint.lesson, session, chance);
        }
        hint
    };
    hints.into_iter().map(draw).partition(|hint| !hint.withheld)
}

/// Those that were not withheld in this session before: it is noted once.
pub(super) fn new<'h>(turn: &Turn, withheld: &'h [Hint]) -> impl Iterator<Item = &'h Hint> {
    withheld.iter().filter(|hint| !turn.was_withheld(&hint.lesson))
}
