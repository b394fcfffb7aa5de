//! What speaks against a lesson: other lessons and files of instructions that say the opposite, and what a yes would end.
//!
//! It is told in `why`, `show` and the inbox and changes nothing by itself: the newer word wins after a yes (`replace`).

use anyhow::Result;
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::learn::supersede::{opposite, supersedes};
use uptake_store::{Lessons, Wanted, Which};

use crate::skills::Told;

/// How many of each are told.
const TOLD: usize = 3;

/// Whether a lesson tells in words what to do.
fn tells(lesson: &Lesson) -> bool {
    matches!(lesson.kind, Kind::Instruction | Kind::Decision | Kind::Correction) && lesson.payload.commands.is_empty()
}

/// A line for each lesson of the project that a lesson takes the place of, that takes its place, or that says the opposite.
pub fn among_lessons(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<String>> {
    if !tells(lesson) {
        return Ok(Vec::new());
    }
    let wanted = Wanted { project: Some(lesson.project()), which: Which::Known, now, ..Wanted::default() };
    let mut out = Vec::new();
    for other in lessons.list(&wanted)?.into_iter().map(|s| s.lesson).filter(|other| other.id != lesson.id) {
        let named = format!("“{}” ({})", other.payload.statement, other.id);
        if let Some(ended) = supersedes(lesson, std::slice::from_ref(&other)).pop() {
            out.push(format!("A yes takes the place of {named}: {}", ended.why));
        } else if let Some(ended) = supersedes(&other, std::slice::from_ref(lesson)).pop() {
            out.push(format!("A yes to {named}, which is newer, takes its place: {}", ended.why));
        } else if tells(&other) && opposite(&lesson.payload.statement, &other.payload.statement) {
            let when = if other.evidence.last > lesson.evidence.last { "newer" } else { "older" };
            out.push(format!("It is the opposite of {named}, which is {when}."));
        }
    }
    out.truncate(TOLD);
    Ok(out)
}

/// A line for each statement in files of instructions that is the opposite of a lesson.
pub fn in_files(told: &Told, lesson: &Lesson) -> Vec<String> {
    if !tells(lesson) {
        return Vec::new();
    }
    let opposed = told.statements().into_iter().filter(|(_, said)| opposite(&lesson.payload.statement, said));
    opposed.take(TOLD).map(|(agent, said)| format!("What {agent} is told here is the opposite: “{said}”")).collect()
}
