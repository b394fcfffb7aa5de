//! `uptake show` and `uptake why`: all that is known of one lesson, and why it stands where it stands.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::detect::HandedIn;
use uptake_core::learn::evidence::{Judgement, PENALTY};
use uptake_core::learn::status::{By, Status, Why};
use uptake_core::learn::trust::{self, Mode};
use uptake_core::learn::{Lesson, WITHDRAWN, capability};
use uptake_core::redact::{hides, spelled_out};
use uptake_store::{Change, Lessons, Stored};

use super::Printed;
use super::lesson_row::{LessonRow, SightingRow};
use crate::approve::{contradictions, hint, lesson_of};
use crate::cycle::record_of;
use crate::project::Names;
use crate::reader::{alike, remarks};
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Show all that is known of one lesson
#[derive(ClapArgs)]
pub struct Args {
    /// The lesson's id, or the start of it
    id: String,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Serialize)]
struct ShowRow<'l> {
    #[serde(flatten)]
    lesson: LessonRow<'l>,
    status: &'static str,
    by: Option<&'static str>,
    judgement: Judgement,
    concerns: Vec<&'static str>,
    hint: Option<String>,
    evidence: Vec<SightingRow<'l>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// What it is about, in the words of agents that handed it in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// What it cites, and what it was written up as.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    citations: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written_up_as: Vec<String>,
}

/// Runs `uptake show`.
pub fn run(args: &Args) -> Result<()> {
    let Looked { lessons, stored, judged, mode, now } = Looked::at(&args.id)?;
    let lesson = &stored.lesson;
    let mut ui = Ui::stdout(args.printed.json);
    let all_handed = lessons.handed_in(lesson.project())?;
    let handed = said_with(&all_handed, &lesson.id);
    if args.printed.json {
        let row = ShowRow {
            lesson: LessonRow::of(lesson),
            status: stored.standing.status(now).as_str(),
            by: stored.standing.said.map(|said| said.by.as_str()),
            judgement: judged,
            concerns: concerns(lesson),
            hint: hint(lesson),
            evidence: lesson.evidence.sightings.iter().map(SightingRow::of).collect(),
            remarks: remarks_on(&lessons, lesson, now)?,
            tags: handed.tags,
            citations: handed.citations,
            written_up_as: answers(&all_handed, &lesson.id),
        };
        ui.object(&row)?;
        return Ok(ui.flush()?);
    }
    ui.line(format!("{}  {}", styled(BOLD, &lesson.shown_id()), spelled_out(&lesson.payload.title)))?;
    ui.line(format!("  {}", spelled_out(&lesson.payload.statement)))?;
    for command in &lesson.payload.commands {
        ui.line(format!("    • {}", spelled_out(command)))?;
    }
    if let Some(text) = hint(lesson) {
        ui.line("  After the error an agent is told:")?;
        text.lines().try_for_each(|line| ui.line(format!("    {}", spelled_out(line))))?;
        ui.line(styled(DIM, &format!("    about {} tokens", text.len().div_ceil(4))))?;
    }
    why_lines(&stored, &judged, mode, now).iter().try_for_each(|line| ui.line(format!("  {line}")))?;
    for (what, list) in
        [("Tags", &handed.tags), ("Cites", &handed.citations), ("Written up as", &answers(&all_handed, &lesson.id))]
    {
        if !list.is_empty() {
            ui.line(format!("  {what}: {}.", list.join(", ")))?;
        }
    }
    if let Some(inferred) = ui::inferred(&lesson.origin) {
        ui.line(styled(YELLOW, &format!("  {inferred}")))?;
    }
    for remark in remarks_on(&lessons, lesson, now)? {
        ui.line(styled(YELLOW, &format!("  {}", spelled_out(&remark))))?;
    }
    for concern in concerns(lesson) {
        ui.line(styled(YELLOW, &format!("  Look twice: it {concern}.")))?;
    }
    if std::iter::once(&lesson.payload.statement).chain(&lesson.payload.commands).any(|t| hides(t)) {
        ui.line(styled(YELLOW, "  Look twice: it holds characters that cannot be seen, shown as <U+…>."))?;
    }
    if let Some(cost) = ui::cost(&lesson.evidence) {
        ui.line(format!("  {cost}"))?;
    }
    let project = Names::of(Some(&lessons), None)?.get(lesson.project());
    ui.line(format!("  Seen in {} of {project}:", ui::count(lesson.evidence.sessions as u64, "session")))?;
    for evidence in lesson.evidence.sightings.iter().take(5) {
        ui.line(styled(DIM, &format!("    {} {} {}", day(evidence.at), evidence.source, evidence.session)))?;
        ui.line(format!("      “{}”", spelled_out(&evidence.quote)))?;
    }
    history(&mut ui, &lessons.changes(Some(&lesson.id))?)?;
    Ok(ui.flush()?)
}

