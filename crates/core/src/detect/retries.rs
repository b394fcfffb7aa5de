//! `excessive-retries`: the same goal fails three times or more in a row.
//!
//! The goal of a command is its canonical form, of an edit its file. A check that fails with another error each time
//! is work going on, not a retry: the error must be the same, too, or the very same words be run again.

use std::collections::HashMap;

use super::related::base;
use super::steps::{Step, Steps};
use super::{Fix, Kind, Observation, Seen, Sure};
use crate::normal::english::cut;
use crate::normal::error::{self, Signature};
use crate::normal::slug;
use crate::session::{Call, Origin, Outcome, Session, ToolKind};

/// How often a goal must fail.
const TIMES: usize = 3;
/// How many calls may lie between two tries.
const GAP: usize = 40;
/// Longer rows are not read to their end.
const ROW: usize = 64;
/// Most observations of one session.
const MOST: usize = 3;

/// One row of failures of the same goal.
struct FailureRow<'s> {
    calls: Vec<usize>,
    signature: Option<Signature>,
    worked: Option<usize>,
    /// Whether what worked did all that had failed.
    covered: bool,
    goal: String,
    what: What<'s>,
}

/// What was tried.
enum What<'s> {
    Command,
    Edit(&'s str),
}

/// Finds goals that were missed again and again.
pub(super) fn retries(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut rows = commands(steps);
    rows.extend(edits(session));
    rows.retain(|r| r.calls.len() >= TIMES);
    rows.sort_by_key(|r| r.calls[0]);
    rows.truncate(MOST);
    rows.iter().map(|r| observe(session, steps, r)).collect()
}

/// Rows of failing commands.
fn commands<'s>(steps: &Steps<'_>) -> Vec<FailureRow<'s>> {
    let mut open: HashMap<&str, Vec<&Step<'_>>> = HashMap::new();
    let mut rows = Vec::new();
    for step in &steps.all {
        if step.failed() && !step.normal.is_empty() {
            let row = open.entry(&step.normal).or_default();
            if row.last().is_some_and(|last| step.at - last.at > GAP) {
                rows.extend(same_error(row, None));
                row.clear();
            }
            row.push(step);
        } else if !open.is_empty()
            && step.ok()
            && let Some(row) = open.remove(step.normal.as_str())
        {
            rows.extend(same_error(&row, Some(step)));
        }
    }
    rows.extend(open.values().filter_map(|row| same_error(row, None)));
    rows
}

/// The failures of a row that say the same, if there are enough of them. Errors are read only here: most rows are
/// short.
fn same_error<'s>(row: &[&Step<'_>], worked: Option<&Step<'_>>) -> Option<FailureRow<'s>> {
    if row.len() < TIMES || row[0].only_reads() {
        return None;
    }
    let row = &row[..row.len().min(ROW)];
    let signatures: Vec<Option<Signature>> = row.iter().map(|s| s.signature().cloned()).collect();
    let key = |n: usize| signatures[n].as_ref().map(|s| s.key.as_str());
    // Where the output does not name the error, only the very same command is the same goal.
    let same = |a: usize, b: usize| key(a) == key(b) && (key(a).is_some() || row[a].words == row[b].words);
    let alike = |a: usize| (0..row.len()).filter(move |b| same(a, *b));
    let first = (0..row.len()).find(|n| alike(*n).count() >= TIMES)?;
    Some(FailureRow {
        calls: alike(first).map(|n| row[n].at).collect(),
        signature: signatures[first].clone(),
        worked: worked.map(|w| w.at),
        covered: worked.is_some_and(|w| row[first].words.iter().all(|word| w.words.contains(word))),
        goal: row[first].normal.clone(),
        what: What::Command,
    })
}

/// Rows of edits that did not apply.
fn edits(session: &Session) -> Vec<FailureRow<'_>> {
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<FailureRow<'_>> = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        let Some(call) = event.call().filter(|c| c.kind == ToolKind::Edit && !c.input.is_empty()) else { continue };
        if call.outcome.is_failure() {
            match open.get(call.input.as_str()).map(|n| &mut rows[*n]) {
                Some(row) => row.calls.push(at),
                None => {
                    open.insert(&call.input, rows.len());
                    rows.push(edit_row(at, call));
                }
            }
        } else if call.outcome == Outcome::Ok
            && let Some(n) = open.remove(call.input.as_str())
        {
            rows[n].worked = Some(at);
        }
    }
    rows
}

fn edit_row(at: usize, call: &Call) -> FailureRow<'_> {
    let said = call.output.lines().next().unwrap_or_default();
    // What follows is the text that was looked for.
    let line = said.split_once(": ").filter(|(first, _)| first.len() > 20).map_or(said, |(first, _)| first);
    FailureRow {
        calls: vec![at],
        signature: Some(Signature { line: cut(line, 120), key: error::mask(&cut(line, 120)) }),
        worked: None,
        covered: true,
        goal: format!("edit {}", base(&call.input)),
        what: What::Edit(&call.input),
    }
}

