//! Failures that the exit code does not show, found by what runners print at the end.
//!
//! A marker counts only where it is anchored: at the start of a line, near the end of the output, in a call whose
//! shape can hide a failure. The last line that gives a verdict decides, because a later failure overrides an
//! earlier pass and a summary overrides the noise above it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use crate::normal::command::{edits, filters, program, working};
use crate::normal::error::strip_ansi;
use crate::normal::pattern;
use crate::normal::programs::{self, Role};
use crate::normal::reading::only_looks;
use crate::normal::shell::{self, Script, Simple};
use crate::session::{Excerpt, Outcome};

use super::answers::{asks_if_there, is_answer};
use super::chains::{a_part_failed, is_printed};

/// Lines from the end in which a runner's verdict is looked for.
const TAIL_LINES: usize = 40;
/// A rejection is short: the error and perhaps the usage.
const REJECTION_LINES: usize = 80;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    /// Failed, whatever the shape of the command.
    Exited,
    /// Failed, if the command can hide it.
    Failed,
    /// Passed.
    Passed,
}

/// What runners print: literal part for the quick search, pattern for the line, such a line, what it says.
#[rustfmt::skip]
const VERDICTS: &[(&str, &str, &str, Says)] = &[
    // the runner's own exit line
    ("exited with code", r#"^error: script "[^"]*" exited with code [1-9]"#, r#"error: script "lint" exited with code 1"#, Says::Exited),
    ("husky - ", r"^husky - .*(?:failed|exited).*code [1-9]", "husky - pre-commit script failed (code 1)", Says::Exited),
    ("ELIFECYCLE", r"^\s*(?:npm (?:ERR!|error) code )?\s*ELIFECYCLE\b", "npm ERR! code ELIFECYCLE", Says::Exited),
    ("Command failed with exit code", r"^\s*(?:error|ERROR|\W+ELIFECYCLE\W+)?\s*Command failed with exit code [1-9]", "error Command failed with exit code 1.", Says::Exited),
    ("npm ERR!", r"^npm ERR! ", "npm ERR! missing", Says::Failed),
    ("npm error", r"^npm error ", "npm error missing", Says::Failed),
    ("*** [", r"^g?make(?:\[\d+\])?: \*\*\* .*Error \d+", "make: *** [Makefile:3: test] Error 1", Says::Exited),
    ("*** ", r"^(?:g?make(?:\[\d+\])?|\S+:\d+): \*\*\* .*Stop\.$", "make: *** No rule to make target 'x'.  Stop.", Says::Exited),
    ("pre-commit hook", r"(?i)pre-commit hook (?:failed|exited with code [1-9])", "pre-commit hook failed", Says::Exited),
    // test summaries: counts, not words
    (" fail", r"^\s*[1-9]\d* fail$", " 3 fail", Says::Failed),
    (" fail", r"^\s*0 fail$", " 0 fail", Says::Passed),
    (" failed", r"^(?:=+ )?(?:\d+ \w+, )*[1-9]\d* failed\b.* in [\d.]+s", "=== 1 failed, 3 passed in 0.12s ===", Says::Failed),
    (" passed", r"^(?:=+ )?\d+ passed\b.* in [\d.]+s", "3 passed in 0.12s", Says::Passed),
    ("Tests:", r"^\s*Tests:\s+(?:\d+ \w+, )*?[1-9]\d* failed", "Tests:       1 failed, 3 passed, 4 total", Says::Failed),
    ("Tests:", r"^\s*Tests:\s+(?:\d+ (?:skipped|todo), )*\d+ passed", "Tests:       3 passed, 3 total", Says::Passed),
    ("Test Suites:", r"^\s*Test Suites:\s+[1-9]\d* failed", "Test Suites: 1 failed, 1 total", Says::Failed),
    ("Tests  ", r"^\s*Tests\s+[1-9]\d* failed", "      Tests  1 failed | 3 passed (4)", Says::Failed),
    ("Tests  ", r"^\s*Tests\s+\d+ passed", "      Tests  3 passed (3)", Says::Passed),
    ("Test Files", r"^\s*Test Files\s+[1-9]\d* failed", " Test Files  1 failed (1)", Says::Failed),
    (" failing", r"^\s*[1-9]\d* failing$", "  2 failing", Says::Failed),
    (" passing", r"^\s*[1-9]\d* passing\b", "  2 passing (3ms)", Says::Passed),
    ("test result: FAILED", r"^test result: FAILED\.", "test result: FAILED. 1 passed; 1 failed", Says::Failed),
    ("test result: ok", r"^test result: ok\.", "test result: ok. 1 passed; 0 failed", Says::Passed),
    (" failed", r"^error: (?:\d+ )?(?:test|target)s? failed", "error: 2 targets failed:", Says::Failed),
    ("Summary [", r"^\s*Summary \[.*\b[1-9]\d* failed", "     Summary [   0.1s] 4 tests run: 3 passed, 1 failed", Says::Failed),
    ("FAILED (", r"^FAILED \((?:failures|errors)=", "FAILED (failures=1)", Says::Failed),
    ("FAILED", r"^FAILED$", "FAILED", Says::Failed),
    ("FAIL", r"^FAIL(?:$|\t\S+)", "FAIL\texample.com/x\t0.6s", Says::Failed),
    ("--- FAIL", r"^--- FAIL: ", "--- FAIL: TestX (0.00s)", Says::Failed),
    ("PASS", r"^PASS$|^--- PASS: ", "PASS", Says::Passed),
    ("ok  \t", r"^ok  \t\S+\t[\d.(]", "ok  \texample.com/x\t0.6s", Says::Passed),
    (" failure", r"^\d+ examples?, [1-9]\d* failures?", "1 example, 1 failure", Says::Failed),
    (", 0 failures", r"^\d+ examples?, 0 failures", "3 examples, 0 failures", Says::Passed),
    ("# fail ", r"^# fail [1-9]", "# fail 1", Says::Failed),
    ("# fail 0", r"^# fail 0$", "# fail 0", Says::Passed),
    (" failed", r"^\d+ passed, [1-9]\d* failed", "3 passed, 1 failed", Says::Failed),
    (" failed", r"^\s*[1-9]\d* failed$", "  1 failed", Says::Failed),
    // compilers and linters
    ("could not compile", r"^error: could not compile ", "error: could not compile `x` (lib)", Says::Failed),
    ("Found ", r"^Found [1-9]\d* errors?(?:\.| in )", "Found 1 error.", Says::Failed),
    (" problem", r"^\W*\d+ problems? \([1-9]\d* errors?", "✖ 1 problem (1 error, 0 warnings)", Says::Failed),
    (" error", r"^\W*(?:\d+ problems? \()?[1-9]\d* errors? generated\.", "2 errors generated.", Says::Failed),
    ("error TS", r"^\S+[(:]\d+[,:]\d+\)?:? (?:- )?error TS\d+: ", "src/a.ts(3,5): error TS2345: x", Says::Failed),
    ("BUILD FAIL", r"^(?:\[ERROR\] |\[INFO\] |)BUILD FAIL(?:ED|URE)", "[INFO] BUILD FAILURE", Says::Failed),
    ("FAILURE: Build", r"^FAILURE: Build failed", "FAILURE: Build failed with an exception.", Says::Failed),
    ("BUILD SUCCESS", r"^(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?", "[INFO] BUILD SUCCESS", Says::Passed),
    ("uild failed", r"(?i)^\W*(?:error: )?build failed\b", "error: build failed", Says::Failed),
    // languages
    ("panicked at", r"^thread '[^']*'(?: \(\d+\))? panicked at ", "thread 'main' panicked at src/main.rs:3:5:", Says::Failed),
    ("panic: ", r"^panic: ", "panic: runtime error", Says::Failed),
    ("Segmentation fault", r"^(?:\S+: )*Segmentation fault", "bash: Segmentation fault", Says::Failed),
    ("core dumped", r"\(core dumped\)$", "Aborted (core dumped)", Says::Failed),
    ("Error: ", r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): ", "KeyError: 'a'", Says::Failed),
    ("Exception: ", r"^(?:[\w.]+\.)?[A-Z]\w*Exception: ", "java.io.IOException: broken", Says::Failed),
    ("Traceback (most recent", r"^Traceback \(most recent call last\):", "Traceback (most recent call last):", Says::Failed),
    ("fatal: ", r"^fatal: ", "fatal: bad revision 'x'", Says::Failed),
    ("ModuleNotFound", r"^error: ModuleNotFound resolving ", "error: ModuleNotFound resolving \"x\"", Says::Failed),
    ("could not find", r"^error: could not find ", "error: could not find `Cargo.toml`", Says::Failed),
    ("rejected]", r"^ ! \[(?:remote )?rejected\]", " ! [remote rejected] main -> main", Says::Failed),
    ("error: failed to push", r"^error: failed to push some refs", "error: failed to push some refs to 'x'", Says::Failed),
    ("CONFLICT (", r"^CONFLICT \(", "CONFLICT (content): Merge conflict in a", Says::Failed),
    ("ould not apply", r"^(?:error: )?[Cc]ould not apply [0-9a-f]{6,}", "error: could not apply 1a2b3c4... x", Says::Failed),
    ("are ignored by", r"^The following paths are ignored by one of your", "The following paths are ignored by one of your .gitignore files:", Says::Failed),
    ("Code style issues", r"^\[(?:warn|error)\] Code style issues ", "[warn] Code style issues found in 2 files.", Says::Failed),
    (": syntax error", r"^\S+\.\w+:\d+:\d+: syntax error", "a.go:3:5: syntax error: unexpected }", Says::Failed),
    (": expected", r"^\S+\.\w+:\d+:\d+: expected ", "a.go:3:5: expected ';'", Says::Failed),
    (": undefined", r"^\S+\.\w+:\d+:\d+: undefined\b", "a.go:3:5: undefined: x", Says::Failed),
    (": missing", r"^\S+\.\w+:\d+:\d+: missing ", "a.go:3:5: missing return", Says::Failed),
    // a commit was made
    ("] ", r"^\[[\w./#-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] ", "[main 1a2b3c4] subject", Says::Passed),
];

/// The shell says that there is nothing to run or to read.
const NOT_THERE: &[&str] =
    &["command not found", "No such file or directory", "Permission denied", "no such file or directory", "not found"];

struct Rules {
    literals: AhoCorasick,
    patterns: Vec<Regex>,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let literals = AhoCorasick::new(VERDICTS.iter().map(|(literal, ..)| literal)).ok()?;
    let patterns = VERDICTS.iter().map(|(_, text, ..)| pattern(text)).collect::<Option<Vec<_>>>()?;
    Some(Rules { literals, patterns })
});

