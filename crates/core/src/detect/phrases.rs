//! Phrases in messages, as whole words, and the sentence around them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::session::{Body, Event, Excerpt, Origin};

/// Says that something was not as it seemed.
pub(super) static NON_OBVIOUS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "turns out",
        "turned out",
        "root cause",
        "root Cause",
        "the trick",
        "not obvious",
        "non-obvious",
        "surprisingly",
        "counterintuitive",
        "counterintuitively",
        "counter-intuitively",
        "key insight",
        "the culprit",
        "the gotcha",
        "the real issue",
        "the real problem",
        "the real cause",
        "the real reason",
        "the real culprit",
        "the real bug",
        "the actual issue",
        "the actual cause",
        "the actual problem",
        "the actual bug",
    ])
});

/// A person says that something is wrong.
pub(super) static PROBLEM: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "fails",
        "failing",
        "failed",
        "broken",
        "breaks",
        "crash",
        "crashes",
        "crashed",
        "crashing",
        "an error",
        "the error",
        "this error",
        "error when",
        "errors out",
        "getting errors",
        "throws",
        "an exception",
        "a bug",
        "the bug",
        "this bug",
        "doesn't work",
        "doesn’t work",
        "does not work",
        "don't work",
        "not working",
        "isn't working",
        "stopped working",
        "is wrong",
        "regression",
        "hangs",
        "incorrect",
    ])
});

/// The assistant names what is wrong.
pub(super) static CAUSE: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "root cause",
        "the issue is",
        "the issue was",
        "the problem is",
        "the problem was",
        "the bug is",
        "the bug was",
        "the real issue",
        "the real problem",
        "the real cause",
        "the real bug",
        "the actual issue",
        "the actual problem",
        "the actual bug",
        "fails because",
        "failed because",
        "failing because",
        "broke because",
        "breaks because",
        "turns out",
        "the culprit",
    ])
});

/// The assistant says that it is done.
pub(super) static CLAIM: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "fixed",
        "resolved",
        "solved",
        "works now",
        "now works",
        "working now",
        "now passes",
        "now pass",
        "pass now",
        "tests pass",
        "checks pass",
        "all pass",
        "all passing",
        "test passes",
        "build passes",
        "passes now",
        "the fix",
    ])
});

/// A set of phrases, found whatever their case. Most texts have none: they are passed over by a quick search for
/// the phrases without their first letter, which alone is a capital at the start of a sentence.
pub(super) struct Phrases {
    quick: Option<AhoCorasick>,
    exact: Option<AhoCorasick>,
}

impl Phrases {
    fn new(list: &[&str]) -> Self {
        // Only leftmost searches of letters as they stand use the processor's vectors.
        let quick = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(list.iter().map(|p| &p[1..]));
        let exact = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(list);
        Self { quick: quick.ok(), exact: exact.ok() }
    }

    /// Where a phrase stands as words, first one first.
    pub(crate) fn all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let some = self.quick.as_ref().is_none_or(|q| q.is_match(text));
        let exact = self.exact.iter().filter(move |_| some);
        exact.flat_map(move |set| set.find_iter(text)).map(|m| m.range()).filter(|r| is_word(text, r))
    }

    /// The first of them.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.all(text).next()
    }
}

/// "prefix" is not "fix", "know" is not "no", `error.rs` is not "error".
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '`');
    let after = &text[range.end..];
    let dotted = after.strip_prefix(['.', ':']).is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric()));
    !text[..range.start].ends_with(|c| joins(c) || c == '.') && !after.starts_with(joins) && !dotted
}

/// The sentence around a place, without marks of lists, headings and emphasis.
pub(super) fn sentence<'t>(text: &'t str, place: &Range<usize>) -> &'t str {
    let marks = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '>' | '_' | '•' | '✅' | '"');
    text[around(text, place)].trim_matches(marks)
}

/// Where that sentence begins and ends, marks included.
pub(super) fn around(text: &str, place: &Range<usize>) -> Range<usize> {
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
pub(super) fn cut(text: &str, limit: usize) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.len() <= limit {
        return one;
    }
    let part = &one[..one.floor_char_boundary(limit.saturating_sub(3))];
    let part = part.rfind(' ').filter(|at| at * 3 >= part.len() * 2).map_or(part, |at| &part[..at]);
    format!("{part}…")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_words() {
        for (text, found) in [
            ("a terrorist movie list", false),
            ("see errors.rs", false),
            ("`error` is a name", false),
            ("It Fails.", true),
            ("the crash-log", false),
            ("an error: x", true),
            ("all errors of a book", false),
        ] {
            assert_eq!(PROBLEM.find(text).is_some(), found, "{text}");
        }
        assert!(CLAIM.find("Read prefixed table").is_none());
    }

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
