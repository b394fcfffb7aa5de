//! Cases for OpenCode: an export, its rows, and what calls came to.

use expect_test::{Expect, expect};

use super::super::shown::shown;
use super::super::{Read, read_all, recognise, source};
use crate::session::{Agent, Body};

fn read(text: &str) -> Read {
    read_all(source("opencode").expect("a source"), "file", text.as_bytes())
}

fn check_call(state: &str, tool: &str, expect: Expect) {
    let part = format!(
        r#"{{"id":"prt_1","messageID":"msg_1","type":"tool","tool":"{tool}","callID":"call_abcdefgh","state":{state}}}"#
    );
    let session = read(&part).session;
    let Body::Call(call) = &session.events[0].body else { panic!("no call") };
    expect.assert_eq(&format!("{} `{}` {:?}", call.outcome, call.input, call.output.to_text()));
}

const EXPORT: &str = r#"{
  "info": {"id": "ses_1", "directory": "/home/dev/ledger", "version": "1.18.33", "time": {"created": 1794766659808}},
  "messages": [
    {
      "info": {"id": "msg_1", "role": "user", "time": {"created": 1794766660456}},
      "parts": [
        {"type": "text", "text": "\"make the \\\"fast\\\" tests pass\"", "id": "prt_1", "messageID": "msg_1"},
        {"type": "text", "text": "a plugin's words", "synthetic": true, "id": "prt_2", "messageID": "msg_1"}
      ]
    },
    {
      "info": {"id": "msg_2", "role": "assistant", "time": {"created": 1794766665275}},
      "parts": [
        {"type": "step-start", "id": "prt_3", "messageID": "msg_2"},
        {"type": "text", "text": "Let me look.", "time": {"start": 1}, "id": "prt_4", "messageID": "msg_2"},
        {"type": "tool", "tool": "bash", "callID": "call_986442b913174d7b", "id": "prt_5", "messageID": "msg_2",
         "state": {"status": "completed", "input": {"command": "make test"}, "output": "boom\n\nadded by a plugin",
                   "metadata": {"output": "boom\n", "exit": 2}, "time": {"start": 1794766670387}}},
        {"type": "tool", "tool": "bash", "callID": "0", "id": "prt_6", "messageID": "msg_2",
         "state": {"status": "running", "input": {"command": "sleep 60"}}}
      ]
    },
    {
      "info": {"id": "msg_3", "role": "assistant", "summary": true, "time": {"created": 1794766665276}},
      "parts": [{"type": "text", "text": "So far: …", "id": "prt_7", "messageID": "msg_3"}]
    }
  ]
}"#;

