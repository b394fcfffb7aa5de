//! Any bytes as the payload of a hook: silence, or JSON.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::{self, Lesson};
use uptake_core::recall;
use uptake_store::Lessons;

/// A store with a lesson that one of the recorded payloads brings up.
static DATA: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder");
    let mut lessons = Lessons::open(folder.path()).expect("a store");
    let lesson = lesson();
    lessons.add(&lesson, &[], 1).expect("kept");
    lessons.decide(&lesson, Verdict::Approved, 1).expect("approved");
    folder
});

const COMMAND: &str = "python3 -m ledger report --format json";
const ERROR: &str = "ledger: error: unrecognized arguments: --format json";

fn lesson() -> Lesson {
    let mut lesson = learn::by_hand("path:/tmp/uptake-lab/home/dev/ledger", "write --output instead of --format", 1);
    lesson.payload.trigger = Some(recall::trigger(COMMAND, ERROR).expect("a trigger"));
    lesson
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
