//! Random sequences of what a person and a history do to a lesson, against a small model.
//!
//! The number of sequences is 1,000, or what `UPTAKE_SEQUENCES` says: `cargo xtask battery` runs many more.
#![allow(clippy::expect_used, clippy::panic, reason = "tests say what they expect")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use uptake_core::detect::{Claim, Fix, Head, Kind, Observation, Seen, Sure, Trigger};
use uptake_core::learn::evidence::Bars;
use uptake_core::learn::status::{By, Verdict};
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, fold, lesson_id};
use uptake_core::session::Origin;
use uptake_store::{Lessons, SeenIn, Stored, Wanted, Which};

/// Longest sequence.
const STEPS: u64 = 24;
/// Sessions in which the same may be seen.
const SESSIONS: u64 = 4;
/// Sequences in one store.
const STORE: u64 = 500;
/// What is seen.
const SEEN: &str = "Instead of `tool --format json` run `tool --output json`";

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Clocks jump, also back: nothing but the order may count.
    fn time(&mut self) -> i64 {
        i64::try_from(self.below(1 << 31)).expect("small") * 1_000 - 1_000_000_000
    }
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    verdict: Verdict,
    by: By,
    until: Option<i64>,
}

/// The lesson as it should stand.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    words: String,
    ready: bool,
    sessions: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Model {
    seen: BTreeSet<u64>,
    row: Option<Row>,
    said: Option<Said>,
    deleted: bool,
    /// Whether something is not added up yet.
    open: bool,
}

impl Model {
    fn approved(&self) -> bool {
        self.said.as_ref().is_some_and(|s| s.verdict == Verdict::Approved)
    }

    /// What is approved keeps its words; anything else is as it is seen, or not there.
    fn add_up(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let kept = self.row.take().filter(|_| self.approved());
        self.row = if self.seen.is_empty() {
            kept
        } else {
            let words = kept.map_or_else(|| SEEN.to_owned(), |row| row.words);
            Some(Row { words, ready: !self.deleted, sessions: self.seen.len() })
        };
    }

    fn say(&mut self, verdict: Verdict, by: By, until: Option<i64>) {
        self.said = Some(Said { verdict, by, until });
        self.deleted &= verdict != Verdict::Approved;
    }

    fn may_leave(&self, mode: Mode) -> bool {
        let entitled = self.said.as_ref().is_some_and(|s| s.by == By::Person || mode == Mode::Auto);
        self.row.is_some() && self.approved() && entitled
    }

    fn waits(&self, now: i64, mode: Mode) -> bool {
        let open = match &self.said {
            None => true,
            Some(s) if s.verdict == Verdict::Snoozed => s.until.is_some_and(|until| until <= now),
            Some(s) => s.verdict == Verdict::Approved && s.by == By::Auto && mode == Mode::Review,
        };
        open && self.row.as_ref().is_some_and(|row| row.ready)
    }
}

/// A change, and what stood before it.
struct Change {
    id: i64,
    before: Model,
    undone: bool,
}

struct World {
    folder: tempfile::TempDir,
    lessons: Lessons,
    project: String,
    model: Model,
    changes: Vec<Change>,
}

fn trigger() -> Trigger {
    Trigger { program: "tool".into(), error: "unexpected argument".into() }
}

fn observation(project: &str, session: u64) -> Observation {
    Observation {
        head: Head {
            id: format!("{project}-{session}"),
            detector: "error-recovery".into(),
            source: "claude".into(),
            session: format!("s{session}"),
            root: format!("s{session}"),
            events: vec![format!("e{session}")],
            at: i64::try_from(session * 86_400_000).ok(),
            quote: String::new(),
        },
        claim: Claim {
            kind: Kind::Recovery,
            key: "tool".into(),
            name: "error-tool".into(),
            title: "Recover from tool errors".into(),
            text: SEEN.into(),
            commands: vec!["tool --format json".into(), "tool --output json".into()],
            sure: Sure::High,
            trust: Origin::Assistant,
            suggest: true,
            telling: true,
        },
        seen: Seen::Fix(Fix { trigger: Some(trigger()), ..Fix::default() }),
    }
}

