//! `uptake review`: a person's word on what waits.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Lesson, staging};
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, ListPlace, Sessions, StoreError, Stored, Wanted, Which};

use super::asking::{Answer, LEGEND, ask};
use super::lesson_row::LessonRow;
use super::show::answers;
use crate::approve::desk::StoreDesk;
use crate::approve::{self, Around, Decision, Done, Replaced, ToldByProject, UsedAs, Wish, contradictions};
use crate::connected;
use crate::inbox;
use crate::inbox::action::Choice;
use crate::project::Names;
use crate::reader::chosen::Chosen;
use crate::skills::Told;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Say yes or no to lessons that wait; nothing is used before a yes
#[derive(ClapArgs)]
pub struct Args {
    /// Approve the lesson with this id (or the start of it)
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,
    /// With --accept: save it as a skill file: of its project if that wants files, else for all your projects
    #[arg(long, requires = "accept")]
    skill: bool,
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
    lesson: LessonRow<'l>,
    verdict: Option<&'static str>,
    status: &'static str,
    ready: bool,
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written_up_as: Vec<String>,
}

impl<'l> ReviewRow<'l> {
    fn of(stored: &'l Stored, now: i64) -> Self {
        Self {
            lesson: LessonRow::of(&stored.lesson),
            verdict: stored.verdict().map(Verdict::as_str),
            status: stored.standing.status(now).as_str(),
            ready: stored.lesson.evidence.worth.ready,
            hint: approve::hint(&stored.lesson),
            written_up_as: Vec::new(),
        }
    }
}

/// Lessons that are read at a time.
const PAGE: usize = 500;

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    let decides = [&args.accept, &args.reject, &args.release].iter().any(|ids| !ids.is_empty());
    if !decides {
        // Looking must not make anything.
        let Some(seen) = Lessons::open_read_only(&world.data)? else { return nothing_waits(&mut ui) };
        go_through(&mut ui, args, seen, &world)?;
        return Ok(ui.flush()?);
    }
    let mut lessons = Lessons::open(&world.data)?;
    approve::finish_writing(&world, &mut lessons)?;
    let wish = if args.skill { Wish::Skill } else { Wish::Usual };
    let mut around = Around::default();
    accept_all(&mut ui, args, &world, &mut lessons, &mut around, wish)?;
    for (ids, decision) in [(&args.reject, Decision::No), (&args.release, Decision::Release)] {
        for id in ids {
            let lesson = approve::lesson_of(&lessons, id)?;
            let done = approve::decide_among(&world, &mut lessons, &mut around, &lesson, decision.clone())?;
            tell(&mut ui, &lesson, &done)?;
        }
    }
    Ok(ui.flush()?)
}

/// Says yes to all that are named. Those that can be written are approved; then the first failure is told.
fn accept_all(
    ui: &mut Ui,
    args: &Args,
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    wish: Wish,
) -> Result<()> {
    let mut shown: Vec<Lesson> = Vec::new();
    for id in &args.accept {
        let lesson = approve::lesson_of(lessons, id)?;
        if shown.iter().all(|other| other.id != lesson.id) {
            shown.push(lesson);
        }
    }
    let mut failed = Ok(());
    for page in shown.chunks(PAGE) {
        let results = approve::approve_all(world, lessons, around, page, wish)?;
        for (lesson, done) in page.iter().zip(&results) {
            done.iter().try_for_each(|done| tell(ui, lesson, done))?;
        }
        tell_how(ui, &results.iter().flatten().collect::<Vec<_>>(), world)?;
        failed = failed.and(results.into_iter().collect::<Result<Vec<Done>>>().map(drop));
    }
    if failed.is_err() {
        ui.flush()?;
    }
    failed
}

