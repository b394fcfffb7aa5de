//! Session start: the card, a few lines on what holds in this project and on this machine; what the agent may write up; the index
//! of decisions and pitfalls.
//!
//! Comes in: a session that begins, or goes on with a summary. Goes out: the approved facts and rules that are worth most,
//! within a cap. A session that is resumed has heard them. What was released is told to one session of the project.

use std::path::Path;

use anyhow::Result;
use uptake_core::learn::{Lesson, facts};
use uptake_core::moment::{Answer, Asked, Start};
use uptake_core::recall::Envelope;
use uptake_core::sources::Source;
use uptake_core::{recall, render};
use uptake_store::Filed;
use uptake_store::spool::{Releases, Turn, WRITE_UP};

use super::changed_files;
use super::hints::{self, Hint};
use super::holdout;
use super::note;
use super::place::Place;
use crate::spots::Knowledge;
use crate::world;

/// Most facts that are looked at.
const LOOKED_AT: usize = 24;
/// Most rules that are: the card has ten lines.
const RULES: usize = 12;
/// Most skills that are told at every start.
const LOADED: usize = 3;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, start: Start) -> Result<Answer> {
    if start == Start::Resumed {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    changed_files::look(data, &place.lessons, &place.project, &place.settings);
    let lines = known(&place, card_of(start))?;
    // A file that cannot be read must not withhold the rest.
    let files = Knowledge::of(data, &place.lessons, &place.project).and_then(|k| k.files()).unwrap_or_default();
    let released = if start == Start::New { released(&place)? } else { Vec::new() };
    if lines.is_empty() && files.is_empty() && released.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    let (lines, withheld) = without_withheld(&place, &asked.session, lines);
    let card = recall::card(&lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), place.seen_from());
    let card = write_ups(source, data, asked, &place.project, card, released);
    let told = recall::with_index(card, &render::index(&files));
    if let Some(turn) = Turn::take(data, source.name, &asked.session) {
        // Settings and a plugin may both name us: then two hooks ask at once.
        let now = world::now();
        let just_told =
            |n: &usize| turn.heard_at(&lines[*n].lesson, &lines[*n].about).is_some_and(|at| now.abs_diff(at) < AT_ONCE);
        let inside: Vec<usize> = told.iter().flat_map(|t| &t.hints).copied().collect();
        if inside.iter().any(just_told) {
            return Ok(Answer::Silence);
        }
        let new: Vec<&Hint> = holdout::new(&turn, &withheld).collect();
        hints::note_told(source, data, asked, turn, "start", inside.iter().map(|n| &lines[*n]).chain(new));
    }
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// The lines without those that are withheld; and those, as far as they would have been on the card.
fn without_withheld(place: &Place, session: &str, lines: Vec<Hint>) -> (Vec<Hint>, Vec<Hint>) {
    let whole = recall::card(&lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), place.seen_from());
    let on_card: Vec<String> = whole.iter().flat_map(|card| &card.hints).map(|n| lines[*n].lesson.clone()).collect();
    let (lines, mut withheld) = holdout::drawn(place, session, lines);
    withheld.retain(|hint| on_card.contains(&hint.lesson));
    (lines, withheld)
}

/// What the agent may write up, each with the time of its release.
pub(super) fn released(place: &Place) -> Result<Vec<(Lesson, i64)>> {
    Ok(place.lessons.released(&place.project, LOOKED_AT)?)
}

/// The card with what was released and no session was shown yet. What is in it is written down first; what has no room, and what
/// another hook has just told, is not.
fn write_ups(
    source: &Source,
    data: &Path,
    asked: &Asked,
    project: &str,
    card: Option<Envelope>,
    released: Vec<(Lesson, i64)>,
) -> Option<Envelope> {
    if released.is_empty() {
        return card;
    }
    // The next session is as good.
    let Some(turn) = Releases::take(data, project) else { return card };
    let open = released.into_iter().filter(|(lesson, at)| !turn.was_shown(&lesson.id, *at));
    let lines: Vec<Hint> = open.map(|(lesson, _)| Hint::plain(&lesson)).collect();
    let (told, inside) = recall::with_write_ups(card, &lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>());
    let records = hints::records(source, asked, WRITE_UP, inside.iter().map(|n| &lines[*n]));
    if let Err(e) = turn.end(&records) {
        note(data, &e.to_string());
    }
    told
}

/// The lines that may be on the card, most worth first.
pub(super) fn known(place: &Place, card: &str) -> Result<Vec<Hint>> {
    let mut known = Vec::new();
    for scope in place.scopes() {
        known.extend(place.lessons.approved_facts(scope, place.settings.mode, LOOKED_AT)?);
    }
    known.retain(facts::is_for_start);
    // Rules and decisions that no file tells.
    known.extend(place.lessons.approved_at_start(&place.project, place.settings.mode, Filed::Not, RULES)?);
    known.extend(place.lessons.approved_to_load(&place.project, place.settings.mode, LOADED)?);
    known.sort_by(|a, b| b.evidence.worth.rank.total_cmp(&a.evidence.worth.rank));
    Ok(known.iter().map(|fact| Hint::of(fact, &recall::hint(fact), card.to_owned())).collect())
}

/// Two starts of one kind within this time are one, in milliseconds.
const AT_ONCE: u64 = 2_000;

/// What the hints of a card are about: what is said at the start may be said once more where it matters, and again after a
/// compaction.
pub(super) fn card_of(start: Start) -> &'static str {
    if start == Start::Compacted { "card again" } else { "card" }
}
