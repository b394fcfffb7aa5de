//! Lessons and observations as they are kept: flat JSON, in a form that older releases wrote, too.
//!
//! Comes in: values of the core. Goes out: the text of the column `body`, and back. The form is apart from the types of the
//! core, so that these can change without a migration. A value that cannot be written is an error, never an empty row.
//!
//! A body in a row says nothing that another column of the row says, nor anything twice: very many are kept. All that a
//! yes binds stands in the body, whatever the columns say. The whole form, which older releases kept in rows, too, is for
//! lessons without a row: those that the ledger remembers.

use std::borrow::Cow;

use rusqlite::Row;
use serde::{Deserialize, Deserializer, Serialize};
use uptake_core::detect::{Basis, Kind, Leap, Sure, Trigger};
use uptake_core::learn::{Evidence, Lesson, Payload, Provenance, Sighting, Spent, Worth};
use uptake_core::session::Origin;

use crate::open::json;

mod met;
mod proposed;
mod seen;

pub(crate) use seen::{
    OBSERVATION, is_observation, observation_for_fold, observation_in, of_observation, root_column, tallies,
};

type Text<'b> = Cow<'b, str>;

/// A lesson as it is kept without a row.
pub(crate) fn of_lesson(lesson: &Lesson) -> rusqlite::Result<String> {
    json(&LessonBody::of(lesson))
}

/// Reads a lesson that is kept without a row; `None` if it is none.
pub(crate) fn lesson(body: &str) -> Option<Lesson> {
    serde_json::from_str::<LessonBody<'_>>(body).ok().and_then(LessonBody::lesson)
}

/// A lesson as it is kept in a row.
pub(crate) fn in_row(lesson: &Lesson) -> rusqlite::Result<String> {
    json(&LessonBody::of(lesson).without_columns())
}

/// What [`lesson_in`] reads, of the table `l`.
pub(crate) const LESSON: &str =
    "l.body, l.id, l.kind, l.key, l.detector, l.sessions, l.days, l.first_seen, l.last_seen, l.rank";

/// Reads a lesson from its row; `None` if it is none.
pub(crate) fn lesson_in(r: &Row<'_>) -> rusqlite::Result<Option<Lesson>> {
    let Ok(body) = r.get_ref("body")?.as_str() else { return Ok(None) };
    match serde_json::from_str::<LessonBody<'_>>(body) {
        Ok(body) => Ok(body.with_columns(r)?.lesson()),
        Err(_) => Ok(None),
    }
}

/// Whether a body in a row can be read.
pub(crate) fn is_lesson(body: &str) -> bool {
    serde_json::from_str::<LessonBody<'_>>(body).is_ok()
}

/// What a body says; `None` if it is none.
pub(crate) fn statement(body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Statement {
        statement: String,
    }
    serde_json::from_str::<Statement>(body).ok().map(|s| s.statement)
}

/// Tells a part that is not there from one that is empty.
fn there<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_empty(list: &[String]) -> bool {
    list.is_empty()
}

/// What most are.
fn surest<'b>() -> Text<'b> {
    Cow::from(Sure::High.as_str())
}

fn is_surest(word: &str) -> bool {
    word == Sure::High.as_str()
}

/// Reads leaps back. A word of a later release is a leap all the same.
fn leaps_of(words: &[String]) -> Vec<Leap> {
    words.iter().map(|word| Leap::parse(word).unwrap_or(Leap::OtherWords)).collect()
}

fn spent_body(spent: Spent) -> Option<(u64, u64, u64)> {
    (spent != Spent::default()).then_some((spent.times, spent.calls, spent.tokens))
}

#[derive(Serialize, Deserialize)]
struct TriggerBody<'b> {
    #[serde(borrow)]
    program: Text<'b>,
    #[serde(borrow)]
    error: Text<'b>,
}

impl<'b> TriggerBody<'b> {
    fn of(trigger: &'b Trigger) -> Self {
        Self { program: Cow::from(&trigger.program), error: Cow::from(&trigger.error) }
    }

    fn trigger(self) -> Trigger {
        Trigger { program: self.program.into_owned(), error: self.error.into_owned() }
    }
}

