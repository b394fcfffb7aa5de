//! devflow: `.memory/learning-log.jsonl`, one object a line.

use serde_json::{Map, Value};

use super::entry::{Entry, between};
use super::lines::{entries, field, object, time};
use super::{About, Imported};
use crate::detect::Kind;

/// How many entries are looked at to tell what a file is.
const LOOK: usize = 50;

pub(super) fn sniff(bytes: &[u8]) -> bool {
    let ours = |o: &Map<String, Value>| ["id", "type", "pattern"].iter().all(|name| o.contains_key(*name));
    // The start is enough: entries are short.
    let start = &bytes[..bytes.len().min(1024 * 1024)];
    entries(start).into_iter().take(LOOK).filter_map(|(_, piece)| object(piece).ok()).any(|o| ours(&o))
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    for (line, piece) in entries(bytes) {
        match object(piece).and_then(|o| entry(&o, about)) {
            Ok(Read::Entry(entry)) => out.take(about, &entry),
            Ok(Read::LeftOut(why)) => out.leave_out(why),
            Err(why) => out.problem(line, why),
        }
    }
    out
}

enum Read {
    Entry(Entry),
    LeftOut(&'static str),
}

fn entry(o: &Map<String, Value>, about: &About<'_>) -> Result<Read, &'static str> {
    let id = field(o, "id").filter(|id| id.starts_with("obs_")).ok_or("has no id that begins with `obs_`")?;
    let kind = match field(o, "type").ok_or("has no `type`")? {
        "workflow" => Kind::Workflow,
        "procedural" => Kind::Procedure,
        "decision" => Kind::Decision,
        "pitfall" => Kind::Pitfall,
        _ => return Err("has an unknown `type`"),
    };
    let pattern = field(o, "pattern").ok_or("has no `pattern`")?;
    let count = match o.get("observations") {
        None | Some(Value::Null) => 1.0,
        Some(count) => count.as_f64().filter(|n| *n >= 0.0).ok_or("has a count that is no number")?,
    };
    // Its file was deleted, or a person said so: it must not come back.
    if field(o, "status") == Some("deprecated") {
        return Ok(Read::LeftOut("deprecated in devflow"));
    }
    let seen = |name| field(o, name).and_then(time);
    let id = about.clean(id);
    Ok(Read::Entry(Entry {
        root: id.clone(),
        id,
        kind,
        statement: about.clean(pattern),
        details: about.clean(field(o, "details").unwrap_or_default()),
        // A float is rounded to a count; it is capped anyway.
        times: between(count as usize, seen("first_seen"), seen("last_seen")),
        sound: o.get("quality_ok") == Some(&Value::Bool(true)),
    }))
}
