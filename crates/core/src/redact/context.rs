//! Secrets known by the name in front of them: assignments in any notation, flags, elements,
//! table cells, sentences.
//!
//! Comes in: a text and a place in it where a telling word stands. Goes out: the value, if the
//! name around that word promises a secret and the value keeps the promise.

use super::names::{self, Meaning, Proof};
use super::span::Span;
use super::value::{self, Ends, Value, value_at};
use std::ops::Range;

const LONGEST_NAME: usize = 64; // bytes on either side of the telling word

/// The whole name around a telling word.
pub(super) fn name_around(text: &[u8], word: &Range<usize>) -> Range<usize> {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let left = text[..word.start].iter().rev().take(LONGEST_NAME).take_while(|b| part(b)).count();
    let right = text[word.end..].iter().take(LONGEST_NAME).take_while(|b| part(b)).count();
    let (mut start, mut end) = (word.start - left, word.end + right);
    while start < word.start && matches!(text[start], b'-' | b'.') {
        start += 1;
    }
    while end > word.end && matches!(text[end - 1], b'-' | b'.') {
        end -= 1;
    }
    start..end
}

/// Could a value follow `name`? Most names stand in a sentence or in code, and reading them as
/// words costs more than this.
pub(super) fn introduces(text: &[u8], name: &Range<usize>) -> bool {
    let quote = usize::from(matches!(text.get(name.end), Some(b'"' | b'\'' | b'`')));
    let rest = &text[skip_space(text, name.end + quote)..];
    match rest.first() {
        Some(b'=' | b':' | b',' | b'|' | b'>' | b'\'' | b'\n' | b'\r' | b'?' | b'+' | b']') | None => true,
        Some(b'v') if starts(rest, b"value") => true,
        Some(b'i' | b's' | b'w' | b't' | b'o') if VERBS.iter().any(|verb| starts(rest, verb.as_bytes())) => true,
        _ => {
            let before = name.start.checked_sub(1).map(|at| text[at]);
            matches!(before, Some(b'-' | b'<'))
                || text[name.clone()].ends_with(b"password")
                || text.get(name.end) == Some(&b'\t')
                || rest.iter().take(LONG).take_while(|b| b.is_ascii_graphic()).count() == LONG
        }
    }
}

/// The secret that `name` introduces.
pub(super) fn named(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let meaning = meaning(text, name)?;
    let named = Named { text, name, meaning };
    let span = named
        .element()
        .or_else(|| named.assigned())
        .or_else(|| named.flagged())
        .or_else(|| named.told())
        .or_else(|| named.machine())
        .or_else(|| named.listed())
        .or_else(|| named.paired())
        .or_else(|| named.beside())?;
    Some(Span::context(span, meaning.kind))
}

fn meaning(text: &[u8], name: &Range<usize>) -> Option<Meaning> {
    names::meaning(&text[name.clone()]).or_else(|| {
        // "API key", "access key": the word that tells stands one space before.
        let spaced = text[name.clone()].eq_ignore_ascii_case(b"key")
            && text[..name.start].last().is_some_and(|b| matches!(b, b' ' | b'-'));
        let before = &text[..name.start.checked_sub(1)?];
        let len = before.iter().rev().take(LONGEST_NAME).take_while(|b| b.is_ascii_alphabetic()).count();
        let opens = spaced && names::opens_doors(&before[before.len() - len..]);
        opens.then_some(Meaning { kind: "api-key", proof: Proof::Random })
    })
}

struct Named<'t> {
    text: &'t [u8],
    name: &'t Range<usize>,
    meaning: Meaning,
}

