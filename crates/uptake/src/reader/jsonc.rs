//! JSON as people write it into settings: with comments, and with a comma after the last entry.

use serde_json::Value;

/// The value, if it is one.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(&plain(text)).ok()
}

/// The same without comments and without commas before a closing bracket.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '"' => {
                let end = end_of_string(rest);
                out.push_str(&rest[..end]);
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '}' | ']' => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(c);
                1
            }
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[skipped..];
    }
    out
}

/// Where the string ends that a text begins with.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => (),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out_but_not_of_strings() {
        for (text, expected) in [
            ("{\"a\": 1}", Some("{\"a\":1}")),
            ("// x\n{ /* y */ \"a\": [1, 2, ], // z\n}", Some("{\"a\":[1,2]}")),
            (r#"{"a": "http://x, ]", "b": "\"/* ,}",}"#, Some(r#"{"a":"http://x, ]","b":"\"/* ,}"}"#)),
            ("{\"ä\": \"ö\"} // é", Some("{\"ä\":\"ö\"}")),
            ("{\"a\": \"", None),
            ("/*", None),
            ("", None),
        ] {
            assert_eq!(parse(text).map(|v| v.to_string()), expected.map(str::to_owned), "{text}");
        }
    }
}
