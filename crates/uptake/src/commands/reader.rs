//! `uptake reader`: who reads digests of sessions, and whether it answers.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use serde_json::{Value, json};
use uptake_core::reader::{Ask, Trouble};

use super::Printed;
use crate::reader::Reader;
use crate::settings::ReaderSettings;
use crate::ui::{self, BOLD, GREEN, Ui, styled};
use crate::world::World;

/// Say who may read digests of your sessions, and try whether it answers
///
/// A reader is a model of your own: a client that is installed, a command, an endpoint, or a folder of files. It is off until
/// you choose one with: uptake config set reader claude
#[derive(ClapArgs)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Subcommand)]
enum What {
    /// Ask it a tiny question, to see that it answers
    Test,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let settings = world.settings()?.reader;
    let reader = Reader::of(&settings, &world)?;
    let mut ui = Ui::stdout(args.printed.json);
    match (&args.what, reader) {
        (None, reader) => status(&mut ui, &settings, reader.as_ref())?,
        (Some(What::Test), Some(reader)) => test(&mut ui, &reader)?,
        (Some(What::Test), None) => bail!("the reader is off; choose one with: uptake config set reader claude"),
    }
    Ok(ui.flush()?)
}

fn status(ui: &mut Ui, settings: &ReaderSettings, reader: Option<&Reader>) -> Result<()> {
    let standing = reader.map(Reader::standing);
    let missing = standing.as_ref().and_then(|s| s.as_ref().err()).map(ToString::to_string);
    if ui.json {
        let name = reader.map(Reader::name);
        return Ok(ui.object(&json!({ "reader": name, "settings": settings, "missing": missing }))?);
    }
    let (Some(reader), Some(standing)) = (reader, standing) else {
        ui.line("The reader is off: no model sees your sessions.")?;
        return Ok(ui.line(
            "Choose one: uptake config set reader claude (or codex, opencode, gemini; docs/reader.md has the others)",
        )?);
    };
    match standing {
        Ok(place) => {
            let place = place.map(|p| format!(", {p}")).unwrap_or_default();
            ui.line(format!("{}{place}", styled(BOLD, reader.name())))?;
        }
        Err(why) => ui.line(format!("{}: {why}", styled(BOLD, reader.name())))?,
    }
    ui.line(format!("  may read: {}", allowance(settings, reader)))?;
    // Here is the place to tell what would be asked next, and what it costs.
    Ok(ui.line("  try it: uptake reader test")?)
}

/// What the settings allow, in words.
fn allowance(settings: &ReaderSettings, reader: &Reader) -> String {
    let whose = match reader.source() {
        Some(_) if !settings.cross => format!("sessions of {}", reader.name()),
        _ => "all sessions".to_owned(),
    };
    format!(
        "{whose} of the last {}, with at most {} and {} tokens a day",
        ui::count(settings.days.into(), "day"),
        ui::count(settings.requests_a_day.into(), "request"),
        ui::grouped(settings.tokens_a_day.into())
    )
}

/// The question, and what answers it. It has an id of its own, as every request has.
const QUESTION: Ask<'static> = Ask {
    id: "test-1",
    prompt: "This is a test of the connection. Put the word \"ready\" into the field `word`.",
    schema: r#"{"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": false}"#,
};
const WORD: &str = "ready";
/// Characters of a wrong answer that are shown.
const SHOWN: usize = 200;

fn test(ui: &mut Ui, reader: &Reader) -> Result<()> {
    let begin = Instant::now();
    let answer = reader.ask(&QUESTION);
    let seconds = begin.elapsed().as_secs_f64();
    let name = reader.name();
    if let Err(Trouble::NotReady(what)) = &answer {
        if ui.json {
            return Ok(ui.object(&json!({ "reader": name, "state": "waiting", "what": what }))?);
        }
        return Ok(ui.line(format!("{what}; then run this again"))?);
    }
    let answer = answer.with_context(|| format!("{name} does not answer"))?;
    let word = serde_json::from_str::<Value>(&answer).ok().and_then(|v| Some(v["word"].as_str()?.to_lowercase()));
    if word.is_none_or(|w| w.trim_matches('.') != WORD) {
        let said = uptake_core::redact::clean(&ui::cut(&answer, SHOWN));
        bail!("{name} answers, but not as it was asked to: {said}");
    }
    if ui.json {
        return Ok(ui.object(&json!({ "reader": name, "state": "answers", "seconds": seconds }))?);
    }
    Ok(ui.line(format!("{} {name} answered in {seconds:.1} s", styled(GREEN, "✓")))?)
}
