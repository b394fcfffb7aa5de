//! What a decision does: the only place where a yes, a no, an undo or mode `auto` takes effect.
//!
//! Comes in: a lesson as it was shown, and what was decided. Goes out: what became of it, to be printed by whoever asked.
//! Deliberately absent: questions and printing.

mod auto;
pub mod contradictions;
pub mod desk;
mod files;
mod merge;
mod reconcile;
mod replace;
mod undo;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::recall;
use uptake_core::redact::clean;
use uptake_core::session::Origin;
use uptake_store::{Lessons, Marked, Sessions};

use crate::connected;
use crate::skills::Told;
use crate::world::World;

pub use auto::by_rules;
pub use files::{FileChanges, ToldByProject, remove_file};
pub use merge::{merge, split};
pub use reconcile::{finish_writing, reconcile};
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
    /// A skill in any case.
    Skill,
}

/// How an approved lesson reaches agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsedAs {
    /// Told after its error, in these words.
    Hint(String),
    /// A skill file that agents load by themselves.
    Skill,
}

impl UsedAs {
    /// The word in `--json` output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Hint(_) => "hint",
            Self::Skill => "skill",
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
    advice: HashMap<String, Vec<Marked>>,
}

impl Around {
    /// What agents are told already in a project.
    fn told(&mut self, world: &World, project: &str) -> Result<&Told> {
        if self.sessions.is_none() {
            self.sessions = Some(Sessions::open_read_only(&world.data)?);
        }
        self.told.of(world, self.sessions.as_ref().and_then(Option::as_ref), project)
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
pub fn add(world: &World, lessons: &mut Lessons, lesson: Lesson, instead_of: Option<Lesson>) -> Result<Done> {
    let named = instead_of.map(|old| Replaced { why: "you said so".to_owned(), lesson: old });
    let mut done = approve(world, lessons, &mut Around::default(), lesson, Wish::Usual, |lessons, l| {
        let old: Vec<Lesson> = named.iter().map(|r| r.lesson.clone()).collect();
        lessons.add(l, &old, world.now)
    })?;
    if let Some(old) = &named {
        files::take_back(lessons, &old.lesson.id, &mut FileChanges::default())?;
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
    let used_as = used_as(world, &lesson, wish);
    let files = match used_as {
        UsedAs::Skill => files::write(world, lessons, around, &lesson)?,
        UsedAs::Hint(_) => Vec::new(),
    };
    say(lessons, &lesson)?;
    let replaced = replace::retire_older(world, lessons, around, &lesson)?;
    Ok(Done { lesson, verdict: Verdict::Approved, used_as: Some(used_as), files, replaced })
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

/// What a yes makes. A fix is told at its error, if an agent on this machine asks us after a failure; anything else, and
/// what the user wants to have so, is a skill.
pub fn used_as(world: &World, lesson: &Lesson, wish: Wish) -> UsedAs {
    match hint(lesson) {
        // A fact holds for a place and a machine: it is told there, and no file is made of it.
        Some(text) if lesson.kind == Kind::Fact => UsedAs::Hint(text),
        Some(text) if wish == Wish::Usual && connected::after_failure(&world.home) => UsedAs::Hint(text),
        _ => UsedAs::Skill,
    }
}

/// What an agent would hear after the error; `None` for lessons without an error, too long to be told, or of a folder
/// of transcripts whose project is not known.
pub fn hint(lesson: &Lesson) -> Option<String> {
    let known = lesson.payload.trigger.is_some() && !lesson.project().starts_with("folder:");
    let told = known.then(|| recall::envelope(&[&recall::hint(lesson)])).flatten();
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
