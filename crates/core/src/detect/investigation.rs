//! `deep-investigation`: one file was looked at, searched or changed five times or more, with a problem and its fix.

use std::collections::BTreeMap;
use std::ops::Range;

use super::related::{self, base, edited};
use super::steps::Steps;
use super::{Kind, Observation, Sure, error_fix};
use crate::normal::english::cut;
use crate::normal::error;
use crate::normal::slug;
use crate::session::{Excerpt, Origin, Session, ToolKind};

/// How often a file must be touched.
const TOUCHES: usize = 5;
/// How many of these must be looks: changing a file over and over is writing, not looking into it.
const LOOKS: usize = 2;
/// Most observations of one session.
const MOST: usize = 2;

/// What was wrong with a file, and when it was right.
struct Case<'s> {
    from: usize,
    to: usize,
    wrong: Wrong<'s>,
}

/// How the problem was told.
#[derive(Clone, Copy)]
enum Wrong<'s> {
    Said(&'s str),
    Printed(&'s Excerpt),
}

/// Finds files that took effort.
pub(super) fn investigations(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let cases = cases(session, steps);
    let mut found: Vec<(&str, &Case<'_>, Vec<usize>)> = cases
        .iter()
        .map(|(path, case)| (*path, case, touches(session, steps, path, case.from..case.to)))
        .filter(|(_, _, touches)| touches.len() >= TOUCHES)
        .collect();
    found.sort_by_key(|(_, case, touches)| (std::cmp::Reverse(touches.len()), case.to));
    found.iter().filter_map(|(path, case, touches)| observe(session, path, case, touches)).take(MOST).collect()
}

/// Per file the last problem that was solved by changing it.
fn cases<'s>(session: &'s Session, steps: &Steps<'s>) -> BTreeMap<&'s str, Case<'s>> {
    let mut out = BTreeMap::new();
    for solved in &steps.solved {
        for (_, path) in &solved.edits {
            let wrong = Wrong::Said(solved.problem.1);
            out.insert(*path, Case { from: solved.problem.0, to: solved.claim.0, wrong });
        }
    }
    for pair in error_fix::pairs(session, steps) {
        for (_, path) in pair.edits {
            let wrong = Wrong::Printed(&pair.failed.call.output);
            out.insert(path, Case { from: pair.failed.at, to: pair.passed.at, wrong });
        }
    }
    out
}

/// The places at which a file was read, searched or changed.
fn touches(session: &Session, steps: &Steps<'_>, path: &str, range: Range<usize>) -> Vec<usize> {
    let by_tool = session.events.iter().enumerate().take(range.end).skip(range.start).filter_map(|(at, e)| {
        let call = e.call().filter(|c| matches!(c.kind, ToolKind::Read | ToolKind::Edit))?;
        (call.input == path).then_some(at)
    });
    let name = base(path);
    let first = steps.all.partition_point(|s| s.at < range.start);
    let near = steps.all[first..].iter().take_while(|s| s.at < range.end);
    let by_shell = near.filter(|s| {
        memchr::memmem::find(s.line.as_bytes(), name.as_bytes()).is_some()
            && s.words.iter().any(|w| w.ends_with(name) && (path.ends_with(w.trim_start_matches("./")) || w == path))
    });
    let mut all: Vec<usize> = by_tool.chain(by_shell.map(|s| s.at)).collect();
    all.sort_unstable();
    all
}

fn observe(session: &Session, path: &str, case: &Case<'_>, touches: &[usize]) -> Option<Observation> {
    let (what, trust) = match case.wrong {
        Wrong::Said(words) => (cut(words, 160), Origin::Assistant),
        Wrong::Printed(output) => (cut(&error_fix::told(output, path)?.line, 160), Origin::Tool),
    };
    let ids = touches.iter().chain([&case.from, &case.to]);
    let mut places: Vec<usize> = ids.copied().collect();
    places.sort_unstable();
    places.dedup();
    let events = places.iter().map(|at| session.events[*at].id.clone()).collect();
    let mut o = Observation::new("deep-investigation", Kind::Insight, session, events, case.to);
    let changes = touches.iter().filter(|at| session.events[**at].call().and_then(edited).is_some()).count();
    let name = base(path);
    o.claim.name = slug(&format!("investigation-{name}"));
    o.claim.title = format!("Investigation: {}", cut(name, 60));
    if touches.len() < changes + LOOKS {
        return None;
    }
    let looks = count(touches.len() - changes, "look");
    let changed = count(changes, "change");
    o.claim.text = format!("`{name}` took {looks} and {changed} until this was solved: {what}");
    if let Some(why) = error_fix::reason(session, touches[0], case.to) {
        o.claim.text.push_str(&format!(" ({why})"));
    }
    let specific = trust == Origin::Tool && related::specific(&what);
    o.claim.sure = if specific { Sure::High } else { Sure::Medium };
    o.claim.trust = trust;
    o.claim.telling = false;
    o.claim.key = format!("investigation | {name} | {}", error::mask(&what));
    Some(o)
}

fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<Observation> {
        let s = session(script);
        investigations(&s, &Steps::new(&s))
    }

    const LONG: &str = "! make test => FAIL src/book.py: wrong total\\nValueError: total
        $ cat src/book.py
        $ grep -n total src/book.py
        e src/book.py
        $ sed -n 1,20p src/book.py
        e src/book.py
        $ make test";

    #[test]
    fn five_touches_a_problem_and_a_fix() {
        let found = seen(LONG);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].claim.text,
            "`book.py` took 3 looks and 2 changes until this was solved: ValueError: total"
        );
        assert_eq!((found[0].claim.trust, found[0].claim.suggest), (Origin::Tool, false));
    }

    #[test]
    fn without_a_problem_a_fix_or_enough_looks_there_is_none() {
        assert_eq!(
            seen(&LONG.replace("! make test => FAIL src/book.py: wrong total\\nValueError: total", "$ make")).len(),
            0
        );
        assert_eq!(seen(&LONG.replace("$ make test", "$ ls")).len(), 0);
        assert_eq!(seen(&LONG.replace("$ cat src/book.py", "$ cat src/other.py")).len(), 0);
    }
}
