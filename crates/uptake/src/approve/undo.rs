//! Taking a change back, with the files it left.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::learn::supersede::supersedes;
use uptake_store::{Action, Artifact, Change, Lessons, Sessions};

use super::files::{self, FileChanges, Target};
use super::reconcile::finish_in_turn;
use super::{Around, Wish, entries, turn, used_as};
use crate::folding::{Tombstones, fold_changed};
use crate::world::World;

/// Takes a change back: the one with this number, or the last one. `None` if there is no such change.
pub fn undo(world: &World, lessons: &mut Lessons, id: Option<i64>) -> Result<Option<(Change, FileChanges)>> {
    let _turn = turn(world);
    finish_in_turn(world, lessons)?;
    let undone = lessons.undo(id, world.now)?;
    let mut files = FileChanges::default();
    match undone.as_ref().map(|c| (c.action, &c.merge, &c.lesson)) {
        Some((Action::Merged, Some(merge), _)) => {
            Sessions::open(&world.data)?.move_paths(&merge.paths, &merge.from)?;
            merge.lessons.iter().try_for_each(|id| files::take_back(world, lessons, id, &mut files))?;
            write_missing(world, lessons, &mut files)?;
            // Both projects' files had the same place: only one of them was noted there.
            for lesson in lessons.may_leave(world.settings()?.mode)?.iter().filter(|l| l.project() == merge.from) {
                put_right(world, lessons, &lesson.id, &mut files)?;
            }
        }
        Some((Action::Split, ..)) => {
            if let Some(split) = undone.as_ref().and_then(|c| c.split.as_ref()) {
                Sessions::open(&world.data)?.move_paths(&split.paths, &split.from)?;
                split.lessons.iter().try_for_each(|id| files::take_back(world, lessons, id, &mut files))?;
                write_missing(world, lessons, &mut files)?;
                for lesson in lessons.may_leave(world.settings()?.mode)?.iter().filter(|l| l.project() == split.from) {
                    put_right(world, lessons, &lesson.id, &mut files)?;
                }
            }
        }
        Some((Action::Cleared, ..)) => write_missing(world, lessons, &mut files)?,
        Some((_, _, lesson)) => put_right(world, lessons, lesson, &mut files)?,
        None => {}
    }
    undone.iter().try_for_each(|change| bring_back(world, lessons, change, &mut files))?;
    // Also without a change: an undo that was cut short may have left this to do.
    let tombstones = Tombstones::of(lessons, &world.data)?;
    fold_changed(lessons, &tombstones, world, &world.settings()?)?;
    Ok(undone.map(|change| (change, files)))
}

/// Brings back what a yes retired, now that the yes is taken back: else neither the older word nor the newer one would hold.
fn bring_back(world: &World, lessons: &mut Lessons, change: &Change, files: &mut FileChanges) -> Result<()> {
    let own = lessons.by_id(&change.lesson)?.into_iter().map(|s| s.lesson).find(|l| l.id == change.lesson);
    for (behind, retired) in (1..).zip(lessons.retired_with(change)?) {
        let old: Vec<Lesson> = lessons.by_id(&retired.lesson)?.into_iter().map(|s| s.lesson).collect();
        let is_its = match change.action {
            // One of many, perhaps: what it says tells which it ended.
            Action::Approved | Action::AutoApproved => {
                own.as_ref().is_some_and(|own| !supersedes(own, &old).is_empty())
            }
            // One at a time, with words that are gone by now: what it ended stands right behind it.
            Action::Edited | Action::Added => retired.id == change.id + behind,
            _ => false,
        };
        if is_its && lessons.undo(Some(retired.id), world.now)?.is_some() {
            put_right(world, lessons, &retired.lesson, files)?;
        }
    }
    Ok(())
}

/// Sees to it that a lesson that may be used has its files, and any other has none.
fn put_right(world: &World, lessons: &mut Lessons, id: &str, files: &mut FileChanges) -> Result<()> {
    let stored = lessons.by_id(id)?.into_iter().find(|s| s.lesson.id == id);
    let mode = world.settings()?.mode;
    match stored.filter(|s| s.may_leave(mode)).map(|s| s.lesson) {
        None => files::take_back(world, lessons, id, files),
        Some(lesson) if lessons.artifacts(Some(id))?.is_empty() => write_again(world, lessons, &lesson, files),
        Some(_) => Ok(()),
    }
}

fn write_missing(world: &World, lessons: &mut Lessons, files: &mut FileChanges) -> Result<()> {
    let mode = world.settings()?.mode;
    let gone: BTreeSet<String> = lessons.artifacts(None)?.into_iter().filter(is_gone).map(|a| a.lesson).collect();
    let mut around = Around::default();
    for lesson in lessons.may_leave(mode)?.iter().filter(|l| gone.contains(&l.id)) {
        let made = lessons.artifacts(Some(&lesson.id))?;
        let target = made.first().map_or(Target::Skill, Target::of);
        for artifact in made {
            lessons.drop_artifact(&artifact.path)?;
        }
        files.written.extend(files::write(world, lessons, &mut around, lesson, target)?);
    }
    Ok(())
}

fn write_again(world: &World, lessons: &mut Lessons, lesson: &Lesson, files: &mut FileChanges) -> Result<()> {
    if let Some(target) = used_as(world, lessons, lesson, Wish::Usual)?.target() {
        files.written.extend(files::write(world, lessons, &mut Around::default(), lesson, target)?);
    }
    Ok(())
}

/// Whether nothing is left of what was made of a lesson.
fn is_gone(artifact: &Artifact) -> bool {
    let there = Path::new(artifact.place().0).exists();
    !there || matches!(Target::of(artifact), Target::Entry(_)) && !matches!(entries::found(artifact), Ok(Some(_)))
}
