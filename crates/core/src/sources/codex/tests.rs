//! Cases for Codex that recorded sessions do not show: exit codes and outputs in any order, cut anywhere.

use super::super::{Reader, read_all, source};
use crate::session::{Body, Session};

const CALL: &str = r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"call_1","arguments":"{\"cmd\":\"make\"}"}}"#;
const CODE: &str = r#"{"timestamp":"2026-03-01T10:00:01Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"call_1","exit_code":5}}"#;
const OUTPUT: &str = r#"{"timestamp":"2026-03-01T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"half done"}}"#;

fn outcome(session: &Session) -> String {
    session.events[0].call().map(|c| format!("{} {:?}", c.outcome, c.output.to_text())).unwrap_or_default()
}

#[test]
fn an_exit_code_counts_before_and_after_the_output_and_however_often_that_comes() {
    let codex = source("codex").expect("a source");
    for order in
        [&[CALL, CODE, OUTPUT][..], &[CALL, OUTPUT, CODE], &[CALL, OUTPUT, CODE, OUTPUT], &[CALL, CODE, OUTPUT, CODE]]
    {
        let text = order.join("\n") + "\n";
        let whole = read_all(codex, "x", text.as_bytes());
        assert_eq!(outcome(&whole.session), "failed(5) \"half done\"");
        for cut in text.match_indices('\n').map(|(end, _)| end + 1) {
            let first = read_all(codex, "x", &text.as_bytes()[..cut]);
            let mut reader = Reader::resume(codex, "x", first.session, first.resume_at);
            reader.feed(&text.as_bytes()[cut..]);
            assert_eq!(reader.finish().session, whole.session, "cut at {cut}");
        }
    }
}

/// A session with this `source` and `originator` in its head, in which one prompt was sent.
fn prompted(source: &str, originator: &str, prompt: &str) -> Session {
    let text = serde_json::to_string(prompt).expect("a text");
    let lines = format!(
        r#"{{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{{"id":"s1","cwd":"/w","originator":"{originator}","source":{source}}}}}
{{"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}}}
"#
    );
    read_all(super::super::source("codex").expect("a source"), "x", lines.as_bytes()).session
}

fn heard(session: &Session) -> String {
    let Body::User { author, spans } = &session.events[0].body else { panic!("no message") };
    let spans: Vec<String> = spans.iter().map(|s| format!("{}: {}", s.origin.as_str(), s.text.to_text())).collect();
    format!("{} {author:?} [{}]", session.agent, spans.join("; "))
}

#[test]
fn what_a_program_tells_an_agent_is_no_word_of_a_person() {
    let spawned = r#"{"subagent":{"thread_spawn":{"parent_thread_id":"s0","depth":1,"agent_role":"worker"}}}"#;
    for (source, originator, expected) in [
        (spawned, "codex-tui", "subagent Machine [assistant: never push]"),
        (r#"{"subagent":"review"}"#, "codex-tui", "subagent Machine [assistant: never push]"),
        (r#"{"subagent":{"other":"guardian"}}"#, "codex-tui", "subagent Machine [assistant: never push]"),
        (r#"{"internal":"memory_consolidation"}"#, "codex-tui", "subagent Machine [assistant: never push]"),
        // `codex exec` that was run inside the desktop client.
        (r#""exec""#, "Codex Desktop", "subagent Machine [assistant: never push]"),
        (r#""exec""#, "codex_exec", "main Human [user: never push]"),
        (r#""exec""#, "codex_sdk_ts", "main Human [user: never push]"),
        (r#""cli""#, "codex-tui", "main Human [user: never push]"),
        (r#""vscode""#, "Codex Desktop", "main Human [user: never push]"),
        ("7", "codex-tui", "main Human [user: never push]"),
    ] {
        assert_eq!(heard(&prompted(source, originator, "never push")), expected, "{source} {originator}");
    }
    assert_eq!(prompted(spawned, "codex-tui", "never push").root, "s0");
}

#[test]
fn what_is_read_later_in_a_sub_agents_session_is_no_word_of_a_person_either() {
    let first = prompted(r#"{"subagent":"review"}"#, "codex-tui", "never push");
    let later = r#"{"timestamp":"2026-03-01T10:00:09Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}
"#;
    let mut reader = Reader::resume(source("codex").expect("a source"), "x", first, 400);
    reader.feed(later.as_bytes());
    assert!(reader.finish().session.events.iter().all(|e| e.human_text().is_none()));
}

#[test]
fn what_the_client_puts_around_a_prompt_is_not_the_persons() {
    for (prompt, expected) in [
        (
            "# Review findings:\n\n## Finding 1\nA test is never run.\n\n## My request for Codex:\nfix it\n",
            "main Human [user: fix it; tool: # Review findings:\n\n## Finding 1\nA test is never run.\n]",
        ),
        ("<user_shell_command>\nls\n</user_shell_command>", "main Machine [tool: \nls\n]"),
        ("<image name=[Image #1]>", "main Machine [tool: <image name=[Image #1]>]"),
        ("# Notes\nfix it", "main Human [user: # Notes\nfix it]"),
    ] {
        assert_eq!(heard(&prompted(r#""vscode""#, "Codex Desktop", prompt)), expected, "{prompt}");
    }
}
