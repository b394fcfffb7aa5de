//! Makes the files fit the approvals.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use uptake_core::learn::trust::Mode;
use uptake_store::{Artifact, Lessons, Stored, atomic_file};

use super::Around;
use super::files::{self, FileChanges};
use crate::skills;
use crate::world::World;

/// Retires what the user deleted, and removes what may no longer be used unless someone changed it. Answers the retired
/// lessons and what became of files.
pub fn reconcile(world: &World, lessons: &mut Lessons, mode: Mode) -> Result<(Vec<String>, FileChanges)> {
    let (mut retired, mut files) = (BTreeSet::new(), FileChanges::default());
    sweep(world);
    finish(world, lessons, mode, &mut files)?;
    for artifact in lessons.artifacts(None)?.into_iter().filter(|a| a.written) {
        let stored = stored(lessons, &artifact)?;
        // A skill does not go because a disk changed the bytes of its lesson.
        if stored.as_ref().is_some_and(|s| s.standing.said.is_some_and(|said| !said.same)) {
            lessons.doubt()?;
        }
        if stored.is_none_or(|s| !s.may_leave(mode)) {
            files::take_back(lessons, &artifact.lesson, &mut files)?;
        } else if files::was_deleted(Path::new(&artifact.path)) && retired.insert(artifact.lesson.clone()) {
            lessons.retire_deleted(&artifact.lesson, world.now)?;
        }
    }
    Ok((retired.into_iter().collect(), files))
}

fn stored(lessons: &Lessons, artifact: &Artifact) -> Result<Option<Stored>> {
    Ok(lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson))
}

/// Ends what a kill or a full disk cut short, before anything else is decided. `learn` does it with all the rest.
pub fn finish_writing(world: &World, lessons: &mut Lessons) -> Result<()> {
    finish(world, lessons, world.settings()?.mode, &mut FileChanges::default())
}

/// A file that was being written is kept or written again if its lesson is in use, and removed otherwise. A file with
/// other bytes than ours is a person's, and stays.
fn finish(world: &World, lessons: &mut Lessons, mode: Mode, files: &mut FileChanges) -> Result<()> {
    let mut around = Around::default();
    for artifact in lessons.unwritten_artifacts()? {
        let path = Path::new(&artifact.path);
        let in_use = stored(lessons, &artifact)?.filter(|s| s.may_leave(mode));
        if in_use.is_some() && skills::is_as_written(path, &artifact.sha256) {
            lessons.keep_artifact(&artifact.path, &artifact.lesson, &artifact.sha256, world.now)?;
            continue;
        }
        // Of a file that was never there nothing is told.
        let mut untold = FileChanges::default();
        let there = path.symlink_metadata().is_ok();
        files::remove_file(&artifact, if there { &mut *files } else { &mut untold });
        lessons.drop_artifact(&artifact.path)?;
        if let Some(stored) = in_use {
            // If its place cannot be written now, it goes without a file, and its yes stands.
            files.written.extend(files::write(world, lessons, &mut around, &stored.lesson).unwrap_or_default());
        }
    }
    Ok(())
}

/// Removes parts of files that killed runs left. A copy of a database is swept by whoever makes the next one.
fn sweep(world: &World) {
    skills::sweep(&world.home);
    let small = |name: &str| !name.starts_with("lessons.db");
    atomic_file::sweep_parts(&world.data, small);
    atomic_file::sweep_parts(&world.data.join("projects"), small);
    atomic_file::sweep(&world.config);
}
