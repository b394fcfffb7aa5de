//! Keys from when a line like `error: usage: tool FILE` was an error line.
//!
//! Today such a line tells nothing, and is not kept as the error. Comes in: an observation without an error line. Goes out:
//! the key it had with the usage line that is quoted in its place. Where another line is quoted it may have been a bare
//! `error: usage:` above it, and that key is given: a lesson has it in common with nothing but its own program and way.
//!
//! Not found again: usage lines that are longer than a quote or have other lines below them, and those of failures of which
//! today another line says what went wrong. Nothing that is kept of these tells the usage.

use crate::detect::Observation;
use crate::normal::command::{normalise_script, program, working};
use crate::normal::error::{begins_or_ends_with, mask, named_or_first, tells_only_usage};
use crate::normal::shell;

/// The key an observation had.
pub(super) fn key(o: &Observation) -> Option<String> {
    if o.seen.error().is_some() {
        return None;
    }
    let quoted = Some(o.head.quote.as_str()).filter(|line| tells_only_usage(line));
    let line = quoted.unwrap_or("error: usage:");
    match &*o.head.detector {
        "error-recovery" => of_fix(o, line),
        "excessive-retries" => o.claim.key.strip_suffix(" | ").map(|goal| format!("{goal} | {}", mask(line))),
        _ => None,
    }
}

/// `program | command | way`, with the line in the place of the command.
fn of_fix(o: &Observation, line: &str) -> Option<String> {
    let script = shell::parse(o.claim.commands.first()?);
    let first = working(&script).first().map(|c| program(c)).unwrap_or_default();
    let way = o.claim.key.strip_prefix(&format!("{first} | {} | ", normalise_script(&script)))?;
    let speaker = named_or_first(&script, |program| begins_or_ends_with(line, program));
    Some(format!("{speaker} | {} | {way}", mask(line)))
}
