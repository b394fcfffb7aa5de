//! Which lessons `learn` shows: those that are ready and undecided, and that no file tells agents already.
//!
//! Comes in: the stores after reading. Goes out: the lessons to show, best first, and how many more there are.
//! Deliberately absent: asking and printing.

use std::collections::{HashMap, HashSet};

use anyhow::{Context as _, Result};
use uptake_core::detect::former::FORMER;
use uptake_core::detect::{self, Kind, Observation};
use uptake_core::learn::{self, Lesson, facts, former};
use uptake_store::{Lessons, Wanted, Which};

use super::{Args, ranking};
use crate::approve::ToldByProject;
use crate::reader::alike::Compared;
use crate::reader::remarks::Worded;
use crate::settings::Settings;
use crate::skills::Known;
use crate::stores::Stores;
use crate::transcripts::Found;
use crate::world::World;

/// Lessons that are read at a time.
const PAGE: usize = 500;

/// What is offered, and how much more there is.
#[derive(Default)]
pub struct Suggestions {
    /// The lessons that are shown.
    pub shown: Vec<Lesson>,
    /// What agents wrote down and not every agent knows, in a section of its own.
    pub noted: Vec<Noted>,
    /// By lesson: who knows what an agent wrote down and what is shown among the others, because a reader put it first.
    pub known: HashMap<String, Known>,
    /// How many are not.
    pub more: usize,
}

/// What an agent wrote down, and who knows it.
pub struct Noted {
    /// The lesson.
    pub lesson: Lesson,
    /// The agents that know it, and those that do not.
    pub known: Known,
}

/// What is worth showing: ready, undecided, and not said already.
pub fn suggestions(
    stores: &Stores,
    args: &Args,
    world: &World,
    found: &Found,
    settings: &Settings,
) -> Result<Suggestions> {
    let given = if args.paths.is_empty() && !args.demo {
        None
    } else {
        Some(stores.sessions.projects_of(found.transcripts.iter().map(|t| t.path().to_string_lossy().into_owned()))?)
    };
    let wanted = Wanted { which: Which::Waiting, now: world.now, mode: settings.mode, ..Wanted::default() };
    let mut places = stores.lessons.order(&wanted)?;
    places.extend(ranking::heard_once(&stores.lessons, &wanted, args)?);
    places.retain(|p| given.as_ref().is_none_or(|g| g.contains(&p.project)));
    let worded = Worded::of(&stores.lessons)?;
    places.retain(|p| !worded.hides(&p.id));
    let chosen = ranking::put_in_order(&stores.lessons, &mut places, args)?;
    let facts = ByFacts::of(&stores.lessons, &wanted)?;
    let mut told = ToldByProject::default();
    let mut out = Suggestions::default();
    let mut general: Vec<Lesson> = Vec::new();
    let mut compared: Vec<Compared> = Vec::new();
    // Where there are very many, only those that may be shown are read; the others are counted.
    if !args.all && places.len() > PAGE {
        let all = places.len();
        places.retain(|p| p.grounded);
        out.more = all - places.len();
    }
    for (read, page) in places.chunks(PAGE).enumerate() {
        if !args.all && read > 0 && out.shown.len() == settings.shown && out.noted.len() == settings.shown {
            out.more += page.len();
            continue;
        }
        for lesson in stores.lessons.at(page)?.into_iter().map(|s| s.lesson) {
            let told = told.of(world, Some(&stores.sessions), lesson.project())?;
            let said = told.says(&lesson) || worded.any(&stores.lessons, &lesson, |original| told.says(original))?;
            if facts.say(&lesson) || said {
                continue;
            }
            // What was seen once, and not in the user's words, stays out of sight until it is asked for.
            let known = match told.known(&lesson) {
                Some(known) if chosen.has(&lesson.id) => {
                    out.known.insert(lesson.id.clone(), known);
                    None
                }
                other => other,
            };
            let listed = if known.is_some() { out.noted.len() } else { out.shown.len() };
            let wanted = args.all || lesson.is_grounded() && listed < settings.shown;
            let wanted = wanted && adds_to(&out.shown, &lesson);
            let this = Compared::of(&lesson);
            if !wanted || repeats(&compared, &this) {
                out.more += usize::from(!args.all);
            } else if facts::is_general(&lesson) {
                general.push(lesson);
            } else {
                if known.is_none() {
                    compared.push(this);
                }
                out.add(lesson, known);
            }
        }
    }
    ranking::spread(&mut out.shown, &places, &chosen);
    // What every manual says comes last, and is shown where there is nothing else.
    if args.all || out.shown.is_empty() && settings.shown > 0 {
        let most = if args.all { general.len() } else { general.len().min(1) };
        out.shown.extend(general.drain(..most));
    }
    out.more += general.len();
    out.noted.retain(|n| !repeats(&compared, &Compared::of(&n.lesson)));
    Ok(out)
}

