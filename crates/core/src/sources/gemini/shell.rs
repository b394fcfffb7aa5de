//! The text in which Gemini CLI reports a shell command: labelled sections around what was printed.
//!
//! Newer versions write `Output: …` and name the exit code only where it is not 0; older ones write every section,
//! with `(none)` where there is nothing.

use std::borrow::Cow;

use crate::failure::outcome::{End, Facts};

/// Sections that may follow what was printed, each on a line of its own.
const AFTER: &[&str] = &["Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];

/// How reports begin that tell of a command which did not run to its end.
const ENDS: &[(&str, End)] = &[
    ("Command was automatically cancelled because it exceeded the timeout", End::TimedOut),
    ("Command was automatically cancelled because", End::TimedOut),
    ("Command timed out", End::TimedOut),
    ("Command was cancelled by user", End::Interrupted),
    ("Command was aborted", End::Interrupted),
    ("Command moved to background", End::Background),
    ("Command injection detected", End::Blocked),
];

/// What the client says of the end, and what the command printed.
pub(super) fn report(text: &str) -> (Facts, Cow<'_, str>) {
    if let Some((_, end)) = ENDS.iter().find(|(start, _)| text.starts_with(start)) {
        let printed = text.split_once(" it was cancelled:\n").map_or("", |(_, p)| p);
        return (Facts { flag: Some(false), code: None, end: *end }, Cow::Borrowed(printed));
    }
    let Some(body) = opened(text) else {
        return (Facts { flag: Some(false), ..Facts::default() }, Cow::Borrowed(text));
    };
    let (printed, sections) = closed(body);
    let section = |name: &str| {
        sections.lines().find_map(|l| l.strip_prefix(name)).map(str::trim).filter(|v| !matches!(*v, "(none)" | ""))
    };
    let code = section("Exit Code: ").and_then(|c| c.parse().ok());
    let signal = section("Signal: ").filter(|s| *s != "0");
    let printed = if printed == "(empty)" { "" } else { printed };
    let printed = match section("Error: ") {
        Some(error) => Cow::Owned(format!("{printed}\n{error}")),
        None => Cow::Borrowed(printed),
    };
    // As shells count: a killed command has the number of its signal and 128. Some versions say 0 beside the signal.
    let code = match signal {
        Some(signal) => signal.parse::<i32>().ok().and_then(|n| n.checked_add(128)),
        None => code.or(Some(0)),
    };
    (Facts { flag: Some(signal.is_some()), code, end: End::Normal }, printed)
}

/// What follows `Output: `, at the start or after the sections that repeat the command.
fn opened(text: &str) -> Option<&str> {
    let start = if text.starts_with("Command: ") { text.find("\nDirectory: ")? + 1 } else { 0 };
    let text = &text[start..];
    let text = if start > 0 { text.split_once('\n')?.1 } else { text };
    text.strip_prefix("Output: ").or_else(|| text.strip_prefix("Stdout: "))
}

/// What was printed, and the sections after it. Looked for from the end: a command may print such lines itself.
fn closed(body: &str) -> (&str, &str) {
    let mut end = body.trim_end().len();
    let mut seen = AFTER.len();
    while let Some(start) = body[..end].rfind('\n') {
        let line = &body[start + 1..end];
        match AFTER[..seen].iter().position(|label| line.starts_with(label.trim_end())) {
            Some(at) => (end, seen) = (start, at),
            None => break,
        }
    }
    (&body[..end], body[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Option<i32>, End, String) {
        let (facts, printed) = report(text);
        (facts.code, facts.end, printed.into_owned())
    }

    #[test]
    fn a_code_is_named_only_where_it_is_not_0() {
        assert_eq!(shown("Output: a\nb\nProcess Group PGID: 12"), (Some(0), End::Normal, "a\nb".into()));
        assert_eq!(shown("Output: (empty)"), (Some(0), End::Normal, String::new()));
        assert_eq!(
            shown("Output: cat: x: No such file\nExit Code: 1\nProcess Group PGID: 5"),
            (Some(1), End::Normal, "cat: x: No such file".into())
        );
    }

    #[test]
    fn older_versions_name_every_section() {
        let text = "Command: ls\n-l\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7";
        assert_eq!(shown(text), (Some(0), End::Normal, String::new()));
        let text = "Command: x\nDirectory: a/b\nOutput: boom\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7";
        assert_eq!(shown(text), (Some(2), End::Normal, "boom".into()));
    }

    #[test]
    fn a_command_may_print_such_lines_itself() {
        assert_eq!(
            shown("Output: Exit Code: 3\nExit Code: 4\nok\nProcess Group PGID: 1"),
            (Some(0), End::Normal, "Exit Code: 3\nExit Code: 4\nok".into())
        );
    }

    #[test]
    fn a_killed_command_failed_whatever_its_code_says() {
        for text in ["Output: (empty)\nSignal: 9", "Output: (empty)\nError: (none)\nExit Code: 0\nSignal: 9"] {
            assert_eq!(report(text).0, Facts { flag: Some(true), code: Some(137), end: End::Normal });
        }
        assert_eq!(report("Output: x\nSignal: SIGKILL").0.code, None);
    }

    #[test]
    fn commands_that_did_not_end_say_so() {
        let text = "Command was automatically cancelled because it exceeded the timeout of 0.1 minutes without output. Below is the output before it was cancelled:\nhalf";
        assert_eq!(shown(text), (None, End::TimedOut, "half".into()));
        let text =
            "Command was cancelled by user before it could complete. There was no output before it was cancelled.";
        assert_eq!(shown(text), (None, End::Interrupted, String::new()));
        assert_eq!(shown("Command moved to background (PID: 4). Output hidden.").1, End::Background);
    }
}
