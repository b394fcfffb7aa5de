//! Keys from when `error: usage:` was an error line like any other.
//!
//! Today a line that only says how a tool is used tells nothing, so it is not kept. Comes in: an observation without an
//! error line. Goes out: the key it had if `error: usage:` was all that was said. Not found again are keys with the usage
//! itself behind these words, and those of a failure of which another line is kept today: nothing tells what it said.

use crate::detect::Observation;
use crate::normal::command::{normalise_script, program, working};
use crate::normal::shell;

const SAID: &str = "error: usage:";

/// The key an observation had.
pub(super) fn key(o: &Observation) -> Option<String> {
    if o.seen.error().is_some() {
        return None;
    }
    match &*o.head.detector {
        "error-recovery" => {
            let script = shell::parse(o.claim.commands.first()?);
            let program = working(&script).first().map(|c| program(c)).unwrap_or_default();
            let way = o.claim.key.strip_prefix(&format!("{program} | {} | ", normalise_script(&script)))?;
            Some(format!("{program} | {SAID} | {way}"))
        }
        "excessive-retries" => o.claim.key.strip_suffix(" | ").map(|goal| format!("{goal} | {SAID}")),
        _ => None,
    }
}
