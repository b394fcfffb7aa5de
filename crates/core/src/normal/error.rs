//! Error output → one line that says what went wrong, and the same line without what is particular to this once.
//!
//! The masked line is the key under which the same mistake in two sessions, days or agents meets.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::command::{program, working};
use super::shell::Script;
pub(crate) use super::shells::{as_one_shell, missing_program};

/// Longest signature kept.
const LIMIT: usize = 200;
/// How many lines from each end of the output are looked at.
const LOOK: usize = 60;

/// What went wrong, in the tool's own words and as a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The line as printed, trimmed.
    pub line: String,
    /// The line with paths, numbers, hashes and long quotes generalised.
    pub key: String,
}

/// Finds the line that says what went wrong; `None` if no line does.
pub(crate) fn signature(output: &crate::session::Excerpt) -> Option<Signature> {
    let lines: Vec<&str> = output.lines().collect();
    let edge = LOOK.min(lines.len());
    let near = lines[..edge].iter().chain(lines[edge.max(lines.len().saturating_sub(LOOK))..].iter());
    let mut best: Option<(u8, &str)> = None;
    let mut traced = false;
    for raw in near {
        let line = behind_json(raw.trim());
        traced |= line.starts_with("Traceback (most recent call last)");
        // What a test runner says around a traceback says less than the error the traceback ends in.
        let rank =
            if traced && names_exception(line.split(' ').next().unwrap_or_default()) { TRACE } else { rank(line) };
        // Of equal lines the first counts, but the last line of a traceback names its error.
        if rank > 0 && best.is_none_or(|(r, _)| rank > r || (rank == r && rank == TRACE)) {
            best = Some((rank, line));
        }
    }
    let line = best.map(|(_, l)| l)?;
    let clean = strip_ansi(line);
    let cut = &clean[..clean.floor_char_boundary(LIMIT)];
    Some(Signature { line: cut.to_owned(), key: mask(cut) })
}

/// What a program says behind a body that it printed without a line end: `{"data":null}gh: Not Found`.
fn behind_json(line: &str) -> &str {
    if !line.starts_with("{\"") && !line.starts_with("[{") {
        return line;
    }
    let said = line.rfind(['}', ']']).map_or("", |end| line[end + 1..].trim());
    let speaks = said.split_once(": ").is_some_and(|(who, what)| !who.contains(' ') && !what.is_empty());
    if speaks { said } else { line }
}

/// The program an error line is from: the one it names, else the first working one.
pub(crate) fn speaker<'s>(script: &'s Script<'_>, line: &str) -> &'s str {
    match missing_program(line) {
        Some(missing) => named_or_first(script, |p| p == missing),
        None => named_or_first(script, |p| begins_or_ends_with(line, p)),
    }
}

/// The first program for which a test holds, else the first working one.
pub(crate) fn named_or_first<'s>(script: &'s Script<'_>, is_named: impl Fn(&str) -> bool) -> &'s str {
    let named = script.commands.iter().map(program).find(|p| !p.is_empty() && is_named(p));
    named.or_else(|| working(script).first().map(|c| program(c))).unwrap_or_default()
}

/// Whether a line names a program by its first or its last word.
pub(crate) fn begins_or_ends_with(line: &str, program: &str) -> bool {
    line.strip_prefix(program).is_some_and(|r| r.starts_with(':'))
        || line.ends_with(&format!(" {program}"))
        || line.contains(&format!("/{program}:"))
}

/// A named exception that ends a traceback.
const TRACE: u8 = 8;

/// The shell's own words: nothing is more telling.
const SHELL_SAYS: &[&str] = &[
    "command not found",
    "No such file or directory",
    "Permission denied",
    "Is a directory",
    "Not a directory",
    "not recognized as an internal",
    "no matches found:",
];
/// `unknown option`, `unrecognized subcommand`, `invalid flag` …
const REJECTING: &[&str] =
    &["unknown", "unrecognized", "unrecognised", "invalid", "illegal", "unexpected", "unsupported"];
const REJECTED: &[&str] =
    &["command", "subcommand", "argument", "arguments", "option", "options", "flag", "shorthand", "json", "switch"];
const LABELS: &[&str] =
    &["fatal:", "FATAL:", "ERROR:", "Error:", "error:", "panic:", "Fatal:", "E:", "ERROR!", "error!"];
const REFUSING: &[&str] = &[
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable to",
    "must be",
    "must have",
    "is required",
    "not allowed",
    "does not exist",
    "doesn't exist",
    "doesn't accept",
    "does not accept",
    "not found",
    "no such",
    "refused",
    "forbidden",
    "missing",
    "denied",
    "timed out",
];

