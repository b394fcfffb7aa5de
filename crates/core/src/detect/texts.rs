//! The texts of events: what the assistant said, what a person typed or pasted.

use crate::session::{Body, Event, Excerpt, Origin};

/// What a text begins and ends with; two parts if its middle is missing.
pub(super) fn parts(text: &Excerpt) -> impl Iterator<Item = &str> {
    [text.head(), text.stored_tail()].into_iter().filter(|p| !p.is_empty())
}

/// The words of an assistant's message.
pub(super) fn assistant(event: &Event) -> impl Iterator<Item = &str> {
    let text = match &event.body {
        Body::Assistant { text } => Some(text),
        _ => None,
    };
    text.into_iter().flat_map(parts)
}

/// What a person typed, and with `Origin::Tool` what they pasted.
pub(super) fn spans(event: &Event, origin: Origin) -> impl Iterator<Item = &str> {
    let spans = match &event.body {
        Body::User { spans, .. } => spans.as_slice(),
        _ => &[],
    };
    spans.iter().filter(move |s| s.origin == origin).flat_map(|s| parts(&s.text))
}
