//! Where a value begins and ends: in quotes, or up to a space or delimiter.
//!
//! Comes in: a text and the place where a value begins. Goes out: its bytes, without quotes. What the value is worth is not
//! judged here.

use std::ops::Range;

/// A value as it stands in the text.
pub(super) struct Value {
    /// Its bytes, without quotes.
    pub(super) span: Range<usize>,
    /// Did it stand in quotes?
    pub(super) quoted: bool,
}

const LONGEST: usize = 1_024; // bytes of a value that are looked at

/// Which characters end a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Code, queries, lists: any delimiter.
    AtDelimiter,
    /// A line of its own: a delimiter belongs to the value unless it closes it.
    AtSpace,
}

/// The value that begins at `at`.
pub(super) fn value_at(text: &[u8], at: usize, ends: Ends) -> Option<Value> {
    let at = match text.get(at..at + 2) {
        Some([b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'F' | b'U' | b'@', b'"' | b'\'']) => at + 1,
        _ => at,
    };
    let rest = &text[at.min(text.len())..];
    let rest = &rest[..rest.len().min(LONGEST)];
    match rest.first()? {
        quote @ (b'"' | b'\'' | b'`') => {
            let triple = rest.starts_with(&[*quote; 3]);
            let open = if triple { 3 } else { 1 };
            let len = quoted_len(&rest[open..], *quote);
            Some(Value { span: at + open..at + open + len, quoted: true })
        }
        _ => {
            let len = bare_len(rest, ends);
            let bare = rest[..len].iter().rposition(|b| !closes(*b)).map_or(0, |last| last + 1);
            (bare > 0).then_some(Value { span: at..at + bare, quoted: false })
        }
    }
}

/// Where the value at `span` really ends: of a very long one only the first bytes were looked at.
pub(in crate::redact) fn past(text: &[u8], span: &Range<usize>) -> usize {
    let cut = span.len() + 1 >= LONGEST;
    let ends = |b: &&u8| !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ');
    span.end + if cut { text[span.end..].iter().take_while(ends).count() } else { 0 }
}

fn quoted_len(rest: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    let end = rest.iter().position(|&b| {
        let ends = b == b'\n' || b == b'\r' || (b == quote && !escaped);
        escaped = b == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(rest.len())
}

fn bare_len(rest: &[u8], ends: Ends) -> usize {
    let end = (0..rest.len()).find(|&at| match rest[at] {
        b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ' | 0x7f => true,
        b',' | b';' | b'&' | b'|' | b')' | b'}' | b']' => ends == Ends::AtDelimiter || closes_here(&rest[at + 1..]),
        _ => false,
    });
    end.unwrap_or(rest.len())
}

// After a delimiter that ends a value comes nothing, space, another one, or the next name.
fn closes_here(after: &[u8]) -> bool {
    match after.first() {
        None | Some(0..=b' ' | b',' | b';' | b'&' | b'|' | b')' | b'}' | b']' | b'"' | b'\'' | b'\\') => true,
        Some(_) => {
            let name = after.iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            name > 1 && matches!(after.get(name), Some(b'=' | b':'))
        }
    }
}

fn closes(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b';' | b':' | b')' | b'}' | b']' | b'?')
}
