//! Exit codes that are answers, not failures: `grep` finding nothing, `diff` finding differences, a probe of a path.

use crate::normal::command::{core, program, subcommand};
use crate::normal::programs::{self, Role};
use crate::normal::reading::only_looks;
use crate::normal::shell::{Script, Simple};
use crate::session::Excerpt;

/// Words by which a query answers that there is nothing.
const NOTHING_THERE: &[&str] = &[
    "no pull requests found",
    "no matches found",
    "not a git repository",
    "no results",
    "no runs found",
    "no issues found",
    "no upstream configured",
    "does not point to a branch",
    "unknown revision or path not in the working tree",
];

/// Whether the exit code of a line that "failed" is the answer to a question. `quiet`: nothing in the output says that
/// something went wrong.
pub(super) fn is_answer(script: &Script<'_>, code: Option<i32>, output: &Excerpt, quiet: impl Fn() -> bool) -> bool {
    let Some(last) = script.commands.iter().rev().find(|c| !c.words.is_empty()) else { return false };
    let ran = code.is_some();
    let code = code.unwrap_or(1);
    asks(last, code, output)
        || (ran && code <= 2 && only_lists(script, last))
        || probes(script, last, code, output)
        || only_asks_versions(script, last)
        || (asked_before(script, code, output) && quiet())
}

/// Whether a command whose failure ends the line early asks something: `grep x f && echo found`.
fn asked_before(script: &Script<'_>, code: i32, output: &Excerpt) -> bool {
    script.commands.iter().any(|c| !c.words.is_empty() && !c.hides_failure() && asks(c, code, output))
}

/// `command -v ruby; ruby --version`: what is not there answers, too.
fn only_asks_versions(script: &Script<'_>, last: &Simple<'_>) -> bool {
    let version =
        |c: &Simple<'_>| c.words.len() == 2 && matches!(&*c.words[1].text, "--version" | "-v" | "-V" | "version");
    let looks = |c: &Simple<'_>| {
        version(c)
            || programs::is(program(c), Role::ProgramFinder)
            || programs::is(program(c), Role::BesideProbes)
            || finds_program(c)
    };
    version(last) && script.commands.len() > 1 && script.commands.iter().all(looks)
}

/// `command -v x`.
fn finds_program(command: &Simple<'_>) -> bool {
    command.words.first().is_some_and(|w| w.text == "command") && command.words.get(1).is_some_and(|w| w.text == "-v")
}

fn asks(last: &Simple<'_>, code: i32, output: &Excerpt) -> bool {
    let words = core(last);
    // `command -v x` is unwrapped to `-v x`: the wrapper is the program here.
    if finds_program(last) {
        return true;
    }
    let name = program(last);
    let has = |word: &str| words.iter().any(|w| w.text == word);
    let Some(codes) = programs::answers(name, subcommand(last), has) else { return false };
    if name == "git" && code == 128 { only_says_nothing_there(output) } else { codes.hold(code) }
}

/// Whether a line only looks if something is there: it throws errors away, or its whole output says that there is
/// nothing.
fn probes(script: &Script<'_>, last: &Simple<'_>, code: i32, output: &Excerpt) -> bool {
    if code > 2 {
        return false;
    }
    let looks = programs::is(program(last), Role::Probe);
    let all_look = script
        .commands
        .iter()
        .filter(|c| !c.words.is_empty())
        .all(|c| programs::is(program(c), Role::Probe) || programs::is(program(c), Role::BesideProbes));
    (looks && last.drops_errors() && all_look) || (looks && program(last) == "gh" && only_says_nothing_there(output))
}

/// `ls x` asks what is there: that it is not is the answer. With a pipe behind it somebody counts on it.
fn only_lists(script: &Script<'_>, last: &Simple<'_>) -> bool {
    lists(last)
        && last.stage == 0
        && !last.piped
        && script.commands.iter().filter(|c| !c.words.is_empty()).all(only_looks)
}

fn lists(command: &Simple<'_>) -> bool {
    matches!(program(command), "ls" | "stat")
}

/// `ls x 2>&1 | head`: whoever wants to see the error asks whether `x` is there.
pub(super) fn asks_if_there(command: &Simple<'_>) -> bool {
    lists(command) && command.merges_errors()
}

fn only_says_nothing_there(output: &Excerpt) -> bool {
    let Some(last) = output.lines().next_back() else { return false };
    NOTHING_THERE.iter().any(|words| last.contains(words))
}
