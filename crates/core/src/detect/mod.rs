//! Events → observations; one file per detector, each pure and deterministic, with its cases beside it.
//!
//! Comes in: one whole session. Goes out: what each detector saw, with the events that prove it. A detector that
//! is not sure says nothing. Deliberately absent: anything that looks at more than one session; that is `learn`.

mod confusion;
mod correction;
mod decision;
mod discovery;
mod error_fix;
mod instruction;
mod investigation;
mod mistake;
mod multi_step;
mod phrases;
mod pitfall;
mod problem_solution;
mod recovery;
mod related;
mod repeated;
mod retries;
mod rule;
pub mod signals;
mod steps;
mod success_sequence;
mod time_out;
mod way;
pub(crate) mod wording;
mod workflow;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::session::{Origin, Session};

pub use signals::{Signal, signals_of};
pub use wording::normal_statement;

/// What a lesson made of an observation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An error and the command that got past it.
    Recovery,
    /// What the user put right.
    Correction,
    /// What the user asked to be kept.
    Instruction,
    /// Commands that belong together.
    Procedure,
    /// What went wrong and should not again.
    Pitfall,
    /// What was settled, and why.
    Decision,
    /// Steps the user asks for in this order.
    Workflow,
    /// What was found out with effort.
    Insight,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Recovery,
        Self::Correction,
        Self::Instruction,
        Self::Procedure,
        Self::Pitfall,
        Self::Decision,
        Self::Workflow,
        Self::Insight,
    ];

    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Correction => "correction",
            Self::Instruction => "instruction",
            Self::Procedure => "procedure",
            Self::Pitfall => "pitfall",
            Self::Decision => "decision",
            Self::Workflow => "workflow",
            Self::Insight => "insight",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == word)
    }
}

/// How sure a detector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sure {
    /// Likely.
    Medium,
    /// Almost certainly.
    High,
}

impl Sure {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Self {
        if word == "high" { Self::High } else { Self::Medium }
    }
}

/// The error at which a lesson should be recalled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Trigger {
    /// The program that failed.
    pub program: String,
    /// The masked error line.
    pub error: String,
}

/// A step of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepForm {
    /// Its canonical form.
    pub normal: String,
    /// The command as it was run.
    pub command: String,
}

/// What one detector saw in one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Hash of detector, root session and events: the same for the same sight.
    pub id: String,
    /// Name of the detector.
    pub detector: Cow<'static, str>,
    /// What it is about.
    pub kind: Kind,
    /// The source of that session.
    pub source: String,
    /// Where it was seen.
    pub session: String,
    /// The root of that session; forks count once.
    pub root: String,
    /// The same for the same lesson in another session.
    pub key: String,
    /// A safe short name.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The statement an agent would be given.
    pub text: String,
    /// The commands shown with it.
    pub commands: Vec<String>,
    /// The steps of a procedure.
    #[serde(default)]
    pub steps: Vec<StepForm>,
    /// How sure.
    pub sure: Sure,
    /// The lowest origin of the bytes shown.
    pub trust: Origin,
    /// Whether the user's message says this and nothing else: what stands beside it may have been pasted, and so may it.
    #[serde(default)]
    pub alone: bool,
    /// Whether it would be suggested after this session alone.
    pub suggest: bool,
    /// Whether it says something about this project that would not hold anywhere.
    #[serde(default)]
    pub telling: bool,
    /// Ids of the events that prove it.
    pub events: Vec<String>,
    /// The failing call, for recoveries.
    pub failed: Option<String>,
    /// The call in which the same goal succeeded.
    pub fixed: Option<String>,
    /// What was run in between to get there.
    pub via: Vec<String>,
    /// The user's message, for corrections and instructions.
    pub message: Option<String>,
    /// The line the tool printed, as evidence; never part of the statement.
    pub error: Option<String>,
    /// The error at which to recall it.
    pub trigger: Option<Trigger>,
    /// Time of its last event.
    pub at: Option<i64>,
}

