//! Error output → one line that says what went wrong, and the same line without what is particular to this once.
//!
//! The masked line is the key under which the same mistake in two sessions, days or agents meets.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::command::{program, working};
use super::pattern;
use super::shell::Script;

/// Longest signature kept.
const LIMIT: usize = 200;
/// How many lines from each end of the output are looked at.
const LOOK: usize = 60;

/// What went wrong, in the tool's own words and as a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The line as printed, trimmed.
    pub line: String,
    /// The line with paths, numbers, hashes and long quotes generalised.
    pub key: String,
}

/// Finds the line that says what went wrong; `None` if no line does.
pub fn signature(output: &crate::session::Excerpt) -> Option<Signature> {
    let lines: Vec<&str> = output.lines().collect();
    let edge = LOOK.min(lines.len());
    let near = lines[..edge].iter().chain(lines[edge.max(lines.len().saturating_sub(LOOK))..].iter());
    let mut best: Option<(u8, &str)> = None;
    for raw in near {
        let line = raw.trim();
        let rank = rank(line);
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

/// The program an error line is from: the one it names, else the first working one.
pub fn speaker<'s>(script: &'s Script<'_>, line: &str) -> &'s str {
    let named = script.commands.iter().map(program).find(|p| {
        !p.is_empty()
            && (line.strip_prefix(*p).is_some_and(|r| r.starts_with(':'))
                || line.ends_with(&format!(" {p}"))
                || line.contains(&format!("/{p}:")))
    });
    named.or_else(|| working(script).first().map(|c| program(c))).unwrap_or_default()
}

const TRACE: u8 = 5;

/// How surely a line says what went wrong: 0 not at all.
fn rank(line: &str) -> u8 {
    static RULES: LazyLock<Vec<(u8, Regex)>> = LazyLock::new(|| {
        [
            // the shell's own words, and rejected options: nothing is more telling
            (7, r"(?:command not found|: not found$|No such file or directory|Permission denied|Is a directory|Not a directory|not recognized as an internal|no matches found:)"),
            (7, r"^(?:error: )?(?:unrecognized|unexpected|unknown|invalid|illegal|unsupported) (?:sub)?(?:command|argument|option|flag|switch)"),
            (7, r"(?i)\b(?:unknown|unrecognized|unrecognised|invalid|illegal|unexpected|unsupported) (?:sub)?(?:command|argument|arguments|option|options|flag|shorthand flag|json field|switch)\b"),
            (6, r"^(?:fatal|FATAL|ERROR|Error|error|error\[E\d+\]|npm ERR!|npm error|ERR_\w+|E:|panic|Fatal)[:!]? "),
            (6, r"^(?:\S+: )?(?:fatal|error|ERROR|Error): "),
            (TRACE, r"^[\w.]*(?:Error|Exception|Interrupt|Warning|Exit)(?:: |$)"),
            (4, r"(?i)\berror(?: TS\d+)?: "),
            (3, r"(?i)^(?:\W*)(?:failed|failure|cannot|can't|could not|couldn't|unable to|missing|no such|not found|denied|refused|timed out)\b"),
            (3, r"(?i)\b(?:cannot|can't|could not|couldn't|unable to|must be|must have|is required|not allowed|does not exist|doesn't exist|not found|no such|refused|forbidden)\b"),
            (2, r"(?i)\b(?:failed|failure|error|FAIL)\b"),
        ]
        .iter()
        .filter_map(|(rank, text)| Some((*rank, pattern(text)?)))
        .collect()
    });
    if line.len() > 2_000 {
        return 0;
    }
    let plain = strip_ansi(line);
    RULES.iter().find(|(_, rule)| rule.is_match(plain.as_bytes())).map_or(0, |(rank, _)| *rank)
}

/// The line without colour codes.
pub fn strip_ansi(line: &str) -> String {
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
    out
}

/// Replaces what changes from one occurrence to the next.
pub fn mask(line: &str) -> String {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            (r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'\x22<>)]+", "<url>"),
            (r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "<id>"),
            (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?", "<time>"),
            (r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+%-]+)+[/\\]?(?::\d+)*", "<path>"),
            (r"\b[\w-]+\.(?:[a-z]{1,4}|[a-z]+\d)\b(?::\d+)*", "<file>"),
            (r"\b(?:0x)?[0-9a-f]{7,40}\b", "<hash>"),
            (r"'[^']{25,}'|\x22[^\x22]{25,}\x22|`[^`]{25,}`", "<text>"),
            (r"\b\d+(?:\.\d+)*(?:ms|s|m|kB|MB|GB|%)?\b", "<n>"),
            (r"^\(eval\):<n>: |^(?:ba|z|da)?sh: (?:line <n>: )?", "sh: "),
        ]
        .iter()
        .filter_map(|(text, mask)| Some((pattern(text)?, *mask)))
        .collect()
    });
    let mut text = strip_ansi(line).into_bytes();
    for (pattern, mask) in PATTERNS.iter() {
        if let Cow::Owned(masked) = pattern.replace_all(&text, mask.as_bytes()) {
            text = masked;
        }
    }
    String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Excerpt;

    fn check(output: &str, key: &str) {
        let found = signature(&Excerpt::new(output)).map(|s| s.key);
        assert_eq!(found.as_deref().unwrap_or("-"), key, "{output}");
    }

    #[test]
    fn the_telling_line_is_found_and_generalised() {
        check("Exit code 127\n(eval):1: command not found: timeout", "sh: command not found: timeout");
        check("bash: line 3: gtimeout: command not found", "sh: gtimeout: command not found");
        check(
            "error: unexpected argument '-A' found\n\n  tip: to pass\n\nUsage: cat [OPTIONS]",
            "error: unexpected argument '-A' found",
        );
        check(
            "Traceback (most recent call last):\n  File \"/a/b.py\", line 3\nModuleNotFoundError: No module named 'yaml'",
            "ModuleNotFoundError: No module named 'yaml'",
        );
        check("cat: /home/u/x.txt: No such file or directory", "cat: <path>: No such file or directory");
        check(
            "fatal: not a git repository (or any of the parent directories): .git",
            "fatal: not a git repository (or any of the parent directories): .git",
        );
        check("file1\nfile2", "-");
    }

    #[test]
    fn the_same_mistake_has_the_same_key() {
        assert_eq!(mask("Error at /a/b/c.ts:12:5 after 3.2s"), mask("Error at /z/y.ts:9:1 after 18s"));
        assert_eq!(mask("commit 1a2b3c4d5e not found"), mask("commit deadbeef01 not found"));
    }
}
