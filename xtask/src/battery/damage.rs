//! `damage`: mutated transcripts of every source. Nothing panics or hangs, every record whose bytes are untouched is
//! recovered, and the bytes said to be skipped are exactly those that were. And damaged stores ([`store`]).

mod mutate;
mod nesting;
mod store;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use uptake_core::session::Session;
use uptake_core::sources::{Builder, Format, Read, RecordPlace, RecordVerdict, Source, recognise, source};
use uptake_store::foreign::opencode;
use uptake_testkit::damage::{Sample, is_lines, recorded, skipped};

use self::mutate::{Mutated, mutate};
use super::plants::synthetic;
use super::{Figure, Options, Rng, root, say, two_at_a_time};

/// Far more than any reading here needs.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longer samples make every reading long.
const LONGEST: usize = 160 * 1024;
/// Findings of each sort that are told and kept.
const TOLD: usize = 3;

/// What is damaged: a form of a source's transcripts.
struct Material {
    name: &'static str,
    samples: Vec<Sample>,
}

#[derive(Default)]
struct Found {
    name: &'static str,
    mutations: usize,
    panics: usize,
    slow: usize,
    lost: usize,
    inexact: usize,
    chunked: usize,
    told: Vec<String>,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let materials = materials(options.seed)?;
    // A panic that is caught is counted; its words would only be in the way.
    std::panic::set_hook(Box::new(|_| {}));
    let found = two_at_a_time(&materials, |material| {
        let found = damage(material, options);
        say(&format!(
            "damage: {}: {} mutations of {} transcripts",
            found.name,
            found.mutations,
            material.samples.len()
        ));
        Ok(found)
    });
    let _ = std::panic::take_hook();
    let found = found?;
    found.iter().flat_map(|f| &f.told).for_each(|told| say(&format!("damage: {told}")));
    let mut figures = figures(&found, options.mutations);
    figures.extend(store::figures(options)?);
    Ok(figures)
}

fn figures(found: &[Found], wanted: usize) -> Vec<Figure> {
    let each = |count: fn(&Found) -> usize| {
        let parts: Vec<String> =
            found.iter().filter(|f| count(f) > 0).map(|f| format!("{} {}", f.name, count(f))).collect();
        (found.iter().map(count).sum::<usize>(), parts.join(", "))
    };
    let names: Vec<&str> = found.iter().map(|f| f.name).collect();
    let mut out = vec![
        Figure::new(format!("mutated transcripts, each of: {}", names.join(", ")), wanted)
            .bar("≥ 10,000", found.iter().all(|f| f.mutations >= 10_000.min(wanted)) && wanted >= 10_000),
    ];
    for (what, count) in [
        ("panics", (|f: &Found| f.panics) as fn(&Found) -> usize),
        ("readings that hang", |f| f.slow),
        ("readings that lose an untouched record", |f| f.lost),
        ("readings whose skipped bytes are not exact", |f| f.inexact),
        ("readings that differ in chunks", |f| f.chunked),
    ] {
        let (sum, parts) = each(count);
        out.push(Figure::none(what, sum).why(parts));
    }
    out
}

