//! Facts: what holds in a project or on a machine, read off all sessions together.
//!
//! Comes in: all failures of one cause in a project ([`Met`]), and tallies of what worked where ([`Place`]). Goes out: a
//! lesson that says what to do, if the cause came up in several sessions, something can be done about it, and nothing that
//! worked later speaks against it. Recurrence, outcome and cost decide; the table of `advice` only words what is well known.

mod advice;
mod checks;
mod findings;
mod saying;

use std::collections::BTreeSet;

use super::evidence::{self, Bars};
use super::{Evidence, Lesson, Payload, Provenance, Spent, Worth, counted, lesson_id};
use crate::detect::{CHECKS, Kind, Met, Observation, Trigger};
use crate::failure::{ANY, Family};

use saying::Saying;
pub(crate) use saying::{folder, is_entered};
pub use saying::{meant, runs_of, works_in};

/// Where something worked, over all sessions of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of a file, or the folder in which a program ran; from the root.
    pub place: String,
    /// In how many root sessions.
    pub sessions: u32,
    /// How often it worked.
    pub ok: u32,
    /// How often it could not even begin.
    pub failed: u32,
    /// When it was last counted.
    pub last: Option<i64>,
}

/// What worked in a project: tallies, by what they count.
pub type Worked<'w> = dyn Fn(&str) -> Vec<Place> + 'w;

/// Stands between the cause and what to do in the key of a fact: several facts may be known of one cause.
const AND: &str = " → ";

/// The cause that a fact is about: the key of its observations.
pub fn cause_of(key: &str) -> &str {
    key.split(AND).next().unwrap_or(key)
}

/// All causes that a fact of this key may be about: a cause may have an arrow in its own words.
pub fn may_be_causes(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices(AND).map(|(at, _)| &key[..at]).chain([key])
}

/// Whether a fact is for the start of a session. That paths are guessed wrong is not: it is there for the names of files that it lets
/// be told, and says nothing without one.
pub fn is_for_start(fact: &Lesson) -> bool {
    let guessed = |t: &Trigger| t.error == ANY && Family::parse(&t.program) == Family::MissingPath;
    !fact.payload.trigger.as_ref().is_some_and(guessed) && !fact.key.contains(&format!("{AND}{}", saying::AFTER))
}

/// Whether a fact is for the moment of its failure.
pub fn is_for_failure(fact: &Lesson) -> bool {
    !fact.key.contains(&format!("{AND}{}", saying::BEFORE))
}

/// Whether a fact names nothing of its project: how an agent's own tools and the shell are used, and what holds for all paths.
pub fn is_general(fact: &Lesson) -> bool {
    let Some(trigger) = fact.payload.trigger.as_ref().filter(|_| fact.kind == Kind::Fact) else { return false };
    let family = Family::parse(&trigger.program);
    trigger.error == ANY || matches!(family, Family::ToolPrecondition | Family::ShellDialect | Family::ToolUnavailable)
}

/// All failures of one cause, added up.
struct Cause<'o> {
    seen: Vec<&'o Observation>,
    met: Vec<&'o Met>,
}

impl<'o> Cause<'o> {
    fn of(mut seen: Vec<&'o Observation>) -> Option<Self> {
        seen.sort_by(|a, b| b.head.at.cmp(&a.head.at).then_with(|| a.head.id.cmp(&b.head.id)));
        let met: Vec<&Met> = seen.iter().filter_map(|o| o.seen.met()).collect();
        (!met.is_empty() && met.len() == seen.len()).then_some(Self { seen, met })
    }

    /// The newest.
    fn newest(&self) -> &'o Met {
        self.met[0]
    }

    fn last(&self) -> Option<i64> {
        self.seen.iter().filter_map(|o| o.head.at).max()
    }

    fn spent(&self) -> Spent {
        let sum = |of: fn(&Met) -> u32| self.met.iter().map(|m| u64::from(of(m))).sum::<u64>();
        Spent { times: sum(|m| m.times), calls: sum(|m| m.calls), tokens: sum(|m| m.tokens) }
    }
}

