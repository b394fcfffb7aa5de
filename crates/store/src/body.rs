//! Lessons and observations as they are kept: flat JSON, in a form that older releases wrote, too.
//!
//! Comes in: values of the core. Goes out: the text of the column `body`, and back. The form is apart from the types of the
//! core, so that these can change without a migration. A value that cannot be written is an error, never an empty row.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uptake_core::detect::{Claim, Fix, Head, Kind, Observation, Seen, StepForm, Sure, Trigger};
use uptake_core::learn::{Evidence, Lesson, Payload, Provenance, Sighting, Worth};
use uptake_core::session::Origin;

use crate::open::json;

type Text<'b> = Cow<'b, str>;

/// A lesson as it is kept.
pub(crate) fn of_lesson(lesson: &Lesson) -> rusqlite::Result<String> {
    json(&LessonBody::of(lesson))
}

/// Reads a lesson; `None` if it is none.
pub(crate) fn lesson(body: &str) -> Option<Lesson> {
    serde_json::from_str::<LessonBody<'_>>(body).ok().and_then(LessonBody::lesson)
}

/// An observation as it is kept.
pub(crate) fn of_observation(o: &Observation) -> rusqlite::Result<String> {
    json(&ObservationBody::of(o))
}

/// Reads an observation; `None` if it is none.
pub(crate) fn observation(body: &str) -> Option<Observation> {
    serde_json::from_str::<ObservationBody<'_>>(body).ok().and_then(ObservationBody::observation)
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
    #[serde(borrow)]
    id: Text<'b>,
    #[serde(borrow)]
    kind: Text<'b>,
    #[serde(borrow)]
    key: Text<'b>,
    #[serde(borrow)]
    project: Text<'b>,
    #[serde(borrow)]
    name: Text<'b>,
    #[serde(borrow)]
    title: Text<'b>,
    #[serde(borrow)]
    statement: Text<'b>,
    commands: Cow<'b, [String]>,
    #[serde(borrow)]
    trigger: Option<TriggerBody<'b>>,
    #[serde(borrow)]
    detector: Text<'b>,
    #[serde(borrow)]
    trust: Text<'b>,
    #[serde(default)]
    alone: bool,
    #[serde(borrow)]
    sure: Text<'b>,
    sessions: usize,
    #[serde(default)]
    same: usize,
    days: usize,
    first: Option<i64>,
    last: Option<i64>,
    sources: Cow<'b, [String]>,
    #[serde(borrow)]
    error: Option<Text<'b>>,
    #[serde(borrow)]
    evidence: Vec<SightingBody<'b>>,
    #[serde(default)]
    confidence: f64,
    #[serde(default)]
    quality: bool,
    ready: bool,
    rank: f64,
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
            id: Cow::from(id),
            kind: Cow::from(kind.as_str()),
            key: Cow::from(key),
            project: Cow::from(&payload.scope),
            name: Cow::from(&payload.name),
            title: Cow::from(&payload.title),
            statement: Cow::from(&payload.statement),
            commands: Cow::from(&payload.commands),
            trigger: payload.trigger.as_ref().map(TriggerBody::of),
            detector: Cow::from(&origin.detector),
            trust: Cow::from(origin.trust.as_str()),
            alone: origin.alone,
            sure: Cow::from(evidence.sure.as_str()),
            sessions: evidence.sessions,
            same: evidence.same,
            days: evidence.days,
            first: evidence.first,
            last: evidence.last,
            sources: Cow::from(&evidence.sources),
            error: evidence.error.as_deref().map(Cow::from),
            evidence: evidence.sightings.iter().map(SightingBody::of).collect(),
            confidence: evidence.worth.confidence,
            quality: evidence.quality,
            ready: evidence.worth.ready,
            rank: evidence.worth.rank,
        }
    }

    fn lesson(self) -> Option<Lesson> {
        Some(Lesson {
            kind: Kind::parse(&self.kind)?,
            id: self.id.into_owned(),
            key: self.key.into_owned(),
            payload: Payload {
                statement: self.statement.into_owned(),
                commands: self.commands.into_owned(),
                trigger: self.trigger.map(TriggerBody::trigger),
                scope: self.project.into_owned(),
                name: self.name.into_owned(),
                title: self.title.into_owned(),
            },
            origin: Provenance {
                detector: self.detector.into_owned(),
                trust: Origin::parse(&self.trust),
                alone: self.alone,
            },
            evidence: Evidence {
                sure: Sure::parse(&self.sure),
                sessions: self.sessions,
                same: self.same,
                days: self.days,
                first: self.first,
                last: self.last,
                sources: self.sources.into_owned(),
                error: self.error.map(Cow::into_owned),
                sightings: self.evidence.into_iter().map(SightingBody::sighting).collect(),
                quality: self.quality,
                worth: Worth { confidence: self.confidence, ready: self.ready, rank: self.rank },
            },
        })
    }
}

#[derive(Serialize, Deserialize)]
struct StepBody<'b> {
    #[serde(borrow)]
    normal: Text<'b>,
    #[serde(borrow)]
    command: Text<'b>,
}

