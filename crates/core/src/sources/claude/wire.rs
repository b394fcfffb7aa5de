//! What Claude Code writes: records, blocks, results, attachments. Fields that vary in type stay raw.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
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
    pub(super) git_branch: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) is_meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) is_sidechain: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) is_compact_summary: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) message: Option<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) tool_denial_kind: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "sourceToolUseID")]
    pub(super) source_tool_use_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) origin: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) prompt_source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) entrypoint: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) plan_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) attachment: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) interrupted_message_id: Option<&'a RawValue>,
}

/// A message; one of another type than an object is one without content. Read together with its line: it is most of the
/// line, and each further look at it would cost a tenth of all reading.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub(super) content: Option<&'a RawValue>,
    pub(super) usage: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Message<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = Message<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut message = Message::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "content" => message.content = Some(map.next_value()?),
                "usage" => message.usage = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(message)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Message::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Message::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Message::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Message::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Message::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Message::default())
    }
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
    pub(super) stdout: Option<&'a RawValue>,
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
