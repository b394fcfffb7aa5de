//! The words of a message: its texts, the sentence around a place, a text cut to a length.

use std::ops::Range;

use crate::session::{Body, Event, Excerpt, Origin};

/// The sentence around a place, without marks of lists, headings and emphasis.
pub(in crate::detect) fn sentence<'t>(text: &'t str, place: &Range<usize>) -> &'t str {
    let marks = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '>' | '_' | '•' | '✅' | '"');
    text[around(text, place)].trim_matches(marks)
}

/// Where that sentence begins and ends, marks included.
pub(in crate::detect) fn around(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[place.end..].find('\n').map_or(text.len(), |at| place.end + at);
    let ends = |from: usize, to: usize| {
        text[from..to].match_indices(['.', '!', '?']).map(move |(at, _)| from + at + 1).filter(move |end| {
            // `e.g. this` goes on; a new sentence begins with a capital letter or a mark.
            let rest = &text[*end..];
            let tail = rest.trim_start_matches(['*', '"', ')', '_']);
            tail.is_empty() || tail.starts_with('\n') || (tail.starts_with(' ') && !starts_small(tail.trim_start()))
        })
    };
    let from = ends(start, place.start).next_back().unwrap_or(start);
    let to = ends(place.end, line_end).next().unwrap_or(line_end);
    from..to
}

fn starts_small(text: &str) -> bool {
    text.starts_with(|c: char| c.is_lowercase())
}

/// At most so many bytes, in one line, cut at a word where one ends near.
pub(in crate::detect) fn cut(text: &str, limit: usize) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.len() <= limit {
        return one;
    }
    let part = &one[..one.floor_char_boundary(limit.saturating_sub(3))];
    let part = part.rfind(' ').filter(|at| at * 3 >= part.len() * 2).map_or(part, |at| &part[..at]);
    format!("{part}…")
}

/// What a text begins and ends with; two parts if its middle is missing.
pub(in crate::detect) fn parts(text: &Excerpt) -> impl Iterator<Item = &str> {
    [text.head(), text.stored_tail()].into_iter().filter(|p| !p.is_empty())
}

/// The words of an assistant's message.
pub(in crate::detect) fn assistant(event: &Event) -> impl Iterator<Item = &str> {
    let text = match &event.body {
        Body::Assistant { text } => Some(text),
        _ => None,
    };
    text.into_iter().flat_map(parts)
}

/// What a person typed, and with `Origin::Tool` what they pasted.
pub(in crate::detect) fn spans(event: &Event, origin: Origin) -> impl Iterator<Item = &str> {
    let spans = match &event.body {
        Body::User { spans, .. } => spans.as_slice(),
        _ => &[],
    };
    spans.iter().filter(move |s| s.origin == origin).flat_map(|s| parts(&s.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::phrases::NON_OBVIOUS;

    #[test]
    fn the_sentence_around_a_place() {
        for (text, expected) in [
            (
                "Looked at it. It turns out `a.b` is cached, e.g. twice. Next.",
                "It turns out `a.b` is cached, e.g. twice.",
            ),
            ("## Plan\n- **Root cause**: the lock is held\nmore", "Root cause**: the lock is held"),
            ("turns out v1.2 is old", "turns out v1.2 is old"),
        ] {
            let place = NON_OBVIOUS.find(text).expect("there");
            assert_eq!(sentence(text, &place), expected);
        }
    }

    #[test]
    fn a_cut_keeps_whole_characters() {
        assert_eq!(cut("ää  ää", 100), "ää ää");
        assert!(cut(&"ä".repeat(100), 21).len() <= 22);
    }
}
