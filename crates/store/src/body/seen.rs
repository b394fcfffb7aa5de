//! Observations as they are kept.
//!
//! Comes in: an observation, and the row it is read from. Goes out: the column `body`, and back. Older releases wrote all
//! of an observation into its body; such bodies are read as they are.

use std::borrow::Cow;

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use uptake_core::detect::{Claim, Fix, HandedIn, Head, Kind, Observation, Seen, StepForm, Sure, Tally};
use uptake_core::session::Origin;

use super::met::MetBody;
use super::proposed::ProposedBody;
use super::{Text, TriggerBody, is_empty, is_false, is_surest, surest, there};
use crate::open::json;

/// An observation as it is kept in the row of a session.
pub(crate) fn of_observation(o: &Observation, source: &str, session: &str) -> rusqlite::Result<String> {
    json(&ObservationBody::of(o, source, session))
}

/// What [`observation_in`] reads: the first columns of a row, in this order.
pub(crate) const OBSERVATION: &str = "body, id, detector, kind, key, source, session, root, at";

/// The places of these columns. To look them up by name, in every row, took as long as reading the body.
mod column {
    pub const BODY: usize = 0;
    pub const ID: usize = 1;
    pub const DETECTOR: usize = 2;
    pub const KIND: usize = 3;
    pub const KEY: usize = 4;
    pub const SOURCE: usize = 5;
    pub const SESSION: usize = 6;
    pub const ROOT: usize = 7;
    pub const AT: usize = 8;
}

/// Reads an observation from its row; `None` if it is none.
pub(crate) fn observation_in(r: &Row<'_>) -> rusqlite::Result<Option<Observation>> {
    Ok(body_in(r)?.and_then(|body| body.observation(OwnWords::Made)))
}

/// The same for a fold: a failure without name and text, which it has from its family, subject and error. A fold words
/// failures by these.
pub(crate) fn observation_for_fold(r: &Row<'_>) -> rusqlite::Result<Option<Observation>> {
    Ok(body_in(r)?.and_then(|body| body.observation(OwnWords::LeftOut)))
}

fn body_in<'r>(r: &'r Row<'_>) -> rusqlite::Result<Option<ObservationBody<'r>>> {
    let Ok(body) = r.get_ref(column::BODY)?.as_str() else { return Ok(None) };
    serde_json::from_str::<ObservationBody<'_>>(body).ok().map(|body| body.with_columns(r)).transpose()
}

/// What is done about the name and the text of a failure, which are not kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnWords {
    Made,
    LeftOut,
}

/// What an observation counts; nothing if it counts nothing.
pub(crate) fn tallies(body: &str) -> Vec<Tally> {
    let body = serde_json::from_str::<ObservationBody<'_>>(body);
    body.map(|b| b.worked.into_iter().map(TallyBody::tally).collect()).unwrap_or_default()
}

/// Whether a body in a row can be read.
pub(crate) fn is_observation(body: &str) -> bool {
    serde_json::from_str::<ObservationBody<'_>>(body).is_ok()
}

/// What the column `root` says where the session is its own root, as nearly all are.
const SAME_ROOT: &str = "";

/// The column `root` of an observation.
pub(crate) fn root_column(o: &Observation) -> &str {
    if o.head.root == o.head.session { SAME_ROOT } else { &o.head.root }
}

/// Tags of what an agent handed in, and what it names.
#[derive(Serialize, Deserialize)]
struct HandedBody<'b>(Cow<'b, [String]>, Cow<'b, [String]>);

#[derive(Serialize, Deserialize)]
struct StepBody<'b> {
    #[serde(borrow)]
    normal: Text<'b>,
    #[serde(borrow)]
    command: Text<'b>,
}

/// An event: its place in the list of events, or its id if it is not there.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EventBody<'b> {
    Place(usize),
    #[serde(borrow)]
    Id(Text<'b>),
}

impl<'b> EventBody<'b> {
    fn of(id: &'b str, events: &[String]) -> Self {
        let place = events.iter().position(|e| e == id);
        place.map_or_else(|| Self::Id(Cow::from(id)), Self::Place)
    }

