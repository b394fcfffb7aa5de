//! Texts → terms: what two failures, commands or prompts can have in common, as numbers.
//!
//! What holds for this one run only (arguments, paths, numbers, addresses, places in files) is replaced by its kind.

use std::collections::BTreeSet;

use crate::normal::{error, shell};
use crate::session::{COMMAND_LIMIT, Excerpt, FAILURE_SIDE};

/// A kind in the upper four bits, a hash in the others.
pub(super) type Term = u64;

/// What a term was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum TermKind {
    /// A word of the output.
    Word,
    /// Two words of the output in a row.
    Pair,
    /// A word of the line that says what went wrong.
    LineWord,
    /// Two words of that line in a row.
    LinePair,
    /// The program.
    Program,
    /// The program and all of that line: rare, so the same failure is always found.
    Key,
    /// All of the command.
    Command,
    /// A word of the command.
    Argument,
    /// A word of a statement or a prompt.
    Said,
    /// The output names a place in a file, or the fix takes one from it.
    Place,
}

/// The kind of a term.
pub(super) fn kind_of(term: Term) -> u64 {
    term >> 60
}

fn term(kind: TermKind, parts: &[&str]) -> Term {
    (kind as u64) << 60 | hash(parts) >> 4
}

/// FNV-1a: the same on every machine and in every release.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|p| p.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// A command and what it printed, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Failure {
    /// The program that failed, or what stands in its place.
    pub program: String,
    /// The words of the command as written, without quotes.
    pub words: Vec<String>,
    /// What was printed, cut as stored outputs are.
    pub output: String,
    /// Its terms, sorted.
    pub terms: Vec<Term>,
    /// Every line of the output, masked; sorted.
    pub lines: Vec<u64>,
    /// The line that says what went wrong, masked; none if no line does.
    pub line: Option<u64>,
    /// Numbers of the lines that places in files name.
    pub places: Vec<String>,
}

/// The term under which fixes are kept that take a place from the output.
pub(super) fn place() -> Term {
    term(TermKind::Place, &[])
}

/// Reads a command and its output; an empty output gives the terms of the command only.
pub(super) fn failure(line: &str, output: &str) -> Failure {
    let line = &line[..line.floor_char_boundary(COMMAND_LIMIT)];
    let output = Excerpt::with_side(output, FAILURE_SIDE);
    let signature = error::signature(&output);
    let said = signature.as_ref().map(|s| first_sentence(&s.line));
    let script = shell::parse(line);
    let program = program(&script, signature.as_ref().map_or("", |s| &s.line));
    let arguments = arguments(&script);
    let mut found = BTreeSet::from([term(TermKind::Program, &[&program]), term(TermKind::Command, &[line.trim()])]);
    found.extend(arguments.iter().map(|a| term(TermKind::Argument, &[a])));
    let (mut lines, mut places) = (BTreeSet::new(), Vec::new());
    for text in output.lines() {
        let tokens = tokens(text, &arguments, &mut places);
        add(&mut found, &tokens, TermKind::Word, TermKind::Pair);
        lines.insert(hash_of(&tokens));
    }
    let mut key = None;
    if let Some(said) = said {
        let tokens = tokens(said, &arguments, &mut Vec::new());
        add(&mut found, &tokens, TermKind::LineWord, TermKind::LinePair);
        let masked = hash_of(&tokens);
        found.insert(term(TermKind::Key, &[&program, &masked.to_string()]));
        key = Some(masked);
    }
    if !places.is_empty() {
        found.insert(place());
    }
    Failure {
        program,
        words: words(line),
        output: output.to_text(),
        terms: found.into_iter().collect(),
        lines: lines.into_iter().collect(),
        line: key,
        places,
    }
}

/// The words of a prompt or a statement, sorted.
pub(super) fn said(text: &str) -> Vec<Term> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).filter(|w| w.chars().count() > 2);
    let found: BTreeSet<Term> = words.map(|w| term(TermKind::Said, &[&w.to_lowercase()])).collect();
    found.into_iter().collect()
}

/// The words of a command as written, without quotes around them.
pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|w| w.trim_matches(['\'', '"']).to_owned()).filter(|w| !w.is_empty()).collect()
}

fn hash_of(tokens: &[String]) -> u64 {
    hash(&tokens.iter().map(String::as_str).collect::<Vec<_>>())
}

fn add(found: &mut BTreeSet<Term>, tokens: &[String], one: TermKind, two: TermKind) {
    found.extend(tokens.iter().map(|t| term(one, &[t])));
    found.extend(tokens.windows(2).map(|w| term(two, &[&w[0], &w[1]])));
}

/// What follows the first sentence is advice, which many failures share.
fn first_sentence(line: &str) -> &str {
    line.find(". ").map_or(line, |at| &line[..at])
}

