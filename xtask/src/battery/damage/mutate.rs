//! Ways to damage a transcript, drawn by chance.

use std::collections::BTreeSet;

use uptake_core::session::Session;
use uptake_core::sources::Shape;
use uptake_testkit::damage::{Edit, Sample, lines};

use super::nesting::stands_as_before;
use crate::battery::Rng;

/// A damaged transcript.
pub struct Mutated<'s> {
    /// What it was.
    pub sample: &'s Sample,
    /// What was done to it.
    pub what: &'static str,
    /// What it is now.
    pub bytes: Vec<u8>,
    /// Records that are no longer as they were.
    touched: BTreeSet<usize>,
    /// The end of another transcript, from a byte on, that was put behind it.
    other: Option<(&'s Sample, usize)>,
}

impl Mutated<'_> {
    /// The first event of untouched records that is not as it was.
    pub fn lost(&self, session: &Session) -> Option<String> {
        let open = self.open_end();
        let first = |sample: &Sample, touched: &BTreeSet<usize>| {
            let lost = sample.all_lost(session, touched);
            let excused = |id: &str| {
                memchr::memmem::find(open, id.as_bytes()).is_some() || !stands_as_before(id, &sample.bytes, &self.bytes)
            };
            lost.into_iter().find(|(e, _)| !excused(&e.id)).map(|(_, why)| why)
        };
        let Some((other, from)) = self.other else { return first(self.sample, &self.touched) };
        let mut cut: BTreeSet<usize> =
            other.records.iter().enumerate().filter(|(_, r)| r.start < from).map(|(n, _)| n).collect();
        let cut_names = other.names.iter().filter(|(name, _)| name.start < from);
        cut.extend(cut_names.flat_map(|(_, named)| named.clone()));
        if other.label == self.sample.label {
            // Spliced with itself: what is missing from one half may be whole in the other.
            return first(self.sample, &cut.union(&self.touched).copied().collect());
        }
        first(self.sample, &self.touched).or_else(|| first(other, &cut))
    }

    /// A last line that is the start of an object: it may be a record that is still being written, with anything in it.
    fn open_end(&self) -> &[u8] {
        let last = self.bytes.rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let is_open = serde_json::from_slice::<serde_json::Value>(last).is_err_and(|e| e.is_eof());
        if self.sample.source.shape == Shape::Lines && last.starts_with(b"{") && is_open { last } else { &[] }
    }
}

type Mutation = (&'static str, fn(&Sample, &mut Rng) -> Vec<Edit>);

const MUTATIONS: &[Mutation] = &[
    ("end cut off", |s, rng| vec![edit(rng.below(s.bytes.len() + 1), usize::MAX / 2, "")]),
    ("start cut off", |s, rng| vec![edit(0, rng.below(s.bytes.len() + 1), "")]),
    ("two records on one line", |s, rng| vec![edit(*rng.pick(&newlines(s)), 1, "")]),
    ("lost newlines", lost_newlines),
    ("all newlines lost", |s, _| newlines(s).into_iter().map(|at| edit(at, 1, "")).collect()),
    ("NULs", nuls),
    ("a record in UTF-16", utf16_record),
    ("byte-order marks", |s, rng| (0..1 + rng.below(3)).map(|_| edit(boundary(s, rng), 0, "\u{feff}")).collect()),
    ("CRLF", |s, _| newlines(s).into_iter().map(|at| edit(at, 0, "\r")).collect()),
    ("bytes that are no UTF-8", no_text),
    ("half characters", |s, rng| inside(s, rng, &["\\ud83d", "\\uDE00", "\\uD800\\uD800"])),
    ("keys twice", |s, rng| field(s, rng, &["\"type\":\"x\"", "\"id\":null", "\"role\":7", "\"message\":{}"])),
    ("deep nesting", deep),
    ("no numbers", |s, rng| field(s, rng, &["\"zz\":NaN", "\"zz\":-Infinity", "\"zz\":01", "\"zz\":+1", "\"zz\":.5"])),
    ("huge numbers", |s, rng| field(s, rng, &["\"zz\":9223372036854775808", "\"zz\":1e400", "\"zz\":-1E+999"])),
    ("changed bytes", changed),
    ("junk between records", |s, rng| vec![Edit { at: boundary(s, rng), remove: 0, insert: junk(rng, 1, 40) }]),
    ("cuts and junk", cuts),
];

/// Draws a sample and a way to damage it.
pub fn mutate<'s>(samples: &'s [Sample], rng: &mut Rng) -> Mutated<'s> {
    let sample = rng.pick(samples);
    match rng.below(MUTATIONS.len() + 4) {
        0 => splice(sample, samples, rng),
        1 => pretty(sample, rng),
        2 => utf16_file(sample, rng),
        3 if rng.once_in(40) => long_line(sample, rng),
        n => {
            let (what, edits) = MUTATIONS[n % MUTATIONS.len()];
            let (bytes, touched) = sample.apply(edits(sample, rng));
            Mutated { sample, what, bytes, touched, other: None }
        }
    }
}

