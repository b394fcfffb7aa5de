//! Two projects are made one, or one two: approvals move along, and so do the files made of them.

use std::collections::BTreeMap;

use anyhow::Result;
use uptake_core::learn::{Lesson, lesson_id};
use uptake_store::{Artifact, By, Lessons, Split};

use super::files::{self, FileChanges, Target};
use super::{Around, turn};
use crate::world::World;

/// Makes `from` another name of `to`. A skill says where it holds: those of `from` are written anew for `to`. Answers the
/// number of the change.
pub fn merge(world: &World, lessons: &mut Lessons, from: &str, to: &str, paths: Vec<String>, by: By) -> Result<i64> {
    let _turn = turn(world);
    let old = Made::by(world, lessons, from, to)?;
    let change = lessons.merge(from, to, paths, by, world.now)?;
    old.follow(world, lessons)?;
    Ok(change)
}

/// Makes a part of `from` a project of its own, which `name` stands for from now on. Answers the number of the change, and
/// what moved.
pub fn split(
    world: &World,
    lessons: &mut Lessons,
    from: &str,
    to: &str,
    name: &str,
    paths: Vec<String>,
) -> Result<(i64, Split)> {
    let _turn = turn(world);
    let old = Made::by(world, lessons, from, to)?;
    let done = lessons.split(from, to, name, paths, world.now)?;
    old.follow(world, lessons)?;
    Ok(done)
}

/// The files made of a project's lessons, each with the lesson it was made of and the one that takes its place.
struct Made(Vec<(Artifact, String)>);

impl Made {
    fn by(world: &World, lessons: &Lessons, from: &str, to: &str) -> Result<Self> {
        let mut made = Vec::new();
        for lesson in lessons.may_leave(world.settings()?.mode)?.iter().filter(|l| l.project() == from) {
            let next = lesson_id(lesson.kind, &lesson.key, to);
            made.extend(lessons.artifacts(Some(&lesson.id))?.into_iter().map(|artifact| (artifact, next.clone())));
        }
        Ok(Self(made))
    }

    /// Removes the files of lessons that went, and writes those of lessons that came.
    fn follow(self, world: &World, lessons: &mut Lessons) -> Result<()> {
        let leave: Vec<Lesson> = lessons.may_leave(world.settings()?.mode)?;
        let stays = |id: &str| leave.iter().any(|l| l.id == id);
        let gone = self.0.iter().filter(|(artifact, _)| !stays(&artifact.lesson));
        for (artifact, _) in gone {
            files::remove_one(world, lessons, artifact, &mut FileChanges::default())?;
        }
        let wanted: BTreeMap<&String, Target> = self.0.iter().map(|(a, next)| (next, Target::of(a))).collect();
        let mut around = Around::default();
        for lesson in &leave {
            let target = wanted.get(&lesson.id).filter(|_| !stays_filed(lessons, &lesson.id));
            if let Some(target) = target {
                files::write(world, lessons, &mut around, lesson, *target)?;
            }
        }
        Ok(())
    }
}

/// Whether something was made of a lesson.
fn stays_filed(lessons: &Lessons, id: &str) -> bool {
    lessons.artifacts(Some(id)).is_ok_and(|made| !made.is_empty())
}
