//! Small questions about bytes that every room here asks.

/// At most `len` bytes of `text` from `at` on.
pub(super) fn clip(text: &[u8], at: usize, len: usize) -> &[u8] {
    let at = at.min(text.len());
    &text[at..text.len().min(at + len)]
}

/// The first place from `at` on that is not white space, line breaks included.
pub(super) fn skip_blank(text: &[u8], at: usize) -> usize {
    at.min(text.len()) + clip(text, at, 80).iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// The first place from `at` on that is not a space or tab; looks no further than a few columns.
pub(super) fn skip_space(text: &[u8], at: usize) -> usize {
    at + clip(text, at, 40).iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Does `text` begin with `with`, whatever the case?
pub(super) fn starts(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
}

/// Where `part` first stands in `text`, whatever the case.
pub(super) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window.eq_ignore_ascii_case(part))
}

/// Does `part` stand in `text`, whatever the case?
pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    find(text, part).is_some()
}

/// Does `part` stand in `text`, in the same case?
pub(super) fn contains_exact(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