    fn id(self, events: &[String]) -> Option<String> {
        match self {
            Self::Place(n) => events.get(n).cloned(),
            Self::Id(id) => Some(id.into_owned()),
        }
    }
}

/// A part of a text: words, or one of the commands.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Part<'b> {
    Command(usize),
    #[serde(borrow)]
    Words(Text<'b>),
}

/// A text: as it is, or in parts so that no command is kept twice.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TextBody<'b> {
    #[serde(borrow)]
    Whole(Text<'b>),
    #[serde(borrow)]
    Parts(Vec<Part<'b>>),
}

/// A command shorter than this costs less than telling its place.
const SHORTEST: usize = 8; // bytes

impl<'b> TextBody<'b> {
    fn of(text: &'b str, commands: &[String]) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((at, n)) = first_command(rest, commands) {
            let (words, behind) = rest.split_at(at);
            if !words.is_empty() {
                parts.push(Part::Words(Cow::from(words)));
            }
            parts.push(Part::Command(n));
            rest = &behind[commands[n].len()..];
        }
        if parts.is_empty() {
            return Self::Whole(Cow::from(text));
        }
        if !rest.is_empty() {
            parts.push(Part::Words(Cow::from(rest)));
        }
        Self::Parts(parts)
    }

    fn text(self, commands: &[String]) -> Option<String> {
        match self {
            Self::Whole(text) => Some(text.into_owned()),
            Self::Parts(parts) => parts
                .into_iter()
                .map(|part| match part {
                    Part::Words(words) => Some(words),
                    Part::Command(n) => commands.get(n).map(Cow::from),
                })
                .collect(),
        }
    }
}

/// The first place at which a command stands in a text, and which it is; of several there, the longest.
fn first_command(text: &str, commands: &[String]) -> Option<(usize, usize)> {
    let long = commands.iter().enumerate().filter(|(_, c)| c.len() >= SHORTEST);
    let found = long.filter_map(|(n, c)| Some((text.find(c.as_str())?, std::cmp::Reverse(c.len()), n)));
    found.min().map(|(at, _, n)| (at, n))
}

/// The files, with line ends between them, and whether the words were taken out of them.
#[derive(Serialize, Deserialize)]
struct NotedBody<'b>(#[serde(borrow)] Text<'b>, bool);

/// A file that was written whole, and the sums of what it says, with spaces between them.
#[derive(Serialize, Deserialize)]
struct WholeBody<'b>(#[serde(borrow)] Text<'b>, #[serde(borrow)] Text<'b>);

/// What, where, how often it worked and how often not.
#[derive(Serialize, Deserialize)]
struct TallyBody<'b>(#[serde(borrow)] Text<'b>, #[serde(borrow)] Text<'b>, u32, u32);

impl<'b> TallyBody<'b> {
    fn of(t: &'b Tally) -> Self {
        Self(Cow::from(&t.what), Cow::from(&t.place), t.ok, t.failed)
    }

    fn tally(self) -> Tally {
        let Self(what, place, ok, failed) = self;
        Tally { what: what.into_owned(), place: place.into_owned(), ok, failed }
    }
}

#[derive(Serialize, Deserialize)]
struct ObservationBody<'b> {
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    id: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    detector: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    kind: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    source: Option<Text<'b>>,
    /// Not there: that of the row, as with all above.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    session: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    root: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    key: Option<Text<'b>>,
    #[serde(default, borrow, skip_serializing_if = "str::is_empty")]
    name: Text<'b>,
    #[serde(default, borrow, skip_serializing_if = "str::is_empty")]
    title: Text<'b>,
    /// Not there: the message.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    text: Option<TextBody<'b>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    commands: Cow<'b, [String]>,
    #[serde(default, borrow, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepBody<'b>>,
    #[serde(default = "surest", borrow, skip_serializing_if = "is_surest")]
    sure: Text<'b>,
    #[serde(borrow)]
    trust: Text<'b>,
    #[serde(default, skip_serializing_if = "is_false")]
    alone: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    suggest: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    telling: bool,
    #[serde(default, skip_serializing_if = "is_empty")]
    events: Cow<'b, [String]>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    failed: Option<EventBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    fixed: Option<EventBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Vec::is_empty")]
    via: Vec<EventBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    message: Option<Text<'b>>,
    /// Not there: that of the trigger.
    #[serde(default, borrow, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    error: Option<Option<Text<'b>>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    trigger: Option<TriggerBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    met: Option<MetBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Vec::is_empty")]
    worked: Vec<TallyBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    noted: Option<NotedBody<'b>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    whole: Option<WholeBody<'b>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proposed: Option<ProposedBody>,
    /// What an agent said of what it handed in: tags, and what it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handed: Option<HandedBody<'b>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
    /// Not there: the error, else the message.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    quote: Option<Text<'b>>,
}

