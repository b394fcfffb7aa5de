//! The hook's deadline: then the process ends with 0, whatever it was doing. An agent waits for it.
//!
//! Comes in: nothing. Goes out: the end of the process, and before it a line in the log if that can be written in time. A
//! payload that does not come, a locked database, a slow disk, an answer that nobody reads: all of them end here.

use std::io::{self, Write as _};
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
    /// Its time is up: nothing else may be said.
    GivingUp,
}

static DOING: AtomicU8 = AtomicU8::new(Doing::Reading as u8);

impl Doing {
    /// Notes it, for the log. Answers whether there is still time.
    pub(super) fn begin(self) -> bool {
        let next = |was: u8| (was != Self::GivingUp as u8).then_some(self as u8);
        DOING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// Ends it. Answers whether nothing was said yet, and what was being done.
    fn give_up() -> (bool, &'static str) {
        match DOING.swap(Self::GivingUp as u8, Ordering::Relaxed) {
            0 => (true, "the payload was not whole"),
            1 => (true, "the look-up was not done"),
            _ => (false, "nobody read the answer"),
        }
    }
}

/// Begins to watch. Without a thread nobody could: then the hook had better do nothing. `trouble` is what a client is told that asks again.
pub(super) fn watch(data: &Path, trouble: Option<&'static str>) -> io::Result<()> {
    let (data, deadline) = (data.to_owned(), deadline());
    Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            std::thread::sleep(deadline.saturating_sub(START + deadline / NOTE));
            let (silent, doing) = Doing::give_up();
            if let Some(words) = trouble.filter(|_| silent) {
                // Nobody may be there to hear it; a pipe takes so few bytes at once.
                let _ = io::stdout().lock().write_all(words.as_bytes());
                let _ = io::stdout().lock().flush();
            }
            note(data, deadline, doing);
            #[allow(clippy::disallowed_methods, reason = "no database is open for writing, and the agent waits")]
            std::process::exit(0);
        })
        .map(drop)
}

/// In a thread of its own: the disk may be what keeps us.
fn note(data: PathBuf, deadline: Duration, doing: &'static str) {
    let (done, wait) = mpsc::channel();
    let write = move || {
        log::note(&data, &format!("given up after {} ms: {}", deadline.as_millis(), doing));
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
