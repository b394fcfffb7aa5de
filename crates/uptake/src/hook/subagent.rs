//! A subagent starts: it is told what concerns it. It is done: agents that the user named are asked for what they learned.
//!
//! Comes in: which agent. Goes out: at most fifteen approved lessons; or, at the end, a request to hand in what was learned, at most
//! twice for one agent.

use std::path::Path;

use anyhow::{Context as _, Result};
use uptake_core::detect::Kind;
use uptake_core::moment::{Answer, Asked, Subagent};
use uptake_core::recall::{self, subagent};
use uptake_core::sources::Source;
use uptake_store::spool::{self, Turn};

use super::hints::{self, Hint};
use super::holdout;
use super::place::Place;
use super::transcript;
use crate::settings::Settings;
use crate::{install, project, world};

/// Most lessons of a kind that are looked at.
const LOOKED_AT: usize = 15;

pub(super) fn start(source: &Source, data: &Path, asked: &Asked, agent: &Subagent) -> Result<Answer> {
    // A helper of the client's own.
    if agent.kind.is_empty() {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    let mode = place.settings.mode;
    let kinds: Vec<Kind> = subagent::KINDS.into_iter().filter(|kind| *kind != Kind::Fact).collect();
    let mut lessons = place.lessons.approved_best(&place.project, mode, &kinds, LOOKED_AT)?;
    for scope in place.scopes() {
        lessons.extend(place.lessons.approved_facts(scope, mode, LOOKED_AT)?);
    }
    let lessons = subagent::chosen(lessons, &agent.kind, &|id: &str| place.lessons.was_told(id).unwrap_or(true));
    let about = format!("subagent {}", agent.id);
    let line = |lesson| Some(Hint::of(lesson, &recall::card::start_line(lesson)?, about.clone()));
    let lines: Vec<Hint> = lessons.iter().filter_map(line).collect();
    if lines.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    let (lines, withheld) = holdout::drawn(&place, &asked.session, lines);
    let told = subagent::words(&lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), place.seen_from());
    if let Some(turn) = Turn::take(data, source.name, &asked.session) {
        let inside: Vec<&Hint> = told.iter().flat_map(|t| &t.hints).map(|n| &lines[*n]).collect();
        // Settings and a plugin may both name us: then two hooks ask at once.
        if inside.iter().any(|hint| turn.was_heard(&hint.lesson, &hint.about)) {
            return Ok(Answer::Silence);
        }
        let new: Vec<&Hint> = holdout::new(&turn, &withheld).collect();
        hints::note_told(source, data, asked, turn, "subagent-start", inside.into_iter().chain(new));
    }
    Ok(told.map_or(Answer::Silence, |told| Answer::Context(told.text)))
}

/// How often one agent is asked.
const TIMES: usize = 2;
/// Agents that work for longer are asked anew, in milliseconds.
const LATELY: i64 = 2 * 86_400_000;
/// What stands in the transcript of an agent that handed something in.
const HANDED_IN: &str = "uptake submit";

pub(super) fn stop(
    source: &Source,
    data: &Path,
    asked: &Asked,
    agent: &Subagent,
    transcript: Option<&str>,
) -> Result<Answer> {
    let settings = Settings::of_user()?;
    if !settings.enabled || !settings.learning_agents.contains(&agent.kind) {
        return Ok(Answer::Silence);
    }
    let left_alone = match Place::with(settings.clone(), data, asked)? {
        Some(place) => place.is_left_alone()?,
        // Nothing was learned yet: only the user's own settings can ask for silence.
        None => is_excluded(&settings, data, &asked.folder)?,
    };
    if left_alone {
        return Ok(Answer::Silence);
    }
    if transcript.and_then(transcript::tail_of).is_some_and(|text| has_handed_in(&text)) {
        return Ok(Answer::Silence);
    }
    // Settings and a plugin may both name us: then two hooks ask at once.
    let Some(_turn) = Turn::take(data, source.name, &asked.session) else { return Ok(Answer::Silence) };
    let now = world::now();
    if spool::gates_of(data, source.name, &agent.id, now.saturating_sub(LATELY)..=now) >= TIMES {
        return Ok(Answer::Silence);
    }
    // Where it is not written down it would be asked for ever.
    if !spool::note_gate(data, source.name, &agent.id, now)? {
        return Ok(Answer::Silence);
    }
    Ok(Answer::Deny(request(&install::link(data).to_string_lossy(), &agent.kind)))
}

fn is_excluded(settings: &Settings, data: &Path, folder: &str) -> Result<bool> {
    let home = etcetera::home_dir().context("cannot find your home folder; set HOME")?;
    let project = project::of_folder_quickly(Path::new(folder), data).key;
    Ok(settings.excludes(&project, Some(folder), &home))
}

/// Whether a call of it handed something in: what it was asked does not count.
fn has_handed_in(transcript: &str) -> bool {
    transcript.lines().any(|line| line.contains(r#""type":"tool_use""#) && says_so(line))
}

/// The binary may be named by its path, in quotes.
fn says_so(line: &str) -> bool {
    line.contains(HANDED_IN) || line.contains("uptake' submit") || line.contains(r#"uptake\" submit"#)
}

fn request(binary: &str, kind: &str) -> String {
    format!(
        "(uptake) Before you end: what did you learn in this task that another agent should know in this project? Hand in one thing \
         with a shell command: '{binary}' submit '{{\"task\":\"…\",\"pattern\":\"…\",\"agent\":\"{kind}\"}}' (or \"mistake\" instead of \
         \"pattern\"). If there is nothing: '{binary}' submit '{{\"no_learnings\":true,\"reason\":\"…\"}}'. Then end."
    )
}
