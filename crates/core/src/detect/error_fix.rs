//! `error-fix`: an error in an output, an edit of a file that it names, then the same check passes.
//!
//! The next run of that check must pass: edits before a second failure did not help. Order is the order of the events,
//! never their times. An edit of another file does not fix this error.

use std::collections::HashMap;

use super::problem_solution;
use super::related::{base, concerns, edited, names, specific};
use super::steps::{Step, Steps};
use super::texts::assistant;
use super::{Fix, Kind, Observation, Seen, Sure, Trigger};
use crate::normal::english::{NON_OBVIOUS, cut};
use crate::normal::error::{self, Signature};
use crate::normal::slug;
use crate::session::{Excerpt, Origin, Session};

/// How many events may lie between the failure and the pass.
const REACH: usize = 200;
/// Most observations of one session.
const MOST: usize = 5;

/// A failing check, the files that were changed for it, and the same check passing.
pub(super) struct Pair<'a, 's> {
    pub failed: &'a Step<'s>,
    pub passed: &'a Step<'s>,
    /// The edits of files the error names: place and path.
    pub edits: Vec<(usize, &'s str)>,
}

/// Finds errors and the edits that removed them.
pub(super) fn fixes(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut out: Vec<Observation> = Vec::new();
    for pair in pairs(session, steps) {
        let Some(o) = observe(session, &pair) else { continue };
        if !out.iter().any(|seen| seen.claim.key == o.claim.key) {
            out.push(o);
        }
    }
    out.sort_by_key(|o| std::cmp::Reverse(o.claim.sure));
    out.truncate(MOST);
    out
}

/// All pairs of a session, in the order of their passes.
pub(super) fn pairs<'a, 's>(session: &'s Session, steps: &'a Steps<'s>) -> Vec<Pair<'a, 's>> {
    let mut open: HashMap<&str, &Step<'s>> = HashMap::new();
    let mut out = Vec::new();
    for step in &steps.all {
        if step.failed() {
            if !step.normal.is_empty() {
                open.insert(&step.normal, step);
            }
        } else if !open.is_empty()
            && step.ok()
            && let Some(failed) = open.remove(step.normal.as_str())
            && step.at - failed.at <= REACH
        {
            let edits = edits(session, failed, step);
            if !edits.is_empty() {
                out.push(Pair { failed, passed: step, edits });
            }
        }
    }
    out
}

fn edits<'s>(session: &'s Session, failed: &Step<'_>, passed: &Step<'_>) -> Vec<(usize, &'s str)> {
    let mut known: Vec<(&str, bool)> = Vec::new();
    let mut out = Vec::new();
    for (at, event) in session.events.iter().enumerate().take(passed.at).skip(failed.at + 1) {
        let Some(path) = event.call().and_then(edited) else { continue };
        let related = known.iter().find(|(p, _)| *p == path).map(|(_, r)| *r).unwrap_or_else(|| {
            let related = concerns(&failed.call.output, path) || failed.words.iter().any(|w| w.ends_with(base(path)));
            known.push((path, related));
            related
        });
        if related {
            out.push((at, path));
        }
    }
    out
}

/// What the assistant said was wrong, before it changed the file.
pub(super) fn reason(session: &Session, from: usize, to: usize) -> Option<String> {
    let said = session.events.get(from..to)?.iter().rev().flat_map(assistant);
    said.filter_map(problem_solution::stated).next().map(|s| cut(s, 160))
}

/// The line that says what was wrong. A runner's summary says less than the line that names the changed file.
pub(super) fn told(output: &Excerpt, path: &str) -> Option<Signature> {
    const SUMMARIES: &[&str] = &[
        "exited with code",
        "Found 1 error",
        "could not compile",
        "[FAILED]",
        "previous error",
        "ELIFECYCLE",
        "RECURSIVE_RUN",
        "exit status",
        "│",
        "Warning",
    ];
    let found = error::signature(output)?;
    if !SUMMARIES.iter().any(|s| found.line.contains(s)) {
        return Some(found);
    }
    let line = naming(output, path);
    Some(line.map_or(found, |line| Signature { key: error::mask(&line), line }))
}

/// The first line that says something about a file; for a compiler's arrow, the error above it.
fn naming(output: &Excerpt, path: &str) -> Option<String> {
    let mut before = "";
    for line in output.lines().map(str::trim) {
        if names(line, path) {
            if line.starts_with("-->") && before.starts_with("error") {
                return Some(cut(&error::strip_ansi(before), 160));
            }
            // Not a heading, not the command itself, and not what went well.
            let plain = error::strip_ansi(line);
            let plain = plain.split('━').next().unwrap_or_default().trim();
            if plain.contains(' ') && !plain.starts_with(['>', '$', '✓', '❯', '-']) {
                return Some(cut(plain, 160));
            }
        }
        before = line;
    }
    None
}

