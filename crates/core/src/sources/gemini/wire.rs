//! What Gemini CLI writes: heads, messages, patches, calls. Fields that vary in type stay raw.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A line of a session, or the whole of an older one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record<'a> {
    #[serde(borrow, default)]
    pub(super) session_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) project_hash: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) directories: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) messages: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "$set")]
    pub(super) set: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "$rewindTo")]
    pub(super) rewind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "type")]
    pub(super) author: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) display_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tokens: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct ToolCall<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Args<'a> {
    #[serde(borrow, default)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) file_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) absolute_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) dir_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) pattern: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) fact: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) scope: Option<&'a RawValue>,
}

/// One part of a text or of a result.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) function_response: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct FunctionResponse<'a> {
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}
