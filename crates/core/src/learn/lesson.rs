//! A lesson: what a yes binds, where it comes from, and what speaks for it.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::evidence::{self, Bars, Weight};
use crate::detect::{Basis, FOR_USER, Kind, Leap, Sure, Trigger, WRITTEN_DOWN};
use crate::session::Origin;
use crate::worded::worded;

/// What observations add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Hash of kind, key and project.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// The same for the same lesson.
    pub key: String,
    /// What a person says yes to.
    pub payload: Payload,
    /// Where its words come from.
    pub origin: Provenance,
    /// What speaks for it; grows with every session.
    pub evidence: Evidence,
}

/// What a person says yes to: exactly this is bound by an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What an agent would be told.
    pub statement: String,
    /// The commands shown with it.
    pub commands: Vec<String>,
    /// The error at which to recall it.
    pub trigger: Option<Trigger>,
    /// The project it holds for.
    pub scope: String,
    /// A safe short name.
    pub name: String,
    /// One line for people.
    pub title: String,
}

/// Where a lesson holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// In its project.
    Project,
    /// On this computer, in every project.
    Machine,
    /// For this person, in every project.
    User,
}

worded!(Holds { Project = "project", Machine = "machine", User = "user" });

/// Where a lesson's words come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The detector that saw it first.
    pub detector: String,
    /// The lowest origin of the bytes it shows.
    pub trust: Origin,
    /// Whether its words were all there was of a message of the user.
    pub alone: bool,
    /// In which ways a reader's words go beyond their quotes; none for all others.
    pub leaps: Vec<Leap>,
    /// What a reader's statement rests on; `None` for all others.
    pub basis: Option<Basis>,
}

/// What speaks for a lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// How sure the surest observation is.
    pub sure: Sure,
    /// Number of root sessions it was seen in.
    pub sessions: usize,
    /// Number of root sessions in which exactly these commands succeeded.
    pub same: usize,
    /// Number of days it was seen on.
    pub days: usize,
    /// First time seen.
    pub first: Option<i64>,
    /// Last time seen.
    pub last: Option<i64>,
    /// Sources it was seen in.
    pub sources: Vec<String>,
    /// What the tool printed, for a person to read.
    pub error: Option<String>,
    /// Where it was seen, newest first.
    pub sightings: Vec<Sighting>,
    /// What it cost so far.
    pub spent: Spent,
    /// The figures it rests on, in words.
    pub tally: Option<String>,
    /// Whether it is specific, can be acted on and carries its reason.
    pub quality: bool,
    /// What that comes to.
    pub worth: Worth,
}

/// What a failure cost, over all sessions; nothing for lessons that are not about one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How often it was met.
    pub times: u64,
    /// Further calls until the goal was reached or given up.
    pub calls: u64,
    /// New tokens that these took, as far as clients count them.
    pub tokens: u64,
}

/// What the evidence for a lesson comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worth {
    /// How sure the evidence makes it, 0 to 1.
    pub confidence: f64,
    /// Whether it is worth showing.
    pub ready: bool,
    /// Order among lessons: higher first.
    pub rank: f64,
}

/// Where an observation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The observation.
    pub observation: String,
    /// Which source.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which events.
    pub events: Vec<String>,
    /// When.
    pub at: Option<i64>,
    /// A few words of it.
    pub quote: String,
}

impl Provenance {
    /// What a detector saw, in words of this origin.
    pub(super) fn of(detector: &str, trust: Origin) -> Self {
        Self { detector: detector.to_owned(), trust, alone: false, leaps: Vec::new(), basis: None }
    }
}