/// Opened for writing where a person can be asked, if that is possible; otherwise everything is only shown.
fn if_asked(args: &Args, seen: Lessons, world: &World) -> Result<(Lessons, bool)> {
    if args.json || !Ui::can_ask() {
        return Ok((seen, false));
    }
    match Lessons::open(&world.data) {
        Err(e @ StoreError::ReadOnly { .. }) => {
            Ui::note(format!("{e}: nothing can be decided"));
            Ok((seen, false))
        }
        opened => {
            let mut lessons = opened?;
            approve::finish_writing(world, &mut lessons)?;
            Ok((lessons, true))
        }
    }
}

/// So many lessons at most are held against all others when they are listed; `why` tells it of each.
const COMPARED: usize = 200;

fn go_through(ui: &mut Ui, args: &Args, seen: Lessons, world: &World) -> Result<()> {
    let (mut lessons, asks) = if_asked(args, seen, world)?;
    let lessons = &mut lessons;
    let which = if args.all { Which::Any } else { Which::Waiting };
    let mode = world.settings()?.mode;
    let wanted = Wanted { which, now: world.now, mode, ..Wanted::default() };
    let mut places = if args.candidates { candidates(lessons, world.now)? } else { lessons.order(&wanted)? };
    if !args.candidates {
        Chosen::of(lessons, &places)?.put_first(&mut places);
    }
    if asks && Ui::has_screen() {
        return in_inbox(ui, places, args, lessons, world);
    }
    let mut unsaid = Unsaid::new(world)?;
    let names = Names::of(Some(lessons), None)?;
    let mut shown = 0;
    for page in places.chunks(PAGE) {
        for stored in lessons.at(page)? {
            let told = unsaid.told(world, &stored.lesson)?;
            if !args.all && told.says(&stored.lesson) {
                continue;
            }
            let known = told.known(&stored.lesson);
            shown += 1;
            if args.json {
                ui.object(&ReviewRow::of(&stored, world.now))?;
                continue;
            }
            if asks && shown == 1 {
                ui.line(styled(DIM, LEGEND))?;
            }
            let opposed = contradictions::in_files(told, &stored.lesson);
            show(ui, &stored, lessons, &names, world)?;
            if let Some(known) = known {
                ui.line(styled(DIM, &format!("   {}. {known}.", spelled_out(&stored.lesson.payload.title))))?;
            }
            // A list that nobody reads to its end need not hold everything against everything.
            let among = match places.len() <= COMPARED {
                true => contradictions::among_lessons(lessons, &stored.lesson, world.now)?,
                false => Vec::new(),
            };
            among.iter().chain(&opposed).try_for_each(|line| ui.line(format!("   ! {}", spelled_out(line))))?;
            if asks && !(args.all && stored.verdict().is_some()) && !goes_on(ui, lessons, &stored.lesson, world)? {
                return Ok(());
            }
        }
    }
    let written_up = if args.candidates { tell_written_up(ui, lessons, &names, world)? } else { 0 };
    if args.json {
        return Ok(());
    }
    for line in contradictions::withdrawn(lessons, world.now)? {
        ui.line(format!("\n! {}", spelled_out(&line)))?;
    }
    if shown == 0 && written_up > 0 {
        return Ok(());
    }
    if shown == 0 {
        return nothing_waits(ui);
    }
    if !asks {
        ui.line("\nSay yes with: uptake review --accept ID")?;
    }
    Ok(())
}

/// Asks about a lesson and carries out the answer. Whether the next one is to be shown.
fn goes_on(ui: &mut Ui, lessons: &mut Lessons, lesson: &Lesson, world: &World) -> Result<bool> {
    match ask(ui, &approve::used_as(world, lessons, lesson, Wish::Usual)?)? {
        Answer::Decided(decision) => {
            let done = approve::decide(world, lessons, lesson, decision)?;
            tell(ui, lesson, &done)?;
            tell_how(ui, &[&done], world)?;
        }
        Answer::Skip => {}
        Answer::Stop => return Ok(false),
    }
    Ok(true)
}

