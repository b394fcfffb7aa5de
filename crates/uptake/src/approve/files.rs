//! The skill files of lessons: written, taken back, and told apart from what others wrote.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::render::{self, EntryFile, Skill};
use uptake_store::late::{self, Going, Late};
use uptake_store::{Artifact, Finished, Lessons, Sessions};

use super::sheets::Sheets;
use super::{Around, entries, merged};
use crate::agents::AGENTS;
use crate::project;
use crate::skills::{self, Said, Told};
use crate::spots::{self, Spot};
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
    pub(super) fn add(&mut self, skill: &Skill) {
        if let Some(user) = &self.user {
            user.borrow_mut().add(skill);
        }
    }

    /// Has all read again: files came or went.
    pub fn forget_all(&mut self) {
        *self = Self::default();
    }
}

/// What is made of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A skill.
    Skill,
    /// A slash command.
    Command,
    /// An entry of a knowledge file.
    Entry(EntryFile),
}

impl Target {
    /// What a file of ours is.
    pub(super) fn of(artifact: &Artifact) -> Self {
        let (file, part) = artifact.place();
        match EntryFile::of_id(part) {
            Some(entries) => Self::Entry(entries),
            None if file.ends_with("SKILL.md") => Self::Skill,
            None => Self::Command,
        }
    }
}

/// Where the skill or the command of a lesson belongs: in the project's checkout if there is one, else with the user.
pub(super) fn spots(world: &World, told: &Told, top: Option<&Path>, lesson: &Lesson, target: Target) -> Vec<Spot> {
    match target {
        Target::Command => vec![Spot::of_commands(&world.home, top, &AGENTS[0])],
        _ => told.spots(&world.home, top, lesson),
    }
}

/// The skill or the command of a lesson, under a name that is free in all places.
pub(super) fn named(told: &Told, spots: &[Spot], lesson: &Lesson, target: Target) -> Skill {
    told.named(lesson, spots, |name| match target {
        Target::Command => render::command(lesson, name),
        _ => render::skill(lesson, name),
    })
}

/// What became of the files of many lessons.
pub(super) struct Written {
    /// By lesson, in the order they were given.
    pub files: Vec<Result<Vec<PathBuf>>>,
    /// What is to be noted of them.
    pub kept: Vec<Finished>,
}

/// Makes what is to be made of lessons. Files are noted before they are written: what a kill or a full disk leaves of them is
/// known, and put right by the next run ([`super::reconcile::finish_writing`]). The caller notes that they are written.
pub(super) fn write_all(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    wanted: &[(&Lesson, Option<Target>)],
) -> Result<Written> {
    let mut sheets = Sheets::default();
    let mut of_file: BTreeMap<(String, EntryFile), Vec<usize>> = BTreeMap::new();
    let mut of_sheet: Vec<(usize, usize)> = Vec::new();
    for (n, (lesson, target)) in wanted.iter().enumerate() {
        match target {
            None => {}
            Some(Target::Entry(file)) => of_file.entry((lesson.project().to_owned(), *file)).or_default().push(n),
            Some(target) => of_sheet.push((n, sheets.add(world, lessons, around, lesson, *target)?)),
        }
    }
    let mut out = Written { files: wanted.iter().map(|_| Ok(Vec::new())).collect(), kept: Vec::new() };
    for ((project, file), which) in of_file {
        let these: Vec<&Lesson> = which.iter().map(|n| wanted[*n].0).collect();
        match entries::write(world, lessons, around, &project, file, &these) {
            Ok(written) => {
                which.iter().zip(written.files).for_each(|(n, files)| out.files[*n] = Ok(files));
                out.kept.extend(written.kept);
            }
            Err(e) => fail(&mut out.files, which.into_iter(), e),
        }
    }
    for (at, outcome) in sheets.write(world, lessons, around)?.into_iter().enumerate() {
        let which = of_sheet.iter().filter(|(_, sheet)| *sheet == at).map(|(n, _)| *n);
        match outcome.files {
            Ok(files) => which.for_each(|n| out.files[n] = Ok(files.clone())),
            Err(e) => fail(&mut out.files, which, e),
        }
        out.kept.extend(outcome.kept);
    }
    Ok(out)
}

/// The first of the lessons of a file that cannot be written has the error as it is, the others its words.
fn fail(files: &mut [Result<Vec<PathBuf>>], mut which: impl Iterator<Item = usize>, e: anyhow::Error) {
    let words = format!("{e:#}");
    if let Some(first) = which.next() {
        files[first] = Err(e);
    }
    which.for_each(|n| files[n] = Err(anyhow::anyhow!(words.clone())));
}

