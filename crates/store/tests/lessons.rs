//! `lessons.db`: lessons in order, what is said of them, and what may leave.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

mod script;

use std::collections::BTreeMap;

use script::{DAY, learn, seen};
use uptake_core::detect::{Kind, Observation};
use uptake_core::learn::status::{Status, Verdict};
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, by_hand, fold};
use uptake_store::{Lessons, Wanted, Which};

struct World {
    _folder: tempfile::TempDir,
    lessons: Lessons,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(folder.path()).expect("open");
        Self { _folder: folder, lessons }
    }

    /// A fix that was seen in two sessions, and so is ready.
    fn with_fix(tool: &str) -> (Self, Lesson) {
        let mut world = Self::new();
        for id in ["a", "b"] {
            learn(&mut world.lessons, "shop", id, &seen(id, tool, 1));
        }
        let lesson = world.recovery();
        (world, lesson)
    }

    fn recovery(&self) -> Lesson {
        let wanted = Wanted { kind: Some(Kind::Recovery), now: DAY, ..Wanted::default() };
        self.lessons.list(&wanted).expect("read").remove(0).lesson
    }

    fn status(&self, lesson: &Lesson) -> &'static str {
        self.lessons.by_id(&lesson.id).expect("read")[0].standing.status(DAY).as_str()
    }

    /// Ids of the lessons in a state, at a time.
    fn ids(&self, which: Which, now: i64, mode: Mode) -> Vec<String> {
        let wanted = Wanted { which, now, mode, ..Wanted::default() };
        self.lessons.order(&wanted).expect("read").into_iter().map(|p| p.id).collect()
    }

    fn waits(&self, lesson: &Lesson, now: i64, mode: Mode) -> bool {
        self.ids(Which::Waiting, now, mode).contains(&lesson.id)
    }

    /// What a hook would be given for the error of a lesson.
    fn told(&self, lesson: &Lesson, mode: Mode) -> Vec<Lesson> {
        let trigger = lesson.payload.trigger.as_ref().expect("an error");
        self.lessons.approved_for(trigger, "shop", mode).expect("read")
    }
}

#[test]
fn what_was_seen_lately_and_often_comes_first() {
    let mut world = World::new();
    let all: Vec<Observation> = [seen("a", "often", 1), seen("b", "often", 1), seen("c", "often", 1)].concat();
    learn(&mut world.lessons, "shop", "abc", &all);
    let once: Vec<Observation> = [seen("d", "twice", 1), seen("e", "twice", 1)].concat();
    learn(&mut world.lessons, "shop", "de", &once);
    let titles = |world: &World, now: i64| -> Vec<bool> {
        let wanted = Wanted { kind: Some(Kind::Recovery), now, ..Wanted::default() };
        world
            .lessons
            .list(&wanted)
            .expect("read")
            .iter()
            .map(|s| s.lesson.payload.statement.contains("often"))
            .collect()
    };
    assert_eq!(titles(&world, 2 * DAY), [true, false]);
    // Seen again much later: the other one has aged.
    learn(&mut world.lessons, "shop", "f", &seen("f", "twice", 400));
    assert_eq!(titles(&world, 401 * DAY), [false, true]);
}

#[test]
fn lessons_are_asked_for_by_project_kind_and_start_of_their_id() {
    let (mut world, lesson) = World::with_fix("tool");
    let other = by_hand("bank", "use tabs", DAY);
    world.lessons.add_shown(std::slice::from_ref(&other)).expect("added");
    let of = |project, kind| {
        let wanted = Wanted { project, kind, now: DAY, ..Wanted::default() };
        world.lessons.order(&wanted).expect("read").into_iter().map(|p| p.id).collect::<Vec<_>>()
    };
    assert_eq!(of(Some("bank"), None), [&*other.id]);
    assert_eq!(of(None, Some(Kind::Recovery)), [&*lesson.id]);
    assert!(of(Some("bank"), Some(Kind::Recovery)).is_empty());
    assert_eq!(world.lessons.by_id(&other.id[..4]).expect("read")[0].lesson, other);
    assert!(world.lessons.by_id(&format!("{}0", other.id)).expect("read").is_empty());
    let counted = world.lessons.count(Some(Kind::Instruction)).expect("read");
    assert_eq!(counted, [("bank".to_owned(), 1)]);
}

