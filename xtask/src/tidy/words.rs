//! Words that may stand in some files only, and words that never stay.

use super::source::{Source, code_of, has_word};
use super::{Violation, violation};

/// These files name what they forbid.
const RULES: &str = "xtask/src/tidy/";

/// Words that may occur in the code of some files only.
struct Only {
    words: &'static [&'static str],
    /// Where the rule holds.
    under: &'static [&'static str],
    /// Files and folders in which the words may occur all the same.
    but: &'static [&'static str],
    rule: &'static str,
}

const ONLY: &[Only] = &[
    Only {
        words: &["println!", "eprintln!", "print!", "eprint!", "anstream::"],
        under: &["crates/"],
        // build.rs speaks to cargo that way
        but: &["crates/uptake/src/ui.rs", "crates/uptake/src/ui/", "crates/uptake/build.rs"],
        rule: "only crates/uptake/src/ui.rs prints",
    },
    Only {
        words: &["uptake::", "uptake_store::"],
        under: &["crates/core/src/"],
        but: &[],
        rule: "dependencies point one way: uptake → store → core",
    },
    Only {
        words: &["uptake::"],
        under: &["crates/store/src/"],
        but: &[],
        rule: "dependencies point one way: uptake → store → core",
    },
    Only {
        words: &["#[path"],
        under: &["crates/", "xtask/"],
        but: &[],
        rule: "a module stands where its name says; what two crates share is in crates/testkit",
    },
];

/// Left-overs that never stay, tests included.
const LEFT_OVER: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// Folders of the machines this was built on.
const BUILD_MACHINE: &[&str] = &[concat!("/", "work/"), concat!("/", "farm/")];

pub(super) fn check(source: &Source<'_>, out: &mut Vec<Violation>) {
    let within = |list: &[&str]| list.iter().any(|p| source.file.starts_with(p));
    for only in ONLY.iter().filter(|o| within(o.under) && !within(o.but) && !within(&[RULES])) {
        for line in source.lines.iter().filter(|l| !l.test) {
            if let Some(word) = only.words.iter().find(|w| has_word(&line.code, w)) {
                out.push(violation(source.file, line.number, format!("`{word}`: {}", only.rule)));
            }
        }
    }
    check_unsafe(source, out);
}

fn check_unsafe(source: &Source<'_>, out: &mut Vec<Violation>) {
    let is_comment = |text: &str| text.trim_start().starts_with("//");
    for (i, line) in source.lines.iter().enumerate() {
        let code = line.code.replace("unsafe_code", "");
        let explained = line.text.contains("//") || (i > 0 && is_comment(source.lines[i - 1].text));
        if has_word(&code, "unsafe") && !explained {
            out.push(violation(source.file, line.number, "`unsafe` without a comment that says why it is sound"));
        }
    }
}

/// What is forbidden in any text, not only in code.
pub(super) fn check_text(file: &str, text: &str, out: &mut Vec<Violation>) {
    if file.starts_with(RULES) {
        return;
    }
    for (i, line) in text.lines().enumerate() {
        if let Some(path) = BUILD_MACHINE.iter().find(|p| names_folder(line, p)) {
            out.push(violation(file, i + 1, format!("`{path}` is a folder of a build machine")));
        }
        if file.ends_with(".rs")
            && let Some(word) = LEFT_OVER.iter().find(|w| has_word(&code_of(line), w))
        {
            out.push(violation(file, i + 1, format!("`{word}` never stays")));
        }
    }
}

/// Whether a path begins with that folder; `/home/me/work/` does not.
fn names_folder(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "_.-~}*".contains(c);
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(inside))
}
