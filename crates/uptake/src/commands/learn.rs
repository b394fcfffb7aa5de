//! `uptake learn`: reads the history on disk and shows the few things worth keeping.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::detect::former::FORMER;
use uptake_core::detect::{self, Kind};
use uptake_core::learn::former;
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{self, Lesson};
use uptake_core::project::Project;
use uptake_core::redact::spelled_out;
use uptake_store::{State, Verdict, Wanted, spool};

use super::review::tell_replaced;
use crate::accept;
use crate::agents::AGENTS;
use crate::damaged_store;
use crate::ingest::{self, Ingested, Stores};
use crate::settings::Settings;
use crate::skills::Told;
use crate::transcripts::{self, Found};
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

mod demo {
    include!(concat!(env!("OUT_DIR"), "/demo.rs"));
}

/// Read the sessions on this machine and show the few things worth keeping
///
/// Without PATH all transcripts of all known agents are read, only what is new since the last time.
/// After a yes a suggestion becomes a skill, and a fix is recalled when its error comes up again.
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
    /// One JSON object per suggestion; nothing is asked or saved
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.demo {
        return run_demo(args);
    }
    let world = World::from_env()?;
    if args.paths.is_empty() && !world.settings()?.enabled {
        Ui::note("uptake is switched off: nothing was read. Switch it on with: uptake enable");
        return Ok(());
    }
    let found = if args.paths.is_empty() { transcripts::find_all(&world.home) } else { transcripts::find(&args.paths) };
    if found.transcripts.is_empty() {
        return nothing_found(args, &world, &found);
    }
    let mut ui = Ui::stdout(args.json);
    learn(&mut ui, args, &world, &found)?;
    Ok(ui.flush()?)
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
    let (mut stores, ingested) = damaged_store::mending(world, || {
        let mut stores = Stores::open(&world.data)?;
        take_over_spool(&mut stores, world)?;
        let ingested = ingest::ingest(found, &mut stores, world, &settings)?;
        Ok((stores, ingested))
    })?;
    if !args.json {
        summary(ui, &ingested, started)?;
    }
    let new = ingested.report.read > 0 || ingested.again > 0;
    put_right(ui, args, world, &mut stores, settings.mode, new)?;
    ui.flush()?;
    for line in ingested.report.lines() {
        Ui::note(styled(YELLOW, &line));
    }
    let by_hand = !args.paths.is_empty() || args.demo;
    let Suggestions { shown, more } = if by_hand && found.transcripts.len() == 1 {
        Suggestions { shown: after_one_session(&mut stores, world, found)?, more: 0 }
    } else {
        suggestions(&stores, args, world, found, &settings)?
    };
    if args.json {
        return shown.iter().try_for_each(|l| Ok(ui.object(&Row::of(l))?));
    }
    offer(ui, args, world, &mut stores, &shown)?;
    if more > 0 {
        ui.line(format!("{more} more, less sure: uptake learn --all"))?;
    }
    Ok(())
}

