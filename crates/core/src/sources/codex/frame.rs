//! The client's frame around what a call printed: exit code, time, and the number of what was left running.

use std::borrow::Cow;

use serde::Deserialize;

use crate::session::{Call, Outcome};

/// The exit code that the text of an output tells, and what was printed.
pub(super) fn frame(text: &str) -> (Option<i32>, Cow<'_, str>) {
    if text.starts_with("{\"output\":") {
        return json_frame(text);
    }
    let framed = ["Chunk ID:", "Command: ", "Exit code:", "Wall time:", "Script completed", "Script failed"]
        .iter()
        .any(|p| text.starts_with(p));
    if !framed {
        return (None, Cow::Borrowed(text));
    }
    let (head, printed) = text.split_once("\nOutput:\n").or_else(|| text.split_once("\nOutput:")).unwrap_or((text, ""));
    let code = head
        .lines()
        .find_map(|l| l.strip_prefix("Process exited with code ").or_else(|| l.strip_prefix("Exit code: ")));
    (code.and_then(|c| c.trim().parse().ok()), Cow::Borrowed(printed))
}

/// How long a call ran, as the frame of its output says.
pub(super) fn wall_time(text: &str) -> Option<f64> {
    let head = &text[..text.floor_char_boundary(200)];
    let line = head.lines().take(4).find_map(|l| l.strip_prefix("Wall time: "))?;
    line.split(' ').next()?.parse().ok()
}

#[derive(Deserialize)]
struct JsonFrame {
    output: String,
    #[serde(default)]
    metadata: Option<JsonMeta>,
}

#[derive(Deserialize)]
struct JsonMeta {
    #[serde(default)]
    exit_code: Option<i32>,
}

/// `{"output":"…","metadata":{"exit_code":0}}` of older versions.
fn json_frame(text: &str) -> (Option<i32>, Cow<'_, str>) {
    match serde_json::from_str::<JsonFrame>(text) {
        Ok(frame) => (frame.metadata.and_then(|m| m.exit_code), Cow::Owned(frame.output)),
        Err(_) => (None, Cow::Borrowed(text)),
    }
}

/// The number of a command that was left running, in the frame that is kept of its first output.
pub(super) fn framed_number(call: &Call) -> Option<&str> {
    let head = call.output.head();
    let framed = call.outcome == Outcome::Background || head.starts_with("Chunk ID:") || head.starts_with("Wall time:");
    running_number(head).filter(|_| framed)
}

pub(super) fn running_number(text: &str) -> Option<&str> {
    let head = &text[..text.floor_char_boundary(400)];
    ["Process running with session ID ", "Script running with cell ID "].iter().find_map(|p| {
        let at = head.find(p)? + p.len();
        head[at..].split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().filter(|n| !n.is_empty())
    })
}
