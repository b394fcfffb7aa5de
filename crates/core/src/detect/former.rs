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

use super::Observation;

/// An older key function; `None` for observations it never made a key for.
///
/// It sees what an observation keeps, not the session. Of a procedure of several sessions it is given one of the runs,
/// cut to the steps of the procedure.
pub type KeyFunction = fn(&Observation) -> Option<String>;

/// All older key functions, newest first.
pub const FORMER: &[KeyFunction] = &[usage::key, each_shell::key];

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

#[cfg(test)]
mod tests;
