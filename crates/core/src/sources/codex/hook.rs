//! Codex's hooks: Claude Code's names, but no event and no exit code for a failed call.
//!
//! By then the code is in the transcript, but our hooks read no transcripts. So no call is called a failure here. We
//! know how to answer, but did not try it with our own texts yet: nothing is answered.

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