impl Observation {
    /// An observation with its identity; everything else is filled in by the detector.
    /// `last` is the place of the last of its events.
    pub(crate) fn new(detector: &'static str, kind: Kind, session: &Session, events: Vec<String>, last: usize) -> Self {
        let mut hash = blake3::Hasher::new();
        for part in [detector, &session.root].into_iter().chain(events.iter().map(String::as_str)) {
            hash.update(part.as_bytes());
            hash.update(&[0]);
        }
        let at = session.events.get(last).and_then(|e| e.at).or(session.ended());
        Self {
            id: hash.finalize().to_hex()[..20].to_owned(),
            detector: Cow::Borrowed(detector),
            kind,
            source: session.source.to_string(),
            session: session.id.clone(),
            root: session.root.clone(),
            key: String::new(),
            name: String::new(),
            title: String::new(),
            text: String::new(),
            commands: Vec::new(),
            steps: Vec::new(),
            sure: Sure::Medium,
            trust: Origin::Assistant,
            alone: false,
            suggest: false,
            telling: true,
            events,
            failed: None,
            fixed: None,
            via: Vec::new(),
            message: None,
            error: None,
            trigger: None,
            at,
        }
    }
}

/// A detector: its name, and what it sees in a session.
pub struct Detector {
    /// Its name, as shown to people.
    pub name: &'static str,
    /// Looks at one session.
    pub run: fn(&Session, &steps::Steps<'_>) -> Vec<Observation>,
}

/// All detectors, in the order in which suggestions are shown.
pub const DETECTORS: &[Detector] = &[
    Detector { name: "multi-step", run: multi_step::procedures },
    Detector { name: "error-recovery", run: recovery::recoveries },
    Detector { name: "user-correction", run: correction::corrections },
    Detector { name: "repeated-action", run: repeated::repetitions },
    Detector { name: "explicit-instruction", run: instruction::instructions },
    Detector { name: "rule", run: rule::rules },
    Detector { name: "workflow", run: workflow::workflows },
    Detector { name: "procedural", run: workflow::procedures },
    Detector { name: "decision", run: decision::decisions },
    Detector { name: "pitfall", run: pitfall::pitfalls },
    Detector { name: "success-sequence", run: success_sequence::sequences },
    Detector { name: "excessive-retries", run: retries::retries },
    Detector { name: "context-confusion", run: confusion::confusions },
    Detector { name: "time-out", run: time_out::time_outs },
    Detector { name: "problem-solution", run: problem_solution::solutions },
    Detector { name: "error-fix", run: error_fix::fixes },
    Detector { name: "deep-investigation", run: investigation::investigations },
    Detector { name: "discovery", run: discovery::discoveries },
];

/// Runs all detectors on a session.
pub fn detect(session: &Session) -> Vec<Observation> {
    let steps = steps::Steps::new(session);
    let mut seen: Vec<Observation> = DETECTORS.iter().flat_map(|d| (d.run)(session, &steps)).collect();
    once_per_message(&mut seen);
    seen
}

/// A message teaches one thing at a time: what led to a command is worth more than the words alone.
fn once_per_message(seen: &mut [Observation]) {
    let corrected: Vec<String> =
        seen.iter().filter(|o| o.kind == Kind::Correction && o.suggest).filter_map(|o| o.message.clone()).collect();
    for o in seen.iter_mut().filter(|o| o.kind != Kind::Correction) {
        o.suggest &= !o.message.as_ref().is_some_and(|m| corrected.contains(m));
    }
}

/// After one session: the best suggestion of each detector, in the detectors' order.
pub fn best_per_detector(observations: &[Observation]) -> Vec<&Observation> {
    DETECTORS
        .iter()
        .filter_map(|d| {
            let mut mine: Vec<&Observation> =
                observations.iter().filter(|o| o.detector == d.name && o.suggest).collect();
            // Surest first, then the earliest in the session: the order they come in.
            mine.sort_by_key(|o| std::cmp::Reverse(o.sure));
            mine.first().copied()
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
