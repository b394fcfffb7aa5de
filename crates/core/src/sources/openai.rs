//! Message arrays in the style of the OpenAI chat API: `[{role, content, tool_calls, tool_call_id}, …]`,
//! `{"messages": […]}`, or one message a line. Such files carry no exit codes: the output decides.

use std::borrow::Cow;

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::build::{Builder, Stamp};
use super::records::{RecordPlace, RecordVerdict};
use super::{Format, text};
use crate::session::ToolKind;

pub(super) fn format() -> Box<dyn Format> {
    Box::new(OpenAi)
}

pub(super) fn sniff(start: &[u8]) -> bool {
    let has =
        |window: usize, needle: &str| memmem::find(&start[..start.len().min(window)], needle.as_bytes()).is_some();
    // The first message stands at the very start; other agents' files only hold such messages somewhere inside.
    let opens = has(400, "\"role\"") || (has(400, "\"messages\"") && has(4_000, "\"role\""));
    let others = ["\"parentUuid\"", "\"payload\"", "\"sessionId\"", "\"parentId\"", "\"$set\"", "\"toolCalls\""];
    opens && has(4_000, "\"content\"") && !others.iter().any(|o| has(4_000, o))
}

struct OpenAi;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

impl Format for OpenAi {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        match serde_json::from_slice::<Message<'_>>(bytes) {
            Ok(message) => {
                message_of(&message, place, session);
                return RecordVerdict::Taken;
            }
            Err(e) if !e.is_data() => return RecordVerdict::Broken,
            Err(_) => {}
        }
        let list = serde_json::from_slice::<Vec<&RawValue>>(bytes)
            .or_else(|_| serde_json::from_slice::<Document<'_>>(bytes).map(|d| d.messages));
        let Ok(list) = list else { return RecordVerdict::Foreign };
        for raw in list {
            if let Ok(message) = serde_json::from_str::<Message<'_>>(raw.get()) {
                let inside = raw.get().as_ptr() as usize - bytes.as_ptr() as usize;
                let here = RecordPlace { offset: place.offset + inside as u64, len: raw.get().len() as u64 };
                message_of(&message, here, session);
            }
        }
        RecordVerdict::Taken
    }
}

fn message_of(message: &Message<'_>, place: RecordPlace, session: &mut Builder) {
    // Messages have no ids of their own; their place is the same in every reading.
    let id = message.id.as_deref().map_or_else(|| format!("{}-{}", session.file, place.offset), str::to_owned);
    let stamp = Stamp { at: None, place };
    let text = message.content.map(content).unwrap_or_default();
    match &*message.role {
        "user" => {
            let (author, spans) = text::sent(&text);
            session.user(&id, stamp, author, spans);
        }
        "assistant" => {
            session.assistant(&id, stamp, &text);
            for (n, call) in message.tool_calls.iter().flatten().enumerate() {
                let call_id = call.id.as_deref().map_or_else(|| format!("{id}-{n}"), str::to_owned);
                let (kind, input) = understand(&call.function);
                session.call(&call_id, stamp, &call.function.name, kind, &input);
            }
        }
        "tool" => {
            if let Some(call) = message.tool_call_id.as_deref() {
                session.result_without_code(call, &text);
            }
        }
        _ => {}
    }
}

fn content(raw: &RawValue) -> String {
    if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
        return text;
    }
    let parts: Vec<Part<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
    parts.into_iter().filter_map(|p| p.text).collect::<Vec<_>>().join("\n")
}

#[derive(Deserialize, Default)]
struct Arguments {
    #[serde(default)]
    command: Option<serde_json::Value>,
    #[serde(default)]
    cmd: Option<serde_json::Value>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    file_path: Option<String>,
}

fn understand(function: &Function<'_>) -> (ToolKind, String) {
    let raw = function.arguments.map(RawValue::get).unwrap_or("{}");
    let json = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
    let args: Arguments = serde_json::from_str(&json).unwrap_or_default();
    match &*function.name {
        "shell" | "terminal" | "bash" | "run_command" | "execute_command" | "run_shell_command" | "exec"
        | "run_terminal_cmd" => {
            let line = args.command.or(args.cmd).map(|c| match c {
                serde_json::Value::Array(words) => {
                    words.iter().filter_map(|w| w.as_str()).collect::<Vec<_>>().join(" ")
                }
                serde_json::Value::String(line) => line,
                other => other.to_string(),
            });
            (ToolKind::Shell, line.unwrap_or(json))
        }
        "write_file" | "edit_file" | "patch" | "apply_patch" | "str_replace" | "create_file" => {
            (ToolKind::Edit, args.path.or(args.file_path).unwrap_or_default())
        }
        "read_file" | "list_files" | "search_files" | "grep" => {
            (ToolKind::Read, args.path.or(args.file_path).unwrap_or_default())
        }
        _ => (ToolKind::Other, String::new()),
    }
}