impl Named<'_> {
    // <password>VALUE</password>, also with attributes and CDATA.
    fn element(&self) -> Option<Range<usize>> {
        if self.before(1) != b"<" {
            return None;
        }
        let head = clip(self.text, self.name.end, 200);
        let close = head.iter().position(|b| matches!(b, b'>' | b'\n'))?;
        if head[close] != b'>' || head[..close].ends_with(b"/") {
            return None;
        }
        let mut start = self.name.end + close + 1;
        if clip(self.text, start, 9) == b"<![CDATA[" {
            start += 9;
        }
        let body = clip(self.text, start, 4_096);
        let len = body.iter().position(|b| matches!(b, b'<' | b'\n' | b']'))?;
        let lead = body[..len].iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.believe(Value { span: start + lead..start + len, quoted: true }, Ground::Plain)
    }

    // NAME=VALUE, "name": "value", name := 'value', name => value, const name: str = "value".
    fn assigned(&self) -> Option<Range<usize>> {
        let after = self.after_name();
        let at = skip_space(self.text, after);
        let (op, len) = operator(&self.text[at..])?;
        let mut from = skip_space(self.text, at + len);
        if clip(self.text, from, 2) == b"**" {
            from = skip_space(self.text, from + 2);
        }
        let tight = op == b'=' && at == after && from == at + 1;
        let own_line = self.begins_line();
        let ends = if own_line { Ends::AtSpace } else { Ends::AtDelimiter };
        let ground = match () {
            () if tight && self.shouted() => Ground::Firm,
            () if own_line && op == b':' => Ground::Line,
            () => Ground::Plain,
        };
        let value = value_at(self.text, self.block(from).unwrap_or(from), ends)?;
        let (end, quoted) = (value.span.end, value.quoted);
        self.believe(value, ground).or_else(|| {
            // What stood there was a type; the value comes behind it.
            let at = skip_space(self.text, end);
            let typed = op == b':' && !quoted && matches!(operator(&self.text[at..]), Some((b'=', 1)));
            let at = typed.then(|| skip_space(self.text, at + 1))?;
            self.believe(value_at(self.text, at, ends)?, Ground::Plain)
        })
    }

    // `name: |` or `name: >-`, with the value on the next line.
    fn block(&self, from: usize) -> Option<usize> {
        let line = clip(self.text, from, 4);
        let end = line.iter().position(|b| *b == b'\n')?;
        let sign = line[..end].strip_suffix(b"\r").unwrap_or(&line[..end]);
        let block = matches!(sign, [b'|' | b'>'] | [b'|' | b'>', b'-' | b'+']);
        block.then(|| skip_space(self.text, from + end + 1))
    }

    // --name VALUE, -name VALUE.
    fn flagged(&self) -> Option<Range<usize>> {
        if self.before(1) != b"-" || !is_space(self.text.get(self.name.end)) {
            return None;
        }
        let from = skip_space(self.text, self.name.end);
        if self.text.get(from) == Some(&b'-') {
            return None;
        }
        self.believe(value_at(self.text, from, Ends::AtDelimiter)?, Ground::Firm)
    }

    // "the password is VALUE", PASSWORD 'VALUE', `token` set to VALUE.
    fn told(&self) -> Option<Range<usize>> {
        let from = skip_space(self.text, self.after_name());
        let rest = &self.text[from..];
        let verb = VERBS.iter().find(|verb| starts(rest, verb.as_bytes()));
        let sql = from > self.name.end && rest.first() == Some(&b'\'') && self.meaning.kind == "password";
        let at = match verb {
            Some(verb) => skip_space(self.text, from + verb.len()),
            None if sql => from,
            None => return None,
        };
        let value = value_at(self.text, at, Ends::AtDelimiter)?;
        let said = &self.text[value.span.clone()];
        let telling = value::random(said) || value::chosen(said, false);
        telling.then(|| self.believe(value, Ground::Plain)).flatten()
    }

    // netrc: machine HOST login USER password VALUE, on one line or several.
    fn machine(&self) -> Option<Range<usize>> {
        if self.meaning.proof != Proof::Any || !is_space(self.text.get(self.name.end)) {
            return None;
        }
        let before = &self.text[self.name.start.saturating_sub(256)..self.name.start];
        if !(holds(before, b"machine ") || holds(before, b"default")) || !holds(before, b"login ") {
            return None;
        }
        let from = skip_space(self.text, self.name.end);
        let value = value_at(self.text, from, Ends::AtSpace)?;
        value::literal(&self.text[value.span.clone()]).then_some(value.span)
    }

    // name,VALUE or | name | VALUE | or ("name", "VALUE"): only for what looks generated.
    fn listed(&self) -> Option<Range<usize>> {
        let mut at = self.after_name();
        if self.text.get(at) == Some(&b'`') {
            at += 1;
        }
        let at = skip_space(self.text, at);
        if !matches!(self.text.get(at)?, b',' | b'|') && !(self.text[..at].ends_with(b"\t")) {
            return None;
        }
        let from = skip_space(self.text, at + usize::from(matches!(self.text[at], b',' | b'|')));
        let value = value_at(self.text, from, Ends::AtDelimiter)?;
        let said = &self.text[value.span.clone()];
        let pair = said.iter().position(|b| *b == b'=').is_some_and(|sign| sign + 2 < said.len());
        (said.len() >= 12 && !pair && value::random(said)).then_some(value.span)
    }

    // name: DB_PASSWORD, value: VALUE, on one line or two.
    fn paired(&self) -> Option<Range<usize>> {
        let head = clip(self.text, self.name.end, 80);
        let at = head.windows(5).position(|window| window.eq_ignore_ascii_case(b"value"))?;
        let between = &head[..at];
        if !between.iter().all(|b| b.is_ascii_whitespace() || b"\"',;".contains(b)) || between.is_empty() {
            return None;
        }
        let mut from = self.name.end + at + 5;
        if matches!(self.text.get(from), Some(b'"' | b'\'')) {
            from += 1;
        }
        let from = skip_space(self.text, from);
        let (_, len) = operator(&self.text[from..])?;
        let from = skip_space(self.text, from + len);
        self.believe(value_at(self.text, from, Ends::AtDelimiter)?, Ground::Plain)
    }

    // ENV API_TOKEN VALUE, `requirepass VALUE`: only for what is long and looks generated.
    fn beside(&self) -> Option<Range<usize>> {
        if self.text.get(self.name.end) != Some(&b' ') {
            return None;
        }
        let value = value_at(self.text, skip_space(self.text, self.name.end), Ends::AtDelimiter)?;
        let said = &self.text[value.span.clone()];
        (said.len() >= LONG && !value.quoted && value::random(said)).then_some(value.span)
    }

    fn believe(&self, value: Value, ground: Ground) -> Option<Range<usize>> {
        let said = &self.text[value.span.clone()];
        let called = !value.quoted && matches!(self.text.get(value.span.end), Some(b'(' | b'['));
        let believed = !called
            && match (self.meaning.proof, ground) {
                (Proof::Any, Ground::Firm) => value::literal(said),
                (Proof::Any, Ground::Line) if !value.quoted => {
                    value::chosen(said, false) || self.lone_word(&value.span)
                }
                (Proof::Any, _) => value::chosen(said, value.quoted),
                (Proof::Random, Ground::Firm) => value::random(said) || value::chosen(said, false),
                (Proof::Random, _) => value::random(said),
            };
        believed.then_some(value.span)
    }

    // `password: swordfish` and nothing else on the line is configuration, not code.
    fn lone_word(&self, span: &Range<usize>) -> bool {
        let said = &self.text[span.clone()];
        said.iter().all(u8::is_ascii_lowercase)
            && value::literal(said)
            && matches!(self.text.get(span.end), None | Some(b'\n' | b'\r'))
    }

    fn after_name(&self) -> usize {
        let end = self.name.end;
        match clip(self.text, end, 2) {
            [b'"' | b'\'', b']'] => end + 2,
            [b'"' | b'\'' | b'`', ..] => end + 1,
            _ => end,
        }
    }

    fn before(&self, count: usize) -> &[u8] {
        &self.text[self.name.start.saturating_sub(count)..self.name.start]
    }

    fn shouted(&self) -> bool {
        !self.text[self.name.clone()].iter().any(u8::is_ascii_lowercase)
    }

    // Only spaces, a list dash, a diff sign, a line number or `export` stand before the name.
    fn begins_line(&self) -> bool {
        let before = self.before(40);
        let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
        let whole = line.len() < before.len() || before.len() == self.name.start;
        let line = line.trim_ascii();
        let lead = |word: &&[u8]| matches!(*word, b"export" | b"set" | b"ENV" | b"-" | b"+" | b"");
        whole
            && line
                .split(|b| *b == b' ')
                .all(|word| lead(&word) || word.iter().all(|b| b.is_ascii_digit() || !b.is_ascii()))
    }
}

