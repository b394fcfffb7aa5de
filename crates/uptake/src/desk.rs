//! Carries out what a person decides in the review inbox, with the store and the skill files.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::redact::clean;
use uptake_core::session::Origin;
use uptake_store::{Lessons, Sessions, Verdict};

use crate::accept;
use crate::commands::review::{hint, one};
use crate::inbox::Desk;
use crate::inbox::item::{Preview, Use};
use crate::skills::{self, Told};
use crate::world::World;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The desk of this user's store.
pub struct StoreDesk<'s> {
    lessons: &'s mut Lessons,
    world: &'s World,
    /// What agents are told already, by project.
    told: HashMap<String, Told>,
    made: Vec<Made>,
}

/// A decision, and what it left behind.
struct Made {
    lesson: String,
    change: i64,
    /// Skill files, with the sums of what was written.
    files: Vec<(PathBuf, String)>,
}

impl<'s> StoreDesk<'s> {
    /// A desk at which nothing was decided yet.
    pub fn new(lessons: &'s mut Lessons, world: &'s World) -> Self {
        Self { lessons, world, told: HashMap::new(), made: Vec::new() }
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
    fn remember(&mut self, lesson: &Lesson, files: Vec<PathBuf>) -> Result<()> {
        let change = self.lessons.changes(Some(&lesson.id))?.first().map(|c| c.id);
        let change = change.with_context(|| format!("the change to `{}` was not noted", lesson.id))?;
        let sum = |path: PathBuf| std::fs::read(&path).ok().map(|bytes| (path, sha256_hex(&bytes)));
        let files = files.into_iter().filter_map(sum).collect();
        self.made.push(Made { lesson: lesson.id.clone(), change, files });
        Ok(())
    }
}

impl Desk for StoreDesk<'_> {
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
        let words = if edited.is_some() { "Approved your words" } else { "Approved" };
        let what = match files.first() {
            None => format!("{words}: it is recalled when its error comes up again."),
            Some(path) => format!("{words}, saved as {}", path.display()),
        };
        self.remember(&lesson, files)?;
        Ok(what)
    }

    fn reject(&mut self, id: &str) -> Result<String> {
        let lesson = one(self.lessons, id)?;
        self.lessons.decide(&lesson, Verdict::Rejected, self.world.now)?;
        self.remember(&lesson, Vec::new())?;
        Ok(format!("Rejected {}; it will not come back.", lesson.id))
    }

    fn snooze(&mut self, id: &str, days: u32) -> Result<String> {
        let lesson = one(self.lessons, id)?;
        self.lessons.snooze(&lesson, self.world.now + i64::from(days) * DAY, self.world.now)?;
        self.remember(&lesson, Vec::new())?;
        Ok(format!("Put {} away for {days} days.", lesson.id))
    }

    fn release(&mut self, id: &str) -> Result<String> {
        let lesson = one(self.lessons, id)?;
        self.lessons.decide(&lesson, Verdict::Released, self.world.now)?;
        self.remember(&lesson, Vec::new())?;
        Ok(format!("Released {}: the agent may write it up.", lesson.id))
    }

    fn undo(&mut self) -> Result<String> {
        let made = self.made.last().context("nothing was decided here yet")?;
        let change = self.lessons.undo(Some(made.change), self.world.now)?;
        let change = change.with_context(|| format!("what was said of `{}` was taken back elsewhere", made.lesson))?;
        let mut left = String::new();
        for (path, sum) in &made.files {
            if !skills::take_back(path, sum) {
                left = format!("; {} was changed since and stays", path.display());
            }
        }
        let line = format!("Took back: {} is no longer {}{left}", change.lesson, change.action);
        self.made.pop();
        self.told.clear();
        Ok(line)
    }

    fn preview(&mut self, lesson: &Lesson) -> Result<Preview> {
        let project = if lesson.project.starts_with("folder:") { None } else { Some(&lesson.project) };
        let approved = match (&lesson.trigger, project) {
            (Some(trigger), Some(project)) => self.lessons.approved_for(trigger, project)?,
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