impl Payload {
    /// The bytes that are bound. The order of the parts is fixed for ever: another order would end every approval.
    pub(crate) fn canonical(&self) -> String {
        let text = |t: &str| Value::from(t).to_string();
        let commands: Vec<String> = self.commands.iter().map(|c| text(c)).collect();
        let trigger = self.trigger.as_ref().map_or_else(
            || "null".to_owned(),
            |t| format!(r#"{{"program":{},"error":{}}}"#, text(&t.program), text(&t.error)),
        );
        format!(
            r#"{{"statement":{},"commands":[{}],"trigger":{trigger},"scope":{},"name":{},"title":{}}}"#,
            text(&self.statement),
            commands.join(","),
            text(&self.scope),
            text(&self.name),
            text(&self.title)
        )
    }

    /// The sha256 of these bytes, in hex.
    pub(crate) fn sha256(&self) -> String {
        sha256_hex(self.canonical().as_bytes())
    }
}

impl Lesson {
    /// The project it holds for.
    pub fn project(&self) -> &str {
        &self.payload.scope
    }

    /// The id with the start of the payload's sum: a yes to it is a yes to these bytes.
    pub fn shown_id(&self) -> String {
        format!("{}-{}", self.id, &self.sha256()[..8])
    }

    /// The sha256 of the payload, in hex.
    pub fn sha256(&self) -> String {
        self.payload.sha256()
    }

    /// What speaks for it, as the evidence is judged.
    pub(super) fn weight(&self, deleted: bool) -> Weight {
        let e = &self.evidence;
        let sessions = u32::try_from(e.sessions).unwrap_or(u32::MAX);
        Weight { sessions, first: e.first, last: e.last, quality: e.quality, deleted }
    }

    /// Takes a deletion into account: only a new approval ends it.
    pub fn penalise(&mut self, bars: &Bars) {
        let judged = evidence::judge(bars.for_lesson(self), &self.weight(true), 0);
        (self.evidence.worth.confidence, self.evidence.worth.ready) = (judged.confidence, judged.ready);
    }

    /// Whether an agent wrote it down for itself: others may not know it.
    pub fn is_note(&self) -> bool {
        self.origin.detector == WRITTEN_DOWN
    }

    /// Whether it came up again, an agent wrote it down, or the user asked for it to be kept or said it for all such work.
    pub fn is_grounded(&self) -> bool {
        let asked = matches!(self.origin.detector.as_str(), "explicit-instruction" | "by-hand");
        // A reader heard the user say it for all such work, in words that prove it.
        let stated = self.origin.basis == Some(Basis::Stated) && self.origin.leaps.is_empty();
        self.evidence.sessions >= 2 || asked && self.origin.trust == Origin::User || self.is_note() || stated
    }

    /// Where it holds.
    pub fn holds(&self) -> Holds {
        // A heading of a file is anybody's words.
        let title = self.payload.title.split(", under “").next().unwrap_or_default();
        if title.ends_with(FOR_USER) {
            Holds::User
        } else if self.payload.scope.starts_with("machine:") {
            Holds::Machine
        } else {
            Holds::Project
        }
    }
}

/// The sha256 of bytes, in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    // An agent waits for a hook that makes many: to format each byte takes as long as the sum itself.
    let digits = Sha256::digest(bytes).into_iter().flat_map(|b| [b >> 4, b & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(trigger: Option<Trigger>) -> Payload {
        Payload {
            statement: "Say \"no\"\n\u{1} \\ ü".into(),
            commands: vec!["a 'b'".into(), "c".into()],
            trigger,
            scope: "path:/p".into(),
            name: "say-no".into(),
            title: "T".into(),
        }
    }

    #[test]
    fn the_bound_bytes_are_json_in_a_fixed_order() {
        let none = r#"{"statement":"Say \"no\"\n\u0001 \\ ü","commands":["a 'b'","c"],"trigger":null,"scope":"path:/p","name":"say-no","title":"T"}"#;
        assert_eq!(payload(None).canonical(), none);
        let with = payload(Some(Trigger { program: "p".into(), error: "e \"x\"".into() })).canonical();
        assert_eq!(with, none.replace("null", r#"{"program":"p","error":"e \"x\""}"#));
    }
}
