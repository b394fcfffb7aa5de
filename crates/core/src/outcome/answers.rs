//! Exit codes that are answers, not failures: `grep` finding nothing, `diff` finding differences, a probe of a path.

use crate::normal::command::{core, program, subcommand};
use crate::normal::shell::{Script, Simple};
use crate::session::Excerpt;

/// Programs whose exit code 1 says "no", with the words that must follow; empty = always.
const ASKING: &[(&str, &[&str])] = &[
    ("grep", &[]),
    ("egrep", &[]),
    ("fgrep", &[]),
    ("rg", &[]),
    ("ag", &[]),
    ("ack", &[]),
    ("diff", &[]),
    ("cmp", &[]),
    ("colordiff", &[]),
    ("test", &[]),
    ("[", &[]),
    ("[[", &[]),
    ("which", &[]),
    ("type", &[]),
    ("whereis", &[]),
    ("hash", &[]),
    ("pgrep", &[]),
    ("ps", &[]),
    ("pidof", &[]),
    ("lsof", &[]),
    ("expr", &[]),
    ("false", &[]),
    ("git", &["diff"]),
    ("git", &["grep"]),
    ("git", &["check-ignore"]),
    ("git", &["show-ref"]),
    ("git", &["merge-base"]),
    ("git", &["config"]),
    ("git", &["ls-files"]),
    ("git", &["rev-parse"]),
    ("git", &["symbolic-ref"]),
    ("git", &["merge-tree"]),
    ("gh", &["pr", "checks"]),
    ("gh", &["pr", "status"]),
    ("tmux", &["has-session"]),
    ("systemctl", &["is-active"]),
    ("systemctl", &["status"]),
    ("npm", &["outdated"]),
    ("kill", &["-0"]),
];

/// Answers a query gives in words.
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
    let sub = subcommand(last);
    let asking = ASKING.iter().any(|(p, subs)| {
        let follows = |s: &&str| words.iter().any(|w| w.text == **s);
        *p == name && subs.first().is_none_or(|s| *s == sub || s.starts_with('-')) && subs.iter().all(follows)
    });
    if !asking {
        return false;
    }
    match name {
        // 2 and more: the search itself went wrong
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "diff" | "cmp" | "test" | "[" | "[[" => code == 1,
        "gh" => code <= 8,
        "git" if code == 128 => only_says_nothing_there(output),
        "git" => code == 1,
        _ => code <= 4,
    }
}

/// A look whether something is there, whose errors are thrown away or whose whole answer is that there is nothing.
fn probes(script: &Script<'_>, last: &Simple<'_>, code: i32, output: &Excerpt) -> bool {
    const LOOKING: &[&str] = &[
        "ls", "stat", "file", "find", "cat", "head", "tail", "wc", "readlink", "realpath", "du", "jq", "gh", "docker",
        "security",
    ];
    if code > 2 {
        return false;
    }
    let looks = LOOKING.contains(&program(last));
    let all_look = script
        .commands
        .iter()
        .filter(|c| !c.words.is_empty())
        .all(|c| LOOKING.contains(&program(c)) || matches!(program(c), "cd" | "echo" | "grep" | "sort"));
    (looks && last.drops_errors() && all_look) || (looks && program(last) == "gh" && only_says_nothing_there(output))
}

fn only_says_nothing_there(output: &Excerpt) -> bool {
    let Some(last) = output.lines().next_back() else { return false };
    NOTHING_THERE.iter().any(|words| last.contains(words))
}
