//! A lesson as one JSON object.

use serde::Serialize;
use uptake_core::detect::Basis;
use uptake_core::learn::{Lesson, Sighting};

use crate::skills::Known;

/// What `--json` says of a lesson.
#[derive(Serialize)]
pub struct LessonRow<'l> {
    id: &'l str,
    kind: &'static str,
    name: &'l str,
    title: &'l str,
    text: &'l str,
    commands: &'l [String],
    detector: &'l str,
    project: &'l str,
    scope: &'static str,
    sessions: usize,
    days: usize,
    sources: &'l [String],
    sure: &'static str,
    trust: &'static str,
    error: Option<&'l str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inferred: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<&'static str>,
    #[serde(skip_serializing_if = "is_none")]
    times: u64,
    #[serde(skip_serializing_if = "is_none")]
    calls: u64,
    #[serde(skip_serializing_if = "is_none")]
    tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tally: Option<&'l str>,
    first: Option<i64>,
    last: Option<i64>,
    sha256: String,
}

fn is_none(n: &u64) -> bool {
    *n == 0
}

impl<'l> LessonRow<'l> {
    /// Of a lesson.
    pub fn of(lesson: &'l Lesson) -> Self {
        let Lesson { payload, origin, evidence, .. } = lesson;
        Self {
            id: &lesson.id,
            kind: lesson.kind.as_str(),
            name: &payload.name,
            title: &payload.title,
            text: &payload.statement,
            commands: &payload.commands,
            detector: &origin.detector,
            project: &payload.scope,
            scope: lesson.holds().as_str(),
            sessions: evidence.sessions,
            days: evidence.days,
            sources: &evidence.sources,
            sure: evidence.sure.as_str(),
            trust: origin.trust.as_str(),
            error: evidence.error.as_deref(),
            inferred: origin.leaps.iter().map(|leap| leap.as_str()).collect(),
            basis: origin.basis.map(Basis::as_str),
            times: evidence.spent.times,
            calls: evidence.spent.calls,
            tokens: evidence.spent.tokens,
            tally: evidence.tally.as_deref(),
            first: evidence.first,
            last: evidence.last,
            sha256: lesson.sha256(),
        }
    }
}

/// Where a lesson was seen, as `--json` says it.
#[derive(Serialize)]
pub struct SightingRow<'l> {
    observation: &'l str,
    source: &'l str,
    session: &'l str,
    events: &'l [String],
    at: Option<i64>,
    quote: &'l str,
}

impl<'l> SightingRow<'l> {
    /// Of a sighting.
    pub fn of(sighting: &'l Sighting) -> Self {
        Self {
            observation: &sighting.observation,
            source: &sighting.source,
            session: &sighting.session,
            events: &sighting.events,
            at: sighting.at,
            quote: &sighting.quote,
        }
    }
}

/// What an agent wrote down, as one JSON object.
#[derive(Serialize)]
pub struct NotedRow<'l> {
    #[serde(flatten)]
    lesson: LessonRow<'l>,
    known_to: &'l [&'static str],
    not_known_to: &'l [&'static str],
}

impl<'l> NotedRow<'l> {
    /// Of a lesson, and who knows it.
    pub fn of(lesson: &'l Lesson, Known { to, not_to }: &'l Known) -> Self {
        Self { lesson: LessonRow::of(lesson), known_to: to, not_known_to: not_to }
    }
}
