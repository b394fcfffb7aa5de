//! Transcripts from a few lines.

use serde_json::{Value, json};

/// A transcript in the style of the OpenAI chat API: `u text`, `a text`, `$ command => output`.
pub fn messages(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|l| !l.is_empty());
    Value::Array(lines.enumerate().flat_map(|(n, line)| message(n, line)).collect()).to_string()
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
