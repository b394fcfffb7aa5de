//! Sentences: those of a message, the one around a place, a text cut to a length.

use std::ops::Range;

/// The sentence around a place, without marks of lists, headings and emphasis.
pub(crate) fn sentence<'t>(text: &'t str, place: &Range<usize>) -> &'t str {
    let marks = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '>' | '_' | '•' | '✅' | '"');
    text[around(text, place)].trim_matches(marks)
}

/// Where that sentence begins and ends, marks included.
pub(crate) fn around(text: &str, place: &Range<usize>) -> Range<usize> {
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
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.len() <= limit {
        return one;
    }
    let part = &one[..one.floor_char_boundary(limit.saturating_sub(3))];
    let part = part.rfind(' ').filter(|at| at * 3 >= part.len() * 2).map_or(part, |at| &part[..at]);
    format!("{part}…")
}

/// Where the sentences of a message are. They end at a full stop, a question mark, an exclamation mark before a space, at a semicolon, at a line's end.
pub(crate) fn sentences_of(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut out, mut from) = (Vec::new(), 0);
    for (at, byte) in bytes.iter().enumerate() {
        let spaced = bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        if *byte == b'\n' || spaced && matches!(byte, b'.' | b'!' | b'?' | b';') {
            out.push(from..at + 1);
            from = at + 1;
        }
    }
    out.push(from..text.len());
    out
}

/// The sentences of a text that was written with care, in order: none ends within code or at a shortened word.
pub(crate) fn whole_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, behind) = rest.split_at(end_of_sentence(rest));
        rest = behind.trim_start();
        Some(sentence.trim_end())
    })
}

/// Where the first sentence ends: at a stop before a space, where no shortened word and no code is open.
fn end_of_sentence(text: &str) -> usize {
    let mut code = false;
    for (at, c) in text.char_indices() {
        code ^= c == '`';
        let stops = matches!(c, '.' | '!' | '?') && !code;
        let behind = &text[at + c.len_utf8()..];
        let closing = behind.len() - behind.trim_start_matches(['"', ')', '”']).len();
        let next = behind[closing..].strip_prefix(' ').map(str::trim_start);
        let goes_on = next.is_some_and(|n| n.starts_with(char::is_lowercase));
        let short = ["e.g", "i.e", "etc", "vs", "cf", "approx"].iter().any(|s| text[..at].ends_with(s));
        if stops && next.is_some() && !goes_on && !short {
            return at + c.len_utf8() + closing;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::english::NON_OBVIOUS;

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
