//! `context-confusion`: a command was run in the wrong folder, project or branch.
//!
//! What it is: a relative path is not there, and within a few calls the same file is reached from another folder or
//! under another path; or a project is not there ("not a git repository") and the same command works elsewhere; or
//! three such misses in ten calls. What it is not: changing folders quickly. In real sessions nine of ten never
//! change the folder, and those that do it often do it with full paths and without failing. A single missing path
//! is a guess, not a confusion: one session in seven has such a miss, mostly just one, and four of five misses are
//! never found elsewhere.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::related::base;
use super::steps::{Step, Steps};
use super::{Fix, Kind, Observation, Seen, Sure};
use crate::normal::command;
use crate::normal::english::cut;
use crate::normal::slug;
use crate::session::{Excerpt, Origin, Session};

/// How many shell calls after a miss are searched for the right place.
const REACH: usize = 6;
/// This many misses in `WINDOW` calls: the agent is lost.
const LOST: usize = 3;
const WINDOW: usize = 10;
/// Most observations of one session.
const MOST: usize = 3;

/// What a failing command did not find.
#[derive(PartialEq, Eq, Debug)]
enum Missing<'s> {
    /// A relative path.
    Path(&'s str),
    /// The project or repository itself.
    Project,
    /// A branch.
    Branch(&'s str),
}

/// Finds commands that ran in the wrong place.
pub(super) fn confusions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let misses: Vec<(usize, Missing<'_>)> =
        steps.all.iter().enumerate().filter(|(_, s)| s.failed()).filter_map(|(n, s)| Some((n, missing(s)?))).collect();
    let mut out: Vec<Observation> = Vec::new();
    for (n, what) in &misses {
        let later = &steps.all[n + 1..steps.all.len().min(n + 1 + REACH)];
        let Some((right, place)) = later.iter().find_map(|s| Some((s, elsewhere(&steps.all[*n], what, s)?))) else {
            continue;
        };
        let o = observe(session, &steps.all[*n], what, right, place);
        if !out.iter().any(|seen| seen.claim.key == o.claim.key) {
            out.push(o);
        }
    }
    let lost = misses.windows(LOST).find(|w| w[LOST - 1].0 - w[0].0 < WINDOW);
    if let Some(lost) = lost.filter(|_| out.is_empty()) {
        let steps: Vec<&Step<'_>> = lost.iter().map(|(n, _)| &steps.all[*n]).collect();
        out.push(observe_lost(session, &steps, lost));
    }
    out.truncate(MOST);
    out
}

/// A path is not there.
const PATHS: &[&str] = &["No such file or directory", "no such file or directory", "can't open file"];
/// A project is not there.
const PROJECTS: &[&str] = &[
    "not a git repository",
    "could not find `Cargo.toml`",
    "no package.json",
    "go.mod file not found",
    "No makefile found",
    "no configuration file provided",
];
/// A branch is not there.
const BRANCH: &str = "did not match any file(s) known to git";

/// A quick search, because most failures say none of these.
static SAYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let all = PATHS.iter().chain(PROJECTS).chain([&BRANCH]);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(all).ok()
});

/// What a failing line did not find, if that is why it failed.
fn missing<'a>(step: &'a Step<'_>) -> Option<Missing<'a>> {
    let said = start(&step.call.output);
    if !SAYS.as_ref().is_some_and(|s| s.is_match(said)) {
        return None;
    }
    let line = |words: &[&str]| said.lines().find(|l| words.iter().any(|w| l.contains(w)));
    if line(PROJECTS).is_some() {
        return Some(Missing::Project);
    }
    if let Some(line) = said.lines().find(|l| l.contains(BRANCH)) {
        let branching = step.words.iter().take(3).any(|w| matches!(w.as_str(), "checkout" | "switch"));
        return step.words.iter().find(|w| branching && quoted(line, w)).map(|w| Missing::Branch(w));
    }
    let line = line(PATHS)?;
    step.words.iter().find(|w| relative(w) && quoted(line, w)).map(|w| Missing::Path(w))
}

/// A program's complaint stands at the start or the end of a short output.
fn start(output: &Excerpt) -> &str {
    let head = output.head();
    &head[..head.floor_char_boundary(1_000)]
}

fn relative(word: &str) -> bool {
    word.len() > 3
        && word.contains(['/', '.'])
        && !word.starts_with(['/', '~', '$', '-', '<'])
        && !word.contains(['*', ' ', '\n'])
}

/// Whether a word stands in a line with nothing joined to it.
fn quoted(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    line.match_indices(word).any(|(at, _)| {
        let after = line[at + word.len()..].trim_start_matches('.');
        !line[..at].ends_with(joins) && !after.starts_with(joins)
    })
}

/// Where a later call found it: another path to the same file, or another folder.
fn elsewhere<'a>(failed: &Step<'_>, what: &Missing<'_>, next: &'a Step<'_>) -> Option<&'a str> {
    if !next.ok() {
        return None;
    }
    let moved = || folder(next).filter(|f| Some(*f) != folder(failed));
    match what {
        Missing::Path(path) => {
            let name = base(path);
            let other = next.words.iter().find(|w| *w != path && base(w) == name && w.contains('/') && name.len() > 3);
            other.map(String::as_str).or_else(|| next.words.iter().any(|w| w == path).then(moved).flatten())
        }
        Missing::Project => (failed.normal == next.normal).then(moved).flatten(),
        Missing::Branch(_) => (failed.words == next.words).then(moved).flatten(),
    }
}

