//! The desk of the review inbox: hands what is decided there to this room.

use std::collections::VecDeque;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use uptake_core::learn::{Lesson, WITHDRAWN};
use uptake_core::render;
use uptake_store::{Lessons, ListPlace, Sessions};

use super::files::{self, Target};
use super::{Decision, Done, ToldByProject, UsedAs, Wish, contradictions, decide, lesson_of, undo, used_as};
use crate::inbox::Desk;
use crate::inbox::action::Choice;
use crate::inbox::item::{Item, Preview, Use};
use crate::project::Names;
use crate::reader::remarks::{self, Worded};
use crate::settings::Settings;
use crate::skills::Told;
use crate::spots::{self, Knowledge};
use crate::world::World;

/// The desk of this user's store.
pub struct StoreDesk<'s> {
    lessons: &'s mut Lessons,
    world: &'s World,
    sessions: Option<Sessions>,
    settings: Settings,
    /// Lessons that are not in the inbox yet, best first.
    places: VecDeque<ListPlace>,
    /// Whether also what was decided is shown.
    all: bool,
    names: Names,
    /// What agents are told already, by project.
    told: ToldByProject,
    made: Vec<Made>,
}

/// A decision, so that it can be taken back.
struct Made {
    lesson: String,
    change: i64,
}

impl<'s> StoreDesk<'s> {
    /// A desk at which nothing was decided yet.
    pub fn new(lessons: &'s mut Lessons, world: &'s World, places: Vec<ListPlace>, all: bool) -> Result<Self> {
        let settings = world.settings()?;
        let worded = Worded::of(lessons)?;
        let places = places.into_iter().filter(|p| all || !worded.hides(&p.id)).collect();
        let sessions = Sessions::open_read_only(&world.data)?;
        let names = Names::of(Some(lessons), sessions.as_ref())?;
        let (told, made) = (ToldByProject::default(), Vec::new());
        Ok(Self { lessons, world, sessions, settings, places, all, names, told, made })
    }

    fn told(&mut self, project: &str) -> Result<&Told> {
        self.told.of(self.world, self.sessions.as_ref(), project)
    }

    fn decide(&mut self, id: &str, decision: Decision) -> Result<Done> {
        let lesson = lesson_of(self.lessons, id)?;
        let done = decide(self.world, self.lessons, &lesson, decision)?;
        let noted = || format!("the change to `{}` was not noted", lesson.id);
        // The lesson's own change is older than those of the lessons it took the place of.
        let change = self.lessons.changes(Some(&lesson.id))?.first().map(|c| c.id).with_context(noted)?;
        self.made.push(Made { lesson: lesson.id, change });
        // A file that was written is told from now on.
        self.told.forget_all();
        Ok(done)
    }
}

/// Lessons that are read at a time: a person does not notice the pause.
const PAGE: usize = 1_000;