#[derive(Serialize, Deserialize)]
struct ObservationBody<'b> {
    #[serde(borrow)]
    id: Text<'b>,
    #[serde(borrow)]
    detector: Text<'b>,
    #[serde(borrow)]
    kind: Text<'b>,
    #[serde(borrow)]
    source: Text<'b>,
    #[serde(borrow)]
    session: Text<'b>,
    #[serde(borrow)]
    root: Text<'b>,
    #[serde(borrow)]
    key: Text<'b>,
    #[serde(borrow)]
    name: Text<'b>,
    #[serde(borrow)]
    title: Text<'b>,
    #[serde(borrow)]
    text: Text<'b>,
    commands: Cow<'b, [String]>,
    #[serde(default, borrow)]
    steps: Vec<StepBody<'b>>,
    #[serde(borrow)]
    sure: Text<'b>,
    #[serde(borrow)]
    trust: Text<'b>,
    #[serde(default)]
    alone: bool,
    suggest: bool,
    #[serde(default)]
    telling: bool,
    events: Cow<'b, [String]>,
    #[serde(borrow)]
    failed: Option<Text<'b>>,
    #[serde(borrow)]
    fixed: Option<Text<'b>>,
    via: Cow<'b, [String]>,
    #[serde(borrow)]
    message: Option<Text<'b>>,
    #[serde(borrow)]
    error: Option<Text<'b>>,
    #[serde(borrow)]
    trigger: Option<TriggerBody<'b>>,
    at: Option<i64>,
    #[serde(default, borrow)]
    quote: Text<'b>,
}

impl<'b> ObservationBody<'b> {
    fn of(o: &'b Observation) -> Self {
        let Observation { head, claim, seen } = o;
        let step = |s: &'b StepForm| StepBody { normal: Cow::from(&s.normal), command: Cow::from(&s.command) };
        Self {
            id: Cow::from(&head.id),
            detector: Cow::from(&*head.detector),
            kind: Cow::from(claim.kind.as_str()),
            source: Cow::from(&head.source),
            session: Cow::from(&head.session),
            root: Cow::from(&head.root),
            key: Cow::from(&claim.key),
            name: Cow::from(&claim.name),
            title: Cow::from(&claim.title),
            text: Cow::from(&claim.text),
            commands: Cow::from(&claim.commands),
            steps: seen.steps().iter().map(step).collect(),
            sure: Cow::from(claim.sure.as_str()),
            trust: Cow::from(claim.trust.as_str()),
            alone: seen.alone(),
            suggest: claim.suggest,
            telling: claim.telling,
            events: Cow::from(&head.events),
            failed: seen.failed().map(Cow::from),
            fixed: seen.fixed().map(Cow::from),
            via: Cow::from(seen.via()),
            message: seen.message().map(Cow::from),
            error: seen.error().map(Cow::from),
            trigger: seen.trigger().map(TriggerBody::of),
            at: head.at,
            quote: Cow::from(&head.quote),
        }
    }

    fn observation(mut self) -> Option<Observation> {
        let kind = Kind::parse(&self.kind)?;
        let seen = self.seen(kind);
        Some(Observation {
            head: Head {
                id: self.id.into_owned(),
                detector: Cow::Owned(self.detector.into_owned()),
                source: self.source.into_owned(),
                session: self.session.into_owned(),
                root: self.root.into_owned(),
                events: self.events.into_owned(),
                at: self.at,
                quote: self.quote.into_owned(),
            },
            claim: Claim {
                kind,
                key: self.key.into_owned(),
                name: self.name.into_owned(),
                title: self.title.into_owned(),
                text: self.text.into_owned(),
                commands: self.commands.into_owned(),
                sure: Sure::parse(&self.sure),
                trust: Origin::parse(&self.trust),
                suggest: self.suggest,
                telling: self.telling,
            },
            seen,
        })
    }

    /// The parts that are there say what was seen: no two kinds of it fill the same ones.
    fn seen(&mut self, kind: Kind) -> Seen {
        let owned = |text: &mut Option<Text<'b>>| text.take().map(Cow::into_owned);
        let message = owned(&mut self.message);
        let fix = Fix {
            failed: owned(&mut self.failed),
            fixed: owned(&mut self.fixed),
            via: std::mem::take(&mut self.via).into_owned(),
            message: None,
            error: owned(&mut self.error),
            trigger: self.trigger.take().map(TriggerBody::trigger),
        };
        if !self.steps.is_empty() {
            let step = |s: StepBody<'b>| StepForm { normal: s.normal.into_owned(), command: s.command.into_owned() };
            return Seen::Steps(self.steps.drain(..).map(step).collect());
        }
        match (kind, message, fix) {
            (Kind::Correction, Some(message), Fix { failed: Some(failed), fixed: Some(fixed), .. }) => {
                Seen::Corrected { message, failed, fixed }
            }
            (_, Some(message), fix) if fix == Fix::default() => Seen::Said { message, alone: self.alone },
            (_, None, fix) if fix == Fix::default() => Seen::Finding,
            (_, message, fix) => Seen::Fix(Fix { message, ..fix }),
        }
    }
}

#[cfg(test)]
mod tests;
