//! What each client sends to its hook at each moment, and where it reads the answer: for checks that ask in every dialect.

use std::path::Path;

use serde_json::{Value, json};

/// The clients.
pub const CLIENTS: [&str; 4] = ["claude", "codex", "opencode", "gemini"];

/// Every event at which a client asks, with its client.
pub const MOMENTS: &[(&str, &str)] = &[
    ("claude", "SessionStart"),
    ("claude", "UserPromptSubmit"),
    ("claude", "PreToolUse"),
    ("claude", "PostToolUse"),
    ("claude", "PostToolUseFailure"),
    ("claude", "PostToolBatch"),
    ("claude", "SubagentStart"),
    ("claude", "SubagentStop"),
    ("claude", "SessionEnd"),
    ("codex", "SessionStart"),
    ("codex", "UserPromptSubmit"),
    ("codex", "PreToolUse"),
    ("codex", "PostToolUse"),
    ("codex", "SubagentStart"),
    ("codex", "SessionEnd"),
    ("opencode", "SessionStart"),
    ("opencode", "UserPromptSubmit"),
    ("opencode", "PreToolUse"),
    ("opencode", "PostToolUse"),
    ("opencode", "PostToolUseFailure"),
    ("opencode", "SubagentStart"),
    ("opencode", "SessionEnd"),
    ("gemini", "SessionStart"),
    ("gemini", "BeforeAgent"),
    ("gemini", "BeforeTool"),
    ("gemini", "AfterTool"),
    ("gemini", "SessionEnd"),
];

/// A failing command, and what it printed.
pub const COMMAND: &str = "python3 -m ledger report --format json";
/// What it printed.
pub const ERROR: &str = "ledger: error: unrecognized arguments: --format json";
/// A prompt to which something is known.
pub const PROMPT: &str = "How are invoices rounded?";

/// The payload of an event. All fields of all events are in it: each takes its own.
pub fn payload(client: &str, event: &str, folder: &Path, session: &str) -> String {
    let (tool, response) = match client {
        "opencode" => ("bash", json!({ "output": ERROR, "exit": 2 })),
        "gemini" => ("run_shell_command", json!({ "llmContent": format!("Output: {ERROR}\nExit Code: 2") })),
        "codex" => ("Bash", json!(ERROR)),
        _ => ("Bash", json!({ "stdout": ERROR, "stderr": "" })),
    };
    let input = json!({ "command": COMMAND });
    json!({
        "session_id": session, "cwd": folder, "hook_event_name": event, "source": "startup", "reason": "other", "prompt": PROMPT,
        "tool_name": tool, "tool_input": input, "tool_use_id": "t1", "tool_response": response,
        "error": format!("Exit code 2\n{ERROR}"), "agent_id": session, "agent_type": "general-purpose",
        "tool_calls": [{ "tool_name": "Edit", "tool_input": { "file_path": folder.join("a.rs") }, "tool_use_id": "t2",
            "tool_response": "<tool_use_error>String to replace not found in file.</tool_use_error>" }],
    })
    .to_string()
}

/// The event at which a client asks after a failed command.
pub fn after_failure(client: &str) -> &'static str {
    match client {
        "claude" => "PostToolUseFailure",
        "gemini" => "AfterTool",
        _ => "PostToolUse",
    }
}

/// The event at which it asks at a prompt.
pub fn at_prompt(client: &str) -> &'static str {
    if client == "gemini" { "BeforeAgent" } else { "UserPromptSubmit" }
}

/// What the model is told by an answer.
pub fn told(client: &str, answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let place = if client == "opencode" { "/context" } else { "/hookSpecificOutput/additionalContext" };
    answer.pointer(place).and_then(Value::as_str).map(str::to_owned)
}

/// Whether an answer says that there was trouble, to a client that asks again then.
pub fn is_trouble(client: &str, answer: &[u8]) -> bool {
    client == "opencode" && answer == br#"{"failed":true}"#
}
