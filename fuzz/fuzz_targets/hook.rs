//! Any bytes as the payload of a hook: silence, or JSON.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use uptake_core::detect::{Kind, Sure};
use uptake_core::learn::Lesson;
use uptake_core::session::Origin;
use uptake_store::{Lessons, Verdict};

/// A store with a lesson that one of the recorded payloads brings up.
static DATA: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder");
    let mut lessons = Lessons::open(folder.path()).expect("a store");
    let lesson = lesson();
    lessons.refold(&lesson.project, |_| vec![lesson.clone()]).expect("kept");
    lessons.decide(&lesson, Verdict::Approved, 1).expect("approved");
    folder
});

const COMMAND: &str = "python3 -m ledger report --format json";
const ERROR: &str = "ledger: error: unrecognized arguments: --format json";

fn lesson() -> Lesson {
    let trigger = uptake_core::recall::trigger(COMMAND, ERROR).expect("a trigger");
    Lesson {
        id: "l1".to_owned(),
        project: "path:/tmp/uptake-lab/home/dev/ledger".to_owned(),
        kind: Kind::Recovery,
        key: "k".to_owned(),
        name: "error-python3".to_owned(),
        title: "t".to_owned(),
        statement: "s".to_owned(),
        commands: vec![COMMAND.to_owned(), "python3 -m ledger report --output json".to_owned()],
        trigger: Some(trigger),
        error: Some(ERROR.to_owned()),
        detector: "error-recovery".to_owned(),
        trust: Origin::Assistant,
        sure: Sure::High,
        sessions: 2,
        days: 1,
        first: None,
        last: None,
        sources: vec!["claude".to_owned()],
        evidence: Vec::new(),
        ready: true,
        rank: 5.0,
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((which, payload)) = data.split_first() else { return };
    let source = ["claude", "codex", "opencode", "gemini", ""][usize::from(*which) % 5];
    let Ok(Some(answer)) = uptake::hook::respond(source, DATA.path(), payload) else { return };
    let value: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(value.is_object(), "an answer is an object");
    // What was shown is written down; in a million turns that is too much to look through.
    let _ = std::fs::remove_dir_all(DATA.path().join("spool"));
});
