//! After a failure: what is known about it, in every tool.
//!
//! Comes in: calls that failed or were refused. Goes out: at most two approved lessons that were not told in this session
//! yet, also if many hooks of it run at once. Facts come first: they are looked up by what went wrong and what it is about,
//! and checked against the disk. Writes one record per lesson, before it is told.

use std::path::Path;

use anyhow::{Result, bail};
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked, ToolUse};
use uptake_core::recall::facts::{Around, Failed};
use uptake_core::recall::{self, Because};
use uptake_core::sources::Source;
use uptake_store::spool::Turn;

use super::hints::{self, Hint};
use super::holdout;
use super::place::Place;
use super::transcript;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, calls: &[(&ToolUse, &String)]) -> Result<Answer> {
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    let mut known = Vec::new();
    for (call, output) in calls {
        for hint in known_about(&place, call, output)? {
            if !known.contains(&hint) {
                known.push(hint);
            }
        }
    }
    if known.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    let Some(turn) = Turn::take(data, source.name, &asked.session) else {
        bail!("other hooks of the session are at it")
    };
    let heard_at = |lesson: &str, about: &str| turn.heard_at(lesson, about);
    let since = |at: i64| calls_since(at, source, asked);
    let mut known: Vec<Hint> = known.into_iter().filter_map(|hint| to_be_told(hint, &heard_at, &since)).collect();
    known.truncate(hints::AT_ONCE);
    let (known, withheld) = holdout::drawn(&place, &asked.session, known);
    let new: Vec<&Hint> = holdout::new(&turn, &withheld).collect();
    let told = recall::envelope(Because::Failed, &known.iter().map(|h| h.text.as_str()).collect::<Vec<_>>());
    let inside = told.iter().flat_map(|t| &t.hints).map(|n| &known[*n]);
    hints::note_told(source, data, asked, turn, "failure", inside.chain(new));
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// A hint that was not told yet; one that was, once more and more firmly, if the agent had time to heed it and did not.
/// `heard_at` says when a lesson was told about something, `calls_since` how many tools were used since a time.
pub(super) fn to_be_told(
    hint: Hint,
    heard_at: &dyn Fn(&str, &str) -> Option<i64>,
    calls_since: &dyn Fn(i64) -> usize,
) -> Option<Hint> {
    let Some(told) = heard_at(&hint.lesson, &hint.about) else { return Some(hint) };
    let again = Hint { about: format!("{}{AGAIN}", hint.about), text: recall::firmly(&hint.text), ..hint };
    let unheeded = heard_at(&again.lesson, &again.about).is_none() && calls_since(told) > CALLS;
    unheeded.then_some(again)
}

/// Ends what a hint is about that is told for the second time.
const AGAIN: &str = " (again)";
/// Calls between a hint and the same failure after which it was not heeded; before that they may have been under way.
const CALLS: usize = 3;
/// How many tools were used since a time, as far as the transcript tells.
fn calls_since(at: i64, source: &Source, asked: &Asked) -> usize {
    source.hook.and_then(|h| h.reply).map_or(0, |reply| transcript::calls_since(at, reply, asked))
}

/// What is known about a call: the fact that fits it best, else fixes of its error.
pub(super) fn known_about(place: &Place, call: &ToolUse, output: &str) -> Result<Vec<Hint>> {
    let inside = |path: &str| Path::new(&place.root).join(path).read_dir();
    let has_folder = |path: &str| inside(path).is_ok_and(|mut inside| inside.next().is_some());
    known_where(place, call, output, &|path| place.has(path), &has_folder)
}

/// The same, where `exists` says whether a path from the root is there, and `has_folder` whether a folder is that is not empty.
pub(super) fn known_where(
    place: &Place,
    call: &ToolUse,
    output: &str,
    exists: &dyn Fn(&str) -> bool,
    has_folder: &dyn Fn(&str) -> bool,
) -> Result<Vec<Hint>> {
    let failed = Failed::new(call, output, &place.folder, &place.root);
    let worked = |what: &str| place.lessons.worked(&place.project, what).unwrap_or_default();
    let around = Around { worked: &worked, exists, has_folder };
    for key in failed.keys() {
        for scope in place.scopes() {
            for fact in place.lessons.approved_for(&key, scope, place.settings.mode)? {
                if let Some((text, about)) = failed.words(&fact, &around) {
                    return Ok(vec![Hint::of(&fact, &text, about)]);
                }
            }
        }
    }
    fixes(place, call, output)
}

fn fixes(place: &Place, call: &ToolUse, output: &str) -> Result<Vec<Hint>> {
    let Some(command) = call.command() else { return Ok(Vec::new()) };
    let Some(trigger) = recall::trigger(command, output) else { return Ok(Vec::new()) };
    let found = place.lessons.approved_for(&trigger, &place.project, place.settings.mode)?;
    let hint = |fix: &Lesson| {
        if recall::is_worth_telling(fix) {
            return Some(Hint::plain(fix));
        }
        // Of two long commands what the error names is told.
        recall::changed(fix, output).map(|text| Hint::of(fix, &text, String::new()))
    };
    Ok(found.iter().filter_map(hint).collect())
}
