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

/// Lessons that come first in their projects. Where several projects are shown, one with more of them has more places.
#[derive(Default)]
pub struct Chosen(HashMap<String, f64>);

impl Chosen {
    /// Of the projects of these places.
    pub fn of(lessons: &Lessons, places: &[ListPlace]) -> Result<Self> {
        let projects: HashSet<&str> = places.iter().map(|p| p.project.as_str()).collect();
        let mut chosen = HashMap::new();
        for project in projects {
            let noted = lessons.noted(&format!("{NOTE} {project}"))?.unwrap_or_default();
            let ids: Vec<String> = serde_json::from_str(&noted).unwrap_or_default();
            let all = ids.len() as f64;
            chosen.extend(ids.into_iter().zip(1_u32..).map(|(id, n)| (id, f64::from(n) / all)));
        }
        Ok(Self(chosen))
    }

    /// Where a lesson stands among those that come first, from 0 to 1; behind all of them if it does not.
    pub fn place(&self, lesson: &str) -> f64 {
        self.0.get(lesson).copied().unwrap_or(f64::INFINITY)
    }

    /// Whether it comes first.
    pub fn has(&self, lesson: &str) -> bool {
        self.0.contains_key(lesson)
    }

    /// Puts those first that come first; the others stay in their order.
    pub fn put_first(&self, places: &mut [ListPlace]) {
        places.sort_by(|a, b| self.place(&a.id).total_cmp(&self.place(&b.id)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_with_more_notes_has_more_of_the_first_places() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(folder.path()).expect("a store");
        let ids = |name: &str, n: usize| (0..n).map(|i| format!("{name}{i}")).collect::<Vec<String>>();
        note(&mut lessons, "big", &ids("b", 8)).expect("noted");
        note(&mut lessons, "small", &ids("s", 2)).expect("noted");
        let place = |id: &String, project: &str| ListPlace {
            id: id.clone(),
            project: project.into(),
            detector: String::new(),
            grounded: true,
            rank: 1.0,
        };
        let mut places: Vec<ListPlace> = vec![place(&"other".to_owned(), "small")];
        places.extend(ids("s", 2).iter().map(|id| place(id, "small")));
        places.extend(ids("b", 8).iter().map(|id| place(id, "big")));
        let chosen = Chosen::of(&lessons, &places).expect("read");
        chosen.put_first(&mut places);
        let order: Vec<&str> = places.iter().map(|p| p.id.as_str()).collect();
        assert_eq!(order, ["b0", "b1", "b2", "s0", "b3", "b4", "b5", "b6", "s1", "b7", "other"]);
    }
}
