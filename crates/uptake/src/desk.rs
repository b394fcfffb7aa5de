//! Carries out what a person decides in the review inbox, with the store and the skill files.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use uptake_core::learn::Lesson;
use uptake_core::redact::clean;
use uptake_core::session::Origin;
use uptake_store::{Lessons, Place, Sessions, Verdict};

use crate::accept;
use crate::commands::review::{hint, one};
use crate::inbox::Desk;
use crate::inbox::action::Said;
use crate::inbox::item::{Item, Preview, Use};
use crate::settings::Settings;
use crate::skills::{self, Told};
use crate::world::World;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The desk of this user's store.
pub struct StoreDesk<'s> {
    lessons: &'s mut Lessons,
    world: &'s World,
    settings: Settings,
    /// Lessons that are not in the inbox yet, best first.
    places: VecDeque<Place>,
    /// Whether also what was decided is shown.
    all: bool,
    /// What agents are told already, by project.
    told: HashMap<String, Told>,
    made: Vec<Made>,
}

/// A decision, and what it left behind.
struct Made {
    lesson: String,
    change: i64,
}

impl<'s> StoreDesk<'s> {
    /// A desk at which nothing was decided yet.
    pub fn new(lessons: &'s mut Lessons, world: &'s World, places: Vec<Place>, all: bool) -> Result<Self> {
        let settings = world.settings()?;
        let places = VecDeque::from(places);
        Ok(Self { lessons, world, settings, places, all, told: HashMap::new(), made: Vec::new() })
    }

    fn told(&mut self, project: &str) -> Result<&mut Told> {
        if !self.told.contains_key(project) {
            let sessions = Sessions::open_read_only(&self.world.data)?;
            self.told.insert(project.to_owned(), accept::told(self.world, sessions.as_ref(), project)?);
        }
        self.told.get_mut(project).context("what agents are told is not known")
    }

    /// Writes the skills of a lesson that is not told as a hint.
    fn write_skills(&mut self, lesson: &Lesson) -> Result<Vec<PathBuf>> {
        if hint(lesson).is_some() {
            return Ok(Vec::new());
        }
        // Files may have come or gone since the text was shown.
        self.told.remove(&lesson.project);
        self.told(&lesson.project)?;
        let Some(told) = self.told.get_mut(&lesson.project) else { return Ok(Vec::new()) };
        accept::write_skills(self.world, self.lessons, lesson, told)
    }

    /// Remembers the change that was just made, so that it can be taken back.
    fn remember(&mut self, lesson: &Lesson) -> Result<()> {
        let change = self.lessons.changes(Some(&lesson.id))?.first().map(|c| c.id);
        let change = change.with_context(|| format!("the change to `{}` was not noted", lesson.id))?;
        self.made.push(Made { lesson: lesson.id.clone(), change });
        Ok(())
    }
}

/// Lessons that are read at a time: a person does not notice the pause.
const PAGE: usize = 1_000;

impl Desk for StoreDesk<'_> {
    fn more(&mut self) -> Result<Option<Vec<Item>>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let page: Vec<Place> = self.places.drain(..self.places.len().min(PAGE)).collect();
        let mut items = Vec::with_capacity(page.len());
        for stored in self.lessons.at(&page)? {
            // What a skill, CLAUDE.md or AGENTS.md says already needs no word.
            if !self.all && self.told(&stored.lesson.project)?.says(&stored.lesson) {
                continue;
            }
            let said = stored.verdict.filter(|_| self.all).map(Said::from);
            items.push(Item { said, lesson: stored.lesson });
        }
        Ok(Some(items))
    }

    fn accept(&mut self, id: &str, edited: Option<String>) -> Result<String> {
        let mut lesson = one(self.lessons, id)?;
        let shown = lesson.clone();
        if let Some(text) = &edited {
            lesson.statement = clean(text);
            lesson.trust = Origin::User;
        }
        // A skill that cannot be written leaves the lesson undecided.
        let files = self.write_skills(&lesson)?;
        if edited.is_some() {
            self.lessons.edit(&shown, &lesson.statement, self.world.now)?;
        } else {
            self.lessons.decide(&lesson, Verdict::Approved, self.world.now)?;
        }
        let replaced = accept::retire_older(self.world, self.lessons, &lesson)?;
        let words = if edited.is_some() { "Approved your words" } else { "Approved" };
        let what = match files.first() {
            None => format!("{words}: it is recalled when its error comes up again."),
            Some(path) => format!("{words}, saved as {}", path.display()),
        };
        self.remember(&lesson)?;
        let older: Vec<&str> = replaced.iter().map(|r| r.lesson.id.as_str()).collect();
        if !older.is_empty() {
            return Ok(format!("{what} It takes the place of {}.", older.join(", ")));
        }
        Ok(what)
    }

    fn reject(&mut self, id: &str) -> Result<String> {
        let lesson = one(self.lessons, id)?;
        self.lessons.decide(&lesson, Verdict::Rejected, self.world.now)?;
        self.remember(&lesson)?;
        Ok(format!("Rejected {}; it will not come back.", lesson.id))
    }

    fn snooze(&mut self, id: &str) -> Result<String> {
        let days = self.settings.snooze_days;
        let lesson = one(self.lessons, id)?;
        self.lessons.snooze(&lesson, self.world.now + i64::from(days) * DAY, self.world.now)?;
        self.remember(&lesson)?;
        Ok(format!("Put {} away for {days} days.", lesson.id))
    }

    fn release(&mut self, id: &str) -> Result<String> {
        let lesson = one(self.lessons, id)?;
        self.lessons.decide(&lesson, Verdict::Released, self.world.now)?;
        self.remember(&lesson)?;
        Ok(format!("Released {}: the agent may write it up.", lesson.id))
    }

    fn undo(&mut self) -> Result<String> {
        let made = self.made.last().context("nothing was decided here yet")?;
        let undone = accept::undo(self.world, self.lessons, Some(made.change))?;
        let elsewhere = || format!("what was said of `{}` was taken back elsewhere", made.lesson);
        let (change, files) = undone.with_context(elsewhere)?;
        let stays = |path: &PathBuf| format!("; {} was changed since and stays", path.display());
        let left = files.left.first().map(stays).unwrap_or_default();
        let line = format!("Took back: {} is no longer {}{left}", change.lesson, change.action);
        self.made.pop();
        self.told.clear();
        Ok(line)
    }

    fn preview(&mut self, lesson: &Lesson) -> Result<Preview> {
        let project = if lesson.project.starts_with("folder:") { None } else { Some(&lesson.project) };
        let approved = match (&lesson.trigger, project) {
            (Some(trigger), Some(project)) => self.lessons.approved_for(trigger, project, self.settings.mode)?,
            _ => Vec::new(),
        };
        let approved = approved.into_iter().map(|l| l.id).filter(|id| *id != lesson.id).collect();
        if let Some(text) = hint(lesson) {
            return Ok(Preview { used: Use::Hint(text), approved });
        }
        let home = &self.world.home;
        let skill = self.told(&lesson.project)?.skill(home, lesson);
        let place = |folder: PathBuf| folder.join(&skill.name).join("SKILL.md").display().to_string();
        let places = skills::folders(&self.world.home, lesson).into_iter().map(place).collect();
        Ok(Preview { used: Use::Skill { places, text: skill.text }, approved })
    }
}
