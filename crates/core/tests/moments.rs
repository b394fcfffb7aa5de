//! Hook payloads that real clients sent: which moment each is, and what may be answered.
//!
//! Ids and dates change when the lab records again; what happens in its scenarios does not. So ids are compared with the
//! payload's own, and only the rest is written down here.
#![allow(clippy::disallowed_methods, reason = "the core does no I/O; its tests read fixtures")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside of tests")]

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use uptake_core::moment::{Answer, Asked, Moment, ToolUse};
use uptake_core::sources::{SOURCES, Source, runs_at, source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hooks")
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    found.sort();
    found
}

fn read(agent: &Source, payload: &[u8]) -> Option<Asked> {
    (agent.hook.as_ref().unwrap().read)(payload).unwrap()
}

/// The first words and the last.
fn ends(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    match lines[..] {
        [] => "nothing".to_owned(),
        [only] => format!("{only:?}"),
        [first, .., last] => format!("{first:?} … {last:?}"),
    }
}

fn used(call: &ToolUse) -> String {
    let id = if call.id.is_some() { "" } else { ", without an id" };
    format!("{} ({:?}{id}) `{}`", call.tool, call.kind, call.input)
}

fn shown(asked: &Asked) -> String {
    let what = match &asked.moment {
        Moment::SessionStart { start } => format!("session start: {start:?}"),
        Moment::Prompt { text } => format!("prompt: {text}"),
        Moment::BeforeCall { call } => format!("before a call: {}", used(call)),
        Moment::AfterCall { call, output } => format!("after a call: {} → {}", used(call), ends(output)),
        Moment::AfterFailure { call, output } => format!("after a failure: {} → {}", used(call), ends(output)),
        Moment::Refused { calls } => {
            let calls: Vec<String> = calls.iter().map(|(c, said)| format!("{} → {}", used(c), ends(said))).collect();
            format!("refused: {}", calls.join("; "))
        }
        Moment::SubagentStart { agent } => format!("subagent start: {}", agent.kind),
        Moment::SubagentStop { agent, said, .. } => format!("subagent stop: {} said {}", agent.kind, ends(said)),
        Moment::SessionEnd { reason } => format!("session end: {reason}"),
    };
    let within = asked.subagent.as_ref().map(|a| format!(" [in {}]", a.kind)).unwrap_or_default();
    format!("{what}{within}")
}

/// What must be taken from every payload as it stands.
fn check_place(asked: &Asked, payload: &[u8], file: &str) {
    let value: serde_json::Value = serde_json::from_slice(payload).unwrap();
    assert_eq!(asked.session, value["session_id"], "{file}");
    assert_eq!(asked.folder, value["cwd"], "{file}");
    assert_eq!(asked.transcript.as_deref(), value["transcript_path"].as_str(), "{file}");
    let agent = match &asked.moment {
        Moment::SubagentStart { agent } => Some(agent),
        Moment::SubagentStop { agent, transcript, .. } => {
            assert_eq!(transcript.as_deref(), value["agent_transcript_path"].as_str(), "{file}");
            Some(agent)
        }
        _ => asked.subagent.as_ref(),
    };
    assert_eq!(agent.map(|a| a.id.as_str()), value["agent_id"].as_str(), "{file}");
}