/// Undecided candidates for an agent to write up, project by project.
pub(super) fn candidates(lessons: &Lessons, now: i64) -> Result<Vec<ListPlace>> {
    let mut places = lessons.order(&Wanted { now, ..Wanted::default() })?;
    places.retain(|p| staging::is_candidate(&p.detector));
    let open = lessons.at(&places)?.into_iter().filter(|s| s.verdict().is_none()).map(|s| s.lesson);
    let mut by_project: BTreeMap<String, Vec<Lesson>> = BTreeMap::new();
    open.for_each(|l| by_project.entry(l.project().to_owned()).or_default().push(l));
    let kept: Vec<String> = by_project.values().flat_map(|l| staging::staged(l)).map(|l| l.id.clone()).collect();
    let mut places: BTreeMap<String, ListPlace> = places.into_iter().map(|p| (p.id.clone(), p)).collect();
    Ok(kept.iter().filter_map(|id| places.remove(id)).collect())
}

/// Says what agents wrote up, and as what. Answers how many there are.
fn tell_written_up(ui: &mut Ui, lessons: &Lessons, names: &Names, world: &World) -> Result<usize> {
    let all = lessons.written_up()?;
    for stored in &all {
        let lesson = &stored.lesson;
        let answers = answers(&lessons.handed_in(lesson.project())?, &lesson.id);
        if ui.json {
            ui.object(&ReviewRow { written_up_as: answers, ..ReviewRow::of(stored, world.now) })?;
            continue;
        }
        let of = names.get(lesson.project());
        ui.line(format!("\n{} {} (written up)", styled(BOLD, &lesson.shown_id()), lesson.payload.name))?;
        ui.line(format!("   {}", spelled_out(&lesson.payload.statement)))?;
        let what = if answers.is_empty() { "something that is gone".to_owned() } else { answers.join(", ") };
        ui.line(styled(DIM, &format!("   An agent handed in {what} for {of}: uptake review")))?;
    }
    Ok(all.len())
}

/// The full screen; afterwards one line of what was decided.
fn in_inbox(ui: &mut Ui, places: Vec<ListPlace>, args: &Args, lessons: &mut Lessons, world: &World) -> Result<()> {
    let decided = inbox::run(&mut StoreDesk::new(lessons, world, places, args.all)?)?;
    for line in contradictions::withdrawn(lessons, world.now)? {
        ui.line(format!("! {}", spelled_out(&line)))?;
    }
    let Some(decided) = decided else { return nothing_waits(ui) };
    if decided.is_empty() {
        return Ok(ui.line("Nothing was decided.")?);
    }
    ui.line(format!("Decided: {decided}. Look again with `uptake list`, take back with `uptake undo`."))?;
    match connected::how_to_be_heard(&world.home).filter(|_| decided.contains(Choice::Accepted.as_str())) {
        Some(how) => Ok(ui.line(how)?),
        None => Ok(()),
    }
}

impl From<Verdict> for Choice {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Accepted,
            // Both are out of use for good.
            Verdict::Rejected | Verdict::Superseded | Verdict::Retired => Self::Rejected,
            Verdict::Snoozed => Self::Snoozed,
            Verdict::Released => Self::Released,
        }
    }
}

/// What a skill, CLAUDE.md or AGENTS.md says already needs no word.
struct Unsaid {
    sessions: Option<Sessions>,
    told: ToldByProject,
}

impl Unsaid {
    fn new(world: &World) -> Result<Self> {
        Ok(Self { sessions: Sessions::open_read_only(&world.data)?, told: ToldByProject::default() })
    }

    fn told(&mut self, world: &World, lesson: &Lesson) -> Result<&Told> {
        self.told.of(world, self.sessions.as_ref(), lesson.project())
    }
}

