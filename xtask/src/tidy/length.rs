//! Files fit a sitting.

use super::source::is_test_file;
use super::{Violation, violation};

/// Files longer than this are split.
const LINES: usize = 500;

/// Longer files that stay whole, and why. Tests may be long anyway.
const LONG: &[(&str, &str)] =
    &[("lab/mock_llm.py", "a tool of the lab: stands in for the APIs of two vendors, and runs from one file")];

pub(super) fn check(file: &str, text: &str, out: &mut Vec<Violation>) {
    if ![".rs", ".py", ".sh"].iter().any(|end| file.ends_with(end)) || is_test_file(file) {
        return;
    }
    let count = text.lines().count();
    let allowed = LONG.iter().any(|(long, _)| *long == file);
    if count > LINES && !allowed {
        out.push(violation(file, LINES, format!("{count} lines; files are split at {LINES}")));
    }
    if count <= LINES && allowed {
        out.push(violation(file, count, "no longer long; take it off the list of long files"));
    }
}

/// The list names files that exist.
pub(super) fn check_list(files: &[String], out: &mut Vec<Violation>) {
    for (file, _) in LONG.iter().filter(|(long, _)| !files.iter().any(|f| f == long)) {
        let rule = format!("`{file}` is in the list of long files and does not exist");
        out.push(violation("xtask/src/tidy/length.rs", 0, rule));
    }
}
