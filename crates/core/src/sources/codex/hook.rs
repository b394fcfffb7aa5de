//! Codex's hooks: Claude Code's names, but no event and no exit code for a failed call.
//!
//! By then the code is in the transcript, from 0.166.0 on: the binary looks it up there. A text for the model is
//! `additionalContext`, as with Claude Code; it comes as a message of the developer.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::super::hook::{self, Form, Hook, HookEvent, Payload, Reply, Version, Wanted};
use super::super::raw;
use super::trust::TRUST;
use crate::moment::{Answer, Moment};
use crate::session::ToolKind;

pub(in crate::sources) const HOOK: Hook = Hook {
    read: |bytes| hook::asked(bytes, moment),
    reply: Some(Reply {
        settings: "hooks.json",
        form: Form::Entries { patience: 3 },
        events: EVENTS,
        oldest: FIRST,
        after_failure: "PostToolUse",
        calls_since,
        exit_code: Some(exit_code),
        trust: Some(TRUST),
        trouble: None,
        say,
    }),
};

/// The oldest version that was looked at in which hooks need no experimental switch and can be trusted.
const FIRST: Version = Version(0, 145, 0);

/// The version that all other events were tried with.
const LATER: Version = Version(0, 166, 0);

const EVENTS: &[HookEvent] = &[
    HookEvent::new("SessionStart", FIRST, "tells what holds here"),
    HookEvent::new("UserPromptSubmit", FIRST, "tells what was said before on this"),
    HookEvent::new("PreToolUse", LATER, "stops a command that always fails here, once")
        .of_tools("Bash")
        .if_wanted(Wanted::BeforeCalls),
    HookEvent::new("PostToolUse", FIRST, "tells the fix of a failure").of_tools("Bash"),
    HookEvent::new("SubagentStart", LATER, "tells a subagent what concerns it"),
    HookEvent::new("SessionEnd", FIRST, "learns from the session, in the background"),
];

fn moment(payload: &Payload<'_>) -> Option<Moment> {
    match &*payload.event() {
        "SessionStart" => Some(payload.session_start()),
        "UserPromptSubmit" => Some(Moment::Prompt { text: payload.prompt().into_owned() }),
        "PreToolUse" => Some(Moment::BeforeCall { call: payload.call(understand) }),
        "PostToolUse" => {
            let output = raw::text(payload.tool.tool_response).unwrap_or_default().into_owned();
            Some(Moment::AfterCall { call: payload.call(understand), output })
        }
        "SubagentStart" => payload.subagent_start(),
        "SubagentStop" => payload.subagent_stop(),
        "SessionEnd" => Some(payload.session_end()),
        _ => None,
    }
}

/// To hooks the shell has Claude Code's name, whatever its name is in the transcript.
fn understand<'a>(tool: &str, input: Option<&'a RawValue>) -> (ToolKind, Cow<'a, str>) {
    let tool = if tool == "Bash" { "shell" } else { tool };
    let (kind, what) = super::understand(tool, input.map(RawValue::get).unwrap_or_default());
    (kind, Cow::Owned(what))
}

/// The code of a command in the record of its end.
fn exit_code(tail: &str, id: &str) -> Option<i32> {
    let of_call = |value: &Value| {
        let payload = &value["payload"];
        let (item, call) = (&payload["item"], payload["call_id"].as_str() == Some(id));
        let code = match payload["type"].as_str() {
            Some("item_completed") if item["id"].as_str() == Some(id) => item["exit_code"].as_i64(),
            Some("exec_command_end") if call => payload["exit_code"].as_i64(),
            Some("function_call_output") if call => payload["output"].as_str().and_then(exited_with),
            _ => None,
        };
        code.and_then(|code| i32::try_from(code).ok())
    };
    let ours = tail.lines().rev().filter(|line| line.contains(id));
    ours.filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|value| of_call(&value))
}

fn exited_with(output: &str) -> Option<i64> {
    let line = output.lines().take(8).find_map(|line| line.strip_prefix("Process exited with code "))?;
    line.trim().parse().ok()
}

/// Records of calls, by their time.
fn calls_since(tail: &str, at: i64) -> usize {
    hook::lines_since(tail, &[r#""type":"function_call","#, r#""type":"custom_tool_call","#], at)
}

fn say(moment: &Moment, answer: &Answer) -> Option<String> {
    hook::say_at(hears_at(moment), answer)
}

/// The event at which a text reaches the model; a failure is told at the one after any call.
fn hears_at(moment: &Moment) -> Option<&'static str> {
    match moment {
        Moment::SessionStart { .. } => Some("SessionStart"),
        Moment::Prompt { .. } => Some("UserPromptSubmit"),
        Moment::BeforeCall { .. } => Some("PreToolUse"),
        Moment::AfterCall { .. } | Moment::AfterFailure { .. } => Some("PostToolUse"),
        Moment::SubagentStart { .. } => Some("SubagentStart"),
        Moment::Refused { .. } | Moment::SubagentStop { .. } | Moment::SessionEnd { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_call_is_in_the_record_of_its_end_or_in_its_output() {
        let tail = concat!(
            r#"d":"c1","exit_code":7}}}"#,
            "\n",
            r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","exit_code":2}}}"#,
            "\n",
            r#"{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c2","exit_code":0}}"#,
            "\n",
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c3","output":"Wall time: 0 seconds\nProcess exited with code 127\nOutput:\nx"}}"#,
            "\n",
            r#"{"type":"response_item","payload":{"type":"function_call","call_id":"c4","arguments":"{}"}}"#,
        );
        let codes = ["c1", "c2", "c3", "c4", "c5"].map(|id| exit_code(tail, id));
        assert_eq!(codes, [Some(2), Some(0), Some(127), None, None]);
    }
}
