//! Scripts → what OpenCode and Gemini CLI write, in both forms of each.
#![expect(clippy::disallowed_methods, reason = "makes a database as OpenCode does")]

use std::path::PathBuf;

use anyhow::Result;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::script::{Script, Step};
use super::write::{id, lines, time};
use crate::battery::world::World;

/// A message of OpenCode with its parts.
struct Message {
    info: Value,
    parts: Vec<Value>,
}

fn opencode(script: &Script) -> Vec<Message> {
    let session = format!("ses_{}", script.id);
    let mut out = Vec::new();
    for (n, step) in script.steps.iter().enumerate() {
        let at = script.at + 1_000 * n as i64;
        // Rows are read in the order of their ids.
        let message = format!("msg_{n:04}{}", id(script, "", n));
        let part = |fields: Value| {
            let mut part = json!({ "id": format!("prt_{n:04}{}", id(script, "p", n)), "messageID": message, "sessionID": session });
            if let (Some(part), Value::Object(fields)) = (part.as_object_mut(), fields) {
                part.extend(fields);
            }
            part
        };
        let tool = |name: &str, input: Value, output: &str, code: Option<i32>| {
            part(json!({ "type": "tool", "tool": name, "callID": id(script, "call_", n), "state": {
                "status": "completed", "input": input, "output": output, "title": "t", "metadata": { "output": output, "exit": code },
                "time": { "start": at, "end": at + 5 } } }))
        };
        let (role, part) = match step {
            Step::User(text) => ("user", part(json!({ "type": "text", "text": text }))),
            Step::Injected(text) => ("user", part(json!({ "type": "text", "text": text, "synthetic": true }))),
            Step::Assistant(text) => ("assistant", part(json!({ "type": "text", "text": text }))),
            Step::Shell { command, output, code } => {
                ("assistant", tool("bash", json!({ "command": command, "description": "d" }), output, Some(*code)))
            }
            Step::Read { path, output } => ("assistant", tool("read", json!({ "filePath": path }), output, None)),
            Step::Edit { path } => ("assistant", tool("edit", json!({ "filePath": path }), "changed", None)),
        };
        let info = json!({ "id": message, "sessionID": session, "role": role, "time": { "created": at } });
        out.push(Message { info, parts: vec![part] });
    }
    out
}

fn head(script: &Script) -> Value {
    json!({ "id": format!("ses_{}", script.id), "directory": script.cwd, "version": "1.18.33", "title": "a session",
        "time": { "created": script.at, "updated": script.at + 100_000 } })
}

/// What `opencode export` prints.
pub fn write_exports(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    let folder = world.path("exports");
    for script in scripts {
        world.write(&folder.join("ledger").join(format!("{}.json", script.id)), &export(script))?;
    }
    Ok(vec![folder])
}

/// One document.
pub fn export(script: &Script) -> Vec<u8> {
    let messages: Vec<Value> =
        opencode(script).into_iter().map(|m| json!({ "info": m.info, "parts": m.parts })).collect();
    format!("{:#}\n", json!({ "info": head(script), "messages": messages })).into_bytes()
}

/// The rows of a session as the reader is given them.
pub fn rows(script: &Script) -> Vec<Value> {
    let mut out = vec![json!({ "info": head(script) })];
    for message in opencode(script) {
        out.push(json!({ "info": message.info }));
        out.extend(message.parts);
    }
    out
}

