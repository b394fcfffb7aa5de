//! Where a JSON object ends that comes in pieces.
//!
//! Comes in: the bytes of a payload as far as they were read. Goes out: whether the object in front is whole, and where it
//! is. Whoever reads a payload need not wait until its writer closes the pipe. Only strings and brackets are looked at:
//! whether it is JSON is for the parser to say.

use std::ops::Range;

use memchr::memchr2;

/// Some writers put it before their text.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Looks for the end of the first object. Each byte is looked at once, however small the pieces are.
#[derive(Clone, Debug, Default)]
pub struct JsonEnd {
    /// Where the object starts.
    start: Option<usize>,
    /// All before this was looked at.
    seen: usize,
    /// How many brackets are open.
    depth: usize,
    in_string: bool,
}

impl JsonEnd {
    /// Where the object is, once it is whole; `None` if more must be read. `bytes` are those of the last call and what
    /// was read since. What is no object ends at once: nothing that follows would make it one.
    pub fn find(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let start = match self.start {
            Some(start) => start,
            None => first_byte(bytes)?,
        };
        if bytes[start] != b'{' {
            return Some(start..bytes.len());
        }
        self.start = Some(start);
        self.seen = self.seen.max(start);
        self.end(bytes).map(|end| start..end)
    }

    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while self.seen < bytes.len() {
            if self.in_string {
                self.leave_string(bytes)?;
                continue;
            }
            let byte = bytes[self.seen];
            self.seen += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                return Some(self.seen);
            }
        }
        None
    }

    /// Goes on behind the string; `None` if it does not end yet.
    fn leave_string(&mut self, bytes: &[u8]) -> Option<()> {
        let Some(at) = memchr2(b'"', b'\\', &bytes[self.seen..]) else {
            self.seen = bytes.len();
            return None;
        };
        self.seen += at;
        if bytes[self.seen] == b'"' {
            self.in_string = false;
            self.seen += 1;
            return Some(());
        }
        // What is escaped may be in the next piece: then the backslash is looked at again.
        if self.seen + 1 == bytes.len() {
            return None;
        }
        self.seen += 2;
        Some(())
    }
}

/// Where something stands that is neither a byte order mark nor white space.
fn first_byte(bytes: &[u8]) -> Option<usize> {
    if bytes.len() < BOM.len() && BOM.starts_with(bytes) {
        return None;
    }
    let skipped = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let white = bytes[skipped..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    (skipped + white < bytes.len()).then_some(skipped + white)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// What is found if the bytes come in pieces of this size.
    fn in_pieces(bytes: &[u8], size: usize) -> Option<&[u8]> {
        let mut end = JsonEnd::default();
        let reads = (1..=bytes.len()).filter(|n| n % size == 0 || *n == bytes.len());
        reads.into_iter().find_map(|n| end.find(&bytes[..n])).map(|found| &bytes[found])
    }

    #[test]
    fn an_object_is_whole_with_its_last_bracket() {
        for (bytes, found) in [
            (&br#"{}"#[..], Some(&br#"{}"#[..])),
            (b" \r\n\t{\"a\":[1,{}]} \n", Some(b"{\"a\":[1,{}]}")),
            (b"\xEF\xBB\xBF {\"a\":1}", Some(b"{\"a\":1}")),
            (br#"{"a":"}"}"#, Some(br#"{"a":"}"}"#)),
            (br#"{"a":"\"}"}x"#, Some(br#"{"a":"\"}"}"#)),
            (br#"{"a\\":{"b":"\\"}}"#, Some(br#"{"a\\":{"b":"\\"}}"#)),
            (br#"{"a":"\u007d\"]"}"#, Some(br#"{"a":"\u007d\"]"}"#)),
            // The first of several counts.
            (br#"{"a":1}{"b":2}"#, Some(br#"{"a":1}"#)),
            (b"{\"a\":\"\xFF\xC3\"}", Some(b"{\"a\":\"\xFF\xC3\"}")),
            (b"{\"a\":\"\0\"}\0\0", Some(b"{\"a\":\"\0\"}")),
            // Brackets that do not fit: the parser will say so.
            (b"{]", Some(b"{]")),
            (b"", None),
            (b" \n ", None),
            (b"\xEF\xBB", None),
            (b"\xEF\xBB\xBF", None),
            (b"{", None),
            (br#"{"a":"}"#, None),
            (br#"{"a":"\"#, None),
            (br#"{"a":[}"#, None),
        ] {
            for size in 1..=bytes.len().max(1) {
                assert_eq!(in_pieces(bytes, size), found, "{} by {size}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn what_is_no_object_is_not_waited_for() {
        for bytes in [&b"nonsense"[..], b"[]", b"null", b"\"{", b"12", b"\0\0{}", b"\xEF\xBB\xBFx", b"\xFF", b"}"] {
            assert!(JsonEnd::default().find(bytes).is_some(), "{}", bytes.escape_ascii());
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\\\\\"{}\\[\\]\n\u{0}é]{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[\\\\\"{}a]{0,4}", inner, 0..5).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_object_is_found_and_none_of_its_beginnings(value in value(), tail in any::<Vec<u8>>(), size in 1..40_usize) {
            let text = json!({ "v": value }).to_string().into_bytes();
            let more = [&b" "[..], &text, &tail].concat();
            prop_assert_eq!(in_pieces(&more, size), Some(&text[..]));
            prop_assert_eq!(in_pieces(&text[..text.len() - 1], size), None);
        }

        #[test]
        fn the_size_of_the_pieces_changes_nothing(
            rest in "[ {}\\[\\]\"\\\\a\n\u{feff}é]{0,60}", size in 1..20_usize
        ) {
            let bytes = format!("{{{rest}").into_bytes();
            prop_assert_eq!(in_pieces(&bytes, size), in_pieces(&bytes, bytes.len()));
        }
    }
}