/// How sure the notation makes us that a literal value stands here.
#[derive(Clone, Copy)]
enum Ground {
    /// A shell assignment or a flag: whatever stands there is the value.
    Firm,
    /// A line of its own.
    Line,
    /// Could be code.
    Plain,
}

const LONG: usize = 16; // bytes

const VERBS: &[&str] = &["is set to ", "set to ", "is: ", "is ", "was ", "to ", "of "];

// The operator at the beginning of `text`: its sign and its length.
fn operator(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b':', b':', ..] => None,
        [b'=', b'=', b'=', ..] => Some((b'=', 3)),
        [b':' | b'?' | b'+', b'=', ..] | [b'=', b'=' | b'>', ..] => Some((b'=', 2)),
        [sign @ (b'=' | b':'), ..] => Some((*sign, 1)),
        _ => None,
    }
}

/// Where the value begins that is assigned to `name`, if one is.
pub(super) fn operator_end(text: &[u8], name: &Range<usize>) -> Option<usize> {
    let quote = matches!(text.get(name.end), Some(b'"' | b'\'' | b'`'));
    let at = skip_space(text, name.end + usize::from(quote));
    // `("Authorization", "Bearer x")` assigns as well.
    let len = match text.get(at) {
        Some(b',') if quote => 1,
        _ => operator(&text[at.min(text.len())..])?.1,
    };
    Some(skip_space(text, at + len))
}

/// At most `len` bytes of `text` from `at` on.
pub(super) fn clip(text: &[u8], at: usize, len: usize) -> &[u8] {
    let at = at.min(text.len());
    &text[at..text.len().min(at + len)]
}

/// The first place from `at` on that is not a space or tab; looks no further than a few columns.
pub(super) fn skip_space(text: &[u8], at: usize) -> usize {
    at + clip(text, at, 40).iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

fn is_space(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_whitespace)
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

/// Does `text` begin with `with`, whatever the case?
pub(super) fn starts(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
}