/// The outcome of a call that the client took for a success.
pub(super) fn hidden_failure(script: &Script<'_>, output: &Excerpt) -> Outcome {
    if output.is_empty() {
        return Outcome::Ok;
    }
    if a_part_failed(script, output) {
        return Outcome::Masked;
    }
    if let Some(told) = told_exit_code(script, output) {
        return told;
    }
    // `bash -c '… | tail'` hides as well.
    for inner in super::inner_scripts(script) {
        if hidden_failure(&shell::parse(inner), output) == Outcome::Masked {
            return Outcome::Masked;
        }
    }
    let doing = working(script);
    if doing.iter().all(|c| reads(c)) {
        return if rejected(script, &doing, output) { Outcome::Masked } else { Outcome::Ok };
    }
    let hides = script.commands.iter().any(Simple::hides_failure);
    match verdict(output) {
        Some(Says::Exited) => Outcome::Masked,
        // A test that was written in the same call may be meant to fail.
        Some(Says::Failed) if hides && script.commands.iter().any(edits) && !did_not_build(output) => Outcome::Unknown,
        Some(Says::Failed) if hides && !doing.iter().all(|c| c.fallback) => Outcome::Masked,
        Some(_) => Outcome::Ok,
        None if rejected(script, &doing, output) => Outcome::Masked,
        None => Outcome::Ok,
    }
}

