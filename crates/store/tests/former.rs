//! A key function changes: what was said of a lesson still holds, and nothing is there twice.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

mod script;

use script::{DAY, fix, session};
use uptake_core::detect::former::KeyFunction;
use uptake_core::detect::{Observation, detect};
use uptake_core::learn::evidence::Bars;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, fold, former};
use uptake_store::{Folded, Lessons, SeenIn, Wanted, Which};

/// A key function that was in use once: its keys come before today's in any order of keys.
fn before(o: &Observation) -> Option<String> {
    Some(o.claim.key.to_uppercase())
}

/// Another one, whose keys come after today's.
fn behind(o: &Observation) -> Option<String> {
    Some(format!("~{}", o.claim.key))
}

/// As observations are found: by the old function, or by today's.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Old,
    New,
}

struct World {
    _folder: tempfile::TempDir,
    lessons: Lessons,
    old: KeyFunction,
}

impl World {
    fn new() -> Self {
        Self::with(before)
    }

    fn with(old: KeyFunction) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(folder.path()).expect("open");
        Self { _folder: folder, lessons, old }
    }

    /// Two sessions show the fix of a tool.
    fn see(&mut self, tool: &str, keys: Keys) {
        for n in 0..2 {
            let id = format!("{tool}{n}");
            let mut observations = detect(&session(&id, &fix(tool)));
            if keys == Keys::Old {
                observations.iter_mut().for_each(|o| o.claim.key = (self.old)(o).expect("a key"));
            }
            let path = format!("/{id}.jsonl");
            let seen =
                SeenIn { source: "claude", session: &id, path: &path, project: "p", observations: &observations };
            self.lessons.keep_observations(&[seen]).expect("kept");
        }
        let all = [self.old];
        let functions: &[KeyFunction] = if keys == Keys::Old { &[] } else { &all };
        let deleted = self.lessons.deletions().expect("read");
        // As `uptake learn` does.
        let folded = |observations: &[Observation]| -> Vec<Folded> {
            let with_former = |mut lesson: Lesson| {
                let former = former::ids_of(&lesson, &former::keys_of(&lesson, observations, functions));
                if former.iter().any(|id| deleted.contains(id)) {
                    lesson.penalise(&Bars::default());
                }
                Folded { former, lesson }
            };
            fold("p", observations).into_iter().map(with_former).collect()
        };
        self.lessons.refold_with_former_ids("p", |seen, _| folded(seen)).expect("added up");
    }

    /// The lessons about a tool, by what stands of them.
    fn about(&self, tool: &str) -> Vec<(String, &'static str)> {
        let all = self.lessons.list(&Wanted { now: DAY, ..Wanted::default() }).expect("read");
        let about = all.iter().filter(|s| s.lesson.payload.trigger.as_ref().is_some_and(|t| t.program == tool));
        about.map(|s| (s.lesson.id.clone(), s.standing.status(0).as_str())).collect()
    }

    fn lesson(&self, tool: &str) -> Lesson {
        let id = &self.about(tool)[0].0;
        self.lessons.by_id(id).expect("read").remove(0).lesson
    }
}

#[test]
fn whatever_was_said_under_the_old_key_holds_under_the_new_one() {
    type Says = fn(&mut Lessons, &Lesson);
    let cases: [(&str, Says); 5] = [
        ("approved", |all, l| all.decide(l, Verdict::Approved, 1).expect("decided")),
        ("rejected", |all, l| all.decide(l, Verdict::Rejected, 1).expect("decided")),
        ("released", |all, l| all.decide(l, Verdict::Released, 1).expect("decided")),
        ("snoozed", |all, l| all.snooze(l, 9 * DAY, 1).expect("put away")),
        ("retired", |all, l| all.retire_deleted(&l.id, 1).expect("retired")),
    ];
    for (old, (status, say)) in [before, behind].into_iter().flat_map(|old: KeyFunction| cases.map(|case| (old, case)))
    {
        let mut world = World::with(old);
        world.see("tool", Keys::Old);
        let before = world.lesson("tool");
        say(&mut world.lessons, &before);
        world.see("tool", Keys::New);
        assert_eq!(world.about("tool"), [(before.id.clone(), status)]);
        let after = world.lesson("tool");
        assert_ne!(after.key, before.key, "{status}");
        assert_eq!(after.sha256(), before.sha256(), "{status}");
        let wanted = Wanted { which: Which::Waiting, now: DAY, ..Wanted::default() };
        let waiting = world.lessons.list(&wanted).expect("read");
        assert!(waiting.iter().all(|s| s.lesson.payload.statement != before.payload.statement), "{status}");
        assert_eq!(world.lessons.standing_id("new", std::slice::from_ref(&before.id)).expect("read"), before.id);
    }
}

#[test]
fn a_lesson_nobody_spoke_of_has_its_new_id_and_is_there_once() {
    let mut world = World::new();
    world.see("tool", Keys::Old);
    let before = world.about("tool");
    world.see("tool", Keys::New);
    let after = world.about("tool");
    assert_eq!((after.len(), after[0].1), (1, "ready"));
    assert_ne!(before[0].0, after[0].0);
    assert_eq!(world.lessons.standing_id("new", &[before[0].0.clone()]).expect("read"), "new");
}

#[test]
fn an_approved_fix_is_recalled_by_its_old_error_and_by_todays() {
    let mut world = World::new();
    world.see("tool", Keys::Old);
    let mut before = world.lesson("tool");
    let today = before.payload.trigger.clone().expect("an error");
    let once = uptake_core::detect::Trigger { error: "as it was told once".into(), ..today.clone() };
    before.payload.trigger = Some(once.clone());
    world.lessons.add(&before, &[], 1).expect("approved");
    world.see("tool", Keys::New);
    for trigger in [once, today] {
        let told = world.lessons.approved_for(&trigger, "p", Mode::Review).expect("read");
        assert_eq!(told.iter().map(Lesson::sha256).collect::<Vec<_>>(), [before.sha256()], "{trigger:?}");
    }
}

#[test]
fn what_was_said_under_the_old_key_can_be_taken_back() {
    for verdict in [Verdict::Approved, Verdict::Rejected] {
        let mut world = World::new();
        world.see("tool", Keys::Old);
        let before = world.lesson("tool");
        world.lessons.decide(&before, verdict, 1).expect("decided");
        world.see("tool", Keys::New);
        world.lessons.undo(None, 2).expect("undone").expect("something");
        world.see("tool", Keys::New);
        let about = world.about("tool");
        assert_eq!((about.len(), about[0].1), (1, "ready"), "{verdict:?}");
    }
}