fn observe(session: &Session, steps: &Steps<'_>, row: &FailureRow<'_>) -> Observation {
    let places = row.calls.iter().chain(&row.worked);
    let events = places.map(|at| session.events[*at].id.clone()).collect();
    let last = row.worked.or(row.calls.last().copied()).unwrap_or_default();
    let mut o = Observation::new("excessive-retries", Kind::Pitfall, session, events, last);
    let step = |at: usize| steps.all.binary_search_by_key(&at, |s| s.at).ok().map(|n| &steps.all[n]);
    let first = match row.what {
        What::Command => step(row.calls[0]).map(Step::shown).unwrap_or_default(),
        What::Edit(path) => format!("edit {}", inside(session, path)),
    };
    let times = row.calls.len();
    let said = row.signature.as_ref().map(|s| format!(" with \"{}\"", cut(&s.line, 120))).unwrap_or_default();
    o.claim.name = slug(&format!("retries-{}", row.goal));
    o.claim.title = format!("{} failed again and again", cut(&row.goal, 60));
    o.claim.text = format!("`{}` failed again and again{said}", cut(&first, 100));
    o.claim.commands = vec![first.clone()];
    let worked = row.worked.and_then(step).map(Step::shown);
    match (&row.what, worked) {
        (What::Edit(_), _) if row.worked.is_some() => o.claim.text.push_str("; a later edit applied"),
        (What::Edit(_), _) => o.claim.text.push_str("; no later edit of it applied"),
        (What::Command, Some(shown)) if shown == first => o.claim.text.push_str("; later the same command worked"),
        (What::Command, Some(_)) if !row.covered => o.claim.text.push_str("; later it worked with other arguments"),
        (What::Command, Some(shown)) => {
            o.claim.text.push_str(&format!("; what worked: `{}`", cut(&shown, 120)));
            o.claim.commands.push(shown);
        }
        (What::Command, None) => o.claim.text.push_str("; nothing worked in this session"),
    }
    o.claim.sure = if times > TIMES || row.signature.as_ref().is_some_and(|s| super::related::specific(&s.line)) {
        Sure::High
    } else {
        Sure::Medium
    };
    o.claim.trust = if row.signature.is_some() { Origin::Tool } else { Origin::Assistant };
    o.claim.telling = false;
    o.seen = Seen::Fix(Fix {
        failed: row.calls.last().map(|at| session.events[*at].id.clone()),
        fixed: row.worked.map(|at| session.events[at].id.clone()),
        error: row.signature.as_ref().map(|s| s.line.clone()),
        ..Fix::default()
    });
    o.claim.key = format!("retries | {} | {}", row.goal, row.signature.as_ref().map_or("", |s| s.key.as_str()));
    o
}

/// A path from the root.
fn inside<'p>(session: &Session, path: &'p str) -> &'p str {
    let below = session.root_folder().and_then(|root| path.strip_prefix(root)).and_then(|p| p.strip_prefix('/'));
    below.unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<String> {
        let s = session(script);
        retries(&s, &Steps::new(&s)).into_iter().map(|o| o.claim.text).collect()
    }

    #[test]
    fn three_failures_of_one_goal_with_one_error() {
        assert_eq!(
            seen(&format!("{}$ npm run e2e -- --headed", "! npm run e2e => Error: no display\n".repeat(3))),
            ["`npm run e2e` failed again and again with \"Error: no display\"; what worked: `npm run e2e -- --headed`"]
        );
        assert_eq!(seen(&"! npm run e2e => Error: no display\n".repeat(2)).len(), 0);
    }

    #[test]
    fn another_part_that_passes_is_not_what_worked() {
        let script = format!("{}$ go test -run Other", "! go test -run One => --- FAIL: One\n".repeat(3));
        assert!(seen(&script)[0].ends_with("; later it worked with other arguments"), "{:?}", seen(&script));
    }

    #[test]
    fn another_error_each_time_is_work_going_on() {
        let script =
            "! make test => error: one is wrong\n! make test => error: two is bad\n! make test => error: three";
        assert_eq!(seen(script).len(), 0);
    }

    #[test]
    fn a_success_in_between_begins_a_new_row() {
        let twice = "! npm run e2e => Error: no display\n".repeat(2);
        assert_eq!(seen(&format!("{twice}$ npm run e2e\n{twice}")).len(), 0);
    }

    #[test]
    fn other_failures_of_the_same_program_are_other_goals() {
        assert_eq!(seen("! git push => error: x\n! git rebase => error: x\n! git merge => error: x").len(), 0);
    }

    #[test]
    fn looking_for_something_is_no_retry() {
        assert_eq!(seen(&"! ls a/b => ls: a/b: No such file or directory\n".repeat(4)).len(), 0);
    }

    #[test]
    fn an_edit_that_does_not_apply() {
        let mut s = session(&"e src/a.rs => String to replace not found in file.\n".repeat(4));
        for e in &mut s.events[..3] {
            if let crate::session::Body::Call(c) = &mut e.body {
                c.outcome = Outcome::Failed(None);
            }
        }
        let found = retries(&s, &Steps::new(&s));
        assert_eq!(
            found[0].claim.text,
            "`edit src/a.rs` failed again and again with \"String to replace not found in file.\"; a later edit applied"
        );
    }
}
