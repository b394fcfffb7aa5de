//! `uptake learn`: reads the history on disk and shows the few things worth keeping.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use uptake_core::detect::{Kind, READER};
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, facts};
use uptake_core::redact::spelled_out;
use uptake_store::{By, Lessons, Sessions, spool};

use self::suggestions::{Suggestions, after_one_session, suggestions};
use super::asking::{Answer, LEGEND, ask};
use super::lesson_row::{LessonRow, NotedRow};
use super::review::tell_replaced;
use crate::agents::AGENTS;
use crate::approve::{self, Around, Decision, Done, Reconciled, UsedAs, Wish, contradictions};
use crate::ingest::{self, Ingested};
use crate::project::{Names, one_spelling};
use crate::reader::remarks;
use crate::regroup::{self, Join};
use crate::skills::Known;
use crate::stores::Stores;
use crate::transcripts::{self, Found};
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;
use crate::{background, connected, cycle, env_vars, guards, hook, retros, trials};

mod first;
mod ranking;
mod reading;
mod suggestions;

pub(super) use self::first::First;
pub(super) use self::suggestions::shown_by_default;

mod demo {
    include!(concat!(env!("OUT_DIR"), "/demo.rs"));
}

/// Read the sessions on this machine and show the few things worth keeping
///
/// Without PATH all transcripts of all known agents are read, only what is new since the last time.
/// After a yes a suggestion is used in its project: a fix is recalled when its error comes up again.
#[derive(ClapArgs, Default)]
pub struct Args {
    /// Transcripts or folders of transcripts, instead of the agents' own folders
    paths: Vec<PathBuf>,
    /// Show it on sessions that come with uptake, in a throw-away store
    #[arg(long, conflicts_with = "paths")]
    demo: bool,
    /// Show everything that is ready, also what was seen once, not only the best five (setting `shown`)
    #[arg(long)]
    all: bool,
    /// Save every suggestion shown, without asking
    #[arg(long, short)]
    yes: bool,
    /// Save what is approved as skill files: of its project if that wants files, else for all your projects
    #[arg(long)]
    skill: bool,
    /// One JSON object per suggestion; nothing is asked or saved
    #[arg(long)]
    json: bool,
    /// Started by a hook when sessions ended: only if it is time, and never for long
    #[arg(long, hide = true, conflicts_with_all = ["paths", "demo", "yes"])]
    background: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.demo {
        return run_demo(args);
    }
    let world = World::from_env()?;
    if args.background {
        return in_background(&world);
    }
    if args.paths.is_empty() && !world.settings()?.enabled {
        Ui::note("uptake is switched off: nothing was read. Switch it on with: uptake enable");
        return Ok(());
    }
    let found = if args.paths.is_empty() { transcripts::find_all(&world.home) } else { transcripts::find(&args.paths) };
    if found.transcripts.is_empty() && !(args.paths.is_empty() && has_sessions(&world)?) {
        // A person's own lessons are told without any session: what hooks wrote down is taken over all the same.
        if args.paths.is_empty() && Lessons::open_quickly(&world.data)?.is_some() {
            quietly(&world)?;
        }
        return nothing_found(args, &world, &found);
    }
    let mut ui = Ui::stdout(args.json);
    learn(&mut ui, args, &world, &found)?;
    Ok(ui.flush()?)
}

/// What a hook started: nobody watches, so nothing is asked and nothing is told.
fn in_background(world: &World) -> Result<()> {
    background::detach(&world.data)?;
    let settings = world.settings()?;
    if !settings.enabled || env_vars::is_off() {
        return Ok(());
    }
    let Some(_turn) = background::Turn::take(&world.data, world.now, &settings)? else { return Ok(()) };
    let done = quietly(world).and_then(|()| retros::after_session(&world.data, world.now));
    done.inspect_err(|e| hook::note(&world.data, &format!("learning in the background: {e:#}")))
}

/// Reads what is new; nothing is asked or told.
pub(super) fn quietly(world: &World) -> Result<()> {
    learn(&mut Ui::nowhere(), &Args { json: true, ..Args::default() }, world, &transcripts::find_all(&world.home))
}