#[test]
fn every_recorded_payload_is_the_moment_it_was_sent_at() {
    let mut all = String::new();
    for client in inside(&folder()) {
        let agent = source(&client.file_name().unwrap().to_string_lossy()).unwrap();
        for scenario in inside(&client) {
            let title = format!("{} {}", agent.name, scenario.file_name().unwrap().to_string_lossy());
            all.push_str(&format!("{title}\n"));
            for file in inside(&scenario).into_iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
                let name = file.file_stem().unwrap().to_string_lossy().into_owned();
                let payload = fs::read(&file).unwrap();
                let asked = read(agent, &payload);
                if let Some(asked) = &asked {
                    check_place(asked, &payload, &format!("{title} {name}"));
                }
                all.push_str(&format!("  {name} = {}\n", asked.as_ref().map_or("nothing".to_owned(), shown)));
            }
        }
    }
    expect![[r#"
        claude correction
          00-SessionStart = session start: New
          01-UserPromptSubmit = prompt: Run the test suite.
          02-PreToolUse = before a call: Bash (Shell) `python3 -m unittest discover -s tests`
          03-PostToolUseFailure = after a failure: Bash (Shell) `python3 -m unittest discover -s tests` → "EE" … "FAILED (errors=2)"
          04-Stop = nothing
          05-SessionEnd = session end: other
          06-SessionStart = session start: Resumed
          07-UserPromptSubmit = prompt: No, don't call unittest yourself. Use make test instead.
          08-PreToolUse = before a call: Bash (Shell) `make test`
          09-PostToolUse = after a call: Bash (Shell) `make test` → "..." … "OK"
          10-Stop = nothing
          11-SessionEnd = session end: other
        claude subagent
          00-SessionStart = session start: New
          01-UserPromptSubmit = prompt: Have a helper check every book.
          02-PreToolUse = before a call: Agent (Other) ``
          03-SubagentStart = subagent start: general-purpose
          04-PreToolUse = before a call: Bash (Shell) `sh tools/check.sh --all` [in general-purpose]
          05-PostToolUseFailure = after a failure: Bash (Shell) `sh tools/check.sh --all` → "check: unknown option --all" [in general-purpose]
          06-PreToolUse = before a call: Bash (Shell) `sh tools/check.sh --every` [in general-purpose]
          07-PostToolUse = after a call: Bash (Shell) `sh tools/check.sh --every` → "check: ok" [in general-purpose]
          08-SubagentStop = subagent stop: general-purpose said "All books are well formed."
          09-PostToolUse = after a call: Agent (Other) `` → "<tools-used-before-summary>Bash</tools-used-before-summary>" … "All books are well formed."
          10-Stop = nothing
          11-SessionEnd = session end: other
        codex correction
          00-SessionStart = session start: New
          01-UserPromptSubmit = prompt: Run the test suite.
          02-PreToolUse = before a call: Bash (Shell) `python3 -m unittest discover -s tests`
          03-PostToolUse = after a call: Bash (Shell) `python3 -m unittest discover -s tests` → "EE" … "FAILED (errors=2)"
          04-Stop = nothing
          05-SessionEnd = session end: other
          06-SessionStart = session start: Resumed
          07-UserPromptSubmit = prompt: No, don't call unittest yourself. Use make test instead.
          08-PreToolUse = before a call: Bash (Shell) `make test`
          09-PostToolUse = after a call: Bash (Shell) `make test` → "..." … "OK"
          10-Stop = nothing
          11-SessionEnd = session end: other
        gemini correction
          00-SessionStart = session start: New
          01-BeforeAgent = prompt: Run the test suite.
          02-BeforeTool = before a call: run_shell_command (Shell, without an id) `python3 -m unittest discover -s tests`
          03-AfterTool = after a failure: run_shell_command (Shell, without an id) `python3 -m unittest discover -s tests` → "EE" … "FAILED (errors=2)"
          04-AfterAgent = nothing
          05-SessionEnd = session end: exit
          06-SessionStart = session start: Resumed
          07-BeforeAgent = prompt: No, don't call unittest yourself. Use make test instead.
          08-BeforeTool = before a call: run_shell_command (Shell, without an id) `make test`
          09-AfterTool = after a call: run_shell_command (Shell, without an id) `make test` → "..." … "OK"
          10-AfterAgent = nothing
          11-SessionEnd = session end: exit
    "#]].assert_eq(&all);
}

fn claude(payload: &str) -> Option<String> {
    read(source("claude").unwrap(), payload.as_bytes()).as_ref().map(shown)
}

#[test]
fn what_nobody_did_is_no_moment() {
    for payload in [
        "{}",
        r#"{"hook_event_name":"Stop"}"#,
        r#"{"hook_event_name":3}"#,
        r#"{"hook_event_name":"SubagentStart"}"#,
        // a person stopped it
        r#"{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},"error":"x","is_interrupt":true}"#,
        // the client's own prompt
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\n<status>completed</status>"}"#,
    ] {
        assert_eq!(claude(payload), None, "{payload}");
    }
}

#[test]
fn a_field_of_another_type_costs_itself_only() {
    let failure = |input: &str, error: &str| {
        claude(&format!(
            r#"{{"hook_event_name":"PostToolUseFailure","session_id":7,"tool_name":"Bash","tool_input":{input},"error":{error}}}"#
        ))
    };
    let ran = r#"{"command":"make x","timeout":"soon"}"#;
    assert_eq!(
        failure(ran, r#""Exit code 2\nmake: x""#).unwrap(),
        r#"after a failure: Bash (Shell, without an id) `make x` → "make: x""#
    );
    assert_eq!(failure("[]", "null").unwrap(), "after a failure: Bash (Shell, without an id) `` → nothing");
}

#[test]
fn all_forms_of_a_tools_output_are_read() {
    let output = |response: &str| {
        let payload = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"T","tool_input":{{}},"tool_response":{response}}}"#
        );
        match read(source("claude").unwrap(), payload.as_bytes()).unwrap().moment {
            Moment::AfterCall { output, .. } => output,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(output(r#"{"stdout":"a","stderr":"b"}"#), "a\nb");
    assert_eq!(output(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#), "a\nb");
    assert_eq!(output(r#"[{"type":"text","text":"a"}]"#), "a");
    assert_eq!(output(r#""a""#), "a");
    assert_eq!(output("7"), "");
}

/// An answer is put into words only where somebody saw it reach the model.
#[test]
fn a_text_is_said_only_where_it_is_heard() {
    let context = Answer::Context("a \"note\"".to_owned());
    let replies: Vec<&str> =
        SOURCES.iter().filter(|s| s.hook.is_some_and(|h| h.reply.is_some())).map(|s| s.name).collect();
    assert_eq!(replies, ["claude", "codex", "opencode", "gemini"]);
    let agent = source("claude").unwrap();
    let say = agent.hook.unwrap().reply.unwrap().say;
    let mut all = String::new();
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
        "SubagentStop",
        "SessionEnd",
    ] {
        let payload = format!(r#"{{"hook_event_name":"{event}","agent_id":"a"}}"#);
        let moment = read(agent, payload.as_bytes()).unwrap().moment;
        assert_eq!(say(&moment, &Answer::Silence), None, "{event}");
        all.push_str(&format!("{event}: {}\n", say(&moment, &context).unwrap_or("silence".to_owned())));
    }
    expect![[r#"
        SessionStart: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"SessionStart"}}
        UserPromptSubmit: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"UserPromptSubmit"}}
        PreToolUse: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"PreToolUse"}}
        PostToolUse: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"PostToolUse"}}
        PostToolUseFailure: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"PostToolUseFailure"}}
        SubagentStart: {"hookSpecificOutput":{"additionalContext":"a \"note\"","hookEventName":"SubagentStart"}}
        SubagentStop: silence
        SessionEnd: silence
    "#]].assert_eq(&all);
}

/// What each client understands of a refusal, and where it hears nothing else.
#[test]
fn a_call_is_refused_in_every_dialect() {
    let mut all = String::new();
    for (name, event) in [
        ("claude", "PreToolUse"),
        ("codex", "PreToolUse"),
        ("opencode", "PreToolUse"),
        ("gemini", "BeforeTool"),
        ("claude", "SubagentStop"),
        ("claude", "PostToolUse"),
        ("gemini", "AfterTool"),
    ] {
        let agent = source(name).unwrap();
        let payload = format!(r#"{{"hook_event_name":"{event}","agent_id":"a"}}"#);
        let moment = read(agent, payload.as_bytes()).unwrap().moment;
        let say = agent.hook.unwrap().reply.unwrap().say;
        let said = |answer| say(&moment, &answer).unwrap_or("silence".to_owned());
        let (deny, context) = (said(Answer::Deny("no".to_owned())), said(Answer::Context("note".to_owned())));
        all.push_str(&format!("{name} {event}: {deny} / {context}\n"));
    }
    expect![[r#"
        claude PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}} / {"hookSpecificOutput":{"additionalContext":"note","hookEventName":"PreToolUse"}}
        codex PreToolUse: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}} / {"hookSpecificOutput":{"additionalContext":"note","hookEventName":"PreToolUse"}}
        opencode PreToolUse: {"deny":"no"} / {"context":"note"}
        gemini BeforeTool: {"decision":"deny","reason":"no"} / silence
        claude SubagentStop: {"decision":"block","reason":"no"} / silence
        claude PostToolUse: silence / {"hookSpecificOutput":{"additionalContext":"note","hookEventName":"PostToolUse"}}
        gemini AfterTool: silence / {"hookSpecificOutput":{"additionalContext":"note","hookEventName":"AfterTool"}}
    "#]].assert_eq(&all);
}

