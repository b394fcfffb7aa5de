//! Parts of a line that failed while the line went on: the exit code is that of the last part.
//!
//! A part is known by its own words: the shell says that a folder of `cd` is not there, a program speaks under its own name,
//! or the line itself prints a word for it (`… || echo "FAIL $x"`).

use crate::normal::command::{program, working};
use crate::normal::error::strip_ansi;
use crate::normal::programs::{self, Role};
use crate::normal::shell::{Script, Simple};
use crate::session::Excerpt;

use super::markers::{is_not_there, reads};
use crate::failure::in_trouble;

/// Whether a part of a line failed and something else ran after it.
pub(super) fn a_part_failed(script: &Script<'_>, output: &Excerpt) -> bool {
    a_folder_is_missing(script, output) || a_worker_is_stuck(script, output) || says_so_itself(script, output)
}

/// Whether a part in front of the question at the end of a line stopped it: `cd x && grep y z`.
pub(super) fn did_not_get_there(script: &Script<'_>, output: &Excerpt) -> bool {
    let works = |c: &Simple<'_>| !c.words.is_empty() && !c.hides_failure() && !reads(c);
    let others = script.commands.len().saturating_sub(1);
    a_folder_is_missing(script, output) || script.commands[..others].iter().any(works) && in_trouble(output)
}

/// `cd x && make; ls`: without `x` the rest ran elsewhere.
fn a_folder_is_missing(script: &Script<'_>, output: &Excerpt) -> bool {
    let folders: Vec<&str> = script
        .commands
        .iter()
        .filter(|c| program(c) == "cd" && !c.fallback && !c.drops_errors())
        .filter_map(|c| c.words.get(1).map(|w| &*w.text))
        .collect();
    !folders.is_empty()
        && output.lines().any(|line| {
            let shell =
                line.contains("cd:") && (line.contains("o such file or directory") || line.contains("can't cd to"));
            shell && line.len() < 400 && folders.iter().any(|f| line.contains(f))
        })
}

/// A command that does something says under its own name that what it needs is not there.
fn a_worker_is_stuck(script: &Script<'_>, output: &Excerpt) -> bool {
    let stuck = |c: &Simple<'_>| {
        let name = program(c);
        let quiet = c.drops_errors() || c.fallback || name.is_empty() || reads(c);
        !quiet && (c.followed || c.piped) && output.lines().any(|line| speaks_of_missing(name, line))
    };
    working(script).into_iter().any(stuck)
}

fn speaks_of_missing(name: &str, line: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(": ")) && is_not_there(line)
}

/// The line prints FAIL for what failed.
fn says_so_itself(script: &Script<'_>, output: &Excerpt) -> bool {
    let told: Vec<String> =
        script.commands.iter().filter(|c| programs::is(program(c), Role::Printer)).filter_map(word).collect();
    !told.is_empty()
        && output.lines().any(|line| told.iter().any(|t| strip_ansi(line).trim_start().starts_with(t.as_str())))
}

/// The fixed start of what is printed, if it has the word FAIL in it.
fn word(printer: &Simple<'_>) -> Option<String> {
    let text = printer.words.iter().skip(1).map(|w| &*w.text).collect::<Vec<_>>().join(" ");
    let fixed = text[..text.find(['$', '`', '%']).unwrap_or(text.len())].trim();
    let says = fixed.split(|c: char| !c.is_alphanumeric()).any(|w| matches!(w, "FAIL" | "FAILED" | "FAILURE"));
    says.then(|| fixed.to_owned())
}

/// What the line prints by itself, between the outputs of its parts.
pub(super) fn is_printed(script: &Script<'_>, line: &str) -> bool {
    let line = line.trim();
    script.commands.iter().filter(|c| programs::is(program(c), Role::Printer)).any(|c| {
        let text = c.words.iter().skip(1).map(|w| &*w.text).collect::<Vec<_>>().join(" ");
        !text.is_empty() && text.trim() == line
    })
}
