//! Transcripts → stores: reads only what is new, redacts, detects, and has it folded.
//!
//! Comes in: transcripts that were found. Goes out: sessions, observations and lessons in the stores, and a report.
//! Observations are written before the cursor moves: a kill in between costs a second reading, never an observation.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use anyhow::Result;
use indicatif::ProgressBar;
use rayon::prelude::*;
use uptake_core::detect::{self, Observation};
use uptake_core::measure::citations;
use uptake_core::roots::Roots;
use uptake_core::session::{Event, Session};
use uptake_core::sources::Read;
use uptake_store::{Artifact, Cursor, Kept, Lessons, SeenIn};

use crate::folding::{Tombstones, fold_changed};
use crate::known_secrets::KnownSecrets;
use crate::pipeline::Report;
use crate::project::{self, Cache};
use crate::redetect;
use crate::regroup::{self, Join, Regrouped};
use crate::repo_settings;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::transcripts::{self, Earlier, Found, ReadOutcome, Transcript, Unreadable};
use crate::ui::Ui;
use crate::world::World;

/// Events of a new session that are looked up to find its root.
const ROOT_LOOKUPS: usize = 24;

/// What a run did.
pub struct Ingested {
    /// Trouble, and how much was read.
    pub report: Report,
    /// Transcripts that were there.
    pub transcripts: usize,
    /// Projects that have anything new.
    pub changed: BTreeSet<String>,
    /// Sessions that newer detectors looked at again.
    pub again: usize,
    /// Projects that turned out to be one with another.
    pub joins: Vec<Join>,
}

impl Ingested {
    /// Two runs told as one.
    pub fn and(mut self, later: Self) -> Self {
        self.report.add(later.report);
        self.transcripts += later.transcripts;
        self.changed.extend(later.changed);
        self.again += later.again;
        self
    }
}

/// A transcript that has something new.
struct Pending<'t> {
    transcript: &'t Transcript,
    path: String,
    earlier: Option<Earlier>,
}

/// The same, after it was read.
type ReadPending<'t> = (Pending<'t>, std::io::Result<ReadOutcome>);

/// How transcripts are read. Raised when the same bytes give more or other events than before: then all that are still
/// there are read again, once. Of those that are gone, what was read of them stays.
const READING: &str = "4";

/// Has all transcripts read again that were read in another way.
fn read_again_what_an_older_release_read(stores: &mut Stores) -> Result<()> {
    if stores.lessons.noted("reading")?.is_none_or(|reading| reading != READING) {
        stores.sessions.read_all_again()?;
        stores.lessons.renote("reading", READING)?;
    }
    Ok(())
}

/// Reads what is new and folds it.
pub fn ingest(found: &Found, stores: &mut Stores, world: &World, settings: &Settings) -> Result<Ingested> {
    let data = &world.data;
    let left_alone = serde_json::to_string(&(settings.enabled, &settings.exclude))?;
    if stores.lessons.renote("left alone", &left_alone)? {
        stores.sessions.look_again()?;
    }
    read_again_what_an_older_release_read(stores)?;
    let looked_at = stores.sessions.looked_at()?;
    let known = !looked_at.is_empty();
    let as_it_was = |t: &Transcript| looked_at.has(&t.path().to_string_lossy(), t.size, t.modified);
    let changed: Vec<&Transcript> = found.transcripts.iter().filter(|t| !as_it_was(t)).collect();
    let mut run = Run {
        report: Report::of(found),
        roots: Roots::default(),
        cache: Cache::knowing(data, &world.home, &stores.lessons)?,
        changed: BTreeSet::new(),
        known,
        tombstones: Tombstones::of(&stores.lessons, data)?,
        aliases: stores.lessons.aliases()?,
        settings,
        home: &world.home,
        detectors: detect::version(),
    };
    if known && !changed.is_empty() {
        run.cache.count_on_tops(stores.sessions.tops()?);
    }
    let bar = Ui::bytes_bar(changed.iter().map(|t| t.size).sum(), "reading");
    let known = KnownSecrets::from_env();
    run.keep_all(&transcripts::batches(&changed), stores, |batch| {
        batch.into_par_iter().map(|p| read_one(p, &known, &bar)).collect()
    })?;
    bar.finish_and_clear();
    let Regrouped { moved, joins } = regroup::regroup(stores, &mut run.cache, run.report.read > 0)?;
    let again = redetect::detect_again(stores, &mut run.cache, &run.tombstones, world, settings)?;
    fold_changed(&mut stores.lessons, &run.tombstones, world, settings)?;
    run.changed.retain(|p| !moved.iter().any(|m| m.from == *p));
    run.changed.extend(moved.into_iter().map(|m| m.to));
    Ok(Ingested { report: run.report, transcripts: found.transcripts.len(), changed: run.changed, again, joins })
}

