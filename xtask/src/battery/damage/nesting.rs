//! Where something stands in JSON: a record that damage put inside another sound object is data of that object.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Whether an id is still mentioned at the same path below the outermost sound object around it.
pub fn stands_as_before(id: &str, healthy: &[u8], damaged: &[u8]) -> bool {
    let before = paths(id, healthy);
    paths(id, damaged).iter().any(|path| before.iter().any(|b| b.ends_with(path)))
}

/// The names that lead to each mention of an id.
fn paths(id: &str, bytes: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let mentions = text.match_indices(id).map(|(at, _)| at);
    mentions.filter_map(|at| Some(path(outermost(&text, at)?, text.as_ptr() as usize + at))).collect()
}

/// The first sound object that begins before a place and ends behind it.
fn outermost(text: &str, place: usize) -> Option<&RawValue> {
    text[..place].match_indices('{').find_map(|(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
        values.next()?.ok().filter(|raw| start + raw.get().len() > place)
    })
}

/// The names on the way down to an address; places in lists have none.
fn path(value: &RawValue, address: usize) -> Vec<String> {
    let holds = |v: &RawValue| {
        let start = v.get().as_ptr() as usize;
        (start..start + v.get().len()).contains(&address)
    };
    if let Ok(fields) = serde_json::from_str::<Fields<'_>>(value.get()) {
        let Some((name, inner)) = fields.0.into_iter().find(|(_, v)| holds(v)) else { return Vec::new() };
        return [vec![name], path(inner, address)].concat();
    }
    let list: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
    list.into_iter().find(|v| holds(v)).map(|inner| path(inner, address)).unwrap_or_default()
}

/// All fields of an object, also those that are there twice.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::new();
                while let Some(field) = map.next_entry()? {
                    out.push(field);
                }
                Ok(Fields(out))
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_inside_another_stands_elsewhere() {
        let healthy = br#"{"head":1,"messages":[{"id":"a1"},{"id":"b2","calls":[{"x":1}]}]}"#;
        assert!(stands_as_before("b2", healthy, br#"{"id":"a1"}, junk {"id":"b2","calls":[{"x":1}]}"#));
        assert!(stands_as_before("b2", healthy, br#"{"messages":[{"id":"b2","calls":[{"x":1}]}]}"#));
        assert!(!stands_as_before("b2", healthy, br#"{"id":"a1","calls":[{"id":"b2","calls":[{"x":1}]}]}"#));
        assert!(!stands_as_before("b2", healthy, b"nothing"));
    }
}
