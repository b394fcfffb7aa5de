//! Reads many transcripts, several at a time, and hands the sessions on in a stable order.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use rayon::prelude::*;
use uptake_core::roots::Roots;
use uptake_core::session::Session;
use uptake_core::sources::{Problems, Read, SOURCES};

use crate::known_secrets::KnownSecrets;
use crate::project::Cache;
use crate::transcripts::{self, Found, ReadOutcome, Transcript, Unreadable};
use crate::ui::{self, Ui};

/// How many files that are no transcripts are named.
const NAMED: usize = 3;

/// What was met on the way.
#[derive(Default)]
pub struct Report {
    /// Transcripts read.
    pub read: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// How many files are no transcript we know.
    pub unknown: usize,
    /// The first of them.
    named: Vec<PathBuf>,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What was damaged in those that were.
    pub problems: Problems,
    /// Events in the middle of endless sessions that were left out.
    pub left_out: u64,
}

impl Report {
    /// Two told as one.
    pub fn add(&mut self, other: Self) {
        self.read += other.read;
        self.bytes += other.bytes;
        self.unknown += other.unknown;
        self.named.extend(other.named);
        self.named.truncate(NAMED);
        self.unreadable.extend(other.unreadable);
        self.problems.add(&other.problems);
        self.left_out += other.left_out;
    }
}

/// A transcript that was read.
pub struct ReadTranscript<'t> {
    /// The file.
    pub transcript: &'t Transcript,
    /// Its session, with its root settled.
    pub read: Read,
}

/// Reads all transcripts found, in order.
pub fn for_each<E>(
    found: &Found,
    known: &KnownSecrets,
    mut each: impl FnMut(ReadTranscript<'_>) -> Result<(), E>,
) -> Result<Report, E> {
    let mut report = Report::of(found);
    let mut roots = Roots::default();
    let mut tops = Cache::default();
    let total = found.transcripts.iter().map(|t| t.size).sum();
    let bar = Ui::bytes_bar_beside_output(total, "reading");
    let all: Vec<&Transcript> = found.transcripts.iter().collect();
    for batch in transcripts::batches(&all) {
        let results: Vec<std::io::Result<ReadOutcome>> = batch
            .par_iter()
            .map(|t| {
                let result = t.read(None, known);
                bar.inc(t.size);
                result
            })
            .collect();
        for (transcript, result) in batch.iter().zip(results) {
            match result {
                Ok(ReadOutcome::Read(read, _)) => {
                    let mut read = *read;
                    report.read += 1;
                    report.bytes += if transcript.size > 0 { transcript.size } else { read.resume_at };
                    report.problems.add(&read.problems);
                    report.left_out += read.left_out;
                    roots.settle(&mut read.session);
                    tops.give_top(&mut read.session);
                    each(ReadTranscript { transcript, read })?;
                }
                Ok(ReadOutcome::Unknown) => report.unknown(transcript.path()),
                Err(e) => report.unreadable.push(Unreadable { path: transcript.path(), why: e.to_string() }),
            }
        }
    }
    bar.finish_and_clear();
    Ok(report)
}

/// Reads the sessions of files given by hand, compact and without secrets, as `learn` has them.
pub fn for_each_compact(
    paths: &[PathBuf],
    mut each: impl FnMut(Session) -> anyhow::Result<()>,
) -> anyhow::Result<Report> {
    let known = KnownSecrets::from_env();
    for_each(&transcripts::find(paths), &known, |item| {
        let mut session = item.read.session;
        let redactor = known.redactor(session.cwd.as_deref());
        session.settle_from(0, |text| redactor.clean_up(text));
        each(session)
    })
}

impl Report {
    /// One to begin with: what could not be found.
    pub fn of(found: &Found) -> Self {
        Self { unreadable: found.unreadable.clone(), ..Self::default() }
    }

    /// Notes a file that is no transcript we know.
    pub fn unknown(&mut self, path: PathBuf) {
        self.unknown += 1;
        if self.named.len() < NAMED {
            self.named.push(path);
        }
    }

    /// Tells the person what was not read. That nothing was is an error.
    pub fn finish(&self) -> anyhow::Result<()> {
        if self.read == 0 && self.unreadable.is_empty() {
            bail!("no transcript could be read: {}", self.nothing_known());
        }
        self.lines().iter().for_each(Ui::note);
        ensure!(self.read > 0, "no transcript could be read");
        Ok(())
    }

    /// Why what was given is no transcript, and what would be one.
    fn nothing_known(&self) -> String {
        let titles: Vec<&str> = SOURCES.iter().map(|s| s.title).collect();
        let expected = titles.split_last().map(|(last, first)| format!("{} or {last}", first.join(", ")));
        let expected = expected.unwrap_or_default();
        let named: Vec<String> = self.named.iter().map(|p| format!("`{}`", p.display())).collect();
        match self.unknown {
            0 => format!("there is no session of {expected} in what was given"),
            1 => format!("{} is no session of {expected}", named[0]),
            n if n > NAMED => {
                format!("{} and {} more files are no sessions of {expected}", named.join(", "), n - NAMED)
            }
            _ => format!("{} are no sessions of {expected}", named.join(", ")),
        }
    }

    /// One clear line per kind of trouble, for the person.
    pub fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(first) = self.unreadable.first() {
            out.push(format!(
                "cannot read {}: `{}`: {}",
                ui::count(self.unreadable.len() as u64, "file"),
                first.path.display(),
                first.why
            ));
        }
        if let Some(first) = self.named.first() {
            out.push(format!(
                "passed over {} of no known format, such as `{}`",
                ui::count(self.unknown as u64, "file"),
                first.display()
            ));
        }
        if self.left_out > 0 {
            out.push(format!("left out of the middle of very long sessions: {}", ui::count(self.left_out, "event")));
        }
        for (flaw, tally) in &self.problems.flaws {
            out.push(format!("{}: {} ({})", flaw.describe(), tally.count, ui::size(tally.bytes)));
        }
        out
    }
}
