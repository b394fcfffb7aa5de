//! `uptake review`: a person's word on what waits.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::learn::{Lesson, staging};
use uptake_core::project::Project;
use uptake_core::recall;
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, Place, Sessions, State, Stored, Verdict, Wanted};

use super::learn::Row;
use crate::accept::{self, Replaced};
use crate::desk::StoreDesk;
use crate::inbox;
use crate::inbox::action::Said;
use crate::skills::Told;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Say yes or no to lessons that wait; nothing is used before a yes
#[derive(ClapArgs)]
pub struct Args {
    /// Approve the lesson with this id (or the start of it)
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,
    /// Reject the lesson with this id for ever
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
    /// Let an agent write up the lesson with this id
    #[arg(long, value_name = "ID")]
    release: Vec<String>,
    /// What was found out with effort, for an agent to write up; at most ten a project
    #[arg(long, conflicts_with = "all")]
    candidates: bool,
    /// Also list what is not ready yet or decided already
    #[arg(long)]
    all: bool,
    /// One JSON object per lesson; nothing is asked
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ReviewRow<'l> {
    #[serde(flatten)]
    lesson: Row<'l>,
    verdict: Option<&'static str>,
    status: &'static str,
    ready: bool,
    hint: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    // Looking must not make anything.
    let decides = [&args.accept, &args.reject, &args.release].iter().any(|ids| !ids.is_empty());
    if !decides && Lessons::open_read_only(&world.data)?.is_none() {
        return nothing_waits(&mut ui);
    }
    let mut lessons = Lessons::open(&world.data)?;
    for (ids, verdict) in
        [(&args.accept, Verdict::Approved), (&args.reject, Verdict::Rejected), (&args.release, Verdict::Released)]
    {
        for id in ids {
            let lesson = one(&lessons, id)?;
            decide(&mut ui, &mut lessons, &lesson, verdict, &world)?;
        }
    }
    if !decides {
        go_through(&mut ui, args, &mut lessons, &world)?;
    }
    Ok(ui.flush()?)
}

/// The lesson of an id, or of an id with the start of the sum of the bytes that were shown with it.
pub(crate) fn one(lessons: &Lessons, given: &str) -> Result<Lesson> {
    let (id, sum) = given.split_once('-').unwrap_or((given, ""));
    let mut found = lessons.by_id(id)?;
    if let [stored] = found.as_slice()
        && !stored.lesson.sha256().starts_with(sum)
    {
        bail!("lesson `{id}` has changed since it was shown; look at it again with `uptake review`");
    }
    match found.len() {
        1 => Ok(found.remove(0).lesson),
        0 => bail!("no lesson has the id `{given}`; `uptake review --all` lists them"),
        n => bail!("{n} lessons have an id that begins with `{id}`; give more of it"),
    }
}

fn go_through(ui: &mut Ui, args: &Args, lessons: &mut Lessons, world: &World) -> Result<()> {
    let which = if args.all { State::Any } else { State::Waiting };
    let mode = world.settings()?.mode;
    let wanted = Wanted { which, now: world.now, mode, ..Wanted::default() };
    let places = if args.candidates { candidates(lessons, world.now)? } else { lessons.order(&wanted)? };
    if !args.json && Ui::has_screen() {
        return in_inbox(ui, places, args, lessons, world);
    }
    let list = lessons.at(&places)?;
    let list = if args.all { list } else { not_said_yet(list, world)? };
    if args.json {
        return list.iter().try_for_each(|s| {
            let row = ReviewRow {
                lesson: Row::of(&s.lesson),
                verdict: s.verdict.map(Verdict::as_str),
                status: s.status(),
                ready: s.lesson.ready,
                hint: hint(&s.lesson),
            };
            Ok(ui.object(&row)?)
        });
    }
    if list.is_empty() {
        return nothing_waits(ui);
    }
    let asks = Ui::can_ask();
    for stored in &list {
        show(ui, &stored.lesson, stored.verdict)?;
        if !asks || args.all && stored.verdict.is_some() {
            continue;
        }
        let answer = ui.answer("   Use it? [y]es, [n]o for ever, [s]kip, [q]uit: ")?;
        match answer.as_deref() {
            Some("y" | "Y" | "yes") => decide(ui, lessons, &stored.lesson, Verdict::Approved, world)?,
            Some("n" | "N" | "no") => decide(ui, lessons, &stored.lesson, Verdict::Rejected, world)?,
            Some("q" | "Q" | "quit") | None => break,
            Some(_) => {}
        }
    }
    if !asks {
        ui.line("\nSay yes with: uptake review --accept ID")?;
    }
    Ok(())
}