/// A line without any of these says nothing: most lines are passed over by this one search.
static HINTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let parts = [
        "rror",
        "RROR",
        "ERR",
        "E:",
        "atal",
        "FATAL",
        "anic",
        "xception",
        "nterrupt",
        "Exit",
        "ound",
        "irectory",
        "enied",
        "nternal",
        "nknown",
        "nrecogni",
        "nvalid",
        "llegal",
        "nexpected",
        "nsupported",
        "annot",
        "an't",
        "ould",
        "nable",
        "ust ",
        "required",
        "not ",
        "n't",
        "o such",
        "efused",
        "orbidden",
        "issing",
        "imed out",
        "*** ",
        "ail",
        "FAIL",
    ];
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(parts).ok()
});

/// How surely a line says what went wrong: 0 not at all. Written by hand: a hook has no time to build patterns.
fn rank(line: &str) -> u8 {
    if line.len() > 2_000 || !HINTS.as_ref().is_some_and(|h| h.is_match(line)) {
        return 0;
    }
    let plain = strip_ansi(line);
    if SHELL_SAYS.iter().any(|w| plain.contains(w)) || plain.ends_with(": not found") {
        return 7;
    }
    let lower = plain.to_lowercase();
    if is_runner(&lower) {
        return 1;
    }
    if is_rejection(&lower) {
        return 7;
    }
    if says_something(&plain) { rank_by_words(&plain, &lower) } else { 0 }
}

/// Whether a line would be one that says what went wrong, if it did more than name how the tool is used.
pub(crate) fn tells_only_usage(line: &str) -> bool {
    rank(line) == 0 && !says_something(line) && rank_by_words(line, &line.to_lowercase()) > 0
}

fn rank_by_words(plain: &str, lower: &str) -> u8 {
    let mut words = plain.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let labelled = LABELS.contains(&first)
        || first.starts_with("error[")
        || (first == "npm" && matches!(second, "ERR!" | "error"))
        || first.starts_with("ERR_");
    if labelled || (first.ends_with(':') && LABELS.contains(&second)) {
        return 6;
    }
    // What make says of itself.
    if plain.contains(": *** ") {
        return 6;
    }
    if names_exception(first) {
        return 5;
    }
    if has_error_label(lower) {
        return 4;
    }
    if refuses(lower) {
        return 3;
    }
    u8::from(["failed", "failure", "error", "fail"].iter().any(|w| has_phrase(lower, w))) * 2
}

/// Whether a line has words of its own behind its labels. `error:` alone, or with how the tool is used behind it, is the
/// same for every mistake: what went wrong stands in another line, or nowhere.
fn says_something(plain: &str) -> bool {
    let mut words = plain.split_whitespace().peekable();
    let mut last = "";
    while let Some(label) = words.next_if(|w| w.ends_with([':', '!'])) {
        if label.eq_ignore_ascii_case("usage:") {
            return false;
        }
        last = label;
    }
    match (words.next(), words.next()) {
        (None, _) => !LABELS.contains(&last),
        (Some(only), None) => !only.eq_ignore_ascii_case("usage"),
        _ => true,
    }
}

static REFUSES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(REFUSING).ok());

fn refuses(lower: &str) -> bool {
    let Some(phrases) = &*REFUSES else { return false };
    phrases.find_overlapping_iter(lower).any(|found| stands_alone(lower, found.start(), found.end()))
}

/// What a runner or a hook says when something inside it failed: the error is above.
fn is_runner(lower: &str) -> bool {
    const ENDS: &[&str] =
        &["exited with code", "failed with exit code", "exit status", "returned exit code", "exit code:"];
    const OPENS: &[&str] = &["npm err!", "npm error", "husky - ", "lefthook", "error: recipe", "error: process"];
    const SAYS: &[&str] = &["elifecycle", "pre-commit hook failed", "pre-commit script failed", "command failed with"];
    ENDS.iter().any(|w| lower.contains(w))
        || OPENS.iter().any(|w| lower.starts_with(w)) && !lower.contains("missing script")
        || lower.contains(": *** [") && lower.contains("] error ")
        || SAYS.iter().any(|w| lower.contains(w))
}

fn is_rejection(lower: &str) -> bool {
    if !REJECTING.iter().any(|w| lower.contains(w)) {
        return false;
    }
    let words: Vec<&str> = lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    words.windows(2).any(|w| REJECTING.contains(&w[0]) && REJECTED.contains(&w[1]))
}

/// `ModuleNotFoundError: …`, `java.io.IOException`.
fn names_exception(first: &str) -> bool {
    let name = first.strip_suffix(':').unwrap_or(first);
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
        && ["Error", "Exception", "Interrupt", "Exit"].iter().any(|e| name.ends_with(e))
}

