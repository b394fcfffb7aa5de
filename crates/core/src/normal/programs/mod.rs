//! What is known of programs: one table, and the questions asked of it.
//!
//! Comes in: the name of a program, without its folder. Goes out: what it is (`Role`), what its subcommands are, what
//! its options make it do, which others take its place, which language it belongs to. Nothing is known of a name that
//! is not in the table.
//!
//! Deliberately absent: how a command line is read (`command`, `reading`, `spelling`), and which programs take secrets as
//! arguments (`redact`, which looks at text that need not be a command).
//!
//! To add a program, put a row into `table.rs` where its name sorts: `p(name, roles)`, then what else is known of it:
//! - `.wraps(options)`: it runs another program; these options of its own take a value.
//! - `.with(subcommands)`: `s("diff", &[Reader])` is something that the program itself is not.
//! - `.answers(codes)`: the exit codes of a `Role::Asker`, if they are not the usual ones.
//! - `.destroys(lines)`, `.sends(lines)`: the words that make it do so; how they are written stands at `fits`.
//! - `.does(jobs)`: statements speak of it as an alternative to others with that job. Libraries stand here for this only.
//! - `.of(language)`.
//!
//! A new question is a new `Role` and its rows, not a list where it is asked.

mod row;
mod table;
#[cfg(test)]
mod tests;

use row::Program;
use table::PROGRAMS;

pub(crate) use row::{Codes, Role};

/// A programming language, with those that share its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C and C++.
    C,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// Java and Kotlin.
    Java,
    /// JavaScript and TypeScript.
    JavaScript,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// Scripts of the shell.
    ShellScript,
    /// SQL.
    Sql,
    /// Swift.
    Swift,
}

/// Whether a program is in the table.
pub(crate) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Whether a program is this.
pub(crate) fn is(name: &str, role: Role) -> bool {
    find(name).is_some_and(|p| p.is(role))
}

/// Whether a subcommand of a program is this.
pub(crate) fn subcommand_is(name: &str, subcommand: &str, role: Role) -> bool {
    let subcommands = find(name).map_or(&[][..], |p| p.subcommands);
    subcommands.iter().any(|s| s.words == subcommand && s.is(role))
}

/// The names of all programs that are this.
pub(crate) fn all(role: Role) -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().filter(move |p| p.is(role)).map(|p| p.name)
}

/// If a program runs another one: those of its options that take a value.
pub(crate) fn wraps(name: &str) -> Option<&'static [&'static str]> {
    find(name)?.wraps
}

/// The exit codes by which a command says "no", if it asks something. `has` tells which words the command has.
pub(crate) fn answers(name: &str, subcommand: &str, has: impl Fn(&str) -> bool) -> Option<Codes> {
    let program = find(name)?;
    let asks = program.is(Role::Asker)
        || program.subcommands.iter().filter(|s| s.is(Role::Asker)).any(|s| {
            let first = s.words.split(' ').next().unwrap_or_default();
            (first == subcommand || first.starts_with('-')) && s.words.split(' ').all(&has)
        });
    asks.then_some(program.answers)
}

/// Whether a command deletes or overwrites without asking.
pub(crate) fn destroys(name: &str, words: &[&str]) -> bool {
    // One program for each kind of file system.
    name.starts_with("mkfs.") || find(name).is_some_and(|p| any_line(p.destroys, words))
}

/// Whether a command sends something away.
pub(crate) fn sends(name: &str, words: &[&str]) -> bool {
    find(name).is_some_and(|p| any_line(p.sends, words))
}

/// Whether two programs, or libraries, take each other's place.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    find(a).zip(find(b)).is_some_and(|(a, b)| a.jobs.iter().any(|job| b.jobs.contains(job)))
}

/// Whether others take a program's place.
pub(crate) fn has_alternatives(name: &str) -> bool {
    find(name).is_some_and(|p| !p.jobs.is_empty())
}

/// The language a program belongs to.
pub fn language(name: &str) -> Option<Language> {
    find(name)?.language
}

fn any_line(lines: &[&str], words: &[&str]) -> bool {
    lines.iter().any(|line| line.split_whitespace().all(|sign| words.iter().any(|word| fits(word, sign))))
}

/// Whether a word of a command is what a row means: `push` the word itself, `-*f` short options with an `f` among them,
/// `--data*` a word that begins so, `*:*` a word with `:` inside.
fn fits(word: &str, sign: &str) -> bool {
    if let Some(letter) = sign.strip_prefix("-*") {
        return word.strip_prefix('-').is_some_and(|short| !short.starts_with('-') && short.contains(letter));
    }
    match (sign.strip_prefix('*'), sign.strip_suffix('*')) {
        (Some(_), Some(_)) => word.contains(sign.trim_matches('*')),
        (None, Some(begin)) => word.starts_with(begin),
        _ => word == sign,
    }
}

/// The row of a program. Some lines ask for every word: a binary search would take as long as all the rest.
fn find(name: &str) -> Option<&'static Program> {
    let mut slot = slot(name.as_bytes());
    while SLOTS[slot] != EMPTY {
        let program = &PROGRAMS[usize::from(SLOTS[slot])];
        if program.name == name {
            return Some(program);
        }
        slot = (slot + 1) % SIZE;
    }
    None
}

/// Some three times as many as there are rows: then few names share a slot.
const SIZE: usize = 1024;
const EMPTY: u16 = u16::MAX;

/// A hash table, made by the compiler: each row at the slot of its name or the next free one.
static SLOTS: [u16; SIZE] = {
    assert!(PROGRAMS.len() < SIZE / 2, "double the size");
    let mut slots = [EMPTY; SIZE];
    let mut row = 0;
    while row < PROGRAMS.len() {
        let mut slot = slot(PROGRAMS[row].name.as_bytes());
        while slots[slot] != EMPTY {
            slot = (slot + 1) % SIZE;
        }
        slots[slot] = row as u16;
        row += 1;
    }
    slots
};

/// Where the search for a name begins: three of its letters and its length scatter the names well enough.
const fn slot(name: &[u8]) -> usize {
    let Some(last) = name.last() else { return 0 };
    let (first, middle) = (name[0] as usize, name[name.len() / 2] as usize);
    (first * 13 + middle * 103 + *last as usize * 7 + name.len() * 64) % SIZE
}
