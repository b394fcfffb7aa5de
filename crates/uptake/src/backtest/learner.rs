//! One person's lessons in a throw-away store, as they stood at a time.

use anyhow::Result;
use tempfile::TempDir;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::trust::{self, Mode};
use uptake_store::{Lessons, SeenIn, Sessions, Wanted, Which};

use super::{Past, Way};
use crate::folding::{Tombstones, fold_changed};
use crate::hook::rehearse::Rehearsal;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::world::World;

/// Which lessons `learn` would show.
pub type Shown<'s> = dyn Fn(&Stores, &World, &Settings) -> Result<Vec<Lesson>> + Sync + 's;

/// A store that learns, and speaks.
pub(super) struct Learner {
    way: Way,
    stores: Stores,
    world: World,
    settings: Settings,
    /// What hooks would say with it.
    pub hook: Rehearsal,
    // Goes after the stores in it.
    _folder: TempDir,
}

impl Learner {
    pub fn new(way: Way) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let world = World { home: at("home"), data: at("uptake"), config: at("config.toml"), now: 0 };
        let mode = if way == Way::Auto { Mode::Auto } else { Mode::Review };
        let settings = Settings { mode, ..Settings::default() };
        let stores = Stores { lessons: Lessons::open_scratch(&world.data)?, sessions: Sessions::open(&world.data)? };
        uptake_store::machine_key(&world.data)?;
        let hook = Rehearsal::new(&world.data, settings.clone())?;
        Ok(Self { way, stores, world, settings, hook, _folder: folder })
    }

    /// Learns from sessions that had ended at a time.
    pub fn learn(&mut self, ended: &[&Past], now: i64, shown: &Shown<'_>) -> Result<()> {
        self.world.now = now;
        let home = self.world.home.to_string_lossy().into_owned();
        // Sessions under a home speak for its machine.
        let paths: Vec<String> = ended.iter().map(|p| format!("{home}/{}", p.path.trim_start_matches('/'))).collect();
        let seen: Vec<SeenIn<'_>> = ended
            .iter()
            .zip(&paths)
            .map(|(p, path)| SeenIn {
                source: &p.source,
                session: &p.script.id,
                path,
                project: &p.project,
                observations: &p.observations,
            })
            .collect();
        self.stores.lessons.keep_observations(&seen)?;
        let tombstones = Tombstones::of(&self.stores.lessons, &self.world.data)?;
        fold_changed(&mut self.stores.lessons, &tombstones, &self.world, &self.settings)?;
        self.approve(shown)
    }

    fn approve(&mut self, shown: &Shown<'_>) -> Result<()> {
        let now = self.world.now;
        let wanted = |which| Wanted { which, now, mode: self.settings.mode, ..Wanted::default() };
        match self.way {
            Way::Shown => {
                let shown = shown(&self.stores, &self.world, &self.settings)?;
                Ok(self.stores.lessons.decide_all(&shown, Verdict::Approved, now)?)
            }
            Way::Auto => {
                for stored in self.stores.lessons.list(&wanted(Which::Waiting))? {
                    if let (None, Ok(form)) = (stored.verdict(), trust::auto_form(&stored.lesson)) {
                        self.stores.lessons.approve_by_rules(&form, now)?;
                    }
                }
                Ok(())
            }
            _ => {
                let mode = self.settings.mode;
                let mut new = self.stores.lessons.list(&wanted(Which::Any))?;
                new.retain(|stored| !stored.may_leave(mode));
                let new: Vec<Lesson> = new.into_iter().map(|stored| stored.lesson).collect();
                Ok(self.stores.lessons.decide_all(&new, Verdict::Approved, now)?)
            }
        }
    }

    /// How many lessons it may tell in a project.
    pub fn told_in(&self, project: &str) -> Result<usize> {
        Ok(self.stores.lessons.approved_in(project, self.settings.mode)?.len())
    }

    /// No machine: what is told comes from a project alone.
    pub fn without_machine(&mut self) {
        self.hook.with_machine(&self.world.data, false);
    }
}
