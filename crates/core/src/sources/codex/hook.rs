//! Codex's hooks: Claude Code's names, but no event and no exit code for a failed call.
//!
//! The code is in the transcript by then, and a hook of ours reads none. So a call that ended is never called a failure
//! here. How to answer is known, but was not tried with our own texts: nothing is answered.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::hook::{self, Hook, Payload};
use super::super::raw;
use crate::moment::Moment;
use crate::session::ToolKind;

pub(in crate::sources) const HOOK: Hook = Hook { read: |bytes| hook::asked(bytes, moment), reply: None };

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