/// OpenCode runs no program: its plugin asks in our own words.
#[test]
fn what_the_plugin_of_opencode_sends_is_understood() {
    let agent = source("opencode").unwrap();
    let mut all = String::new();
    for payload in [
        r#"{"hook_event_name":"SessionStart","source":"startup"}"#,
        r#"{"hook_event_name":"SessionStart","source":"compact"}"#,
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"\"print it\""}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"bash","tool_input":{"command":"make"}}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"bash","tool_input":{"command":"make"},"tool_use_id":"c","tool_response":{"output":"no rule","exit":2}}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"bash","tool_input":{"command":"make"},"tool_response":{"output":"done","exit":0}}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"bash","tool_input":{"command":"make"},"tool_response":{"output":"x\n\n<bash_metadata>\ntimed out","exit":1}}"#,
        r#"{"hook_event_name":"PostToolUseFailure","tool_name":"edit","tool_input":{"filePath":"/w/a.rs"},"error":"oldString not found"}"#,
        r#"{"hook_event_name":"SubagentStart","agent_id":"ses_2","agent_type":"general"}"#,
        r#"{"hook_event_name":"SessionEnd","reason":"idle"}"#,
    ] {
        all.push_str(&format!("{}\n", shown(&read(agent, payload.as_bytes()).unwrap())));
    }
    expect![[r#"
        session start: New
        session start: Compacted
        prompt: print it
        before a call: bash (Shell, without an id) `make`
        after a failure: bash (Shell) `make` → "no rule"
        after a call: bash (Shell, without an id) `make` → "done"
        after a call: bash (Shell, without an id) `make` → "x"
        after a failure: edit (Edit, without an id) `/w/a.rs` → "oldString not found"
        subagent start: general
        session end: idle
    "#]]
    .assert_eq(&all);
}

#[test]
fn the_hook_is_found_in_the_settings_however_it_is_called() {
    let event = source("claude").unwrap().hook.unwrap().reply.unwrap().after_failure;
    let with = |event: &str, command: &str| {
        format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": "Bash", "hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        )
    };
    for (settings, expected) in [
        (with("PostToolUseFailure", "uptake hook claude"), true),
        (with("PostToolUseFailure", "/opt/bin/uptake hook claude"), true),
        (with("SessionStart", "uptake hook claude"), false),
        (with("PostToolUseFailure", "notify-send failed"), false),
        (r#"{"hooks": {}}"#.to_owned(), false),
        ("hook claude".to_owned(), false),
        (String::new(), false),
    ] {
        assert_eq!(runs_at(&settings, event, "claude"), expected, "{settings}");
    }
}
