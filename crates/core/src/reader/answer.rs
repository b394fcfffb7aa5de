//! A reader's answer, as it comes → what it says, as far as it can be read.
//!
//! Comes in: any text. Goes out: the lessons it proposes, unchecked, or [`Broken`]. A reader may put its JSON into a fence or
//! prose around it. One entry that cannot be read is counted and costs no other.

use serde::Deserialize;
use serde_json::Value;

/// The JSON schema of an answer. Every part is required, and an id that is not there is an empty text: what some readers
/// call strict knows nothing else.
pub const SCHEMA: &str = include_str!("schema.json");

/// Longest answer that is read.
pub(super) const LONGEST: usize = 256 * 1024; // bytes
/// Places at which an object may begin that are tried.
const TRIES: usize = 64;

/// An answer that holds no JSON of the right shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// What an answer proposes, unchecked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its entries.
    pub(super) entries: Vec<Entry>,
    /// How many could not be read.
    pub(super) unreadable: usize,
}

/// A lesson as the reader proposes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Entry {
    pub kind: String,
    pub scope: String,
    pub statement: String,
    pub proof: Vec<Quoted>,
    pub basis: String,
    #[serde(default)]
    pub same_as: Option<String>,
    #[serde(default)]
    pub contradicts: Option<String>,
    #[serde(default)]
    pub supersedes: Option<String>,
    pub quality_ok: bool,
}

/// Words of a span.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Quoted {
    pub id: String,
    pub quote: String,
}

impl Answer {
    /// Reads an answer.
    pub fn parse(text: &str) -> Result<Self, Broken> {
        let list = list_in(text, "lessons").ok_or(Broken)?;
        let mut answer = Self::default();
        for value in list {
            match Entry::deserialize(value) {
                Ok(entry) => answer.entries.push(entry),
                Err(_) => answer.unreadable += 1,
            }
        }
        Ok(answer)
    }
}

/// The list under a name in the first object that has one. Some clients put the answer into a text of their own JSON.
pub(super) fn list_in(text: &str, name: &str) -> Option<Vec<Value>> {
    if text.len() > LONGEST {
        return None;
    }
    let list = |mut value: Value| match value.get_mut(name).map(Value::take) {
        Some(Value::Array(list)) => Some(list),
        _ => None,
    };
    let objects = text.match_indices('{').take(TRIES);
    objects
        .filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok())
        .find_map(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"lessons":[{"kind":"rule","scope":"project","statement":"Use pnpm","basis":"stated","why":"w","proof":[{"id":"u1","quote":"use pnpm"}],"same_as":"","contradicts":"","supersedes":"","quality_ok":true}]}"#;

    #[test]
    fn json_is_found_in_fences_and_prose() {
        for text in [
            ONE.to_owned(),
            format!("```json\n{ONE}\n```"),
            format!("Here {{is}} what I found:\n{ONE}\nHope that helps."),
            format!("{{\"note\":1}}\n{ONE}"),
        ] {
            assert_eq!(Answer::parse(&text).map(|a| a.entries.len()), Ok(1), "{text}");
        }
        assert_eq!(Answer::parse(r#"{"lessons":[]}"#), Ok(Answer::default()));
    }

    #[test]
    fn what_is_no_answer_is_broken_and_an_odd_entry_costs_no_other() {
        let long = format!("{{\"lessons\":[\"{}\"]}}", "x".repeat(LONGEST));
        let deep = "{\"lessons\":".repeat(100_000);
        for text in ["", "no", "[]", "{", "{\"lessons\":{}}", &ONE[..ONE.len() - 3], &long, &deep, "null", "{\"a\":[]}"]
        {
            assert_eq!(Answer::parse(text), Err(Broken), "{}", &text[..text.len().min(40)]);
        }
        let odd = ONE.replace("[{\"kind\"", "[7,{\"kind\":1},{\"kind\"");
        let answer = Answer::parse(&odd).expect("read");
        assert_eq!((answer.entries.len(), answer.unreadable), (1, 2));
    }

    #[test]
    fn the_schema_is_json_and_small() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
        assert_eq!(schema["properties"]["lessons"]["items"]["required"].as_array().map(Vec::len), Some(10));
        assert!(SCHEMA.len() < 1_200);
    }
}
