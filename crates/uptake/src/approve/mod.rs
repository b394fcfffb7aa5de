//! What a decision does: the only place where a yes, a no, an undo or mode `auto` takes effect.
//!
//! Comes in: a lesson as it was shown, and what was decided. Goes out: what became of it, to be printed by whoever asked.
//! Deliberately absent: questions and printing.

mod auto;
pub mod contradictions;
pub mod desk;
mod entries;
mod files;
mod merge;
mod merged;
mod reconcile;
mod replace;
mod sheets;
mod undo;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use uptake_core::detect::Kind;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Holds, Lesson};
use uptake_core::recall::{self, Because};
use uptake_core::redact::clean;
use uptake_core::render::EntryFile;
use uptake_core::session::Origin;
use uptake_store::{Lessons, Marked, Sessions};

use crate::skills::Told;
use crate::spots;
use crate::world::World;

use merged::SkillsByTopic;

pub use auto::by_rules;
pub use files::{FileChanges, Target, ToldByProject, forget_files, remove_file};
pub use merge::{merge, split};
pub use reconcile::{Reconciled, finish_writing, reconcile, reconcile_within};
pub use undo::undo;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What was decided about a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, to what was shown.
    Yes(Wish),
    /// Yes, in these words instead.
    Reworded(String),
    /// No, for ever.
    No,
    /// Not now.
    Later,
    /// The agent may write it up.
    Release,
}

/// What a yes shall make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// What is usual for such a lesson.
    Usual,
    /// A skill in any case: of the project if it wants files, else for all projects.
    Skill,
}

/// How an approved lesson reaches agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsedAs {
    /// Told after its error, in these words.
    Hint(String),
    /// A skill file that agents load by themselves.
    Skill,
    /// A slash command.
    Command,
    /// An entry among the project's decisions or pitfalls; agents are told of it at the start of a session.
    Entry(EntryFile),
    /// Told at the start of a session, in these words.
    Start(String),
}

impl UsedAs {
    /// The word in `--json` output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Hint(_) => "hint",
            Self::Skill => "skill",
            Self::Command => "command",
            Self::Entry(_) => "entry",
            Self::Start(_) => "start",
        }
    }

    /// What is made of it; `None` if no file is.
    pub fn target(&self) -> Option<Target> {
        match self {
            Self::Hint(_) | Self::Start(_) => None,
            Self::Skill => Some(Target::Skill),
            Self::Command => Some(Target::Command),
            Self::Entry(file) => Some(Target::Entry(*file)),
        }
    }
}

/// What became of a lesson.
pub struct Done {
    /// The lesson as it stands now.
    pub lesson: Lesson,
    /// What was said.
    pub verdict: Verdict,
    /// How it is used from now on; `None` unless it was approved.
    pub used_as: Option<UsedAs>,
    /// Files that were written.
    pub files: Vec<PathBuf>,
    /// Older lessons whose place it took.
    pub replaced: Vec<Replaced>,
}

/// A lesson whose place a newer one took, and why.
pub struct Replaced {
    /// The older one.
    pub lesson: Lesson,
    /// What of the newer one says so.
    pub why: String,
}

/// What decisions look at beside the lesson: read once for many that are made without a pause.
#[derive(Default)]
pub struct Around {
    /// Opened for the first skill; there may be none.
    sessions: Option<Option<Sessions>>,
    told: ToldByProject,
    skills: SkillsByTopic,
    advice: HashMap<String, Vec<Marked>>,
    /// The checkout of each project into which files may be written.
    opted: HashMap<String, Option<PathBuf>>,
}

impl Around {
    /// What agents are told already in a project.
    fn told(&mut self, world: &World, project: &str) -> Result<&Told> {
        if self.sessions.is_none() {
            self.sessions = Some(Sessions::open_read_only(&world.data)?);
        }
        self.told.of(world, self.sessions.as_ref().and_then(Option::as_ref), project)
    }

    /// The checkout of a project into which files may be written.
    fn opted(&mut self, world: &World, lessons: &Lessons, project: &str) -> Result<Option<PathBuf>> {
        if let Some(known) = self.opted.get(project) {
            return Ok(known.clone());
        }
        let found = spots::opted(&world.data, lessons, project)?;
        Ok(self.opted.entry(project.to_owned()).or_insert(found).clone())
    }

