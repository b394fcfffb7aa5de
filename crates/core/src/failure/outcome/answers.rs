//! Exit codes that are answers, not failures: `grep` finding nothing, `diff` finding differences, a probe of a path.

use crate::normal::command::{core, program, subcommand};
use crate::normal::programs::{self, Role};
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
];

/// Whether the exit code of a line that "failed" is the answer to a question.
pub(super) fn is_answer(script: &Script<'_>, code: Option<i32>, output: &Excerpt) -> bool {
    let Some(last) = script.commands.iter().rev().find(|c| !c.words.is_empty()) else { return false };
    let code = code.unwrap_or(1);
    asks(last, code, output) || probes(script, last, code, output)
}

fn asks(last: &Simple<'_>, code: i32, output: &Excerpt) -> bool {
    let words = core(last);
    // `command -v x` is unwrapped to `-v x`: the wrapper is the program here.
    if last.words.first().is_some_and(|w| w.text == "command") && last.words.get(1).is_some_and(|w| w.text == "-v") {
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

fn only_says_nothing_there(output: &Excerpt) -> bool {
    let Some(last) = output.lines().next_back() else { return false };
    NOTHING_THERE.iter().any(|words| last.contains(words))
}