/// What is shown of everything in the stores, without a word on it.
pub fn shown_by_default(stores: &Stores, world: &World, settings: &Settings) -> Result<Vec<Lesson>> {
    let found = suggestions(stores, &Args::default(), world, &Found::default(), settings)?;
    Ok(found.shown.into_iter().chain(found.noted.into_iter().map(|n| n.lesson)).collect())
}

/// Whether a lesson tells what another one tells that is shown: one of the two is a reader's. Nobody wants to read a thing
/// twice; `list` has both.
fn repeats(shown: &[Compared], lesson: &Compared) -> bool {
    shown.iter().any(|s| s.tells_the_same_as(lesson))
}

/// Whether a lesson adds to those that are shown: several causes may be met in one way, and with one command.
fn adds_to(shown: &[Lesson], lesson: &Lesson) -> bool {
    let way = |l: &Lesson| (l.kind == Kind::Fact && l.payload.commands.len() == 1).then(|| l.payload.commands.clone());
    let one_way = |s: &Lesson| way(s).is_some() && way(s) == way(lesson);
    let same =
        |s: &Lesson| s.project() == lesson.project() && (s.payload.statement == lesson.payload.statement || one_way(s));
    !shown.iter().any(same)
}

impl Suggestions {
    fn add(&mut self, lesson: Lesson, known: Option<Known>) {
        match known {
            Some(known) => self.noted.push(Noted { lesson, known }),
            None => self.shown.push(lesson),
        }
    }
}

/// What facts say already, better than others do.
struct ByFacts {
    /// Causes of which something is known on this machine.
    everywhere: HashSet<String>,
    /// By project: commands that facts tell.
    commands: HashSet<(String, String)>,
}

impl ByFacts {
    fn of(lessons: &Lessons, wanted: &Wanted<'_>) -> Result<Self> {
        let mut known = Self { everywhere: HashSet::new(), commands: HashSet::new() };
        for stored in lessons.list(&Wanted { which: Which::Known, kind: Some(Kind::Fact), ..*wanted })? {
            let fact = stored.lesson;
            if fact.project().starts_with("machine:") {
                known.everywhere.insert(facts::cause_of(&fact.key).to_owned());
            }
            let project = fact.project().to_owned();
            known.commands.extend(fact.payload.commands.into_iter().map(|command| (project.clone(), command)));
        }
        Ok(known)
    }

    /// Whether a lesson says nothing beyond them: a fact that holds on the whole machine, or a fix that a fact tells.
    fn say(&self, lesson: &Lesson) -> bool {
        match lesson.kind {
            Kind::Fact if !lesson.project().starts_with("machine:") => {
                self.everywhere.contains(facts::cause_of(&lesson.key))
            }
            Kind::Recovery => {
                let told = |c: &String| self.commands.contains(&(lesson.project().to_owned(), c.clone()));
                lesson.payload.commands.iter().skip(1).any(told)
            }
            _ => false,
        }
    }
}

/// After one session: the best finding of each detector, in the detectors' order.
pub fn after_one_session(stores: &mut Stores, world: &World, found: &Found) -> Result<Suggestions> {
    let path = found.transcripts[0].path();
    let path = path.to_string_lossy();
    let Some(session) = stores.sessions.session_of(&path)? else { return Ok(Suggestions::default()) };
    let place: HashMap<&str, usize> = session.events.iter().enumerate().map(|(n, e)| (e.id.as_str(), n)).collect();
    let mut seen: Vec<Observation> = stores.lessons.kept_of(&path)?.into_iter().map(|(_, o)| o).collect();
    // In the order in which it happened.
    seen.sort_by_key(|o| o.head.events.iter().filter_map(|e| place.get(e.as_str())).min().copied());
    let project = stores.sessions.projects_of([&path].into_iter())?.into_iter().next();
    let project = project.with_context(|| format!("`{path}` was read, but its project is not known"))?;
    let (mut told, mut out) = (ToldByProject::default(), Suggestions::default());
    for mut lesson in learn::of_one_session(&project, &detect::best_per_detector(&seen)) {
        let former = former::ids_of(&lesson, &former::keys_of(&lesson, &seen, FORMER));
        lesson.id = stores.lessons.standing_id(&lesson.id, &former)?;
        // A verdict outlives the lesson's row.
        if stores.lessons.verdict(&lesson.id)?.is_some() {
            continue;
        }
        // What was seen in other sessions, too, is shown with all its evidence.
        let lesson = stores.lessons.by_id(&lesson.id)?.pop().map_or(lesson, |s| s.lesson);
        let told = told.of(world, Some(&stores.sessions), lesson.project())?;
        if !told.says(&lesson) {
            let known = told.known(&lesson);
            out.add(lesson, known);
        }
    }
    // Every id that is shown must be there for a yes.
    let noted = out.noted.iter().map(|n| n.lesson.clone());
    stores.lessons.add_shown(&out.shown.iter().cloned().chain(noted).collect::<Vec<_>>())?;
    Ok(out)
}
