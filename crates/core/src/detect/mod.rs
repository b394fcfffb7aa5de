//! Events → observations; one file per detector, each pure and deterministic, with its cases beside it.
//!
//! Comes in: one whole session. Goes out: what each detector saw, with the events that prove it. A detector that
//! is not sure says nothing. Deliberately absent: anything that looks at more than one session; that is `learn`.

mod checks;
mod confusion;
mod correction;
mod discovery;
mod error_fix;
mod failures;
pub mod former;
mod instruction;
mod investigation;
mod mistake;
mod multi_step;
mod noted;
mod observation;

mod problem_solution;
mod proposed;
pub(crate) mod quote;
mod recovery;
mod related;
mod repeated;
mod retries;
mod said;
pub mod signals;
mod steps;
mod success_sequence;
mod tallies;
mod texts;
mod time_out;
mod way;
pub(crate) mod wording;

use crate::session::{Origin, Session};
use crate::worded::worded;

pub(crate) use checks::FOUND;
#[cfg(test)]
pub(crate) use failures::key as cause_key;
pub(crate) use observation::id as observation_id;
pub use observation::{Claim, Fix, HandedIn, Head, Met, Observation, Seen, StepForm, Sure, Tally, Trigger, WayOut};
pub use proposed::{Basis, FOR_USER, Leap, PROPOSED, PROPOSED_FOR_USER, Proposed, Second};
pub use signals::{Signal, signals_of};
pub(crate) use wording::normal_statement;

/// What a lesson made of an observation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// What holds in a project or on a machine, read off all sessions together.
    Fact,
}

worded!(Kind {
    Recovery = "recovery", Correction = "correction", Instruction = "instruction", Procedure = "procedure", Pitfall = "pitfall",
    Decision = "decision", Workflow = "workflow", Insight = "insight", Fact = "fact",
});

/// A detector: its name, its version, and what it sees in a session.
pub struct Detector {
    /// Its name, as shown to people.
    pub name: &'static str,
    /// Raised when it sees something else in the same session: then `learn` runs the detectors again on what is kept.
    pub version: u32,
    /// Looks at one session.
    run: fn(&Session, &steps::Steps<'_>) -> Vec<Observation>,
}

/// All detectors, in the order in which suggestions are shown.
pub const DETECTORS: &[Detector] = &[
    Detector { name: "multi-step", version: 1, run: multi_step::procedures },
    Detector { name: "error-recovery", version: 1, run: recovery::recoveries },
    Detector { name: "user-correction", version: 3, run: correction::corrections },
    Detector { name: REPEATED, version: 1, run: repeated::repetitions },
    Detector { name: "explicit-instruction", version: 2, run: instruction::instructions },
    Detector { name: "rule", version: 3, run: said::rules },
    Detector { name: WRITTEN_DOWN, version: 4, run: noted::notes },
    Detector { name: "workflow", version: 2, run: said::workflows },
    Detector { name: REQUESTS, version: 1, run: said::requests },
    Detector { name: "procedural", version: 2, run: said::procedures },
    Detector { name: "decision", version: 2, run: said::decisions },
    Detector { name: "pitfall", version: 3, run: said::pitfalls },
    Detector { name: "success-sequence", version: 1, run: success_sequence::sequences },
    Detector { name: "excessive-retries", version: 2, run: retries::retries },
    Detector { name: "context-confusion", version: 1, run: confusion::confusions },
    Detector { name: "time-out", version: 1, run: time_out::time_outs },
    Detector { name: "problem-solution", version: 1, run: problem_solution::solutions },
    Detector { name: "error-fix", version: 1, run: error_fix::fixes },
    Detector { name: "deep-investigation", version: 1, run: investigation::investigations },
    Detector { name: "discovery", version: 1, run: discovery::discoveries },
    Detector { name: FAILURES, version: 4, run: failures::failures },
    Detector { name: TALLIES, version: 5, run: tallies::tallies },
    Detector { name: CHECKS, version: 1, run: checks::checks },
];

/// The detector of requests that come up again, with what was then run.
pub const REQUESTS: &str = "request";
/// The detector of commands that a session ran again and again.
pub(crate) const REPEATED: &str = "repeated-action";

/// The detector that sees what agents write into files that tell agents how to work.
pub const WRITTEN_DOWN: &str = "written-down";

/// The key of what that detector sees of files that are written whole: no lesson by itself, it ends others.
pub const WRITTEN_WHOLE: &str = "*written whole*";

/// The detector whose observations are failures: they are looked at together with what worked.
pub const FAILURES: &str = "recurring-failure";

/// The detector that counts what worked where; its observations are no lessons by themselves.
pub const TALLIES: &str = "tallies";

/// The detector of the commands that changes are checked with.
pub const CHECKS: &str = "checks";

/// The detector whose observations are checked proposals of a reader. It is not in the table: it needs a model, reads each
/// session once, and what it saw stays when the others look again.
pub const READER: &str = "reader";

/// The name under which what agents hand in themselves stands beside what detectors see.
pub const SUBMITTED: &str = "submitted";

/// Raised when what all detectors look through changes: how commands, errors and statements are compared.
const COMMON_VERSION: u32 = 3;

/// Which detectors these are. Another text as soon as one of them, or what they share, has another version.
pub fn version() -> String {
    version_of(COMMON_VERSION, DETECTORS)
}

fn version_of(common: u32, detectors: &[Detector]) -> String {
    let all = detectors.iter().map(|d| format!("{}@{}", d.name, d.version)).collect::<Vec<_>>().join(",");
    blake3::hash(format!("{common},{all}").as_bytes()).to_hex()[..16].to_owned()
}

/// Runs all detectors on a session.
pub fn detect(session: &Session) -> Vec<Observation> {
    let steps = steps::Steps::new(session);
    let mut seen: Vec<Observation> = DETECTORS.iter().flat_map(|d| (d.run)(session, &steps)).collect();
    once_per_message(&mut seen);
    quote::add_quotes(session, &mut seen);
    seen
}

/// A message teaches one thing at a time: what led to a command is worth more than the words alone.
fn once_per_message(seen: &mut [Observation]) {
    let put_right = seen.iter().filter(|o| o.claim.kind == Kind::Correction && o.claim.suggest);
    let corrected: Vec<String> = put_right.filter_map(|o| o.seen.message()).map(str::to_owned).collect();
    // Where the agent wrote down what it was asked to keep, its words are what was kept.
    let noted = seen.iter().filter(|o| o.head.detector == WRITTEN_DOWN && o.claim.suggest);
    let noted: Vec<String> = noted.filter_map(|o| o.seen.message()).map(str::to_owned).collect();
    for o in seen.iter_mut().filter(|o| o.claim.kind != Kind::Correction && o.head.detector != WRITTEN_DOWN) {
        let request = o.head.detector == "explicit-instruction" && o.claim.trust != Origin::User;
        let told = |list: &[String]| o.seen.message().is_some_and(|m| list.iter().any(|c| c == m));
        o.claim.suggest &= !(told(&corrected) || request && told(&noted));
    }
}

/// After one session: the best suggestion of each detector, in the detectors' order.
pub fn best_per_detector(observations: &[Observation]) -> Vec<&Observation> {
    DETECTORS
        .iter()
        .filter_map(|d| {
            let mut mine: Vec<&Observation> =
                observations.iter().filter(|o| o.head.detector == d.name && o.claim.suggest).collect();
            // Surest first, then the earliest in the session: the order they come in.
            mine.sort_by_key(|o| std::cmp::Reverse(o.claim.sure));
            mine.first().copied()
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
