//! Transcripts → stores: reads only what is new, redacts, detects, adds up.
//!
//! Observations are written before the cursor moves: a kill in between costs a second reading, never an observation.

use std::collections::{BTreeSet, HashMap, HashSet};

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use uptake_core::detect::former::{FORMER, KeyFunction, former_keys};
use uptake_core::detect::{self, Observation};
use uptake_core::learn::evidence::Bars;
use uptake_core::learn::{self, Lesson};
use uptake_core::roots::Roots;
use uptake_core::session::{Event, Session};
use uptake_core::sources::Read;
use uptake_store::{Cursor, Folded, Kept, Lessons, Moved, SeenIn, Sessions, TombstoneKey};

use crate::known_secrets::KnownSecrets;
use crate::pipeline::Report;
use crate::project::{self, Cache};
use crate::redetect;
use crate::repo_settings;
use crate::settings::Settings;
use crate::transcripts::{self, Earlier, Found, Outcome, Transcript, Unreadable};
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
}

/// Both stores, open for writing.
pub struct Stores {
    /// What was read.
    pub sessions: Sessions,
    /// What was learned.
    pub lessons: Lessons,
}

impl Stores {
    /// Opens both.
    pub fn open(data: &Path) -> Result<Self> {
        Ok(Self { sessions: Sessions::open(data)?, lessons: Lessons::open(data)? })
    }
}

/// A transcript that has something new.
struct Work<'t> {
    transcript: &'t Transcript,
    path: String,
    earlier: Option<Earlier>,
}

/// Reads what is new and adds it up.
pub fn ingest(found: &Found, stores: &mut Stores, world: &World, settings: &Settings) -> Result<Ingested> {
    let data = &world.data;
    let left_alone = serde_json::to_string(&(settings.enabled, &settings.exclude))?;
    if stores.lessons.renote("left alone", &left_alone)? {
        stores.sessions.look_again()?;
    }
    let cursors = stores.sessions.cursors()?;
    let known = !cursors.is_empty();
    let changed: Vec<&Transcript> = found.transcripts.iter().filter(|t| is_changed(t, &cursors)).collect();
    let mut run = Run {
        report: Report { unreadable: found.unreadable.clone(), ..Report::default() },
        roots: Roots::default(),
        cache: Cache::remembering(data),
        changed: BTreeSet::new(),
        known,
        graves: Graves::of(&stores.lessons, data)?,
        aliases: stores.lessons.aliases()?,
        settings,
        home: &world.home,
        detectors: detect::version(),
    };
    let bar = Ui::bytes_bar(changed.iter().map(|t| t.size).sum(), "reading");
    let known = KnownSecrets::from_env();
    for batch in transcripts::batches(&changed) {
        let works = batch.iter().map(|t| work(t, &cursors, stores)).collect::<Result<Vec<Work<'_>>>>()?;
        let read: Vec<(Work<'_>, std::io::Result<Outcome>)> = works
            .into_par_iter()
            .map(|mut w| {
                let result = w.transcript.read(w.earlier.take(), &known).map(|outcome| prepared(outcome, &known));
                bar.inc(w.transcript.size);
                (w, result)
            })
            .collect();
        run.keep(read, stores)?;
    }
    bar.finish_and_clear();
    let again = redetect::detect_again(stores, &run.graves, world, settings)?;
    let moved = settle(stores, &run.graves, &settings.thresholds)?;
    run.changed.retain(|p| !moved.iter().any(|m| m.from == *p));
    run.changed.extend(moved.into_iter().map(|m| m.to));
    Ok(Ingested { report: run.report, transcripts: found.transcripts.len(), changed: run.changed, again })
}

/// Adds up what is new, also what a run that was cut short left: the marks are written together with the observations.
/// Answers the sessions whose project became known.
pub fn settle(stores: &mut Stores, graves: &Graves, bars: &Bars) -> Result<Vec<Moved>> {
    let mut moved = Vec::new();
    if !stores.lessons.unfolded()?.is_empty() {
        // Observations first: should this be cut short, the next run moves them again.
        moved = stores.sessions.shared_projects()?;
        stores.lessons.move_observations(&moved)?;
        stores.sessions.move_sessions(&moved)?;
    }
    add_up(&mut stores.lessons, graves, bars)?;
    Ok(moved)
}

/// Adds up what changed, in every project.
pub fn add_up(lessons: &mut Lessons, graves: &Graves, bars: &Bars) -> Result<()> {
    let rules = serde_json::to_string(&(learn::VERSION, bars))?;
    lessons.fold_with(&rules)?;
    let deleted = lessons.deletions()?;
    for project in &lessons.unfolded()? {
        lessons.refold_former(project, |observations| {
            let lessons = learn::fold_by(project, observations, bars);
            lessons.into_iter().filter_map(|lesson| folded(lesson, observations, graves, &deleted, bars)).collect()
        })?;
    }
    Ok(())
}

/// A lesson with the ids it had; `None` if it was forgotten under today's key or a former one.
fn folded(
    mut lesson: Lesson,
    observations: &[Observation],
    graves: &Graves,
    deleted: &HashSet<String>,
    bars: &Bars,
) -> Option<Folded> {
    let keys = learn::former::keys_of(&lesson, observations, graves.former);
    if graves.holds(lesson.kind, &lesson.key, &keys) {
        return None;
    }
    let former = learn::former::ids_of(&lesson, &keys);
    if former.iter().chain([&lesson.id]).any(|id| deleted.contains(id)) {
        lesson.penalise(bars);
    }
    Some(Folded { lesson, former })
}

fn is_changed(t: &Transcript, cursors: &HashMap<String, Cursor>) -> bool {
    cursors.get(&*t.path.to_string_lossy()).is_none_or(|c| c.size != t.size || c.modified != t.modified)
}

fn work<'t>(t: &'t Transcript, cursors: &HashMap<String, Cursor>, stores: &Stores) -> Result<Work<'t>> {
    let path = t.path.to_string_lossy().into_owned();
    // Only a file that grew can be read on; anything else was rewritten.
    let grown = cursors.get(&path).filter(|c| t.size > c.size && c.resume_at > 0);
    let earlier = match grown {
        Some(cursor) => stores.sessions.session_of(&path)?.map(|session| Earlier {
            session,
            offset: cursor.resume_at,
            print: cursor.print.clone(),
        }),
        None => None,
    };
    Ok(Work { transcript: t, path, earlier })
}

