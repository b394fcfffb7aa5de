//! The hook's deadline: then the process ends with 0, whatever it was doing. An agent waits for it.
//!
//! Comes in: nothing. Goes out: the end of the process, and before it a line in the log if that can be written in time. A
//! payload that does not come, a locked database, a slow disk, an answer that nobody reads: all of them end here.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use super::log;
use crate::env_vars;

/// From start to end, if the user did not say otherwise.
const DEADLINE: Duration = Duration::from_millis(250);
/// Nobody wants to wait longer, whatever the variable says.
const LONGEST: Duration = Duration::from_secs(60);
/// Of it, for what happens before us: loading the program.
const START: Duration = Duration::from_millis(10);
/// This part of it is for the line in the log.
const NOTE: u32 = 10;
/// The two threads call little; most of what a stack usually has is never touched, but must be set up.
const STACK: usize = 128 * 1024;

/// What the hook does just now.
#[derive(Clone, Copy)]
pub(super) enum Doing {
    Reading,
    LookingUp,
    Answering,
}

static DOING: AtomicU8 = AtomicU8::new(Doing::Reading as u8);

impl Doing {
    /// Notes it, for the log.
    pub(super) fn begin(self) {
        DOING.store(self as u8, Ordering::Relaxed);
    }

    fn in_words() -> &'static str {
        match DOING.load(Ordering::Relaxed) {
            0 => "the payload was not whole",
            1 => "the look-up was not done",
            _ => "nobody read the answer",
        }
    }
}

/// Begins to watch. Without a thread nobody could: then the hook had better do nothing.
pub(super) fn watch(data: &Path) -> io::Result<()> {
    let (data, deadline) = (data.to_owned(), deadline());
    Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            std::thread::sleep(deadline.saturating_sub(START + deadline / NOTE));
            note(data, deadline);
            #[allow(clippy::disallowed_methods, reason = "no database is open for writing, and the agent waits")]
            std::process::exit(0);
        })
        .map(drop)
}

/// In a thread of its own: the disk may be what keeps us.
fn note(data: PathBuf, deadline: Duration) {
    let (done, wait) = mpsc::channel();
    let write = move || {
        log::note(&data, &format!("given up after {} ms: {}", deadline.as_millis(), Doing::in_words()));
        let _ = done.send(());
    };
    if Builder::new().stack_size(STACK).spawn(write).is_ok() {
        let _ = wait.recv_timeout(deadline / NOTE);
    }
}

fn deadline() -> Duration {
    let wished = env_vars::get(env_vars::UPTAKE_HOOK_MS).and_then(|ms| ms.parse().ok());
    wished.map_or(DEADLINE, Duration::from_millis).min(LONGEST)
}