#[test]
fn a_lesson_that_is_gone_is_left_out_of_a_list_that_was_made_before() {
    let (mut world, lesson) = World::with_fix("tool");
    let places = world.lessons.order(&Wanted { now: DAY, ..Wanted::default() }).expect("read");
    assert!(places.iter().any(|p| p.id == lesson.id));
    learn(&mut world.lessons, "shop", "a", &[]);
    learn(&mut world.lessons, "shop", "b", &[]);
    assert!(world.lessons.at(&places).expect("read").is_empty());
}

#[test]
fn each_verdict_has_its_status_and_decides_who_waits() {
    let (mut world, lesson) = World::with_fix("tool");
    assert_eq!(world.status(&lesson), "ready");
    assert!(world.waits(&lesson, DAY, Mode::Review));
    for (verdict, status) in
        [(Verdict::Rejected, "rejected"), (Verdict::Released, "released"), (Verdict::Approved, "approved")]
    {
        world.lessons.decide(&lesson, verdict, DAY).expect("decided");
        assert_eq!((world.status(&lesson), world.lessons.verdict(&lesson.id).expect("read")), (status, Some(verdict)));
        assert!(!world.waits(&lesson, DAY, Mode::Review), "{status}");
        assert_eq!(world.told(&lesson, Mode::Review).len(), usize::from(verdict == Verdict::Approved), "{status}");
        let known = world.ids(Which::Known, DAY, Mode::Review).contains(&lesson.id);
        assert_eq!(known, verdict != Verdict::Rejected, "{status}");
    }
    let tally = world.lessons.tally(DAY).expect("read");
    assert!(tally.contains(&(Status::Approved, 1)), "{tally:?}");
}

