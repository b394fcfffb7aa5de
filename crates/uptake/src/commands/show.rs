//! `uptake show` and `uptake why`: all that is known of one lesson, and why it stands where it stands.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::learn::evidence::{self, Judgement};
use uptake_core::learn::{Evidence, Lesson, capability};
use uptake_core::project::Project;
use uptake_store::{Change, Lessons, Verdict};

use super::learn::Row;
use super::review::{hint, one};
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Show all that is known of one lesson
#[derive(ClapArgs)]
pub struct Args {
    /// The lesson's id, or the start of it
    id: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ShowRow<'l> {
    #[serde(flatten)]
    lesson: Row<'l>,
    status: &'l str,
    judgement: Judgement,
    concerns: Vec<&'static str>,
    hint: Option<String>,
    evidence: &'l [Evidence],
}

/// Runs `uptake show`.
///
/// # Errors
/// If the store cannot be read, the id is unknown, or standard output is closed.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let lessons = Lessons::open(&world.data)?;
    let lesson = one(&lessons, &args.id)?;
    let verdict = lessons.verdict(&lesson.id)?;
    let judged = judged(&lesson, world.now);
    let mut ui = Ui::stdout(args.json);
    if args.json {
        let row = ShowRow {
            lesson: Row::of(&lesson),
            status: status(&lesson, verdict),
            judgement: judged,
            concerns: concerns(&lesson),
            hint: hint(&lesson),
            evidence: &lesson.evidence,
        };
        ui.object(&row)?;
        return Ok(ui.flush()?);
    }
    ui.line(format!("{}  {}", styled(BOLD, &lesson.shown_id()), lesson.title))?;
    ui.line(format!("  {}", lesson.statement))?;
    for command in &lesson.commands {
        ui.line(format!("    • {command}"))?;
    }
    if let Some(text) = hint(&lesson) {
        ui.line("  After the error an agent is told:")?;
        text.lines().try_for_each(|line| ui.line(format!("    {line}")))?;
        ui.line(styled(DIM, &format!("    about {} tokens", text.len().div_ceil(4))))?;
    }
    why_lines(&lesson, verdict, &judged).iter().try_for_each(|line| ui.line(format!("  {line}")))?;
    for concern in concerns(&lesson) {
        ui.line(styled(YELLOW, &format!("  Look twice: it {concern}.")))?;
    }
    ui.line(format!("  Seen in {} of {}:", ui::count(lesson.sessions as u64, "session"), project(&lesson)))?;
    for evidence in lesson.evidence.iter().take(5) {
        ui.line(styled(DIM, &format!("    {} {} {}", day(evidence.at), evidence.source, evidence.session)))?;
        ui.line(format!("      “{}”", evidence.quote))?;
    }
    history(&mut ui, &lessons.changes(Some(&lesson.id))?)?;
    Ok(ui.flush()?)
}

/// Runs `uptake why`.
///
/// # Errors
/// If the store cannot be read, the id is unknown, or standard output is closed.
pub fn why(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let lessons = Lessons::open(&world.data)?;
    let lesson = one(&lessons, &args.id)?;
    let verdict = lessons.verdict(&lesson.id)?;
    let judged = judged(&lesson, world.now);
    let lines = why_lines(&lesson, verdict, &judged);
    let mut ui = Ui::stdout(args.json);
    if args.json {
        ui.object(&serde_json::json!({
            "id": lesson.id, "status": status(&lesson, verdict), "judgement": judged, "why": lines,
        }))?;
    } else {
        ui.line(&lesson.statement)?;
        lines.iter().try_for_each(|line| ui.line(format!("  {line}")))?;
        history(&mut ui, &lessons.changes(Some(&lesson.id))?)?;
    }
    Ok(ui.flush()?)
}

fn judged(lesson: &Lesson, now: i64) -> Judgement {
    evidence::judge(evidence::bar(lesson.kind, &lesson.detector), &lesson.weight(lesson.ready, false), now)
}

fn status(lesson: &Lesson, verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(verdict) => verdict.as_str(),
        None if lesson.ready => "ready",
        None => "observing",
    }
}

fn concerns(lesson: &Lesson) -> Vec<&'static str> {
    let commands = lesson.commands.iter().map(String::as_str);
    capability::concerns(&lesson.statement, commands).into_iter().map(capability::Concern::as_str).collect()
}

fn why_lines(lesson: &Lesson, verdict: Option<Verdict>, judged: &Judgement) -> Vec<String> {
    let bar = judged.bar;
    let mut lines = vec![
        format!(
            "Confidence {:.2}: {} of {} needed for a {}; ready from {:.2} on.",
            judged.confidence,
            ui::count(lesson.sessions as u64, "session"),
            bar.required,
            lesson.kind.as_str(),
            bar.promote
        ),
        format!("Seen over {} days; {} are needed.", judged.spread, bar.spread),
    ];
    if judged.decay < 1.0 {
        lines.push(format!("Last seen a while ago: its rank counts {:.0} %.", judged.decay * 100.0));
    }
    lines.push(format!("Words by: {}. Seen by: {}.", lesson.trust.as_str(), lesson.detector));
    lines.push(
        match verdict {
            Some(Verdict::Approved) => "You approved these very bytes: it is used.",
            Some(Verdict::Rejected) => "You rejected it: it never comes back.",
            Some(Verdict::Snoozed) => "You put it away for a while.",
            Some(Verdict::Released) => "You let the agent write it up.",
            None if lesson.ready => "It waits for your word: uptake review.",
            None => "It is not shown: there is not enough evidence yet, or it says too little.",
        }
        .to_owned(),
    );
    lines
}

fn history(ui: &mut Ui, changes: &[Change]) -> Result<()> {
    for change in changes {
        let undone = if change.undone.is_some() { ", taken back" } else { "" };
        ui.line(styled(DIM, &format!("  {} {} (change {}{undone})", day(Some(change.at)), change.action, change.id)))?;
    }
    Ok(())
}

fn project(lesson: &Lesson) -> String {
    Project::from_key(&lesson.project).name
}

fn day(at: Option<i64>) -> String {
    at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| "no date  ".to_owned(), |t| t.strftime("%Y-%m-%d").to_string())
}
