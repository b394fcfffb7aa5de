//! What Codex writes: records, payloads, calls. Fields that vary in type stay raw.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) payload: Option<&'a RawValue>,
}

/// A `response_item` with its payload, read in one go.
#[derive(Deserialize)]
pub(super) struct ItemLine<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) payload: Payload<'a>,
}

#[derive(Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) cli_version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) forked_from_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) originator: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) git: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Git<'a> {
    #[serde(borrow, default)]
    pub(super) repository_url: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) branch: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Payload<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) exit_code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) item: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) exit_code: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
pub(super) struct Arguments {
    #[serde(default)]
    pub(super) cmd: Option<Words>,
    #[serde(default)]
    pub(super) command: Option<Words>,
    #[serde(default)]
    pub(super) workdir: Option<String>,
    #[serde(default)]
    pub(super) session_id: Option<serde_json::Value>,
    #[serde(default)]
    pub(super) cell_id: Option<serde_json::Value>,
}

/// A command line, or its words.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    Line(String),
    List(Vec<String>),
}