fn edit(at: usize, remove: usize, insert: &str) -> Edit {
    Edit { at, remove, insert: insert.as_bytes().to_vec() }
}

/// Where lines end; the end of the file, if none does.
fn newlines(sample: &Sample) -> Vec<usize> {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &sample.bytes).collect();
    if ends.is_empty() { vec![sample.bytes.len()] } else { ends }
}

/// The start or the end of a record.
fn boundary(sample: &Sample, rng: &mut Rng) -> usize {
    let record = rng.pick(&sample.records);
    if rng.once_in(2) { record.start } else { record.end }
}

fn lost_newlines(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    let ends = newlines(sample);
    (0..2 + rng.below(4)).map(|_| edit(*rng.pick(&ends), 1, "")).collect()
}

fn nuls(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    let at = if rng.once_in(3) { rng.below(sample.bytes.len() + 1) } else { boundary(sample, rng) };
    let remove = if rng.once_in(4) { rng.below(4_000) } else { 0 };
    vec![Edit { at, remove, insert: vec![0; 1 + rng.below(4_096)] }]
}

fn utf16(text: &[u8], big: bool) -> Vec<u8> {
    let units: Vec<u16> = String::from_utf8_lossy(text).encode_utf16().collect();
    units.iter().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
}

fn utf16_record(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    let record = rng.pick(&sample.records).clone();
    let insert = utf16(&sample.bytes[record.clone()], rng.once_in(2));
    vec![Edit { at: record.start, remove: record.len(), insert }]
}

fn no_text(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    const JUNK: &[&[u8]] = &[b"\xFF", b"\xC3", b"\xED\xA0\xBD", b"\xF0\x9F\x98", b"\xFE\xFF", b"\x80\x80\x80"];
    (0..1 + rng.below(3))
        .map(|_| {
            let at = if rng.once_in(4) { boundary(sample, rng) } else { rng.below(sample.bytes.len() + 1) };
            Edit { at, remove: rng.below(2), insert: rng.pick(JUNK).to_vec() }
        })
        .collect()
}

/// Behind the first quotation mark of some place in a record.
fn inside(sample: &Sample, rng: &mut Rng, list: &[&str]) -> Vec<Edit> {
    let record = rng.pick(&sample.records).clone();
    let from = record.start + rng.below(record.len());
    let at = memchr::memchr(b'"', &sample.bytes[from..record.end]).map_or(from, |quote| from + quote + 1);
    vec![edit(at, 0, rng.pick::<&str>(list))]
}

/// A field more at the start of a record.
fn field(sample: &Sample, rng: &mut Rng, list: &[&str]) -> Vec<Edit> {
    let record = rng.pick(&sample.records).clone();
    vec![edit(record.start + 1, 0, &format!("{},", rng.pick(list)))]
}

