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

/// Writes the skill of a lesson for each of its agents. The files are noted before they are written: what a kill or a full
/// disk leaves of them is known, and put right by the next run ([`super::reconcile::finish_writing`]).
pub(super) fn write(world: &World, lessons: &mut Lessons, lesson: &Lesson) -> Result<Vec<PathBuf>> {
    // Read anew: files may have come or gone since the lesson was shown.
    let sessions = Sessions::open_read_only(&world.data)?;
    let skill = told(world, sessions.as_ref(), lesson.project())?.skill(&world.home, lesson);
    let sum = sha256_hex(skill.text.as_bytes());
    let folders = skills::folders(&world.home, lesson);
    let missing = folders.iter().filter(|f| !skills::holds(f, &skill)).map(|f| skills::place(f, &skill));
    let missing: Vec<String> = missing.map(|path| path.to_string_lossy().into_owned()).collect();
    if !missing.is_empty() {
        lessons.begin_artifacts(&missing, &lesson.id, &sum)?;
    }
    let written = folders.iter().map(|f| skills::write(f, &skill)).collect::<Result<Vec<PathBuf>>>();
    if written.is_err() {
        // All or none. What cannot be put right now either stays noted for the next run.
        let _ = give_up(lessons, &lesson.id);
    }
    let written = written?;
    for path in &written {
        lessons.keep_artifact(&path.to_string_lossy(), &lesson.id, &sum, world.now)?;
    }
    Ok(written)
}

/// Removes what was begun of a lesson's files.
fn give_up(lessons: &mut Lessons, id: &str) -> Result<()> {
    for artifact in lessons.artifacts(Some(id))?.iter().filter(|a| !a.written) {
        remove_file(artifact, &mut FileChanges::default());
        lessons.drop_artifact(&artifact.path)?;
    }
    Ok(())
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