#[test]
fn a_tally_counts_every_lesson_where_it_stands() {
    let (mut world, _) = World::with_fix("tool");
    for n in 0..60 {
        let mut lesson = by_hand("shop", &format!("use tool{n}"), n);
        lesson.evidence.worth.ready = n % 3 != 0;
        world.lessons.add_shown(std::slice::from_ref(&lesson)).expect("added");
        let path = format!("/skills/{n}/SKILL.md");
        let said = match n % 10 {
            0 => world.lessons.decide(&lesson, Verdict::Rejected, 1),
            1 => world.lessons.decide(&lesson, Verdict::Approved, 1),
            2 => world.lessons.snooze(&lesson, 5 * DAY, 1),
            3 => world.lessons.snooze(&lesson, DAY, 1),
            4 => world.lessons.supersede(std::slice::from_ref(&lesson), 1),
            5 => world.lessons.retire_deleted(&lesson.id, 1),
            6 => world.lessons.decide(&lesson, Verdict::Released, 1),
            7 => world.lessons.approve_by_rules(&lesson, 1).map(drop),
            _ => Ok(()),
        };
        said.expect("said");
        // Of some there are files, also of some that were not approved.
        if n % 4 == 0 || n % 20 == 1 {
            world.lessons.keep_artifact(&path, &lesson.id, "sum", 1).expect("kept");
        }
    }
    let mut wanted: BTreeMap<Status, usize> = BTreeMap::new();
    for stored in world.lessons.list(&Wanted::default()).expect("read") {
        let status = stored.standing.status(2 * DAY);
        let status = if matches!(status, Status::Snoozed(_)) { Status::Snoozed(None) } else { status };
        *wanted.entry(status).or_default() += 1;
    }
    assert_eq!(world.lessons.tally(2 * DAY).expect("read"), wanted.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(wanted.len(), 9, "{wanted:?}");
}

#[test]
fn what_is_put_away_waits_again_after_its_time() {
    let (mut world, lesson) = World::with_fix("tool");
    world.lessons.snooze(&lesson, 5 * DAY, DAY).expect("put away");
    assert_eq!(world.status(&lesson), "snoozed");
    let waits = [4, 5, 6].map(|day| world.waits(&lesson, day * DAY, Mode::Review));
    assert_eq!(waits, [false, true, true]);
}

#[test]
fn what_only_the_rules_approved_counts_in_mode_auto_only_and_never_over_a_person() {
    let (mut world, lesson) = World::with_fix("tool");
    assert!(world.lessons.approve_by_rules(&lesson, DAY).expect("asked"));
    assert_eq!((world.told(&lesson, Mode::Auto).len(), world.told(&lesson, Mode::Review).len()), (1, 0));
    assert!(world.waits(&lesson, DAY, Mode::Review) && !world.waits(&lesson, DAY, Mode::Auto));
    world.lessons.decide(&lesson, Verdict::Rejected, DAY).expect("decided");
    assert!(!world.lessons.approve_by_rules(&lesson, DAY).expect("asked"));
    assert_eq!(world.status(&lesson), "rejected");
}

#[test]
fn an_approved_lesson_keeps_its_words_and_gets_new_evidence() {
    let (mut world, lesson) = World::with_fix("tool");
    let edited = world.lessons.edit(&lesson, "Use --output with tool", DAY).expect("edited");
    learn(&mut world.lessons, "shop", "c", &seen("c", "tool", 3));
    let stored = world.lessons.by_id(&lesson.id).expect("read").remove(0);
    assert_eq!(
        (stored.lesson.sha256(), stored.lesson.evidence.sessions, stored.standing.status(DAY).as_str()),
        (edited.sha256(), 3, "approved")
    );
    assert_eq!(world.lessons.may_leave(Mode::Review).expect("read"), std::slice::from_ref(&stored.lesson));
    // Shown as it would be seen today: the words that were approved stay.
    world.lessons.add_shown(std::slice::from_ref(&lesson)).expect("added");
    assert_eq!(world.lessons.by_id(&lesson.id).expect("read")[0].lesson.sha256(), edited.sha256());
}

#[test]
fn a_lesson_nobody_spoke_of_is_as_it_is_seen_and_goes_when_it_is_not() {
    let (mut world, lesson) = World::with_fix("tool");
    let seen = fold("shop", &[seen("a", "tool", 1), seen("b", "tool", 1)].concat());
    assert!(seen.contains(&lesson), "{lesson:?}");
    for id in ["a", "b"] {
        learn(&mut world.lessons, "shop", id, &[]);
    }
    assert!(world.lessons.by_id(&lesson.id).expect("read").is_empty());
}

#[test]
fn a_rejection_outlives_the_lesson() {
    let (mut world, lesson) = World::with_fix("tool");
    world.lessons.decide(&lesson, Verdict::Rejected, DAY).expect("decided");
    for id in ["a", "b"] {
        learn(&mut world.lessons, "shop", id, &[]);
    }
    assert!(world.lessons.by_id(&lesson.id).expect("read").is_empty());
    for id in ["c", "d"] {
        learn(&mut world.lessons, "shop", id, &seen(id, "tool", 2));
    }
    assert_eq!(world.status(&lesson), "rejected");
}

#[test]
fn a_deleted_file_retires_a_lesson_until_a_new_yes() {
    let (mut world, lesson) = World::with_fix("tool");
    world.lessons.decide(&lesson, Verdict::Approved, DAY).expect("decided");
    world.lessons.retire_deleted(&lesson.id, DAY).expect("retired");
    assert_eq!((world.status(&lesson), world.told(&lesson, Mode::Auto).len()), ("retired", 0));
    world.lessons.decide(&lesson, Verdict::Approved, DAY).expect("decided");
    assert_eq!((world.status(&lesson), world.told(&lesson, Mode::Review).len()), ("approved", 1));
}

#[test]
fn a_hook_is_given_at_most_three_lessons_of_its_own_project() {
    let mut world = World::new();
    let (_, like) = World::with_fix("tool");
    for n in 0..5 {
        let mut lesson = by_hand("shop", &format!("use way {n} of the tool"), DAY);
        lesson.payload.trigger.clone_from(&like.payload.trigger);
        world.lessons.add(&lesson, &[], DAY).expect("added");
    }
    assert_eq!(world.told(&like, Mode::Review).len(), 3);
    let trigger = like.payload.trigger.as_ref().expect("an error");
    assert!(world.lessons.approved_for(trigger, "bank", Mode::Review).expect("read").is_empty());
}

#[test]
fn an_approved_lesson_is_found_behind_any_number_that_nobody_approved() {
    let mut world = World::new();
    let ranked = |text: &str, rank: f64| {
        let mut lesson = by_hand("shop", text, 1);
        lesson.evidence.worth.rank = rank;
        lesson
    };
    let many: Vec<Lesson> =
        (0..400).map(|n| ranked(&format!("Module {n} keeps its state in `store{n}.rs`"), 100.0)).collect();
    let one = ranked("Makefiles are indented with tabs", 1.0);
    world.lessons.add_shown(&many).expect("kept");
    world.lessons.add_shown(std::slice::from_ref(&one)).expect("kept");
    world.lessons.decide(&one, Verdict::Approved, 2).expect("decided");
    let found = world.lessons.approved_best("shop", Mode::Review, &[one.kind], 15).expect("read");
    assert_eq!(found.iter().map(|l| &l.id).collect::<Vec<_>>(), [&one.id]);
}