    /// What a yes makes of a lesson.
    fn used_as(&mut self, world: &World, lessons: &Lessons, lesson: &Lesson, wish: Wish) -> Result<UsedAs> {
        let own = self.opted(world, lessons, lesson.project())?.is_some();
        // What they said once holds until the lesson is forgotten.
        let wish = if lessons.is_wished_as_skill(&lesson.id)? { Wish::Skill } else { wish };
        Ok(use_of(lesson, wish, own))
    }

    /// The marks of what the lessons of a project tell to do.
    fn advice(&mut self, lessons: &mut Lessons, project: &str) -> Result<&[Marked]> {
        match self.advice.entry(project.to_owned()) {
            Entry::Occupied(read) => Ok(read.into_mut()),
            Entry::Vacant(unread) => Ok(unread.insert(lessons.advice(project)?)),
        }
    }
}

/// Lessons that are read at a time.
const PAGE: usize = 500;

/// Carries out what was decided. A skill that cannot be written leaves the lesson undecided, so that it is offered again.
pub fn decide(world: &World, lessons: &mut Lessons, shown: &Lesson, decision: Decision) -> Result<Done> {
    // Looked at anew: files may have come or gone since the lesson was shown.
    decide_among(world, lessons, &mut Around::default(), shown, decision)
}

/// The same for one of many decisions that are made without a pause.
pub fn decide_among(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    shown: &Lesson,
    decision: Decision,
) -> Result<Done> {
    match decision {
        Decision::Yes(wish) => approve(world, lessons, around, shown.clone(), wish, |lessons, l| {
            lessons.decide(l, Verdict::Approved, world.now)
        }),
        Decision::Reworded(text) => {
            let mut lesson = shown.clone();
            lesson.payload.statement = clean(&text);
            (lesson.origin.trust, lesson.origin.alone) = (Origin::User, true);
            approve(world, lessons, around, lesson, Wish::Usual, |lessons, l| {
                lessons.edit(shown, &l.payload.statement, world.now).map(drop)
            })
        }
        Decision::No => put_aside(world, lessons, shown, Verdict::Rejected),
        Decision::Later => put_aside(world, lessons, shown, Verdict::Snoozed),
        Decision::Release => put_aside(world, lessons, shown, Verdict::Released),
    }
}

/// Takes in a lesson that a person wrote. It is approved at once, and takes the place of the older one if there is one.
pub fn add(
    world: &World,
    lessons: &mut Lessons,
    lesson: Lesson,
    instead_of: Option<Lesson>,
    wish: Wish,
) -> Result<Done> {
    let named = instead_of.map(|old| Replaced { why: "you said so".to_owned(), lesson: old });
    let mut done = approve(world, lessons, &mut Around::default(), lesson, wish, |lessons, l| {
        let old: Vec<Lesson> = named.iter().map(|r| r.lesson.clone()).collect();
        lessons.add(l, &old, world.now)
    })?;
    if let Some(old) = &named {
        files::take_back(world, lessons, &old.lesson.id, &mut FileChanges::default())?;
    }
    done.replaced.splice(0..0, named);
    Ok(done)
}

fn approve(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    lesson: Lesson,
    wish: Wish,
    say: impl FnOnce(&mut Lessons, &Lesson) -> uptake_store::Result<()>,
) -> Result<Done> {
    let _turn = turn(world);
    let used_as = around.used_as(world, lessons, &lesson, wish)?;
    let files = match used_as.target() {
        Some(target) => files::write(world, lessons, around, &lesson, target)?,
        None => Vec::new(),
    };
    if wish == Wish::Skill {
        lessons.wish_skill(&lesson.id)?;
    }
    say(lessons, &lesson)?;
    let replaced = replace::retire_older(world, lessons, around, &lesson)?;
    Ok(Done { lesson, verdict: Verdict::Approved, used_as: Some(used_as), files, replaced })
}

/// Says yes to many lessons at once: their files are noted in one step and written side by side, and what is said of them is
/// one step, too. A lesson whose file cannot be written stays undecided. Answers in the order they were given.
pub fn approve_all(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    shown: &[Lesson],
    wish: Wish,
) -> Result<Vec<Result<Done>>> {
    let _turn = turn(world);
    let uses = shown.iter().map(|l| around.used_as(world, lessons, l, wish)).collect::<Result<Vec<UsedAs>>>()?;
    let wanted: Vec<_> = shown.iter().zip(&uses).map(|(lesson, used_as)| (lesson, used_as.target())).collect();
    let written = files::write_all(world, lessons, around, &wanted)?;
    let passed = shown.iter().zip(&written.files).filter(|(_, files)| files.is_ok());
    let passed: Vec<&Lesson> = passed.map(|(lesson, _)| lesson).collect();
    lessons.approve_all(&passed, &written.kept, wish == Wish::Skill, world.now)?;
    let mut out = Vec::with_capacity(shown.len());
    for ((lesson, used_as), files) in shown.iter().zip(uses).zip(written.files) {
        out.push(match files {
            Err(e) => Err(e),
            Ok(files) => {
                let replaced = replace::retire_older(world, lessons, around, lesson)?;
                Ok(Done { lesson: lesson.clone(), verdict: Verdict::Approved, used_as: Some(used_as), files, replaced })
            }
        });
    }
    Ok(out)
}

