//! The skill files of lessons: written, taken back, and told apart from what others wrote.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::render::Skill;
use uptake_store::{Artifact, Lessons, Sessions};

use super::Around;
use crate::project;
use crate::skills::{self, Said, Told};
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

/// The folders in which a project's sessions ran, and the tops of their repositories.
fn folders(sessions: Option<&Sessions>, project: &str) -> Result<Vec<PathBuf>> {
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
    Ok(folders)
}

/// What agents are told already: for this user, and in the folders of each project; all of it read once.
#[derive(Default)]
pub struct ToldByProject {
    user: Option<Rc<RefCell<Said>>>,
    projects: HashMap<String, Told>,
}

impl ToldByProject {
    /// Of one project.
    pub fn of(&mut self, world: &World, sessions: Option<&Sessions>, project: &str) -> Result<&Told> {
        match self.projects.entry(project.to_owned()) {
            Entry::Occupied(read) => Ok(read.into_mut()),
            Entry::Vacant(unread) => {
                let user = self.user.get_or_insert_with(|| Rc::new(RefCell::new(Said::to_user(&world.home))));
                let here = Said::in_folders(&world.home, &folders(sessions, project)?);
                Ok(unread.insert(Told { user: Rc::clone(user), here, used: skills::used(&world.home) }))
            }
        }
    }

    /// Remembers a skill that was just written.
    fn add(&mut self, skill: &Skill) {
        if let Some(user) = &self.user {
            user.borrow_mut().add(skill);
        }
    }

    /// Has all read again: files came or went.
    pub fn forget_all(&mut self) {
        *self = Self::default();
    }
}

/// Writes the skill of a lesson for each of its agents. The files are noted before they are written: what a kill or a full
/// disk leaves of them is known, and put right by the next run ([`super::reconcile::finish_writing`]).
pub(super) fn write(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    lesson: &Lesson,
) -> Result<Vec<PathBuf>> {
    let told = around.told(world, lesson.project())?;
    let (skill, folders) = (told.skill(&world.home, lesson), told.folders(&world.home, lesson));
    let sum = sha256_hex(skill.text.as_bytes());
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
    around.told.add(&skill);
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

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;

    use super::*;

    #[test]
    fn skills_are_read_once_for_many_decisions_and_anew_for_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let world = World { home: at("home"), data: at("data"), config: at("config.toml"), now: 1 };
        let mut lessons = Lessons::open(&world.data).expect("a store");
        let lesson = |n: usize| {
            let mut lesson = by_hand("p", &format!("use {n} spaces"), 1);
            lesson.payload.name = "spaces".to_owned();
            lesson
        };
        let mut name = |around: &mut Around, n: usize| {
            let paths = write(&world, &mut lessons, around, &lesson(n)).expect("written");
            paths[0].parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let mut around = Around::default();
        assert_eq!([1, 2].map(|n| name(&mut around, n)), ["spaces", "spaces-2"]);
        // Nobody looks at the disk again before the decisions that belong together are made.
        std::fs::remove_dir_all(&world.home).expect("gone");
        assert_eq!(name(&mut around, 3), "spaces-3");
        assert_eq!(name(&mut Around::default(), 4), "spaces");
    }
}
