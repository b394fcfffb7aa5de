//! Random sequences of what a person and a history do to a lesson, against a small model.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

use uptake_core::learn::{Lesson, by_hand};
use uptake_store::{Lessons, Verdict};

/// How many sequences.
const SEQUENCES: u64 = 2_000;
/// Longest sequence.
const STEPS: u64 = 14;

/// What should stand of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    statement: Option<String>,
    verdict: Option<Verdict>,
}

struct Change {
    id: i64,
    before: Model,
    undone: bool,
}

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn stored(lessons: &Lessons, id: &str) -> Model {
    let found = lessons.by_id(id).expect("read");
    Model { statement: found.first().map(|s| s.lesson.statement.clone()), verdict: lessons.verdict(id).expect("read") }
}

fn current(lessons: &Lessons, seen: &Lesson) -> Lesson {
    lessons.by_id(&seen.id).expect("read").first().map_or_else(|| seen.clone(), |s| s.lesson.clone())
}

#[test]
fn any_sequence_of_changes_equals_the_model() {
    let shm = std::path::Path::new("/dev/shm");
    let folder = if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() }.expect("a folder");
    let mut lessons = Lessons::open(folder.path()).expect("open");
    for seed in 0..SEQUENCES {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let project = format!("p{seed}");
        let seen = by_hand(&project, "run make deps first", 1_000);
        let mut model = Model { statement: None, verdict: None };
        let mut changes: Vec<Change> = Vec::new();
        // Clocks jump, also back: nothing but the order counts.
        for step in 0..=dice.below(STEPS) {
            let at = i64::try_from(dice.below(1 << 40)).expect("small");
            let before = model.clone();
            let exists = model.statement.is_some();
            match dice.below(8) {
                // Seen again: what is approved keeps its bytes, anything else is as it was seen.
                0 | 1 => {
                    lessons.refold(&project, |_| vec![seen.clone()]).expect("fold");
                    if model.verdict != Some(Verdict::Approved) || !exists {
                        model.statement = Some(seen.statement.clone());
                    }
                    continue;
                }
                // No longer seen: only what is approved stays.
                2 => {
                    lessons.refold(&project, |_| Vec::new()).expect("fold");
                    if model.verdict != Some(Verdict::Approved) {
                        model.statement = None;
                    }
                    continue;
                }
                3 if exists => {
                    let verdict = [Verdict::Approved, Verdict::Rejected, Verdict::Released][dice.below(3) as usize];
                    lessons.decide(&current(&lessons, &seen), verdict, at).expect("decided");
                    model.verdict = Some(verdict);
                }
                4 if exists => {
                    lessons.snooze(&current(&lessons, &seen), at + 1, at).expect("snoozed");
                    model.verdict = Some(Verdict::Snoozed);
                }
                5 if exists => {
                    let words = format!("run make deps first, then {step}");
                    lessons.edit(&current(&lessons, &seen), &words, at).expect("edited");
                    model = Model { statement: Some(words), verdict: Some(Verdict::Approved) };
                }
                6 => {
                    let standing: Vec<usize> = (0..changes.len()).filter(|i| !changes[*i].undone).collect();
                    if standing.is_empty() {
                        continue;
                    }
                    let which = standing[dice.below(standing.len() as u64) as usize];
                    lessons.undo(Some(changes[which].id), at).expect("undone").expect("there");
                    changes[which].undone = true;
                    model = changes[which].before.clone();
                    // A body can only be put back where the lesson still stands.
                    if !exists {
                        model.statement = None;
                    }
                }
                7 => {
                    // Killed and started again.
                    lessons = Lessons::open(folder.path()).expect("open");
                    continue;
                }
                _ => continue,
            }
            let id = lessons.changes(Some(&seen.id)).expect("read")[0].id;
            changes.push(Change { id, before, undone: false });
            assert_eq!(stored(&lessons, &seen.id), model, "sequence {seed}, step {step}");
        }
        assert_eq!(stored(&lessons, &seen.id), model, "sequence {seed}");
    }
}
