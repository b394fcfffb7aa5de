//! Terminal sequences: colours, titles, moves of the cursor. How long each is, and where that is in doubt.
//!
//! Comes in: the bytes behind what opens a sequence. Goes out: how many of them belong to it.

pub(super) const ESC: u8 = 0x1b;

/// Length of a sequence after its ESC: control, title, or two characters.
pub(super) fn sequence_len(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'[') => 1 + control_len(&rest[1..]),
        // A title or link ends with BEL or ESC \; one that never ends must not eat the text.
        Some(b']' | b'P' | b'^' | b'_') => {
            let body = &rest[..rest.len().min(LONGEST_TITLE)];
            match body.iter().position(|b| matches!(*b, 0x07 | ESC | b'\n')) {
                Some(end) if body[end] == 0x07 => end + 1,
                Some(end) if body[end] == ESC && rest.get(end + 1) == Some(&b'\\') => end + 2,
                _ => 1,
            }
        }
        Some(b'(' | b')') => 1 + usize::from(rest.get(1).is_some_and(u8::is_ascii_alphanumeric)),
        Some(0x30..=0x7e) => 1,
        _ => 0,
    }
}

/// Length of a control sequence after what opens it: parameters, then signs, then one letter. Anything else is text, and
/// has length zero.
pub(super) fn control_len(rest: &[u8]) -> usize {
    let parameters = rest.iter().take_while(|b| matches!(b, 0x30..=0x3f)).count();
    let between = rest[parameters..].iter().take_while(|b| matches!(b, 0x20..=0x2f)).count();
    let body = parameters + between;
    match rest.get(body) {
        Some(last) if last.is_ascii_alphabetic() || between == 0 && matches!(last, 0x40..=0x7e) => body + 1,
        Some(_) => 0,
        None => body, // cut off
    }
}

const LONGEST_TITLE: usize = 2_048; // bytes
const CONTROL_SEQUENCE_END: u8 = 0x9b; // ESC and `[` in one character: the second of its two bytes

/// Does `text` hold a sequence that may end one letter too late? That letter may be the first of a word: behind a bare ESC,
/// or behind a sign at the end of a control sequence.
pub(in crate::redact) fn is_ambiguous(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(ESC, CONTROL_SEQUENCE_END, bytes).any(|at| {
        let rest = match &bytes[at + 1..] {
            [b'[', rest @ ..] => rest,
            rest if bytes[at] == CONTROL_SEQUENCE_END => rest,
            [b'(' | b')', next, ..] | [next, ..] => return next.is_ascii_alphanumeric(),
            [] => return false,
        };
        let body = &rest[..control_len(rest)];
        body.len() > 1 && matches!(body[body.len() - 2], b' '..=b'/')
    })
}
