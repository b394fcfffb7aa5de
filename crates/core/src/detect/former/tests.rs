//! The keys on the right were made by the release before each change.

use super::*;
use crate::detect::detect;
use crate::detect::tests::session;

/// What one detector sees, under the keys it had.
fn former(script: &str, detector: &str) -> Vec<String> {
    let seen = detect(&session(script)).into_iter().filter(|o| o.head.detector == detector).collect::<Vec<_>>();
    assert_eq!(seen.len(), 1, "{detector} sees one thing in {script}");
    former_keys(&seen[0], FORMER)
}

fn check(script: &str, detector: &str, key: &str) {
    assert_eq!(former(script, detector), [key], "{script}");
}

/// A program that is not there, and what brings it.
fn missing(said: &str) -> String {
    format!("! go run a.go => {said}\n$ brew install golang\n$ go run a.go")
}

#[test]
fn a_missing_program_had_a_key_for_each_shell() {
    for (said, error) in [
        ("bash: line 1: go: command not found", "sh: go: command not found"),
        ("bash: go: command not found", "sh: go: command not found"),
        ("/bin/bash: line 3: go: command not found", "sh: go: command not found"),
        ("/usr/bin/bash: line 1: go: command not found", "<path>: line <n>: go: command not found"),
        ("/usr/bin/zsh:1: command not found: go", "<path>: command not found: go"),
        ("/bin/sh: 1: go: not found", "sh: go: not found"),
        ("sh: go: not found", "sh: go: not found"),
        ("ash: go: not found", "ash: go: not found"),
        ("fish: Unknown command: go", "fish: Unknown command: go"),
        ("fish: Unknown command 'go'", "fish: Unknown command 'go'"),
        ("go: command not found", "go: command not found"),
    ] {
        check(&missing(said), "error-recovery", &format!("go | {error} | brew install golang"));
    }
}

#[test]
fn a_line_was_of_the_program_it_began_or_ended_with_or_of_the_first() {
    let fix = |line: &str, said: &str| format!("! {line} => {said}\n$ {}", line.replace("go run", "python3 -m go run"));
    for (line, said, key) in [
        ("make deps && go run a.go", "bash: line 1: go: command not found", "make | sh: go: command not found"),
        ("cd /x && make deps && go run a.go", "bash: go: command not found", "make | sh: go: command not found"),
        ("make deps && go run a.go", "go: command not found", "go | go: command not found"),
        ("make deps && go run a.go", "fish: Unknown command: go", "go | fish: Unknown command: go"),
        ("make deps && go run a.go", "/bin/sh: 1: go: not found", "make | sh: go: not found"),
        ("go run a.go | tail -3", "bash: go: command not found", "go | sh: go: command not found"),
    ] {
        check(&fix(line, said), "error-recovery", &format!("{key} |  > python3 -m"));
    }
    // The filter is not in the command that is shown.
    let filter = "! go run a.go | jq . => jq: command not found\n$ go run a.go --json | jq .";
    check(filter, "error-recovery", "jq | jq: command not found |  > --json");
}

#[test]
fn what_else_a_shell_said_had_a_key_for_each_folder_of_the_shell() {
    let said = "/usr/local/bin/bash: line 3: cd: out: No such file or directory";
    let script = format!("! tool report => {said}\n$ mkdir -p out\n$ tool report");
    let key = "tool | <path>: line <n>: cd: out: No such file or directory | mkdir -p out";
    check(&script, "error-recovery", key);
}

#[test]
fn every_detector_that_puts_a_line_into_its_key_had_that_key() {
    let said = "bash: line 1: go: command not found";
    let mended = format!("! make deps && go check a.go => {said}\n$ make go-fix\n$ make deps && go check a.go");
    check(&mended, "error-recovery", "make | make deps && go check | make go-fix");
    let looks = "$ cat src/a.py\n$ grep -n go src/a.py\n$ sed -n 1,20p src/a.py\n";
    let why = "a The root cause is that `go` (the new one) is not on the path of the runner.\n";
    for why in ["", why] {
        let fixed = format!("! make go => {said}\\nsrc/a.py: line 3\n{looks}{why}e src/a.py\ne src/a.py\n$ make go");
        check(&fixed, "error-fix", "error-fix | make | sh: go: command not found | a.py");
        check(&fixed, "deep-investigation", "investigation | a.py | sh: go: command not found");
    }
    check(
        &format!("! go e2e => {said}\n").repeat(3),
        "excessive-retries",
        "retries | go e2e | sh: go: command not found",
    );
    let told = "u /usr/bin/bash: line 1: go crashes in a.py\ne src/a.py\na Fixed: it is called as a module now.";
    check(told, "problem-solution", "problem-solution | a.py | <path>: line <n>: go crashes in <file>");
}

#[test]
fn usage_was_an_error_like_any_other() {
    let flag = |said: &str| format!("! tool report --format json => {said}\n$ tool report --output json");
    for (said, key) in [
        ("error: usage:\\n  tool report [--output FORM]", "tool | error: usage:"),
        ("error: usage: tool report [--output FORM]", "tool | error: usage: tool report [--output FORM]"),
        ("ERROR: usage: tool report FILE 3", "tool | ERROR: usage: tool report FILE <n>"),
        ("tool: error: Usage: tool x", "tool | tool: error: Usage: tool x"),
    ] {
        check(&flag(said), "error-recovery", &format!("{key} | --format > --output"));
    }
    let again = "! tool e2e => error: usage: tool e2e FILE\n".repeat(3);
    check(&again, "excessive-retries", "retries | tool e2e | error: usage: tool e2e FILE");
}

#[test]
fn a_rule_was_cut_out_of_its_sentence() {
    for (said, key) in [
        ("Never push to main without a review, and always tag every release", "not push to main without review"),
        ("never use any global install - it is shared", "not use any global install"),
    ] {
        check(&format!("u x\n$ make\nu {said}"), "rule", key);
    }
}

#[test]
fn what_has_the_key_it_always_had_has_no_former_one() {
    let none = [
        "! tool report --format json => error: unexpected argument '--format' found\n$ tool report --output json",
        "! pip install request => ERROR: No matching distribution found for request\n$ pip install requests",
        "! go run a.go => zsh:1: command not found: go\n$ python3 -m go run a.go",
        "! go run a.go => (eval):1: command not found: go\n$ python3 -m go run a.go",
        "! tool report => bash: line 3: cd: out: No such file or directory\n$ mkdir -p out\n$ tool report",
        "! cargo test => error[E0308]: mismatched types\\n --> src/book.rs:3:5\ne src/book.rs\n$ cargo test",
        "u remember: always run make deps first\n$ make deps\n$ make lint\n$ make test\n$ make dist V=1\n$ git tag v1",
    ];
    for script in none {
        let seen = detect(&session(script));
        assert!(!seen.is_empty(), "{script}");
        let keys: Vec<String> = seen.iter().flat_map(|o| former_keys(o, FORMER)).collect();
        assert!(keys.is_empty(), "{script}: {keys:?}");
    }
}
