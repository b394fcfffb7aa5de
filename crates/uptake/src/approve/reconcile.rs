//! Makes the files fit the approvals.

use std::path::Path;

use anyhow::Result;
use uptake_core::learn::trust::Mode;
use uptake_store::Lessons;

use super::files::{self, FileChanges};
use crate::world::World;

/// Retires what the user deleted, and removes what may no longer be used unless someone changed it. Answers the retired
/// lessons and what became of files.
pub fn reconcile(world: &World, lessons: &mut Lessons, mode: Mode) -> Result<(Vec<String>, FileChanges)> {
    let (mut retired, mut files) = (Vec::new(), FileChanges::default());
    for artifact in lessons.artifacts(None)? {
        let stored = lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson);
        // A skill does not go because a disk changed the bytes of its lesson.
        if stored.as_ref().is_some_and(|s| s.standing.said.is_some_and(|said| !said.same)) {
            lessons.doubt()?;
        }
        if !stored.is_some_and(|s| s.may_leave(mode)) {
            files::take_back(lessons, &artifact.lesson, &mut files)?;
        } else if files::was_deleted(Path::new(&artifact.path)) && !retired.contains(&artifact.lesson) {
            lessons.retire_deleted(&artifact.lesson, world.now)?;
            retired.push(artifact.lesson);
        }
    }
    Ok((retired, files))
}