fn deep(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    let depth = *rng.pick(&[100, 1_000, 10_000]);
    let (open, close) = *rng.pick(&[("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]"), ("[", "")]);
    let record = rng.pick(&sample.records).clone();
    vec![edit(record.start + 1, 0, &format!("\"zz\":{}1{},", open.repeat(depth), close.repeat(depth)))]
}

fn junk(rng: &mut Rng, least: usize, most: usize) -> Vec<u8> {
    const TELLING: &[u8] = b"{}[],:\"\\\n\r\0 \xEF\xBB\xFF\xC3\xF0ux019-";
    let count = least + rng.below(most - least + 1);
    (0..count).map(|_| if rng.once_in(3) { rng.below(256) as u8 } else { *rng.pick(TELLING) }).collect()
}

fn changed(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    (0..1 + rng.below(12))
        .map(|_| Edit { at: rng.below(sample.bytes.len()), remove: 1, insert: junk(rng, 1, 1) })
        .collect()
}

fn cuts(sample: &Sample, rng: &mut Rng) -> Vec<Edit> {
    (0..1 + rng.below(4))
        .map(|_| {
            let remove = rng.below(*rng.clone().pick(&[3, 300, 6_000]));
            Edit { at: rng.below(sample.bytes.len() + 1), remove, insert: junk(rng, 0, 6) }
        })
        .collect()
}

/// The start of one transcript and the end of another.
fn splice<'s>(sample: &'s Sample, samples: &'s [Sample], rng: &mut Rng) -> Mutated<'s> {
    let other = rng.pick(samples);
    let (to, from) = (rng.below(sample.bytes.len() + 1), rng.below(other.bytes.len() + 1));
    let touched = sample.records.iter().enumerate().filter(|(_, r)| r.end > to).map(|(n, _)| n).collect();
    let bytes = [&sample.bytes[..to], &other.bytes[from..]].concat();
    Mutated { sample, what: "two transcripts in one", bytes, touched, other: Some((other, from)) }
}

/// Some lines printed over several.
fn pretty<'s>(sample: &'s Sample, rng: &mut Rng) -> Mutated<'s> {
    let all = rng.once_in(3);
    let mut bytes = Vec::new();
    for line in lines(&sample.bytes) {
        let line = &sample.bytes[line];
        let value: Option<serde_json::Value> = serde_json::from_slice(line).ok().filter(|_| all || rng.once_in(4));
        match value.and_then(|v| serde_json::to_vec_pretty(&v).ok()) {
            Some(text) => bytes.extend_from_slice(&text),
            None => bytes.extend_from_slice(line),
        }
        bytes.push(b'\n');
    }
    Mutated { sample, what: "records printed over several lines", bytes, touched: BTreeSet::new(), other: None }
}

fn all(sample: &Sample) -> BTreeSet<usize> {
    (0..sample.records.len()).collect()
}

fn utf16_file<'s>(sample: &'s Sample, rng: &mut Rng) -> Mutated<'s> {
    let mut bytes = if rng.once_in(2) { b"\xFF\xFE".to_vec() } else { Vec::new() };
    bytes.extend(utf16(&sample.bytes, rng.once_in(3)));
    Mutated { sample, what: "the file in UTF-16", bytes, touched: all(sample), other: None }
}

/// A text so long that its line is shortened while it streams by, whole or broken.
fn long_line<'s>(sample: &'s Sample, rng: &mut Rng) -> Mutated<'s> {
    let record = rng.pick(&sample.records).clone();
    let filler = rng.pick(&["lorem ipsum ", "\\\"x\\\" ", "}{", "é"]).repeat(180_000);
    let end = if rng.once_in(2) { "\"," } else { "" };
    let (bytes, touched) = sample.apply(vec![edit(record.start + 1, 0, &format!("\"zz\":\"{filler}{end}"))]);
    Mutated { sample, what: "a very long line", bytes, touched, other: None }
}
