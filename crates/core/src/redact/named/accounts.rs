//! A user and a password side by side: in a web address, as a pair in code, on a line of a password file.
//!
//! Comes in: a text and the place that gives the notation away. Goes out: the password.

use super::value::{Ends, value_at};
use crate::redact::bytes::{clip, skip_space};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use crate::redact::span::Span;
use std::ops::Range;

const LONGEST_USERINFO: usize = 512; // bytes

/// The password in `scheme://user:VALUE@host`, or a token in place of the user. `at` is behind
/// the two slashes.
pub(in crate::redact) fn userinfo(text: &[u8], at: usize) -> Option<Span> {
    let rest = clip(text, at, LONGEST_USERINFO);
    let end = rest.iter().position(|b| matches!(b, 0..=b' ' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\'));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let host = memchr::memchr(b'/', rest).unwrap_or(rest.len());
    let Some(sign) = memchr::memrchr(b'@', &rest[..host]) else {
        return slashed(rest, at);
    };
    let info = &rest[..sign];
    match memchr::memchr(b':', info) {
        Some(colon) => {
            let (user, said) = (&info[..colon], &info[colon + 1..]);
            let real = said.len() >= 3 && said != user && !placeholder(said);
            real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
        }
        None => {
            let real = info.len() >= 16 && looks::random(info);
            real.then(|| Span::context(at..at + info.len(), "url-token"))
        }
    }
}

// A password with a slash should have been encoded. Where it was not, it must look generated: a
// port and a path with an `@` in it are far more common.
fn slashed(rest: &[u8], at: usize) -> Option<Span> {
    let info = &rest[..memchr::memrchr(b'@', rest)?];
    let colon = memchr::memchr(b':', info)?;
    let said = &info[colon + 1..];
    let port = said.iter().take_while(|b| b.is_ascii_digit()).count();
    let real = colon < memchr::memchr(b'/', info)? && said.get(port) != Some(&b'/') && looks::random(said);
    real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
}

/// `auth=('user', 'VALUE')`, `HTTPBasicAuth("user", "VALUE")`. `at` is behind the name.
pub(in crate::redact) fn pair(text: &[u8], at: usize) -> Option<Span> {
    let at = skip_space(text, at);
    let at = skip_space(text, at + usize::from(matches!(text.get(at), Some(b'=' | b':'))));
    let open = skip_space(text, at + 1);
    if !matches!(text.get(at), Some(b'(' | b'[')) {
        return None;
    }
    let user = value_at(text, open, Ends::AtDelimiter)?;
    let comma = skip_space(text, user.span.end + usize::from(user.quoted));
    let from = (text.get(comma) == Some(&b',')).then(|| skip_space(text, comma + 1))?;
    let value = value_at(text, from, Ends::AtDelimiter).filter(|value| value.quoted)?;
    looks::chosen(&text[value.span.clone()], true).then(|| Span::context(value.span, "password"))
}

/// `host:5432:database:user:VALUE`, the line of a password file. `port` is where the port stands.
pub(in crate::redact) fn password_file(text: &[u8], port: &Range<usize>) -> Option<Span> {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.*$".contains(b);
    let host = text[..port.start].iter().rev().take(256).take_while(part).count();
    let before = text[..port.start - host].last();
    if host == 0
        || !matches!(before, None | Some(b'\n' | b'\'' | b'"' | b' ' | b'\t' | b'+' | b'-'))
            && before.is_some_and(u8::is_ascii)
    {
        return None;
    }
    let mut at = port.end;
    // Database and user, each perhaps a wildcard.
    for _ in 0..2 {
        let len = text[at..].iter().take(64).take_while(part).count();
        (len > 0 && text.get(at + len) == Some(&b':')).then_some(())?;
        at += len + 1;
    }
    let len = clip(text, at, 256).iter().position(|b| matches!(b, 0..=b' ' | b'\'' | b'"' | b':'));
    let end = len.map_or(text.len().min(at + 256), |len| at + len);
    let said = &text[at..end];
    (said.len() >= 4 && !placeholder(said)).then(|| Span::context(at..end, "password"))
}