fn run_demo(args: &Args) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (name, text) in demo::DEMO {
        let path = folder.path().join("sessions/demo").join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    let at = |name: &str| folder.path().join(name);
    let world = World { home: at("home"), data: at("uptake"), config: at("config.toml"), now: crate::world::now() };
    let mut ui = Ui::stdout(args.json);
    if !args.json {
        ui.line("A demonstration on sessions recorded with Claude Code and Codex in a small sample project.")?;
        ui.line("Its store and its skills are thrown away at the end.\n")?;
    }
    let found = transcripts::find(&[folder.path().join("sessions")]);
    learn(&mut ui, args, &world, &found)?;
    if !args.json {
        ui.line(styled(DIM, "\nThe same on your own sessions: uptake learn"))?;
    }
    Ok(ui.flush()?)
}

/// Whether sessions are kept: clients delete transcripts, and what is kept of them may have to be looked at again.
fn has_sessions(world: &World) -> Result<bool> {
    Ok(Sessions::open_read_only(&world.data)?.map_or(Ok(0), |s| s.count())? > 0)
}

fn nothing_found(args: &Args, world: &World, found: &Found) -> Result<()> {
    ensure!(
        found.unreadable.is_empty(),
        "cannot read `{}`: {}",
        found.unreadable[0].path.display(),
        found.unreadable[0].why
    );
    if !args.paths.is_empty() {
        let list: Vec<String> = args.paths.iter().map(|p| format!("`{}`", p.display())).collect();
        anyhow::bail!("no transcripts in {} (looked for *.jsonl, *.json and *.db)", list.join(", "));
    }
    let mut ui = Ui::stdout(args.json);
    if !args.json {
        ui.line("No sessions of a coding agent were found. uptake looked in:")?;
        for agent in AGENTS {
            for folder in agent.transcript_folders(&world.home) {
                ui.line(format!("  {:12} {}", agent.title, folder.display()))?;
            }
        }
        ui.line("To see what it does: uptake learn --demo")?;
    }
    Ok(ui.flush()?)
}

fn learn(ui: &mut Ui, args: &Args, world: &World, found: &Found) -> Result<()> {
    let started = Instant::now();
    let settings = world.settings()?;
    let mut stores = Stores::open(&world.data)?;
    take_over_spool(&mut stores, world)?;
    let ingested = ingest::ingest(found, &mut stores, world, &settings)?;
    if !args.json {
        summary(ui, &ingested, started)?;
    }
    join(ui, args, world, &mut stores, &ingested.joins)?;
    let own = args.paths.is_empty() && !args.demo;
    let asks = own && !args.json && !args.yes && Ui::can_ask();
    let settings = if asks { reading::offer(ui, world, &mut stores, settings)? } else { settings };
    let read = !args.demo && reading::read(ui, world, &mut stores, &settings)?;
    let new = ingested.report.read > 0 || ingested.again > 0 || read;
    // What followed a hint stands in its session, and that has grown since.
    let due = new || cycle::sessions::is_due(&stores)?;
    let judged = if due { cycle::after_reading(&mut stores, &settings, world)? } else { Vec::new() };
    for (lesson, fate) in judged {
        if !args.json {
            ui.line(trials::retired(&lesson, fate))?;
        }
    }
    put_right(ui, args, world, &mut stores, settings.mode, new)?;
    guards::renew(&mut stores, &settings)?;
    stores.lessons.shorten_journal()?;
    ui.flush()?;
    for line in ingested.report.lines() {
        Ui::note(styled(YELLOW, &line));
    }
    let one = (!args.paths.is_empty() || args.demo) && found.transcripts.len() == 1;
    let found = if one {
        after_one_session(&mut stores, world, found)?
    } else {
        suggestions(&stores, args, world, found, &settings)?
    };
    if args.json {
        for lesson in &found.shown {
            match found.known.get(&lesson.id) {
                Some(known) => ui.object(&NotedRow::of(lesson, known))?,
                None => ui.object(&LessonRow::of(lesson))?,
            }
        }
        return found.noted.iter().try_for_each(|n| Ok(ui.object(&NotedRow::of(&n.lesson, &n.known))?));
    }
    let wish = if args.skill { Wish::Skill } else { Wish::Usual };
    offer(ui, args, world, &mut stores, &found, wish)?;
    if found.more > 0 {
        ui.line(format!("{} more, less sure: uptake learn --all", found.more))?;
    }
    Ok(())
}

