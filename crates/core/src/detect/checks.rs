//! `checks`: with which commands a session checked what it had changed.
//!
//! One observation for a session that changed files, also if it ran nothing: over all sessions it is counted how many of
//! those that change something run a command. What counts is structure: it ran after a change, it does more than look,
//! and it is not what every session does anyway (`git status`). Which of them are the project's checks is decided over all
//! sessions in `learn`.

use std::collections::BTreeMap;

use super::steps::{Step, Steps};
use super::{CHECKS, Kind, Observation, Seen, StepForm, Sure};
use crate::failure::{self, Family};
use crate::normal::command::{everyday, program, working};
use crate::normal::programs::{self, Role};
use crate::normal::reading::only_looks;
use crate::normal::shell::Simple;
use crate::session::{Call, Origin, Outcome, Session, ToolKind};

/// Longest command that is kept: a script of its own is no habit.
const LIMIT: usize = 100;
/// Most commands of one session.
const MOST: usize = 12;
/// Changes after which a session can be held to have worked on code.
const CHANGES: usize = 2;

/// Stands before a command that found something to complain of in this session: it is a check, whatever its name.
pub(crate) const FOUND: &str = "found: ";

/// Finds the commands.
pub(super) fn checks(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let changed = |c: &Call| c.kind == ToolKind::Edit && c.outcome == Outcome::Ok;
    let changes: Vec<usize> =
        session.events.iter().enumerate().filter(|(_, e)| e.call().is_some_and(changed)).map(|(at, _)| at).collect();
    let Some(first) = changes.first().copied().filter(|_| changes.len() >= CHANGES) else { return Vec::new() };
    let mut found: BTreeMap<String, Run<'_>> = BTreeMap::new();
    for step in steps.all.iter().filter(|s| s.at > first && !s.only_reads() && has_run(s, steps)) {
        let commands = working(&step.script);
        for command in &commands {
            let goal = failure::goal(command);
            let Some(text) = shown(command, &goal, step.line) else { continue };
            let run = found.entry(goal).or_insert(Run { step, text, checked: false });
            run.checked |=
                is_checker(command) || step.failed() && (commands.len() == 1 || speaks(command, step, steps));
            // The shortest way to call it is what it is called by.
            if text.len() < run.text.len() {
                run.text = text;
            }
        }
    }
    let mut found: Vec<(String, Run<'_>)> = found.into_iter().collect();
    found.sort_by_key(|(_, run)| run.step.at);
    found.truncate(MOST);
    let events = found.iter().take(2).map(|(_, run)| run.step.id.to_owned()).collect();
    let mut o = Observation::about(CHECKS, CHECKS, Kind::Fact, session, events, session.events.len() - 1);
    (o.claim.key, o.claim.name) = (CHECKS.to_owned(), CHECKS.to_owned());
    o.claim.text = "What changes were checked with".to_owned();
    (o.claim.sure, o.claim.telling, o.claim.trust) = (Sure::High, false, Origin::Assistant);
    o.seen = Seen::Steps(found.into_iter().map(|(goal, run)| run.form(goal)).collect());
    vec![o]
}

/// A command that was run after a change.
struct Run<'s> {
    /// Where first.
    step: &'s Step<'s>,
    /// How it was called.
    text: &'s str,
    /// Whether it showed that it is a check.
    checked: bool,
}

impl Run<'_> {
    fn form(&self, goal: String) -> StepForm {
        let normal = if self.checked { format!("{FOUND}{goal}") } else { goal };
        StepForm { normal, command: self.text.to_owned() }
    }
}

/// Whether what a line found was found by this command.
fn speaks(command: &Simple<'_>, step: &Step<'_>, steps: &Steps<'_>) -> bool {
    steps.causes.get(&step.at).is_some_and(|f| f.subject.split(' ').next() == Some(program(command)))
}

fn is_checker(command: &Simple<'_>) -> bool {
    programs::is(program(command), Role::Checker)
}

/// Whether a command did its work: a check that found something did, too.
fn has_run(step: &Step<'_>, steps: &Steps<'_>) -> bool {
    match step.call.outcome {
        Outcome::Ok => true,
        Outcome::Failed(_) | Outcome::Masked => match steps.causes.get(&step.at) {
            Some(cause) => cause.family == Family::CheckFinding,
            None => failure::of(step.call, None).is_some_and(|f| f.family == Family::TestResult),
        },
        _ => false,
    }
}

/// A command as it is shown, if it can be a habit: one line of its own, without values of that day.
fn shown<'l>(command: &Simple<'_>, goal: &str, line: &'l str) -> Option<&'l str> {
    let text = line.get(command.start..command.end)?.trim();
    let text = text.strip_suffix("2>&1").unwrap_or(text).trim_end();
    let plain = text.len() <= LIMIT && !text.contains(['\n', '$', '`', '<', '>', '*']) && !text.contains("/tmp");
    // Whatever a shell runs for a script is that day's.
    let own = programs::is(goal, Role::Shell) || command.assigns.iter().any(|a| a.text.len() > LIMIT / 2);
    (plain && !own && !only_looks(command) && !everyday(goal)).then_some(text)
}
