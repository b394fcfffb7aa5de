//! Secrets known by their place in a protocol: headers and web addresses.

use super::context::{clip, operator_end, skip_space, starts};
use super::span::Span;
use super::value::{self, Ends, value_at};
use std::ops::Range;

/// `Authorization: Bearer VALUE` and its like, in any notation.
pub(super) fn authorization(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let from = opening(text, operator_end(text, name)?);
    let value = credential(text, from).or_else(|| {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        value::random(&text[value.span.clone()]).then_some(value.span)
    })?;
    Some(Span::context(value, "authorization"))
}

// After an opening quote, if there is one.
fn opening(text: &[u8], at: usize) -> usize {
    at + usize::from(matches!(text.get(at), Some(b'"' | b'\'' | b'`')))
}

/// `Bearer VALUE` on its own.
pub(super) fn bearer(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let value = credential(text, name.start)?;
    let said = &text[value.clone()];
    (said.len() >= 16 && value::random(said)).then(|| Span::context(value, "authorization"))
}

const SCHEMES: &[&str] =
    &["bearer ", "basic ", "token ", "apikey ", "api-key ", "bot ", "key ", "negotiate ", "splunk "];
// Schemes whose credential is a list of parameters up to the end of the line.
const LISTS: &[&str] = &["digest ", "aws4-hmac-sha256 ", "hawk ", "oauth "];

fn credential(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at.min(text.len())..];
    if let Some(scheme) = LISTS.iter().find(|scheme| starts(rest, scheme.as_bytes())) {
        let from = at + scheme.len();
        let body = clip(text, from, 2_048);
        let len = body.iter().position(|b| matches!(b, b'\n' | b'\r' | b'\'' | b'`')).unwrap_or(body.len());
        return body[..len].contains(&b'=').then_some(from..from + len);
    }
    let scheme = SCHEMES.iter().find(|scheme| starts(rest, scheme.as_bytes()))?;
    let value = value_at(text, skip_space(text, at + scheme.len()), Ends::AtDelimiter)?;
    let said = &text[value.span.clone()];
    let word = said.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    let believed = if *scheme == "basic " {
        said.len() >= 8 && !word && !value::placeholder(said)
    } else {
        value::random(said) || value::chosen(said, false)
    };
    (believed && !value.quoted).then_some(value.span)
}

/// The values in `Cookie: a=VALUE; b=VALUE`; gives where the header ends.
pub(super) fn cookies(text: &[u8], name: &Range<usize>, spans: &mut Vec<Span>) -> usize {
    let Some(from) = operator_end(text, name).map(|at| opening(text, at)) else {
        return name.end;
    };
    let body = clip(text, from, 8_192);
    let len = body.iter().position(|b| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`')).unwrap_or(body.len());
    let mut at = from;
    for pair in body[..len].split(|b| *b == b';') {
        let value = pair.iter().position(|b| *b == b'=').map(|sign| at + sign + 1..at + pair.len());
        if let Some(value) = value {
            let said = &text[value.clone()];
            if value::random(said) || said.len() >= 16 && value::chosen(said, false) {
                spans.push(Span::context(value, "cookie"));
            }
        }
        at += pair.len() + 1;
    }
    from + len
}

const LONGEST_USERINFO: usize = 512; // bytes

/// The password in `scheme://user:VALUE@host`, or a token in place of the user. `at` is behind
/// the two slashes.
pub(super) fn userinfo(text: &[u8], at: usize) -> Option<Span> {
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
            let real = said.len() >= 3 && said != user && !value::placeholder(said);
            real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
        }
        None => {
            let real = info.len() >= 16 && value::random(info);
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
    let real = colon < memchr::memchr(b'/', info)? && said.get(port) != Some(&b'/') && value::random(said);
    real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
}

/// `auth=('user', 'VALUE')`, `HTTPBasicAuth("user", "VALUE")`. `at` is behind the name.
pub(super) fn pair(text: &[u8], at: usize) -> Option<Span> {
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
    value::chosen(&text[value.span.clone()], true).then(|| Span::context(value.span, "password"))
}

/// `host:5432:database:user:VALUE`, the line of a password file. `port` is where the port stands.
pub(super) fn account(text: &[u8], port: &Range<usize>) -> Option<Span> {
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
    // Further fields may be wildcards too; the stop is the first of them.
    for _ in 0..2 {
        let len = text[at..].iter().take(64).take_while(part).count();
        (len > 0 && text.get(at + len) == Some(&b':')).then_some(())?;
        at += len + 1;
    }
    let len = clip(text, at, 256).iter().position(|b| matches!(b, 0..=b' ' | b'\'' | b'"' | b':'));
    let end = len.map_or(text.len().min(at + 256), |len| at + len);
    let said = &text[at..end];
    (said.len() >= 4 && !value::placeholder(said)).then(|| Span::context(at..end, "password"))
}

/// What follows `::add-mask::`, up to the end of the line or the quote around it.
pub(super) fn masked(text: &[u8], at: usize) -> Option<Span> {
    let value = value_at(text, at, Ends::AtSpace)?;
    value::literal(&text[value.span.clone()]).then(|| Span::context(value.span, "secret"))
}