/// Nobody means code not to build.
fn did_not_build(output: &Excerpt) -> bool {
    output.tail().contains("[build failed]") || output.tail().contains("could not compile")
}

/// The last line that gives a verdict.
fn verdict(output: &Excerpt) -> Option<Says> {
    let rules = RULES.as_ref()?;
    if !rules.literals.is_match(output.tail()) {
        return None;
    }
    let mut below = 0;
    for raw in output.tail().lines().rev().filter(|l| !l.trim().is_empty()).take(TAIL_LINES) {
        below += 1;
        if raw.len() > 2_000 || !rules.literals.is_match(raw) {
            continue;
        }
        let line = strip_ansi(raw);
        let says = VERDICTS
            .iter()
            .zip(&rules.patterns)
            .find(|(_, p)| p.is_match(line.as_bytes()))
            .map(|((.., says), _)| *says);
        match says {
            // A runner's exit line far above the end belongs to an earlier step; the command went on after it.
            Some(Says::Exited) if below > 8 => {}
            Some(says) => return Some(says),
            None => {}
        }
    }
    None
}

/// The outcome that a call printed itself (`…; echo "exit=$?"`): only behind the very words it echoes.
fn told_exit_code(script: &Script<'_>, output: &Excerpt) -> Option<Outcome> {
    let (at, label) = script.commands.iter().enumerate().find_map(|(at, c)| {
        let says = programs::is(program(c), Role::Printer);
        let text = c.words.iter().skip(1).map(|w| &*w.text).collect::<Vec<_>>().join(" ");
        let end = text.find("$?").or_else(|| text.find("${PIPESTATUS")).filter(|_| says)?;
        Some((at, text[..end].trim().to_owned()))
    })?;
    let code = output.lines().rev().find_map(|line| {
        let digits: String =
            line.trim().strip_prefix(&label)?.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<i32>().ok()
    })?;
    // The answer to a question is no failure, whether it is printed or not.
    let before = Script { commands: script.commands[..at].to_vec(), ..Script::default() };
    let answered = code == 0
        || is_answer(&before, Some(code), output, || false)
        || working(&before).iter().all(|c| reads(c) && c.drops_errors());
    Some(if answered { Outcome::Ok } else { Outcome::Masked })
}