/// The folder a line enters first, or names with `-C`.
fn folder<'a>(step: &'a Step<'_>) -> Option<&'a str> {
    let first = step.script.commands.first()?;
    if command::program(first) == "cd" {
        return first.words.get(1).map(|w| &*w.text);
    }
    let at = first.words.iter().position(|w| matches!(&*w.text, "-C" | "--prefix" | "--cwd" | "--manifest-path"))?;
    first.words.get(at + 1).map(|w| &*w.text)
}

fn observe(session: &Session, failed: &Step<'_>, what: &Missing<'_>, right: &Step<'_>, place: &str) -> Observation {
    let events = vec![failed.id.to_owned(), right.id.to_owned()];
    let mut o = Observation::new("context-confusion", Kind::Pitfall, session, events, right.at);
    let place = cut(place, 140);
    let (thing, name) = match what {
        Missing::Path(path) => (format!("`{}`", cut(path, 100)), base(path)),
        Missing::Project => (format!("the project for `{}`", cut(&failed.normal, 60)), failed.program.as_str()),
        Missing::Branch(branch) => (format!("the branch `{branch}`"), *branch),
    };
    o.claim.name = slug(&format!("place-of-{name}"));
    o.claim.title = cut(&format!("Wrong place: {thing}"), 90);
    o.claim.text =
        format!("{} is not where `{}` was run; it was found with `{place}`", capital(&thing), cut(&failed.program, 60));
    o.claim.commands = vec![failed.shown(), right.shown()];
    o.seen = Seen::Fix(Fix { failed: Some(failed.id.to_owned()), fixed: Some(right.id.to_owned()), ..Fix::default() });
    // Where a script lies is worth a note; where a file lies that was only looked at is not.
    let script = matches!(what, Missing::Path(p) if failed.words.first().is_some_and(|w| w == p));
    let lasting = !["/tmp/", "/private/tmp/", "/var/folders/"].iter().any(|t| place.starts_with(t));
    o.claim.suggest = script && lasting && right.words.first().is_some_and(|w| base(w) == name);
    o.claim.telling = o.claim.suggest;
    o.claim.sure = if script || *what == Missing::Project { Sure::High } else { Sure::Medium };
    o.claim.key = format!("place | {name} | {}", base(place.trim_end_matches(name).trim_end_matches('/')));
    o
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn observe_lost(session: &Session, steps: &[&Step<'_>], lost: &[(usize, Missing<'_>)]) -> Observation {
    let events = steps.iter().map(|s| s.id.to_owned()).collect();
    let mut o = Observation::new("context-confusion", Kind::Pitfall, session, events, steps[steps.len() - 1].at);
    let mut names: Vec<String> = lost
        .iter()
        .map(|(n, what)| match what {
            Missing::Path(path) => format!("`{}`", cut(path, 80)),
            Missing::Project => format!("a project (call {n})"),
            Missing::Branch(branch) => format!("the branch `{branch}`"),
        })
        .collect();
    names.dedup();
    o.claim.name = "lost-in-folders".to_owned();
    o.claim.title = "Paths that are not there".to_owned();
    o.claim.text = format!("Within ten commands these were not where they were looked for: {}", names.join(", "));
    o.claim.commands = steps.iter().map(|s| s.shown()).collect();
    o.claim.trust = Origin::Assistant;
    o.claim.telling = false;
    o.claim.key = format!("lost | {}", names.join(" "));
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<(String, bool)> {
        let s = session(script);
        confusions(&s, &Steps::new(&s)).into_iter().map(|o| (o.claim.text, o.claim.suggest)).collect()
    }

    #[test]
    fn a_script_that_lies_elsewhere() {
        let found = seen(
            "! scripts/seed.sh --all => bash: scripts/seed.sh: No such file or directory
             $ tools/scripts/seed.sh --all",
        );
        let text = "`scripts/seed.sh` is not where `seed.sh` was run; it was found with `tools/scripts/seed.sh`";
        assert_eq!(found, [(text.to_owned(), true)]);
    }

    #[test]
    fn another_folder_makes_it_work() {
        for script in [
            "! cat src/a.rs => cat: src/a.rs: No such file or directory\n$ cd core && cat src/a.rs",
            "! cargo test => error: could not find `Cargo.toml` in `/x` or any parent directory\n$ cd core && cargo test",
            "! git status => fatal: not a git repository (or any of the parent directories): .git\n$ git -C core status",
        ] {
            let found = seen(script);
            assert_eq!((found.len(), found[0].1), (1, false), "{script}");
        }
    }

    #[test]
    fn a_guess_is_no_confusion() {
        for script in [
            "! cat src/a.rs => cat: src/a.rs: No such file or directory\n$ ls",
            // made, not found
            "! cat src/a.rs => cat: src/a.rs: No such file or directory\n$ touch src/a.rs\n$ cat src/a.rs",
            "! cat /x/a.rs => cat: /x/a.rs: No such file or directory\n$ cat /y/a.rs",
            // changing folders is no failure
            "$ cd a && make x\n$ cd b && make x\n$ cd a && make x\n$ cd b && make x\n$ cd a && make x",
            "! make test => 1 failing\n$ cd a && make test",
        ] {
            assert_eq!(seen(script).len(), 0, "{script}");
        }
    }

    #[test]
    fn three_misses_in_a_row_are_being_lost() {
        let miss = |p: &str| format!("! sed -n 1p {p} => sed: {p}: No such file or directory\n");
        let script = format!("{}{}{}", miss("a/one.rs"), miss("b/two.rs"), miss("c/three.rs"));
        assert_eq!(seen(&script).len(), 1);
        let spread =
            format!("{}{}{}{}", miss("a/one.rs"), "$ make all\n".repeat(9), miss("b/two.rs"), miss("c/three.rs"));
        assert_eq!(seen(&spread).len(), 0);
    }
}
