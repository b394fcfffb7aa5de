//! Cases for Codex that recorded sessions do not show: exit codes and outputs in any order, cut anywhere.

use super::super::{Reader, read_all, source};
use crate::session::{Body, Session, ToolKind};

const CALL: &str = r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"call_1","arguments":"{\"cmd\":\"make\"}"}}"#;
const CODE: &str = r#"{"timestamp":"2026-03-01T10:00:01Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"call_1","exit_code":5}}"#;
const OUTPUT: &str = r#"{"timestamp":"2026-03-01T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"half done"}}"#;

fn outcome(session: &Session) -> String {
    outcome_of(&session.events[0])
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

#[test]
fn a_tool_of_a_server_has_its_whole_name() {
    let called = |more: &str| {
        let call = CALL.replace(r#""name":"exec_command","#, more);
        let session = read_all(source("codex").expect("a source"), "x", format!("{call}\n").as_bytes()).session;
        let call = session.events[0].call().expect("a call").clone();
        (call.tool, call.kind)
    };
    let told = |name: &str| (name.to_owned(), ToolKind::Other);
    assert_eq!(called(r#""name":"click","namespace":"mcp__browser","#), told("mcp__browser__click"));
    assert_eq!(called(r#""name":"shell","namespace":"mcp__browser","#), told("mcp__browser__shell"));
    assert_eq!(called(r#""name":"click","namespace":7,"#), told("click"));
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

/// A line of a rollout.
fn item(second: usize, payload: &serde_json::Value) -> String {
    let time = format!("2026-03-01T10:00:{second:02}Z");
    serde_json::json!({"timestamp": time, "type": "response_item", "payload": payload}).to_string() + "\n"
}

/// A rollout of scripts and looks at them: `> id script`, `? id cell` (a wait), and `< id part | part` (an output).
fn scripted(lines: &[&str]) -> String {
    let head = r#"{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"s1","cwd":"/w"}}"#;
    let mut out = format!("{head}\n");
    for (n, line) in lines.iter().enumerate() {
        let mut words = line.splitn(3, ' ');
        let (mark, id, rest) = (words.next(), words.next().expect("an id"), words.next().unwrap_or_default());
        let payload = match mark {
            Some(">") => serde_json::json!({"type": "custom_tool_call", "name": "exec", "call_id": id, "input": rest}),
            Some("?") => {
                let arguments = format!(r#"{{"cell_id":"{rest}","yield_time_ms":1000}}"#);
                serde_json::json!({"type": "function_call", "name": "wait", "call_id": id, "arguments": arguments})
            }
            _ if rest.starts_with("Script") => {
                let part = |t: &str| serde_json::json!({"type": "input_text", "text": t.replace("\\n", "\n")});
                let parts: Vec<_> = rest.split(" | ").map(part).collect();
                serde_json::json!({"type": "custom_tool_call_output", "call_id": id, "output": parts})
            }
            _ => serde_json::json!({"type": "custom_tool_call_output", "call_id": id, "output": rest}),
        };
        out += &item(n + 1, &payload);
    }
    out
}

/// What is read of a rollout, however often the reading stops and goes on.
fn events(lines: &[&str]) -> Vec<String> {
    let codex = source("codex").expect("a source");
    let text = scripted(lines);
    let whole = read_all(codex, "x", text.as_bytes()).session;
    for cut in text.match_indices('\n').map(|(end, _)| end + 1) {
        let first = read_all(codex, "x", &text.as_bytes()[..cut]);
        let mut reader = Reader::resume(codex, "x", first.session, first.resume_at);
        reader.feed(&text.as_bytes()[cut..]);
        assert_eq!(reader.finish().session, whole, "cut at {cut}");
    }
    let one = |e: &crate::session::Event| {
        let c = e.call().expect("a call");
        let cwd = c.cwd.as_deref().map(|f| format!(" in {f}")).unwrap_or_default();
        let took = c.took.map(|t| format!(" {t} ms")).unwrap_or_default();
        let rest = if c.pending.is_some() { " pending" } else { "" };
        format!("{} {} `{}`{cwd} {}{took} {:?}{rest}", e.id, c.tool, c.input, c.outcome, c.output.to_text())
    };
    whole.events.iter().map(one).collect()
}

const DONE: &str = "Script completed\\nWall time 0.2 seconds\\nOutput:\\n";

#[test]
fn each_call_of_a_script_is_an_event_with_its_own_end() {
    let done = |id: &str, parts: &str| format!("< {id} {DONE}{parts}");
    for (script, output, expected) in [
        (
            "> c1 text(JSON.stringify(await tools.exec_command({cmd: 'cargo test', workdir: '/v'})))",
            done("c1", r#" | {"wall_time_seconds":0.1,"exit_code":101,"output":"boom"}"#),
            &["c1 exec_command `cargo test` in /v failed(101) 100 ms \"boom\""][..],
        ),
        (
            "> c1 const rs = ['a', 'b'].map(cmd => tools.exec_command({cmd, workdir: '/w'})); rs.forEach(r => text(r.exit_code + ' ' + r.output))",
            done("c1", " | 0 x | 2 y"),
            &["c1 exec_command `a` ok \"x\"", "c1#2 exec_command `b` failed(2) \"y\""],
        ),
        (
            "> c1 const r = await tools.exec_command({cmd: 'make'}); text(r.output)",
            done("c1", " | fine"),
            &["c1 exec_command `make` ok 200 ms \"fine\""],
        ),
        // It may have been left running.
        (
            "> c1 const r = await tools.exec_command({cmd: 'make', yield_time_ms: 100}); text(r.output)",
            done("c1", " | fine"),
            &["c1 exec_command `make` unknown 200 ms \"fine\""],
        ),
        ("> c1 await tools.exec_command({cmd: 'make'})", done("c1", ""), &[
            "c1 exec_command `make` unknown \"Script completed\\nWall time 0.2 seconds\\nOutput:\"",
        ]),
        (
            "> c1 text(await tools.apply_patch('*** Begin Patch\\n*** Update File: a.rs\\n'))",
            "< c1 Script failed\\nWall time 0.0 seconds\\nOutput:\\n | Script error:\\napply_patch verification failed: no".to_owned(),
            &["c1 apply_patch `a.rs` failed \"apply_patch verification failed: no\""],
        ),
        ("> c1 text(load('x'))", done("c1", " | 7"), &["c1 exec `` ok \"7\""]),
        (
            "> c1 for (const cmd of ['a', 'b']) await tools.exec_command({cmd})",
            "< c1 aborted by user after 3.1s".to_owned(),
            &[
                "c1 exec_command `a` interrupted \"aborted by user after 3.1s\"",
                "c1#2 exec_command `b` interrupted \"aborted by user after 3.1s\"",
            ],
        ),
    ] {
        assert_eq!(events(&[script, &output]), expected, "{script}");
    }
}

#[test]
fn a_script_that_is_waited_for_tells_its_end_to_its_calls() {
    let script = "> c1 const a = await tools.exec_command({cmd: 'a'}); text(a.exit_code); const b = await tools.exec_command({cmd: 'b'}); text(b.exit_code)";
    let runs = "Script running with cell ID 7\\nWall time 10.0 seconds\\nOutput:\\n";
    assert_eq!(
        events(&[
            script,
            &format!("< c1 {runs} | 0"),
            "? c2 7",
            &format!("< c2 {runs}"),
            "? c3 7",
            &format!("< c3 {DONE} | 3")
        ]),
        [
            "c1 exec_command `a` ok \"\"",
            "c1#2 exec_command `b` failed(3) \"\"",
            "c2 wait `7` background \"Script running with cell ID 7\\nWall time 10.0 seconds\\nOutput:\\n\"",
            "c3 wait `7` ok \"\\n3\"",
        ]
    );
    // Nobody waits for it.
    assert_eq!(
        events(&[script, &format!("< c1 {runs}")]),
        ["c1 exec_command `a` background \"\" pending", "c1#2 exec_command `b` background \"\"",]
    );
}

#[test]
fn a_command_that_goes_on_gets_its_end_from_a_later_script() {
    let look = |id: &str| format!("> {id} text(await tools.write_stdin({{session_id: 4711, chars: ''}}))");
    let runs = format!("{DONE} | {{\"wall_time_seconds\":1.0,\"session_id\":4711,\"output\":\"so \"}}");
    let ends = format!("{DONE} | {{\"wall_time_seconds\":0.5,\"exit_code\":5,\"output\":\"far\"}}");
    assert_eq!(
        events(&[
            "> c1 text(await tools.exec_command({cmd: 'make'}))",
            &format!("< c1 {runs}"),
            &look("c2"),
            &format!("< c2 {runs}"),
            &look("c3"),
            &format!("< c3 {ends}"),
        ]),
        [
            "c1 exec_command `make` failed(5) 2500 ms \"so \\nso \\nfar\"",
            "c2 write_stdin `4711` background 1000 ms \"so \"",
            "c3 write_stdin `4711` failed(5) 500 ms \"far\"",
        ]
    );
}

#[test]
fn the_end_of_a_command_in_a_script_may_come_in_a_record_of_its_own() {
    let end = |command: &str, code: i32| {
        let item = serde_json::json!({"type": "CommandExecution", "id": "exec-9", "command": ["/bin/bash", "-lc", command], "exit_code": code});
        let payload = serde_json::json!({"type": "item_completed", "item": item});
        serde_json::json!({"timestamp": "2026-03-01T10:00:09Z", "type": "event_msg", "payload": payload}).to_string()
            + "\n"
    };
    for (commands, expected) in [
        ("['make a', 'make b']", ["ok \"x\"", "failed(2) \"y\""]),
        // Which of the two it was is not said.
        ("['make b', 'make b']", ["ok \"x\"", "ok \"y\""]),
    ] {
        let script =
            format!("> c1 for (const cmd of {commands}) {{ text((await tools.exec_command({{cmd}})).output) }}");
        let text = scripted(&[&script, &format!("< c1 {DONE} | x | y")]);
        let (before, output) = text.trim_end().rsplit_once('\n').expect("two records");
        let text = format!("{before}\n{}{output}\n", end("make b", 2));
        let session = read_all(source("codex").expect("a source"), "x", text.as_bytes()).session;
        assert_eq!(session.events.iter().map(outcome_of).collect::<Vec<_>>(), expected, "{commands}");
    }
}

fn outcome_of(event: &crate::session::Event) -> String {
    event.call().map(|c| format!("{} {:?}", c.outcome, c.output.to_text())).unwrap_or_default()
}

#[test]
fn what_agents_tell_each_other_is_no_message_of_a_person() {
    let told = serde_json::json!({"type": "agent_message", "author": "/root", "recipient": "/root/worker", "content": [{"type": "input_text", "text": "never push"}]});
    let session =
        read_all(source("codex").expect("a source"), "x", (scripted(&[]) + &item(1, &told)).as_bytes()).session;
    assert!(session.events.iter().all(|e| !e.is_typed()), "{session:?}");
}

#[test]
fn what_a_patch_writes_into_notes_is_kept() {
    let patch = "*** Begin Patch\n*** Update File: AGENTS.md\n@@\n ## Git\n+- Never push to `main`.\n*** Update File: src/a.rs\n@@\n+x\n*** End Patch";
    let payload = serde_json::json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1", "input": patch, "status": "completed"});
    let session = read_all(source("codex").expect("a source"), "x", item(1, &payload).as_bytes()).session;
    let kept = session.events[0].call().and_then(|c| c.written.clone()).unwrap_or_default();
    assert!(kept.contains("+- Never push to `main`.") && !kept.contains("a.rs"), "{kept}");
}
