//! What a machine's history is made of, before it is read: folders that agents worked in, with sizes.
//!
//! Comes in: transcripts that were found. Goes out: groups for people to look at and leave out, and slices of transcripts,
//! newest first. Read is only the start of a file, to learn in which folder its session ran.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::transcripts::{Found, Transcript};

/// Sessions of one agent in one folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Whose sessions they are.
    pub source: &'static str,
    /// The folder they ran in, or the one their transcripts are in where that is not known.
    pub folder: String,
    /// How many transcripts.
    pub transcripts: usize,
    /// Their size; 0 where they are rows of a database.
    pub bytes: u64,
    /// When the last one changed, in milliseconds since 1970.
    pub last: i64,
}

/// Bytes of a file in which its folder must stand.
const LOOKED_AT: u64 = 64 * 1024;
const MILLI: i64 = 1_000_000; // nanoseconds

/// The groups, largest first.
pub fn groups(found: &Found) -> Vec<Group> {
    let mut places: BTreeMap<(&'static str, String), Option<String>> = BTreeMap::new();
    let mut groups: BTreeMap<(&'static str, String), Group> = BTreeMap::new();
    for transcript in &found.transcripts {
        let source = transcript.source().unwrap_or("unknown");
        let path = transcript.path();
        let beside = path.parent().unwrap_or(&path).to_string_lossy().into_owned();
        // One client keeps a folder for each project; the others mix them.
        let folder = if source == "claude" {
            places.entry((source, beside.clone())).or_insert_with(|| worked_in(&path)).clone()
        } else {
            worked_in(&path)
        };
        let folder = folder.unwrap_or(beside);
        let group = groups.entry((source, folder.clone())).or_insert(Group {
            source,
            folder,
            transcripts: 0,
            bytes: 0,
            last: 0,
        });
        group.transcripts += 1;
        group.bytes += transcript.size;
        // In a database this is a number that changes, not a time.
        let last = if transcript.size > 0 { transcript.modified / MILLI } else { 0 };
        group.last = group.last.max(last);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| b.transcripts.cmp(&a.transcripts)));
    groups
}

/// The folder that stands first in a transcript.
fn worked_in(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let at = text.find(r#""cwd":""#)? + r#""cwd":"#.len();
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<String>();
    values.next()?.ok()
}

/// Keeps what changed since a time, in milliseconds since 1970. What is in a database stays.
pub fn since(found: &mut Found, time: i64) {
    found.transcripts.retain(|t| t.size == 0 || t.modified / MILLI >= time);
}

/// A time by `30d`, `12w` or `2026-10-01`.
pub fn parse_since(text: &str, now: i64) -> Result<i64> {
    const DAY: i64 = 86_400_000;
    let days = text.strip_suffix('d').map(|n| (n, 1)).or_else(|| text.strip_suffix('w').map(|n| (n, 7)));
    if let Some((Ok(n), unit)) = days.map(|(n, unit)| (n.parse::<i64>(), unit)) {
        return Ok(now.saturating_sub(n.saturating_mul(unit * DAY)));
    }
    let wrong = || format!("`{text}` is no time; it can be: 30d, 12w, or a date such as 2026-10-01");
    let time: jiff::Timestamp = format!("{text}T00:00:00Z").parse().with_context(wrong)?;
    Ok(time.as_millisecond())
}

/// Bytes that are read before lessons are made of them: more would keep the first ones waiting. The first slice says how fast this
/// machine is, and is small.
const SLICE: u64 = 400_000_000;
const FIRST: u64 = 100_000_000;

/// The transcripts in slices, newest first; inside of a slice in the usual order.
pub fn newest_first(found: Found) -> Vec<Found> {
    let Found { mut transcripts, unreadable } = found;
    transcripts.sort_by_key(|t| std::cmp::Reverse(t.modified));
    let mut slices: Vec<Found> = Vec::new();
    let mut bytes = 0;
    for transcript in transcripts {
        let most = if slices.len() == 1 { FIRST } else { SLICE };
        if slices.is_empty() || bytes + transcript.size > most {
            slices.push(Found::default());
            bytes = 0;
        }
        bytes += transcript.size;
        slices.last_mut().into_iter().for_each(|slice| slice.transcripts.push(transcript.clone()));
    }
    for slice in &mut slices {
        slice.transcripts.sort_by(Transcript::by_path);
    }
    if let Some(first) = slices.first_mut() {
        first.unreadable = unreadable;
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_of_days_or_a_date() {
        let now = 1_794_830_400_000; // 2026-11-16, noon
        for (text, expected) in [
            ("1d", Some(now - 86_400_000)),
            ("2w", Some(now - 14 * 86_400_000)),
            ("2026-11-16", Some(now - 43_200_000)),
            ("yesterday", None),
            ("d", None),
            ("", None),
        ] {
            assert_eq!(parse_since(text, now).ok(), expected, "{text}");
        }
    }
}