/// Whether a command in front of the last one says that it failed.
pub(super) fn an_earlier_part_failed(script: &Script<'_>, output: &Excerpt) -> bool {
    let others = script.commands.len().saturating_sub(1);
    let doing = script.commands[..others].iter().any(|c| !c.words.is_empty() && !reads(c));
    doing && matches!(verdict(output), Some(Says::Exited | Says::Failed))
}

/// Whether a command prints what others wrote: then its output proves nothing.
pub(super) fn reads(command: &Simple<'_>) -> bool {
    programs::is(program(command), Role::Fetcher) || only_looks(command) || filters(command)
}

/// Whether the output is nothing but a refusal: the error and perhaps the usage, or that there is no such thing.
fn rejected(script: &Script<'_>, doing: &[&Simple<'_>], output: &Excerpt) -> bool {
    static REFUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:[\w./-]+: )?(?:error: )?(?:unrecognized|unexpected|unknown|invalid|illegal|no such) (?:sub)?(?:command|argument|option|flag|shorthand flag|json field)\b",
        )
    });
    let hidden = doing.iter().any(|c| c.hides_failure() && !c.fallback && !c.drops_errors() && !asks_if_there(c));
    if !hidden || output.is_cut() {
        return false;
    }
    let lines: Vec<&str> = output.lines().filter(|l| !is_printed(script, l)).collect();
    let Some(first) = lines.first().map(|l| strip_ansi(l)) else { return false };
    if lines.len() <= REJECTION_LINES && REFUSAL.as_ref().is_some_and(|r| r.is_match(first.as_bytes())) {
        let usage = lines.iter().any(|l| {
            l.starts_with("Usage:") || l.starts_with("usage:") || l.starts_with("See '") || l.contains("--help")
        });
        let listed = first.to_lowercase().contains("json field");
        return usage || listed || lines.len() <= 3;
    }
    let fails = script.commands.iter().filter(|c| !c.words.is_empty()).count();
    lines.len() <= 2.min(fails) && lines.iter().all(|l| is_not_there(l))
}

