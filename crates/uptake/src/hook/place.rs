//! Where a hook is asked: the project, the root of its checkout, and what may be told there.

use std::path::Path;

use anyhow::{Context as _, Result};
use uptake_core::moment::Asked;
use uptake_store::{Lessons, known_machine};

use crate::settings::Settings;
use crate::{project, repo_settings};

/// Where a hook is asked.
pub(super) struct Place {
    /// The folder the agent is in.
    pub folder: String,
    /// The top of the working tree, as sessions have it (`Session::root_folder`); the folder itself if it is in none.
    pub root: String,
    /// The project.
    pub project: String,
    /// The machine, if something is known of it.
    pub machine: Option<String>,
    /// What was learned.
    pub lessons: Lessons,
    /// The user's settings.
    pub settings: Settings,
}

impl Place {
    /// Where it is asked; `None` if nothing is to be said: uptake is switched off, or nothing was learned yet.
    pub(super) fn of(data: &Path, asked: &Asked) -> Result<Option<Self>> {
        Self::with(Settings::of_user()?, data, asked)
    }

    /// The same for who has read the settings.
    pub(super) fn with(settings: Settings, data: &Path, asked: &Asked) -> Result<Option<Self>> {
        if !settings.enabled {
            return Ok(None);
        }
        let Some(lessons) = Lessons::open_for_hook(data)? else { return Ok(None) };
        lessons.hold_still()?;
        let folder = Path::new(&asked.folder);
        let project = project::here(folder, data, &lessons)?;
        let root = project::top(folder).unwrap_or_else(|| folder.to_owned()).to_string_lossy().into_owned();
        let machine = known_machine(data);
        Ok(Some(Self { folder: asked.folder.clone(), root, project, machine, lessons, settings }))
    }

    /// Where lessons hold that may be told here: in the project, and on the machine.
    pub(super) fn scopes(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.project.as_str()).chain(self.machine.as_deref())
    }

    /// Whether a path from the root is there.
    pub(super) fn has(&self, path: &str) -> bool {
        Path::new(&self.root).join(path).exists()
    }

    /// What paths are told from, if that is not the folder the agent is in.
    pub(super) fn seen_from(&self) -> Option<&str> {
        (self.root != self.folder).then_some(self.root.as_str())
    }

    /// Whether the user, or the repository, wants nothing said here. Asked last: most failures are new.
    pub(super) fn is_left_alone(&self) -> Result<bool> {
        // Without it `~/private` could be anywhere, and an agent there must hear nothing.
        let home = etcetera::home_dir().context("cannot find your home folder; set HOME")?;
        let folder = Path::new(&self.folder);
        let excluded = self.settings.excludes(&self.project, folder.to_str(), &home);
        Ok(excluded || repo_settings::leaves_alone(folder, &self.lessons))
    }
}
