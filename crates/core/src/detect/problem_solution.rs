//! `problem-solution`: somebody says what is wrong, files are changed for it, then it is said or shown to work.
//!
//! One turn of the person is one problem at most. The problem and the change belong together by a file that is
//! named or by the words of problem and claim. If the person comes back with the same complaint nothing was solved.

use std::ops::Range;

use super::related::{edited, names, shared};
use super::steps::Steps;
use super::texts::{assistant, spans};
use super::{Fix, Kind, Observation, Seen, Sure, error_fix};
use crate::normal::english::{CAUSE, CLAIM, NON_OBVIOUS, PROBLEM, cut, sentence};
use crate::normal::error;
use crate::normal::slug;
use crate::session::{Author, Body, Event, Origin, Session};

/// Most observations of one session.
const MOST: usize = 3;
/// Words that problem and claim must share where no file tells that they belong together.
const SHARED: usize = 3;

/// Bytes of a message that may be a complaint.
const LONGEST: u64 = 800;

/// A problem, the edits for it, and the claim that it is solved.
pub(super) struct Solved<'s> {
    /// Place and words of the problem.
    pub problem: (usize, &'s str),
    /// Place and path of the related edits.
    pub edits: Vec<(usize, &'s str)>,
    /// Place and words of the claim.
    pub claim: (usize, &'s str),
}

/// Finds problems that were solved.
pub(super) fn solutions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut out: Vec<Observation> = steps.solved.iter().map(|s| observe(session, s)).collect();
    out.sort_by_key(|o| std::cmp::Reverse(o.claim.sure));
    out.truncate(MOST);
    out
}

/// All solved problems of a session, at most one a turn.
pub(super) fn solved(session: &Session) -> Vec<Solved<'_>> {
    let starts: Vec<usize> =
        (0..session.events.len()).filter(|at| spans(&session.events[*at], Origin::User).next().is_some()).collect();
    let ends = starts.iter().skip(1).copied().chain([session.events.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| in_turn(session, *start..end)).collect()
}

fn in_turn(session: &Session, turn: Range<usize>) -> Option<Solved<'_>> {
    let events = &session.events;
    if !events[turn.start].is_typed() {
        return None;
    }
    let edits: Vec<(usize, &str)> =
        turn.clone().filter_map(|at| Some((at, events[at].call().and_then(edited)?))).collect();
    let last = edits.last()?.0;
    let claim = (last + 1..turn.end).rev().find_map(|at| Some((at, claimed(&events[at])?)))?;
    // "It still fails" is the person's word against the assistant's.
    if events.get(turn.end).is_some_and(|e| complaint(e).is_some() || comes_back(e)) {
        return None;
    }
    let done = TurnWork { edits, claim };
    by_person(session, turn.start, &done).or_else(|| by_assistant(session, turn.start, &done))
}

/// What was done in a turn: its edits, and the claim that it works.
struct TurnWork<'s> {
    edits: Vec<(usize, &'s str)>,
    claim: (usize, &'s str),
}

impl<'s> TurnWork<'s> {
    /// The problem and the edits for it: those of the files that are named, or all after it if the words belong together.
    fn solves(
        &self,
        problem: (usize, &'s str),
        is_named: impl Fn(&str) -> bool,
        words_agree: impl FnOnce() -> bool,
    ) -> Option<Solved<'s>> {
        let after = || self.edits.iter().copied().filter(|(at, _)| *at > problem.0);
        let named: Vec<(usize, &str)> = after().filter(|(_, path)| is_named(path)).collect();
        let edits = match named.is_empty() {
            false => named,
            true if words_agree() => after().collect(),
            true => return None,
        };
        Some(Solved { problem, edits, claim: self.claim })
    }
}

fn by_person<'s>(session: &'s Session, at: usize, done: &TurnWork<'s>) -> Option<Solved<'s>> {
    let event = &session.events[at];
    let said = complaint(event)?;
    let is_named = |path: &str| [Origin::User, Origin::Tool].iter().any(|o| spans(event, *o).any(|t| names(t, path)));
    let answer = &session.events[done.claim.0];
    done.solves((at, said), is_named, || assistant(answer).any(|text| shared(said, text) >= SHARED))
}

/// The assistant found out itself what is wrong, in a message before the edit.
fn by_assistant<'s>(session: &'s Session, start: usize, done: &TurnWork<'s>) -> Option<Solved<'s>> {
    let last = done.edits.last()?.0;
    (start..last).find_map(|at| {
        let (text, said) = assistant(&session.events[at]).find_map(|t| Some((t, stated(t)?)))?;
        done.solves((at, said), |path| names(text, path), || shared(said, done.claim.1) >= SHARED)
    })
}

/// "It still crashes", "no, …".
fn comes_back(event: &Event) -> bool {
    spans(event, Origin::User).take(1).any(|text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).take(12);
        let first = words.clone().next().is_some_and(|w| ["no", "nope"].iter().any(|n| w.eq_ignore_ascii_case(n)));
        first || words.any(|w| ["still", "again"].iter().any(|n| w.eq_ignore_ascii_case(n)))
    })
}