/// Its database, with the columns that matter.
pub fn write_database(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    let folder = world.home().join(".local/share/opencode");
    std::fs::create_dir_all(&folder)?;
    let mut database = Connection::open(folder.join("opencode.db"))?;
    database.execute_batch(
        "CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, version TEXT, parent_id TEXT, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
         CREATE INDEX part_session ON part (session_id);
         CREATE INDEX part_message ON part (message_id);
         CREATE INDEX message_session ON message (session_id);",
    )?;
    let all = database.transaction()?;
    for script in scripts {
        let id = format!("ses_{}", script.id);
        all.execute(
            "INSERT INTO session (id, directory, version, time_updated) VALUES (?1, ?2, ?3, ?4)",
            (&id, &script.cwd, "1.18.33", script.at),
        )?;
        for message in opencode(script) {
            let name = message.info["id"].as_str();
            all.execute(
                "INSERT INTO message (id, session_id, time_created, data) VALUES (?1, ?2, ?3, ?4)",
                (name, &id, message.info["time"]["created"].as_i64(), without_ids(&message.info)),
            )?;
            for part in &message.parts {
                all.execute(
                    "INSERT INTO part (id, message_id, session_id, data) VALUES (?1, ?2, ?3, ?4)",
                    (part["id"].as_str(), name, &id, without_ids(part)),
                )?;
            }
        }
    }
    all.commit()?;
    Ok(Vec::new())
}

/// Ids are columns, not data.
fn without_ids(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        ["id", "messageID", "sessionID"].iter().for_each(|f| drop(fields.remove(*f)));
    }
    value.to_string()
}

fn gemini_head(script: &Script) -> Value {
    json!({ "sessionId": script.id, "projectHash": "4c28aa", "startTime": time(script.at), "lastUpdated": time(script.at),
        "kind": "main", "directories": [script.cwd] })
}

fn gemini(script: &Script) -> Vec<Value> {
    let mut records = Vec::new();
    for (n, step) in script.steps.iter().enumerate() {
        let id = id(script, "", n);
        let at = time(script.at + 1_000 * n as i64);
        let user = |text: &str| json!({ "id": id, "timestamp": at, "type": "user", "content": [{ "text": text }] });
        let tool = |name: &str, args: Value, output: &str| {
            let call = format!("{name}-{id}");
            json!({ "id": id, "timestamp": at, "type": "gemini", "content": "", "toolCalls": [{ "id": call, "name": name, "args": args,
                "status": "success", "timestamp": at, "resultDisplay": output,
                "result": [{ "functionResponse": { "id": call, "name": name, "response": { "output": output } } }] }] })
        };
        records.push(match step {
            Step::User(text) => user(text),
            Step::Injected(text) => user(&format!("<hook_context>{text}</hook_context>\n\nGo on.")),
            Step::Assistant(text) => json!({ "id": id, "timestamp": at, "type": "gemini", "content": text }),
            Step::Shell { command, output, code } => {
                let ending = if *code == 0 { String::new() } else { format!("\nExit Code: {code}") };
                let report = format!("Output: {}{ending}\nProcess Group PGID: 12", output.trim_end());
                tool("run_shell_command", json!({ "command": command }), &report)
            }
            Step::Read { path, output } => tool("read_file", json!({ "absolute_path": path }), output),
            Step::Edit { path } => tool("replace", json!({ "file_path": path }), "changed"),
        });
    }
    records
}

/// One record a line.
pub fn write_gemini_lines(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    for script in scripts {
        world.write(&gemini_file(world, script, "jsonl"), &lines(&gemini_lines(script)))?;
    }
    Ok(Vec::new())
}

/// The head, then the messages.
pub fn gemini_lines(script: &Script) -> Vec<Value> {
    [vec![gemini_head(script)], gemini(script)].concat()
}

/// One document.
pub fn gemini_document(script: &Script) -> Vec<u8> {
    let head = format!("{:#}", gemini_head(script));
    let messages = format!("{:#}", Value::Array(gemini(script))).replace('\n', "\n  ");
    // The head comes first, as the client writes it: files are recognised by it.
    format!("{},\n  \"messages\": {messages}\n}}", head.trim_end_matches(['}', '\n'])).into_bytes()
}

/// One document a session, as older versions wrote it.
pub fn write_gemini_documents(world: &World, scripts: &[Script]) -> Result<Vec<PathBuf>> {
    for script in scripts {
        world.write(&gemini_file(world, script, "json"), &gemini_document(script))?;
    }
    Ok(Vec::new())
}

fn gemini_file(world: &World, script: &Script, ending: &str) -> PathBuf {
    world.home().join(format!(".gemini/tmp/4c28aa/chats/session-2026-03-01T10-00-{}.{ending}", script.id))
}
