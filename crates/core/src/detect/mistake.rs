//! Was the command wrong, or the work it was to check? A wrong option teaches a command; a failing test does not.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::steps::Step;
use crate::normal::error::Signature;
use crate::normal::programs::{self, Role};

/// What kind of mistake the failing command shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mistake {
    /// The command itself was wrong: option, subcommand, program, place, quoting, missing set-up.
    Command,
    /// The work it was to check is wrong: tests, types, lint.
    Work,
    /// Cannot tell.
    Unclear,
}

/// Words that say the command was wrong, not the code.
const COMMAND_ERRORS: &[&str] = &[
    "command not found",
    "not found in path",
    "unknown option",
    "unknown flag",
    "unknown command",
    "unknown argument",
    "unknown shorthand",
    "unknown subcommand",
    "unknown json field",
    "unrecognized",
    "unexpected argument",
    "invalid option",
    "illegal option",
    "invalid argument",
    "invalid flag",
    "no such option",
    "no such command",
    "not a valid",
    "is not a ",
    "unsupported option",
    "missing script",
    "missing required",
    "required argument",
    "is required",
    "must specify",
    "must be specified",
    "must provide",
    "usage:",
    "no such file",
    "cannot access",
    "not a git repository",
    "can't open file",
    "no module named",
    "cannot find module",
    "could not find `cargo.toml`",
    "no makefile",
    "no rule to make target",
    "no matching distribution",
    "no matches found",
    "ambiguous argument",
    "did not match any file",
    "pathspec",
    "is not recognized",
    "not installed",
    "externally-managed-environment",
    "permission denied",
    "syntax error",
    "parse error",
    "unexpected eof",
    "unterminated",
    "bad substitution",
    "bad pattern",
    "event not found",
    "are ignored by",
    "ignored by one of your",
    "not a tty",
    "input device is not",
    "connection refused",
    "could not connect",
    "cannot connect",
    "no configuration file",
    "no tests found",
    "no test files",
    "does not exist",
    "doesn't accept argument",
    "unknown field",
    "could not resolve",
    "authentication",
    "not logged in",
    "already exists",
    "already in use",
    "please specify",
    "use --",
    "try '",
    "did you mean",
    "cannot be used with",
    "mutually exclusive",
    "requires an argument",
    "not possible because",
    "non-fast-forward",
    "have diverged",
    "working tree contains",
    "would be overwritten",
    "no upstream branch",
    "not on path",
    "read-only file system",
    "operation not permitted",
];

/// Words that say the work is wrong.
const WORK_ERRORS: &[&str] = &[
    "assertion",
    "assert ",
    "expected ",
    "error ts",
    "error[e",
    "--- fail",
    "tests failed",
    "test failed",
    "type error",
    "lint/",
    "unused ",
    "mismatched types",
    "cannot find name",
    "does not satisfy",
    "panicked at",
    "would have printed",
    "found 1 error",
    "errors were emitted",
];

/// Tasks and subcommands whose failing is mostly about the work they check.
const CHECKS: &[&str] =
    &["test", "lint", "typecheck", "type-check", "check", "build", "clippy", "vet", "compile", "commit"];

impl Mistake {
    pub(super) fn of(step: &Step<'_>, signature: Option<&Signature>) -> Self {
        let output = &step.call.output;
        let line = signature.map(|s| s.line.as_str()).unwrap_or_default();
        let task =
            |w: &String| w.split(':').next().is_some_and(|w| CHECKS.contains(&w) || programs::is(w, Role::Checker));
        let checks = step.words.iter().take(4).any(task);
        if says(line, &COMMAND_SAYS) && !says(line, &WORK_SAYS) {
            // A file that a test could not open is the test's problem, not the command's.
            return if checks && step.call.output.full_len() > 1_500 && !line.contains("command not found") {
                Self::Work
            } else {
                Self::Command
            };
        }
        if says(output.head(), &WORK_SAYS) || output.is_cut() && says(output.tail(), &WORK_SAYS) {
            return Self::Work;
        }
        if checks { Self::Work } else { Self::Unclear }
    }
}

static COMMAND_SAYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| any_of(COMMAND_ERRORS));
static WORK_SAYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| any_of(WORK_ERRORS));

fn any_of(phrases: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(phrases).ok()
}

/// Whether a text has one of the phrases, beginning at a word: "unexpected" does not hold "expected".
fn says(text: &str, phrases: &Option<AhoCorasick>) -> bool {
    let Some(phrases) = phrases else { return false };
    phrases.find_overlapping_iter(text).any(|found| {
        let at = found.start();
        !text[at..].starts_with(|c: char| c.is_alphanumeric()) || !text[..at].ends_with(|c: char| c.is_alphanumeric())
    })
}
