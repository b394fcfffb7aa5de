//! Healthy transcripts, ways to damage them, and what must be found again: used by the tests of the core and, for
//! many more mutations, by `cargo xtask battery`.
//!
//! What a healthy reading gives is the measure: an event must be found again with the same id, kind, tool, command
//! and outcome if all records it depends on are untouched.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use uptake_core::session::{Event, Session};
use uptake_core::sources::{Flaw, Read, Reader, Source, read_all};

/// A healthy transcript and what it gives.
pub struct Sample {
    /// What to call it.
    pub label: String,
    /// Who wrote it.
    pub source: &'static Source,
    /// The file's name without its ending.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// Where each record stands, without its line end.
    pub records: Vec<Range<usize>>,
    /// What it gives.
    pub healthy: Session,
    /// For each event the records it depends on.
    pub needs: Vec<BTreeSet<usize>>,
    /// Names in a document outside of its records, each with the places of the records it belongs to.
    pub names: Vec<(Range<usize>, Range<usize>)>,
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label)
    }
}

/// Bytes put in the place of others.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Where.
    pub at: usize,
    /// How many bytes go.
    pub remove: usize,
    /// What comes.
    pub insert: Vec<u8>,
}

impl Sample {
    /// One record a line.
    pub fn of_lines(source: &'static Source, name: &str, bytes: Vec<u8>, label: String) -> Self {
        let records = lines(&bytes);
        Self::new(source, name, bytes, label, records)
    }

    /// One document; the objects in it that are records by themselves are found by their names.
    pub fn of_document(source: &'static Source, name: &str, bytes: Vec<u8>, label: String) -> Self {
        let Frame { records, names } = frame(&bytes);
        Self { names, ..Self::new(source, name, bytes, label, records) }
    }

    /// With its records known.
    pub fn new(source: &'static Source, name: &str, bytes: Vec<u8>, label: String, records: Vec<Range<usize>>) -> Self {
        let healthy = read_all(source, name, &bytes).session;
        let mut sample = Self {
            label,
            source,
            name: name.to_owned(),
            bytes,
            records,
            healthy,
            needs: Vec::new(),
            names: Vec::new(),
        };
        sample.needs = sample.healthy.events.iter().map(|e| sample.mentions(e)).collect();
        if sample.source.name != "openai" {
            sample.add_dependencies();
        }
        sample
    }

    /// The record of a message; of a call every record that names it.
    fn mentions(&self, event: &Event) -> BTreeSet<usize> {
        let quoted = format!("\"{}\"", event.id);
        let has = |r: &Range<usize>, needle: &str| memchr::memmem::find(&self.bytes[r.clone()], needle.as_bytes());
        let records = self.records.iter().enumerate();
        if event.call().is_some() {
            return records.filter(|(_, r)| has(r, &event.id).is_some()).map(|(i, _)| i).collect();
        }
        // In sources other than these a message's id stands in other records, too.
        let by_id = matches!(self.source.name, "openai" | "opencode" | "gemini");
        let own =
            records.filter(|(_, r)| if by_id { has(r, &quoted).is_some() } else { r.start as u64 == event.offset });
        own.map(|(i, _)| i).collect()
    }

    /// Finds events that depend on another record: they change when it is left out.
    fn add_dependencies(&mut self) {
        for (i, record) in self.records.iter().enumerate() {
            let mut rest = self.bytes[..record.start].to_vec();
            rest.extend_from_slice(&self.bytes[record.end..]);
            let session = read_all(self.source, &self.name, &rest).session;
            let left = by_id(&session);
            for (event, needs) in self.healthy.events.iter().zip(&mut self.needs) {
                if left.get(event.id.as_str()).is_none_or(|found| *found != facts(event)) {
                    needs.insert(i);
                }
            }
        }
    }

    /// Applies edits that do not overlap; answers the new bytes and the records that were touched.
    pub fn apply(&self, mut edits: Vec<Edit>) -> (Vec<u8>, BTreeSet<usize>) {
        edits.sort_by_key(|e| e.at);
        let mut out = Vec::new();
        let mut touched = BTreeSet::new();
        let mut done = 0;
        for edit in edits {
            if edit.at < done || edit.at > self.bytes.len() {
                continue;
            }
            let end = edit.at.saturating_add(edit.remove).min(self.bytes.len());
            out.extend_from_slice(&self.bytes[done..edit.at]);
            out.extend_from_slice(&edit.insert);
            done = end;
            // Cut into, or split.
            let changes = |r: &Range<usize>| {
                (edit.at < r.end && end > r.start) || (edit.remove == 0 && edit.at > r.start && edit.at < r.end)
            };
            touched.extend(self.records.iter().enumerate().filter(|(_, r)| changes(r)).map(|(i, _)| i));
            touched.extend(self.names.iter().filter(|(name, _)| changes(name)).flat_map(|(_, named)| named.clone()));
        }
        out.extend_from_slice(&self.bytes[done..]);
        (out, touched)
    }