#[test]
fn an_export_is_a_session() {
    assert_eq!(recognise(EXPORT.as_bytes()).map(|s| s.name), Some("opencode"));
    let read = read(EXPORT);
    assert!(read.problems.flaws.is_empty());
    expect![[r#"
        ses_1 of ses_1 in Some("/home/dev/ledger") (main)
        prt_1 Human [user: make the "fast" tests pass]
        prt_2 Machine [tool: a plugin's words]
        prt_4 Let me look.
        call_986442b913174d7b bash `make test` failed(2) "boom\n"
        prt_6 bash `sleep 60` unknown ""
    "#]]
    .assert_eq(&shown(&read.session));
    let call = &read.session.events[3];
    let at = usize::try_from(call.offset).expect("small");
    assert!(EXPORT[at..].starts_with(r#"{"type": "tool""#), "an event knows its own bytes");
    assert_eq!(call.at, Some(1_794_766_670_387));
}

#[test]
fn rows_give_the_same_session_as_the_export() {
    let document: serde_json::Value = serde_json::from_str(EXPORT).expect("json");
    let mut rows = vec![serde_json::json!({ "info": document["info"] })];
    for message in document["messages"].as_array().expect("a list") {
        rows.push(serde_json::json!({ "info": message["info"] }));
        rows.extend(message["parts"].as_array().expect("a list").iter().cloned());
    }
    let lines: String = rows.iter().map(|r| format!("{r}\n")).collect();
    assert_eq!(shown(&read(&lines).session), shown(&read(EXPORT).session));
}

#[test]
fn an_export_that_was_cut_off_gives_what_is_whole() {
    let cut = EXPORT.find("\"prt_6\"").expect("there");
    let read = read(&EXPORT[..cut]);
    let whole = shown(&self::read(EXPORT).session);
    let expected: Vec<&str> = whole.lines().take(5).collect();
    assert_eq!(shown(&read.session).trim_end(), expected.join("\n"));
    assert_eq!(read.resume_at, 0, "it is read again when it is whole");
}

#[test]
fn a_broken_part_costs_itself() {
    let broken = EXPORT.replacen("\"Let me look.\"", "\"Let me look.", 1);
    let session = read(&broken).session;
    let ids: Vec<&str> = session.events.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["prt_1", "prt_2", "call_986442b913174d7b", "prt_6"]);
}

#[test]
fn what_a_subagent_is_told_is_no_word_of_a_person() {
    let text = EXPORT.replacen("\"version\"", "\"parentID\": \"ses_0\", \"version\"", 1);
    let session = read(&text).session;
    assert_eq!((session.root.as_str(), session.agent), ("ses_0", Agent::Sub));
    assert!(session.events.iter().all(|e| e.human_text().is_none()));
}

#[test]
fn how_calls_end() {
    let ok = r#"{"status":"completed","input":{"command":"ls"},"output":"(no output)","metadata":{"output":"(no output)","exit":0}}"#;
    check_call(ok, "bash", expect![[r#"ok `ls` """#]]);
    let late = r#"{"status":"completed","input":{"command":"git fetch"},"output":"half\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 30000 ms\n</bash_metadata>","metadata":{"output":"half","exit":null}}"#;
    check_call(late, "bash", expect![[r#"timed_out `git fetch` "half""#]]);
    let stopped = r#"{"status":"completed","input":{"command":"x"},"output":"<bash_metadata>\nUser aborted the command\n</bash_metadata>","metadata":{"exit":null}}"#;
    check_call(stopped, "bash", expect![[r#"interrupted `x` """#]]);
    let denied = r#"{"status":"error","input":{"command":"rm x"},"error":"The user rejected permission to use this specific tool call."}"#;
    check_call(
        denied,
        "bash",
        expect![[r#"denied `rm x` "The user rejected permission to use this specific tool call.""#]],
    );
    let aborted = r#"{"status":"error","input":{},"error":"Tool execution aborted","metadata":{"interrupted":true}}"#;
    check_call(aborted, "apply_patch", expect![[r#"interrupted `` "Tool execution aborted""#]]);
    let odd =
        r#"{"status":"error","input":{"command":"ls"},"error":"The bash tool was called with invalid arguments: x"}"#;
    check_call(odd, "bash", expect![[r#"blocked `ls` "The bash tool was called with invalid arguments: x""#]]);
    let lost = r#"{"status":"error","input":{"filePath":"/a/b.rs"},"error":"File not found: /a/b.rs"}"#;
    check_call(lost, "read", expect![[r#"failed `/a/b.rs` "File not found: /a/b.rs""#]]);
    let patch = r#"{"status":"completed","input":{"patchText":"*** Begin Patch\n*** Update File: /a/c.rs\n"},"output":"Success"}"#;
    check_call(patch, "apply_patch", expect![[r#"ok `/a/c.rs` "Success""#]]);
    let masked = r#"{"status":"completed","input":{"command":"npm test | tail -1"},"output":" 3 fail","metadata":{"output":" 3 fail","exit":0}}"#;
    check_call(masked, "bash", expect![[r#"masked `npm test | tail -1` " 3 fail""#]]);
}

#[test]
fn what_a_person_says_when_refusing_is_theirs() {
    let part = r#"{"id":"prt_1","messageID":"msg_1","type":"tool","tool":"bash","callID":"call_abcdefgh","state":{"status":"error","input":{"command":"npm i"},"error":"The user rejected permission to use this specific tool call with the following feedback: use pnpm instead"}}"#;
    let session = read(part).session;
    assert_eq!(session.events[1].human_text().as_deref(), Some("use pnpm instead"));
}

#[test]
fn odd_types_cost_nothing_but_themselves() {
    for odd in [
        r#"{"info":7,"messages":[]}"#,
        r#"{"info":{"id":7,"directory":[]}}"#,
        r#"{"type":"tool","messageID":"msg_1","tool":1,"state":"x","callID":[]}"#,
        r#"{"type":"text","messageID":"msg_1","id":"prt_1","text":{"a":1}}"#,
        r#"{"id":"prt_1","messageID":"msg_1","type":"tool","time":{"start":1e400},"state":{"time":{"start":"x"}}}"#,
    ] {
        let _ = read(odd);
        let _ = read(&format!("{odd}\n{EXPORT}"));
    }
}

#[test]
fn what_an_edit_writes_into_notes_is_kept() {
    let kept = |tool: &str, input: &str| {
        let state = format!(r#"{{"status":"completed","input":{input},"output":"ok"}}"#);
        let part = format!(
            r#"{{"id":"prt_1","messageID":"msg_1","type":"tool","tool":"{tool}","callID":"call_abcdefgh","state":{state}}}"#
        );
        read(&part).session.events[0].call().and_then(|c| c.written.clone()).unwrap_or_default()
    };
    let edit = kept(
        "edit",
        r###"{"filePath":"/p/AGENTS.md","oldString":"## Git","newString":"## Git\n- Never push to `main`."}"###,
    );
    assert!(edit.contains("+- Never push to `main`."), "{edit}");
    let write = kept("write", r#"{"filePath":"/p/AGENTS.md","content":"- Never push to `main`."}"#);
    assert!(write.starts_with("*** Add ") && write.contains("+- Never push to `main`."), "{write}");
    assert_eq!(kept("write", r#"{"filePath":"/p/src/a.rs","content":"x"}"#), "");
}
