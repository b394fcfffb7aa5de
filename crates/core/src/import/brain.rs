//! opencode-brain: `.claude/mind-skills-pending.json`, one document with candidates for skills.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::entry::{Entry, between};
use super::lines::{field, object};
use super::{About, ENTRIES, Imported};
use crate::detect::Kind;

/// How far into a file its first field must stand.
const LOOK: usize = 64 * 1024;
/// How many pieces of evidence are shown; the tool keeps four.
const EVIDENCE: usize = 4;

pub(super) fn sniff(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let start = &start[..start.len().min(LOOK)];
    start.starts_with(b"{") && memchr::memmem::find(start, b"\"candidates\"").is_some()
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let mut found: Vec<&RawValue> = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    // Entries before the damage are kept: the tool does not write the file in one go.
    if let Err(e) = json.deserialize_map(Document(&mut found)).and_then(|()| json.end()) {
        out.problem(e.line(), if e.is_eof() { "is cut short" } else { "is not the expected JSON" });
    }
    let (mut line, mut at) = (1, 0);
    for raw in found.iter().map(|raw| raw.get().as_bytes()) {
        let start = at + memchr::memmem::find(&bytes[at..], raw).unwrap_or(0);
        line += memchr::memchr_iter(b'\n', &bytes[at..start]).count();
        at = start;
        match object(raw).and_then(|o| entry(&o, about)) {
            Ok(entry) => out.take(about, &entry),
            Err(why) => out.problem(line, why),
        }
    }
    out
}

fn entry(o: &Map<String, Value>, about: &About<'_>) -> Result<Entry, &'static str> {
    let title = field(o, "title").ok_or("has no `title`")?;
    let id = about.clean(field(o, "id").ok_or("has no `id`")?);
    let at = o.get("detectedAt").and_then(Value::as_f64).filter(|ms| (0.0..4e12).contains(ms)).map(|ms| ms as i64);
    let reason = field(o, "reason").unwrap_or_default().to_lowercase();
    Ok(Entry {
        root: id.clone(),
        id,
        // Only these pairs were found to be related; "error with specific fix" takes any fix that came later.
        kind: if reason.contains("problem→solution") { Kind::Recovery } else { Kind::Insight },
        statement: about.clean(title),
        details: about.clean(&evidence(o)),
        times: between(1, at, at),
        sound: field(o, "confidence") == Some("high"),
    })
}

/// `problem: npm test; success: Fixed pool`. What tools printed is left out.
fn evidence(o: &Map<String, Value>) -> String {
    let list = o.get("evidence").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let told = list.iter().take(EVIDENCE).filter_map(|e| {
        let e = e.as_object()?;
        Some(format!("{}: {}", field(e, "type")?, field(e, "summary")?))
    });
    told.collect::<Vec<_>>().join("; ")
}

/// `{"candidates": [ … ], …}`: candidates are kept one by one, as they stand.
struct Document<'f, 'de>(&'f mut Vec<&'de RawValue>);

impl<'de> Visitor<'de> for Document<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with candidates")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "candidates" {
                map.next_value_seed(Candidates(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Candidates<'f, 'de>(&'f mut Vec<&'de RawValue>);

impl<'de> DeserializeSeed<'de> for Candidates<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Candidates<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of candidates")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<&'de RawValue>()? {
            // One more than is taken, so that the reader reports it.
            if self.0.len() <= ENTRIES {
                self.0.push(raw);
            }
        }
        Ok(())
    }
}
