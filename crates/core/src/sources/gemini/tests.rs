//! Cases for Gemini CLI: lines, patches, the older document, and what calls came to.

use expect_test::{Expect, expect};

use super::super::shown::shown;
use super::super::{Read, Reader, read_all, recognise, source};
use crate::session::{Body, ENVELOPE};

fn read(text: &str) -> Read {
    read_all(source("gemini").expect("a source"), "file", text.as_bytes())
}

fn lines() -> String {
    let context = "<session_context>\nThis is …\n- **Workspace Directories:**\n  - /home/dev/ledger\n- **Directory Structure:**\n</session_context>";
    let call = |result: &str| {
        format!(
            r#"{{"id":"run_shell_command-1","name":"run_shell_command","args":{{"command":"make test"}},"status":"success"{result}}}"#
        )
    };
    let output = format!(
        r#","result":[{{"functionResponse":{{"response":{{"output":"<untrusted_context>\nOutput: boom\nExit Code: 2\nProcess Group PGID: 9\n</untrusted_context>\n\n<hook_context>{ENVELOPE}: x</hook_context>"}}}}}}]"#
    );
    [
        r#"{"sessionId":"s-1","projectHash":"4c28","startTime":"2026-11-15T18:21:09.068Z","kind":"main"}"#.to_owned(),
        format!(r#"{{"$set":{{"messages":[{{"id":"ctx","timestamp":"2026-11-15T18:21:09.069Z","type":"user","content":[{{"text":{}}}]}}]}}}}"#, serde_json::json!(context)),
        r#"{"id":"u1","timestamp":"2026-11-15T18:21:09.148Z","type":"user","content":[{"text":"<hook_context>a hook's words</hook_context>\n\nPlease make @notes.md pass"},{"text":"\n--- Content from referenced files ---\nnotes"}],"displayContent":[{"text":"<hook_context>a hook's words</hook_context>\n\nPlease make @notes.md pass"}]}"#.to_owned(),
        r#"{"$set":{"lastUpdated":"2026-11-15T18:21:09.148Z"}}"#.to_owned(),
        r#"{"id":"g1","timestamp":"2026-11-15T18:21:09.744Z","type":"gemini","content":"Let me","thoughts":[]}"#.to_owned(),
        format!(r#"{{"id":"g1","timestamp":"2026-11-15T18:21:09.744Z","type":"gemini","content":"Let me look.","toolCalls":[{}]}}"#, call("")),
        format!(r#"{{"id":"g1","timestamp":"2026-11-15T18:21:09.744Z","type":"gemini","content":"Let me look.","toolCalls":[{}]}}"#, call(&output)),
        r#"{"id":"r1","timestamp":"2026-11-15T18:21:10.373Z","type":"user","content":[{"functionResponse":{"id":"run_shell_command-1","response":{"output":"x"}}}]}"#.to_owned(),
        r#"{"$rewindTo":"u1"}"#.to_owned(),
        r#"{"id":"i1","timestamp":"2026-11-15T18:21:11.373Z","type":"info","content":"An update is available"}"#.to_owned(),
    ]
    .join("\n")
}

#[test]
fn the_last_writing_of_a_message_counts() {
    let text = lines();
    assert_eq!(recognise(text.as_bytes()).map(|s| s.name), Some("gemini"));
    let read = read(&text);
    assert!(read.problems.flaws.is_empty(), "{:?}", read.problems);
    expect![[r#"
        s-1 of s-1 in Some("/home/dev/ledger") (main)
        u1 Human [user: Please make @notes.md pass; tool: a hook's words]
        g1 Let me look.
        run_shell_command-1 run_shell_command `make test` failed(2) "boom"
    "#]]
    .assert_eq(&shown(&read.session));
    assert_eq!(read.session.injected.len(), 1, "our own words are remembered as ours");
}

#[test]
fn a_later_reading_goes_on() {
    let text = lines();
    let whole = shown(&read(&text).session);
    let gemini = source("gemini").expect("a source");
    for cut in text.match_indices('\n').map(|(i, _)| i + 1) {
        let first = read_all(gemini, "file", &text.as_bytes()[..cut]);
        let mut reader = Reader::resume(gemini, "file", first.session, first.resume_at);
        reader.feed(&text.as_bytes()[cut..]);
        assert_eq!(shown(&reader.finish().session), whole, "cut at {cut}");
    }
}

/// The end of a file may be read twice, as long as it is not whole.
#[test]
fn our_own_words_are_remembered_once() {
    let text = lines();
    let session = read(&format!("{text}\n{text}")).session;
    assert_eq!(session.injected.len(), 1);
}

#[test]
fn the_older_document_says_the_same() {
    let lines = lines();
    let messages: Vec<serde_json::Value> = lines
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).expect("json"))
        .filter(|v| v.get("type").is_some())
        .collect();
    let document =
        |list: String| format!("{{\n\"sessionId\": \"s-1\",\n\"projectHash\": \"4c28\",\n\"messages\": {list}\n}}");
    let text = document(serde_json::to_string_pretty(&messages).expect("json"));
    assert_eq!(recognise(text.as_bytes()).map(|s| s.name), Some("gemini"));
    let expected = shown(&read(&lines).session).replace("Some(\"/home/dev/ledger\")", "None");
    assert_eq!(shown(&read(&text).session), expected);
    assert_eq!(shown(&read(&document(serde_json::json!(messages).to_string()).replace('\n', "")).session), expected);
}

fn check_call(tool: &str, status: &str, response: &str, expect: Expect) {
    let call = format!(
        r#"{{"id":"c-1","name":"{tool}","args":{{"command":"x --y","file_path":"a.txt"}},"status":"{status}","result":[{{"functionResponse":{{"response":{response}}}}}]}}"#
    );
    let session = read(&format!(r#"{{"id":"g","type":"gemini","content":"","toolCalls":[{call}]}}"#)).session;
    let Body::Call(call) = &session.events[0].body else { panic!("no call") };
    expect.assert_eq(&format!("{} `{}` {:?}", call.outcome, call.input, call.output.to_text()));
}

#[test]
fn how_calls_end() {
    check_call("run_shell_command", "success", r#"{"output":"Output: (empty)"}"#, expect![[r#"ok `x --y` """#]]);
    check_call(
        "run_shell_command",
        "success",
        r#"{"output":"Command: x\nDirectory: (root)\nOutput: no\nError: (none)\nExit Code: 3\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 1"}"#,
        expect![[r#"failed(3) `x --y` "no""#]],
    );
    check_call(
        "run_shell_command",
        "success",
        r#"{"output":"Command was automatically cancelled because it exceeded the timeout of 0.1 minutes without output. There was no output before it was cancelled."}"#,
        expect![[r#"timed_out `x --y` """#]],
    );
    check_call(
        "run_shell_command",
        "cancelled",
        r#"{"error":"[Operation Cancelled] Reason: User did not allow tool call"}"#,
        expect![[r#"denied `x --y` "[Operation Cancelled] Reason: User did not allow tool call""#]],
    );
    check_call(
        "run_shell_command",
        "error",
        r#"{"error":"Tool execution denied by policy."}"#,
        expect![[r#"denied `x --y` "Tool execution denied by policy.""#]],
    );
    check_call(
        "write_file",
        "error",
        r#"{"error":"Tool execution blocked: not now"}"#,
        expect![[r#"blocked `a.txt` "Tool execution blocked: not now""#]],
    );
    check_call(
        "read_file",
        "error",
        r#"{"error":"File not found: a.txt"}"#,
        expect![[r#"failed `a.txt` "File not found: a.txt""#]],
    );
    check_call(
        "replace",
        "success",
        r#"{"output":"Successfully modified"}"#,
        expect![[r#"ok `a.txt` "Successfully modified""#]],
    );
}

#[test]
fn odd_types_cost_nothing_but_themselves() {
    for odd in [
        r#"{"sessionId":1,"projectHash":2,"messages":{}}"#,
        r#"{"$set":[1]}"#,
        r#"{"id":"x","type":"gemini","toolCalls":[1,{"id":"c","args":[],"result":{"a":[]}},{"id":"d","result":"text"}]}"#,
        r#"{"id":"x","type":"user","content":[1,{"text":2}],"displayContent":{}}"#,
    ] {
        let _ = read(odd);
        let session = read(&format!("{}\n{odd}", lines())).session;
        assert!(session.events.len() >= 3);
    }
}

#[test]
fn what_an_edit_writes_into_notes_is_kept() {
    let kept = |tool: &str, args: &str| {
        let text = format!(
            r#"{{"sessionId":"s-1","projectHash":"4c28","startTime":"2026-11-15T18:21:09.068Z","kind":"main"}}
{{"id":"g1","timestamp":"2026-11-15T18:21:09.744Z","type":"gemini","content":"","toolCalls":[{{"id":"t-1","name":"{tool}","args":{args},"status":"success"}}]}}"#
        );
        let session = read(&text).session;
        session.events.iter().find_map(|e| e.call()).and_then(|c| c.written.clone()).unwrap_or_default()
    };
    let edit = kept(
        "replace",
        r###"{"file_path":"/p/GEMINI.md","old_string":"## Git","new_string":"## Git\n- Never push to `main`."}"###,
    );
    assert!(edit.contains("+- Never push to `main`."), "{edit}");
    let fact = kept("save_memory", r#"{"fact":"Never push to main."}"#);
    assert!(fact.contains("~/.gemini/GEMINI.md\n+- Never push to main."), "{fact}");
    let own = kept("save_memory", r#"{"fact":"Never push to main.","scope":"project"}"#);
    assert!(own.contains(" GEMINI.md\n+- Never push to main."), "{own}");
}
