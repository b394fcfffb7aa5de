//! What the reader says of lessons that are there, in words for a person. It is shown beside them and changes nothing.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::reader::check::Relation;
use uptake_store::{Lessons, Remark, Reworded};

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

/// What a reader put into better words.
#[derive(Debug, Default)]
pub struct Worded {
    /// Lessons that need not be shown because another one says them.
    hidden: HashSet<String>,
    /// What each lesson of the reader stands for.
    originals: HashMap<String, Vec<String>>,
}

impl Worded {
    /// As it stands. What was decided on as it was needs no other words.
    pub fn of(lessons: &Lessons) -> Result<Self> {
        let mut worded = Self::default();
        for Reworded { original, words, is_decided, stands } in lessons.reworded()? {
            match (is_decided, stands) {
                (true, _) => drop(worded.hidden.insert(words.clone())),
                (false, true) => drop(worded.hidden.insert(original.clone())),
                (false, false) => {}
            }
            worded.originals.entry(words).or_default().push(original);
        }
        Ok(worded)
    }

    /// Whether another lesson says it.
    pub fn hides(&self, lesson: &str) -> bool {
        self.hidden.contains(lesson)
    }

    /// Whether `says` holds for a lesson that these words stand for: who knows that needs no other words.
    pub fn any(&self, lessons: &Lessons, words: &Lesson, says: impl Fn(&Lesson) -> bool) -> Result<bool> {
        for original in self.originals.get(&words.id).into_iter().flatten() {
            if lessons.by_id(original)?.iter().any(|s| s.lesson.id == *original && says(&s.lesson)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
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
