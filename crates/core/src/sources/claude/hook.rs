//! Claude Code's hooks: a failed call is an event of its own; a text for the model is `additionalContext`.
//!
//! Facts are in `docs/hooks.md`. Calls that the client itself refuses come only with `PostToolBatch`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::hook::{self, Form, Hook, HookEvent, Payload, Reply, ToolFields, Version, Wanted};
use super::super::raw;
use super::{MACHINE, output_of, result_text, understand};
use crate::moment::{Answer, Moment, ToolUse};

pub(in crate::sources) const HOOK: Hook = Hook {
    read: |bytes| hook::asked(bytes, moment),
    reply: Some(Reply {
        settings: "settings.json",
        form: Form::Entries { patience: 3 },
        events: EVENTS,
        oldest: FIRST,
        after_failure: "PostToolUseFailure",
        calls_since,
        exit_code: None,
        trust: None,
        trouble: None,
        say,
    }),
};

/// The oldest version that was looked at.
const FIRST: Version = Version(1, 0, 100);

/// The first version that was seen to pass over an event it does not know.
const TOLERANT: Version = Version(2, 1, 150);

/// Up to 2.1.100 one event that the client does not know silences every hook of the file, the user's own included.
const EVENTS: &[HookEvent] = &[
    HookEvent::new("SessionStart", FIRST, "tells what holds here"),
    HookEvent::new("UserPromptSubmit", FIRST, "tells what was said before on this"),
    HookEvent::new(
        "PreToolUse",
        TOLERANT,
        "tells what holds for a file, and stops a command that always fails here, once",
    )
    .of_tools("Bash|Edit|MultiEdit|Write")
    .if_wanted(Wanted::BeforeCalls),
    HookEvent::new("PostToolUse", FIRST, "tells fixes of failures a pipe hid").of_tools("Bash"),
    HookEvent::new("PostToolUseFailure", Version(2, 0, 76), "tells the fix of a failure").of_tools("*"),
    HookEvent::new("PostToolBatch", TOLERANT, "tells why a call is refused, such as an edit that does not fit"),
    HookEvent::new("SubagentStart", TOLERANT, "tells a subagent what concerns it"),
    HookEvent::new("SubagentStop", TOLERANT, "asks the agents you named what they learned")
        .if_wanted(Wanted::LearningAgents),
    HookEvent::new("SessionEnd", FIRST, "learns from the session, in the background"),
];

fn moment(payload: &Payload<'_>) -> Option<Moment> {
    match &*payload.event() {
        "SessionStart" => Some(payload.session_start()),
        "UserPromptSubmit" => prompt(payload),
        "PreToolUse" => Some(Moment::BeforeCall { call: payload.call(understand) }),
        "PostToolUse" => Some(Moment::AfterCall { call: payload.call(understand), output: printed(payload) }),
        "PostToolUseFailure" => failure(payload),
        "PostToolBatch" => refused(payload),
        "SubagentStart" => payload.subagent_start(),
        "SubagentStop" => payload.subagent_stop(),
        "SessionEnd" => Some(payload.session_end()),
        _ => None,
    }
}

/// The client also sends prompts of its own, when something in the background ends.
fn prompt(payload: &Payload<'_>) -> Option<Moment> {
    let text = payload.prompt();
    let typed = !MACHINE.iter().any(|start| text.trim_start().starts_with(start));
    typed.then(|| Moment::Prompt { text: text.into_owned() })
}

fn failure(payload: &Payload<'_>) -> Option<Moment> {
    if raw::is_true(payload.tool.is_interrupt) {
        return None;
    }
    let error = raw::text(payload.tool.error).unwrap_or_default();
    Some(Moment::AfterFailure { call: payload.call(understand), output: output_of(&error).to_owned() })
}

/// The frame of what the client says of a call that it refused.
const REFUSAL: &str = "<tool_use_error>";

/// The refused ones among the calls of a turn; the others have events of their own.
fn refused(payload: &Payload<'_>) -> Option<Moment> {
    let calls: Vec<ToolFields<'_>> = raw::value(payload.tool.tool_calls);
    let refused = |call: &ToolFields<'_>| {
        let said = call.tool_response.map(result_text)?;
        let inside = said.trim_start().strip_prefix(REFUSAL)?;
        let inside = inside.trim_end().strip_suffix("</tool_use_error>").unwrap_or(inside);
        Some((call.used(understand), inside.to_owned()))
    };
    let calls: Vec<(ToolUse, String)> = calls.iter().filter_map(refused).collect();
    (!calls.is_empty()).then_some(Moment::Refused { calls })
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    stdout: Option<&'a RawValue>,
    #[serde(borrow)]
    stderr: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// A shell's two outputs, the parts of a text, or a text.
fn printed(payload: &Payload<'_>) -> String {
    let Some(value) = payload.tool.tool_response else { return String::new() };
    if !value.get().starts_with('{') {
        return result_text(value).into_owned();
    }
    let response: Response<'_> = raw::value(Some(value));
    let parts = [raw::text(response.stdout), raw::text(response.stderr), response.content.map(result_text)];
    let parts: Vec<Cow<'_, str>> = parts.into_iter().flatten().filter(|p| !p.is_empty()).collect();
    parts.join("\n")
}

/// Records with a use of a tool, by their time.
fn calls_since(tail: &str, at: i64) -> usize {
    hook::lines_since(tail, &[r#""type":"tool_use""#], at)
}

fn say(moment: &Moment, answer: &Answer) -> Option<String> {
    if let (Moment::SubagentStop { .. }, Answer::Deny(reason)) = (moment, answer) {
        return Some(hook::go_on(reason));
    }
    hook::say_at(hears_at(moment), answer)
}

/// The event at which a text reaches the model; at the others it is lost.
fn hears_at(moment: &Moment) -> Option<&'static str> {
    match moment {
        Moment::SessionStart { .. } => Some("SessionStart"),
        Moment::Prompt { .. } => Some("UserPromptSubmit"),
        Moment::BeforeCall { .. } => Some("PreToolUse"),
        Moment::AfterCall { .. } => Some("PostToolUse"),
        Moment::AfterFailure { .. } => Some("PostToolUseFailure"),
        Moment::Refused { .. } => Some("PostToolBatch"),
        Moment::SubagentStart { .. } => Some("SubagentStart"),
        Moment::SubagentStop { .. } | Moment::SessionEnd { .. } => None,
    }
}