/// Whether the first or last line says in so many words that it is an error, or a program speaks of its own trouble.
pub(super) fn opens_or_ends_with_error(script: &Script<'_>, output: &Excerpt) -> bool {
    static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(concat!(
            r"(?i)^(?:[\w./-]+: )?(?:fatal|error|fatal error|abort|aborted|panic|e|err!|exception)(?:\[\w+\])?: ",
            r"|^\w+(?:Error|Exception): |command not found|: No such file or directory$|^exit status [1-9]",
            r"|^\W*(?:zsh|bash|sh)(?::(?: line )?\d+)?: |^Node\.js v\d|exited with (?:code|status) [1-9]|^curl: \(\d+\)|^HTTP [45]\d\d"
        ))
    });
    static TROUBLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:\W*)(?:error|failed|failure|cannot|can't|could not|couldn't|unable to|unknown|invalid|refusing|accepts at most|requires at least|not found|timeout|timed out|HTTP [45]\d\d)\b",
        )
    });
    let (Some(first), Some(last)) = (output.lines().next(), output.lines().next_back()) else { return false };
    let lines = output.lines().take(16).count();
    let edges = [first, last].map(|l| strip_ansi(l[..l.floor_char_boundary(500)].trim()));
    let own = edges.iter().any(|l| speaks_of_itself(script, l));
    if working(script).iter().all(|c| reads(c)) {
        // What a reader prints is not its own, unless it says so or there is nothing else.
        return own || (lines <= 4 && edges.iter().any(|l| TROUBLE.as_ref().is_some_and(|t| t.is_match(l.as_bytes()))));
    }
    let is_error = |l: &str| ERROR.as_ref().is_some_and(|e| e.is_match(l.as_bytes()));
    let in_trouble = |l: &str| lines <= 12 && TROUBLE.as_ref().is_some_and(|t| t.is_match(l.as_bytes()));
    own || edges.iter().any(|l| is_error(l) || in_trouble(l))
}

/// `rg: x: No such file or directory`, `fatal: …` of git: the program's own words, not what it read.
fn speaks_of_itself(script: &Script<'_>, line: &str) -> bool {
    script.commands.iter().any(|c| {
        let name = program(c);
        // Go's tool chain tells its progress under its own name.
        (name == "git" && line.starts_with("fatal: "))
            || name != "go"
                && line.strip_prefix(name).is_some_and(|rest| {
                    !name.is_empty()
                        && (rest.starts_with(": ") || rest.starts_with(" error:"))
                        && !rest[2..].trim_start().starts_with(|c: char| c == '/' || c.is_ascii_digit())
                })
    })
}

/// `ls: x: No such file or directory`, `zsh: command not found: x`.
pub(super) fn is_not_there(line: &str) -> bool {
    let line = line.trim();
    line.len() < 300
        && line.contains(": ")
        && NOT_THERE.iter().any(|words| line.ends_with(words) || line.contains(&format!("{words}: ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_is_heard() {
        for (literal, text, line, says) in VERDICTS {
            assert!(line.contains(literal), "{literal:?} is not in {line:?}");
            assert!(pattern(text).is_some_and(|p| p.is_match(line.as_bytes())), "{text} does not match {line:?}");
            let heard = verdict(&Excerpt::new(line));
            assert_eq!(heard == Some(Says::Passed), *says == Says::Passed, "{line:?} is heard as {heard:?}");
            assert!(heard.is_some(), "{line:?} is not heard");
        }
    }
}