/// The cursor of a file that is read from its start when it changes.
fn untouched(t: &Transcript) -> Cursor {
    Cursor { size: t.size, modified: t.modified, resume_at: 0, print: String::new() }
}

/// Compact and without secrets: nothing else may reach a store.
fn prepared(outcome: Outcome, known: &KnownSecrets) -> Outcome {
    match outcome {
        Outcome::Read(mut read, print) => {
            let redactor = known.redactor(read.session.cwd.as_deref());
            read.session.settle_from(read.first_changed, |text| redactor.clean_up(text));
            Outcome::Read(read, print)
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
    graves: Graves,
    aliases: HashMap<String, String>,
    settings: &'r Settings,
    home: &'r Path,
    detectors: String,
}

/// What was forgotten and must not come back, also under a key it had before key functions changed.
pub struct Graves {
    key: Option<TombstoneKey>,
    hashes: HashSet<String>,
    former: &'static [KeyFunction],
}

impl Graves {
    /// Those of a home.
    pub fn of(lessons: &Lessons, data: &Path) -> Result<Self> {
        Self::by(lessons, data, FORMER)
    }

    /// The same, with these older key functions.
    pub(crate) fn by(lessons: &Lessons, data: &Path, former: &'static [KeyFunction]) -> Result<Self> {
        let hashes = lessons.tombstones()?;
        let key = if hashes.is_empty() { None } else { Some(TombstoneKey::of(data)?) };
        Ok(Self { key, hashes, former })
    }

    fn holds(&self, kind: detect::Kind, key: &str, former: &[String]) -> bool {
        let held = |grave: &TombstoneKey, key: &str| self.hashes.contains(&grave.hash(kind, key));
        self.key.as_ref().is_some_and(|grave| held(grave, key) || former.iter().any(|key| held(grave, key)))
    }

    /// Whether what is seen today is the lesson that an older observation told of.
    pub(crate) fn same_lesson(&self, today: &Observation, older: &Observation) -> bool {
        let key = &older.claim.key;
        today.claim.kind == older.claim.kind
            && (today.claim.key == *key || former_keys(today, self.former).contains(key))
    }

    /// Drops observations of forgotten lessons. Answers the events they came from.
    pub fn leave_out(&self, observations: &mut Vec<Observation>) -> HashSet<String> {
        let mut gone = HashSet::new();
        if self.key.is_none() {
            return gone;
        }
        observations.retain(|o| {
            let dead = self.holds(o.claim.kind, &o.claim.key, &former_keys(o, self.former));
            if dead {
                gone.extend(o.head.events.iter().cloned());
            }
            !dead
        });
        gone
    }
}

struct Ready {
    path: String,
    cursor: Cursor,
    project: String,
    read: Read,
    observations: Vec<Observation>,
}

impl Run<'_> {
    fn keep(&mut self, batch: Vec<(Work<'_>, std::io::Result<Outcome>)>, stores: &mut Stores) -> Result<()> {
        let mut ready = Vec::new();
        for (work, result) in batch {
            let t = work.transcript;
            match result {
                // Clients open files in which then nothing happens.
                Ok(Outcome::Read(read, _)) if read.session.events.is_empty() => {
                    self.report.read += 1;
                    self.report.problems.add(&read.problems);
                    stores.sessions.pass_over(&work.path, &untouched(t))?;
                }
                Ok(Outcome::Read(read, print)) => {
                    if let Some(one) = self.ready(work, *read, print, stores)? {
                        ready.push(one);
                    }
                }
                Ok(Outcome::Unknown) => {
                    self.report.unknown.push(t.path.clone());
                    stores.sessions.pass_over(&work.path, &untouched(t))?;
                }
                Err(e) => self.report.unreadable.push(Unreadable { path: t.path.clone(), why: e.to_string() }),
            }
        }
        // Only now: what an observation is called depends on the root of its session.
        ready.par_iter_mut().for_each(|r| {
            r.observations = detect::detect(&r.read.session);
            // Their texts must not be kept either.
            let gone = self.graves.leave_out(&mut r.observations);
            r.read.session.events.iter_mut().filter(|e| gone.contains(&e.id)).for_each(Event::blank);
        });
        let seen: Vec<SeenIn<'_>> = ready
            .iter()
            .map(|r| SeenIn {
                source: r.read.session.source.as_str(),
                session: &r.read.session.id,
                path: &r.path,
                project: &r.project,
                observations: &r.observations,
            })
            .collect();
        stores.lessons.keep_observations(&seen)?;
        let kept: Vec<Kept<'_>> = ready
            .iter()
            .map(|r| Kept {
                path: &r.path,
                cursor: r.cursor.clone(),
                project: &r.project,
                session: &r.read.session,
                first_changed: r.read.first_changed,
                detectors: &self.detectors,
            })
            .collect();
        Ok(stores.sessions.keep(&kept)?)
    }

    /// A session that may be kept; `None` if it is to be left alone.
    fn ready(&mut self, work: Work<'_>, mut read: Read, print: String, stores: &mut Stores) -> Result<Option<Ready>> {
        let t = work.transcript;
        self.report.read += 1;
        self.report.bytes += if t.size > 0 { t.size } else { read.resume_at };
        self.report.problems.add(&read.problems);
        self.roots.settle(&mut read.session);
        if self.known && read.session.root == read.session.id {
            let ids = read.session.events.iter().take(ROOT_LOOKUPS).map(|e| e.id.as_str());
            if let Some(root) = stores.sessions.root_of_events(&work.path, ids)? {
                read.session.root = root;
            }
        }
        let project = project::of_session(&read.session, t.folder_project.as_deref(), &mut self.cache).key;
        self.cache.check()?;
        let project = self.aliases.get(&project).cloned().unwrap_or(project);
        if self.leaves_alone(&read.session, &project, stores) {
            stores.sessions.pass_over(&work.path, &untouched(t))?;
            return Ok(None);
        }
        self.changed.insert(project.clone());
        let cursor = Cursor { size: t.size, modified: t.modified, resume_at: read.resume_at, print };
        Ok(Some(Ready { path: work.path, cursor, project, read, observations: Vec::new() }))
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