/// All forms: recorded where there are recordings, and always some made here.
fn materials(seed: u64) -> Result<Vec<Material>> {
    let mut by_form: BTreeMap<&'static str, Vec<Sample>> = BTreeMap::new();
    let mut add = |label: String, name: &str, bytes: Vec<u8>, source: &'static Source| {
        if bytes.len() > LONGEST {
            return;
        }
        let (form, sample) = match (source.name, is_lines(&bytes)) {
            ("opencode", false) => ("opencode export", Sample::of_document(source, name, bytes, label)),
            ("gemini", false) => ("gemini document", Sample::of_document(source, name, bytes, label)),
            ("opencode", true) => ("opencode rows", Sample::of_lines(source, name, bytes, label)),
            ("gemini", true) => ("gemini lines", Sample::of_lines(source, name, bytes, label)),
            ("openai", _) if bytes.starts_with(b"[") => ("openai", Sample::of_document(source, name, bytes, label)),
            (other, _) => (other, Sample::of_lines(source, name, bytes, label)),
        };
        // Without anything to recover a sample proves nothing.
        if !sample.healthy.events.is_empty() {
            by_form.entry(form).or_default().push(sample);
        }
    };
    let fixtures = root().join("fixtures");
    for path in [recorded(&fixtures.join("recorded")), recorded(&fixtures.join("hooks"))].concat() {
        let bytes = std::fs::read(&path)?;
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(source) = recognise(&bytes) {
            add(path.display().to_string(), &name, bytes, source);
        }
    }
    for (label, bytes) in rows()? {
        add(label, "rows", bytes, source("opencode").context("no source `opencode`")?);
    }
    for (n, (name, bytes)) in synthetic(seed).into_iter().enumerate() {
        add(format!("made {n} ({name})"), "made", bytes, source(name).context("no such source")?);
    }
    let materials: Vec<Material> = by_form.into_iter().map(|(name, samples)| Material { name, samples }).collect();
    ensure!(materials.len() == 7, "seven forms of transcripts, not {}", materials.len());
    Ok(materials)
}

/// The sessions of the recorded databases, as the reader is given them.
fn rows() -> Result<Vec<(String, Vec<u8>)>> {
    let mut out = Vec::new();
    let databases = super::world::files(&root().join("fixtures/recorded"));
    for path in databases.iter().filter(|p| p.extension().is_some_and(|e| e == "db")) {
        for session in opencode::sessions(path)?.into_iter().flatten() {
            let mut bytes = Vec::new();
            opencode::read_session(path, &session.id, |line| bytes.extend_from_slice(line))?;
            out.push((format!("{}#{}", path.display(), session.id), bytes));
        }
    }
    Ok(out)
}

thread_local! {
    /// Where the records stood that were taken in this reading.
    static TAKEN: RefCell<Vec<RecordPlace>> = const { RefCell::new(Vec::new()) };
    /// The reader that stands behind the one that listens.
    static BEHIND: RefCell<Option<&'static Source>> = const { RefCell::new(None) };
}

/// Notes which records are taken.
struct Listening(Box<dyn Format>);

impl Format for Listening {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        let verdict = self.0.record(bytes, place, session);
        if verdict == RecordVerdict::Taken {
            TAKEN.with_borrow_mut(|taken| taken.push(place));
        }
        verdict
    }

    fn resume(&mut self, session: &Session) {
        self.0.resume(session);
    }
}

/// Nothing is taken by a source that does not exist.
struct Nothing;

impl Format for Nothing {
    fn record(&mut self, _: &[u8], _: RecordPlace, _: &mut Builder) -> RecordVerdict {
        RecordVerdict::Foreign
    }
}

fn listening() -> Box<dyn Format> {
    let inner = BEHIND.with_borrow(|source| source.map(|s| (s.format)()));
    Box::new(Listening(inner.unwrap_or_else(|| Box::new(Nothing))))
}

fn damage(material: &Material, options: &Options) -> Found {
    let mut rng = Rng::new(options.seed, &format!("damage {}", material.name));
    let mut found = Found { name: material.name, ..Found::default() };
    for n in 0..options.mutations {
        let mutated = mutate(&material.samples, &mut rng);
        found.mutations += 1;
        let sizes: Vec<usize> =
            (0..1 + rng.below(4)).map(|_| 1 + rng.below(*rng.clone().pick(&[40, 3_000, 300_000]))).collect();
        one(&mutated, &sizes, n, &mut found);
    }
    found
}

