//! Makes the files fit the approvals, and learns from what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use uptake_core::learn::sha256_hex;
use uptake_core::learn::trust::Mode;
use uptake_core::render::loads_itself;
use uptake_store::late::{self, Going, Late};
use uptake_store::{Artifact, Lessons, Stored, atomic_file};

use super::files::{self, FileChanges, Target};
use super::{Around, entries, merged, turn};
use crate::spots::{self, Knowledge};
use crate::world::World;
use crate::{background, instructions, project, skills};

/// What was found, and what was done about it.
#[derive(Default)]
pub struct Reconciled {
    /// Lessons whose file or entry the user deleted: they are retired until they are approved anew.
    pub deleted: Vec<String>,
    /// What a person changed since it was last looked at: it is theirs from now on.
    pub edited: Vec<PathBuf>,
    /// How many files and entries are as they were.
    pub unchanged: usize,
    /// What a run that was cut short left, put right.
    pub healed: Vec<PathBuf>,
    /// What was written and removed.
    pub files: FileChanges,
    /// What was typed into files while they were replaced.
    pub late: Vec<Late>,
    /// How many were not looked at because the time was over.
    pub left: usize,
}

/// Looks at everything that was made of lessons.
pub fn reconcile(world: &World, lessons: &mut Lessons, mode: Mode) -> Result<Reconciled> {
    reconcile_within(world, lessons, mode, Duration::MAX)
}

/// The same, as far as it gets in a time.
pub fn reconcile_within(world: &World, lessons: &mut Lessons, mode: Mode, time: Duration) -> Result<Reconciled> {
    let _turn = turn(world);
    let begun = Instant::now();
    let look = Look::begin(world);
    let mut out = Reconciled { late: late::settle(&world.data, Going::Quiet)?, ..Reconciled::default() };
    sweep(world, lessons)?;
    finish(world, lessons, mode, &mut out)?;
    heal(world, lessons, mode, &mut out)?;
    let mut deleted = BTreeSet::new();
    let mut sums = Sums::default();
    let artifacts = lessons.artifacts(None)?;
    for (n, artifact) in artifacts.iter().enumerate().filter(|(_, a)| a.written) {
        if begun.elapsed() > time {
            out.left = artifacts.len() - n;
            break;
        }
        let stored = stored(lessons, artifact)?;
        // A skill does not go because a disk changed the bytes of its lesson.
        if stored.as_ref().is_some_and(|s| s.standing.said.is_some_and(|said| !said.same)) {
            lessons.doubt()?;
        }
        let Some(stored) = stored.filter(|s| s.may_leave(mode)) else {
            files::take_back(world, lessons, &artifact.lesson, &mut out.files)?;
            sums = Sums::default();
            continue;
        };
        match sums.look(artifact)? {
            Became::Same => out.unchanged += 1,
            Became::Changed(sum) => {
                lessons.keep_edited(&artifact.path, &sum)?;
                if Target::of(artifact) == Target::Skill {
                    let text = std::fs::read_to_string(artifact.place().0).unwrap_or_default();
                    lessons.load_at_start(&stored.lesson, loads_itself(&text))?;
                }
                out.edited.push(PathBuf::from(&artifact.path));
            }
            Became::Gone if deleted.insert(artifact.lesson.clone()) => {
                // Who deletes an entry does not want it from another lesson, either.
                for same in entries::said_by(world, lessons, &stored.lesson)? {
                    lessons.retire_deleted(&same.id, world.now)?;
                    deleted.insert(same.id);
                }
                lessons.retire_deleted(&artifact.lesson, world.now)?;
            }
            Became::Gone | Became::Unknown => {}
        }
    }
    out.deleted = deleted.into_iter().collect();
    if out.left == 0 {
        look.end();
    }
    Ok(out)
}

/// Keeps when all files were last looked at, for hooks that only look at times: as the time of a file. It is made when the
/// look begins, and gets its name at the end. Where it cannot be made the next session has them looked at once more.
struct Look {
    begun: PathBuf,
    name: PathBuf,
}

impl Look {
    fn begin(world: &World) -> Self {
        let name = background::reconciled(&world.data);
        let begun = name.with_extension("now");
        let _ = std::fs::remove_file(&begun);
        let _ = spots::locked(&begun);
        Self { begun, name }
    }

    fn end(self) {
        let _ = std::fs::rename(self.begun, self.name);
    }
}

/// What became of something that was made.
enum Became {
    Same,
    /// It has another sum now.
    Changed(String),
    /// The user deleted it.
    Gone,
    /// It is not there, and that says nothing.
    Unknown,
}

/// Each file is read once, whatever was made in it.
#[derive(Default)]
struct Sums {
    files: BTreeMap<String, Option<String>>,
    entries: BTreeMap<String, BTreeMap<String, String>>,
}

impl Sums {
    fn look(&mut self, artifact: &Artifact) -> Result<Became> {
        let sum = match Target::of(artifact) {
            Target::Entry(_) => self.entry(artifact)?,
            _ => self.file(artifact.place().0),
        };
        Ok(match sum {
            Some(sum) if sum == artifact.sha256 => Became::Same,
            Some(sum) => Became::Changed(sum),
            None if files::was_deleted(artifact) => Became::Gone,
            // The file is there, and the entry is not.
            None if Path::new(artifact.place().0).exists() && files::same_branch(artifact) => Became::Gone,
            None => Became::Unknown,
        })
    }

    fn file(&mut self, path: &str) -> Option<String> {
        let read = || std::fs::read(path).ok().map(|bytes| sha256_hex(&bytes));
        self.files.entry(path.to_owned()).or_insert_with(read).clone()
    }

