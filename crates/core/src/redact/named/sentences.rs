//! Passwords in sentences: a word says that one is coming, or that one just was.
//!
//! Comes in: a name that promises a secret, where it stands in a sentence. Goes out: the word that is the secret.

use super::belief::keeps;
use super::names::{self, Meaning, Proof};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, skip_blank, skip_space, starts};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use std::ops::Range;

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is set to ", "was set to ", "set to ", "was changed to ", "changed to ", "has been set to ", "has been changed to ",
    "is now ", "should be ", "will be ", "must be ", "is: ", "is ", "was ", "to ", "of ", "are ", "lautet ", "ist ", "est ", "es ",
    "has value ", "has the value ", "with value ",
];

/// Could a sentence go on from `rest` to tell a secret?
pub(super) fn goes_on(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'i' | b's' | b'w' | b't' | b'o' | b'c' | b'h' | b'm' | b'f' | b'a' | b'l' | b'e'))
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
        let part = part && (looks::is_compound(word) || !value.quoted) && !(*verb == "to " && is_set(text, name));
        let likely = if value.quoted { keeps(meaning, word, true) } else { meaning.sure && looks::uncommon(word) };
        let told = meaning.proof == Proof::Any && is_uncommon_word(word) || !part && likely;
        let random = looks::random(word);
        let firm = !part && tells(text, name, &value, meaning);
        (random || firm || !part && said(text, &value, meaning) || told && closes(text, &value)).then_some(value)
    } else if starts(rest, b"for ") {
        let prompted = prompted(text, name, from).filter(|value| said(text, value, meaning));
        prompted.or_else(|| announced(text, name, from, meaning))
    } else if from > name.end && matches!(rest.first(), Some(b'\'' | b'"' | b'`')) {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        // A quote can also close here what was opened before the name. A parser speaks of a `token "x"`, too.
        let word = &text[value.span.clone()];
        let name = &text[name.clone()];
        let sure = rest.first() != Some(&b'`') && (looks::random(word) || keeps(meaning, word, true));
        let compound = sure && names::is_compound(name);
        (compound || meaning.proof == Proof::Any && said(text, &value, meaning)).then_some(value)
    } else if from > name.end && rest.first() == Some(&b'(') {
        bracketed(text, from).filter(|value| tells(text, name, value, meaning))
    } else if from > name.end && led_by(text, name, &["with", "using", "by", "try", "use", "enter"]) {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        let any = meaning.proof == Proof::Any && said(text, &value, meaning);
        (any || tells(text, name, &value, meaning)).then_some(value)
    } else {
        None
    };
    value.map(|value| value.span).or_else(|| before(text, name, meaning))
}

// Is `value` none that a sentence about `name` would have? Then the sentence may go on behind it.
fn tells(text: &[u8], name: &Range<usize>, value: &Value, meaning: Meaning) -> bool {
    let word = &text[value.span.clone()];
    let said = &text[name.clone()];
    let firm = names::is_compound(said) || meaning.proof == Proof::Any || names::is_qualified(word_before(text, name));
    let phrase = firm && looks::pronounced(word) && !counts(text, value);
    meaning.sure && word.first().is_some_and(u8::is_ascii_alphanumeric) && (looks::coined(word) || phrase)
}

// The word right before the name: "access" in "access token".
fn word_before<'t>(text: &'t [u8], name: &Range<usize>) -> &'t [u8] {
    let before = text[..name.start].strip_suffix(b" ").unwrap_or_default();
    &before[before.len() - before.iter().rev().take(24).take_while(|b| b.is_ascii_alphabetic()).count()..]
}

// "the staging token (VALUE)"; not `client_secret (auth.ApiKey2)`, the type of an argument.
fn bracketed(text: &[u8], open: usize) -> Option<Value> {
    let value = value_at(text, open + 1, Ends::AtDelimiter)?;
    let closed = text.get(value.span.end + usize::from(value.quoted)) == Some(&b')');
    (closed && !text[value.span.clone()].contains(&b'.')).then_some(value)
}