fn pending<'t>(t: &'t Transcript, known: bool, stores: &Stores) -> Result<Pending<'t>> {
    let path = t.path().to_string_lossy().into_owned();
    let cursor = if known { stores.sessions.cursor_of(&path)? } else { None };
    // Only a file that grew can be read on; anything else was rewritten.
    let grown = cursor.filter(|c| t.size > c.size && c.resume_at > 0);
    let earlier = match grown {
        Some(cursor) => stores.sessions.session_of(&path)?.map(|session| Earlier {
            session,
            offset: cursor.resume_at,
            print: cursor.print,
        }),
        None => None,
    };
    Ok(Pending { transcript: t, path, earlier })
}

/// The cursor of a file that is read from its start when it changes.
fn untouched(t: &Transcript) -> Cursor {
    Cursor { size: t.size, modified: t.modified, resume_at: 0, print: String::new() }
}

fn read_one<'t>(mut p: Pending<'t>, known: &KnownSecrets, bar: &ProgressBar) -> ReadPending<'t> {
    let result = p.transcript.read(p.earlier.take(), known).map(|outcome| prepared(outcome, known));
    bar.inc(p.transcript.size);
    (p, result)
}

/// Compact and without secrets: nothing else may reach a store.
fn prepared(outcome: ReadOutcome, known: &KnownSecrets) -> ReadOutcome {
    match outcome {
        ReadOutcome::Read(mut read, print) => {
            let redactor = known.redactor(read.session.cwd.as_deref());
            read.session.settle_from(read.first_changed, |text| redactor.clean_up(text));
            ReadOutcome::Read(read, print)
        }
        other => other,
    }
}

struct Run<'r> {
    report: Report,
    roots: Roots,
    cache: Cache,
    changed: BTreeSet<String>,
    known: bool,
    tombstones: Tombstones,
    aliases: HashMap<String, String>,
    settings: &'r Settings,
    home: &'r Path,
    detectors: String,
}

/// What a few files gave.
#[derive(Default)]
struct Batch {
    sessions: Vec<ToKeep>,
    /// Files without anything for us.
    passed_over: Vec<(String, Cursor)>,
}

impl Batch {
    /// Only after roots are settled: the id of an observation depends on the root of its session.
    fn detect(&mut self, tombstones: &Tombstones) {
        self.sessions.par_iter_mut().for_each(|one| one.detect(tombstones));
    }
}

/// A session that may be kept, and what was seen in it.
struct ToKeep {
    path: String,
    cursor: Cursor,
    project: String,
    read: Read,
    observations: Vec<Observation>,
}

impl ToKeep {
    fn detect(&mut self, tombstones: &Tombstones) {
        self.observations = detect::detect(&self.read.session);
        // The texts of what was forgotten must not be kept either.
        let gone = tombstones.leave_out(&mut self.observations);
        self.read.session.events.iter_mut().filter(|e| gone.contains(&e.id)).for_each(Event::blank);
    }

    /// Counts the entries of the project's knowledge that were named in it.
    fn keep_citations(&self, lessons: &mut Lessons) -> Result<()> {
        let session = &self.read.session;
        let cited = citations::cited(session);
        if cited.is_empty() {
            return Ok(());
        }
        let at = session.events.iter().filter_map(|e| e.at).max();
        let entries: Vec<String> = cited.iter().map(|id| Artifact::part(&self.project, id)).collect();
        Ok(lessons.keep_citations(&entries, &session.root, at)?)
    }

    fn seen(&self) -> SeenIn<'_> {
        let Session { source, id, .. } = &self.read.session;
        let (path, project) = (&self.path, &self.project);
        SeenIn { source: source.as_str(), session: id, path, project, observations: &self.observations }
    }

    fn kept<'k>(&'k self, detectors: &'k str) -> Kept<'k> {
        Kept {
            path: &self.path,
            cursor: self.cursor.clone(),
            project: &self.project,
            session: &self.read.session,
            first_changed: self.read.first_changed,
            detectors,
        }
    }
}