/// Runs `uptake why`.
pub fn why(args: &Args) -> Result<()> {
    let Looked { lessons, stored, judged, mode, now } = Looked::at(&args.id)?;
    let lesson = &stored.lesson;
    let mut lines = why_lines(&stored, &judged, mode, now);
    lines.extend(record_of(&lessons, &lesson.id, now)?);
    lines.extend(contradictions::among_all(&lessons, lesson, now)?);
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        ui.object(&serde_json::json!({
            "id": lesson.id, "status": stored.standing.status(now).as_str(), "judgement": judged, "why": lines,
        }))?;
    } else {
        ui.line(spelled_out(&lesson.payload.statement))?;
        lines.iter().try_for_each(|line| ui.line(format!("  {line}")))?;
        history(&mut ui, &lessons.changes(Some(&lesson.id))?)?;
    }
    Ok(ui.flush()?)
}

/// What all agents that handed a lesson in said with it, each word once.
fn said_with(all: &[(String, HandedIn)], lesson: &str) -> HandedIn {
    let of = |part: fn(&HandedIn) -> &[String]| -> Vec<String> {
        let own = all.iter().filter(|(id, _)| id == lesson);
        own.flat_map(|(_, handed)| part(handed)).cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    HandedIn { tags: of(|h| &h.tags), citations: of(|h| &h.citations) }
}

/// The lessons that cite one: what an agent made of it.
pub(super) fn answers(all: &[(String, HandedIn)], lesson: &str) -> Vec<String> {
    let cites = |handed: &HandedIn| handed.citations.iter().any(|id| lesson.starts_with(id.as_str()));
    let found = all.iter().filter(|(id, handed)| id != lesson && cites(handed));
    found.map(|(id, _)| id.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What a reader said of a lesson, and which others speak against it.
fn remarks_on(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<String>> {
    let mut lines = remarks::lines(lessons, lesson)?;
    lines.extend(alike::lines(lessons, lesson, now)?);
    lines.extend(contradictions::among_lessons(lessons, lesson, now)?);
    Ok(lines)
}

/// A lesson, and how it stands now.
struct Looked {
    lessons: Lessons,
    stored: Stored,
    judged: Judgement,
    mode: Mode,
    now: i64,
}

impl Looked {
    fn at(id: &str) -> Result<Self> {
        let world = World::from_env()?;
        let Some(lessons) = Lessons::open_read_only(&world.data)? else {
            bail!("no lesson has the id `{id}`; `uptake review --all` lists them")
        };
        let lesson = lesson_of(&lessons, id)?;
        let found = lessons.by_id(&lesson.id)?.into_iter().find(|s| s.lesson.id == lesson.id);
        let stored = found.with_context(|| format!("lesson `{id}` went away meanwhile"))?;
        let settings = world.settings()?;
        let judged = settings.thresholds.judge(&stored.lesson, stored.standing.deleted, world.now);
        Ok(Self { lessons, stored, judged, mode: settings.mode, now: world.now })
    }
}

fn concerns(lesson: &Lesson) -> Vec<&'static str> {
    let commands = lesson.payload.commands.iter().map(String::as_str);
    capability::concerns(&lesson.payload.statement, commands).into_iter().map(capability::Concern::as_str).collect()
}

fn why_lines(stored: &Stored, judged: &Judgement, mode: Mode, now: i64) -> Vec<String> {
    let lesson = &stored.lesson;
    let bar = judged.bar;
    let mut lines = vec![
        format!(
            "Confidence {:.2}: {} of {} needed for {}; ready from {:.2} on.",
            judged.confidence,
            ui::count(lesson.evidence.sessions as u64, "session"),
            bar.required,
            lesson.origin.basis.map_or_else(|| ui::a(lesson.kind.as_str()), |_| "what a reader proposes".to_owned()),
            bar.promote
        ),
        format!("{} between first and last sight; {} needed.", ui::count(judged.spread.into(), "day"), bar.spread),
    ];
    if stored.standing.deleted {
        lines.push(format!(
            "You deleted what was made of it: its evidence counts {:.2} times until you approve it anew.",
            PENALTY
        ));
    }
    if let Some(basis) = lesson.origin.basis.filter(|b| b.needs_another() && lesson.evidence.sessions < 2) {
        lines.push(format!("In one session only ({}): it waits until another one says it.", basis.what()));
    } else if !lesson.evidence.quality && lesson.evidence.tally.as_deref() != Some(WITHDRAWN) {
        lines.push(format!("It says too little to be acted on: {}.", missing(lesson)));
    }
    if judged.decay < 1.0 {
        lines.push(format!("Last seen a while ago: its rank counts {:.0} %.", judged.decay * 100.0));
    }
    lines.push(format!("Words by: {}. Seen by: {}.", lesson.origin.trust.as_str(), lesson.origin.detector));
    lines.extend(ui::inferred(&lesson.origin).map(|inferred| format!("{inferred} It ranks lower.")));
    lines.push(verdict_line(stored, mode, now).to_owned());
    if stored.verdict().is_none() && lesson.evidence.worth.ready {
        let pass = match trust::auto_form(lesson) {
            Ok(_) => "In mode `auto` it would be used without your word.".to_owned(),
            Err(waits) => format!("In mode `auto` it would wait, too: {waits}."),
        };
        lines.push(pass);
    }
    lines
}

/// What keeps each detector's finding from being acted on.
const MISSING: &[(&str, &str)] = &[
    ("multi-step", "too few of its steps are this project's own commands"),
    ("error-recovery", "what was run after the failure does not say what to do about it"),
    ("user-correction", "the command that followed is an everyday one or too long, or it was said in one session only"),
    ("repeated-action", "the command has no options of its own, or is too long to be given a name"),
    ("explicit-instruction", "it points at something that was said elsewhere"),
    ("rule", "it may have been meant for one task: it counts when it is said in another session"),
    ("workflow", "it names nothing of this project: everybody commits, pushes and opens a pull request"),
    ("request", "no command followed it both times"),
    ("written-down", "the words were taken out of the file again"),
    ("procedural", "the message is too long for one piece of advice"),
    ("decision", "it names no file, program or option that was decided on"),
    ("pitfall", "it does not name what goes wrong"),
    ("success-sequence", "nobody said that these commands belong together"),
    ("excessive-retries", "it shows what kept failing, and no command that worked instead"),
    ("context-confusion", "it shows what was not found, and no place that will last"),
    ("time-out", "no way was seen to run the command in time"),
    ("problem-solution", "the fix was an edit, and there is no command to run"),
    ("error-fix", "the fix was an edit, and there is no command to run"),
    ("deep-investigation", "it shows what was looked at, not what was found: let an agent write it up"),
    ("discovery", "it shows what was looked at, not what was found: let an agent write it up"),
    ("recurring-failure", "nothing is known that can be done about it"),
    ("tallies", "it only counts what worked"),
    ("checks", "no command is run after changes in a third of the sessions"),
];

/// What would make a lesson worth showing.
fn missing(lesson: &Lesson) -> &'static str {
    if lesson.origin.detector == "error-recovery" && lesson.evidence.sessions < 2 {
        return "the way out of the failure was seen once, and may have been chance";
    }
    let known = MISSING.iter().find(|(detector, _)| *detector == lesson.origin.detector);
    known.map_or("where it comes from, it was not thought good enough", |(_, what)| what)
}

fn verdict_line(stored: &Stored, mode: Mode, now: i64) -> &'static str {
    let by_person = stored.standing.said.is_some_and(|said| said.by == By::Person);
    match stored.standing.status(now) {
        Status::Quarantined => {
            "Its bytes are not those that were approved: it is in quarantine until you look at it again."
        }
        Status::Approved | Status::Created if stored.lesson.evidence.tally.as_deref() == Some(WITHDRAWN) => {
            "You approved it: it is used, although the words were taken out of the file again."
        }
        Status::Approved | Status::Created if by_person => "You approved these very bytes: it is used.",
        Status::Approved | Status::Created if mode == Mode::Auto => "Mode `auto` let it through: it is used.",
        Status::Approved | Status::Created => "Mode `auto` let it through; in mode `review` it waits for your word.",
        Status::Rejected => "You rejected it: it never comes back.",
        Status::Retired(Why::Superseded) => "A newer lesson took its place.",
        Status::Retired(Why::WrittenUp) => {
            "You let an agent write it up, and it did: what it handed in takes its place (uptake review)."
        }
        Status::Retired(Why::NoHelp) => "Its trials showed that it does not help (uptake report).",
        Status::Retired(Why::Deleted) => "It is not used until you approve it anew.",
        Status::Snoozed(_) => "You put it away for a while.",
        Status::Released => "You let the agent write it up.",
        Status::Ready => "It waits for your word: uptake review.",
        Status::Observing if stored.lesson.evidence.tally.as_deref() == Some(WITHDRAWN) => {
            "It is withdrawn: the words were taken out of the file again."
        }
        Status::Observing if !stored.lesson.evidence.quality => {
            "It is not shown, however often it is seen, until it says more."
        }
        Status::Observing => "It is not shown: there is not enough evidence yet.",
    }
}

fn history(ui: &mut Ui, changes: &[Change]) -> Result<()> {
    for change in changes {
        let undone = if change.undone.is_some() { ", taken back" } else { "" };
        ui.line(styled(
            DIM,
            &format!("  {} {} (change {}{undone})", day(Some(change.at)), change.action.as_str(), change.id),
        ))?;
    }
    Ok(())
}

fn day(at: Option<i64>) -> String {
    at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| "no date  ".to_owned(), |t| t.strftime("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::MISSING;
    use uptake_core::detect::DETECTORS;

    #[test]
    fn what_is_missing_is_said_for_every_detector_that_may_say_too_little() {
        for detector in DETECTORS {
            assert!(MISSING.iter().any(|(name, _)| *name == detector.name), "{}", detector.name);
        }
        for (name, _) in MISSING {
            assert!(DETECTORS.iter().any(|d| d.name == *name), "{name}");
        }
    }
}