impl<'b> ObservationBody<'b> {
    fn of(o: &'b Observation, source: &str, session: &str) -> Self {
        let Observation { head, claim, seen } = o;
        let step = |s: &'b StepForm| StepBody { normal: Cow::from(&s.normal), command: Cow::from(&s.command) };
        let event = |id: &'b str| EventBody::of(id, &head.events);
        let (error, message, trigger) = (seen.error(), seen.message(), seen.trigger());
        let quote = error.or(message).unwrap_or_default();
        Self {
            id: None,
            detector: None,
            kind: None,
            source: (head.source != source).then(|| Cow::from(&head.source)),
            session: (head.session != session).then(|| Cow::from(&head.session)),
            root: None,
            key: None,
            // A failure says its own name and text.
            name: Cow::from(if seen.met().is_some() { "" } else { &claim.name }),
            title: Cow::from(&claim.title),
            text: (seen.met().is_none() && message != Some(claim.text.as_str()))
                .then(|| TextBody::of(&claim.text, &claim.commands)),
            commands: Cow::from(&claim.commands),
            steps: seen.steps().iter().map(step).collect(),
            sure: Cow::from(claim.sure.as_str()),
            trust: Cow::from(claim.trust.as_str()),
            alone: seen.alone(),
            suggest: claim.suggest,
            telling: claim.telling,
            events: Cow::from(&head.events),
            failed: seen.failed().map(event),
            fixed: seen.fixed().map(event),
            via: seen.via().iter().map(|id| event(id)).collect(),
            message: message.map(Cow::from),
            error: (error != trigger.map(|t| t.error.as_str())).then(|| error.map(Cow::from)),
            trigger: trigger.map(TriggerBody::of),
            met: seen.met().map(MetBody::of),
            worked: seen.worked().iter().map(TallyBody::of).collect(),
            noted: match seen {
                Seen::Noted { files, gone, .. } => Some(NotedBody(files.join("\n").into(), *gone)),
                _ => None,
            },
            whole: match seen {
                Seen::Whole { file, says } => Some(WholeBody(Cow::from(file), says.join(" ").into())),
                _ => None,
            },
            proposed: seen.proposed().map(ProposedBody::of),
            handed: match seen {
                Seen::HandedIn(HandedIn { tags, citations }) => Some(HandedBody(Cow::from(tags), Cow::from(citations))),
                _ => None,
            },
            at: None,
            quote: (head.quote != quote).then(|| Cow::from(&head.quote)),
        }
    }

    /// The columns count only where the body is silent. A body with an id is of an older release, and says all there is.
    fn with_columns(mut self, r: &Row<'_>) -> rusqlite::Result<Self> {
        if self.id.is_some() {
            self.error.get_or_insert_default();
            self.quote.get_or_insert_default();
            return Ok(self);
        }
        let text = |place: usize| r.get::<_, String>(place).map(Cow::from);
        (self.id, self.detector) = (Some(text(column::ID)?), Some(text(column::DETECTOR)?));
        (self.kind, self.key) = (Some(text(column::KIND)?), Some(text(column::KEY)?));
        self.at = r.get(column::AT)?;
        if self.source.is_none() {
            self.source = Some(text(column::SOURCE)?);
        }
        if self.session.is_none() {
            self.session = Some(text(column::SESSION)?);
        }
        self.root = Some(text(column::ROOT)?).filter(|root| root != SAME_ROOT).or_else(|| self.session.clone());
        Ok(self)
    }