/// The program that speaks in the error; a URL or a sign in its place is named by its kind.
fn program(script: &shell::Script<'_>, line: &str) -> String {
    let name = error::speaker(script, line);
    let whole = script.commands.first().and_then(|c| c.words.first()).map_or("", |w| &*w.text);
    if whole.contains("://") || whole.starts_with("git@") {
        "<url>".to_owned()
    } else if line.strip_prefix(whole).is_some_and(|rest| rest.starts_with(':'))
        && whole.contains(char::is_alphanumeric)
    {
        whole.to_lowercase() // also a wrapper that could not run its program
    } else if !name.contains(char::is_alphanumeric) {
        "<sign>".to_owned()
    } else {
        name.to_lowercase()
    }
}

/// Words of the command that are particular to it: all but the first of each command. To a wrapper the program it runs
/// is one of them.
fn arguments(script: &shell::Script<'_>) -> BTreeSet<String> {
    let words = script.commands.iter().flat_map(|c| c.words.iter().skip(1));
    words.map(|w| w.text.to_lowercase()).filter(|w| w.len() > 1).collect()
}

/// The words of a line in lower case, with what is particular replaced by its kind.
fn tokens(line: &str, arguments: &BTreeSet<String>, places: &mut Vec<String>) -> Vec<String> {
    let plain = error::strip_ansi(line).to_lowercase();
    let mut out: Vec<String> = Vec::new();
    for raw in plain.split_whitespace() {
        let word = raw.trim_matches(|c: char| "'\"`()[]{}<>,;:.!?‘’“”".contains(c));
        if word.is_empty() {
            continue;
        }
        let told = out.last().is_some_and(|l| l == "line") && word.bytes().all(|b| b.is_ascii_digit());
        if told {
            out.pop();
            places.push(word.to_owned());
            out.push("<place>".to_owned());
        } else if let Some(number) = place_in(word) {
            places.push(number.to_owned());
            out.push("<place>".to_owned());
        } else if arguments.contains(word) {
            out.push("<argument>".to_owned());
        } else if let Some(mask) = mask(word) {
            out.push(mask.to_owned());
        } else {
            out.extend(pieces(word, arguments));
        }
    }
    out
}

/// The line number in `src/a.c:12:3`.
fn place_in(word: &str) -> Option<&str> {
    let (file, rest) = word.split_once(':')?;
    let number = rest.split(':').next()?;
    let sound = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (sound && file.contains(char::is_alphabetic) && !rest.contains('/')).then_some(number)
}

fn mask(word: &str) -> Option<&'static str> {
    let hex = (7..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
    if word.contains("://") || word.starts_with("git@") {
        Some("<url>")
    } else if word.starts_with('/') || word.starts_with("./") || word.starts_with("~/") || word.starts_with("../") {
        Some("<path>")
    } else if hex && word.contains(|c: char| c.is_ascii_digit()) {
        Some("<hash>")
    } else {
        None
    }
}

/// The parts of a word between signs, numbers as such.
fn pieces(word: &str, arguments: &BTreeSet<String>) -> Vec<String> {
    let parts = word.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'')).filter(|p| !p.is_empty());
    let named = |p: &str| {
        if arguments.contains(p) {
            "<argument>".to_owned()
        } else if p.contains(|c: char| c.is_ascii_digit()) {
            "<number>".to_owned()
        } else {
            p.to_owned()
        }
    };
    parts.map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, line: &str, expect: &str) {
        let script = shell::parse(command);
        assert_eq!(tokens(line, &arguments(&script), &mut Vec::new()).join(" "), expect);
    }

    #[test]
    fn what_is_particular_is_replaced_by_what_it_is() {
        check("git checkout mian", "error: pathspec 'mian' did not match", "error pathspec <argument> did not match");
        check("cc a.c", "a.c:3:1: error: expected 12 at /usr/x", "<place> error expected <number> at <path>");
        check("run", "File \"b.py\", line 8, in <module>", "file b py <place> in module");
        check("curl x", "see https://a.b/c (1a2b3c4d)", "see <url> <hash>");
    }

    #[test]
    fn only_the_first_sentence_of_an_error_counts() {
        let one = failure("b x", "error: no such task. Run b --help");
        let two = failure("b y", "error: no such task. Ask somebody");
        assert!(one.line.is_some() && one.line == two.line);
    }

    #[test]
    fn the_program_is_the_one_that_speaks() {
        assert_eq!(failure("cd x && make all | tail", "make: no rule").program, "make");
        assert_eq!(failure("https://a.b/c", "No such file or directory").program, "<url>");
        assert_eq!(failure("$ ls", "$: command not found").program, "<sign>");
        assert_eq!(failure("sudo app x", "sudo: app: command not found").program, "sudo");
        assert_eq!(failure("sudo app x", "app: error: no x").program, "app");
    }
}
