//! A yes: the lesson is approved, and becomes a skill where its agents will find it.

use std::path::{Path, PathBuf};

use std::collections::BTreeSet;

use anyhow::Result;
use uptake_core::learn::supersede;
use uptake_core::learn::trust::{self, Mode};
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::sources::SOURCES;
use uptake_store::{Artifact, Change, Lessons, Sessions, State, Verdict, Wanted};

use crate::agents;
use crate::commands::review::hint;
use crate::ingest::{self, Graves, Stores};
use crate::project;
use crate::skills::{self, Told};
use crate::world::World;

/// What agents are told already, for this user and in the folders in which a project's sessions ran.
pub fn told(world: &World, sessions: Option<&Sessions>, key: &str) -> Result<Told> {
    let mut folders: Vec<PathBuf> = key.strip_prefix("path:").map(PathBuf::from).into_iter().collect();
    if let Some(sessions) = sessions {
        folders.extend(sessions.folders_of(key)?.into_iter().map(PathBuf::from));
    }
    // Instructions stand at the top of a repository; sessions may run below it.
    let tops: Vec<PathBuf> = folders.iter().filter_map(|f| project::top(f)).collect();
    folders.extend(tops);
    folders.sort();
    folders.dedup();
    folders.retain(|f| f.is_dir());
    Ok(Told::read(&world.home, &folders))
}

/// What to do so that an agent hears approved fixes; `None` if the settings of one name the hook already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    let mut able = None;
    for source in SOURCES {
        let Some(reply) = source.hook.and_then(|h| h.reply) else { continue };
        let settings = agents::agent(source.name).folder(home).join(reply.settings);
        if std::fs::read_to_string(&settings).is_ok_and(|text| (reply.names_us)(&text)) {
            return None;
        }
        able.get_or_insert((source.title, settings));
    }
    let (title, settings) = able?;
    Some(format!(
        "{title} hears approved fixes once `{}` names the hook: see `uptake hook --help`.",
        settings.display()
    ))
}

/// What became of skill files.
#[derive(Default)]
pub struct Files {
    /// Those that are gone.
    pub removed: Vec<PathBuf>,
    /// Those that were written.
    pub written: Vec<PathBuf>,
    /// Those that stay because someone changed them.
    pub left: Vec<PathBuf>,
}

/// Takes a change back, with the files it left. `None` if there is no such change.
pub fn undo(world: &World, lessons: &mut Lessons, id: Option<i64>) -> Result<Option<(Change, Files)>> {
    let undone = lessons.undo(id, world.now)?;
    let mut files = Files::default();
    match undone.as_ref().map(|c| (c.action.as_str(), &c.merge, &c.lesson)) {
        Some(("merged", Some(merge), _)) => Sessions::open(&world.data)?.move_paths(&merge.paths, &merge.from)?,
        Some(("cleared", ..)) => write_missing(world, lessons, &mut files)?,
        Some((_, _, lesson)) => put_right(world, lessons, lesson, &mut files)?,
        None => {}
    }
    // Also without a change: one that was cut short here before left this to do.
    let graves = Graves::of(lessons, &world.data)?;
    ingest::add_up(lessons, &graves, &world.settings()?.thresholds)?;
    Ok(undone.map(|change| (change, files)))
}

/// A lesson that may be used has its files, any other has none.
fn put_right(world: &World, lessons: &mut Lessons, id: &str, files: &mut Files) -> Result<()> {
    let stored = lessons.by_id(id)?.into_iter().find(|s| s.lesson.id == id);
    let mode = world.settings()?.mode;
    match stored.filter(|s| s.may_leave(mode)) {
        None => take_files_back(lessons, id, files),
        Some(s) if hint(&s.lesson).is_none() && lessons.artifacts(Some(id))?.is_empty() => {
            write_again(world, lessons, &s.lesson, files)
        }
        Some(_) => Ok(()),
    }
}

/// Removes the files of a lesson, unless someone changed them.
pub fn take_files_back(lessons: &mut Lessons, id: &str, files: &mut Files) -> Result<()> {
    for artifact in lessons.artifacts(Some(id))? {
        remove_file(&artifact, files);
        lessons.drop_artifact(&artifact.path)?;
    }
    Ok(())
}

/// Removes a file that was made of a lesson, unless someone changed it.
pub fn remove_file(artifact: &Artifact, files: &mut Files) {
    let path = PathBuf::from(&artifact.path);
    let gone = skills::take_back(&path, &artifact.sha256);
    if gone { &mut files.removed } else { &mut files.left }.push(path);
}

fn write_missing(world: &World, lessons: &mut Lessons, files: &mut Files) -> Result<()> {
    let mode = world.settings()?.mode;
    let gone: BTreeSet<String> =
        lessons.artifacts(None)?.into_iter().filter(|a| !Path::new(&a.path).exists()).map(|a| a.lesson).collect();
    for lesson in lessons.may_leave(mode)?.iter().filter(|l| gone.contains(&l.id)) {
        for artifact in lessons.artifacts(Some(&lesson.id))? {
            lessons.drop_artifact(&artifact.path)?;
        }
        write_again(world, lessons, lesson, files)?;
    }
    Ok(())
}