#[derive(Serialize, Deserialize)]
struct LessonBody<'b> {
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    id: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    kind: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    key: Option<Text<'b>>,
    #[serde(borrow)]
    project: Text<'b>,
    #[serde(borrow)]
    name: Text<'b>,
    #[serde(borrow)]
    title: Text<'b>,
    #[serde(borrow)]
    statement: Text<'b>,
    #[serde(default, skip_serializing_if = "is_empty")]
    commands: Cow<'b, [String]>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    trigger: Option<TriggerBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    detector: Option<Text<'b>>,
    #[serde(borrow)]
    trust: Text<'b>,
    #[serde(default, skip_serializing_if = "is_false")]
    alone: bool,
    /// In which ways a reader's words go beyond their quotes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    leaps: Vec<String>,
    /// What a reader's statement rests on.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    basis: Option<Text<'b>>,
    #[serde(default = "surest", borrow, skip_serializing_if = "is_surest")]
    sure: Text<'b>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sessions: Option<usize>,
    /// Not there in a row: as many as sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    days: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<i64>,
    sources: Cow<'b, [String]>,
    /// Not there: that of the trigger.
    #[serde(default, borrow, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    error: Option<Option<Text<'b>>>,
    /// In the whole form.
    #[serde(default, borrow, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<SightingBody<'b>>,
    /// In a row.
    #[serde(default, borrow, skip_serializing_if = "Vec::is_empty")]
    seen: Vec<ShortSighting<'b>>,
    /// How often a failure was met, further calls, tokens. Not there: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spent: Option<(u64, u64, u64)>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    tally: Option<Text<'b>>,
    #[serde(default)]
    confidence: f64,
    #[serde(default, skip_serializing_if = "is_false")]
    quality: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    ready: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rank: Option<f64>,
}

/// A sighting without what the lesson says.
#[derive(Serialize, Deserialize)]
struct ShortSighting<'b> {
    #[serde(borrow)]
    observation: Text<'b>,
    /// Not there: the lesson's only one.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    source: Option<Text<'b>>,
    #[serde(borrow)]
    session: Text<'b>,
    events: Cow<'b, [String]>,
    /// Not there: when the lesson was last seen.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    at: Option<Option<i64>>,
    /// Not there: the lesson's error, else its statement.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    quote: Option<Text<'b>>,
}

impl<'b> ShortSighting<'b> {
    fn of(whole: SightingBody<'b>, lesson: &LessonBody<'b>) -> Self {
        let SightingBody { observation, source, session, events, at, quote } = whole;
        let only = lesson.sources.len() == 1 && lesson.sources[0] == source;
        Self {
            observation,
            source: (!only).then_some(source),
            session,
            events,
            at: (at != lesson.last).then_some(at),
            quote: (*lesson.words() != *quote).then_some(quote),
        }
    }