/// Waits until no other process is between writing a file and noting the word it stands for: to anybody else such a file looks
/// like one that a killed run left. Where locks do not work, nobody waits.
fn turn(world: &World) -> Option<File> {
    let folder = world.data.join("projects");
    uptake_store::open::make_home(&folder).ok()?;
    spots::locked(&folder.join("deciding.lock")).ok()
}

fn put_aside(world: &World, lessons: &mut Lessons, lesson: &Lesson, verdict: Verdict) -> Result<Done> {
    if verdict == Verdict::Snoozed {
        let until = world.now.saturating_add(i64::from(world.settings()?.snooze_days) * DAY);
        lessons.snooze(lesson, until, world.now)?;
    } else {
        lessons.decide(lesson, verdict, world.now)?;
    }
    Ok(Done { lesson: lesson.clone(), verdict, used_as: None, files: Vec::new(), replaced: Vec::new() })
}

/// Closes what a person let an agent write up, once one handed it in; undone like any word. Answers which: nothing else is ended by
/// an agent's word.
pub fn write_up(world: &World, lessons: &mut Lessons, cited: &[Lesson]) -> Result<Vec<String>> {
    let mut closed = Vec::new();
    for lesson in cited {
        if lessons.write_up(lesson, world.now)? {
            closed.push(lesson.id.clone());
        }
    }
    Ok(closed)
}

/// What a yes makes.
pub fn used_as(world: &World, lessons: &Lessons, lesson: &Lesson, wish: Wish) -> Result<UsedAs> {
    Around::default().used_as(world, lessons, lesson, wish)
}

/// What a yes makes. A fix is told at its error. Anything else is for its project alone: a file in its checkout if the user
/// agreed to such files, else an entry with our own data or told at the start of a session, also where no agent asks yet. A
/// skill for all projects is made only of what holds in all of them, and where the user wants to have it so.
fn use_of(lesson: &Lesson, wish: Wish, own: bool) -> UsedAs {
    let usual = wish == Wish::Usual;
    match hint(lesson) {
        // A fact holds for a place and a machine: it is told there, and no file is made of it.
        Some(text) if usual || lesson.kind == Kind::Fact => return UsedAs::Hint(text),
        _ => {}
    }
    match lesson.kind {
        _ if !usual || lesson.holds() == Holds::User => UsedAs::Skill,
        Kind::Decision => UsedAs::Entry(EntryFile::Decisions),
        Kind::Pitfall => UsedAs::Entry(EntryFile::Pitfalls),
        Kind::Workflow if own => UsedAs::Command,
        _ if own => UsedAs::Skill,
        _ => UsedAs::Start(recall::hint(lesson)),
    }
}

/// What an agent would hear after the error; `None` for lessons without an error, too long to be told, or of a folder
/// of transcripts whose project is not known.
pub fn hint(lesson: &Lesson) -> Option<String> {
    let known = lesson.payload.trigger.is_some() && !lesson.project().starts_with("folder:");
    let told = known.then(|| recall::envelope(Because::Failed, &[&recall::hint(lesson)])).flatten();
    told.map(|t| t.text)
}

/// The lesson of an id, or of an id with the start of the sum of the bytes that were shown with it.
pub fn lesson_of(lessons: &Lessons, given: &str) -> Result<Lesson> {
    let (id, sum) = given.split_once('-').unwrap_or((given, ""));
    let mut found = lessons.by_id(id)?;
    if let [stored] = found.as_slice()
        && !stored.lesson.sha256().starts_with(sum)
    {
        bail!("lesson `{id}` has changed since it was shown; look at it again with `uptake review`");
    }
    match found.len() {
        0 => bail!("no lesson has the id `{given}`; `uptake review --all` lists them"),
        1 => found.pop().map(|s| s.lesson).context("the lesson went away"),
        n => bail!("{n} lessons have an id that begins with `{id}`; give more of it"),
    }
}