fn take_over_spool(stores: &mut Stores, world: &World) -> Result<()> {
    const DAY: i64 = 86_400_000;
    for (path, records) in spool::read_all(&world.data) {
        stores.lessons.keep_trials(&records)?;
        // The file also tells a running session what it has heard; it may go a day after the last word.
        if records.iter().all(|r| r.at < world.now - DAY) {
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

/// Files and approvals brought together, and in mode `auto` what passes by itself.
fn put_right(ui: &mut Ui, args: &Args, world: &World, stores: &mut Stores, mode: Mode, new: bool) -> Result<()> {
    let (retired, files) = accept::reconcile(world, &mut stores.lessons, mode)?;
    // Where nothing is new nothing new can pass.
    let new = stores.lessons.renote("mode", mode.as_str())? || new;
    let passed = if mode == Mode::Auto && new { accept::by_rules(world, stores)? } else { Vec::new() };
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
        let text = spelled_out(&lesson.statement);
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

/// Lessons that are read at a time.
const PAGE: usize = 500;

/// What is offered, and how much more there is.
struct Suggestions {
    shown: Vec<Lesson>,
    more: usize,
}

/// What is worth showing: ready, undecided, and not said already.
fn suggestions(stores: &Stores, args: &Args, world: &World, found: &Found, settings: &Settings) -> Result<Suggestions> {
    let given = if args.paths.is_empty() && !args.demo {
        None
    } else {
        Some(stores.sessions.projects_of(found.transcripts.iter().map(|t| t.path.to_string_lossy()))?)
    };
    let wanted = Wanted { which: State::Waiting, now: world.now, mode: settings.mode, ..Wanted::default() };
    let mut places = stores.lessons.order(&wanted)?;
    places.retain(|p| given.as_ref().is_none_or(|g| g.contains(&p.project)));
    let mut told: HashMap<String, Told> = HashMap::new();
    let mut out = Suggestions { shown: Vec::new(), more: 0 };
    for (read, page) in places.chunks(PAGE).enumerate() {
        // Of very many the rest is only counted.
        if !args.all && read > 0 && out.shown.len() == settings.shown {
            out.more += page.len();
            continue;
        }
        for lesson in stores.lessons.at(page)?.into_iter().map(|s| s.lesson) {
            if !told.contains_key(&lesson.project) {
                told.insert(lesson.project.clone(), accept::told(world, Some(&stores.sessions), &lesson.project)?);
            }
            if told.get(&lesson.project).is_some_and(|t| t.says(&lesson)) {
                continue;
            }
            // What was seen once, and not in the user's words, stays out of sight until it is asked for.
            if args.all || lesson.is_grounded() && out.shown.len() < settings.shown {
                out.shown.push(lesson);
            } else {
                out.more += 1;
            }
        }
    }
    Ok(out)
}

/// The best of each detector, in the detectors' order.
fn after_one_session(stores: &mut Stores, world: &World, found: &Found) -> Result<Vec<Lesson>> {
    let path = found.transcripts[0].path.to_string_lossy();
    let Some(session) = stores.sessions.session_of(&path)? else { return Ok(Vec::new()) };
    let project = stores.sessions.projects_of([path].into_iter())?.into_iter().next().unwrap_or_default();
    let observations = detect::detect(&session);
    let best = detect::best_per_detector(&observations);
    let told = accept::told(world, Some(&stores.sessions), &project)?;
    let mut out = Vec::new();
    for mut lesson in learn::of_one_session(&project, &best) {
        let former = former::ids_of(&lesson, &former::keys_of(&lesson, &observations, FORMER));
        lesson.id = stores.lessons.standing_id(&lesson.id, &former)?;
        let decided = stores.lessons.verdict(&lesson.id)?.is_some();
        if decided || told.says(&lesson) {
            continue;
        }
        // What was seen in other sessions, too, is shown as it adds up.
        match stores.lessons.by_id(&lesson.id)?.pop() {
            Some(stored) => out.push(stored.lesson),
            None => {
                stores.lessons.add_shown(std::slice::from_ref(&lesson))?;
                out.push(lesson);
            }
        }
    }
    Ok(out)
}

/// Shows suggestions, asks, and saves what was wanted.
fn offer(ui: &mut Ui, args: &Args, world: &World, stores: &mut Stores, lessons: &[Lesson]) -> Result<()> {
    if lessons.is_empty() {
        ui.line("Nothing new that is worth keeping.")?;
        return Ok(());
    }
    ui.line(format!("\n🔍 Learning: detected {} skill pattern(s)", lessons.len()))?;
    let asks = Ui::can_ask() && !args.yes;
    let mut told = Told::read(&world.home, &[]);
    let mut fixes = false;
    for lesson in lessons {
        show(ui, lesson)?;
        let answer = if args.yes {
            Some("y".to_owned())
        } else if asks {
            ui.answer("   Save as skill? [Y/n]: ")?
        } else {
            None
        };
        match answer.as_deref() {
            Some("" | "y" | "Y" | "yes" | "Yes") => {
                save(ui, world, stores, lesson, &mut told)?;
                fixes |= lesson.trigger.is_some();
            }
            Some(_) => {
                stores.lessons.decide(lesson, Verdict::Rejected, world.now)?;
                ui.line("   Skipped.")?;
            }
            // The input ended, or nobody was there to ask: nothing is decided.
            None if asks => break,
            None => {}
        }
    }
    if let Some(how) = accept::how_to_be_heard(&world.home).filter(|_| fixes && !args.demo) {
        ui.line(format!("\n{how}"))?;
    }
    if !asks && !args.yes {
        let one = if args.demo { "" } else { "; one of them: uptake review --accept ID" };
        ui.line(format!("\nNothing was saved: nobody to ask. Save all of these: the same command with --yes{one}"))?;
    }
    Ok(())
}

fn show(ui: &mut Ui, lesson: &Lesson) -> Result<()> {
    ui.line(format!("\n📝 Skill suggestion: {}", styled(BOLD, &lesson.name)))?;
    ui.line(format!("   {}", spelled_out(&lesson.title)))?;
    ui.line(format!("   Detected by: {}", lesson.detector))?;
    // All that a yes approves is shown: where the commands do not say it, the statement does.
    if !matches!(lesson.kind, Kind::Recovery | Kind::Procedure) {
        ui.line(format!("   Text: {}", spelled_out(&lesson.statement)))?;
    }
    if !lesson.commands.is_empty() {
        ui.line("   Commands:")?;
        for command in &lesson.commands {
            ui.line(format!("     • {}", spelled_out(command)))?;
        }
    }
    if let Some(trigger) = &lesson.trigger {
        ui.line(format!("   {} {} says: {}", styled(DIM, "When"), trigger.program, spelled_out(&trigger.error)))?;
    }
    let project = Project::from_key(&lesson.project).name;
    let when = lesson
        .last
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map(|t| format!(", last on {}", t.strftime("%Y-%m-%d")))
        .unwrap_or_default();
    let from = format!(
        "Seen in {} ({}) of {project}{when}; id {}",
        ui::count(lesson.sessions as u64, "session"),
        lesson.sources.join(", "),
        lesson.shown_id()
    );
    Ok(ui.line(format!("   {}", styled(DIM, &from)))?)
}

/// Writes the skill and says where it is.
fn save(ui: &mut Ui, world: &World, stores: &mut Stores, lesson: &Lesson, told: &mut Told) -> Result<()> {
    match accept::save_as_skill(world, &mut stores.lessons, lesson, told) {
        Ok(paths) => {
            let place = paths.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
            let name = paths
                .first()
                .and_then(|p| p.parent()?.file_name())
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            ui.line(format!("   {} Saved skill \"{name}\" {}", styled(GREEN, "✓"), styled(DIM, &place)))?;
            tell_replaced(ui, &accept::retire_older(world, &mut stores.lessons, lesson)?)
        }
        // A full disk or a broken store will not take the others either.
        Err(e) if ui::hint(&e).is_some() => {
            ui.flush()?;
            Err(e)
        }
        Err(e) => Ok(ui.line(format!("   ✗ Error saving skill: {e:#}"))?),
    }
}

/// A lesson as one JSON object.
#[derive(Serialize)]
pub struct Row<'l> {
    id: &'l str,
    kind: &'static str,
    name: &'l str,
    title: &'l str,
    text: &'l str,
    commands: &'l [String],
    detector: &'l str,
    project: &'l str,
    sessions: usize,
    days: usize,
    sources: &'l [String],
    sure: &'static str,
    trust: &'static str,
    error: Option<&'l str>,
    first: Option<i64>,
    last: Option<i64>,
    sha256: String,
}

impl<'l> Row<'l> {
    /// Of a lesson.
    pub fn of(l: &'l Lesson) -> Self {
        Self {
            id: &l.id,
            kind: l.kind.as_str(),
            name: &l.name,
            title: &l.title,
            text: &l.statement,
            commands: &l.commands,
            detector: &l.detector,
            project: &l.project,
            sessions: l.sessions,
            days: l.days,
            sources: &l.sources,
            sure: l.sure.as_str(),
            trust: l.trust.as_str(),
            error: l.error.as_deref(),
            first: l.first,
            last: l.last,
            sha256: l.sha256(),
        }
    }
}
