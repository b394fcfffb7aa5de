//! Gemini CLI's hooks: events with names of its own; a failed command shows in the text of its report.
//!
//! What is told at the start stands before the next prompt, what is told after a call behind its output, both in a frame.
//! Before a call nothing reaches the model but the reason of a refusal. Times are in milliseconds.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::hook::{self, Form, Hook, HookEvent, Payload, Reply, Version, Wanted};
use super::super::raw;
use super::{printed, shell, texts, understand};
use crate::failure::outcome::End;
use crate::moment::{Answer, Moment};
use crate::session::ToolKind;

pub(in crate::sources) const HOOK: Hook = Hook {
    read: |bytes| hook::asked(bytes, moment),
    reply: Some(Reply {
        settings: "settings.json",
        form: Form::Entries { patience: 3_000 },
        events: EVENTS,
        oldest: FIRST,
        after_failure: "AfterTool",
        calls_since,
        exit_code: None,
        trust: None,
        trouble: None,
        say,
    }),
};

/// The oldest version that was looked at.
const FIRST: Version = Version(0, 61, 0);

const EVENTS: &[HookEvent] = &[
    HookEvent::new("SessionStart", FIRST, "tells what holds here"),
    HookEvent::new("BeforeAgent", FIRST, "tells what was said before on this"),
    HookEvent::new("BeforeTool", FIRST, "stops a command that always fails here, once")
        .of_tools("run_shell_command")
        .if_wanted(Wanted::BeforeCalls),
    HookEvent::new("AfterTool", FIRST, "tells the fix of a failure").of_tools("*"),
    HookEvent::new("SessionEnd", FIRST, "learns from the session, in the background"),
];

fn moment(payload: &Payload<'_>) -> Option<Moment> {
    match &*payload.event() {
        "SessionStart" => Some(payload.session_start()),
        "BeforeAgent" => Some(Moment::Prompt { text: typed(&payload.prompt()).to_owned() }),
        "BeforeTool" => Some(Moment::BeforeCall { call: payload.call(understand) }),
        "AfterTool" => Some(after(payload)),
        "SessionEnd" => Some(payload.session_end()),
        _ => None,
    }
}

/// What hooks told the model at the start stands before the prompt.
fn typed(prompt: &str) -> &str {
    const END: &str = "</hook_context>";
    let told = prompt.starts_with("<hook_context>").then(|| prompt.find(END)).flatten();
    told.map_or(prompt, |at| prompt[at + END.len()..].trim_start())
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Response<'a> {
    #[serde(borrow)]
    llm_content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn after(payload: &Payload<'_>) -> Moment {
    let call = payload.call(understand);
    let response: Response<'_> = raw::value(payload.tool.tool_response);
    let text = response.llm_content.map(texts).unwrap_or_default();
    let text = printed(&text);
    if call.kind != ToolKind::Shell {
        let output = text.to_owned();
        let failed = response.error.is_some_and(|e| e.get() != "null");
        return if failed { Moment::AfterFailure { call, output } } else { Moment::AfterCall { call, output } };
    }
    let (facts, output) = shell::report(text);
    let output = output.into_owned();
    let failed = facts.end == End::Normal && (facts.flag == Some(true) || facts.code.is_some_and(|c| c != 0));
    if failed { Moment::AfterFailure { call, output } } else { Moment::AfterCall { call, output } }
}

/// Records with calls, by their time.
fn calls_since(tail: &str, at: i64) -> usize {
    hook::lines_since(tail, &[r#""toolCalls":[{"#], at)
}

fn say(moment: &Moment, answer: &Answer) -> Option<String> {
    if let (Moment::BeforeCall { .. }, Answer::Deny(reason)) = (moment, answer) {
        return Some(serde_json::json!({ "decision": "deny", "reason": reason }).to_string());
    }
    hook::say_at(hears_at(moment), answer)
}

/// The event at which a text reaches the model; at the others it is lost.
fn hears_at(moment: &Moment) -> Option<&'static str> {
    match moment {
        Moment::SessionStart { .. } => Some("SessionStart"),
        Moment::Prompt { .. } => Some("BeforeAgent"),
        Moment::AfterCall { .. } | Moment::AfterFailure { .. } => Some("AfterTool"),
        Moment::BeforeCall { .. }
        | Moment::Refused { .. }
        | Moment::SubagentStart { .. }
        | Moment::SubagentStop { .. }
        | Moment::SessionEnd { .. } => None,
    }
}