/// The files of edits, each once, by name.
pub(super) fn file_names(edits: &[(usize, &str)]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (_, path) in edits {
        let name = cut(base(path), 60);
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

fn observe(session: &Session, pair: &Pair<'_, '_>) -> Option<Observation> {
    let Signature { line, key } = told(&pair.failed.call.output, pair.edits[0].1)?;
    let mut events = vec![pair.failed.id.to_owned()];
    events.extend(pair.edits.iter().take(8).map(|(at, _)| session.events[*at].id.clone()));
    events.push(pair.passed.id.to_owned());
    let mut o = Observation::new("error-fix", Kind::Recovery, session, events, pair.passed.at);
    let program = error::speaker(&pair.failed.script, &line);
    let files = file_names(&pair.edits);
    let list = files.iter().take(3).map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ");
    let why = reason(session, pair.failed.at, pair.edits[0].0);
    let shown = cut(&pair.passed.shown(), 80);
    o.claim.name = slug(&format!("fix-{program}-{}", files[0]));
    o.claim.title = format!("Fix: {}", cut(&line, 70));
    o.claim.text = format!("`{shown}` failed with \"{}\"; a change of {list} made it pass", cut(&line, 120));
    if let Some(why) = &why {
        o.claim.text.push_str(&format!(". {why}"));
    }
    o.claim.commands = vec![pair.passed.shown()];
    let surprising = why.is_some_and(|w| NON_OBVIOUS.find(&w).is_some());
    o.claim.sure = if surprising || specific(&line) { Sure::High } else { Sure::Medium };
    o.claim.trust = Origin::Tool;
    o.claim.telling = false;
    o.claim.key = format!("error-fix | {program} | {key} | {}", files.join(" "));
    o.seen = Seen::Fix(Fix {
        failed: Some(pair.failed.id.to_owned()),
        fixed: Some(pair.passed.id.to_owned()),
        via: pair.edits.iter().take(8).map(|(at, _)| session.events[*at].id.clone()).collect(),
        message: None,
        trigger: Some(Trigger { program: program.to_owned(), error: key }),
        error: Some(line),
    });
    Some(o)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<Observation> {
        let s = session(script);
        fixes(&s, &Steps::new(&s))
    }

    const FIX: &str = "! cargo test => error[E0308]: mismatched types\\n --> src/book.rs:3:5
         a The root cause is that `total` is a sum of cents, not of whole units.
         e src/book.rs
         $ cargo test";

    #[test]
    fn an_edit_of_the_named_file_makes_the_check_pass() {
        let found = seen(FIX);
        let o = &found[0];
        assert_eq!((found.len(), o.claim.sure, o.claim.trust, o.claim.suggest), (1, Sure::High, Origin::Tool, false));
        assert_eq!(o.head.events, ["e0", "e2", "e3"]);
        assert_eq!(
            o.claim.text,
            "`cargo test` failed with \"error[E0308]: mismatched types\"; a change of `book.rs` made it pass. \
             The root cause is that `total` is a sum of cents, not of whole units."
        );
    }

    #[test]
    fn an_unrelated_edit_or_check_is_no_fix() {
        for script in [
            "! docker build . => Error: cannot connect to the docker daemon\ne README.md\n$ docker build .",
            "! cargo test => error[E0308]: x\\n --> src/book.rs:3\ne src/book.rs\n$ git status",
            "! cargo test => error[E0308]: x\\n --> src/book.rs:3\ne src/book.rs\n! cargo test => error: y",
            "! cargo test => error[E0308]: x\\n --> src/book.rs:3\n$ cargo test\ne src/book.rs",
            "e src/book.rs\n$ cargo test\n! cargo test => error[E0308]: x\\n --> src/book.rs:3",
        ] {
            assert_eq!(seen(script).len(), 0, "{script}");
        }
    }

    #[test]
    fn the_line_that_names_the_file_says_more_than_a_summary() {
        let found = seen(
            "! bun run lint => src/book.ts:3:5 lint/style/useConst\\nerror: script \"lint\" exited with code 1
             e src/book.ts
             $ bun run lint",
        );
        assert_eq!(found[0].seen.error(), Some("src/book.ts:3:5 lint/style/useConst"));
        let found = seen(
            "! cargo test => error[E0425]: cannot find value `sum`\\n --> src/book.rs:3:5\\n[FAILED] could not compile
             e src/book.rs
             $ cargo test",
        );
        assert_eq!(found[0].seen.error(), Some("error[E0425]: cannot find value `sum`"));
    }

    #[test]
    fn equal_times_pair_by_their_order() {
        let mut s = session(FIX);
        s.events.iter_mut().for_each(|e| e.at = Some(7));
        assert_eq!(fixes(&s, &Steps::new(&s)).len(), 1);
        s.events.iter_mut().for_each(|e| e.at = None);
        assert_eq!(fixes(&s, &Steps::new(&s)).len(), 1);
    }

    #[test]
    fn the_same_lesson_in_another_session_has_the_same_key() {
        let again = FIX.replace("book.rs:3:5", "book.rs:90:1");
        assert_eq!(seen(FIX)[0].claim.key, seen(&again)[0].claim.key);
    }
}
