//! Keys that lessons had before a key function was changed: what was said under them still holds.

use std::collections::BTreeSet;

use super::{Lesson, RUNS, lesson_id, procedures};
use crate::detect::Observation;
use crate::detect::former::{KeyFunction, former_keys};

/// The keys a lesson had under older functions, computed from its observations. There are several where lessons that
/// were once separate are one now.
pub fn keys_of(lesson: &Lesson, observations: &[Observation], functions: &[KeyFunction]) -> Vec<String> {
    if functions.is_empty() {
        return Vec::new();
    }
    let all: BTreeSet<String> = if lesson.origin.detector == RUNS {
        procedures::runs_of(&lesson.key, observations).iter().flat_map(|run| former_keys(run, functions)).collect()
    } else {
        let same = observations.iter().filter(|o| o.claim.kind == lesson.kind && o.claim.key == lesson.key);
        same.flat_map(|o| former_keys(o, functions)).collect()
    };
    all.into_iter().collect()
}

/// The ids that go with these keys.
pub fn ids_of(lesson: &Lesson, keys: &[String]) -> Vec<String> {
    keys.iter().map(|key| lesson_id(lesson.kind, key, lesson.project())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;
    use crate::detect::{Kind, detect};
    use crate::learn::fold;

    /// As if command lines had been compared in capitals once.
    fn capitals(o: &Observation) -> Option<String> {
        if o.head.detector == RUNS {
            return Some(o.seen.steps().iter().map(|s| s.normal.to_uppercase()).collect::<Vec<_>>().join(" ; "));
        }
        Some(o.claim.key.to_uppercase())
    }

    fn seen(root: &str, script: &str) -> Vec<Observation> {
        let mut s = session(script);
        (s.id, s.root) = (root.into(), root.into());
        detect(&s)
    }

    #[test]
    fn every_lesson_knows_the_key_it_had() {
        let script = "! tool report --format json => error: unexpected argument '--format' found\n\
                      $ tool report --output json\n$ make deps\n$ make lint\n$ make test\n$ make dist V=1\n$ git tag v1";
        let all = [seen("a", script), seen("b", script)].concat();
        let lessons = fold("p", &all);
        assert!(
            lessons.iter().any(|l| l.origin.detector == RUNS) && lessons.iter().any(|l| l.payload.trigger.is_some())
        );
        // The key of a fact is its cause and what to do about it: it never was another one.
        for lesson in lessons.iter().filter(|l| l.kind != Kind::Fact) {
            assert_eq!(keys_of(lesson, &all, &[capitals]), [lesson.key.to_uppercase()]);
        }
        assert!(keys_of(&lessons[0], &all, &[]).is_empty());
    }

    #[test]
    fn a_key_that_stayed_the_same_is_no_former_one() {
        let all = seen("a", "u remember: always run make deps first");
        assert!(!all.is_empty());
        let same: KeyFunction = |o| Some(o.claim.key.clone());
        assert!(fold("p", &all).iter().all(|l| keys_of(l, &all, &[same]).is_empty()));
    }
}