impl Desk for StoreDesk<'_> {
    fn more(&mut self) -> Result<Option<Vec<Item>>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let page: Vec<ListPlace> = self.places.drain(..self.places.len().min(PAGE)).collect();
        let mut items = Vec::with_capacity(page.len());
        for stored in self.lessons.at(&page)? {
            // What a skill, CLAUDE.md or AGENTS.md says already needs no word.
            if !self.all && self.told(stored.lesson.project())?.says(&stored.lesson) {
                continue;
            }
            let said = stored.verdict().filter(|_| self.all).map(Choice::from);
            let project = self.names.get(stored.lesson.project());
            let known = self.told(stored.lesson.project())?.known(&stored.lesson).map(|known| known.to_string());
            items.push(Item { said, project, known, lesson: stored.lesson });
        }
        Ok(Some(items))
    }

    fn accept(&mut self, id: &str, edited: Option<String>) -> Result<String> {
        let words = if edited.is_some() { "Approved your words" } else { "Approved" };
        let decision = edited.map_or(Decision::Yes(Wish::Usual), Decision::Reworded);
        let done = self.decide(id, decision)?;
        let what = match done.files.first() {
            None if matches!(done.used_as, Some(UsedAs::Start(_))) => {
                format!("{words}: agents are told at the start of a session.")
            }
            None => format!("{words}: agents are told when its error comes up again."),
            Some(path) => format!("{words}, saved as {}", path.display()),
        };
        let older: Vec<&str> = done.replaced.iter().map(|r| r.lesson.id.as_str()).collect();
        if older.is_empty() { Ok(what) } else { Ok(format!("{what} It takes the place of {}.", older.join(", "))) }
    }

    fn reject(&mut self, id: &str) -> Result<String> {
        let done = self.decide(id, Decision::No)?;
        Ok(format!("Rejected {}; it will not come back.", done.lesson.id))
    }

    fn snooze(&mut self, id: &str) -> Result<String> {
        let done = self.decide(id, Decision::Later)?;
        Ok(format!("Put {} away for {} days.", done.lesson.id, self.settings.snooze_days))
    }

    fn release(&mut self, id: &str) -> Result<String> {
        let done = self.decide(id, Decision::Release)?;
        Ok(format!("Released {}: the agent may write it up.", done.lesson.id))
    }

    fn undo(&mut self) -> Result<String> {
        let made = self.made.last().context("nothing was decided here yet")?;
        let undone = undo(self.world, self.lessons, Some(made.change))?;
        let elsewhere = || format!("what was said of `{}` was taken back elsewhere", made.lesson);
        let (change, files) = undone.with_context(elsewhere)?;
        let stays = |path: &PathBuf| format!("; {} was changed since and stays", path.display());
        let left = files.left.first().map(stays).unwrap_or_default();
        let line = format!("Took back: {} is no longer {}{left}", change.lesson, change.action.as_str());
        self.made.pop();
        self.told.forget_all();
        Ok(line)
    }

    fn preview(&mut self, lesson: &Lesson) -> Result<Preview> {
        let known = !lesson.project().starts_with("folder:");
        let approved = match &lesson.payload.trigger {
            Some(trigger) if known => self.lessons.approved_for(trigger, lesson.project(), self.settings.mode)?,
            _ => Vec::new(),
        };
        let approved = approved.into_iter().map(|l| l.id).filter(|id| *id != lesson.id).collect();
        let mut remarks = remarks::lines(self.lessons, lesson)?;
        remarks.extend(contradictions::among_lessons(self.lessons, lesson, self.world.now)?);
        remarks.extend(contradictions::in_files(self.told(lesson.project())?, lesson));
        if lesson.evidence.tally.as_deref() == Some(WITHDRAWN) {
            remarks.push("Its words were taken out of their file again.".to_owned());
        }
        let target = match used_as(self.world, self.lessons, lesson, Wish::Usual)? {
            UsedAs::Hint(text) => return Ok(Preview { used: Use::Hint(text), approved, remarks }),
            UsedAs::Start(text) => return Ok(Preview { used: Use::Start(text), approved, remarks }),
            UsedAs::Entry(file) => {
                let place = Knowledge::of(&self.world.data, self.lessons, lesson.project())?.path(file);
                let (places, text) = (vec![place.display().to_string()], render::entry(lesson, file, 0, "today"));
                let text = text.replacen("-000", "-NNN", 1);
                return Ok(Preview { used: Use::File { what: "an entry in", places, text }, approved, remarks });
            }
            UsedAs::Command => Target::Command,
            UsedAs::Skill => Target::Skill,
        };
        let told = self.told.of(self.world, self.sessions.as_ref(), lesson.project())?;
        let top = spots::opted(&self.world.data, self.lessons, lesson.project())?;
        let spots = files::spots(self.world, told, top.as_deref(), lesson, target);
        let made = files::named(told, &spots, lesson, target);
        let places = spots.iter().map(|s| s.path(&made.name).display().to_string()).collect();
        let what = if target == Target::Skill { "the skill" } else { "the command" };
        Ok(Preview { used: Use::File { what, places, text: made.text }, approved, remarks })
    }
}
