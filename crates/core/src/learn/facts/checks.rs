//! What changes are checked with in a project: commands that a good part of all sessions that change something run.
//!
//! Comes in: one observation for each session that changed files, with what it ran afterwards. Goes out: one fact, or none
//! where no command is usual. Nothing is said of what a command is for: that it is run again and again after changes is all.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Evidence, Lesson, Payload, Provenance, Worth, counted, lesson_id};
use super::evidence::{self, Bars};
use crate::detect::{FOUND, Kind, Observation, StepForm};
use crate::learn::came_again;
use crate::learn::capability::concerns;
use crate::normal::programs::{self, Role};
use crate::session::Origin;

/// Fewest sessions that ran a command, and of how many that changed something: a third.
const SESSIONS: usize = 3;
const SHARE: usize = 3;
/// Most commands that are named.
const NAMED: usize = 5;
/// What it saves a session to be told: a look for how it is done.
const SAVED: usize = 300; // tokens

/// What it weighs beside having come up so often: as much as what people ask for again.
const BASE: f64 = 6.0;

/// A command over all sessions.
#[derive(Default)]
struct Usual<'o> {
    roots: BTreeSet<&'o str>,
    /// The places at which it came among those of a session, added up.
    order: usize,
    /// In how many of them it found something: then it is a check.
    found: usize,
    /// How it was called, and how often so.
    forms: BTreeMap<&'o str, usize>,
}

/// The fact of a project.
pub(super) fn fold(project: &str, group: &[&Observation], bars: &Bars) -> Option<Lesson> {
    let all: BTreeSet<&str> = group.iter().map(|o| o.head.root.as_str()).collect();
    let usual = usual(group, all.len());
    let commands: Vec<String> = usual.iter().map(|(_, command)| command.clone()).collect();
    let text = format!("Changes here are checked with {}.", listed(&commands));
    // One bare command everybody would try says nothing.
    let telling = commands.len() > 1 || commands.iter().any(|c| c.split(' ').count() > 2);
    if !telling || !concerns(&text, commands.iter().map(String::as_str)).is_empty() {
        return None;
    }
    let often = usual.iter().map(|(sessions, _)| *sessions).max().unwrap_or_default();
    let seen = Evidence {
        sessions: often,
        tally: Some(format!("after changes in {often} of {} sessions", all.len())),
        quality: true,
        ..counted(group[0], group)
    };
    let key = group[0].claim.key.clone();
    let mut lesson = Lesson {
        id: lesson_id(Kind::Fact, &key, project),
        kind: Kind::Fact,
        payload: Payload {
            statement: text,
            commands,
            trigger: None,
            scope: project.to_owned(),
            name: key.clone(),
            title: "How changes are checked".to_owned(),
        },
        key,
        origin: Provenance::of(&group[0].head.detector, Origin::Assistant),
        evidence: seen,
    };
    let judged = evidence::judge(bars.of(Kind::Fact, &lesson.origin.detector), &lesson.weight(false), 0);
    // It is how people work here, as what they ask for again.
    let rank = super::rank_of((often * SAVED) as u64).max(BASE + came_again(often));
    lesson.evidence.worth = Worth { confidence: judged.confidence, ready: judged.ready, rank };
    Some(lesson)
}

/// The usual commands in the order in which they are run, each with the number of its sessions.
fn usual(group: &[&Observation], all: usize) -> Vec<(usize, String)> {
    let mut found: BTreeMap<&str, Usual<'_>> = BTreeMap::new();
    for o in group {
        for (n, StepForm { normal, command }) in o.seen.steps().iter().enumerate() {
            let one = found.entry(normal.strip_prefix(FOUND).unwrap_or(normal)).or_default();
            one.found += usize::from(normal.starts_with(FOUND));
            if one.roots.insert(&o.head.root) {
                one.order += n * 100;
            }
            *one.forms.entry(command).or_default() += 1;
        }
    }
    let checkers: BTreeSet<&str> = found.iter().filter(|(_, u)| u.found > 0).map(|(goal, _)| program(goal)).collect();
    // A build that never failed stands beside the tests of the same program that did.
    let beside = |goal: &str| checkers.contains(program(goal)) && goal.split([' ', ':', '-', '_']).any(is_checking);
    let checks = |goal: &str, u: &Usual<'_>| {
        u.found > 0 || beside(goal) || CHECKING.iter().any(|r| programs::is(program(goal), *r))
    };
    let mut often: Vec<(&str, Usual<'_>)> = found
        .into_iter()
        .filter(|(goal, u)| checks(goal, u) && u.roots.len() >= SESSIONS && u.roots.len() * SHARE >= all)
        .collect();
    often.sort_by_key(|(goal, u)| (std::cmp::Reverse(u.roots.len()), *goal));
    often.truncate(NAMED);
    often.sort_by_key(|(goal, u)| (u.order / u.roots.len(), *goal));
    often.into_iter().map(|(goal, u)| (u.roots.len(), called(goal, &u))).collect()
}

/// Programs that are for checking, also where they never found anything.
const CHECKING: [Role; 3] = [Role::Checker, Role::Formatter, Role::FormatterWithW];

