//! Passwords in sentences: a word says that one is coming, or that one just was.
//!
//! Comes in: a name that promises a secret, where it stands in a sentence. Goes out: the word that is the secret.

use super::belief::keeps;
use super::names::{self, Meaning, Proof};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, skip_space, starts};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use std::ops::Range;

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is set to ", "was set to ", "set to ", "was changed to ", "changed to ", "has been set to ", "has been changed to ",
    "is now ", "should be ", "will be ", "must be ", "is: ", "is ", "was ", "to ", "of ", "are ",
];

/// Could a sentence go on from `rest` to tell a secret?
pub(super) fn goes_on(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'i' | b's' | b'w' | b't' | b'o' | b'c' | b'h' | b'm' | b'f' | b'a'))
        && (VERBS.iter().any(|verb| starts(rest, verb.as_bytes())) || starts(rest, b"for "))
}

/// "the password is VALUE", `token` set to VALUE, PASSWORD 'VALUE', with password VALUE, `VALUE` as
/// the password. `after` is behind the name and its closing quote.
pub(super) fn told(text: &[u8], name: &Range<usize>, after: usize, meaning: Meaning) -> Option<Range<usize>> {
    let from = skip_space(text, after);
    let rest = &text[from..];
    let value = if let Some(verb) = VERBS.iter().find(|verb| starts(rest, verb.as_bytes())) {
        let value = value_at(text, skip_space(text, from + verb.len()), Ends::AtDelimiter)?;
        // "Added the key to `FilePointer`" tells nothing.
        let word = &text[value.span.clone()];
        let code = text[..value.span.start].ends_with(b"`") || !value.quoted;
        let part = matches!(*verb, "to " | "of ") && meaning.proof == Proof::Random && code;
        let part = part && (looks::is_compound(word) || !value.quoted);
        let likely = if value.quoted { keeps(meaning, word, true) } else { meaning.sure && looks::uncommon(word) };
        let told = meaning.proof == Proof::Any && is_uncommon_word(word) || !part && likely;
        let random = looks::random(word);
        (random || !part && said(text, &value, meaning) || told && closes(text, &value)).then_some(value)
    } else if starts(rest, b"for ") {
        prompted(text, name, from).filter(|value| said(text, value, meaning))
    } else if from > name.end && matches!(rest.first(), Some(b'\'' | b'"' | b'`')) {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        // A quote can also close here what was opened before the name. A parser speaks of a `token "x"`, too.
        let word = &text[value.span.clone()];
        let name = &text[name.clone()];
        let sure = rest.first() != Some(&b'`') && (looks::random(word) || keeps(meaning, word, true));
        let compound = sure && names::is_compound(name);
        (compound || meaning.proof == Proof::Any && said(text, &value, meaning)).then_some(value)
    } else if from > name.end && meaning.proof == Proof::Any && led_by(text, name, &["with", "using", "by"]) {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        said(text, &value, meaning).then_some(value)
    } else {
        None
    };
    value.map(|value| value.span).or_else(|| before(text, name, meaning))
}

fn said(text: &[u8], value: &Value, meaning: Meaning) -> bool {
    let said = &text[value.span.clone()];
    let word = meaning.proof == Proof::Any || value.quoted && said.iter().any(u8::is_ascii_digit);
    let quoted = value.quoted && meaning.sure && looks::uncommon(said);
    looks::random(said) || looks::chosen(said, false) && word || quoted
}

// "The password is swordfish.": the sentence is over behind it.
fn closes(text: &[u8], value: &Value) -> bool {
    let rest = clip(text, value.span.end + usize::from(value.quoted), 2);
    let over = matches!(rest, [] | [b'\n' | b'\r', ..] | [b'.' | b'!'] | [b'.' | b'!', b' ' | b'\n' | b'\r']);
    over
}

// `Password for 'https://bob@host': VALUE`
fn prompted(text: &[u8], name: &Range<usize>, from: usize) -> Option<Value> {
    let line = clip(text, from, 120);
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let colon = memchr::memmem::find(line, b": ")?;
    let quiet = name.start == 0 || matches!(text[name.start - 1], b'\n' | b' ');
    quiet.then(|| value_at(text, skip_space(text, from + colon + 1), Ends::AtSpace)).flatten()
}

fn led_by(text: &[u8], name: &Range<usize>, words: &[&str]) -> bool {
    let before = text[name.start.saturating_sub(16)..name.start].trim_ascii_end();
    let before = before.strip_suffix(b" the").unwrap_or(before);
    words.iter().any(|word| {
        before.len() > word.len() && before[before.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    })
}

// "`VALUE` as the password", "'VALUE' is my password"
fn before(text: &[u8], name: &Range<usize>, meaning: Meaning) -> Option<Range<usize>> {
    const LINKS: &[&str] = &["as the", "as a", "as your", "as my", "as", "is the", "is your", "is my", "for the"];
    if meaning.proof != Proof::Any {
        return None;
    }
    let from = name.start.saturating_sub(120);
    let mut head = text[from..name.start].trim_ascii_end();
    for middle in ["", " admin", " root", " database", " db", " user"] {
        head = head.strip_suffix(middle.as_bytes()).unwrap_or(head);
    }
    let link = LINKS.iter().find(|link| {
        head.len() > link.len() + 1 && head[head.len() - link.len()..].eq_ignore_ascii_case(link.as_bytes())
    })?;
    let head = head[..head.len() - link.len()].trim_ascii_end();
    let (quote, body) = head.split_last().filter(|(quote, _)| matches!(quote, b'`' | b'\'' | b'"'))?;
    let open = body.iter().rposition(|b| b == quote || *b == b'\n').filter(|i| body[*i] == *quote)?;
    let start = from + open + 1;
    let span = start..start + body.len() - open - 1;
    looks::chosen(&text[span.clone()], false).then_some(span)
}

// Is `word` a word, but none that says how something is?
fn is_uncommon_word(word: &[u8]) -> bool {
    word.len() >= 8 && word.iter().all(u8::is_ascii_lowercase) && !placeholder(word) && looks::is_uncommon(word)
}