impl World {
    fn new() -> Self {
        let shm = Path::new("/dev/shm");
        let folder = if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() }.expect("a folder");
        let lessons = Lessons::open(folder.path()).expect("open");
        Self { folder, lessons, project: String::new(), model: Model::default(), changes: Vec::new() }
    }

    fn id(&self) -> String {
        lesson_id(Kind::Recovery, "tool", &self.project)
    }

    fn path(&self, session: u64) -> String {
        format!("/{}/{session}.jsonl", self.project)
    }

    /// A session in which it is seen, or no longer.
    fn observe(&mut self, session: u64, seen: bool) {
        let observations: Vec<Observation> = seen.then(|| observation(&self.project, session)).into_iter().collect();
        let path = self.path(session);
        let seen_in = SeenIn {
            source: "claude",
            session: &format!("s{session}"),
            path: &path,
            project: &self.project,
            observations: &observations,
        };
        self.lessons.keep_observations(&[seen_in]).expect("kept");
        let changed = if seen { self.model.seen.insert(session) } else { self.model.seen.remove(&session) };
        self.model.open |= changed;
    }

    /// As `uptake learn` does.
    fn add_up(&mut self) {
        let deleted = self.lessons.deletions().expect("read");
        let project = self.project.clone();
        let folded = |observations: &[Observation]| -> Vec<Lesson> {
            let mut lessons = fold(&project, observations);
            lessons.iter_mut().filter(|l| deleted.contains(&l.id)).for_each(|l| l.penalise(&Bars::default()));
            lessons
        };
        self.lessons.refold(&project, folded).expect("folded");
        self.model.add_up();
    }

    /// Killed while adding up: nothing of it may be left.
    fn crash(&mut self) {
        let project = self.project.clone();
        let lessons = &mut self.lessons;
        let killed = catch_unwind(AssertUnwindSafe(|| lessons.refold(&project, |_| panic!("killed"))));
        assert_eq!(killed.is_err(), self.model.open, "only what is open is added up");
        self.lessons = Lessons::open(self.folder.path()).expect("open");
    }

    fn stored(&self) -> Option<Stored> {
        self.lessons.by_id(&self.id()).expect("read").pop()
    }

    /// Notes the change the store just made.
    fn changed(&mut self, before: Model) {
        let id = self.lessons.changes(Some(&self.id())).expect("read")[0].id;
        self.changes.push(Change { id, before, undone: false });
    }

    fn decide(&mut self, dice: &mut Dice, at: i64) {
        let Some(lesson) = self.stored().map(|s| s.lesson) else { return };
        let before = self.model.clone();
        match dice.below(7) {
            0 => {
                self.lessons.snooze(&lesson, at + 1_000, at).expect("snoozed");
                self.model.say(Verdict::Snoozed, By::Person, Some(at + 1_000));
            }
            1 => {
                let words = format!("{SEEN}, said {at}");
                self.lessons.edit(&lesson, &words, at).expect("edited");
                self.model.say(Verdict::Approved, By::Person, None);
                self.model.row.iter_mut().for_each(|row| row.words.clone_from(&words));
            }
            2 => {
                let free = self.model.said.is_none();
                assert_eq!(self.lessons.approve_by_rules(&lesson, at).expect("asked"), free);
                if !free {
                    return;
                }
                self.model.say(Verdict::Approved, By::Auto, None);
            }
            3 => {
                self.lessons.retire_deleted(&lesson.id, at).expect("retired");
                (self.model.said, self.model.deleted) = (None, true);
                self.model.row.iter_mut().for_each(|row| row.ready = false);
            }
            n => {
                let verdict = [Verdict::Approved, Verdict::Rejected, Verdict::Released][n as usize - 4];
                self.lessons.decide(&lesson, verdict, at).expect("decided");
                self.model.say(verdict, By::Person, None);
            }
        }
        self.changed(before);
    }

    fn undo(&mut self, dice: &mut Dice, at: i64) {
        let standing: Vec<usize> = (0..self.changes.len()).filter(|i| !self.changes[*i].undone).collect();
        if standing.is_empty() {
            return;
        }
        let which = standing[dice.below(standing.len() as u64) as usize];
        let now = self.model.clone();
        self.lessons.undo(Some(self.changes[which].id), at).expect("undone").expect("there");
        self.changes[which].undone = true;
        let was = self.changes[which].before.clone();
        self.model.open |= self.model.row.is_some() || was.row.is_some();
        (self.model.said, self.model.deleted) = (was.said, was.deleted);
        match (&mut self.model.row, was.row) {
            (Some(row), Some(before)) => row.words = before.words,
            // Gone meanwhile, and back; or not there before.
            (row, before) => *row = before,
        }
        self.changed(now);
        self.add_up();
    }

    /// Cleared away and brought back: nothing may be different.
    fn clear_and_back(&mut self, at: i64) {
        let (change, _) = self.lessons.clear(Some(&self.project), at).expect("cleared");
        assert!(self.stored().is_none());
        assert!(self.lessons.kept_of(&self.path(0)).expect("read").is_empty());
        self.lessons.undo(Some(change), at).expect("undone").expect("there");
        self.model.open |= !self.model.seen.is_empty() || self.model.row.is_some();
        self.add_up();
    }

    /// The journal says the same as the database.
    fn is_written_down(&self) {
        let found = uptake_store::checkup::check(self.folder.path()).expect("read");
        assert!(found.is_sound(), "{found:?}");
    }

    fn check(&self, what: &str, now: i64) {
        let stored = self.stored();
        let row = stored.as_ref().map(|s| Row {
            words: s.lesson.payload.statement.clone(),
            ready: s.lesson.evidence.worth.ready,
            sessions: s.lesson.evidence.sessions,
        });
        assert_eq!(row, self.model.row, "{what}");
        if let Some(stored) = &stored {
            let said = self.model.said.as_ref();
            assert_eq!(stored.verdict(), said.map(|s| s.verdict), "{what}");
            assert!(said.is_none_or(|s| Some(s.by) == stored.standing.said.map(|s| s.by)), "{what}");
            assert!(stored.standing.said.is_none_or(|s| s.same) || !self.model.approved(), "{what}");
            assert_eq!(stored.standing.deleted, self.model.deleted, "{what}");
        }
        for mode in [Mode::Review, Mode::Auto] {
            let told = self.lessons.approved_for(&trigger(), &self.project, mode).expect("read");
            assert_eq!(!told.is_empty(), self.model.may_leave(mode), "{what}, {mode:?}");
            let project = Some(self.project.as_str());
            let wanted = Wanted { project, which: Which::Waiting, now, mode, ..Wanted::default() };
            let waits = !self.lessons.order(&wanted).expect("read").is_empty();
            assert_eq!(waits, self.model.waits(now, mode), "{what}, {mode:?}, {:?}", self.model);
        }
        let kept = (0..SESSIONS).filter(|s| !self.lessons.kept_of(&self.path(*s)).expect("read").is_empty());
        assert_eq!(kept.collect::<BTreeSet<u64>>(), self.model.seen, "{what}");
    }
}

#[test]
fn any_sequence_of_changes_equals_the_model() {
    let sequences: u64 = std::env::var("UPTAKE_SEQUENCES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let mut world = World::new();
    std::panic::set_hook(Box::new(|info| {
        // The kills are meant; anything else is a finding.
        if !info.to_string().contains("killed") {
            eprintln!("{info}");
        }
    }));
    for seed in 0..sequences {
        if seed % STORE == STORE - 1 {
            world.is_written_down();
            world = World::new();
        }
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        world.project = format!("p{seed}");
        (world.model, world.changes) = (Model::default(), Vec::new());
        for step in 0..=dice.below(STEPS) {
            let at = dice.time();
            let session = dice.below(SESSIONS);
            match dice.below(16) {
                0..=4 => world.observe(session, true),
                5 => world.observe(session, false),
                6..=8 => world.add_up(),
                9 => world.crash(),
                10 => world.lessons = Lessons::open(world.folder.path()).expect("open"),
                11 | 12 => world.undo(&mut dice, at),
                13 => world.clear_and_back(at),
                _ => world.decide(&mut dice, at),
            }
            world.check(&format!("sequence {seed}, step {step}"), dice.time());
        }
    }
    world.is_written_down();
    println!("{sequences} sequences");
}