/// One reading and all that must hold of it.
fn one(mutated: &Mutated<'_>, sizes: &[usize], n: usize, found: &mut Found) {
    let sample = mutated.sample;
    BEHIND.set(Some(sample.source));
    TAKEN.take();
    let heard = Source { format: listening, ..*sample.source };
    let start = Instant::now();
    let read = catch_unwind(AssertUnwindSafe(|| sample.in_chunks(&heard, &mutated.bytes, sizes)));
    let took = start.elapsed();
    let taken = TAKEN.take();
    let Ok(read) = read else {
        found.panics += 1;
        return tell(found, found.panics, "panic", mutated, n, "");
    };
    if took > PATIENCE {
        found.slow += 1;
        tell(found, found.slow, "hang", mutated, n, &format!("{took:?}"));
    }
    if let Some(lost) = mutated.lost(&read.session) {
        found.lost += 1;
        tell(found, found.lost, "lost", mutated, n, &lost);
    }
    if let Some(why) = inexact(&mutated.bytes, &taken, &read) {
        found.inexact += 1;
        tell(found, found.inexact, "inexact", mutated, n, &why);
    }
    if n.is_multiple_of(10) {
        let whole = uptake_core::sources::read_all(sample.source, &sample.name, &mutated.bytes);
        if whole.session != read.session || whole.problems != read.problems {
            found.chunked += 1;
            tell(found, found.chunked, "chunks", mutated, n, &format!("{sizes:?}"));
        }
    }
}

/// Keeps the input and says what is wrong with it.
fn tell(found: &mut Found, count: usize, what: &str, mutated: &Mutated<'_>, n: usize, why: &str) {
    if count > TOLD {
        return;
    }
    let kept = kept(&format!("{}-{what}-{n}", found.name.replace(' ', "-")), &mutated.bytes);
    found.told.push(format!("{}: {what}: {} of {} ({kept}) {why}", found.name, mutated.what, mutated.sample.label));
}

fn kept(name: &str, bytes: &[u8]) -> String {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let path = target.join("battery/damage").join(name);
    let written = path.parent().map(std::fs::create_dir_all).and_then(|_| std::fs::write(&path, bytes).ok());
    if written.is_some() { path.display().to_string() } else { "not kept".to_owned() }
}

/// How the bytes that are said to be skipped differ from those that were: see `docs/battery.md`.
fn inexact(bytes: &[u8], taken: &[RecordPlace], read: &Read) -> Option<String> {
    let said = skipped(read);
    let expected = left_out(bytes, taken);
    (said != expected).then(|| format!("{said} bytes said, {expected} bytes skipped: {:?}", read.problems.flaws))
}

/// In each line the bytes that are in no taken record, without what only separates or pads.
fn left_out(bytes: &[u8], taken: &[RecordPlace]) -> u64 {
    let mut in_record = vec![false; bytes.len()];
    for place in taken {
        let start = (place.offset as usize).min(bytes.len());
        let end = (place.offset.saturating_add(place.len) as usize).min(bytes.len());
        in_record[start..end].fill(true);
    }
    let mut sum = 0;
    let mut at = 0;
    for line in bytes.split(|b| *b == b'\n') {
        let mut start = at;
        while start < at + line.len() {
            let end = (start..at + line.len()).find(|i| in_record[*i]).unwrap_or(at + line.len());
            let run = trim(&bytes[start..end]);
            if !run.iter().all(|b| b.is_ascii_whitespace() || b",[]\0".contains(b)) {
                sum += run.len() as u64;
            }
            start = (end..at + line.len()).find(|i| !in_record[*i]).unwrap_or(at + line.len());
        }
        at += line.len() + 1;
    }
    sum
}

/// White space, NULs and byte-order marks off both ends.
fn trim(mut bytes: &[u8]) -> &[u8] {
    let pads = |b: u8| b.is_ascii_whitespace() || b == 0;
    loop {
        bytes = match bytes {
            [b'\xEF', b'\xBB', b'\xBF', rest @ ..] => rest,
            [first, rest @ ..] if pads(*first) => rest,
            [rest @ .., last] if pads(*last) => rest,
            _ => return bytes,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_records_are_not_left_out() {
        let place = |offset: u64, len: u64| RecordPlace { offset, len };
        let text = b"{\"a\":1},{\"b\":2}\r\n\0\0junk here \0\n[\n]\n{\"c\"";
        assert_eq!(left_out(text, &[place(0, 7), place(8, 7)]), 9 + 4);
        assert_eq!(left_out(text, &[place(0, 7)]), 8 + 9 + 4, "a comma and a record");
        assert_eq!(left_out(b" \xEF\xBB\xBF\n\n,[", &[]), 0);
    }
}
