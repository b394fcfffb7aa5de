//! What an agent would be told, and why or why not: the hook's own look-up, without its records.

use std::path::Path;

use anyhow::Result;
use uptake_core::moment::{Asked, Moment, Start, ToolUse};
use uptake_core::recall;
use uptake_core::session::ToolKind;
use uptake_store::spool::Releases;

use super::hints::{self, Hint};
use super::place::Place;
use super::session_start::texts;
use super::{after_failure, prompt, session_start};
use crate::{env_vars, install};

/// What is asked for.
pub enum Question<'q> {
    /// A session starts.
    Start,
    /// Somebody types this.
    Prompt(&'q str),
    /// A command fails and prints this.
    Failure {
        /// The command line.
        command: &'q str,
        /// What it prints.
        output: &'q str,
    },
}

/// A hint that would be told.
pub struct Told {
    /// The lesson.
    pub lesson: String,
    /// The words.
    pub text: String,
    /// Why it fits.
    pub why: String,
}

/// What would be told in a folder, and what stands against it or why there is nothing.
pub fn preview(data: &Path, folder: &str, question: &Question<'_>) -> Result<(Vec<Told>, Vec<String>)> {
    let mut against = Vec::new();
    if env_vars::is_off() {
        against.push("UPTAKE_OFF is set".to_owned());
    }
    let moment = Moment::SessionStart { start: Start::New };
    let asked = Asked { session: String::new(), folder: folder.to_owned(), transcript: None, subagent: None, moment };
    let Some(place) = Place::of(data, &asked)? else {
        against.push("uptake is switched off (uptake enable), or nothing was learned yet (uptake learn)".to_owned());
        return Ok((Vec::new(), against));
    };
    if place.is_left_alone()? {
        against.push("this project or folder is left alone (uptake config)".to_owned());
    }
    let told = match question {
        Question::Start => at_start(&place, data)?,
        Question::Prompt(text) => at_prompt(&place, text)?,
        Question::Failure { command, output } => at_failure(&place, command, output, &mut against)?,
    };
    if told.is_empty() {
        against.push(format!("no approved lesson of {} fits", place.project));
    }
    Ok((told, against))
}

fn at_start(place: &Place, data: &Path) -> Result<Vec<Told>> {
    let lines = session_start::known(place, session_start::card_of(Start::New), None, Some(&|path| place.has(path)))?;
    let open = session_start::released(place)?;
    let shown = Releases::look(data, &place.project);
    let open: Vec<Hint> = open.iter().filter(|(l, at)| !shown(&l.id, *at)).map(|(l, _)| Hint::plain(l)).collect();
    let asked = recall::write_ups(&texts(&open), &install::link(data).to_string_lossy());
    let card = recall::card_with(&texts(&lines), place.seen_from(), asked.as_ref());
    let [inside, asked] = [card, asked].map(|part| part.map(|part| part.hints).unwrap_or_default());
    let told =
        |line: &Hint, why: &str| Told { lesson: line.lesson.clone(), text: line.text.clone(), why: why.to_owned() };
    let card = inside.into_iter().map(|n| told(&lines[n], "it is worth most of what holds here"));
    Ok(card.chain(asked.into_iter().map(|n| told(&open[n], "you released it: the agent may write it up"))).collect())
}

fn at_prompt(place: &Place, text: &str) -> Result<Vec<Told>> {
    let known = prompt::known_about(place, text)?;
    let told = |(hint, why): (Hint, String)| Told { lesson: hint.lesson, text: hint.text, why };
    Ok(known.into_iter().take(hints::AT_ONCE).map(told).collect())
}

fn at_failure(place: &Place, command: &str, output: &str, against: &mut Vec<String>) -> Result<Vec<Told>> {
    let call = ToolUse { id: None, tool: "Bash".to_owned(), kind: ToolKind::Shell, input: command.to_owned() };
    let known = after_failure::known_about(place, &call, output)?;
    let trigger = recall::trigger(command, output);
    if known.is_empty() && trigger.is_none() {
        against.push("the output has no line that says what went wrong".to_owned());
    }
    let why = match &trigger {
        Some(trigger) => format!("{} said: {}", trigger.program, trigger.error),
        None => "the cause of the failure is known".to_owned(),
    };
    let told = known.into_iter().take(hints::AT_ONCE);
    Ok(told.map(|hint| Told { lesson: hint.lesson, text: hint.text, why: why.clone() }).collect())
}
