//! The cycle after an iteration, as one run: changed files → relevance → goal → claims against the diff → build result →
//! learnings that were handed in → success rates and flags → export.
//!
//! Comes in: a checkout, and what an agent or a loop says of the iteration. Goes out: rows in the store, joined by id, and files
//! of the run that can be made again. Every step can be repeated: an iteration is known by its run and number, is kept in one
//! transaction, and replaces only itself. Deliberately absent: decisions. A flag is told, and a person acts on it.

mod diff;
mod given;
pub mod measuring;
mod run_files;
pub mod sessions;
mod skills;
mod standing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use uptake_core::learn::Lesson;
use uptake_core::measure::goal::{Goal, Judged};
use uptake_core::measure::matching::Known;
use uptake_core::measure::outcome_log::Logged;
use uptake_core::measure::places::Changed;
use uptake_core::measure::relevance::Touched;
use uptake_core::measure::trial::Fate;
use uptake_core::redact::clean;
use uptake_store::{Iteration, Measured, UseRow};

pub use self::run_files::RUNS;
pub use self::standing::{Standing, record_of, records, standings};
use crate::settings::Settings;
use crate::stores::Stores;
use crate::ui::Ui;
use crate::world::World;
use crate::{hook, prune, trials};

/// What is said of an iteration.
pub struct Given {
    /// The project.
    pub project: String,
    /// The top of its working tree.
    pub top: PathBuf,
    /// The commit it began at.
    pub since: String,
    /// The run, if it has a name.
    pub run: Option<String>,
    /// Its iteration.
    pub iteration: Option<u32>,
    /// Whether the build passed.
    pub built: Option<bool>,
    /// Files with learnings, and folders of such.
    pub learnings: Vec<PathBuf>,
    /// Logs of outcomes.
    pub outcomes: Vec<PathBuf>,
}

/// What a cycle did.
pub struct Done {
    /// The run.
    pub run: String,
    /// Its iteration.
    pub iteration: u32,
    /// Files that changed.
    pub changed: Vec<String>,
    /// Lessons of the project, how relevant each is in thousandths, and by which words.
    pub relevance: Vec<(String, u16, Vec<String>)>,
    /// The goal, and how the iteration did; nothing if that cannot be told.
    pub goal: Option<(Goal, Option<Judged>)>,
    /// Whether the build passed.
    pub built: Option<bool>,
    /// Lessons that were used.
    pub uses: Vec<UseRow>,
    /// Lines that mean no lesson there is.
    pub unmatched: usize,
    /// Learnings that were handed in, by kind.
    pub learnings: BTreeMap<&'static str, usize>,
    /// How the lessons of the project do now.
    pub standings: Vec<Standing>,
    /// Where the files of the run are.
    pub files: PathBuf,
}

/// What follows when sessions were read: what came after hints is looked up and judged, each session that ended is counted, and what
/// is beyond the settings goes. Answers the lessons that were retired, and why.
pub fn after_reading(stores: &mut Stores, settings: &Settings, world: &World) -> Result<Vec<(Lesson, Fate)>> {
    let judged = trials::judge_all(stores, world.now)?;
    sessions::count(stores, settings)?;
    let pruned =
        prune::prune(&world.data, Some(&mut stores.sessions), &settings.retention, world.now, prune::Act::Remove);
    // What could not be removed goes the next time; what was learned is kept.
    if let Err(e) = pruned {
        hook::note(&world.data, &format!("cannot prune: {e:#}"));
    }
    Ok(judged)
}

/// Runs the cycle.
pub fn run(world: &World, settings: &Settings, stores: &mut Stores, given: &Given) -> Result<Done> {
    let (changed, sum) = diff::since(&given.top, &given.since)?;
    let lines = given::outcomes(&given.outcomes)?;
    let learnings = given::learnings(&given.learnings)?;
    let (run, iteration) = named(given, &lines, &sum)?;
    let lessons: Vec<Lesson> = stores.lessons.approved_in(&given.project, settings.mode)?;
    let touched = Touched::of(changed.files());
    let relevance: Vec<(String, u16, Vec<String>)> = lessons
        .iter()
        .map(|l| (l.id.clone(), touched.relevance(&l.payload.statement), touched.common(&l.payload.statement)))
        .collect();
    let goal = match settings.goal_of(&given.project) {
        Some(goal) => {
            let measured =
                measuring::measure(&goal, Some(&stores.sessions), &given.project, &given.top, given.iteration);
            // The iteration was made, whatever its goal: one that broke the command counts most of all.
            let judged = measured.unwrap_or_else(|e| {
                Ui::note(format!("the goal could not be measured: {e:#}"));
                None
            });
            Some((goal, judged))
        }
        None => None,
    };
    let known = Known::of(lessons.iter().map(|l| (l.id.as_str(), l.payload.statement.as_str())));
    let mut found = Found { known: &known, changed: &changed, relevance: &relevance, unmatched: 0 };
    let (now, earlier): (Vec<&Logged>, Vec<&Logged>) =
        lines.iter().partition(|l| l.run == run && l.iteration == iteration);
    let cited: Vec<Logged> = learnings.iter().flat_map(|l| l.cited.iter().cloned()).collect();
    let uses = found.uses(now.into_iter().chain(&cited), Against::Diff);
    let measured = goal.as_ref().and_then(|(goal, judged)| Some(measured(goal, (*judged)?)));
    let this = Iteration {
        source: uptake_store::CYCLE.to_owned(),
        session: session_of(&given.project, &run, iteration),
        project: given.project.clone(),
        at: world.now,
        built: given.built,
        measured,
    };
    keep_earlier(stores, &given.project, &earlier, &mut found)?;
    let unmatched = found.unmatched;
    stores.lessons.keep_cycle(&this, &uses)?;
    let kinds = given::keep(world, settings, stores, &given.project, &learnings)?;
    let mut done = Done {
        changed: sorted(&changed),
        standings: standings(&stores.lessons, settings.mode, Some(&given.project), world.now)?,
        files: run_files::folder(&world.data, &given.project, &run, iteration),
        built: given.built,
        learnings: kinds,
        run,
        iteration,
        relevance,
        goal,
        uses,
        unmatched,
    };
    done.relevance.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    run_files::write(&done, world.now)?;
    Ok(done)
}

