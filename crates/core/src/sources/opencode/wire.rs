//! What OpenCode writes: sessions, messages, parts. Fields that vary in type stay raw.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Any object of an export: the whole of it, a message with its parts, the head of either, one part.
#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(borrow, default)]
    pub(super) info: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(super) parts: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) directory: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) role: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "messageID")]
    pub(super) message_id: Option<&'a RawValue>,
}

/// The head of a session or of a message.
#[derive(Deserialize)]
pub(super) struct Info<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) directory: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) version: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "parentID")]
    pub(super) parent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) role: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) time: Option<&'a RawValue>,
    /// `true` on a message of the model that sums up what was compacted; an object on others.
    #[serde(borrow, default)]
    pub(super) summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tokens: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Time {
    #[serde(default)]
    pub(super) created: Option<f64>,
    #[serde(default)]
    pub(super) start: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: &'a RawValue,
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "messageID")]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) synthetic: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) ignored: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "callID")]
    pub(super) call: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) state: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) time: Option<&'a RawValue>,
}

/// What became of a tool call.
#[derive(Deserialize, Default)]
pub(super) struct CallState<'a> {
    #[serde(borrow, default)]
    pub(super) status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) time: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Metadata<'a> {
    #[serde(borrow, default)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) exit: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) interrupted: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
pub(super) struct Input<'a> {
    #[serde(borrow, default)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "filePath")]
    pub(super) file_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) pattern: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "patchText")]
    pub(super) patch: Option<&'a RawValue>,
}
