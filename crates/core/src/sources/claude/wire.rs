//! What Claude Code writes: records, blocks, results, attachments. Fields that vary in type stay raw.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) uuid: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) agent_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) is_meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) is_sidechain: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) is_compact_summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_denial_kind: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "sourceToolUseID")]
    pub(super) source_tool_use_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) origin: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) plan_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) attachment: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) interrupted_message_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) is_error: Option<bool>,
}

#[derive(Deserialize, Default)]
pub(super) struct Input<'a> {
    #[serde(borrow, default)]
    pub(super) command: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) file_path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) pattern: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolUseResult<'a> {
    #[serde(borrow, default)]
    pub(super) stdout: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) interrupted: Option<bool>,
    #[serde(borrow, default)]
    pub(super) background_task_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) timed_out_after_ms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) return_code_interpretation: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) prompt: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) command_mode: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) origin: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) is_meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) stdout: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "toolUseID")]
    pub(super) tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) hook_event: Option<Cow<'a, str>>,
}
