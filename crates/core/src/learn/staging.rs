//! Candidates for an agent to write up: what took effort to find out, over all sessions.
//!
//! Comes in: the lessons of a project. Goes out: at most `MOST` of them, surest first, then the newest. The same lessons
//! give the same candidates in whatever order they come. Deliberately absent: which of them were shown already, and what
//! a person said to them; a candidate that was not shown yet is not lost by being passed over once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Lesson;
use crate::detect::Sure;

/// Most candidates at a time.
pub(super) const MOST: usize = 10;

/// Detectors whose observations are of use only after an agent wrote them up.
pub const STAGED: &[&str] = &["problem-solution", "error-fix", "deep-investigation", "discovery"];

/// How many candidates a project has, counted while their titles come.
#[derive(Default)]
pub struct Count(std::collections::BTreeSet<String>);

impl Count {
    /// Takes a title. Whether more would change nothing.
    pub fn add(&mut self, title: &str) -> bool {
        self.0.insert(plain(title));
        self.0.len() >= MOST
    }

    /// So many.
    pub fn get(&self) -> usize {
        self.0.len()
    }
}

/// Whether what a detector sees is a candidate.
pub fn is_candidate(detector: &str) -> bool {
    STAGED.contains(&detector)
}

/// The candidates among lessons.
pub fn staged(lessons: &[Lesson]) -> Vec<&Lesson> {
    let mut by_title: BTreeMap<String, &Lesson> = BTreeMap::new();
    for lesson in lessons.iter().filter(|l| is_candidate(&l.origin.detector)) {
        let best = by_title.entry(plain(&lesson.payload.title)).or_insert(lesson);
        if newness(lesson) > newness(best) {
            *best = lesson;
        }
    }
    let mut out: Vec<&Lesson> = by_title.into_values().collect();
    out.sort_by_key(|l| (Reverse(l.evidence.sure), Reverse(l.evidence.last), &l.id));
    out.truncate(MOST);
    out
}

/// Of two with the same title the one seen last stays; the id decides only between equals.
fn newness(lesson: &Lesson) -> (Option<i64>, Sure, &str) {
    (lesson.evidence.last, lesson.evidence.sure, &lesson.id)
}

/// A title without case and punctuation.
fn plain(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::DETECTORS;
    use crate::learn::by_hand;

    fn candidate(title: &str, sure: Sure, last: i64) -> Lesson {
        let text = format!("{title} {sure:?} {last}");
        let mut lesson = by_hand("p", &text, last);
        lesson.payload.title = title.to_owned();
        lesson.origin.detector = "error-fix".to_owned();
        lesson.evidence.sure = sure;
        lesson
    }

    fn titles(lessons: &[Lesson]) -> Vec<(String, Option<i64>)> {
        staged(lessons).iter().map(|l| (l.payload.title.clone(), l.evidence.last)).collect()
    }

    #[test]
    fn as_many_are_counted_as_are_staged() {
        for titles in [vec![], vec!["A b", "a-b", "c"], (0..30).map(|_| "same").collect()] {
            let all: Vec<Lesson> = titles.iter().zip(1..).map(|(t, n)| candidate(t, Sure::High, n)).collect();
            let mut count = Count::default();
            let _ = titles.iter().any(|t| count.add(t));
            assert_eq!(count.get(), staged(&all).len(), "{titles:?}");
        }
        let many: Vec<Lesson> = (0..30).map(|n| candidate(&format!("t{n}"), Sure::High, n)).collect();
        let mut count = Count::default();
        assert!(many.iter().any(|l| count.add(&l.payload.title)));
        assert_eq!(count.get(), staged(&many).len());
    }

    #[test]
    fn only_what_needs_an_agents_words_is_staged() {
        assert!(STAGED.iter().all(|name| DETECTORS.iter().any(|d| d.name == *name)));
        let all: Vec<Lesson> = DETECTORS
            .iter()
            .map(|d| {
                let mut lesson = candidate(d.name, Sure::High, 1);
                lesson.origin.detector = d.name.to_owned();
                lesson
            })
            .chain([by_hand("p", "use pnpm", 1)])
            .collect();
        let mut found: Vec<&str> = staged(&all).iter().map(|l| l.origin.detector.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, ["deep-investigation", "discovery", "error-fix", "problem-solution"]);
        assert!(staged(&[]).is_empty());
    }

    #[test]
    fn of_twelve_the_ten_newest_stay() {
        let all: Vec<Lesson> = (1..=12).map(|n| candidate(&format!("Fix: case {n}"), Sure::Medium, n)).collect();
        let last: Vec<i64> = titles(&all).iter().filter_map(|t| t.1).collect();
        assert_eq!(last, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    }

    #[test]
    fn the_sure_come_first_however_old() {
        let mut all: Vec<Lesson> = (1..=12).map(|n| candidate(&format!("Fix: case {n}"), Sure::Medium, n)).collect();
        all.push(candidate("Fix: old and sure", Sure::High, 0));
        assert_eq!(titles(&all)[0].0, "Fix: old and sure");
        assert_eq!(titles(&all).len(), MOST);
    }

    #[test]
    fn one_title_is_staged_once_with_the_newest_evidence() {
        let all = [
            candidate("Fix: Pool exhausted!", Sure::High, 1),
            candidate("fix: pool  exhausted", Sure::Medium, 9),
            candidate("Fix — pool exhausted.", Sure::Medium, 5),
            candidate("Fix: pool drained", Sure::Medium, 2),
        ];
        let found = titles(&all);
        assert_eq!(found, [("fix: pool  exhausted".to_owned(), Some(9)), ("Fix: pool drained".to_owned(), Some(2))]);
    }

    #[test]
    fn the_order_of_lessons_does_not_matter() {
        let mut all: Vec<Lesson> = (0..30)
            .map(|n| {
                let sure = if n % 3 == 0 { Sure::High } else { Sure::Medium };
                candidate(&format!("Fix: case {}", n % 14), sure, n % 5)
            })
            .collect();
        let there: Vec<Lesson> = staged(&all).into_iter().cloned().collect();
        for turn in 1..all.len() {
            all.rotate_left(turn);
            assert_eq!(staged(&all), there.iter().collect::<Vec<_>>());
        }
        all.reverse();
        assert_eq!(staged(&all), there.iter().collect::<Vec<_>>());
    }
}
