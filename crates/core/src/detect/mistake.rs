//! Was the command wrong, or the work it was to check? A wrong option teaches a command; a failing test does not.

use super::steps::Step;
use crate::normal::error::Signature;

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

/// Programs whose failing is mostly about the work they check.
const CHECKERS: &[&str] = &[
    "test",
    "lint",
    "typecheck",
    "type-check",
    "check",
    "build",
    "tsc",
    "pytest",
    "jest",
    "vitest",
    "eslint",
    "biome",
    "clippy",
    "vet",
    "mypy",
    "ruff",
    "compile",
    "commit",
];

impl Mistake {
    pub fn of(step: &Step<'_>, signature: Option<&Signature>) -> Self {
        let output = format!(
            "{}\n{}",
            step.call.output.head(),
            if step.call.output.is_cut() { step.call.output.tail() } else { "" }
        )
        .to_lowercase();
        let line = signature.map(|s| s.line.to_lowercase()).unwrap_or_default();
        let has = |text: &str, list: &[&str]| list.iter().any(|w| has_words(text, w));
        let checks =
            step.words.iter().take(4).any(|w| CHECKERS.iter().any(|c| w == c || w.starts_with(&format!("{c}:"))));
        if has(&line, COMMAND_ERRORS) && !has(&line, WORK_ERRORS) {
            // A file that a test could not open is the test's matter.
            return if checks && step.call.output.full_len() > 1_500 && !line.contains("command not found") {
                Self::Work
            } else {
                Self::Command
            };
        }
        if has(&output, WORK_ERRORS) {
            return Self::Work;
        }
        if checks { Self::Work } else { Self::Unclear }
    }
}

/// Whether a text has the phrase, beginning at a word: "unexpected" does not hold "expected".
fn has_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        !phrase.starts_with(|c: char| c.is_alphanumeric()) || !text[..at].ends_with(|c: char| c.is_alphanumeric())
    })
}