/// Undecided candidates for an agent to write up, project by project.
pub(super) fn candidates(lessons: &Lessons, now: i64) -> Result<Vec<Place>> {
    let mut places = lessons.order(&Wanted { now, ..Wanted::default() })?;
    places.retain(|p| staging::is_candidate(&p.detector));
    let open = lessons.at(&places)?.into_iter().filter(|s| s.verdict.is_none()).map(|s| s.lesson);
    let mut by_project: BTreeMap<String, Vec<Lesson>> = BTreeMap::new();
    open.for_each(|l| by_project.entry(l.project.clone()).or_default().push(l));
    let kept: Vec<String> = by_project.values().flat_map(|l| staging::staged(l)).map(|l| l.id.clone()).collect();
    let mut places: BTreeMap<String, Place> = places.into_iter().map(|p| (p.id.clone(), p)).collect();
    Ok(kept.iter().filter_map(|id| places.remove(id)).collect())
}

/// The full screen; afterwards one line of what was decided.
fn in_inbox(ui: &mut Ui, places: Vec<Place>, args: &Args, lessons: &mut Lessons, world: &World) -> Result<()> {
    let Some(decided) = inbox::run(&mut StoreDesk::new(lessons, world, places, args.all)?)? else {
        return nothing_waits(ui);
    };
    if decided.is_empty() {
        return Ok(ui.line("Nothing was decided.")?);
    }
    ui.line(format!("Decided: {decided}. Look again with `uptake list`, take back with `uptake undo`."))?;
    match accept::how_to_be_heard(&world.home).filter(|_| decided.contains(Said::Accepted.as_str())) {
        Some(how) => Ok(ui.line(how)?),
        None => Ok(()),
    }
}

impl From<Verdict> for Said {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Accepted,
            Verdict::Rejected => Self::Rejected,
            Verdict::Snoozed => Self::Snoozed,
            Verdict::Released => Self::Released,
        }
    }
}

/// Leaves out what a skill, CLAUDE.md or AGENTS.md says already.
fn not_said_yet(list: Vec<Stored>, world: &World) -> Result<Vec<Stored>> {
    let sessions = Sessions::open_read_only(&world.data)?;
    let mut told: HashMap<String, Told> = HashMap::new();
    let mut out = Vec::new();
    for stored in list {
        let key = &stored.lesson.project;
        if !told.contains_key(key) {
            told.insert(key.clone(), accept::told(world, sessions.as_ref(), key)?);
        }
        if !told.get(key).is_some_and(|t| t.says(&stored.lesson)) {
            out.push(stored);
        }
    }
    Ok(out)
}

/// What an agent would hear after the error; `None` for lessons without an error, too long to be told, or of a folder
/// of transcripts whose project is not known.
pub(crate) fn hint(lesson: &Lesson) -> Option<String> {
    lesson
        .trigger
        .as_ref()
        .filter(|_| !lesson.project.starts_with("folder:"))
        .and_then(|_| recall::envelope(&[&recall::hint(lesson)]))
        .map(|t| t.text)
}

