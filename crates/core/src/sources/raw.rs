//! Values of a record, read one by one: a field of an unexpected type is lost, not its record.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::records::RecordPlace;

struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(v.to_owned())))
            }
        }
        d.deserialize_str(Visitor)
    }
}

/// The text, if it is one.
pub(super) fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value.get()).ok().map(|t| t.0)
}

/// The text of a field that may be missing.
pub(super) fn text(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    value.and_then(string)
}

/// The value of a field, or nothing.
pub(super) fn value<'a, T: Deserialize<'a> + Default>(value: Option<&'a RawValue>) -> T {
    value.and_then(|v| serde_json::from_str(v.get()).ok()).unwrap_or_default()
}

/// Whether a field is there and `true`.
pub(super) fn is_true(value: Option<&RawValue>) -> bool {
    value.is_some_and(|v| v.get() == "true")
}

/// White space around a record; a record that was shortened differs by more.
const PADDING: u64 = 1024;

/// Where a value stands in the file, given the record that it was borrowed from.
pub(super) fn place_in(record: &[u8], place: RecordPlace, value: &RawValue) -> RecordPlace {
    let within = (value.get().as_ptr() as usize).wrapping_sub(record.as_ptr() as usize);
    // A record that was shortened or repaired is no longer as it is in the file.
    let as_it_is = place.len - (record.len() as u64).min(place.len) < PADDING && record.len() as u64 <= place.len;
    let sound = as_it_is && within + value.get().len() <= record.len();
    if sound { RecordPlace { offset: place.offset + within as u64, len: value.get().len() as u64 } } else { place }
}