/// `…: error: …`, `… error TS2307: …`.
fn has_error_label(lower: &str) -> bool {
    lower.match_indices("error").any(|(at, _)| {
        let rest = &lower[at + 5..];
        let coded = rest
            .strip_prefix(" ts")
            .and_then(|r| r.split_once(':'))
            .is_some_and(|(code, _)| code.bytes().all(|b| b.is_ascii_digit()));
        (rest.starts_with(": ") || coded) && !lower[..at].ends_with(|c: char| c.is_alphanumeric())
    })
}

/// Whether a phrase stands in a text as words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| stands_alone(text, at, at + phrase.len()))
}

fn stands_alone(text: &str, from: usize, to: usize) -> bool {
    let before = text[..from].chars().next_back();
    let after = text[to..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

/// The line without colour codes.
pub(crate) fn strip_ansi(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            chars.by_ref().find(|c| ('@'..='~').contains(c));
        }
    }
    Cow::Owned(out)
}

/// Quoted text longer than this is particular to this once.
const LONG_QUOTE: usize = 25;

/// Replaces what changes from one occurrence to the next: addresses, paths, numbers, hashes, times, long quotes.
pub(crate) fn mask(line: &str) -> String {
    mask_plain(as_one_shell(&strip_ansi(line)))
}

/// The same for a line without colour codes, whichever shell speaks in it.
pub(crate) fn mask_plain(plain: Cow<'_, str>) -> String {
    let plain = without_long_quotes(plain);
    let mut out = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        mask_word(word, &mut out);
    }
    out
}

fn without_long_quotes(line: Cow<'_, str>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = &*line;
    while let Some(open) = rest.find(['\'', '"', '`']) {
        let quote = &rest[open..=open];
        let Some(close) = rest[open + 1..].find(quote).map(|c| open + 1 + c) else { break };
        if close - open > LONG_QUOTE {
            out.push_str(&rest[..open]);
            out.push_str("<text>");
        } else {
            out.push_str(&rest[..=close]);
        }
        rest = &rest[close + 1..];
    }
    if out.is_empty() {
        return line;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Masks the parts of a word between brackets, quotes and commas.
fn mask_word(word: &str, out: &mut String) {
    if word.starts_with('<') && word.ends_with('>') {
        return out.push_str(word);
    }
    let edge =
        |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '\'' | '"' | '`' | '=' | '<' | '>');
    let mut from = 0;
    for (at, c) in word.char_indices().filter(|(_, c)| edge(*c)) {
        mask_part(&word[from..at], out);
        out.push(c);
        from = at + c.len_utf8();
    }
    mask_part(&word[from..], out);
}

fn mask_part(part: &str, out: &mut String) {
    let core = part.trim_end_matches([':', '.', '!', '?']);
    let tail = &part[core.len()..];
    match kind(core) {
        Some(mask) => out.push_str(mask),
        None if core.contains(':') => {
            for (n, piece) in core.split(':').enumerate() {
                if n > 0 {
                    out.push(':');
                }
                out.push_str(kind(piece).unwrap_or(piece));
            }
        }
        None => out.push_str(core),
    }
    out.push_str(tail);
}

/// What a word is, if it is particular to this once.
fn kind(word: &str) -> Option<&'static str> {
    if word.is_empty() || word.starts_with("--") {
        return None;
    }
    let bytes = word.as_bytes();
    let all = |test: fn(u8) -> bool| bytes.iter().all(|b| test(*b));
    if word.contains("://") {
        return Some("<url>");
    }
    if bytes.len() == 36
        && bytes.iter().filter(|b| **b == b'-').count() == 4
        && all(|b| b == b'-' || b.is_ascii_hexdigit())
    {
        return Some("<id>");
    }
    if bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit) {
        return Some("<time>");
    }
    let slash = word.contains('/') || (word.contains('\\') && word.len() > 2);
    if slash && bytes.iter().any(u8::is_ascii_alphanumeric) && !word.starts_with('@') {
        return Some("<path>");
    }
    if is_file(word.split(':').next().unwrap_or(word)) {
        return Some("<file>");
    }
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let hex = word.strip_prefix("0x").unwrap_or(word);
    if (7..=64).contains(&hex.len()) && digits > 0 && hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some("<hash>");
    }
    let number = bytes[0].is_ascii_digit()
        && word
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '%')
            .bytes()
            .all(|b| b.is_ascii_alphabetic());
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len() <= 2;
    (number && unit).then_some("<n>")
}

/// `name.ext` with a short lower-case extension.
fn is_file(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, ext)| {
        (1..=5).contains(&ext.len())
            && ext.starts_with(|c: char| c.is_ascii_lowercase())
            && ext.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && !stem.is_empty()
            && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
            && !stem.bytes().all(|b| b == b'.')
    })
}

#[cfg(test)]
mod tests;
