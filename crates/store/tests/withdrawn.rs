//! One changed byte of what was approved withdraws the approval.
//!
//! The number of changes is 1,000, or what `UPTAKE_CHANGES` says.
#![expect(clippy::disallowed_methods, reason = "changes a row behind the store's back")]
#![allow(clippy::expect_used, reason = "tests say what they expect")]

use rusqlite::Connection;
use serde_json::Value;
use uptake_core::detect::{Kind, Trigger};
use uptake_core::learn::status::{Status, Verdict};
use uptake_core::learn::trust::Mode;
use uptake_core::learn::{Lesson, by_hand};
use uptake_store::Lessons;

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("small") % n
    }
}

fn fix(text: &str) -> Lesson {
    let mut lesson = by_hand("git:example.com/dev/ledger", text, 0);
    lesson.kind = Kind::Recovery;
    lesson.payload.commands = vec!["tool --format json".into(), "tool --output json".into()];
    lesson.payload.trigger = Some(Trigger { program: "tool".into(), error: "unexpected argument".into() });
    lesson
}

/// The text with one byte replaced by another one of the alphabet.
fn other(text: &str, alphabet: &[u8], dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len());
    let others: Vec<u8> = alphabet.iter().copied().filter(|b| *b != bytes[at]).collect();
    bytes[at] = others[dice.below(others.len())];
    String::from_utf8(bytes).expect("ASCII")
}

/// Changes the stored row of a lesson; answers what was changed.
fn change(raw: &Connection, id: &str, dice: &mut Dice) -> String {
    if dice.below(8) == 0 {
        let sum: String =
            raw.query_row("SELECT sha256 FROM verdicts WHERE lesson = ?1", [id], |r| r.get(0)).expect("a verdict");
        let sum = other(&sum, b"0123456789abcdef", dice);
        raw.execute("UPDATE verdicts SET sha256 = ?2 WHERE lesson = ?1", (id, sum)).expect("written");
        return "the sum".to_owned();
    }
    let body: String = raw.query_row("SELECT body FROM lessons WHERE id = ?1", [id], |r| r.get(0)).expect("a lesson");
    let mut body: Value = serde_json::from_str(&body).expect("JSON");
    let places = [
        "/statement",
        "/name",
        "/title",
        "/project",
        "/commands/0",
        "/commands/1",
        "/trigger/program",
        "/trigger/error",
    ];
    let there: Vec<&str> = places.into_iter().filter(|p| body.pointer(p).is_some()).collect();
    let place = there[dice.below(there.len())];
    let field = body.pointer_mut(place).expect("a field");
    let printable: Vec<u8> = (b' '..=b'~').collect();
    *field = other(field.as_str().expect("a text"), &printable, dice).into();
    raw.execute("UPDATE lessons SET body = ?2 WHERE id = ?1", (id, body.to_string())).expect("written");
    place.to_owned()
}

fn leaves(lessons: &Lessons, id: &str) -> bool {
    let now = lessons.by_id(id).expect("read").remove(0);
    [Mode::Review, Mode::Auto].into_iter().any(|mode| {
        let mut out = lessons.may_leave(mode).expect("read");
        let known = fix("").payload.trigger.into_iter().chain(now.lesson.payload.trigger.clone());
        for trigger in known {
            for project in ["git:example.com/dev/ledger", now.lesson.project()] {
                out.extend(lessons.approved_for(&trigger, project, mode).expect("read"));
            }
        }
        out.iter().any(|l| l.id == id) || now.may_leave(mode)
    })
}

#[test]
fn one_changed_byte_withdraws_an_approval() {
    let changes: usize = std::env::var("UPTAKE_CHANGES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let folder = tempfile::tempdir().expect("a folder");
    let mut lessons = Lessons::open(folder.path()).expect("a store");
    let all = [fix("Use --output"), fix("Use -o"), by_hand("p", "Never push to main", 0), by_hand("p", "Use pnpm", 0)];
    lessons.add_shown(&all).expect("added");
    lessons.decide(&all[0], Verdict::Approved, 1).expect("approved");
    lessons.decide(&all[2], Verdict::Approved, 1).expect("approved");
    assert!(
        lessons.approve_by_rules(&all[1], 1).expect("approved")
            && lessons.approve_by_rules(&all[3], 1).expect("approved")
    );
    let raw = Connection::open(folder.path().join("lessons.db")).expect("the database");
    // Nobody waits for a disk here.
    raw.pragma_update(None, "synchronous", "OFF").expect("set");
    let mut dice = Dice(7);
    for n in 0..changes {
        let id = all[n % all.len()].id.as_str();
        assert!(leaves(&lessons, id), "approved");
        let body: String = raw.query_row("SELECT body FROM lessons WHERE id = ?1", [id], |r| r.get(0)).expect("read");
        let what = change(&raw, id, &mut dice);
        assert!(!leaves(&lessons, id), "change {n}: {what}");
        assert_eq!(lessons.by_id(id).expect("read")[0].standing.status(0), Status::Quarantined, "change {n}: {what}");
        raw.execute("UPDATE lessons SET body = ?2 WHERE id = ?1", (id, body)).expect("written");
        raw.execute("UPDATE verdicts SET sha256 = ?2 WHERE lesson = ?1", (id, all[n % all.len()].sha256()))
            .expect("written");
    }
}
