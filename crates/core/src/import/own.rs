//! What `uptake export` wrote: one lesson a line.

use serde_json::{Map, Value};

use super::entry::{Entry, between};
use super::lines::{entries, field, object};
use super::{About, Imported};
use crate::detect::Kind;

/// The field by which a line is known, and its value.
const MARK: (&str, &str) = ("format", "uptake-lessons");

pub(super) fn sniff(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(64 * 1024)];
    entries(start).into_iter().take(5).filter_map(|(_, piece)| object(piece).ok()).any(|o| is_ours(&o))
}

fn is_ours(o: &Map<String, Value>) -> bool {
    field(o, MARK.0) == Some(MARK.1)
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    for (line, piece) in entries(bytes) {
        match object(piece).and_then(|o| entry(&o, about)) {
            Ok(entry) => out.take(about, &entry),
            Err(why) => out.problem(line, why),
        }
    }
    out
}

fn entry(o: &Map<String, Value>, about: &About<'_>) -> Result<Entry, &'static str> {
    if !is_ours(o) {
        return Err("is no line of an export");
    }
    let id = about.clean(field(o, "id").ok_or("has no `id`")?);
    let kind = field(o, "kind").and_then(Kind::parse).ok_or("has an unknown `kind`")?;
    let statement = about.clean(field(o, "text").ok_or("has no `text`")?);
    let time = |name: &str| o.get(name).and_then(Value::as_i64);
    let count = o.get("sessions").and_then(Value::as_u64).unwrap_or(1);
    let times = between(usize::try_from(count).unwrap_or(1), time("first"), time("last"));
    // A fact holds where it was seen: elsewhere it is a warning.
    let kind = if kind == Kind::Fact { Kind::Pitfall } else { kind };
    Ok(Entry { root: id.clone(), id, kind, statement, details: String::new(), times, sound: true })
}