fn show(ui: &mut Ui, lesson: &Lesson, verdict: Option<Verdict>) -> Result<()> {
    let word = verdict.map(|v| format!(" ({})", v.as_str())).unwrap_or_default();
    ui.line(format!("\n{} {}{word}", styled(BOLD, &lesson.shown_id()), lesson.name))?;
    ui.line(format!("   {}", spelled_out(&lesson.statement)))?;
    if let (Some(trigger), Some(hint)) = (&lesson.trigger, hint(lesson)) {
        ui.line(format!("   When `{}` fails with: {}", trigger.program, spelled_out(&trigger.error)))?;
        ui.line("   the agent is told:")?;
        for line in hint.lines() {
            ui.line(format!("     {}", spelled_out(line)))?;
        }
        ui.line(styled(DIM, &format!("   about {} tokens", hint.len().div_ceil(4))))?;
    }
    let project = Project::from_key(&lesson.project).name;
    let from = format!(
        "Seen in {} ({}) of {project}; words by: {}",
        ui::count(lesson.sessions as u64, "session"),
        lesson.sources.join(", "),
        lesson.trust.as_str()
    );
    Ok(ui.line(styled(DIM, &format!("   {from}")))?)
}

/// Says which older lessons were retired.
pub(crate) fn tell_replaced(ui: &mut Ui, replaced: &[Replaced]) -> Result<()> {
    for old in replaced {
        let text = spelled_out(&old.lesson.statement);
        ui.line(format!("  It takes the place of {}: {text} ({})", old.lesson.id, old.why))?;
    }
    Ok(())
}

fn nothing_waits(ui: &mut Ui) -> Result<()> {
    if !ui.json {
        ui.line("Nothing waits for a word from you. `uptake learn` looks for more.")?;
    }
    Ok(ui.flush()?)
}

/// Writes the verdict. A lesson with an error is recalled when the error comes up again; any other becomes a skill.
fn decide(ui: &mut Ui, lessons: &mut Lessons, lesson: &Lesson, verdict: Verdict, world: &World) -> Result<()> {
    let mut skills = Vec::new();
    if verdict == Verdict::Approved && hint(lesson).is_none() {
        let sessions = Sessions::open_read_only(&world.data)?;
        let mut told = accept::told(world, sessions.as_ref(), &lesson.project)?;
        skills = accept::save_as_skill(world, lessons, lesson, &mut told)?;
    } else {
        lessons.decide(lesson, verdict, world.now)?;
    }
    let replaced = match verdict {
        Verdict::Approved => accept::retire_older(world, lessons, lesson)?,
        _ => Vec::new(),
    };
    if ui.json {
        let replaced: Vec<&str> = replaced.iter().map(|r| r.lesson.id.as_str()).collect();
        return Ok(ui.object(&serde_json::json!({
            "id": lesson.id, "verdict": verdict.as_str(), "sha256": lesson.sha256(), "skills": skills,
            "superseded": replaced,
        }))?);
    }
    let line = match verdict {
        Verdict::Approved if skills.is_empty() => {
            format!("{} Approved {}: it is recalled when its error comes up again.", styled(GREEN, "✓"), lesson.id)
        }
        Verdict::Approved => {
            let places: Vec<String> = skills.iter().map(|p| p.display().to_string()).collect();
            format!("{} Approved {} and saved as {}", styled(GREEN, "✓"), lesson.id, places.join(", "))
        }
        Verdict::Rejected => format!("Rejected {}; it will not come back.", lesson.id),
        Verdict::Snoozed => format!("Put {} away for now.", lesson.id),
        Verdict::Released => format!("Released {}: the agent may write it up.", lesson.id),
    };
    ui.line(line)?;
    ui.line(format!("  {}", spelled_out(&lesson.statement)))?;
    tell_replaced(ui, &replaced)?;
    let fix = verdict == Verdict::Approved && skills.is_empty();
    match accept::how_to_be_heard(&world.home).filter(|_| fix) {
        Some(how) => Ok(ui.line(how)?),
        None => Ok(()),
    }
}