/// The sentence in which a person says that something is wrong. A long message is a plan, with all that may go wrong.
fn complaint(event: &Event) -> Option<&str> {
    let Body::User { author: Author::Human, spans: all } = &event.body else { return None };
    let typed: u64 = all.iter().filter(|s| s.origin == Origin::User).map(|s| s.text.full_len()).sum();
    if typed > LONGEST {
        return None;
    }
    spans(event, Origin::User).find_map(|text| {
        let denied = |place: &Range<usize>| {
            let before = text[..place.start].trim_end();
            ["no", "without", "any", "0", "handle", "handles", "if"].iter().any(|w| before.ends_with(w))
        };
        PROBLEM.all(text).find(|p| !denied(p)).map(|p| sentence(text, &p)).filter(|s| s.len() >= 15)
    })
}

/// The sentence in which the assistant says what is wrong; a question or a plan is none.
pub(super) fn stated(text: &str) -> Option<&str> {
    let plan = |s: &str| ["Let me", "If ", "I'll", "I’ll", "Now "].iter().any(|p| s.starts_with(p));
    CAUSE.all(text).map(|p| sentence(text, &p)).find(|s| s.len() >= 40 && !s.ends_with(['?', ':']) && !plan(s))
}

/// The sentence in which the assistant says that it works.
fn claimed(event: &Event) -> Option<&str> {
    assistant(event).find_map(|text| {
        let hoped = |place: &Range<usize>| {
            let before = text[..place.start].trim_end();
            ["not", "be", "get", "to", "n't", "if", "until", "once", "when", "whether", "isn’t"]
                .iter()
                .any(|w| before.ends_with(w))
        };
        CLAIM.all(text).find(|p| !hoped(p)).map(|p| sentence(text, &p)).filter(|s| s.len() >= 8 && !s.ends_with('?'))
    })
}

fn observe(session: &Session, found: &Solved<'_>) -> Observation {
    let id = |at: usize| session.events[at].id.clone();
    let mut events = vec![id(found.problem.0)];
    events.extend(found.edits.iter().take(8).map(|(at, _)| id(*at)));
    events.push(id(found.claim.0));
    let mut o = Observation::new("problem-solution", Kind::Recovery, session, events, found.claim.0);
    let files = error_fix::file_names(&found.edits);
    let list = files.iter().take(3).map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ");
    let (problem, claim) = (found.problem.1, found.claim.1);
    o.claim.name = slug(&format!("fix-{}", files.first().map_or("problem", String::as_str)));
    o.claim.title = format!("Fix: {}", cut(problem, 70));
    o.claim.text = format!("Problem: {} Solved in {list}: {}", cut(problem, 170), cut(&claim.replace("**", ""), 150));
    let by_person = !matches!(session.events[found.problem.0].body, Body::Assistant { .. });
    let surprising = [problem, claim].iter().any(|t| NON_OBVIOUS.find(t).is_some());
    o.claim.sure = if surprising || super::related::specific(problem) { Sure::High } else { Sure::Medium };
    o.claim.trust = Origin::Assistant;
    o.claim.telling = false;
    o.seen = Seen::Fix(Fix {
        message: by_person.then(|| id(found.problem.0)),
        via: found.edits.iter().take(8).map(|(at, _)| id(*at)).collect(),
        ..Fix::default()
    });
    o.claim.key = format!("problem-solution | {} | {}", files.join(" "), error::mask(&cut(problem, 170)));
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<Observation> {
        let s = session(script);
        solutions(&s, &Steps::new(&s))
    }

    #[test]
    fn a_complaint_a_change_and_a_claim() {
        let found = seen(
            "u the report in report.py crashes on an empty book
             e src/report.py
             a Fixed: an empty book gives an empty report.",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].claim.text,
            "Problem: the report in report.py crashes on an empty book Solved in `report.py`: \
             Fixed: an empty book gives an empty report."
        );
        assert_eq!((found[0].claim.trust, found[0].seen.message()), (Origin::Assistant, Some("e0")));
    }

    #[test]
    fn the_assistant_may_state_the_problem() {
        let found = seen(
            "u have a look
             a The root cause is that `parse_date` drops the time zone in dates.rs.
             e src/dates.rs
             a TurnWork, the tests pass.",
        );
        assert_eq!((found.len(), found[0].claim.sure), (1, Sure::High));
    }

    #[test]
    fn related_by_words_where_no_file_is_named() {
        let problem = "u exporting a ledger with foreign currencies gives an error";
        assert_eq!(
            seen(&format!("{problem}\ne src/x.rs\na Fixed: exporting foreign currencies in a ledger works")).len(),
            1
        );
        assert_eq!(seen(&format!("{problem}\ne README.md\na Fixed the typo in the README")).len(), 0);
    }

    #[test]
    fn what_is_no_problem_or_not_solved() {
        for script in [
            // substrings
            "u show the terrorist movie list of list.md\ne list.md\na Read the prefix table",
            // nothing was changed
            "u the report in report.py crashes\na Fixed",
            // nobody says that it works
            "u the report in report.py crashes\ne report.py\na I changed it",
            "u the report in report.py crashes\ne report.py\na This still has to be fixed",
            // the person says it does not
            "u the report in report.py crashes\ne report.py\na Fixed the crash\nu it still crashes with report.py",
            // the claim comes before the change
            "u the report in report.py crashes\na Fixed\ne report.py",
        ] {
            assert_eq!(seen(script).len(), 0, "{script}");
        }
    }

    #[test]
    fn a_fix_that_names_the_error_is_not_a_problem_of_its_own() {
        let script = "u the report in report.py crashes with a bad error\ne report.py\na Fixed: the issue was an error in report.py\ne other.py\na Fixed other things";
        assert_eq!(seen(script).len(), 1);
    }
}
