//! Secrets in headers of web requests: `Authorization`, `Bearer`, `Cookie`.
//!
//! Comes in: a text and the place of the header's name, in any notation. Goes out: the credential, or the cookies' values.

use super::assignments::operator_end;
use super::belief::keeps;
use super::names;
use super::value::{Ends, value_at};
use crate::redact::bytes::{clip, skip_space, starts};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use crate::redact::span::Span;
use std::ops::Range;

/// `Authorization: Bearer VALUE` and its like, in any notation.
pub(in crate::redact) fn authorization(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let from = opening(text, operator_end(text, name)?);
    let value = credential(text, from).or_else(|| {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        looks::random(&text[value.span.clone()]).then_some(value.span)
    })?;
    Some(Span::context(value, "authorization"))
}

// After an opening quote, if there is one.
fn opening(text: &[u8], at: usize) -> usize {
    at + usize::from(matches!(text.get(at), Some(b'"' | b'\'' | b'`')))
}

/// `Bearer VALUE` on its own.
pub(in crate::redact) fn bearer(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let value = credential(text, name.start)?;
    let said = &text[value.clone()];
    (said.len() >= 16 && looks::random(said)).then(|| Span::context(value, "authorization"))
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
        said.len() >= 8 && !word && !placeholder(said)
    } else {
        looks::random(said) || looks::chosen(said, false)
    };
    (believed && !value.quoted).then_some(value.span)
}

/// The values in `Cookie: a=VALUE; b=VALUE`; gives where the header ends.
pub(in crate::redact) fn cookies(text: &[u8], name: &Range<usize>, spans: &mut Vec<Span>) -> usize {
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
            let name = pair[..pair.len() - said.len() - 1].trim_ascii();
            let named = || names::meaning(name).is_some_and(|meaning| keeps(meaning, said, false));
            if looks::random(said) || said.len() >= 16 && looks::chosen(said, false) || named() {
                spans.push(Span::context(value, "cookie"));
            }
        }
        at += pair.len() + 1;
    }
    from + len
}
