//! What an agent would be told, and why or why not: the hook's own look-up, without its records.

use std::path::Path;

use anyhow::Result;
use uptake_core::moment::{Asked, Moment, Start, ToolUse};
use uptake_core::recall;
use uptake_core::recall::prompt::words_in;
use uptake_core::session::ToolKind;

use super::place::Place;
use super::{after_failure, prompt, session_start};
use crate::env_vars;

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
        Question::Start => at_start(&place)?,
        Question::Prompt(text) => at_prompt(&place, text)?,
        Question::Failure { command, output } => at_failure(&place, command, output, &mut against)?,
    };
    if told.is_empty() {
        against.push(format!("no approved lesson of {} fits", place.project));
    }
    Ok((told, against))
}

fn at_start(place: &Place) -> Result<Vec<Told>> {
    let lines = session_start::known(place, session_start::card_of(Start::New))?;
    let texts: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    let inside = recall::card(&texts, place.seen_from()).map(|card| card.hints).unwrap_or_default();
    let why = "it is worth most of what holds here";
    let told = |n: usize| Told { lesson: lines[n].lesson.clone(), text: lines[n].text.clone(), why: why.to_owned() };
    Ok(inside.into_iter().map(told).collect())
}

fn at_prompt(place: &Place, text: &str) -> Result<Vec<Told>> {
    let known = prompt::known_about(place, &words_in(text))?;
    let told = |(lesson, by): (uptake_core::learn::Lesson, Vec<String>)| Told {
        text: recall::with_id(&recall::hint(&lesson), &lesson.id),
        lesson: lesson.id,
        why: format!("both speak of {}", by.join(", ")),
    };
    Ok(known.into_iter().take(prompt::HINTS).map(told).collect())
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
    let told = known.into_iter().take(after_failure::HINTS);
    Ok(told.map(|hint| Told { lesson: hint.lesson, text: hint.text, why: why.clone() }).collect())
}
