//! The marks of a piece of advice: a few words by which the store finds what a new lesson may end, without reading all.
//!
//! Comes in: what a lesson tells to do. Goes out: the names it recommends, a sum of all its words, and one of its subject. A mark may fit too
//! much, never too little: what it finds is read and held against the new lesson as if there were no marks.

use super::giving_up::{LONGEST_NAME, Name};
use super::{Ending, GivenUp, Subject, recommendation, recommended};
use crate::learn::{Lesson, sha256_hex};
use crate::normal::programs;

/// Raised when a lesson gets other marks than before: then all are made again. A test holds it.
pub const MARKS: u32 = 2;

/// The marks of what a lesson tells to do, with spaces between them; empty if nothing can take its place.
pub fn marks(lesson: &Lesson) -> String {
    let Some(words) = recommendation(lesson) else { return String::new() };
    let end = words.iter().position(|w| w == "not").unwrap_or(words.len());
    // A statement begins with a name only if that is a program: "npm install".
    let named = |at: &usize| recommended(&words[..*at], true) && (*at > 0 || programs::has_alternatives(&words[0]));
    let mut marks: Vec<&str> = (0..end).filter(named).map(|at| words[at].as_str()).collect();
    marks.sort_unstable();
    marks.dedup();
    let (sum, about) = (sum(words.iter()), Subject::of(&words).map(|s| s.mark()));
    marks.push(&sum);
    marks.extend(about.as_deref());
    marks.join(" ")
}

/// The mark of exactly these words.
fn sum<'w>(words: impl Iterator<Item = &'w String>) -> String {
    let words: Vec<&str> = words.map(String::as_str).collect();
    format!("#{}", &sha256_hex(words.join(" ").as_bytes())[..8])
}

impl Subject {
    /// The mark of what it is about, whether that is forbidden or not.
    fn mark(&self) -> String {
        sum(self.words.iter()).replace('#', "=")
    }
}

/// What of marks says that a lesson may end the one they are of.
pub struct Wanted {
    /// One of these marks is among them.
    marks: Vec<String>,
    /// Or a program that does the same as one of these.
    others_like: Vec<String>,
}

impl Wanted {
    /// What a lesson may end.
    pub fn by(end: &Ending<'_>) -> Self {
        let about = end.subject.as_ref().map(Subject::mark);
        let mut wanted = Self { marks: about.into_iter().collect(), others_like: Vec::new() };
        end.changes.iter().for_each(|change| wanted.add(change));
        wanted
    }

    fn add(&mut self, change: &GivenUp) {
        match &change.old {
            Name::OthersLike(chosen) => self.others_like.push(chosen.clone()),
            Name::Told(name) => {
                self.marks.extend(name.first().cloned());
                self.marks.extend(change.same_places().map(|around| sum(around.into_iter())));
            }
        }
    }

    /// Whether a lesson with these marks may be ended.
    pub fn fits(&self, marks: &str) -> bool {
        let like = |mark: &str| self.others_like.iter().any(|chosen| programs::alike(mark, chosen));
        marks.split(' ').any(|mark| self.marks.iter().any(|m| m == mark) || like(mark))
    }
}

impl GivenUp {
    /// "format with black not yapf": "format yapf" and "format with yapf" are the same words around the other name.
    pub(super) fn same_places(&self) -> impl Iterator<Item = Vec<&String>> {
        let old = match &self.old {
            Name::Told(name) => name.as_slice(),
            Name::OthersLike(_) => &[],
        };
        let from = if old.is_empty() { self.before.len() } else { 1 };
        (from..self.before.len())
            .filter(|at| self.before.len() - at <= LONGEST_NAME)
            .map(move |at| self.before[..at].iter().chain(old).chain(&self.tail).collect())
    }
}
