//! Makes the files fit the approvals.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use uptake_core::learn::trust::Mode;
use uptake_store::Lessons;

use super::files::{self, FileChanges};
use crate::world::World;

/// Retires what the user deleted, and removes what may no longer be used unless someone changed it. Answers the retired
/// lessons and what became of files.
pub fn reconcile(world: &World, lessons: &mut Lessons, mode: Mode) -> Result<(Vec<String>, FileChanges)> {
    let (mut retired, mut files) = (BTreeSet::new(), FileChanges::default());
    for artifact in lessons.artifacts(None)? {
        let stored = lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson);
        if !stored.is_some_and(|s| s.may_leave(mode)) {
            files::take_back(lessons, &artifact.lesson, &mut files)?;
        } else if files::was_deleted(Path::new(&artifact.path)) && retired.insert(artifact.lesson.clone()) {
            lessons.retire_deleted(&artifact.lesson, world.now)?;
        }
    }
    Ok((retired.into_iter().collect(), files))
}
