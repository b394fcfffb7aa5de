//! `tallies`: what worked in a session: which files were opened where, which programs ran in which folder, which skills were used.
//!
//! One observation for a session. Added up over sessions the tallies say where a path really is and where a program works.
//! A check that found something and a test that failed did run: they count as working here.

use std::collections::BTreeMap;

use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, TALLIES, Tally};
use crate::failure::{self, Family};
use crate::normal::command::program;
use crate::normal::programs::{self, Role};
use crate::normal::reading::only_looks;
use crate::normal::shell::Simple;
use crate::session::{Agent, Call, Origin, Outcome, Session, ToolKind};
use crate::sources::used_skills;

/// Longest name and longest path that are counted.
const LIMIT: usize = 120;
/// Most tallies of one session.
const MOST: usize = 400;

/// Counts what worked.
pub(super) fn tallies(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let all = counted(session, steps);
    if all.is_empty() {
        return Vec::new();
    }
    let last = session.events.len().saturating_sub(1);
    // A fork repeats what its root did; a subagent did something of its own.
    let what = if session.agent == Agent::Main { "" } else { &session.id };
    let mut o = Observation::about(what, TALLIES, Kind::Fact, session, Vec::new(), last);
    o.claim.key = TALLIES.to_owned();
    o.claim.text = "What worked where".to_owned();
    o.claim.trust = Origin::Tool;
    o.claim.telling = false;
    o.seen = Seen::Worked(all);
    vec![o]
}

fn counted(session: &Session, steps: &Steps<'_>) -> Vec<Tally> {
    let mut all: BTreeMap<(String, String), (u32, u32)> = BTreeMap::new();
    let root = session.root_folder();
    for step in &steps.all {
        programs(session, step, steps, &mut |what, place, ok| {
            let count = all.entry((what, place)).or_default();
            *(if ok { &mut count.0 } else { &mut count.1 }) += 1;
        });
    }
    let opened = |c: &&Call| matches!(c.kind, ToolKind::Read | ToolKind::Edit) && c.outcome == Outcome::Ok;
    for call in session.events.iter().filter_map(|e| e.call()).filter(opened) {
        let path = failure::from_root(&call.input, root).filter(|p| p.len() <= LIMIT && p != ".");
        if let Some(path) = path {
            all.entry((Tally::of_file(&path), path)).or_default().0 += 1;
        }
    }
    for used in used_skills(session).into_iter().filter(|used| used.began) {
        all.entry((Tally::of_skill(&used.name), session.source.as_str().to_owned())).or_default().0 += 1;
    }
    let tally = |((what, place), (ok, failed))| Tally { what, place, ok, failed };
    all.into_iter().map(tally).filter(|t| t.what.len() <= LIMIT && t.place.len() <= LIMIT).take(MOST).collect()
}

/// The programs of a shell call, each with the folder it ran in and whether it could begin.
fn programs(session: &Session, step: &Step<'_>, steps: &Steps<'_>, count: &mut impl FnMut(String, String, bool)) {
    let call = step.call;
    let began = match call.outcome {
        Outcome::Ok => true,
        Outcome::Failed(_) | Outcome::Masked => match steps.causes.get(&step.at).map(|f| f.family) {
            // A test that failed has no cause that can be learned from.
            None | Some(Family::CheckFinding) => true,
            Some(Family::WrongFolder | Family::MissingPath | Family::MissingStep | Family::WrongUsage) => false,
            Some(_) => return,
        },
        _ => return,
    };
    let Some(mut folder) = failure::folder(session, call) else { return };
    for command in &step.script.commands {
        if program(command) == "cd" {
            match failure::entered(command, &folder, session.root_folder()) {
                Some(next) => folder = next,
                None => return,
            }
        } else if !command.words.is_empty() && !only_looks(command) {
            let goal = failure::goal(command);
            if let Some((program, _)) = goal.split_once(' ') {
                count(Tally::of_program(program), folder.clone(), began);
            }
            count(Tally::of_program(&goal), folder.clone(), began);
            if let Some((program, prefix)) = behind(command) {
                count(Tally::of_prefix(program), prefix, began);
            }
        }
    }
}

/// Longest prefix that is counted.
const PREFIX: usize = 40;

/// The program that a runner runs, and what stands before it: `uv run pytest -q` runs `pytest` behind `uv run`.
fn behind<'c>(command: &'c Simple<'_>) -> Option<(&'c str, String)> {
    let words = &command.words;
    let runs = words.iter().take(3).position(|w| matches!(&*w.text, "run" | "exec" | "x" | "dlx"))?;
    let at = runs + 1 + words[runs + 1..].iter().position(|w| !w.text.starts_with('-'))?;
    let program = &*words[at].text;
    // A task of the project is no program: `npm run build`.
    let plain = programs::is(&words[0].text, Role::TaskRunner) && !program.contains(['/', '=', ':', '$']);
    let prefix = words[..at].iter().map(|w| &*w.text).collect::<Vec<_>>().join(" ");
    (runs > 0 && plain && prefix.len() <= PREFIX && words[..at].iter().all(|w| !w.expands)).then_some((program, prefix))
}

/// The folder in which the first command of a line runs that is no `cd`, from the root; `None` if that cannot be told.
pub(super) fn where_it_runs(session: &Session, call: &Call) -> Option<String> {
    failure::runs_in(call.command()?, failure::folder(session, call)?, session.root_folder())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Body, Event};

    fn told(calls: &[(ToolKind, &str)]) -> Vec<String> {
        let mut session = Session { cwd: Some("/home/dev/shop".into()), ..Session::default() };
        for (n, (kind, input)) in calls.iter().enumerate() {
            let body = Body::Call(Call { outcome: Outcome::Ok, ..Call::new("T", *kind, input) });
            session.events.push(Event { id: n.to_string(), at: None, offset: 0, len: 0, tokens: None, body });
        }
        counted(&session, &Steps::new(&session))
            .iter()
            .map(|t| format!("{} {} {}/{}", t.what, t.place, t.ok, t.failed))
            .collect()
    }

    #[test]
    fn files_are_counted_by_name_and_programs_by_folder() {
        let found = told(&[
            (ToolKind::Read, "/home/dev/shop/src/Cart.rs"),
            (ToolKind::Read, "/home/dev/shop/src/Cart.rs"),
            (ToolKind::Read, "/etc/hosts"),
            (ToolKind::Shell, "cd src && go test ./... | tail"),
            (ToolKind::Shell, "cd \"$X\" && go test"),
            (ToolKind::Shell, "ls src"),
        ]);
        assert_eq!(found, ["f:cart src/Cart.rs 2/0", "r:go src 1/0", "r:go test src 1/0"]);
    }

    #[test]
    fn what_a_program_is_run_behind_is_counted() {
        let prefixes = |line: &str| {
            let all = told(&[(ToolKind::Shell, line)]);
            all.into_iter().filter(|t| t.starts_with("w:")).collect::<Vec<_>>()
        };
        assert_eq!(prefixes("uv run pytest -q"), ["w:pytest uv run 1/0"]);
        assert_eq!(prefixes("mise exec -- go vet ./..."), ["w:go mise exec -- 1/0"]);
        assert_eq!(prefixes("pytest -q; git commit -m run"), [""; 0]);
    }
}