/// Words of goals that check: `npm install` is no check because `npm test` is one.
fn is_checking(word: &str) -> bool {
    const WORDS: [&str; 11] =
        ["build", "check", "clippy", "compile", "fmt", "format", "lint", "test", "typecheck", "verify", "vet"];
    WORDS.contains(&word)
}

/// The program of a goal such as `go test`.
fn program(goal: &str) -> &str {
    goal.split(' ').next().unwrap_or(goal)
}

/// How a command is called: as in most sessions, else by its name alone.
fn called(goal: &str, usual: &Usual<'_>) -> String {
    let most = usual.forms.iter().max_by_key(|(form, count)| (**count, std::cmp::Reverse(form.len()), **form));
    let form = most.filter(|(_, count)| **count * 2 > usual.roots.len()).map(|(form, _)| *form);
    form.unwrap_or(goal).to_owned()
}

fn listed(commands: &[String]) -> String {
    let quoted: Vec<String> = commands.iter().map(|c| format!("`{c}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}

#[cfg(test)]
mod tests {
    use crate::detect::{CHECKS, detect};
    use crate::learn::{Lesson, fold};
    use crate::session::{Body, Call, Event, Excerpt, Outcome, Session, ToolKind};

    /// A session: `E` changes a file, `!` before a command: it found something; everything else worked.
    fn lessons(stories: &[&[&str]]) -> Vec<Lesson> {
        let mut seen = Vec::new();
        for (n, story) in stories.iter().enumerate() {
            let mut session = Session { cwd: Some("/home/dev/shop".into()), ..Session::default() };
            (session.id, session.root) = (n.to_string(), n.to_string());
            for (at, line) in story.iter().enumerate() {
                let (tool, kind) = if *line == "E" { ("Edit", ToolKind::Edit) } else { ("Bash", ToolKind::Shell) };
                let input = if *line == "E" { "/home/dev/shop/a.go" } else { line.trim_start_matches('!') };
                let (outcome, output) = match line.starts_with('!') {
                    true => (Outcome::Failed(Some(1)), "./a.go:3:5: undefined: y\n--- FAIL: TestA"),
                    false => (Outcome::Ok, ""),
                };
                let body = Body::Call(Call { outcome, output: Excerpt::new(output), ..Call::new(tool, kind, input) });
                session.events.push(Event {
                    id: format!("{n}-{at}"),
                    at: Some(1),
                    offset: 0,
                    len: 0,
                    tokens: None,
                    body,
                });
            }
            seen.extend(detect(&session));
        }
        let mut found = fold("p", &seen);
        found.retain(|l| l.origin.detector == CHECKS);
        found
    }

    #[test]
    fn what_sessions_run_after_changes_is_told_in_its_order() {
        let checked: &[&str] =
            &["E", "E", "go vet ./...", "go test ./... 2>&1 | tail -5", "git commit -m x", "git status"];
        let failing: &[&str] = &["E", "E", "!go vet ./...", "E", "!go test ./..."];
        let found = lessons(&[checked, checked, failing, &["E", "E", "ls"]]);
        assert_eq!(found[0].payload.statement, "Changes here are checked with `go vet ./...` and `go test ./...`.");
        assert_eq!(found[0].evidence.tally.as_deref(), Some("after changes in 3 of 4 sessions"));
        assert!(found[0].evidence.worth.ready);
    }

    /// A program has goals that check and goals that do not.
    #[test]
    fn what_changes_something_is_no_check_beside_one_of_its_program() {
        for (beside, check) in [
            ("npm install", "npm run test"),
            ("make deploy", "make test V=1"),
            ("cargo add serde", "cargo test --workspace"),
            ("go mod tidy", "go test ./..."),
        ] {
            let found = format!("!{check}");
            let story = ["E", "E", beside, "go vet ./...", "E", found.as_str()];
            let said = lessons(&[&story, &story, &story]).remove(0).payload.statement;
            assert!(said.contains(check) && !said.contains(beside), "{said}");
        }
        let story =
            ["E", "E", "npm run typecheck", "make lint", "cargo build", "!npm test", "!make test", "!cargo test"];
        let said = lessons(&[&story, &story, &story]).remove(0).payload.statement;
        assert!(["npm run typecheck", "make lint", "cargo build"].iter().all(|c| said.contains(c)), "{said}");
    }

    #[test]
    fn a_command_of_few_sessions_or_before_a_change_is_no_habit() {
        assert_eq!(lessons(&[&["E", "E", "make test"], &["E", "E", "make test"], &["E", "E"]]), []);
        let before: &[&str] = &["make test", "E", "E"];
        assert_eq!(lessons(&[before, before, before, before]), []);
        // Nor is what checks nothing, but what is of a program that checks.
        let beside: &[&str] = &["E", "E", "go build ./...", "gofmt -l .", "tracker sync", "!go test ./..."];
        let found = lessons(&[beside, beside, beside]);
        let said = "Changes here are checked with `go build ./...`, `gofmt -l .` and `go test ./...`.";
        assert_eq!(found[0].payload.statement, said);
        let never_finds: &[&str] = &["E", "E", "tracker sync"];
        assert_eq!(lessons(&[never_finds, never_finds, never_finds]), []);
    }
}
