//! The lessons whose place a newer one takes: found by their marks, held against it, and retired.
//!
//! Deliberately absent: what takes the place of what, which is the core's matter (`learn/supersede`).

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::learn::supersede::{Advice, Ending, Wanted};
use uptake_store::Lessons;

use super::files::{self, FileChanges};
use super::{Around, Replaced};
use crate::world::World;

/// Retires what a lesson that was just approved takes the place of, with the files made of it.
pub(super) fn retire_older(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    lesson: &Lesson,
) -> Result<Vec<Replaced>> {
    let replaced = replaced_by(lessons, around, lesson, world.now)?;
    let old: Vec<Lesson> = replaced.iter().map(|r| r.lesson.clone()).collect();
    if !old.is_empty() {
        lessons.supersede(&old, world.now)?;
        let mut files = FileChanges::default();
        old.iter().try_for_each(|l| files::take_back(world, lessons, &l.id, &mut files))?;
    }
    Ok(replaced)
}

/// The lessons in use whose place a lesson takes.
fn replaced_by(lessons: &mut Lessons, around: &mut Around, lesson: &Lesson, now: i64) -> Result<Vec<Replaced>> {
    // Most lessons end no other: then none is looked for.
    let Some(end) = Ending::of(lesson) else { return Ok(Vec::new()) };
    let wanted = Wanted::by(&end);
    let advice = around.advice(lessons, lesson.project())?;
    let ids: Vec<&str> = advice.iter().filter(|old| wanted.fits(&old.marks)).map(|old| old.id.as_str()).collect();
    let known = lessons.known_among(&ids, now)?.into_iter();
    let replaced = known.filter_map(|old| {
        let why = end.why(&Advice::of(&old.lesson)?)?;
        Some(Replaced { lesson: old.lesson, why })
    });
    Ok(replaced.collect())
}

#[cfg(test)]
mod tests {
    use uptake_core::detect::Kind;
    use uptake_core::learn::by_hand;
    use uptake_core::learn::status::Verdict;
    use uptake_core::learn::supersede::supersedes;
    use uptake_store::{Wanted as Listed, Which};

    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const NAMES: [&str; 8] = ["npm", "pnpm", "yarn", "jest", "vitest", "make test", "tabs", "node 18"];

    /// Lessons of all sorts in two projects: ready and not, decided in every way, reworded, of kinds that tell nothing.
    fn many(lessons: &mut Lessons) {
        let ways = ["use", "always use", "run", "prefer", "never use", "install with", "in legacy/ use"];
        let tails = ["", " for unit tests", " when the build fails", " to install packages", ". It is faster."];
        let mut n = 0;
        for (project, way) in ["shop", "blog"].into_iter().flat_map(|p| ways.map(|w| (p, w))) {
            for (name, tail) in NAMES.into_iter().flat_map(|name| tails.map(|tail| (name, tail))) {
                n += 1;
                let mut lesson = by_hand(project, &format!("{way} {name}{tail}"), NOW - n * 1_000);
                lesson.kind = [Kind::Instruction, Kind::Decision, Kind::Procedure, Kind::Recovery][n as usize % 4];
                lesson.evidence.worth.ready = n % 5 != 0;
                lesson.evidence.worth.rank = (n % 7) as f64;
                lessons.add_shown(std::slice::from_ref(&lesson)).expect("added");
                match n % 11 {
                    0 => lessons.decide(&lesson, Verdict::Approved, 1).expect("said"),
                    1 => lessons.decide(&lesson, Verdict::Rejected, 1).expect("said"),
                    2 => lessons.snooze(&lesson, NOW + 1, 1).expect("said"),
                    3 => drop(lessons.edit(&lesson, &format!("use {}", NAMES[n as usize % 8]), 1).expect("said")),
                    4 => lessons.supersede(std::slice::from_ref(&lesson), 1).expect("said"),
                    _ => {}
                }
            }
        }
    }

    /// As if all lessons of the project were read and held against the new one.
    fn by_reading_all(lessons: &Lessons, new: &Lesson) -> Vec<(String, String)> {
        let wanted = Listed { project: Some(new.project()), which: Which::Known, now: NOW, ..Listed::default() };
        let all: Vec<Lesson> = lessons.list(&wanted).expect("read").into_iter().map(|s| s.lesson).collect();
        supersedes(new, &all).into_iter().map(|s| (s.id, s.why)).collect()
    }

    #[test]
    fn marks_find_the_same_as_reading_every_lesson() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        many(&mut lessons);
        let mut texts: Vec<String> = ["we switched to bun", "run make deps first"].map(str::to_owned).to_vec();
        for name in NAMES {
            for way in ["use deno, not", "never use", "stop using", "no more", "we moved away from", "never run"] {
                texts.push(format!("{way} {name}"));
            }
            texts.push(format!("use bun instead of {name} for unit tests"));
            texts.push(format!("we moved from {name} to bun"));
            texts.push(format!("install with bun, not {name}"));
        }
        let mut ended = 0;
        for (project, text) in ["shop", "blog", "empty"].into_iter().flat_map(|p| texts.iter().map(move |t| (p, t))) {
            let new = by_hand(project, text, NOW);
            let found = replaced_by(&mut lessons, &mut Around::default(), &new, NOW).expect("found");
            let found: Vec<(String, String)> = found.into_iter().map(|r| (r.lesson.id, r.why)).collect();
            assert_eq!(found, by_reading_all(&lessons, &new), "{text}");
            ended += found.len();
        }
        assert!(ended > 300, "{ended}");
    }

    #[test]
    fn what_was_replaced_is_not_replaced_again_by_the_next_of_many_decisions() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("a store");
        many(&mut lessons);
        let mut around = Around::default();
        let first = by_hand("shop", "use deno, not npm", NOW);
        let old: Vec<Lesson> =
            replaced_by(&mut lessons, &mut around, &first, NOW).expect("found").into_iter().map(|r| r.lesson).collect();
        lessons.supersede(&old, NOW).expect("retired");
        let second = by_hand("shop", "stop using npm", NOW);
        let left = replaced_by(&mut lessons, &mut around, &second, NOW).expect("found");
        assert!(!old.is_empty() && left.is_empty(), "{} and {}", old.len(), left.len());
    }
}