/// Parts of a project that are named in one line.
const PARTS: usize = 4;

/// Makes projects one that turned out to be, and tells it: one line for each that others became part of.
fn join(ui: &mut Ui, args: &Args, world: &World, stores: &mut Stores, joins: &[Join]) -> Result<()> {
    if joins.is_empty() {
        return Ok(());
    }
    let names = Names::of(Some(&stores.lessons), Some(&stores.sessions))?;
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Join { from, to } in joins {
        let to = stores.lessons.project_of(to)?;
        super::project::join(world, stores, from, &to, By::Rules)?;
        // Another spelling of the same path is no news.
        if from.strip_prefix("path:").map(one_spelling) != to.strip_prefix("path:").map(str::to_owned) {
            told.entry(to).or_default().push(names.get(from));
        }
    }
    regroup::joined(stores)?;
    for (to, parts) in told.iter().filter(|_| !args.json) {
        let more = parts.len().saturating_sub(PARTS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let is = if parts.len() == 1 { "is" } else { "are" };
        let (some, to) = (parts[..parts.len().min(PARTS)].join(", "), names.get(to));
        ui.line(format!(
            "{some}{more} {is} part of {to} (why: uptake project show {to}; take one back: uptake undo --list)"
        ))?;
    }
    Ok(())
}

/// For so long what hooks find lessons by is made anew; the next run goes on.
const WORDING: Duration = Duration::from_secs(5);

fn take_over_spool(stores: &mut Stores, world: &World) -> Result<()> {
    const DAY: u64 = 86_400_000;
    spool::sweep_asked(&world.data, world.now);
    let begun = Instant::now();
    stores.lessons.word_again(|| begun.elapsed() < WORDING)?;
    for (path, records) in spool::read_all(&world.data) {
        let told: Vec<spool::Shown> = records.iter().filter(|r| !r.withheld).cloned().collect();
        stores.lessons.keep_trials(&told)?;
        stores.lessons.keep_outcomes(&records)?;
        // The hook reads in it what a running session has heard: it goes a day after the last record.
        // One from the future was written when the clock was wrong.
        if records.iter().all(|r| r.at.abs_diff(world.now) > DAY) {
            spool::remove(&path, &records);
        }
    }
    Ok(())
}

/// Makes the files fit the approvals, and in mode `auto` approves what the rules let through.
fn put_right(ui: &mut Ui, args: &Args, world: &World, stores: &mut Stores, mode: Mode, new: bool) -> Result<()> {
    let Reconciled { deleted: retired, files, .. } = approve::reconcile(world, &mut stores.lessons, mode)?;
    // Without anything new no new lesson can pass.
    let new = stores.lessons.renote("mode", mode.as_str())? || new;
    let passed = if mode == Mode::Auto && new { approve::by_rules(world, stores)? } else { Vec::new() };
    if args.json {
        return Ok(());
    }
    for id in &retired {
        ui.line(format!("You deleted what was made of lesson {id}: it is retired until you approve it anew."))?;
    }
    for path in &files.removed {
        ui.line(format!("Removed {}: its lesson is not approved in these words.", path.display()))?;
    }
    for lesson in &passed {
        let text = spelled_out(&lesson.payload.statement);
        ui.line(format!("{} Used from now on (mode auto): {} {text}", styled(GREEN, "✓"), lesson.id))?;
    }
    if !passed.is_empty() {
        ui.line("Take one back with: uptake undo --list, then uptake undo N")?;
    }
    Ok(())
}

fn summary(ui: &mut Ui, ingested: &Ingested, started: Instant) -> Result<()> {
    let report = &ingested.report;
    let what = ui::count(ingested.transcripts as u64, "transcript");
    let line = if report.read == 0 {
        format!("{what}, nothing new.")
    } else {
        let projects = ui::count(ingested.changed.len() as u64, "project");
        format!(
            "{what}, {} new or grown ({}) in {projects}, read in {:.1} s.",
            report.read,
            ui::size(report.bytes),
            started.elapsed().as_secs_f64()
        )
    };
    ui.line(line)?;
    if ingested.again > 0 {
        let sessions = ui::count(ingested.again as u64, "session");
        ui.line(format!("The detectors are newer than last time: {sessions} looked at again."))?;
    }
    Ok(())
}

/// Shows suggestions, asks, and carries out the answers.
fn offer(ui: &mut Ui, args: &Args, world: &World, stores: &mut Stores, found: &Suggestions, wish: Wish) -> Result<()> {
    let (lessons, noted) = (&found.shown, &found.noted);
    if lessons.is_empty() && noted.is_empty() {
        ui.line("Nothing new that is worth keeping.")?;
        return Ok(());
    }
    if !lessons.is_empty() {
        ui.line(format!("\n🔍 Learning: detected {} skill pattern(s)", lessons.len()))?;
    }
    let asks = Ui::can_ask() && !args.yes;
    if asks {
        ui.line(styled(DIM, LEGEND))?;
    }
    let mut told = false;
    let names = Names::of(Some(&stores.lessons), None)?;
    let mut around = Around::default();
    let all = lessons
        .iter()
        .map(|lesson| (lesson, found.known.get(&lesson.id)))
        .chain(noted.iter().map(|n| (&n.lesson, Some(&n.known))));
    for (n, (lesson, known)) in all.enumerate() {
        if n == lessons.len() {
            let many = ui::count(noted.len() as u64, "statement");
            ui.line(format!("\n📒 Written down by an agent, and not known to all: {many}"))?;
        }
        show(ui, lesson, known, &names)?;
        remarked(ui, &stores.lessons, lesson, world.now)?;
        let used_as = approve::used_as(world, &stores.lessons, lesson, wish)?;
        let answer = match (args.yes, asks) {
            (true, _) => Answer::Decided(Decision::Yes(wish)),
            (_, true) => ask(ui, &used_as)?,
            // Nobody is there to ask: nothing is decided.
            _ => Answer::Skip,
        };
        match answer {
            Answer::Decided(Decision::Yes(answered)) => {
                let wish = if answered == Wish::Skill { answered } else { wish };
                told |= wish == Wish::Usual && matches!(used_as, UsedAs::Hint(_) | UsedAs::Start(_));
                // While a person thinks, files may come and go.
                if asks {
                    around = Around::default();
                }
                save(ui, world, stores, &mut around, lesson, wish)?;
            }
            Answer::Decided(decision) => {
                approve::decide(world, &mut stores.lessons, lesson, decision)?;
                ui.line("   Skipped. It will not come back; `uptake undo` takes that back.")?;
            }
            Answer::Skip if asks => ui.line("   Left for later.")?,
            Answer::Skip => {}
            Answer::Stop => break,
        }
    }
    if let Some(how) = connected::how_to_be_heard(&world.home).filter(|_| told && !args.demo) {
        ui.line(format!("\n{how}"))?;
    }
    if !asks && !args.yes {
        let one = if args.demo { "" } else { "; one of them: uptake review --accept ID" };
        ui.line(format!("\nNothing was saved: nobody to ask. Save all of these: the same command with --yes{one}"))?;
    }
    Ok(())
}

fn show(ui: &mut Ui, lesson: &Lesson, known: Option<&Known>, names: &Names) -> Result<()> {
    let what = match known {
        Some(_) => "Written down",
        None if lesson.kind == Kind::Fact => "Fact",
        None => "Skill suggestion",
    };
    ui.line(format!("\n📝 {what}: {}", styled(BOLD, &lesson.payload.name)))?;
    ui.line(format!("   {}", spelled_out(&lesson.payload.title)))?;
    ui.line(format!("   Detected by: {}", lesson.origin.detector))?;
    // All that a yes approves is shown: where the commands do not say it, the statement does.
    if !matches!(lesson.kind, Kind::Recovery | Kind::Procedure) {
        ui.line(format!("   Text: {}", spelled_out(&lesson.payload.statement)))?;
    }
    if let Some(known) = known {
        ui.line(format!("   {known}"))?;
    }
    if lesson.origin.detector == READER {
        quoted(ui, lesson)?;
    }
    if !lesson.payload.commands.is_empty() {
        ui.line("   Commands:")?;
        for command in &lesson.payload.commands {
            ui.line(format!("     • {}", spelled_out(command)))?;
        }
    }
    if let Some(trigger) = lesson.payload.trigger.as_ref().filter(|_| lesson.kind != Kind::Fact) {
        ui.line(format!("   {} {} says: {}", styled(DIM, "When"), trigger.program, spelled_out(&trigger.error)))?;
    }
    // What is for a failure only cannot be understood without it.
    if let Some(error) = lesson.evidence.error.as_ref().filter(|_| !facts::is_for_start(lesson)) {
        ui.line(format!("   {} a call says: {}", styled(DIM, "When"), spelled_out(error)))?;
    }
    if let Some(cost) = ui::cost(&lesson.evidence) {
        ui.line(format!("   {cost}"))?;
    }
    let project = names.get(lesson.project());
    let when = lesson
        .evidence
        .last
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map(|t| format!(", last on {}", t.strftime("%Y-%m-%d")))
        .unwrap_or_default();
    let from = format!(
        "Seen in {} ({}) of {project}{when}; id {}",
        ui::count(lesson.evidence.sessions as u64, "session"),
        lesson.evidence.sources.join(", "),
        lesson.shown_id()
    );
    Ok(ui.line(format!("   {}", styled(DIM, &from)))?)
}

/// What the reader's words stand for, and what else it says of others in them.
fn remarked(ui: &mut Ui, lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<()> {
    let mut lines = contradictions::among_lessons(lessons, lesson, now)?;
    if lesson.origin.detector == READER {
        lines.extend(remarks::lines(lessons, lesson)?);
    }
    lines.iter().try_for_each(|line| Ok(ui.line(format!("   {}", styled(DIM, &spelled_out(line))))?))
}

/// How many quotes are shown.
const QUOTES: usize = 3;

/// What a reader's statement was made of, right below it, so that a leap is seen.
fn quoted(ui: &mut Ui, lesson: &Lesson) -> Result<()> {
    for sighting in lesson.evidence.sightings.iter().take(QUOTES) {
        ui.line(format!("   Quote: “{}”", spelled_out(&sighting.quote)))?;
    }
    if let Some(inferred) = ui::inferred(&lesson.origin) {
        ui.line(format!("   {}", styled(YELLOW, &inferred)))?;
    }
    Ok(())
}

/// Says yes to a lesson, and where it is now.
fn save(
    ui: &mut Ui,
    world: &World,
    stores: &mut Stores,
    around: &mut Around,
    lesson: &Lesson,
    wish: Wish,
) -> Result<()> {
    match approve::decide_among(world, &mut stores.lessons, around, lesson, Decision::Yes(wish)) {
        Ok(done) => {
            ui.line(format!("   {} {}", styled(GREEN, "✓"), saved(&done)))?;
            tell_replaced(ui, &done.replaced)
        }
        // A full disk or a broken store will not take the others either.
        Err(e) if ui::hint(&e).is_some() => {
            ui.flush()?;
            Err(e)
        }
        Err(e) => Ok(ui.line(format!("   ✗ Error saving skill: {e:#}"))?),
    }
}

fn saved(done: &Done) -> String {
    let places = done.files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
    match done.used_as {
        Some(UsedAs::Hint(_)) => "Agents are told when this error comes up again.".to_owned(),
        Some(UsedAs::Start(_)) => "Agents are told at the start of a session.".to_owned(),
        Some(UsedAs::Entry(_)) => format!("Added to {}", styled(DIM, &places)),
        Some(UsedAs::Command) => format!("Saved command {}", styled(DIM, &places)),
        Some(UsedAs::Skill) | None => {
            let name = done.files.first().and_then(|p| p.parent()?.file_name()).unwrap_or_default();
            format!("Saved skill \"{}\" {}", name.to_string_lossy(), styled(DIM, &places))
        }
    }
}
