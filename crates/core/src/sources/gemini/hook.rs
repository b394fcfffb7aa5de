//! Gemini CLI's hooks: events with names of its own; a failed command shows in the text of its report.
//!
//! We know how to answer, but did not try it with our own texts yet: nothing is answered.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::hook::{self, Hook, Payload};
use super::super::raw;
use super::{printed, shell, texts, understand};
use crate::failure::outcome::End;
use crate::moment::Moment;
use crate::session::ToolKind;

pub(in crate::sources) const HOOK: Hook = Hook { read: |bytes| hook::asked(bytes, moment), reply: None };

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
}

fn after(payload: &Payload<'_>) -> Moment {
    let call = payload.call(understand);
    let response: Response<'_> = raw::value(payload.tool.tool_response);
    let text = response.llm_content.map(texts).unwrap_or_default();
    let text = printed(&text);
    if call.kind != ToolKind::Shell {
        return Moment::AfterCall { call, output: text.to_owned() };
    }
    let (facts, output) = shell::report(text);
    let output = output.into_owned();
    let failed = facts.end == End::Normal && (facts.flag == Some(true) || facts.code.is_some_and(|c| c != 0));
    if failed { Moment::AfterFailure { call, output } } else { Moment::AfterCall { call, output } }
}