fn sorted(changed: &Changed) -> Vec<String> {
    let mut files: Vec<String> = changed.files().map(clean).collect();
    files.sort();
    files
}

/// How the store keeps what was measured.
fn measured(goal: &Goal, judged: Judged) -> Measured {
    let score = (judged.score * 1_000.0).round() as u16;
    Measured { goal: goal.name().to_owned(), value: judged.value, met: judged.met, score }
}

/// Longest name of a run.
const RUN: usize = 64;

/// The run and the iteration: as given, else those of the last line of the log, else a name made of what changed. The same change
/// twice is the same iteration.
fn named(given: &Given, lines: &[Logged], sum: &str) -> Result<(String, u32)> {
    let last = lines.last();
    let run = given.run.clone().or_else(|| last.map(|l| l.run.clone())).unwrap_or_else(|| format!("change-{sum}"));
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    ensure!(
        !run.is_empty() && run.len() <= RUN && run.chars().all(fits) && !run.starts_with('.'),
        "a run cannot be called `{}`; it may have letters, digits, `-`, `_` and dots, {RUN} at most",
        clean(&run)
    );
    let of_log = last.filter(|l| l.run == run).map(|l| l.iteration);
    let iteration = given.iteration.or(of_log).unwrap_or(1);
    ensure!(iteration > 0, "iterations are counted from 1");
    Ok((run, iteration))
}

/// How an iteration is known in the store: runs of one name in two projects are two.
fn session_of(project: &str, run: &str, iteration: u32) -> String {
    format!("{}/{run}/{iteration}", short(project))
}

/// A project in a few characters that fit into the name of a folder.
fn short(project: &str) -> String {
    blake3::hash(project.as_bytes()).to_hex()[..8].to_owned()
}

/// By what claims are told to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    /// The diff of this iteration.
    Diff,
    /// What the line itself says: its diff is gone.
    Line,
}

/// What lines are understood with.
struct Found<'f> {
    known: &'f Known<'f>,
    changed: &'f Changed,
    relevance: &'f [(String, u16, Vec<String>)],
    unmatched: usize,
}

impl Found<'_> {
    /// Lessons that lines mean, each once: applied if one of them says so.
    fn uses<'l>(&mut self, lines: impl Iterator<Item = &'l Logged>, against: Against) -> Vec<UseRow> {
        let mut by: BTreeMap<&str, UseRow> = BTreeMap::new();
        for line in lines {
            let Some(id) = self.known.find(&line.pattern) else {
                self.unmatched += 1;
                continue;
            };
            let of_lesson = || self.relevance.iter().find(|(l, ..)| l == id).map(|(_, r, _)| *r);
            let relevance = if against == Against::Diff { of_lesson() } else { line.relevance };
            let row = by.entry(id).or_insert_with(|| UseRow {
                lesson: id.to_owned(),
                applied: false,
                claims: Vec::new(),
                relevance,
            });
            row.applied |= line.applied;
            for place in &line.places {
                let holds = if against == Against::Diff { self.changed.has(place) } else { !line.unverified };
                let claim = (clean(&place.to_string()), holds);
                if !row.claims.contains(&claim) {
                    row.claims.push(claim);
                }
            }
            // A line may say so without naming a place.
            if against == Against::Line && line.unverified && line.places.is_empty() {
                row.claims.push((String::new(), false));
            }
        }
        by.into_values().collect()
    }
}

/// Keeps iterations of a log that are not known yet, with what their lines say.
fn keep_earlier(stores: &mut Stores, project: &str, lines: &[&Logged], found: &mut Found<'_>) -> Result<()> {
    let known = stores.lessons.iterations_at()?;
    let names: BTreeSet<(&str, u32)> = lines.iter().map(|l| (l.run.as_str(), l.iteration)).collect();
    for (run, iteration) in names {
        let session = session_of(project, &clean(run), iteration);
        if known.contains_key(&(uptake_store::CYCLE.to_owned(), session.clone())) {
            continue;
        }
        let of = || lines.iter().filter(|l| l.run == run && l.iteration == iteration).copied();
        let measured = of().find_map(|l| l.goal.clone()).map(|(goal, met, score)| Measured {
            goal: clean(&goal),
            value: score,
            met,
            score: (score.clamp(0.0, 1.0) * 1_000.0).round() as u16,
        });
        let at = of().find_map(|l| l.time.parse::<jiff::Timestamp>().ok()).map_or(0, jiff::Timestamp::as_millisecond);
        let one = Iteration {
            source: uptake_store::CYCLE.to_owned(),
            session,
            project: project.to_owned(),
            at,
            built: of().find_map(|l| l.built),
            measured,
        };
        stores.lessons.keep_cycle(&one, &found.uses(of(), Against::Line))?;
    }
    Ok(())
}