    fn entry(&mut self, artifact: &Artifact) -> Result<Option<String>> {
        let (path, id) = artifact.place();
        if !self.entries.contains_key(path) {
            let mut sums = BTreeMap::new();
            if let Some((knowledge, file)) = Knowledge::of_file(Path::new(path))
                && let Some(text) = knowledge.text(file)?
            {
                sums.extend(file.entries(&text).into_iter().map(|e| (e.id, e.sha256)));
            }
            self.entries.insert(path.to_owned(), sums);
        }
        Ok(self.entries.get(path).and_then(|sums| sums.get(id)).cloned())
    }
}

fn stored(lessons: &Lessons, artifact: &Artifact) -> Result<Option<Stored>> {
    Ok(lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson))
}

/// Ends what a kill or a full disk cut short, before anything else is decided. `learn` does it with all the rest.
pub fn finish_writing(world: &World, lessons: &mut Lessons) -> Result<()> {
    let _turn = turn(world);
    finish_in_turn(world, lessons)
}

/// The same for somebody whose turn it is.
pub(super) fn finish_in_turn(world: &World, lessons: &mut Lessons) -> Result<()> {
    finish(world, lessons, world.settings()?.mode, &mut Reconciled::default())
}

/// A file that was being written is kept or written again if its lesson is in use, and removed otherwise. A file with
/// other bytes than ours is a person's, and stays.
fn finish(world: &World, lessons: &mut Lessons, mode: Mode, out: &mut Reconciled) -> Result<()> {
    let mut around = Around::default();
    for artifact in lessons.unwritten_artifacts()? {
        let (path, target) = (PathBuf::from(artifact.place().0), Target::of(&artifact));
        let in_use = stored(lessons, &artifact)?.filter(|s| s.may_leave(mode));
        if in_use.is_some() && is_whole(&artifact)? {
            match target {
                Target::Skill => lessons.keep_parts(artifact.place().0, &artifact.sha256, world.now)?,
                _ => lessons.keep_artifact(&artifact.path, &artifact.lesson, &artifact.sha256, world.now)?,
            }
            atomic_file::sweep(&path);
            out.healed.push(path);
            continue;
        }
        if let (Some(stored), Target::Entry(_)) = (&in_use, target) {
            // The number it was promised is its own.
            out.healed.extend(files::write(world, lessons, &mut around, &stored.lesson, target).unwrap_or_default());
            continue;
        }
        if in_use.is_some() && target == Target::Skill && merged::renew(world, lessons, artifact.place().0)? {
            out.healed.push(path);
            continue;
        }
        // Of a file that was never there nothing is told.
        let mut untold = FileChanges::default();
        let told = if path.symlink_metadata().is_ok() { &mut out.files } else { &mut untold };
        match target {
            Target::Skill if !artifact.place().1.is_empty() => merged::leave(world, lessons, &artifact, told)?,
            _ => files::remove_file(world, &artifact, told),
        }
        lessons.drop_artifact(&artifact.path)?;
        if let Some(stored) = in_use {
            // If its place cannot be written now, it goes without a file, and its yes stands.
            let written = files::write(world, lessons, &mut around, &stored.lesson, target).unwrap_or_default();
            out.healed.extend(written.iter().cloned());
            out.files.written.extend(written);
        }
    }
    Ok(())
}

/// Whether what was begun is there as it was to be written.
fn is_whole(artifact: &Artifact) -> Result<bool> {
    Ok(match Target::of(artifact) {
        Target::Entry(_) => entries::found(artifact)?.is_some_and(|e| e.lesson.as_deref() == Some(&artifact.lesson)),
        _ => skills::is_as_written(Path::new(artifact.place().0), &artifact.sha256),
    })
}

/// Entries that name a lesson in use and of which nothing is noted are noted again. Where two claim the same lesson, neither
/// is.
fn heal(world: &World, lessons: &mut Lessons, mode: Mode, out: &mut Reconciled) -> Result<()> {
    for name in lessons.numbered_files()? {
        let Some((knowledge, file)) = Knowledge::of_file(Path::new(&name)) else { continue };
        // Under the lock nobody is writing: what looks half written is.
        let _lock = knowledge.lock(&world.data)?;
        atomic_file::sweep(Path::new(&name));
        let Some(text) = knowledge.text(file).ok().flatten() else { continue };
        let entries = file.entries(&text);
        let known: BTreeSet<String> = lessons.artifacts_in(&name)?.into_iter().map(|a| a.lesson).collect();
        for entry in &entries {
            let Some(id) = entry.lesson.as_ref().filter(|id| !known.contains(*id)) else { continue };
            let claims = entries.iter().filter(|e| e.lesson.as_ref() == Some(id)).count();
            let in_use = lessons.by_id(id)?.into_iter().any(|s| s.lesson.id == *id && s.may_leave(mode));
            if claims == 1 && in_use {
                lessons.keep_artifact(&Artifact::part(&name, &entry.id), id, &entry.sha256, world.now)?;
                out.healed.push(PathBuf::from(&name));
            }
        }
    }
    Ok(())
}

/// Removes parts of files that killed runs left. A copy of a database is swept by whoever makes the next one.
fn sweep(world: &World, lessons: &Lessons) -> Result<()> {
    let here = std::env::current_dir().ok().and_then(|here| project::top(&here));
    for top in lessons.opted()?.into_iter().map(PathBuf::from).chain(here) {
        instructions::names().for_each(|name| drop(atomic_file::sweep(&top.join(name))));
        atomic_file::sweep(&top.join(spots::CARD));
    }
    skills::sweep(&world.home);
    let small = |name: &str| !name.starts_with("lessons.db");
    atomic_file::sweep_parts(&world.data, small);
    atomic_file::sweep_parts(&world.data.join("projects"), small);
    atomic_file::sweep(&world.config);
    Ok(())
}
