//! Places found, and the text without them.
//!
//! Comes in: a text and the spans found in it. Goes out: the text with a marker in place of each. Markers that are there
//! already are left alone.

use super::shapes::rules::RULES;
use std::ops::Range;

/// A secret and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Span {
    /// Its bytes in the text that was searched.
    pub(super) place: Range<usize>,
    /// What the marker says.
    pub(super) kind: &'static str,
    // Where two spans meet, the one that knows the shape names them.
    shape: bool,
}

impl Span {
    /// A secret known by its own shape.
    pub(super) fn shape(place: Range<usize>, kind: &'static str) -> Self {
        Self { place, kind, shape: true }
    }

    /// A secret known by what stands around it.
    pub(super) fn context(place: Range<usize>, kind: &'static str) -> Self {
        Self { place, kind, shape: false }
    }

    /// The same secret, seen from the text this one was decoded from.
    pub(super) fn at(self, place: Range<usize>) -> Self {
        Self { place, ..self }
    }
}

/// `text` with a marker in place of each span.
pub(super) fn cut(text: &str, mut spans: Vec<Span>) -> String {
    spans.sort_by_key(|span| (span.place.start, std::cmp::Reverse(span.place.end)));
    let mut clean = String::with_capacity(text.len());
    let mut kept = 0;
    for span in joined(spans) {
        let start = text.floor_char_boundary(span.place.start).max(kept);
        let end = text.ceil_char_boundary(span.place.end).max(start);
        clean.push_str(&text[kept..start]);
        clean.push_str("[redacted:");
        clean.push_str(span.kind);
        clean.push(']');
        kept = end;
    }
    clean.push_str(&text[kept..]);
    clean
}

/// Is `text` too short for a secret, or the kind of id that every event of a transcript has?
pub(super) fn too_plain(text: &[u8]) -> bool {
    let uuid = || text.len() == 36 && text.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-') && text[8] == b'-';
    text.len() < SHORTEST || uuid()
}

const SHORTEST: usize = 8; // bytes; no rule and no name with its value fits in less

/// Does `place` lie inside a marker that is already there?
pub(super) fn in_marker(text: &str, place: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let from = place.start.saturating_sub(LONGEST_MARKER);
    let to = bytes.len().min(place.start + OPEN.len());
    let Some(open) = memchr::memmem::rfind(&bytes[from..to], OPEN).map(|open| from + open) else {
        return false;
    };
    let inner = &bytes[open + OPEN.len()..];
    let Some(close) = inner.iter().take(LONGEST_MARKER).position(|b| *b == b']') else {
        return false;
    };
    let ours = open <= place.start && place.end <= open + OPEN.len() + close + 1;
    ours && is_kind(&inner[..close])
}

// Anyone can write `[redacted:...]` around a secret; only our own words are believed.
fn is_kind(word: &[u8]) -> bool {
    RULES.iter().any(|rule| rule.kind.as_bytes() == word) || KINDS.iter().any(|kind| kind.as_bytes() == word)
}

const KINDS: &[&str] = &[
    "password",
    "secret",
    "token",
    "api-key",
    "credential",
    "private-key",
    "aws-secret-key",
    "authorization",
    "cookie",
    "url-password",
    "url-token",
    "kubernetes-secret",
    "known",
    "unreadable",
];
const OPEN: &[u8] = b"[redacted:";
const LONGEST_MARKER: usize = 48; // bytes

fn joined(sorted: Vec<Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::with_capacity(sorted.len());
    for next in sorted {
        match spans.last_mut() {
            Some(last) if next.place.start < last.place.end => {
                last.place.end = last.place.end.max(next.place.end);
                if next.shape && !last.shape {
                    (last.kind, last.shape) = (next.kind, true);
                }
            }
            _ => spans.push(next),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_spans_become_one_marker_named_by_shape() {
        let spans = vec![Span::shape(4..6, "jwt"), Span::context(2..8, "token"), Span::context(9..10, "password")];
        assert_eq!(cut("0123456789", spans), "01[redacted:jwt]8[redacted:password]");
    }

    #[test]
    fn a_span_inside_a_character_takes_all_of_it() {
        assert_eq!(cut("aéb", vec![Span::context(2..3, "x")]), "a[redacted:x]b");
    }
}