    /// The events of untouched records that are not in what was read, or not as they were.
    pub fn all_lost(&self, found: &Session, touched: &BTreeSet<usize>) -> Vec<(&Event, String)> {
        let found = by_id(found);
        let kept = self.healthy.events.iter().zip(&self.needs).filter(|(_, needs)| needs.is_disjoint(touched));
        let lost = kept.filter_map(|(event, needs)| {
            let expected = facts(event);
            let other = found.get(event.id.as_str());
            (other != Some(&expected)).then(|| {
                let id = &event.id;
                let of = format!("event {id} of untouched records {needs:?} (touched: {touched:?})");
                (event, format!("{of}\n  expected {expected:?}\n  found    {other:?}"))
            })
        });
        lost.collect()
    }

    /// The first of them.
    pub fn lost(&self, found: &Session, touched: &BTreeSet<usize>) -> Option<String> {
        self.all_lost(found, touched).into_iter().map(|(_, why)| why).next()
    }

    /// Reads in chunks of these sizes, again and again.
    pub fn in_chunks(&self, source: &Source, bytes: &[u8], sizes: &[usize]) -> Read {
        let mut reader = Reader::new(source, &self.name);
        let mut rest = bytes;
        for size in sizes.iter().cycle() {
            let (chunk, after) = rest.split_at(rest.len().min(*size));
            reader.feed(chunk);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        reader.finish()
    }
}

/// The lines that are not empty.
pub fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut records = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let len = line.strip_suffix(b"\n").unwrap_or(line).len();
        if len > 0 {
            records.push(start..start + len);
        }
        start += line.len();
    }
    records
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    info: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

struct Frame {
    records: Vec<Range<usize>>,
    names: Vec<(Range<usize>, Range<usize>)>,
}

/// Heads, messages and parts in a document, the smallest objects that say something by themselves; and the names that
/// say what they are.
fn frame(bytes: &[u8]) -> Frame {
    let place = |value: &RawValue| {
        let start = value.get().as_ptr() as usize - bytes.as_ptr() as usize;
        start..start + value.get().len()
    };
    let mut out = Frame { records: Vec::new(), names: Vec::new() };
    if let Ok(list) = serde_json::from_slice::<Vec<&RawValue>>(bytes) {
        out.records = list.into_iter().map(place).collect();
        return out;
    }
    let Ok(document) = serde_json::from_slice::<Document<'_>>(bytes) else { return out };
    out.records.extend(document.info.map(place));
    for message in &document.messages {
        let first = out.records.len();
        match serde_json::from_str::<Document<'_>>(message.get()) {
            Ok(inner) if inner.info.is_some() => {
                out.records.extend(inner.info.into_iter().chain(inner.parts).map(place));
                let named = first..out.records.len();
                out.names.extend(names(bytes, place(message), &out.records[first..]).map(|n| (n, named.clone())));
            }
            _ => out.records.push(place(message)),
        }
    }
    let messages: Vec<Range<usize>> = document.info.into_iter().chain(document.messages).map(place).collect();
    let all = 0..out.records.len();
    out.names.extend(names(bytes, 0..bytes.len(), &messages).map(|n| (n, all.clone())));
    out
}

/// Runs of bytes in a range that are neither in one of the inner ranges nor merely between things.
fn names(bytes: &[u8], within: Range<usize>, inner: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let belongs = |i: usize| !b" \r\n\t,[]{}".contains(&bytes[i]) && !inner.iter().any(|r| r.contains(&i));
    let inside: Vec<usize> = within.filter(|i| belongs(*i)).collect();
    inside.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1).collect::<Vec<_>>().into_iter()
}

/// What must be the same in two readings of one event.
pub type Facts = (&'static str, String, String, String);

/// Of an event.
pub fn facts(event: &Event) -> Facts {
    let call = event.call();
    let tool = call.map(|c| c.tool.clone()).unwrap_or_default();
    let input = call.map(|c| c.input.clone()).unwrap_or_default();
    (event.kind(), tool, input, call.map(|c| c.outcome.to_string()).unwrap_or_default())
}

/// Of a session.
pub fn by_id(session: &Session) -> BTreeMap<&str, Facts> {
    session.events.iter().map(|e| (e.id.as_str(), facts(e))).collect()
}

/// Bytes that gave nothing. Repaired records gave something.
pub fn skipped(read: &Read) -> u64 {
    read.problems.flaws.iter().filter(|(flaw, _)| **flaw != Flaw::Repaired).map(|(_, t)| t.bytes).sum()
}

/// Recorded transcripts under a folder, sorted.
pub fn recorded(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            out.extend(recorded(&path));
        } else if (name.ends_with(".jsonl") || name.ends_with(".json"))
            && name != "index.jsonl"
            && !name.ends_with(".meta.json")
        {
            out.push(path);
        }
    }
    out
}

/// Whether the file is one record a line.
pub fn is_lines(bytes: &[u8]) -> bool {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<&RawValue>(first).is_ok()
}
