//! The journal beside `lessons.db`: what is written down, when, and what comes back from it.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

use std::path::Path;

use uptake_core::learn::status::Verdict;
use uptake_core::learn::{Lesson, by_hand};
use uptake_store::checkup::check;
use uptake_store::salvage::salvage;
use uptake_store::{Lessons, TombstoneKey, Wanted, trouble_with_journal};

fn ids(home: &Path) -> Vec<String> {
    let lessons = Lessons::open(home).expect("open");
    let mut ids: Vec<String> =
        lessons.list(&Wanted::default()).expect("read").into_iter().map(|s| s.lesson.id).collect();
    ids.sort();
    ids
}

fn sorted(lessons: &[Lesson]) -> Vec<String> {
    let mut ids: Vec<String> = lessons.iter().map(|l| l.id.clone()).collect();
    ids.sort();
    ids
}

/// Makes the database useless, and mends it.
fn break_and_mend(home: &Path) {
    std::fs::write(home.join("lessons.db"), "no database ".repeat(100)).expect("broken");
    assert!(Lessons::open(home).is_err(), "it is noticed");
    let saved = salvage(home, &home.join("lessons.db"), 1).expect("mended");
    assert_eq!(saved.lost, Vec::<String>::new());
}

#[test]
fn many_writers_at_once_write_everything_down() {
    let home = tempfile::tempdir().expect("a folder");
    let all: Vec<Lesson> = (0..64).map(|n| by_hand("shop", &format!("rule number {n}"), n)).collect();
    let folder = home.path();
    std::thread::scope(|scope| {
        for part in all.chunks(8) {
            scope.spawn(move || {
                for lesson in part {
                    Lessons::open(folder).expect("open").add(lesson, &[], 1).expect("added");
                }
            });
        }
    });
    assert!(check(home.path()).expect("read").is_sound());
    break_and_mend(home.path());
    assert_eq!(ids(home.path()), sorted(&all));
}

#[test]
fn a_journal_that_cannot_be_written_is_told_and_made_good_later() {
    let home = tempfile::tempdir().expect("a folder");
    let lesson = by_hand("shop", "run make deps first", 1);
    let mut lessons = Lessons::open(home.path()).expect("open");
    lessons.add(&lesson, &[], 1).expect("added");
    let journal = home.path().join("lessons.journal");
    std::fs::remove_file(&journal).expect("gone");
    std::fs::create_dir(&journal).expect("in the way");
    lessons.decide(&lesson, Verdict::Rejected, 2).expect("it counts");
    assert!(trouble_with_journal().is_some());
    std::fs::remove_dir(&journal).expect("out of the way");
    drop(lessons);
    break_and_mend(home.path());
    let lessons = Lessons::open(home.path()).expect("open");
    assert_eq!(lessons.verdict(&lesson.id).expect("read"), Some(Verdict::Rejected));
}

#[test]
fn a_long_journal_is_written_anew_and_says_the_same() {
    let home = tempfile::tempdir().expect("a folder");
    let lesson = by_hand("shop", &"word ".repeat(8_000), 1);
    let mut lessons = Lessons::open(home.path()).expect("open");
    lessons.add(&lesson, &[], 1).expect("added");
    for at in 0..12 {
        lessons.decide(&lesson, Verdict::Approved, at).expect("decided");
    }
    let key = TombstoneKey::of(home.path()).expect("a key");
    lessons.forget(&by_hand("shop", "something else", 1), &key, 5).expect("forgotten");
    let long = |home: &Path| home.join("lessons.journal").metadata().expect("there").len();
    let short = long(home.path());
    for at in 0..40 {
        lessons.decide(&lesson, Verdict::Approved, at).expect("decided");
        lessons.undo(None, at).expect("taken back");
    }
    let grown = long(home.path());
    lessons.shorten_journal().expect("written anew");
    assert!(grown > 2 * short && long(home.path()) < grown, "{short} {grown} {}", long(home.path()));
    drop(lessons);
    assert!(check(home.path()).expect("read").is_sound());
}
