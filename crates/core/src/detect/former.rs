//! Keys that observations had before a key function was changed.
//!
//! A lesson's key decides whether it is the one that was rejected or forgotten. Rejections hang on a hash of the key,
//! tombstones on a keyed hash: neither can be turned into a new key. So the old function stays, here, and every
//! observation is also asked for the keys it would have had.
//!
//! Comes in: an observation as it is seen today. Goes out: the keys it had under each older function. To change a key
//! function: copy what made the old key into a function below, add it to [`FORMER`], raise the detector's version.
//! Deliberately absent: old detectors. Only what told lessons apart must be known for ever.

mod each_shell;
mod usage;

use super::{Observation, READER, normal_statement};

/// An older key function; `None` for observations it never made a key for.
///
/// It sees what an observation keeps, not the session. Of a procedure of several sessions it is given one of the runs,
/// cut to the steps of the procedure.
pub type KeyFunction = fn(&Observation) -> Option<String>;

/// All older key functions, newest first.
pub const FORMER: &[KeyFunction] = &[own_words, clause, usage::key, each_shell::key];

/// The keys an observation had under older functions, without the one it has.
pub fn former_keys(o: &Observation, functions: &[KeyFunction]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in functions.iter().filter_map(|function| function(o)) {
        if key != o.claim.key && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The key of a rule from when it was cut out of its sentence: at a comma with "and" or "but", at a dash, at a colon.
fn clause(o: &Observation) -> Option<String> {
    const JOINTS: &[&str] = &[", and ", ", but ", " and also ", " - ", ": "];
    const OPENINGS: &[&str] = &["never ", "don't ", "dont ", "do not ", "always ", "all ", "every "];
    if o.head.detector != "rule" {
        return None;
    }
    let mut parts = vec![o.claim.text.as_str()];
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    let lays_down = |part: &&&str| OPENINGS.iter().any(|opening| part.to_lowercase().starts_with(opening));
    parts.iter().find(lays_down).or(parts.first()).map(|part| normal_statement(part))
}

/// The key of a reader's own words. It is another one than the observation's where the reader found that several statements
/// are one lesson: what was said of each of them holds for that one.
pub fn own_words(o: &Observation) -> Option<String> {
    (o.head.detector == READER).then(|| read_key(&o.claim.text))
}

/// The key of a reader's statement. Never that of another detector: the reader's evidence must not count for a lesson that
/// rests on the user's own words.
pub fn read_key(statement: &str) -> String {
    format!("read: {}", normal_statement(statement))
}

/// The key that the same words have where a detector takes them from the user.
pub fn said_key(statement: &str) -> String {
    normal_statement(statement)
}

#[cfg(test)]
mod tests;
