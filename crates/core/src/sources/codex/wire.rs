//! What Codex writes: records, payloads, calls. Fields that vary in type stay raw.

use std::borrow::Cow;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
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

/// A `response_item` with its payload and the texts of its output, read in one go.
#[derive(Deserialize)]
pub(super) struct ItemLine<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) payload: Payload<'a, Output<'a>>,
}

/// An `event_msg`, read in one go.
#[derive(Deserialize)]
pub(super) struct EventLine<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) payload: Event<'a>,
}

/// What is used of an event.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) exit_code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) info: Option<&'a RawValue>,
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
#[serde(bound(deserialize = "'de: 'a, O: Deserialize<'de>"))]
pub(super) struct Payload<'a, O> {
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
    pub(super) namespace: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) call_id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) output: Option<O>,
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

/// The texts of an output: most of a rollout. They are read while the record is looked through; what is of another form is
/// read the longer way, as [`RawOutput`].
#[derive(Default)]
pub(super) struct Output<'a>(pub(super) Vec<Cow<'a, str>>);

/// An output of any form.
#[derive(Deserialize)]
pub(super) struct RawOutput<'a>(#[serde(borrow)] &'a RawValue);

/// Something that holds the texts of an output.
pub(super) trait Texts {
    fn texts(&self) -> Cow<'_, [Cow<'_, str>]>;
}

impl Texts for Output<'_> {
    fn texts(&self) -> Cow<'_, [Cow<'_, str>]> {
        Cow::Borrowed(&self.0)
    }
}

impl Texts for RawOutput<'_> {
    fn texts(&self) -> Cow<'_, [Cow<'_, str>]> {
        let texts = serde_json::from_str::<Output<'_>>(self.0.get());
        Cow::Owned(texts.map_or_else(|_| vec![Cow::Borrowed(self.0.get())], |texts| texts.0))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Output<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(OutputVisitor)
    }
}

struct OutputVisitor;

impl<'de> Visitor<'de> for OutputVisitor {
    type Value = Output<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of texts")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Output(vec![Cow::Borrowed(text)]))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Output(vec![Cow::Owned(text.to_owned())]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(part) = seq.next_element::<Part<'de>>()? {
            texts.push(part.text.unwrap_or_default());
        }
        Ok(Output(texts))
    }
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
