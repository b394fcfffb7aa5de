//! Observations → lessons: folds what changed, and keeps out what was forgotten.
//!
//! Comes in: groups of observations that the store marked as changed. Goes out: their lessons, in the store. Deliberately
//! absent: what makes a lesson of observations, which is the core's matter (`learn`), and reading transcripts (`ingest`).

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use uptake_core::detect::former::{FORMER, KeyFunction, former_keys};
use uptake_core::detect::{self, Observation};
use uptake_core::learn::evidence::Bars;
use uptake_core::learn::{self, Lesson, facts};
use uptake_store::{Folded, Lessons, TombstoneKey, machine_key};

use crate::settings::Settings;
use crate::world::World;

/// Projects that are folded at once: the disk is waited for once, and other processes wait no longer than that takes.
const AT_ONCE: usize = 16;

/// Folds what changed, in every project, also what a run left that was cut short: marks are written together with the
/// observations.
pub fn fold_changed(lessons: &mut Lessons, tombstones: &Tombstones, world: &World, settings: &Settings) -> Result<()> {
    let bars = &settings.thresholds;
    // What is excluded no longer speaks for the machine.
    let rules = serde_json::to_string(&(learn::VERSION, bars, &settings.exclude))?;
    lessons.mark_all_if_rules_changed(&rules)?;
    let deleted = lessons.deletions()?;
    let in_project = |project: &str, observations: &[Observation], worked: &facts::Worked<'_>| {
        let lessons = learn::fold_knowing(project, observations, bars, worked);
        lessons.into_iter().filter_map(|lesson| folded(lesson, observations, tombstones, &deleted, bars)).collect()
    };
    let unfolded = lessons.unfolded()?;
    let (first, others) = unfolded.split_at(unfolded.len().min(AT_ONCE));
    Machine::of(world, settings)?.fold(lessons, first, tombstones, bars, in_project)?;
    for projects in others.chunks(AT_ONCE) {
        lessons.refold_projects(projects, in_project)?;
    }
    Ok(())
}

/// This computer, and which sessions speak for it.
struct Machine<'m> {
    /// Its key, as lessons have it.
    key: String,
    /// The home under whose folders its own sessions lie: others were given by hand, or come from elsewhere.
    home: &'m Path,
    /// Which projects are left alone.
    settings: &'m Settings,
}

impl<'m> Machine<'m> {
    /// The machine that a command runs on.
    fn of(world: &'m World, settings: &'m Settings) -> Result<Self> {
        Ok(Self { key: machine_key(&world.data)?, home: &world.home, settings })
    }

    /// Folds what may hold in every project, here and in the projects; and all else of the first ones.
    fn fold(
        &self,
        lessons: &mut Lessons,
        first: &[String],
        tombstones: &Tombstones,
        bars: &Bars,
        in_project: impl FnMut(&str, &[Observation], &facts::Worked<'_>) -> Vec<Folded>,
    ) -> Result<()> {
        let mut causes = lessons.unfolded_causes()?;
        causes.retain(|key| facts::may_be_everywhere(key));
        if first.is_empty() {
            return Ok(());
        }
        let home = self.home.to_str().unwrap_or_default();
        let own = |project: &str, path: &str| {
            // Most do, and to take paths apart takes longer than to read them.
            let plainly = path.strip_prefix(home).is_some_and(|rest| rest.starts_with('/')) && !home.is_empty();
            let excluded = self.settings.excludes(project, None, self.home);
            (plainly || Path::new(path).starts_with(self.home)) && !project.starts_with("folder:") && !excluded
        };
        let everywhere = |group: &[(&str, &Observation)], worked: &facts::Worked<'_>| {
            let lesson = facts::fold_machine(&self.key, group, bars, worked)?;
            let forgotten = tombstones.holds(lesson.kind, &lesson.key, &[facts::cause_of(&lesson.key).to_owned()]);
            (!forgotten).then_some(lesson)
        };
        Ok(lessons.refold_causes(&self.key, &causes, first, own, everywhere, in_project)?)
    }
}

/// A lesson with the ids it had; `None` if it was forgotten under today's key or a former one.
fn folded(
    mut lesson: Lesson,
    observations: &[Observation],
    tombstones: &Tombstones,
    deleted: &HashSet<String>,
    bars: &Bars,
) -> Option<Folded> {
    let keys = learn::former::keys_of(&lesson, observations, tombstones.former);
    if tombstones.holds(lesson.kind, &lesson.key, &keys) {
        return None;
    }
    let former = learn::former::ids_of(&lesson, &keys);
    if former.iter().chain([&lesson.id]).any(|id| deleted.contains(id)) {
        lesson.penalise(bars);
    }
    Some(Folded { lesson, former })
}

/// What was forgotten and must not come back, also under a key it had before key functions changed.
pub struct Tombstones {
    key: Option<TombstoneKey>,
    hashes: HashSet<String>,
    former: &'static [KeyFunction],
}

impl Tombstones {
    /// Those of a home.
    pub fn of(lessons: &Lessons, data: &Path) -> Result<Self> {
        Self::by(lessons, data, FORMER)
    }

    /// The same, with these older key functions.
    pub(crate) fn by(lessons: &Lessons, data: &Path, former: &'static [KeyFunction]) -> Result<Self> {
        let hashes = lessons.tombstones()?;
        let key = if hashes.is_empty() { None } else { Some(TombstoneKey::of(data)?) };
        Ok(Self { key, hashes, former })
    }

    /// Whether a lesson of this kind was forgotten, under its key or one it had before.
    pub(crate) fn holds(&self, kind: detect::Kind, key: &str, former: &[String]) -> bool {
        let Some(secret) = &self.key else { return false };
        let held = |key: &str| self.hashes.contains(&secret.hash(kind, key));
        held(key) || former.iter().any(|key| held(key))
    }

    /// Whether what is seen today is the lesson that an older observation told of.
    pub(crate) fn same_lesson(&self, today: &Observation, older: &Observation) -> bool {
        let key = &older.claim.key;
        today.claim.kind == older.claim.kind
            && (today.claim.key == *key || former_keys(today, self.former).contains(key))
    }

    /// Drops observations of forgotten lessons. Answers the events they came from.
    pub fn leave_out(&self, observations: &mut Vec<Observation>) -> HashSet<String> {
        let mut gone = HashSet::new();
        if self.key.is_none() {
            return gone;
        }
        observations.retain(|o| {
            let forgotten = self.holds(o.claim.kind, &o.claim.key, &former_keys(o, self.former));
            if forgotten {
                gone.extend(o.head.events.iter().cloned());
            }
            !forgotten
        });
        gone
    }
}

#[cfg(test)]
mod tests;
