//! Command line → simple commands, with what the shell around them does to their exit codes.
//!
//! Comes in: a command line as an agent wrote it, sound or not. Goes out: its simple commands in order,
//! words unquoted, each knowing whether a failure of it would be seen. Nothing is expanded or run.
//!
//! Why our own and not a grammar library: a full syntax tree costs 27 µs a command, which alone would be
//! a third of the time allowed for reading a transcript; this takes about 1 µs. A test compares the two.

mod parser;
#[cfg(test)]
mod tests;
mod word;

use std::borrow::Cow;

use parser::{Parser, Until};

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its text with quotes and backslashes removed.
    pub text: Cow<'a, str>,
    /// Whether any part of it was quoted.
    pub quoted: bool,
    /// Whether the shell would put something else in its place (`$x`, `$(…)`, backticks).
    pub expands: bool,
}

/// A redirection such as `2>/dev/null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect<'a> {
    /// The operator with its file number, for example `2>` or `<<`.
    pub op: &'a str,
    /// Where to.
    pub target: Cow<'a, str>,
}

/// One program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple<'a> {
    /// `NAME=value` before the program.
    pub assigns: Vec<Word<'a>>,
    /// The program and its arguments.
    pub words: Vec<Word<'a>>,
    /// Its redirections.
    pub(super) redirects: Vec<Redirect<'a>>,
    /// Place in its pipeline, from 0.
    pub stage: usize,
    /// Its exit code is lost in a pipe.
    pub piped: bool,
    /// Something else runs after it whatever its exit code is.
    pub followed: bool,
    /// Its failure is handled by what stands after `||`.
    pub fallback: bool,
    /// Where it begins in the line.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    /// All simple commands in the order written.
    pub commands: Vec<Simple<'a>>,
    /// `set -o pipefail` is on, so pipes do not hide failures.
    pub pipefail: bool,
    /// `set -e` is on, so failures end the script.
    pub errexit: bool,
}

/// Reads a command line. Never fails: what is not understood becomes words.
pub fn parse(text: &str) -> Script<'_> {
    let mut parser = Parser::new(text);
    parser.list(Until::End);
    let mut script = Script { commands: parser.out, ..Script::default() };
    for command in &script.commands {
        if command.words.first().is_some_and(|w| w.text == "set") {
            let has = |flag: &str| command.words.iter().any(|w| w.text == flag);
            let short = |c| {
                command.words.iter().any(|w| w.text.starts_with('-') && !w.text.starts_with("--") && w.text.contains(c))
            };
            script.pipefail |= has("pipefail");
            script.errexit |= short('e');
        }
    }
    if script.pipefail {
        script.commands.iter_mut().for_each(|c| c.piped = false);
    }
    if script.errexit {
        script.commands.iter_mut().for_each(|c| c.followed = false);
    }
    script
}

impl Simple<'_> {
    /// Whether a failure of it would not show in the exit code of the whole line.
    pub fn hides_failure(&self) -> bool {
        self.piped || self.followed || self.fallback
    }

    /// Whether its error messages are thrown away.
    pub(crate) fn drops_errors(&self) -> bool {
        self.redirects.iter().any(|r| matches!(r.op, "2>" | "2>>" | "&>" | ">&") && r.target == "/dev/null")
    }

    /// Whether its error messages go where its output goes: `2>&1`, `&>`.
    pub(crate) fn merges_errors(&self) -> bool {
        self.redirects.iter().any(|r| r.op.starts_with("2>&") && r.target == "1" || r.op == "&>")
    }

    /// Whether it writes a file with a here-document or redirection.
    pub(super) fn writes_file(&self) -> bool {
        let to_file =
            self.redirects.iter().any(|r| matches!(r.op, ">" | ">>" | "1>") && !r.target.starts_with("/dev/"));
        to_file && self.redirects.iter().any(|r| r.op.starts_with("<<"))
    }
}
