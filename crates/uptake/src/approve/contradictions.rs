//! What speaks against a lesson: other lessons and files of instructions that say the opposite, and what a yes would end.
//!
//! It is told in `why`, `show` and the inbox and changes nothing by itself: the newer word wins after a yes (`replace`).

use anyhow::Result;
use uptake_core::detect::{Kind, WRITTEN_DOWN};
use uptake_core::learn::status::Verdict;
use uptake_core::learn::supersede::{opposite, supersedes};
use uptake_core::learn::{Lesson, WITHDRAWN};
use uptake_store::{Lessons, Stored, Wanted, Which};

use crate::skills::Told;

/// How many of each are told.
const TOLD: usize = 3;

/// Whether a lesson tells in words what to do.
fn tells(lesson: &Lesson) -> bool {
    matches!(lesson.kind, Kind::Instruction | Kind::Decision | Kind::Correction) && lesson.payload.commands.is_empty()
}

/// A line for each lesson of the project that a lesson takes the place of, that takes its place, or that says the opposite.
pub fn among_lessons(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<String>> {
    among(lessons, lesson, Which::Known, now)
}

/// The same with those whose place was taken already: for who asks how a lesson came to stand as it does.
pub fn among_all(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<String>> {
    among(lessons, lesson, Which::Any, now)
}

fn among(lessons: &Lessons, lesson: &Lesson, which: Which, now: i64) -> Result<Vec<String>> {
    if !tells(lesson) {
        return Ok(Vec::new());
    }
    let said = |stored: &Stored| stored.verdict();
    let is_yes = |stored: &Stored| said(stored) == Some(Verdict::Approved);
    let is_over = |stored: &Stored| said(stored) == Some(Verdict::Superseded);
    let own = lessons.by_id(&lesson.id)?.into_iter().find(|s| s.lesson.id == lesson.id);
    let (in_use, over) = (own.as_ref().is_some_and(is_yes), own.as_ref().is_some_and(is_over));
    let wanted = Wanted { project: Some(lesson.project()), which, now, ..Wanted::default() };
    let mut out = Vec::new();
    for stored in lessons.list(&wanted)?.into_iter().filter(|s| s.lesson.id != lesson.id) {
        let other = &stored.lesson;
        if !stored.standing.is_known() && !is_over(&stored) {
            continue;
        }
        let named = format!("“{}” ({})", other.payload.statement, other.id);
        if let Some(ended) = supersedes(lesson, std::slice::from_ref(other)).pop() {
            let yours = if is_yes(&stored) { ", which you approved" } else { "" };
            out.push(match is_over(&stored) {
                true if in_use => format!("It took the place of {named}: {}", ended.why),
                _ => format!("A yes takes the place of {named}{yours}: {}", ended.why),
            });
        } else if let Some(ended) = supersedes(other, std::slice::from_ref(lesson)).pop() {
            out.push(match over && is_yes(&stored) {
                true => format!("{named}, which is newer, took its place: {}", ended.why),
                false => format!("A yes to {named}, which is newer, takes its place: {}", ended.why),
            });
        } else if stored.standing.is_known()
            && tells(other)
            && opposite(&lesson.payload.statement, &other.payload.statement)
        {
            let when = if other.evidence.last > lesson.evidence.last { "newer" } else { "older" };
            out.push(format!("It is the opposite of {named}, which is {when}."));
        }
    }
    out.truncate(TOLD);
    Ok(out)
}

/// A line for each lesson in use whose words were taken out of their file again.
pub fn withdrawn(lessons: &Lessons, now: i64) -> Result<Vec<String>> {
    let mut places = lessons.order(&Wanted { which: Which::Known, now, ..Wanted::default() })?;
    places.retain(|p| p.detector == WRITTEN_DOWN);
    let gone =
        |s: &Stored| s.verdict() == Some(Verdict::Approved) && s.lesson.evidence.tally.as_deref() == Some(WITHDRAWN);
    let line = |l: &Lesson| {
        let said = &l.payload.statement;
        format!(
            "Taken out of its file again, and still used because you approved it: “{said}” (end it: uptake review --reject {})",
            l.id
        )
    };
    Ok(lessons.at(&places)?.iter().filter(|s| gone(s)).map(|s| line(&s.lesson)).collect())
}

/// A line for each statement in files of instructions that is the opposite of a lesson.
pub fn in_files(told: &Told, lesson: &Lesson) -> Vec<String> {
    if !tells(lesson) {
        return Vec::new();
    }
    let opposed = told.statements().into_iter().filter(|(_, said)| opposite(&lesson.payload.statement, said));
    opposed.take(TOLD).map(|(agent, said)| format!("What {agent} is told here is the opposite: “{said}”")).collect()
}