fn show(ui: &mut Ui, stored: &Stored, lessons: &Lessons, names: &Names, world: &World) -> Result<()> {
    let (lesson, verdict) = (&stored.lesson, stored.verdict());
    let word = verdict.map(|v| format!(" ({})", v.as_str())).unwrap_or_default();
    ui.line(format!("\n{} {}{word}", styled(BOLD, &lesson.shown_id()), lesson.payload.name))?;
    ui.line(format!("   {}", spelled_out(&lesson.payload.statement)))?;
    if let Some(trigger) = &lesson.payload.trigger {
        ui.line(format!("   When `{}` fails with: {}", trigger.program, spelled_out(&trigger.error)))?;
    }
    match approve::used_as(world, lessons, lesson, Wish::Usual)? {
        UsedAs::Skill => ui.line(format!("   A yes saves it as a skill: {}", lesson.payload.name))?,
        UsedAs::Command => ui.line(format!("   A yes saves it as a slash command: {}", lesson.payload.name))?,
        UsedAs::Entry(file) => ui.line(format!("   A yes adds it to the project's {}", file.name()))?,
        UsedAs::Start(_) => ui.line("   After a yes agents are told at the start of a session")?,
        UsedAs::Hint(hint) => {
            ui.line("   the agent is told:")?;
            for line in hint.lines() {
                ui.line(format!("     {}", spelled_out(line)))?;
            }
            ui.line(styled(DIM, &format!("   about {} tokens", hint.len().div_ceil(4))))?;
        }
    }
    let project = names.get(lesson.project());
    let from = format!(
        "Seen in {} ({}) of {project}; words by: {}",
        ui::count(lesson.evidence.sessions as u64, "session"),
        lesson.evidence.sources.join(", "),
        lesson.origin.trust.as_str()
    );
    Ok(ui.line(styled(DIM, &format!("   {from}")))?)
}

/// Says which older lessons were retired.
pub(crate) fn tell_replaced(ui: &mut Ui, replaced: &[Replaced]) -> Result<()> {
    for old in replaced {
        let text = spelled_out(&old.lesson.payload.statement);
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

/// Says what became of a lesson.
fn tell(ui: &mut Ui, lesson: &Lesson, done: &Done) -> Result<()> {
    if ui.json {
        let superseded: Vec<&str> = done.replaced.iter().map(|r| r.lesson.id.as_str()).collect();
        return Ok(ui.object(&serde_json::json!({
            "id": lesson.id, "verdict": done.verdict.as_str(), "sha256": lesson.sha256(), "skills": done.files,
            "used_as": done.used_as.as_ref().map(UsedAs::as_str), "superseded": superseded,
        }))?);
    }
    ui.line(outcome(done))?;
    ui.line(format!("  {}", spelled_out(&lesson.payload.statement)))?;
    tell_replaced(ui, &done.replaced)
}

/// Says how agents hear what was approved, if none would.
fn tell_how(ui: &mut Ui, done: &[&Done], world: &World) -> Result<()> {
    let told = |d: &&Done| matches!(d.used_as, Some(UsedAs::Hint(_) | UsedAs::Start(_)));
    if ui.json || !done.iter().any(told) {
        return Ok(());
    }
    match connected::how_to_be_heard(&world.home) {
        Some(how) => Ok(ui.line(how)?),
        None => Ok(()),
    }
}

fn outcome(done: &Done) -> String {
    let id = &done.lesson.id;
    let tick = styled(GREEN, "✓");
    match (done.verdict, &done.used_as) {
        (_, Some(UsedAs::Hint(_))) => format!("{tick} Approved {id}: agents are told when its error comes up again."),
        (_, Some(UsedAs::Start(_))) => format!("{tick} Approved {id}: agents are told at the start of a session."),
        (_, Some(UsedAs::Entry(_))) if done.files.is_empty() => {
            format!("{tick} Approved {id}: an entry says the same already.")
        }
        (_, Some(UsedAs::Skill | UsedAs::Command | UsedAs::Entry(_))) => {
            let places: Vec<String> = done.files.iter().map(|p| p.display().to_string()).collect();
            format!("{tick} Approved {id} and saved as {}", places.join(", "))
        }
        (Verdict::Rejected, _) => format!("Rejected {id}; it will not come back."),
        (Verdict::Released, _) => format!("Released {id}: the agent may write it up."),
        _ => format!("Put {id} away for now."),
    }
}
