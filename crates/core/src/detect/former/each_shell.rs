//! Keys from when each shell had its own words for a program that is not there.
//!
//! `bash: line 1: go: command not found` was `sh: go: command not found`, and `zsh` and `fish` had keys of their own. A shell
//! was known by its bare name or below `/bin` only, and a line was of the program it began or ended with, else of the first
//! one in the command. Comes in: an observation of today. Goes out: its key as it was; `None` if no shell speaks in it.
//!
//! The program is found in the command as it is shown. So these keys are not found again: where the failing line was longer
//! than what is shown of it, where a fix in a file was checked by another spelling of the failing line, and where tries in a
//! row failed in the words of several shells, of which one is kept. Lessons that were told apart by their shell still are
//! where one was forgotten: its tombstone holds for the words of its own shell, and for what is forgotten from now on all
//! shells are one.

use std::borrow::Cow;

use crate::detect::{Observation, Trigger};
use crate::normal::error::{
    as_one_shell, begins_or_ends_with, mask, mask_plain, missing_program, named_or_first, strip_ansi,
};
use crate::normal::shell;

/// The key an observation had.
pub(super) fn key(o: &Observation) -> Option<String> {
    match &*o.head.detector {
        "error-recovery" => of_fix(o, ""),
        "error-fix" => of_fix(o, "error-fix | "),
        "excessive-retries" => ending_in(&o.claim.key, o.seen.error()?),
        "deep-investigation" => of_text(o, " until this was solved: ", " ("),
        "problem-solution" => of_text(o, "Problem: ", " Solved in "),
        _ => None,
    }
}

/// `program | error | way`, after an opening.
fn of_fix(o: &Observation, opening: &str) -> Option<String> {
    let (line, today) = (o.seen.error().filter(|line| shell_speaks(line))?, o.seen.trigger()?);
    let behind = o.claim.key.strip_prefix(opening)?.strip_prefix(&today.program)?.strip_prefix(" | ")?;
    let program = speaker(o, line, today);
    let error = masked(line);
    // Where a command mends what a check finds, the check stands in the place of the error.
    let rest = match behind.strip_prefix(&today.error).filter(|way| way.starts_with(" | ")) {
        Some(way) => format!("{error}{way}"),
        None => behind.to_owned(),
    };
    Some(format!("{opening}{program} | {rest}"))
}

/// Whose line it was.
fn speaker(o: &Observation, line: &str, today: &Trigger) -> String {
    let same = missing_program(line).is_none() || begins_or_ends_with(line, &today.program);
    let Some(command) = o.claim.commands.first().filter(|_| !same) else { return today.program.clone() };
    named_or_first(&shell::parse(command), |program| begins_or_ends_with(line, program)).to_owned()
}

/// A key that ends in a line, told by the text that quotes it up to some closing words.
fn of_text(o: &Observation, opening: &str, closing: &str) -> Option<String> {
    let (_, quoted) = o.claim.text.split_once(opening)?;
    let ends = quoted.match_indices(closing).map(|(at, _)| at).chain([quoted.len()]);
    ends.map(|end| &quoted[..end]).find_map(|line| ending_in(&o.claim.key, line))
}

/// A key that ends in a line, as it was; `None` if it does not end in it.
fn ending_in(key: &str, line: &str) -> Option<String> {
    let before = key.strip_suffix(&mask(line)).filter(|b| shell_speaks(line) && b.ends_with(" | "))?;
    Some(format!("{before}{}", masked(line)))
}

/// Else nothing changed.
fn shell_speaks(line: &str) -> bool {
    matches!(as_one_shell(&strip_ansi(line)), Cow::Owned(_))
}

fn masked(line: &str) -> String {
    mask_plain(without_shell_prefix(&strip_ansi(line)))
}

/// `(eval):1: `, `bash: line 3: `, `zsh: ` → `sh: `.
fn without_shell_prefix(line: &str) -> Cow<'_, str> {
    const SHELLS: &[&str] = &["(eval):", "bash:", "zsh:", "sh:", "dash:", "/bin/sh:", "/bin/bash:"];
    let Some(rest) = SHELLS.iter().find_map(|shell| line.strip_prefix(shell)) else { return Cow::Borrowed(line) };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("line ").unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([':', ' ']);
    Cow::Owned(format!("sh: {rest}"))
}
