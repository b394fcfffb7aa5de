//! A large store takes space for what was learned, not for the form it is kept in.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

mod script;

use uptake_core::learn::status::Verdict;
use uptake_store::{Lessons, Wanted};

use script::{learn, seen};

/// Bytes of a lesson with all that belongs to it, the journal among it.
const MOST: u64 = 3_000;

#[test]
fn a_lesson_takes_less_than_three_kilobytes_with_what_was_seen_and_said() {
    const LESSONS: usize = 1_000;
    const SESSION: usize = 20;
    let home = tempfile::tempdir().expect("a folder");
    let mut lessons = Lessons::open(home.path()).expect("a store");
    for first in (0..LESSONS).step_by(SESSION) {
        let id = format!("6ba7b810-9dad-41d1-80b4-{first:012}");
        let all: Vec<_> =
            (first..first + SESSION).flat_map(|n| seen(&format!("{id}-{n}"), &format!("tool{n}"), 1)).collect();
        learn(&mut lessons, "git.example.com/dev/ledger", &id, &all);
    }
    let all = lessons.list(&Wanted::default()).expect("read");
    assert!(all.len() >= LESSONS, "{}", all.len());
    for (n, stored) in all.iter().enumerate() {
        // Most lessons wait, as everywhere. What was decided is kept twice.
        let verdict = [Some(Verdict::Approved), Some(Verdict::Rejected)].get(n % 6).copied().flatten();
        verdict.map(|v| lessons.decide(&stored.lesson, v, 5)).transpose().expect("decided");
    }
    drop(lessons);
    let files = std::fs::read_dir(home.path()).expect("a folder").flatten();
    let bytes: u64 = files.map(|f| f.metadata().expect("a file").len()).sum();
    assert!(bytes / all.len() as u64 <= MOST, "{} bytes for {} lessons", bytes, all.len());
}
