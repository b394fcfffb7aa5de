//! Which sessions a reader has yet to read, and what it would be asked.
//!
//! Comes in: both stores. Goes out: requests, most promising first. Each session is read once; one that has grown is read
//! from where it ended then. Excluded projects, sessions that were cleared away and those of other clients are left out.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use uptake_core::detect::{Kind, Observation};
use uptake_core::learn::facts;
use uptake_core::learn::staging::is_candidate;
use uptake_core::reader::digest::{self, Excerpt, Known, Request, Told, Unread, tokens};
use uptake_core::reader::{NAME, answer};
use uptake_core::session::{Agent, Session, SourceName};
use uptake_store::{Lessons, ReadUpto, SessionRow, Stored, Wanted};

use crate::ingest::leaves_alone;
use crate::settings::{ReaderSettings, Settings};
use crate::stores::Stores;
use crate::world::World;

/// What a reader may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many days back sessions are read.
    pub days: u32,
    /// Requests a day.
    pub requests_a_day: u32,
    /// Tokens a day, sent and answered.
    pub tokens_a_day: u32,
    /// Only sessions of this source: a client reads what it wrote itself.
    pub only: Option<SourceName>,
}

impl Limits {
    /// What the settings allow a reader that wrote sessions of this source itself, if it is a client.
    pub fn of(settings: &ReaderSettings, source: Option<&str>) -> Self {
        Self {
            days: settings.days,
            requests_a_day: settings.requests_a_day,
            tokens_a_day: settings.tokens_a_day,
            only: source.filter(|_| !settings.cross).map(SourceName::parse),
        }
    }

    /// Whether a session of a source that ended then may be read.
    pub(super) fn reads(&self, source: &SourceName, ended: i64, now: i64) -> bool {
        self.only.as_ref().is_none_or(|only| only == source)
            && is_within(ended, i64::from(self.days).saturating_mul(DAY), now)
    }
}

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;
/// A client whose last event is not older than this is in use, and its user's quota with it.
const IN_USE: i64 = 5 * 60_000;
/// Lessons that are looked at to be named to the reader.
const KNOWN: usize = 200;

/// What a reader would be asked.
#[derive(Default)]
pub struct Plan {
    /// In the order in which they are asked.
    pub requests: Vec<Request>,
    /// Sessions in which there is nothing to ask about.
    pub(super) nothing: Vec<ReadUpto>,
    /// Whether the client that would be asked is in use.
    pub in_use: bool,
}

impl Plan {
    /// How many sessions it reads.
    pub fn sessions(&self) -> usize {
        self.requests.iter().map(|r| r.ends.len()).sum()
    }

    /// About how many tokens it sends.
    pub fn tokens(&self) -> usize {
        self.requests.iter().map(|r| tokens(&r.prompt) + tokens(answer::SCHEMA)).sum()
    }
}

/// What is to be asked now. Sessions of `asked` are in questions that are not answered yet.
pub fn plan(
    stores: &Stores,
    world: &World,
    settings: &Settings,
    limits: &Limits,
    asked: &HashSet<String>,
) -> Result<Plan> {
    let mut plan = Plan::default();
    let read = stores.lessons.read_upto()?;
    let aliases = stores.lessons.aliases()?;
    let cleared = stores.lessons.cleared_paths()?;
    let mut excerpts: BTreeMap<String, Vec<Excerpt>> = BTreeMap::new();
    for row in stores.sessions.list(None)? {
        let mine = limits.only.as_ref().is_none_or(|only| *only == row.source);
        plan.in_use |= limits.only.is_some() && mine && row.ended.is_some_and(|at| is_within(at, IN_USE, world.now));
        let old = read.get(&row.path);
        if !mine || !is_due(&row, old, limits, world.now) || asked.contains(&row.path) || cleared.contains(&row.path) {
            continue;
        }
        let project = aliases.get(&row.project).unwrap_or(&row.project).clone();
        let Some(session) = stores.sessions.session_of(&row.path)? else { continue };
        if [&row.project, &project]
            .into_iter()
            .any(|p| is_left_alone(p, &session, settings, &world.home, &stores.lessons))
        {
            continue;
        }
        let seen: Vec<Observation> = stores.lessons.kept_of(&row.path)?.into_iter().map(|(_, o)| o).collect();
        let from = old.map_or(0, |old| first_unread(&session, old));
        match digest::excerpt(&Unread { session: &session, transcript: &row.path, from, seen: &seen }) {
            Some(excerpt) => excerpts.entry(project).or_default().push(excerpt),
            None => plan.nothing.extend(upto(&row, &session)),
        }
    }
    for (project, excerpts) in excerpts {
        let known = known(&stores.lessons, &project, world.now)?;
        let (requests, nothing) = digest::requests(&project, excerpts, &known);
        plan.requests.extend(requests);
        plan.nothing.extend(nothing.iter().map(read_upto));
    }
    plan.requests.sort_by(|a, b| b.promise.cmp(&a.promise).then_with(|| a.id.cmp(&b.id)));
    Ok(plan)
}