fn write_again(world: &World, lessons: &mut Lessons, lesson: &Lesson, files: &mut Files) -> Result<()> {
    let sessions = Sessions::open_read_only(&world.data)?;
    let mut told = told(world, sessions.as_ref(), &lesson.project)?;
    files.written.extend(write_skills(world, lessons, lesson, &mut told)?);
    Ok(())
}

/// Brings files and approvals together: what the user deleted is retired, and what may no longer be used is removed
/// unless someone changed it. Answers the retired lessons and what became of files.
pub fn reconcile(world: &World, lessons: &mut Lessons, mode: Mode) -> Result<(Vec<String>, Files)> {
    let (mut retired, mut files) = (Vec::new(), Files::default());
    for artifact in lessons.artifacts(None)? {
        let stored = lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson);
        let may_leave = stored.is_some_and(|s| s.may_leave(mode));
        let path = Path::new(&artifact.path);
        // Without the folder of all skills the agent itself is gone, and nobody deleted anything.
        let deleted = !path.exists() && path.ancestors().nth(2).is_some_and(Path::is_dir);
        if !may_leave {
            take_files_back(lessons, &artifact.lesson, &mut files)?;
        } else if deleted && !retired.contains(&artifact.lesson) {
            lessons.retire_deleted(&artifact.lesson, world.now)?;
            retired.push(artifact.lesson);
        }
    }
    Ok((retired, files))
}

/// Approves what mode `auto` lets through, and writes its skills. Answers the lessons in the form that is used.
pub fn by_rules(world: &World, stores: &mut Stores) -> Result<Vec<Lesson>> {
    let wanted = Wanted { which: State::Waiting, now: world.now, mode: Mode::Auto, ..Wanted::default() };
    let mut passed = Vec::new();
    for stored in stores.lessons.list(&wanted)? {
        if stored.verdict.is_some() {
            continue;
        }
        let Ok(form) = trust::auto_form(&stored.lesson) else { continue };
        let mut told = told(world, Some(&stores.sessions), &form.project)?;
        if told.says(&form) {
            continue;
        }
        // Should this be cut short, the next run removes files nobody approved.
        if hint(&form).is_none() {
            write_skills(world, &mut stores.lessons, &form, &mut told)?;
        }
        if stores.lessons.approve_by_rules(&form, world.now)? {
            passed.push(form);
        }
    }
    Ok(passed)
}

/// A lesson whose place a newer one took, and why.
pub struct Replaced {
    /// The older one.
    pub lesson: Lesson,
    /// What of the newer one says so.
    pub why: String,
}

/// The lessons in use whose place a lesson takes.
pub fn replaced_by(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<Replaced>> {
    let wanted = Wanted { project: Some(&lesson.project), which: State::Known, now, ..Wanted::default() };
    let existing: Vec<Lesson> = lessons.list(&wanted)?.into_iter().map(|s| s.lesson).collect();
    let found = supersede::supersedes(lesson, &existing);
    let replaced = found.into_iter().filter_map(|s| {
        let lesson = existing.iter().find(|l| l.id == s.id)?.clone();
        Some(Replaced { lesson, why: s.why })
    });
    Ok(replaced.collect())
}

/// Retires what a lesson that was just approved takes the place of, with the files made of it.
pub fn retire_older(world: &World, lessons: &mut Lessons, lesson: &Lesson) -> Result<Vec<Replaced>> {
    let replaced = replaced_by(lessons, lesson, world.now)?;
    let old: Vec<Lesson> = replaced.iter().map(|r| r.lesson.clone()).collect();
    if !old.is_empty() {
        lessons.supersede(&old, world.now)?;
        let mut files = Files::default();
        old.iter().try_for_each(|l| take_files_back(lessons, &l.id, &mut files))?;
    }
    Ok(replaced)
}

/// Writes the skill of a lesson for each of its agents, then approves the lesson. A skill that cannot be written
/// leaves the lesson undecided, so that it is offered again.
pub fn save_as_skill(world: &World, lessons: &mut Lessons, lesson: &Lesson, told: &mut Told) -> Result<Vec<PathBuf>> {
    let written = write_skills(world, lessons, lesson, told)?;
    lessons.decide(lesson, Verdict::Approved, world.now)?;
    Ok(written)
}

/// Writes the skill of a lesson for each of its agents.
pub fn write_skills(world: &World, lessons: &mut Lessons, lesson: &Lesson, told: &mut Told) -> Result<Vec<PathBuf>> {
    let skill = told.skill(&world.home, lesson);
    let mut written = Vec::new();
    for folder in skills::folders(&world.home, lesson) {
        let path = skills::write(&folder, &skill)?;
        keep_artifact(world, lessons, lesson, &path, &skill.text)?;
        written.push(path);
    }
    told.add(&skill);
    Ok(written)
}

fn keep_artifact(world: &World, lessons: &mut Lessons, lesson: &Lesson, path: &Path, text: &str) -> Result<()> {
    Ok(lessons.keep_artifact(&path.to_string_lossy(), &lesson.id, &sha256_hex(text.as_bytes()), world.now)?)
}
