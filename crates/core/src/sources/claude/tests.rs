//! Cases for Claude Code that recorded sessions do not show: who speaks in a message of role "user".

use super::super::shown::shown;
use super::super::{read_all, source};

/// What is heard of a record with these fields, beside the ones every record has.
fn heard(fields: &str) -> String {
    let line = format!(r#"{{"uuid":"u1","sessionId":"s1","cwd":"/w",{fields}}}"#) + "\n";
    let session = read_all(source("claude").expect("a source"), "x", line.as_bytes()).session;
    shown(&session).lines().skip(1).collect::<Vec<_>>().join("\n")
}

/// A user record that says `text`.
fn user(text: &str, more: &str) -> String {
    let text = serde_json::to_string(text).expect("a text");
    heard(&format!(r#""type":"user","message":{{"role":"user","content":{text}}}{more}"#))
}

#[test]
fn what_no_person_typed_is_not_called_the_persons() {
    for (text, more, expected) in [
        ("run the tests", "", "u1 Human [user: run the tests]"),
        ("run the tests", r#","isSidechain":true"#, "u1 Machine [assistant: run the tests]"),
        ("run the tests", r#","isMeta":true"#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","isMeta":true,"isSidechain":true"#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","isCompactSummary":true"#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","sourceToolUseID":"t1""#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","origin":{"kind":"human"}"#, "u1 Human [user: run the tests]"),
        ("run the tests", r#","origin":{"kind":"peer","from":"a"}"#, "u1 Machine [assistant: run the tests]"),
        ("run the tests", r#","origin":{"kind":"task-notification"}"#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","promptSource":"typed""#, "u1 Human [user: run the tests]"),
        ("run the tests", r#","promptSource":"system""#, "u1 Machine [tool: run the tests]"),
        ("run the tests", r#","promptSource":"suggestion_accepted""#, "u1 Human [assistant: run the tests]"),
        ("<command-name>/clear</command-name><command-args></command-args>", "", "u1 Human [tool: /clear]"),
        ("<command-name>/ask</command-name><command-args>why</command-args>", "", "u1 Human [user: /ask why]"),
        ("<command-name>/x</command-name>", r#","isMeta":true"#, "u1 Machine [tool: <command-name>/x</command-name>]"),
        ("Do: 1. test", r#","planContent":"1. test""#, "u1 Machine [assistant: Do: 1. test]"),
        (
            "Implement the following plan:\n\n1. test",
            "",
            "u1 Machine [assistant: Implement the following plan:\n\n1. test]",
        ),
        ("Implement the following plan: test it", "", "u1 Human [user: Implement the following plan: test it]"),
        (
            "Another Claude session sent a message:\nhello",
            "",
            "u1 Machine [assistant: Another Claude session sent a message:\nhello]",
        ),
        ("Operation stopped by hook: dirty", "", "u1 Machine [tool: Operation stopped by hook: dirty]"),
        ("Base directory for this skill: /s\n\n# S", "", "u1 Machine [tool: Base directory for this skill: /s\n\n# S]"),
        ("<build-event>red</build-event>", "", "u1 Machine [tool: red]"),
        ("<bash-stderr>no</bash-stderr>", "", "u1 Machine [tool: <bash-stderr>no</bash-stderr>]"),
    ] {
        assert_eq!(user(text, more), expected, "{text} {more}");
    }
}

#[test]
fn a_waiting_message_is_the_persons_only_if_a_person_queued_it() {
    let queued = |more: &str| {
        heard(&format!(
            r#""type":"attachment","attachment":{{"type":"queued_command","prompt":"run the tests"{more}}}"#
        ))
    };
    for (more, expected) in [
        ("", "u1 Human [user: run the tests]"),
        (r#","commandMode":"prompt","origin":{"kind":"human"}"#, "u1 Human [user: run the tests]"),
        (r#","origin":{"kind":"peer","from":"a"},"isMeta":true"#, "u1 Machine [assistant: run the tests]"),
        (r#","isMeta":true"#, "u1 Machine [tool: run the tests]"),
        (r#","commandMode":"task-notification""#, ""),
    ] {
        assert_eq!(queued(more), expected, "{more}");
    }
}
