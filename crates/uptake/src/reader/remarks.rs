//! What the reader says of lessons that are there, in words for a person. It is shown beside them and changes nothing.

use std::collections::HashSet;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::reader::check::Relation;
use uptake_store::{Lessons, Remark};

/// How many are told; newest first.
const TOLD: usize = 3;

/// A line for each remark on a lesson, and for each that is made in its words on another one.
pub fn lines(lessons: &Lessons, lesson: &Lesson) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let on = lessons.remarks_on(&lesson.id)?;
    out.extend(on.iter().rev().take(TOLD).map(|r| format!("{}: “{}”", of_this(r), r.quote)));
    if on.len() > TOLD {
        out.push(format!("… and {} more.", on.len() - TOLD));
    }
    let mut told = HashSet::new();
    let mut others = lessons.remarks_in_words_of(&lesson.key)?;
    others.retain(|r| told.insert((r.relation, r.lesson.clone())));
    for remark in others.iter().rev().take(TOLD) {
        if let Some(other) = lessons.by_id(&remark.lesson)?.into_iter().find(|s| s.lesson.id == remark.lesson) {
            out.push(format!("{} “{}” ({})", of_other(remark), other.lesson.payload.statement, remark.lesson));
        }
    }
    Ok(out)
}

/// Lessons that need not be shown because another one says them: what a reader worded better, and the reader's words for what
/// was decided on as it was.
pub fn said_by_others(lessons: &Lessons) -> Result<HashSet<String>> {
    let hidden = lessons.reworded()?.into_iter().filter_map(|r| match (r.is_decided, r.stands) {
        (true, _) => Some(r.words),
        (false, true) => Some(r.original),
        (false, false) => None,
    });
    Ok(hidden.collect())
}

fn of_this(remark: &Remark) -> String {
    match remark.relation {
        Relation::Same => "The reader found it said again".to_owned(),
        Relation::Contradicts => format!("The reader found the opposite, “{}”", remark.statement),
        Relation::Supersedes => format!("The reader thinks it is outdated by “{}”", remark.statement),
        Relation::Rewords => format!("The reader words it “{}”", remark.statement),
    }
}

fn of_other(remark: &Remark) -> &'static str {
    match remark.relation {
        Relation::Same => "The reader thinks it says the same as",
        Relation::Contradicts => "The reader thinks it is the opposite of",
        Relation::Supersedes => "The reader thinks it should take the place of",
        Relation::Rewords => "Worded by the reader, instead of",
    }
}
