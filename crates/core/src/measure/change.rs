//! What a session did after a failure: the change that got past it, and whether a text says that change.
//!
//! Comes in: a session and the place of a failing call. Goes out: the call that reached the goal, and the words in it that
//! were not in the failing call. Deliberately apart from the detectors: what judges a hint must not be what made it.

use std::collections::BTreeSet;

use crate::failure;
use crate::normal::command::{core, filters};
use crate::normal::reading::only_looks;
use crate::normal::shell;
use crate::session::{Author, Body, Call, Event, Outcome, Session, ToolKind};

/// Calls after a failure among which its fix is looked for.
const REACH: usize = 12;
/// Share of a failing call's words that its fix has, too.
const ALIKE: f64 = 0.5;
/// Most commands between a failure and the same command again that may be what helped.
const STEPS: usize = 2;
/// Most words of a change: where more changed, it is another command.
const WORDS: usize = 8;

/// What got past a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The place of the event that reached the goal.
    pub at: usize,
    /// What was new in it.
    pub change: Change,
}

/// Words of a fix that are not in the failing call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change(BTreeSet<String>);

impl Change {
    /// Which share of its words a text has.
    pub fn share_in(&self, text: &str) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let text = text.to_lowercase();
        self.0.iter().filter(|word| has_word(&text, word)).count() as f64 / self.0.len() as f64
    }

    /// Whether a text says the change: all of its words.
    pub fn is_in(&self, text: &str) -> bool {
        self.share_in(text) >= 1.0
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Whether a word stands in a text, not as a part of a longer one.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(part) && word.starts_with(part);
        let after = text[at + word.len()..].chars().next().is_some_and(part) && word.ends_with(part);
        !before && !after
    })
}

/// What got past the failing call at a place; `None` if that cannot be told.
pub fn fixed(session: &Session, at: usize) -> Option<Fixed> {
    let call = session.events.get(at)?.call()?;
    match call.command() {
        Some(line) => fixed_command(session, at, line),
        None => fixed_tool(session, at, call),
    }
}

/// The calls after a place until a person speaks.
fn after(session: &Session, at: usize) -> impl Iterator<Item = (usize, &Call)> {
    let typed = |e: &Event| matches!(e.body, Body::User { author: Author::Human, .. });
    let events = session.events.iter().enumerate().skip(at + 1).take_while(move |(_, e)| !typed(e));
    events.filter_map(|(n, e)| Some((n, e.call()?))).take(REACH)
}

fn fixed_command(session: &Session, at: usize, line: &str) -> Option<Fixed> {
    let root = session.root_folder();
    let failed = words(line, root);
    let looked = looks(line);
    let mut between: Vec<&str> = Vec::new();
    for (n, call) in after(session, at) {
        let Some(next) = call.command().filter(|_| call.outcome == Outcome::Ok) else { continue };
        let found = words(next, root);
        let shared = failed.intersection(&found).count() as f64;
        // Who asks a program how it is used has not done yet what they wanted.
        let only_looks = looks(next);
        if !failed.is_empty() && shared / failed.len() as f64 >= ALIKE && (looked || !only_looks) {
            let mut change: BTreeSet<String> = found.difference(&failed).cloned().collect();
            if found == failed && between.len() <= STEPS {
                change = between.iter().flat_map(|line| words(line, root)).filter(|w| !failed.contains(w)).collect();
            }
            return (!change.is_empty() && change.len() <= WORDS).then_some(Fixed { at: n, change: Change(change) });
        }
        if !only_looks {
            between.push(next);
        }
    }
    None
}

fn looks(line: &str) -> bool {
    shell::parse(line).commands.iter().filter(|c| !c.words.is_empty()).all(only_looks)
}

fn fixed_tool(session: &Session, at: usize, call: &Call) -> Option<Fixed> {
    let root = session.root_folder();
    let is_file = |c: &Call| matches!(c.kind, ToolKind::Read | ToolKind::Edit) && !c.input.is_empty();
    if !is_file(call) {
        return None;
    }
    let asked = stem(&call.input);
    let mut read = None;
    for (n, next) in after(session, at).filter(|(_, c)| c.outcome == Outcome::Ok && is_file(c)) {
        if next.input != call.input && stem(&next.input) == asked {
            let path = failure::from_root(&next.input, root).unwrap_or_else(|| next.input.clone());
            return Some(Fixed { at: n, change: Change([path.to_lowercase()].into()) });
        }
        if next.input == call.input && next.tool == call.tool {
            let tool = read?;
            return Some(Fixed { at: n, change: Change([tool].into()) });
        }
        if next.input == call.input {
            read = Some(next.tool.to_lowercase());
        }
    }
    None
}

fn stem(path: &str) -> String {
    let name = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path);
    name.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem).to_lowercase()
}

/// The words of a command line that say what it does: without filters behind pipes, numbers, and the root of the checkout.
pub(super) fn words(line: &str, root: Option<&str>) -> BTreeSet<String> {
    let script = shell::parse(line);
    let mut out = BTreeSet::new();
    for command in script.commands.iter().filter(|c| !filters(c)) {
        for word in command.assigns.iter().chain(core(command)) {
            let word = word.text.trim();
            let word = failure::from_root(word, root).unwrap_or_else(|| word.to_owned());
            let told = word.trim_start_matches("./").trim_end_matches('/').to_lowercase();
            let counts = told.len() > 1 && !told.bytes().all(|b| b.is_ascii_digit()) && told.len() <= 120;
            if counts {
                out.insert(told);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn change(script: &str) -> Option<Vec<String>> {
        let session = session(script);
        let at = session.events.iter().position(|e| e.call().is_some_and(|c| c.outcome.is_failure()))?;
        Some(fixed(&session, at)?.change.words().map(str::to_owned).collect())
    }

    #[test]
    fn the_change_is_what_is_new_in_the_call_that_worked() {
        for (script, expected) in [
            ("! npm test => not found\n$ pnpm test", Some(vec!["pnpm"])),
            ("! make test => no rule\n$ make deps\n$ make test", Some(vec!["deps"])),
            ("! make test => no rule\n$ ls\n$ make test", None),
            ("! tool a --format json => error\n$ ls\n$ tool a --output json", Some(vec!["--output"])),
            ("! tool a --format json => error\n$ tool a --help\n$ tool a --output json", Some(vec!["--output"])),
            ("! tool a => error\nu another thing\n$ tool a --x", None),
            ("! tool a => error\n$ other b c", None),
        ] {
            let expected = expected.map(|words| words.into_iter().map(str::to_owned).collect());
            assert_eq!(change(script), expected, "{script}");
        }
    }

    #[test]
    fn a_text_has_whole_words_only() {
        let change = Change(["npm".to_owned(), "--run".to_owned()].into());
        assert!(change.is_in("Use `npm --run` instead"));
        assert!(!change.is_in("Use `pnpm --run` instead"));
        assert!(!change.is_in("Use `npm --runner` instead"));
        assert!((change.share_in("npm") - 0.5).abs() < 1e-9);
    }
}
