//! Session start: the card, a few lines on what holds in this project and on this machine; what the agent may write up; the index
//! of decisions and pitfalls.
//!
//! Comes in: a session that begins, or goes on with a summary. Goes out: the approved facts and rules that are worth most,
//! within a cap. A session that is resumed has heard them. What was released is told to one session of the project.

use std::path::Path;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked, Start};
use uptake_core::recall::Envelope;
use uptake_core::recall::facts::is_refuted;
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
use crate::{install, world};

/// Most facts that are looked at.
const LOOKED_AT: usize = 24;
/// Most rules that are: the card has ten lines, and the agent knows some of them from its own notes.
const RULES: usize = 24;
/// Most skills that are told at every start.
const LOADED: usize = 3;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, start: Start) -> Result<Answer> {
    if start == Start::Resumed {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    changed_files::look(data, &place.lessons, &place.project, &place.settings);
    let lines = known(&place, card_of(start), Some(source.name), Some(&|path| place.has(path)))?;
    // A file that cannot be read must not withhold the rest.
    let files = Knowledge::of(data, &place.lessons, &place.project).and_then(|k| k.files()).unwrap_or_default();
    // A session that the user emptied is as good as a new one.
    let released = if matches!(start, Start::New | Start::Cleared) { released(&place)? } else { Vec::new() };
    if lines.is_empty() && files.is_empty() && released.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    let open = open(data, &place.project, released);
    let asks =
        open.as_ref().and_then(|(_, open)| recall::write_ups(&texts(open), &install::link(data).to_string_lossy()));
    let (lines, withheld) = without_withheld(&place, &asked.session, lines, asks.as_ref());
    let card = recall::card_with(&texts(&lines), place.seen_from(), asks.as_ref());
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
    // Last of all: what was written down as asked for is asked for no more.
    if let Some(((turn, open), asks)) = open.zip(asks) {
        let records = hints::records(source, asked, WRITE_UP, asks.hints.iter().map(|n| &open[*n]));
        turn.end(&records).unwrap_or_else(|e| note(data, &e.to_string()));
    }
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// The lines without those that are withheld; and those, as far as they would have been on the card.
fn without_withheld(place: &Place, session: &str, lines: Vec<Hint>, asks: Option<&Envelope>) -> (Vec<Hint>, Vec<Hint>) {
    let whole = recall::card_with(&texts(&lines), place.seen_from(), asks);
    let on_card: Vec<String> = whole.iter().flat_map(|card| &card.hints).map(|n| lines[*n].lesson.clone()).collect();
    let (lines, mut withheld) = holdout::drawn(place, session, lines);
    withheld.retain(|hint| on_card.contains(&hint.lesson));
    (lines, withheld)
}

/// What the agent may write up, each with the time of its release.
pub(super) fn released(place: &Place) -> Result<Vec<(Lesson, i64)>> {
    Ok(place.lessons.released(&place.project, LOOKED_AT)?)
}

/// What was released and no session was shown yet, with the turn to say so. Nothing where another hook has the turn: the next
/// session is as good.
fn open(data: &Path, project: &str, released: Vec<(Lesson, i64)>) -> Option<(Releases, Vec<Hint>)> {
    if released.is_empty() {
        return None;
    }
    let turn = Releases::take(data, project)?;
    let open = released.into_iter().filter(|(lesson, at)| !turn.was_shown(&lesson.id, *at));
    let lines = open.map(|(lesson, _)| Hint::plain(&lesson)).collect();
    Some((turn, lines))
}

pub(super) fn texts(hints: &[Hint]) -> Vec<&str> {
    hints.iter().map(|hint| hint.text.as_str()).collect()
}

/// The lines that may be on the card. Of what came up often enough, rules and facts take turns, so that each leaves room for the
/// other; then what was accepted before that, where counts say more than words. What an agent wrote down for itself it reads anyway.
/// `exists` says whether a path from the root is there, where that can be asked.
pub(super) fn known(
    place: &Place,
    card: &str,
    listener: Option<&str>,
    exists: Option<&dyn Fn(&str) -> bool>,
) -> Result<Vec<Hint>> {
    let mode = place.settings.mode;
    let ready = |l: &Lesson| l.evidence.worth.ready;
    // A note that was taken out of its file is ready no longer.
    let reads_itself =
        |l: &Lesson| l.is_note() && ready(l) && listener.is_some_and(|me| l.evidence.sources.iter().any(|s| s == me));
    let mut wanted = place.lessons.approved_to_load(&place.project, mode, LOADED)?;
    let mut facts = Vec::new();
    for scope in place.scopes() {
        facts.extend(place.lessons.approved_facts(scope, mode, LOOKED_AT)?);
    }
    facts.retain(|fact| !exists.is_some_and(|exists| is_refuted(fact, exists)));
    // Rules and decisions that no file tells.
    let mut rules = place.lessons.approved_at_start(&place.project, mode, Filed::Not, RULES)?;
    for lessons in [&mut facts, &mut rules] {
        lessons.retain(|l| recall::is_for_start(l) && !reads_itself(l) && !wanted.iter().any(|w| w.id == l.id));
        lessons.sort_by(|a, b| b.evidence.worth.rank.total_cmp(&a.evidence.worth.rank));
    }
    let (rules, early_rules): (Vec<Lesson>, _) = rules.into_iter().partition(ready);
    let (facts, early_facts): (Vec<Lesson>, _) = facts.into_iter().partition(ready);
    wanted.extend(in_turns(rules, facts));
    wanted.extend(early_facts.into_iter().chain(early_rules));
    let line = |lesson: &Lesson| Some(Hint::of(lesson, &recall::card::start_line(lesson)?, card.to_owned()));
    Ok(wanted.iter().filter_map(line).collect())
}

/// One of each in turn, and then what is left of the longer one.
fn in_turns(a: Vec<Lesson>, b: Vec<Lesson>) -> impl Iterator<Item = Lesson> {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    std::iter::from_fn(move || Some([a.next(), b.next()]).filter(|pair| pair.iter().any(Option::is_some)))
        .flatten()
        .flatten()
}

/// Two starts of one kind within this time are one, in milliseconds.
const AT_ONCE: u64 = 2_000;

/// What the hints of a card are about: what is said at the start may be said once more where it matters, and again after a
/// compaction.
pub(super) fn card_of(start: Start) -> &'static str {
    if start == Start::Compacted { "card again" } else { "card" }
}