/// How far a session is read once it was sent.
pub(super) fn read_upto(told: &Told) -> ReadUpto {
    ReadUpto { path: told.transcript.clone(), upto: told.upto.clone(), at: told.at }
}

/// Whether a time lies so far back at most. One from the future was written when the clock was wrong.
fn is_within(at: i64, span: i64, now: i64) -> bool {
    at <= now && now.saturating_sub(at) <= span
}

/// Whether a session is of the last days, by its own times, and has something that was not read.
fn is_due(row: &SessionRow, read: Option<&ReadUpto>, limits: &Limits, now: i64) -> bool {
    let Some(ended) = row.ended else { return false };
    let new = read.is_none_or(|read| read.at.is_none_or(|at| at < ended));
    row.agent == Agent::Main
        && row.counts.messages > 0
        && new
        && is_within(ended, i64::from(limits.days).saturating_mul(DAY), now)
}

fn is_left_alone(project: &str, session: &Session, settings: &Settings, home: &Path, lessons: &Lessons) -> bool {
    leaves_alone(project, session.cwd.as_deref(), settings, home, lessons)
}

/// The first event that was not read. The middle of a very long session is thinned: then its time tells.
fn first_unread(session: &Session, read: &ReadUpto) -> usize {
    let by_id = session.events.iter().rposition(|e| e.id == read.upto).map(|at| at + 1);
    by_id.unwrap_or_else(|| {
        let later = |at: Option<i64>| at > read.at;
        session.events.iter().position(|e| later(e.at)).unwrap_or(session.events.len())
    })
}

fn upto(row: &SessionRow, session: &Session) -> Option<ReadUpto> {
    let last = session.events.last()?;
    Some(ReadUpto { path: row.path.clone(), upto: last.id.clone(), at: session.ended() })
}

/// Lessons of a project that say something in words, approved ones first.
fn known(lessons: &Lessons, project: &str, now: i64) -> Result<Vec<Known>> {
    let mut all = in_words(lessons, project, now)?;
    // What was rejected, too: the reader should know that it was said.
    all.sort_by_key(|s| s.verdict().is_none());
    all.extend(counted(lessons, project, now)?);
    let known = |s: Stored| Known { lesson: s.lesson.id, statement: s.lesson.payload.statement };
    Ok(all.into_iter().map(known).collect())
}

/// Facts that are named to the reader.
const FACTS: usize = 8;

/// What failures and commands have shown already, so that the reader need not find it.
pub(super) fn counted(lessons: &Lessons, project: &str, now: i64) -> Result<Vec<Stored>> {
    let wanted = Wanted { project: Some(project), kind: Some(Kind::Fact), now, ..Wanted::default() };
    let mut facts = lessons.list(&wanted)?;
    facts.retain(|s| s.standing.is_known() && !facts::is_general(&s.lesson));
    facts.truncate(FACTS);
    Ok(facts)
}

/// The best lessons of a project whose statement says it all: nothing that only shows commands or what was looked at. The
/// reader's own are all there, others if they are ready or were decided on.
pub(super) fn in_words(lessons: &Lessons, project: &str, now: i64) -> Result<Vec<Stored>> {
    let mut places = lessons.order(&Wanted { project: Some(project), now, ..Wanted::default() })?;
    // The reader's own first: they are most likely to be said again.
    places.sort_by_key(|p| p.detector != NAME);
    places.truncate(KNOWN);
    let words = |s: &Stored| {
        let kind = !matches!(s.lesson.kind, Kind::Recovery | Kind::Procedure | Kind::Fact);
        let known = s.lesson.origin.detector == NAME || s.standing.is_known();
        kind && known && !is_candidate(&s.lesson.origin.detector) && s.lesson.payload.commands.is_empty()
    };
    Ok(lessons.at(&places)?.into_iter().filter(words).collect())
}

/// The transcripts that questions are about.
pub(super) fn transcripts_of<'r>(requests: impl Iterator<Item = &'r Request>) -> HashSet<String> {
    requests.flat_map(|r| r.sessions.iter().map(|told| told.transcript.clone())).collect()
}

/// Lessons by their ids.
pub(super) fn by_id(all: Vec<Stored>) -> HashMap<String, Stored> {
    all.into_iter().map(|s| (s.lesson.id.clone(), s)).collect()
}
