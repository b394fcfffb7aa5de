//! Scripts → the files each client writes.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use super::script::{Script, Step};
use super::write_more::{self, write_database, write_exports, write_gemini_documents, write_gemini_lines};
use crate::battery::Rng;
use crate::battery::world::World;

/// A client and how its sessions are written.
pub struct Writer {
    /// Its name in the list of leaks.
    pub name: &'static str,
    /// Writes the sessions into a world; answers the paths that must be given by hand, if they are not found otherwise.
    pub write: fn(&World, &[Script]) -> Result<Vec<PathBuf>>,
    /// What the transcripts are, for commands that always want paths.
    pub given: fn(&World) -> Vec<PathBuf>,
}

/// All clients.
pub const WRITERS: &[Writer] = &[
    Writer { name: "claude", write: write_claude, given: |w| vec![w.home().join(".claude/projects")] },
    Writer { name: "codex", write: write_codex, given: |w| vec![w.home().join(".codex/sessions")] },
    Writer { name: "openai", write: write_openai, given: |w| vec![w.path("messages")] },
    Writer { name: "opencode export", write: write_exports, given: |w| vec![w.path("exports")] },
    Writer {
        name: "opencode database",
        write: write_database,
        given: |w| vec![w.home().join(".local/share/opencode/opencode.db")],
    },
    Writer { name: "gemini lines", write: write_gemini_lines, given: gemini_folder },
    Writer { name: "gemini document", write: write_gemini_documents, given: gemini_folder },
];

/// A session as each source writes it, under the name of its reader.
pub fn transcripts(script: &Script) -> Vec<(&'static str, Vec<u8>)> {
    // With ids, which such messages may have: without them a message is known by its place alone.
    let mut messages = openai(script);
    for (n, message) in messages.iter_mut().enumerate() {
        message["id"] = id(script, "message-", n).into();
    }
    vec![
        ("claude", lines(&claude(script))),
        ("codex", lines(&codex(script))),
        ("openai", lines(&messages)),
        ("openai", Value::Array(messages).to_string().into_bytes()),
        ("opencode", write_more::export(script)),
        ("opencode", lines(&write_more::rows(script))),
        ("gemini", lines(&write_more::gemini_lines(script))),
        ("gemini", write_more::gemini_document(script)),
    ]
}

fn gemini_folder(world: &World) -> Vec<PathBuf> {
    vec![world.home().join(".gemini/tmp")]
}

/// As clients write times.
pub fn time(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|t| t.to_string()).unwrap_or_default()
}

/// An id that no change of one letter makes another.
pub fn id(script: &Script, what: &str, n: usize) -> String {
    let mut rng = Rng::new(0, &format!("{} {what} {n}", script.id));
    format!("{what}{:016x}{:04x}", rng.next(), rng.below(1 << 16))
}

/// One a line.
pub fn lines(records: &[Value]) -> Vec<u8> {
    records.iter().flat_map(|r| format!("{r}\n").into_bytes()).collect()
}

fn write_claude(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    let folder = world.home().join(".claude/projects/-work-ledger");
    for script in scripts {
        world.write(&folder.join(format!("{}.jsonl", script.id)), &lines(&claude(script)))?;
    }
    Ok(Vec::new())
}

