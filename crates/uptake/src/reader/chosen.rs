//! What the reader would have a person look at first, by project: an order, and nothing more. It makes no lesson ready, approves
//! none and hides none.
//!
//! Comes in: ids of lessons, the most useful first. Goes out: the place of a lesson among them, until the next answer.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_store::{Lessons, ListPlace};

/// Before the name of a project: the lessons that come first in it.
const NOTE: &str = "reader first";

/// Notes what comes first in a project.
pub(super) fn note(lessons: &mut Lessons, project: &str, first: &[String]) -> Result<()> {
    lessons.renote(&format!("{NOTE} {project}"), &serde_json::to_string(first)?)?;
    Ok(())
}

/// Lessons that come first in their projects.
#[derive(Default)]
pub struct Chosen(HashMap<String, usize>);

impl Chosen {
    /// Of the projects of these places.
    pub fn of(lessons: &Lessons, places: &[ListPlace]) -> Result<Self> {
        let projects: HashSet<&str> = places.iter().map(|p| p.project.as_str()).collect();
        let mut chosen = HashMap::new();
        for project in projects {
            let noted = lessons.noted(&format!("{NOTE} {project}"))?.unwrap_or_default();
            let ids: Vec<String> = serde_json::from_str(&noted).unwrap_or_default();
            chosen.extend(ids.into_iter().zip(0..));
        }
        Ok(Self(chosen))
    }

    /// Where a lesson stands among those that come first in its project; behind all of them if it does not.
    pub fn place(&self, lesson: &str) -> usize {
        self.0.get(lesson).copied().unwrap_or(usize::MAX)
    }

    /// Whether it comes first.
    pub fn has(&self, lesson: &str) -> bool {
        self.0.contains_key(lesson)
    }

    /// Puts those first that come first; the others stay in their order.
    pub fn put_first(&self, places: &mut [ListPlace]) {
        places.sort_by_key(|p| self.place(&p.id));
    }
}