impl Run<'_> {
    /// Reads all batches and keeps what is in them. While one batch is written, the next is looked through and the one
    /// after it read: writing is the work of one thread, and the others must not wait for it. Batches are settled and
    /// written in their order.
    fn keep_all<'t>(
        &mut self,
        batches: &[&[&'t Transcript]],
        stores: &mut Stores,
        read: impl Fn(Vec<Pending<'t>>) -> Vec<ReadPending<'t>> + Sync,
    ) -> Result<()> {
        let mut waiting = Batch::default();
        let mut now = Vec::new();
        let mut alone = true;
        for next in batches.iter().map(Some).chain([None]) {
            let mut batch = self.settle(std::mem::take(&mut now), stores)?;
            let next_is_large = next.is_some_and(|files| transcripts::is_large(files));
            let files = next.into_iter().copied().flatten();
            let files = files.map(|t| pending(t, self.known, stores)).collect::<Result<Vec<Pending<'t>>>>()?;
            if alone || next_is_large {
                // Large sessions are in memory one at a time.
                self.write(&std::mem::take(&mut waiting), stores)?;
                batch.detect(&self.tombstones);
                self.write(&std::mem::take(&mut batch), stores)?;
                now = read(files);
            } else {
                let (tombstones, read) = (&self.tombstones, &read);
                let (batch, now) = (&mut batch, &mut now);
                rayon::in_place_scope(|scope| {
                    scope.spawn(move |_| batch.detect(tombstones));
                    scope.spawn(move |_| *now = read(files));
                    self.write(&waiting, stores)
                })?;
            }
            waiting = batch;
            alone = next_is_large;
        }
        self.write(&waiting, stores)
    }

    /// What of the files that were read is to be kept. In the order of the files: the first session that has an event is
    /// the root of others that repeat it.
    fn settle(&mut self, files: Vec<ReadPending<'_>>, stores: &Stores) -> Result<Batch> {
        let mut batch = Batch::default();
        for (pending, result) in files {
            self.take(pending, result, stores, &mut batch)?;
        }
        Ok(batch)
    }

    /// Keeps a batch, observations first.
    fn write(&self, batch: &Batch, stores: &mut Stores) -> Result<()> {
        let kept: Vec<Kept<'_>> = batch.sessions.iter().map(|one| one.kept(&self.detectors)).collect();
        if !kept.is_empty() {
            stores.lessons.keep_observations(&batch.sessions.iter().map(ToKeep::seen).collect::<Vec<_>>())?;
            for one in &batch.sessions {
                one.keep_citations(&mut stores.lessons)?;
            }
        }
        if !kept.is_empty() || !batch.passed_over.is_empty() {
            stores.sessions.keep_and_pass_over(&kept, &batch.passed_over)?;
        }
        Ok(())
    }

    /// What of a file is to be kept; what is nothing for the stores is passed over and counted.
    fn take(
        &mut self,
        pending: Pending<'_>,
        result: std::io::Result<ReadOutcome>,
        stores: &Stores,
        batch: &mut Batch,
    ) -> Result<()> {
        let t = pending.transcript;
        match result {
            // Clients open files in which then nothing happens.
            Ok(ReadOutcome::Read(read, _)) if read.session.events.is_empty() => {
                self.report.read += 1;
                self.report.problems.add(&read.problems);
                batch.passed_over.push((pending.path, untouched(t)));
            }
            Ok(ReadOutcome::Read(read, print)) => match self.session(&pending, *read, print, stores)? {
                Some(session) => batch.sessions.push(session),
                None => batch.passed_over.push((pending.path, untouched(t))),
            },
            Ok(ReadOutcome::Unknown) => {
                self.report.unknown(t.path());
                batch.passed_over.push((pending.path, untouched(t)));
            }
            Err(e) => self.report.unreadable.push(Unreadable { path: t.path(), why: e.to_string() }),
        }
        Ok(())
    }

    /// A session that may be kept; `None` if it is to be left alone.
    fn session(
        &mut self,
        pending: &Pending<'_>,
        mut read: Read,
        print: String,
        stores: &Stores,
    ) -> Result<Option<ToKeep>> {
        let t = pending.transcript;
        self.report.read += 1;
        self.report.bytes += if t.size > 0 { t.size } else { read.resume_at };
        self.report.problems.add(&read.problems);
        self.report.left_out += read.left_out;
        self.roots.settle(&mut read.session);
        // What this run no longer remembers, the store does.
        let elsewhere = self.known || self.roots.forgot();
        if elsewhere && read.session.root == read.session.id {
            let ids = read.session.events.iter().take(ROOT_LOOKUPS).map(|e| e.id.as_str());
            if let Some(root) = stores.sessions.root_of_events(&pending.path, ids)? {
                read.session.root = root;
            }
        }
        let project = project::of_session(&read.session, t.folder_project(), &mut self.cache).key;
        self.cache.check()?;
        self.cache.give_top(&mut read.session);
        let named = project;
        let project = self.aliases.get(&named).unwrap_or(&named).clone();
        // Left alone under its own name, or as part of another.
        if [&named, &project].into_iter().any(|p| self.leaves_alone(&read.session, p, stores)) {
            return Ok(None);
        }
        self.changed.insert(project.clone());
        let cursor = Cursor { size: t.size, modified: t.modified, resume_at: read.resume_at, print };
        Ok(Some(ToKeep { path: pending.path.clone(), cursor, project, read, observations: Vec::new() }))
    }

    fn leaves_alone(&self, session: &Session, project: &str, stores: &Stores) -> bool {
        leaves_alone(project, session.cwd.as_deref(), self.settings, self.home, &stores.lessons)
    }
}

/// What the user, or a repository the user trusts, does not want to be read.
pub(crate) fn leaves_alone(
    project: &str,
    cwd: Option<&str>,
    settings: &Settings,
    home: &Path,
    lessons: &Lessons,
) -> bool {
    settings.excludes(project, cwd, home) || cwd.is_some_and(|cwd| repo_settings::leaves_alone(Path::new(cwd), lessons))
}
