//! Values in elements, attributes and blocks that a name opens.
//!
//! Comes in: a name that promises a secret. Goes out: the value in its element or block, if it is believed.

use super::belief::{Ground, Named};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, skip_blank, skip_space};
use memchr::memmem;
use std::ops::Range;

/// `<password>VALUE</password>`, `<string name="password">VALUE</string>`,
/// `<key>password</key><string>VALUE</string>`.
pub(super) fn element(named: &Named) -> Option<Range<usize>> {
    let (text, end) = (named.text, named.name.end);
    let start = match (named.before(1), clip(text, end, 7)) {
        (b"<", _) => opened(text, end)?,
        (b"\"", [b'"', b'>', ..]) => end + 2,
        (b">", [b'<', b'/', b'k', b'e', b'y', b'>', ..]) => {
            let next = skip_blank(text, end + 6);
            (clip(text, next, 8) == b"<string>").then_some(next + 8)?
        }
        _ => return None,
    };
    body(named, start)
}

// Behind the `>` of an element whose name ends at `end`.
fn opened(text: &[u8], end: usize) -> Option<usize> {
    let head = clip(text, end, 200);
    let close = head.iter().position(|b| matches!(b, b'>' | b'\n'))?;
    (head[close] == b'>' && !head[..close].ends_with(b"/")).then_some(end + close + 1)
}

fn body(named: &Named, start: usize) -> Option<Range<usize>> {
    let text = named.text;
    let start = if clip(text, start, 9) == b"<![CDATA[" { start + 9 } else { start };
    let body = clip(text, start, 4_096);
    // The value may stand on a line of its own, if the element is closed behind it.
    let lead = body.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let len = lead + body[lead..].iter().position(|b| matches!(b, b'<' | b'\n' | b']'))?;
    let over_lines = body[..lead].contains(&b'\n');
    let closed = body[len..].trim_ascii_start().starts_with(b"</");
    (!over_lines || closed).then_some(())?;
    let trail = body[lead..len].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    named.believe(&Value { span: start + lead..start + len - trail, quoted: true }, Ground::Plain)
}

/// `variable "password" { default = "VALUE" }`, `"password": { "type": "string", "default": "VALUE" }`
pub(super) fn block_default(named: &Named) -> Option<Range<usize>> {
    let (text, after) = (named.text, named.after_name());
    let sign = skip_space(text, after);
    let open = if text.get(sign) == Some(&b':') { skip_blank(text, sign + 1) } else { sign };
    if text.get(open) != Some(&b'{') || after == named.name.end {
        return None;
    }
    let block = clip(text, open, 400);
    let block = &block[..memchr::memchr(b'}', block).unwrap_or(block.len())];
    [&b"default"[..], b"value"].iter().find_map(|key| {
        let end = open + memmem::find(block, key)? + key.len();
        let quote = usize::from(text.get(end) == Some(&b'"'));
        let sign = skip_space(text, end + quote);
        let assigned = matches!(text.get(sign), Some(b'=' | b':'));
        let value = assigned.then(|| value_at(text, skip_space(text, sign + 1), Ends::AtDelimiter)).flatten()?;
        named.believe(&value, Ground::Plain)
    })
}

/// `Content-Disposition: form-data; name="password"`, a blank line, VALUE: a part of a form.
pub(super) fn form_part(named: &Named) -> Option<Range<usize>> {
    let text = named.text;
    let part = named.before(40).ends_with(b"form-data; name=\"") && text.get(named.name.end) == Some(&b'"');
    let from = named.name.end + 1;
    let blank = [&b"\r\n\r\n"[..], b"\n\n"].into_iter().find(|blank| part && text[from..].starts_with(blank))?;
    let start = from + blank.len();
    let len = clip(text, start, 4_096).iter().position(|b| matches!(b, b'\r' | b'\n'))?;
    named.believe(&Value { span: start..start + len, quoted: true }, Ground::Plain)
}
