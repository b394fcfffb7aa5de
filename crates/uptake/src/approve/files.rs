//! The skill files of lessons: written, taken back, and told apart from what others wrote.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use anyhow::Result;
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_store::{Artifact, Lessons, Sessions};

use crate::project;
use crate::skills::{self, Told};
use crate::world::World;

/// What became of skill files.
#[derive(Default)]
pub struct FileChanges {
    /// Those that are gone.
    pub removed: Vec<PathBuf>,
    /// Those that were written.
    pub written: Vec<PathBuf>,
    /// Those that stay because someone changed them.
    pub left: Vec<PathBuf>,
}

/// What agents are told already, for this user and in the folders in which a project's sessions ran.
fn told(world: &World, sessions: Option<&Sessions>, project: &str) -> Result<Told> {
    let mut folders: Vec<PathBuf> = project.strip_prefix("path:").map(PathBuf::from).into_iter().collect();
    if let Some(sessions) = sessions {
        folders.extend(sessions.folders_of(project)?.into_iter().map(PathBuf::from));
    }
    // Instructions stand at the top of a repository; sessions may run below it.
    let tops: Vec<PathBuf> = folders.iter().filter_map(|f| project::top(f)).collect();
    folders.extend(tops);
    folders.sort();
    folders.dedup();
    folders.retain(|f| f.is_dir());
    Ok(Told::read(&world.home, &folders))
}

/// What agents are told already, read once for each project.
#[derive(Default)]
pub struct ToldByProject(HashMap<String, Told>);

impl ToldByProject {
    /// Of one project.
    pub fn of(&mut self, world: &World, sessions: Option<&Sessions>, project: &str) -> Result<&Told> {
        match self.0.entry(project.to_owned()) {
            Entry::Occupied(read) => Ok(read.into_mut()),
            Entry::Vacant(unread) => Ok(unread.insert(told(world, sessions, project)?)),
        }
    }

    /// Has a project read again: files came or went.
    pub fn forget(&mut self, project: &str) {
        self.0.remove(project);
    }

    /// The same for all projects.
    pub fn forget_all(&mut self) {
        self.0.clear();
    }
}

/// Writes the skill of a lesson for each of its agents.
pub(super) fn write(world: &World, lessons: &mut Lessons, lesson: &Lesson) -> Result<Vec<PathBuf>> {
    // Read anew: files may have come or gone since the lesson was shown.
    let sessions = Sessions::open_read_only(&world.data)?;
    let skill = told(world, sessions.as_ref(), lesson.project())?.skill(&world.home, lesson);
    let mut written = Vec::new();
    for folder in skills::folders(&world.home, lesson) {
        let path = skills::write(&folder, &skill)?;
        let sum = sha256_hex(skill.text.as_bytes());
        lessons.keep_artifact(&path.to_string_lossy(), &lesson.id, &sum, world.now)?;
        written.push(path);
    }
    Ok(written)
}

/// Removes the files of a lesson, unless someone changed them.
pub(super) fn take_back(lessons: &mut Lessons, id: &str, files: &mut FileChanges) -> Result<()> {
    for artifact in lessons.artifacts(Some(id))? {
        remove_file(&artifact, files);
        lessons.drop_artifact(&artifact.path)?;
    }
    Ok(())
}

/// Removes a file that was made of a lesson, unless someone changed it.
pub fn remove_file(artifact: &Artifact, files: &mut FileChanges) {
    let path = PathBuf::from(&artifact.path);
    let gone = skills::take_back(&path, &artifact.sha256);
    if gone { &mut files.removed } else { &mut files.left }.push(path);
}

/// Whether the user deleted a file. Where the folder of all skills is gone, too, the agent was removed, and that is no
/// word on this lesson.
pub(super) fn was_deleted(path: &Path) -> bool {
    !path.exists() && path.ancestors().nth(2).is_some_and(Path::is_dir)
}
