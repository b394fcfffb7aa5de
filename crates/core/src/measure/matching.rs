//! Which lesson somebody's words mean: the same words, the same but for case, a part of them, or most of them.
//!
//! Used once, where words come in from outside; from then on everything is joined by the lesson's id. Deliberately simple:
//! whole words, so that "latest" is no "test".

use std::collections::{BTreeSet, HashMap};

/// Two texts that share more than this of their words mean the same.
const ALIKE: f64 = 0.6;

/// Lessons by their words.
pub struct Known<'l> {
    exact: HashMap<&'l str, usize>,
    lower: HashMap<String, usize>,
    all: Vec<KnownLesson<'l>>,
}

struct KnownLesson<'l> {
    id: &'l str,
    words: Vec<String>,
    set: BTreeSet<String>,
}

impl<'l> Known<'l> {
    /// Of lessons with their words, the surest first: of two that fit alike the first is meant.
    pub fn of(lessons: impl IntoIterator<Item = (&'l str, &'l str)>) -> Self {
        let mut known = Self { exact: HashMap::new(), lower: HashMap::new(), all: Vec::new() };
        for (n, (id, text)) in lessons.into_iter().enumerate() {
            let text = text.trim();
            known.exact.entry(text).or_insert(n);
            known.lower.entry(text.to_lowercase()).or_insert(n);
            let words = words(text);
            known.all.push(KnownLesson { id, set: words.iter().cloned().collect(), words });
        }
        known
    }

    /// The lesson that is meant. An id in brackets at the start is believed if it is one of these.
    pub fn find(&self, said: &str) -> Option<&'l str> {
        let said = said.trim();
        let (named, rest) = split_id(said);
        if let Some(lesson) = named.and_then(|id| self.with_id(id)) {
            return Some(lesson);
        }
        let said = if named.is_some_and(|n| LEVELS.contains(&n)) { rest } else { said };
        let at = self.exact.get(said).or_else(|| self.lower.get(&said.to_lowercase())).copied();
        let at = at.or_else(|| {
            let words = words(said);
            let part = |k: &&KnownLesson<'_>| is_part(&words, &k.words) || is_part(&k.words, &words);
            let set: BTreeSet<String> = words.iter().cloned().collect();
            self.all
                .iter()
                .position(|k| part(&k))
                .or_else(|| self.all.iter().position(|k| jaccard(&set, &k.set) > ALIKE))
        });
        self.with_id(said).or_else(|| Some(self.all[at?].id))
    }

    /// A lesson by its id, or a start of it that is long enough to be no accident.
    fn with_id(&self, id: &str) -> Option<&'l str> {
        let enough = id.len() >= 4 && id.bytes().all(|b| b.is_ascii_hexdigit());
        let mut found = self.all.iter().filter(|k| k.id == id || enough && k.id.starts_with(id));
        let first = found.next()?;
        found.next().is_none().then_some(first.id)
    }
}

/// What stands in brackets before the words of a lesson that was shown by another tool.
const LEVELS: &[&str] = &["high", "medium", "low"];

/// `[0e3dd] words` → the id and the words. Only the first bracket, at the start: `Use arr[0]` has none.
fn split_id(text: &str) -> (Option<&str>, &str) {
    match text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        Some((id, rest)) if !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
            (Some(id), rest.trim())
        }
        _ => (None, text),
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether words stand in others, one after the other.
fn is_part(part: &[String], whole: &[String]) -> bool {
    !part.is_empty() && part.len() <= whole.len() && whole.windows(part.len()).any(|w| w == part)
}

/// Words that two have in common, of all their words; 0 of nothing.
pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let all = a.len() + b.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lesson: &str, said: &str, found: bool) {
        assert_eq!(Known::of([("l1", lesson)]).find(said), found.then_some("l1"), "{lesson} / {said}");
    }

    #[test]
    fn the_tiers_of_closedloop_hold() {
        check("test trigger", "test trigger", true);
        check("test trigger", "Test Trigger", true);
        check("test trigger for something", "test", true);
        check("test", "test trigger for something", true);
        check("run all unit tests first before push", "run unit tests first before merge", true);
        check("completely different", "test trigger", false);
        check("fetch the latest", "test", false);
        assert!(jaccard(&BTreeSet::new(), &BTreeSet::new()).abs() < f64::EPSILON);
    }

    #[test]
    fn the_closest_is_meant_and_an_id_wins() {
        let known = Known::of([("a1b2c3", "run unit tests first, then push"), ("d4e5f6", "run unit tests first")]);
        assert_eq!(known.find("Run unit tests first"), Some("d4e5f6"));
        assert_eq!(known.find("Run unit tests first, then push"), Some("a1b2c3"));
        assert_eq!(known.find("[d4e5] anything at all"), Some("d4e5f6"));
        assert_eq!(known.find("a1b2c3"), Some("a1b2c3"));
        assert_eq!(known.find("[high] run unit tests first"), Some("d4e5f6"));
    }

    /// Theirs logged `not arr.first`: the bracket was matched greedily.
    #[test]
    fn a_bracket_inside_the_words_is_part_of_them() {
        let known = Known::of([("l1", "Use arr[0] not arr.first"), ("l2", "not arr.first")]);
        assert_eq!(known.find("[high] Use arr[0] not arr.first"), Some("l1"));
    }

    /// Theirs wrote two patterns, and the true one as a failure.
    #[test]
    fn a_comma_splits_nothing() {
        let known = Known::of([("l1", "Run unit tests first, then push"), ("l2", "then push")]);
        assert_eq!(known.find("Run unit tests first, then push"), Some("l1"));
    }
}