fn claude(script: &Script) -> Vec<Value> {
    let mut records = Vec::new();
    let mut parent = Value::Null;
    let mut add = |kind: &str, fields: Value| {
        let uuid = id(script, "", records.len());
        let mut record = json!({
            "parentUuid": parent, "isSidechain": false, "type": kind, "uuid": uuid, "sessionId": script.id,
            "timestamp": time(script.at + 1_000 * records.len() as i64), "cwd": script.cwd, "version": "2.1.325", "userType": "external",
        });
        if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
            record.extend(fields);
        }
        parent = uuid.into();
        records.push(record);
    };
    for (n, step) in script.steps.iter().enumerate() {
        let id = id(script, "toolu_", n);
        let mut call = |name: &str, input: Value, output: String, failed: bool| {
            add(
                "assistant",
                json!({ "message": { "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] } }),
            );
            add(
                "user",
                json!({ "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed }] },
                "toolUseResult": if failed { json!(format!("Error: {output}")) } else { json!({ "stdout": output, "stderr": "", "interrupted": false }) } }),
            );
        };
        match step {
            Step::User(text) => add("user", json!({ "message": { "role": "user", "content": text } })),
            Step::Assistant(text) => {
                add(
                    "assistant",
                    json!({ "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] } }),
                );
            }
            Step::Shell { command, output, code: 0 } => {
                call("Bash", json!({ "command": command }), output.clone(), false);
            }
            Step::Shell { command, output, code } => {
                call("Bash", json!({ "command": command }), format!("Exit code {code}\n{output}"), true);
            }
            Step::Read { path, output } => call("Read", json!({ "file_path": path }), output.clone(), false),
            Step::Edit { path } => call(
                "Edit",
                json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
                "changed".to_owned(),
                false,
            ),
            Step::Injected(text) => add(
                "attachment",
                json!({ "attachment": { "type": "hook_additional_context", "content": [text], "hookName": "PostToolUse" } }),
            ),
        }
    }
    records
}

fn write_codex(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    let folder = world.home().join(".codex/sessions/2026/03/01");
    for script in scripts {
        world
            .write(&folder.join(format!("rollout-2026-03-01T10-00-00-{}.jsonl", script.id)), &lines(&codex(script)))?;
    }
    Ok(Vec::new())
}

fn codex(script: &Script) -> Vec<Value> {
    let mut records = Vec::new();
    let mut add = |kind: &str, payload: Value| {
        let timestamp = time(script.at + 1_000 * records.len() as i64);
        records.push(json!({ "timestamp": timestamp, "type": kind, "payload": payload }));
    };
    add(
        "session_meta",
        json!({ "id": script.id, "cwd": script.cwd, "cli_version": "0.166.0", "source": "exec",
        "git": { "repository_url": script.remote, "branch": "main" } }),
    );
    let message = |n: usize, role: &str, kind: &str, text: &str| json!({ "type": "message", "id": id(script, "msg_", n), "role": role, "content": [{ "type": kind, "text": text }] });
    for (n, step) in script.steps.iter().enumerate() {
        let id = id(script, "call_", n);
        match step {
            Step::User(text) => add("response_item", message(n, "user", "input_text", text)),
            Step::Injected(text) => add("response_item", message(n, "developer", "input_text", text)),
            Step::Assistant(text) => add("response_item", message(n, "assistant", "output_text", text)),
            Step::Shell { command, output, code } => {
                let arguments = json!({ "cmd": command }).to_string();
                add(
                    "response_item",
                    json!({ "type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id }),
                );
                add(
                    "event_msg",
                    json!({ "type": "item_completed", "item": { "type": "CommandExecution", "id": id, "command": ["bash", "-lc", command],
                    "exit_code": code, "aggregated_output": output } }),
                );
                let output =
                    format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}");
                add("response_item", json!({ "type": "function_call_output", "call_id": id, "output": output }));
            }
            Step::Read { path, output } => {
                let arguments = json!({ "path": path }).to_string();
                add(
                    "response_item",
                    json!({ "type": "function_call", "name": "read_file", "arguments": arguments, "call_id": id }),
                );
                add("response_item", json!({ "type": "function_call_output", "call_id": id, "output": output }));
            }
            Step::Edit { path } => {
                let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch");
                add(
                    "response_item",
                    json!({ "type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": id }),
                );
                add(
                    "response_item",
                    json!({ "type": "custom_tool_call_output", "call_id": id, "output": "Success. Updated the file" }),
                );
            }
        }
    }
    records
}

fn write_openai(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    let folder = world.path("messages");
    for script in scripts {
        let text = Value::Array(openai(script)).to_string();
        world.write(&folder.join("ledger").join(format!("{}.json", script.id)), text.as_bytes())?;
    }
    Ok(vec![folder])
}

fn openai(script: &Script) -> Vec<Value> {
    let mut records = vec![json!({ "role": "system", "content": format!("You work in {}.", script.cwd) })];
    for (n, step) in script.steps.iter().enumerate() {
        let id = id(script, "call_", n);
        let mut call = |name: &str, arguments: Value, output: &str| {
            records.push(json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function",
                "function": { "name": name, "arguments": arguments.to_string() } }] }));
            records.push(json!({ "role": "tool", "tool_call_id": id, "content": output }));
        };
        match step {
            Step::User(text) => records.push(json!({ "role": "user", "content": text })),
            Step::Injected(text) => records.push(json!({ "role": "system", "content": text })),
            Step::Assistant(text) => records.push(json!({ "role": "assistant", "content": text })),
            Step::Shell { command, output, .. } => call("shell", json!({ "command": command }), output),
            Step::Read { path, output } => call("read_file", json!({ "path": path }), output),
            Step::Edit { path } => call("write_file", json!({ "path": path, "content": "b" }), "changed"),
        }
    }
    records
}
