//! Is a value code: an expression, a type, the name of a setting, a path?
//!
//! Comes in: one value. Goes out: yes or no. Code about secrets must stay readable.

use super::chance::{by_chance, jumbled, unnatural, wordy};
use crate::redact::bytes::{contains, contains_exact};

/// `user.password`, `get_token(x)`, `tokens[0]`, `Token::new`, `a->b`, `x => y`.
pub(super) fn expression(value: &[u8]) -> bool {
    let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$';
    let value = value.strip_prefix(b"::").unwrap_or(value);
    let head = value.iter().take_while(|b| name(b)).count();
    let chain = value.iter().take_while(|b| name(b) || b".?!:->".contains(b)).count();
    let called = head > 0
        && (matches!(value.get(chain), Some(b'(' | b'['))
            || matches!(value.get(head..head + 2), Some(b"::" | b"->" | b"=>" | b"?." | b"!."))
            || value.get(head) == Some(&b'=') && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'=')
            || value.get(head) == Some(&b'.') && dotted(value));
    called || PATTERNS.iter().any(|part| contains_exact(value, part))
}

// Code, and the signs of regular expressions.
const PATTERNS: &[&[u8]] =
    &[b"();", b"=>", b"\\w", b"\\d", b"\\s", b"\\S", b"[^", b"(?", b".*", b"[a-z", b"[A-Z", b"[0-9"];

// Names joined by dots: at least one is a plain word, none looks generated.
fn dotted(value: &[u8]) -> bool {
    let end = value.iter().position(|b| matches!(b, b'(' | b'[' | b'?' | b'!')).unwrap_or(value.len());
    value[..end].split(|b| *b == b'.').all(|part| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && part.split(|b| *b == b'_').all(|word| word.iter().all(u8::is_ascii_alphanumeric) && wordy(word))
    }) && !value[..end].split(|b| !b.is_ascii_alphanumeric()).any(jumbled)
        && !by_chance(&value[..end])
}

/// `Uint8Array`, `FilePointer`: a capital, then words.
pub(super) fn is_type(value: &[u8]) -> bool {
    let number_inside = value.iter().rposition(u8::is_ascii_digit).is_none_or(|at| at + 1 < value.len());
    value[0].is_ascii_uppercase()
        && value.iter().all(u8::is_ascii_alphanumeric)
        && number_inside
        && wordy(value)
        && !unnatural(value)
}

/// Is `value` the name of a setting: words joined by `_`, `-` or `.`, one of them about secrets?
pub(in crate::redact) fn is_name(value: &[u8]) -> bool {
    const ABOUT: &[&str] = &["pass", "secret", "token", "key", "cred", "auth"];
    // Words of passphrases that only sound like it.
    const OTHERS: &[&str] =
        &["monkey", "turkey", "donkey", "hockey", "jockey", "whiskey", "compass", "keyboard", "author", "sacred"];
    let part = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b'/');
    let word = |word: &[u8]| {
        ABOUT.iter().any(|about| contains(word, about.as_bytes()))
            && !OTHERS.iter().any(|other| contains(word, other.as_bytes()))
    };
    value.iter().all(part) && value.split(|b| !b.is_ascii_alphabetic()).any(word)
}

fn chunks(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|b| !b.is_ascii_alphanumeric())
}

/// Is `value` a path or a web address?
pub(in crate::redact) fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|b| **b == b'/').count();
    let rooted = matches!(value, [b'/', ..] | [b'~', b'/', ..] | [b'.', b'/', ..] | [_, b':', b'\\' | b'/', ..]);
    contains_exact(value, b"://")
        || slashes > 0
            && (rooted || slashes > 1 && !by_chance(value) && !chunks(value).any(jumbled))
            && chunks(value).all(wordy)
}