// "The token for staging is:", and VALUE alone on a line below.
fn announced(text: &[u8], name: &Range<usize>, from: usize, meaning: Meaning) -> Option<Value> {
    let line = clip(text, from, 60);
    let line = &line[..memchr::memchr(b'\n', line)?];
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-' | b'_' | b':' | b'.' | b'\r');
    (line.trim_ascii_end().ends_with(b":") && line.iter().all(plain)).then_some(())?;
    let value = value_at(text, skip_blank(text, from + line.len()), Ends::AtSpace)?;
    let quote = usize::from(value.quoted);
    let alone = matches!(text.get(value.span.end + quote), None | Some(b'\n' | b'\r'));
    let kept = names::is_compound(&text[name.clone()]) && keeps(meaning, &text[value.span.clone()], true);
    (alone && (kept || tells(text, name, &value, meaning))).then_some(value)
}

// "The password is 100000 characters long."
fn counts(text: &[u8], value: &Value) -> bool {
    const UNITS: &[&str] =
        &["char", "byte", "bit", "digit", "letter", "second", "minute", "hour", "day", "time", "token", "iteration"];
    let rest = &text[skip_space(text, value.span.end)..];
    UNITS.iter().any(|unit| starts(rest, unit.as_bytes()))
}

// "Set NAME to VALUE": a verb before the name says that what follows is its value.
fn is_set(text: &[u8], name: &Range<usize>) -> bool {
    led_by(
        text,
        name,
        &["set", "change", "changed", "update", "updated", "rotate", "rotated", "reset", "setting", "changing"],
    )
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

// Is one of `words` among the last four before the name, with nothing but words between?
fn led_by(text: &[u8], name: &Range<usize>, words: &[&str]) -> bool {
    let before = &text[name.start.saturating_sub(40)..name.start];
    let plain =
        before.iter().rev().take_while(|b| b.is_ascii_alphabetic() || matches!(b, b' ' | b'`' | b'"' | b'\'')).count();
    let last = before[before.len() - plain..].rsplit(|b| !b.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    last.take(4).any(|word| words.iter().any(|lead| word.eq_ignore_ascii_case(lead.as_bytes())))
}

// "`VALUE` as the password", "'VALUE' is my password", "use VALUE for the staging token"
fn before(text: &[u8], name: &Range<usize>, meaning: Meaning) -> Option<Range<usize>> {
    let head = linked(text, name)?;
    let end = head.len();
    let quote = *head.last()?;
    let start = if matches!(quote, b'`' | b'\'' | b'"') {
        let from = end.saturating_sub(120);
        let open = head[from..end - 1].iter().rposition(|b| *b == quote || *b == b'\n')? + from;
        (head[open] == quote).then_some(open + 1)?
    } else {
        end - head.iter().rev().take(120).take_while(|b| b.is_ascii_graphic()).count()
    };
    let span = start..end - usize::from(matches!(quote, b'`' | b'\'' | b'"'));
    let value = Value { quoted: span.end < end, span };
    let said = &text[value.span.clone()];
    let several = names::is_compound(&text[name.clone()]);
    let kept = several && (looks::random(said) || keeps(meaning, said, true));
    let chosen = value.quoted && (kept || meaning.proof == Proof::Any && looks::chosen(said, false));
    // Without quotes a sign may belong to the sentence: "**complete coverage** for the token".
    let signs = !value.quoted && !said.iter().any(|b| b.is_ascii_digit() || *b == b'-');
    (chosen || !signs && tells(text, name, &value, meaning)).then_some(value.span)
}

/// What stands before "as the", "is my" and their like, if these lead to `name` over at most three words.
pub(super) fn linked<'t>(text: &'t [u8], name: &Range<usize>) -> Option<&'t [u8]> {
    let mut head = text[..name.start].strip_suffix(b" ")?;
    for _ in 0..4 {
        let (rest, word) = last_word(head)?;
        if word.eq_ignore_ascii_case(b"as") {
            return Some(rest);
        }
        let article = word.len() < 5 && [&b"the"[..], b"a", b"your", b"my", b"our"].contains(&word);
        match last_word(rest) {
            Some((before, b"as" | b"is" | b"for")) if article => return Some(before),
            _ => head = rest,
        }
    }
    None
}

// The word at the end of `text`, and what stands before it and the space between.
fn last_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = text.iter().rev().take(24).take_while(|b| b.is_ascii_alphabetic()).count();
    let (rest, word) = text.split_at(text.len() - len);
    Some((rest.strip_suffix(b" ").filter(|_| len > 0)?, word))
}

// Is `word` a word, but none that says how something is?
fn is_uncommon_word(word: &[u8]) -> bool {
    word.len() >= 8 && word.iter().all(u8::is_ascii_lowercase) && !placeholder(word) && looks::is_uncommon(word)
}
