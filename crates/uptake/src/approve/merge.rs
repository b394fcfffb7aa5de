//! Two projects are made one: approvals move along, and so do the files made of them.

use std::collections::BTreeSet;

use anyhow::Result;
use uptake_core::learn::{Lesson, lesson_id};
use uptake_store::{Artifact, Lessons};

use super::Around;
use super::files::{self, FileChanges};
use crate::world::World;

/// Makes `from` another name of `to`. A skill says where it holds: those of `from` are written anew for `to`. Answers the
/// number of the change.
pub fn merge(world: &World, lessons: &mut Lessons, from: &str, to: &str, paths: Vec<String>) -> Result<i64> {
    let mode = world.settings()?.mode;
    let approved: Vec<Lesson> = lessons.may_leave(mode)?.into_iter().filter(|l| l.project() == from).collect();
    let mut old: Vec<Artifact> = Vec::new();
    let mut moved = BTreeSet::new();
    for lesson in &approved {
        let made = lessons.artifacts(Some(&lesson.id))?;
        if !made.is_empty() {
            moved.insert(lesson_id(lesson.kind, &lesson.key, to));
        }
        old.extend(made);
    }
    let change = lessons.merge(from, to, paths, world.now)?;
    old.iter().for_each(|artifact| files::remove_file(artifact, &mut FileChanges::default()));
    let mut around = Around::default();
    for lesson in lessons.may_leave(mode)?.iter().filter(|l| moved.contains(&l.id)) {
        if lessons.artifacts(Some(&lesson.id))?.is_empty() {
            files::write(world, lessons, &mut around, lesson)?;
        }
    }
    Ok(change)
}