    fn observation(mut self, own: OwnWords) -> Option<Observation> {
        let kind = Kind::parse(&self.kind.take()?)?;
        let error = match self.error.take() {
            Some(said) => said,
            None => self.trigger.as_ref().map(|t| t.error.clone()),
        };
        let quote = self.quote.take().or_else(|| error.clone()).or_else(|| self.message.clone()).unwrap_or_default();
        let text = self.text.take();
        let message = self.message.clone();
        let seen = self.seen(kind, error.map(Cow::into_owned))?;
        let text = match (text, seen.met()) {
            (Some(text), _) => text.text(&self.commands)?,
            (None, Some(_)) if own == OwnWords::LeftOut => String::new(),
            (None, Some(met)) => met.text(),
            (None, None) => message?.into_owned(),
        };
        let name = match seen.met() {
            Some(_) if own == OwnWords::LeftOut => String::new(),
            Some(met) => met.name(),
            None => self.name.into_owned(),
        };
        Some(Observation {
            head: Head {
                id: self.id?.into_owned(),
                detector: Cow::Owned(self.detector?.into_owned()),
                source: self.source?.into_owned(),
                session: self.session?.into_owned(),
                root: self.root?.into_owned(),
                events: self.events.into_owned(),
                at: self.at,
                quote: quote.into_owned(),
            },
            claim: Claim {
                kind,
                key: self.key?.into_owned(),
                name,
                title: self.title.into_owned(),
                text,
                commands: self.commands.into_owned(),
                sure: Sure::parse(&self.sure),
                trust: Origin::parse(&self.trust),
                suggest: self.suggest,
                telling: self.telling,
            },
            seen,
        })
    }

    /// The parts that are there say what was seen: no two kinds of it fill the same ones. `None` if an event is missing.
    fn seen(&mut self, kind: Kind, error: Option<String>) -> Option<Seen> {
        let event = |place: Option<EventBody<'b>>| match place {
            Some(place) => place.id(&self.events).map(Some),
            None => Some(None),
        };
        if let Some(met) = self.met.take() {
            return Some(Seen::Met(met.met(error?)));
        }
        if let Some(proposed) = self.proposed.take() {
            return Some(Seen::Proposed(proposed.proposed(self.alone)));
        }
        if let Some(HandedBody(tags, citations)) = self.handed.take() {
            return Some(Seen::HandedIn(HandedIn { tags: tags.into_owned(), citations: citations.into_owned() }));
        }
        if !self.worked.is_empty() {
            return Some(Seen::Worked(self.worked.drain(..).map(TallyBody::tally).collect()));
        }
        if let Some(WholeBody(file, says)) = self.whole.take() {
            let says = says.split_whitespace().map(str::to_owned).collect();
            return Some(Seen::Whole { file: file.into_owned(), says });
        }
        let message = self.message.take().map(Cow::into_owned);
        if let Some(NotedBody(files, gone)) = self.noted.take() {
            let files = files.lines().map(str::to_owned).collect();
            return Some(Seen::Noted { files, message, gone });
        }
        let fix = Fix {
            failed: event(self.failed.take())?,
            fixed: event(self.fixed.take())?,
            via: self.via.drain(..).map(|place| place.id(&self.events)).collect::<Option<_>>()?,
            message: None,
            error,
            trigger: self.trigger.take().map(TriggerBody::trigger),
        };
        if !self.steps.is_empty() {
            let step = |s: StepBody<'b>| StepForm { normal: s.normal.into_owned(), command: s.command.into_owned() };
            return Some(Seen::Steps(self.steps.drain(..).map(step).collect()));
        }
        Some(match (kind, message, fix) {
            (Kind::Correction, Some(message), Fix { failed: Some(failed), fixed: Some(fixed), .. }) => {
                Seen::Corrected { message, failed, fixed }
            }
            (_, Some(message), fix) if fix == Fix::default() => Seen::Said { message, alone: self.alone },
            (_, None, fix) if fix == Fix::default() => Seen::Finding,
            (_, message, fix) => Seen::Fix(Fix { message, ..fix }),
        })
    }
}