/// What is known of one cause in a project; `None` if nothing can be done about it.
pub(super) fn fold(project: &str, group: &[&Observation], bars: &Bars, worked: &Worked<'_>) -> Option<Lesson> {
    if group.first().is_some_and(|o| o.head.detector == CHECKS) {
        return checks::fold(project, group, bars);
    }
    let cause = Cause::of(group.to_vec())?;
    let saying = saying::of(&cause, worked)?;
    Some(lesson(project, &cause, saying, bars))
}

fn lesson(project: &str, cause: &Cause<'_>, saying: Saying, bars: &Bars) -> Lesson {
    let Saying { key, text, commands, trust, tally } = saying;
    let key = format!("{}{AND}{key}", cause.seen[0].claim.key);
    let newest = cause.newest();
    let seen = counted(cause.seen[0], &cause.seen);
    let evidence = Evidence { spent: cause.spent(), tally, quality: true, ..seen };
    let mut lesson = Lesson {
        id: lesson_id(Kind::Fact, &key, project),
        kind: Kind::Fact,
        payload: Payload {
            name: newest.name(),
            title: saying::title(newest),
            statement: text,
            commands,
            trigger: Some(Trigger { program: newest.family.as_str().to_owned(), error: newest.subject.clone() }),
            scope: project.to_owned(),
        },
        key,
        origin: Provenance::of(&cause.seen[0].head.detector, trust),
        evidence,
    };
    let judged = evidence::judge(bars.of(Kind::Fact, &lesson.origin.detector), &lesson.weight(false), 0);
    lesson.evidence.worth = Worth { confidence: judged.confidence, ready: judged.ready, rank: rank(&lesson) };
    lesson
}

/// What holds on a machine, whatever the project: seen in several projects, or a matter of the shell itself. `group` is all
/// that was met of one cause, each with its project; `worked` tells what worked in any. Nothing of a project's own bytes is said: only what
/// the table words.
pub fn fold_machine(machine: &str, group: &[(&str, &Observation)], bars: &Bars, worked: &Worked<'_>) -> Option<Lesson> {
    let projects: BTreeSet<&str> = group.iter().map(|(project, _)| *project).collect();
    let cause = Cause::of(group.iter().map(|(_, o)| *o).collect())?;
    let newest = cause.newest();
    if projects.len() < PROJECTS && newest.family != Family::ShellDialect {
        return None;
    }
    let saying = saying::of_machine(&cause, worked)?;
    let tally = (projects.len() > 1).then(|| format!("in {} projects", projects.len()));
    Some(lesson(machine, &cause, Saying { tally, ..saying }, bars))
}

/// In how many projects a fact must have been met to hold on the machine.
const PROJECTS: usize = 2;

/// Whether a cause may hold in every project of a machine.
pub fn may_be_everywhere(key: &str) -> bool {
    let (family, subject) = key.split_once(' ').unwrap_or((key, ""));
    match Family::parse(family) {
        Family::ShellDialect | Family::ToolPrecondition | Family::ToolUnavailable | Family::MissingProgram => true,
        Family::WrongUsage | Family::MissingStep | Family::Conflict | Family::TimeOut | Family::Sandbox => true,
        Family::MissingPath | Family::WrongFolder => subject == ANY,
        _ => false,
    }
}

/// What a hint costs, in tokens.
const HINT: u64 = 60;
/// What a further call costs where the client does not count tokens.
const CALL: u64 = 400;

/// By what it cost so far, as the best guess of what it will cost: how often it came up, times what that took, less what
/// the hints would have cost.
fn rank(lesson: &Lesson) -> f64 {
    let Spent { times, calls, tokens } = lesson.evidence.spent;
    let cost = tokens.max(calls * CALL).max(times * CALL);
    let rank = rank_of(cost.saturating_sub(HINT * lesson.evidence.sessions as u64));
    if is_general(lesson) { rank - GENERAL } else { rank }
}

/// What is true everywhere is told by every manual: it comes behind what cost ten times less and is of this project.
const GENERAL: f64 = 2.3; // ln 10

/// The rank of what would have saved so many tokens.
fn rank_of(saved: u64) -> f64 {
    6.0 + saving(saved)
}

/// What saving so many tokens adds to a rank.
pub(super) fn saving(tokens: u64) -> f64 {
    (1.0 + tokens as f64 / 500.0).ln()
}

#[cfg(test)]
mod tests;
