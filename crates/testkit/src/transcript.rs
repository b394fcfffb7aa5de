//! Transcripts from a few lines.

use serde_json::{Value, json};

/// A transcript in the style of the OpenAI chat API: `u text`, `a text`, `$ command => output`.
pub fn messages(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|l| !l.is_empty());
    Value::Array(lines.enumerate().flat_map(|(n, line)| message(n, line)).collect()).to_string()
}

/// A transcript as Claude Code writes it: `u text`, `a text`, `$ command => output`, `! command => output` (failed),
/// `e file` (an edit), `+ file => text` (an edit that adds a text), `- file => text` (one that takes it out), `< file => text`
/// (it is read), `> file => text` (it is written whole). A line end in an output is written `\\n`.
pub fn claude(session: &str, folder: &str, script: &str) -> String {
    let steps = script.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate();
    let messages: Vec<(&str, Value)> = steps.flat_map(|(n, step)| claude_messages(session, folder, n, step)).collect();
    let line = |(n, (role, content)): (usize, (&str, Value))| {
        let line = json!({
            "type": role, "uuid": format!("{session}-{n}"), "sessionId": session, "cwd": folder, "version": "2.1.325",
            "timestamp": time(n),
            "isSidechain": false, "userType": "external", "message": { "role": role, "content": content }
        });
        format!("{line}\n")
    };
    messages.into_iter().enumerate().map(line).collect()
}

/// A second later for each record.
fn time(n: usize) -> String {
    let n = 10 * 3600 + n;
    format!("2026-11-{:02}T{:02}:{:02}:{:02}Z", 1 + n / 86_400, n / 3600 % 24, n / 60 % 60, n % 60)
}

fn claude_messages(session: &str, folder: &str, n: usize, step: &str) -> Vec<(&'static str, Value)> {
    let (mark, rest) = step.split_once(' ').expect("a mark");
    let (input, output) = rest.split_once(" => ").unwrap_or((rest, ""));
    let id = format!("{session}-t{n}");
    let call = |tool: &str, input: Value, output: String| {
        let asked = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        let got = json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": mark == "!" }]);
        vec![("assistant", asked), ("user", got)]
    };
    let output = &*output.replace("\\n", "\n");
    match mark {
        "u" => vec![("user", json!(rest))],
        "a" => vec![("assistant", json!([{ "type": "text", "text": rest }]))],
        "$" => call("Bash", json!({ "command": input }), output.to_owned()),
        "!" => call("Bash", json!({ "command": input }), format!("Exit code 1\n{output}")),
        "e" => {
            let edit = json!({ "file_path": format!("{folder}/{input}"), "old_string": "a", "new_string": "b" });
            call("Edit", edit, "Changed.".to_owned())
        }
        "+" | "-" => {
            let (old, new) = if mark == "+" { ("", output) } else { (output, "") };
            let edit = json!({ "file_path": path(folder, input), "old_string": old, "new_string": new });
            call("Edit", edit, "Changed.".to_owned())
        }
        "<" => call("Read", json!({ "file_path": path(folder, input) }), output.to_owned()),
        ">" => call("Write", json!({ "file_path": path(folder, input), "content": output }), "Written.".to_owned()),
        other => panic!("unknown mark {other}"),
    }
}

fn path(folder: &str, file: &str) -> String {
    if file.starts_with('/') { file.to_owned() } else { format!("{folder}/{file}") }
}

fn message(n: usize, line: &str) -> Vec<Value> {
    let (mark, rest) = line.split_once(' ').expect("a mark");
    let (command, output) = rest.split_once(" => ").unwrap_or((rest, ""));
    match mark {
        "u" => vec![json!({"role": "user", "content": rest})],
        "a" => vec![json!({"role": "assistant", "content": rest})],
        _ => {
            let arguments = json!({ "command": command }).to_string();
            let function = json!({"name": "shell", "arguments": arguments});
            let call = json!({"id": format!("c{n}"), "type": "function", "function": function});
            vec![
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": output}),
            ]
        }
    }
}