    fn whole(self, lesson: &LessonBody<'b>) -> SightingBody<'b> {
        let only = || lesson.sources.first().map(|s| Cow::from(s.clone())).unwrap_or_default();
        SightingBody {
            observation: self.observation,
            source: self.source.unwrap_or_else(only),
            session: self.session,
            events: self.events,
            at: self.at.unwrap_or(lesson.last),
            quote: self.quote.unwrap_or_else(|| lesson.words().clone()),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SightingBody<'b> {
    #[serde(borrow)]
    observation: Text<'b>,
    #[serde(borrow)]
    source: Text<'b>,
    #[serde(borrow)]
    session: Text<'b>,
    events: Cow<'b, [String]>,
    at: Option<i64>,
    #[serde(default, borrow)]
    quote: Text<'b>,
}

impl<'b> SightingBody<'b> {
    fn of(s: &'b Sighting) -> Self {
        Self {
            observation: Cow::from(&s.observation),
            source: Cow::from(&s.source),
            session: Cow::from(&s.session),
            events: Cow::from(&s.events),
            at: s.at,
            quote: Cow::from(&s.quote),
        }
    }

    fn sighting(self) -> Sighting {
        Sighting {
            observation: self.observation.into_owned(),
            source: self.source.into_owned(),
            session: self.session.into_owned(),
            events: self.events.into_owned(),
            at: self.at,
            quote: self.quote.into_owned(),
        }
    }
}

impl<'b> LessonBody<'b> {
    fn of(l: &'b Lesson) -> Self {
        let Lesson { id, kind, key, payload, origin, evidence } = l;
        Self {
            id: Some(Cow::from(id)),
            kind: Some(Cow::from(kind.as_str())),
            key: Some(Cow::from(key)),
            project: Cow::from(&payload.scope),
            name: Cow::from(&payload.name),
            title: Cow::from(&payload.title),
            statement: Cow::from(&payload.statement),
            commands: Cow::from(&payload.commands),
            trigger: payload.trigger.as_ref().map(TriggerBody::of),
            detector: Some(Cow::from(&origin.detector)),
            trust: Cow::from(origin.trust.as_str()),
            alone: origin.alone,
            leaps: origin.leaps.iter().map(|l| l.as_str().to_owned()).collect(),
            basis: origin.basis.map(|b| Cow::from(b.as_str())),
            sure: Cow::from(evidence.sure.as_str()),
            sessions: Some(evidence.sessions),
            same: Some(evidence.same),
            days: Some(evidence.days),
            first: evidence.first,
            last: evidence.last,
            sources: Cow::from(&evidence.sources),
            error: Some(evidence.error.as_deref().map(Cow::from)),
            evidence: evidence.sightings.iter().map(SightingBody::of).collect(),
            seen: Vec::new(),
            spent: spent_body(evidence.spent),
            tally: evidence.tally.as_deref().map(Cow::from),
            confidence: evidence.worth.confidence,
            quality: evidence.quality,
            ready: evidence.worth.ready,
            rank: Some(evidence.worth.rank),
        }
    }

    /// What the tool printed: said here, or with the trigger.
    fn error(&self) -> Option<&Text<'b>> {
        match &self.error {
            Some(said) => said.as_ref(),
            None => self.trigger.as_ref().map(|t| &t.error),
        }
    }

    /// What was most likely quoted.
    fn words(&self) -> &Text<'b> {
        self.error().unwrap_or(&self.statement)
    }

    fn without_columns(mut self) -> Self {
        self.seen = std::mem::take(&mut self.evidence).into_iter().map(|s| ShortSighting::of(s, &self)).collect();
        if self.error.as_ref().is_some_and(|e| e.as_ref() == self.trigger.as_ref().map(|t| &t.error)) {
            self.error = None;
        }
        self.same = self.same.filter(|same| Some(*same) != self.sessions);
        (self.id, self.kind, self.key, self.detector) = (None, None, None, None);
        (self.sessions, self.days, self.first, self.last) = (None, None, None, None);
        (self.ready, self.rank) = (false, None);
        self
    }

    /// The columns count only where the body is silent.
    fn with_columns(mut self, r: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |name: &str| r.get::<_, String>(name).map(Cow::from);
        let count = |name: &str| r.get::<_, i64>(name).map(|n| usize::try_from(n).unwrap_or(0));
        if self.id.is_none() {
            (self.id, self.kind, self.key) = (Some(text("id")?), Some(text("kind")?), Some(text("key")?));
            (self.detector, self.rank) = (Some(text("detector")?), Some(r.get("rank")?));
            (self.sessions, self.days) = (Some(count("sessions")?), Some(count("days")?));
            (self.first, self.last) = (r.get("first_seen")?, r.get("last_seen")?);
            self.same = self.same.or(self.sessions);
        }
        let seen = std::mem::take(&mut self.seen);
        self.evidence.extend(seen.into_iter().map(|s| s.whole(&self)).collect::<Vec<_>>());
        Ok(self)
    }

    fn lesson(self) -> Option<Lesson> {
        let error = self.error().cloned().map(Cow::into_owned);
        Some(Lesson {
            kind: Kind::parse(&self.kind?)?,
            id: self.id?.into_owned(),
            key: self.key?.into_owned(),
            payload: Payload {
                statement: self.statement.into_owned(),
                commands: self.commands.into_owned(),
                trigger: self.trigger.map(TriggerBody::trigger),
                scope: self.project.into_owned(),
                name: self.name.into_owned(),
                title: self.title.into_owned(),
            },
            origin: Provenance {
                detector: self.detector?.into_owned(),
                trust: Origin::parse(&self.trust),
                alone: self.alone,
                leaps: leaps_of(&self.leaps),
                basis: self.basis.as_deref().and_then(Basis::parse),
            },
            evidence: Evidence {
                sure: Sure::parse(&self.sure),
                sessions: self.sessions?,
                same: self.same.unwrap_or(0),
                days: self.days?,
                first: self.first,
                last: self.last,
                sources: self.sources.into_owned(),
                error,
                sightings: self.evidence.into_iter().map(SightingBody::sighting).collect(),
                spent: self.spent.map(|(times, calls, tokens)| Spent { times, calls, tokens }).unwrap_or_default(),
                tally: self.tally.map(Cow::into_owned),
                quality: self.quality,
                worth: Worth { confidence: self.confidence, ready: self.ready, rank: self.rank? },
            },
        })
    }
}

#[cfg(test)]
mod tests;