/// Makes what is to be made of one lesson, and notes it.
pub(super) fn write(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    lesson: &Lesson,
    target: Target,
) -> Result<Vec<PathBuf>> {
    let mut written = write_all(world, lessons, around, &[(lesson, Some(target))])?;
    let files = written.files.pop().unwrap_or_else(|| Ok(Vec::new()))?;
    lessons.keep_all(&written.kept, world.now)?;
    Ok(files)
}

/// Removes what was begun of a lesson's files.
pub(super) fn give_up(world: &World, lessons: &mut Lessons, id: &str) -> Result<()> {
    for artifact in lessons.artifacts(Some(id))?.iter().filter(|a| !a.written) {
        remove_one(world, lessons, artifact, &mut FileChanges::default())?;
    }
    Ok(())
}

/// Removes what was made of a lesson, unless someone changed it.
pub(super) fn take_back(world: &World, lessons: &mut Lessons, id: &str, files: &mut FileChanges) -> Result<()> {
    let made = lessons.artifacts(Some(id))?;
    for artifact in &made {
        remove_one(world, lessons, artifact, files)?;
    }
    if made.iter().any(is_pitfall)
        && let Some(stored) = lessons.by_id(id)?.into_iter().find(|s| s.lesson.id == id)
    {
        files.written.extend(entries::speak_for_others(world, lessons, &stored.lesson)?);
    }
    Ok(())
}

fn is_pitfall(artifact: &Artifact) -> bool {
    Target::of(artifact) == Target::Entry(EntryFile::Pitfalls)
}

/// Removes what was made of a lesson, and that it was made.
pub(super) fn remove_one(
    world: &World,
    lessons: &mut Lessons,
    artifact: &Artifact,
    files: &mut FileChanges,
) -> Result<()> {
    if Target::of(artifact) == Target::Skill {
        return merged::leave(world, lessons, artifact, files);
    }
    remove_file(world, artifact, files);
    Ok(lessons.drop_artifact(&artifact.path)?)
}

/// Removes a file that was made of a lesson, or its entry of one, unless someone changed it.
pub fn remove_file(world: &World, artifact: &Artifact, files: &mut FileChanges) {
    let path = PathBuf::from(artifact.place().0);
    let gone = match Target::of(artifact) {
        Target::Entry(_) => entries::remove(world, artifact).unwrap_or(false),
        _ => !artifact.edited && skills::take_back(&path, &artifact.sha256),
    };
    let list = if gone { &mut files.removed } else { &mut files.left };
    if !list.contains(&path) {
        list.push(path);
    }
}

/// Removes all that was made of a lesson, changed or not: it is to be forgotten. Answers the files, and those that may hold it still:
/// somebody typed into them.
pub fn forget_files(world: &World, lessons: &mut Lessons, lesson: &Lesson) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut gone = Vec::new();
    let made = lessons.artifacts(Some(&lesson.id))?;
    for artifact in &made {
        let path = PathBuf::from(artifact.place().0);
        let others = lessons.artifacts_in(artifact.place().0)?.iter().any(|a| a.lesson != lesson.id);
        let removed = match Target::of(artifact) {
            Target::Entry(_) => entries::erase(world, artifact)?,
            Target::Skill if others => {
                merged::leave(world, lessons, artifact, &mut FileChanges::default())?;
                true
            }
            _ => skills::remove(&path),
        };
        if removed {
            gone.push(path);
        }
    }
    if made.iter().any(is_pitfall) {
        entries::speak_for_others(world, lessons, lesson)?;
    }
    // A file that held it may be kept for who still writes to it.
    let late = late::settle(&world.data, Going::All)?;
    gone.extend(skills::written(&world.home, lesson).into_iter().filter(|path| skills::remove(path)));
    let stays = |late| if let Late::Kept { copy, .. } = late { Some(copy) } else { None };
    Ok((gone, late.into_iter().filter_map(stays).collect()))
}

/// Whether the user deleted a file. Where the folder of all skills is gone, too, the agent was removed, and on another branch
/// the file may never have been there: neither is a word on this lesson.
pub(super) fn was_deleted(artifact: &Artifact) -> bool {
    let path = Path::new(artifact.place().0);
    let deep = if Target::of(artifact) == Target::Skill { 2 } else { 1 };
    let around = || path.ancestors().nth(deep).is_some_and(Path::is_dir);
    !path.exists() && around() && same_branch(artifact)
}

/// Whether a checkout stands where it stood when a file was written.
pub(super) fn same_branch(artifact: &Artifact) -> bool {
    artifact.branch.is_empty() || spots::branch(Path::new(artifact.place().0)) == artifact.branch
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
            let paths = write(&world, &mut lessons, around, &lesson(n), Target::Skill).expect("written");
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
