//! Assignments: `NAME=VALUE`, `"name": "value"`, `name := 'value'`, `const name: str = "value"`.
//!
//! Comes in: a name that promises a secret. Goes out: the value assigned to it, if it is believed. How strictly it is judged
//! depends on the notation: a shell assignment holds a value, `name = x` may be code.

use super::belief::{Ground, Named};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, skip_blank, skip_space, starts};
use std::ops::Range;

impl Named<'_> {
    /// NAME=VALUE, "name": "value", name := 'value', name => value, const name: str = "value".
    pub(super) fn assigned(&self) -> Option<Range<usize>> {
        let after = self.after_name();
        let bold = if clip(self.text, after, 2) == b"**" { 2 } else { 0 };
        let at = self.past_accessors(skip_space(self.text, after + bold));
        let (op, len) = match operator(&self.text[at..]) {
            Some(found) => found,
            // `::set-output name=password::VALUE`
            None if self.before(5) == b"name=" && clip(self.text, at, 2) == b"::" => (b'=', 2),
            None => return None,
        };
        let mut from = skip_space(self.text, at + len);
        if clip(self.text, from, 2) == b"**" {
            from = skip_space(self.text, from + 2);
        }
        let tight = op == b'=' && at == after && from == at + len;
        let own_line = self.begins_line();
        let ends = if own_line { Ends::AtSpace } else { Ends::AtDelimiter };
        let ground = match () {
            () if op == b':' && from == after + 1 && self.is_pass_source() => Ground::Firm,
            () if tight && (self.shouted() || matches!(self.before(1), b"-" | b"?" | b"&")) => Ground::Firm,
            () if op == b':' && len == 1 && self.is_header() => Ground::Firm,
            () if own_line && (op == b':' || matches!(clip(self.text, at, 2), b"=>" | b"?=" | b"->")) => Ground::Line,
            () if self.is_one_of_pairs() => Ground::Firm,
            () => Ground::Plain,
        };
        let from = self.past_type(from).or_else(|| self.block(from)).unwrap_or_else(|| self.past_tag(from));
        let value = value_at(self.text, from, ends)?;
        let (end, quoted) = (value.span.end, value.quoted);
        self.believe(&value, ground)
            .or_else(|| self.wrapped(from, &value))
            .or_else(|| self.instead(from, &value))
            .or_else(|| self.second(&value))
            .or_else(|| self.behind_arrow(&value.span))
            .or_else(|| {
                // What stood there was a type; the value comes behind it.
                let at = skip_space(self.text, end);
                let typed = op == b':' && !quoted && matches!(operator(&self.text[at..]), Some((b'=', 1)));
                let at = typed.then(|| skip_space(self.text, at + 1))?;
                self.believe(&value_at(self.text, at, ends)?, Ground::Plain)
            })
    }

    // `name: |` or `name: >-`, with the value on the next line.
    fn block(&self, from: usize) -> Option<usize> {
        let line = clip(self.text, from, 5);
        let end = line.iter().position(|b| *b == b'\n')?;
        let sign = line[..end].strip_suffix(b"\r").unwrap_or(&line[..end]);
        let (first, rest) = sign.split_first()?;
        let block = matches!(first, b'|' | b'>') && rest.iter().all(|b| b"-+0123456789".contains(b));
        block.then(|| skip_space(self.text, from + end + 1))
    }

    // `name { get; set; } = VALUE`, `name As String = VALUE`
    fn past_accessors(&self, at: usize) -> usize {
        let head = clip(self.text, at, 48);
        let word = head.iter().skip(3).take_while(|b| b.is_ascii_alphabetic()).count();
        if head.starts_with(b"As ") && clip(head, 3 + word, 3) == b" = " {
            return at + 3 + word + 1;
        }
        match memchr::memmem::find(head, b"} = ").filter(|_| head.starts_with(b"{ get;")) {
            Some(close) => at + close + 2,
            None => at,
        }
    }

    // `name: &'static str = VALUE`: a type that begins like an anchor.
    fn past_type(&self, from: usize) -> Option<usize> {
        let head = clip(self.text, from, 40);
        let sign = memchr::memmem::find(head, b" = ").filter(|_| head.first() == Some(&b'&'))?;
        let typed =
            head[1..sign].iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'\'' | b' ' | b'_' | b'[' | b']'));
        typed.then_some(from + sign + 3)
    }

    // `!!str VALUE`, `&anchor VALUE`
    fn past_tag(&self, from: usize) -> usize {
        let head = clip(self.text, from, 40);
        let tag = matches!(head.first(), Some(b'!' | b'&'))
            && head.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'!');
        let word =
            head.iter().skip(1).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'!' | b'_' | b'-')).count()
                + 1;
        if tag && head.get(word) == Some(&b' ') { skip_space(self.text, from + word) } else { from }
    }

    // `Some("VALUE")`, `String::from("VALUE")`: a literal in a wrapping that says nothing about it.
    fn wrapped(&self, from: usize, value: &Value) -> Option<Range<usize>> {
        #[rustfmt::skip]
        const WRAPPINGS: &[&str] = &[
            "some", "ok", "from", "new", "string", "str", "bytes", "just", "secret", "secretstring", "secretstr",
            "password", "stringvalue", "raw", "of",
        ];
        let open = from + clip(self.text, from, 60).iter().position(|b| *b == b'(')?;
        let chain = &self.text[from..open];
        if value.quoted || !chain.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_' | b'.' | b' ')) {
            return None;
        }
        let last = chain.rsplit(|b| !b.is_ascii_alphanumeric()).next()?;
        let known = WRAPPINGS.iter().any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
        known.then(|| self.literal_at(skip_blank(self.text, open + 1))).flatten()
    }

    // `env.NAME || 'VALUE'`, `os.environ.get(NAME) or 'VALUE'`, `${NAME:-VALUE}`
    fn instead(&self, from: usize, value: &Value) -> Option<Range<usize>> {
        let line = clip(self.text, from, 160);
        let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
        if line.starts_with(b"${") || line.starts_with(b"\"${") {
            let at = from + memchr::memmem::find(line, b":-")? + 2;
            let len = clip(self.text, at, 128).iter().position(|b| matches!(b, b'}' | b'\n'))?;
            return self.believe(&Value { span: at..at + len, quoted: false }, Ground::Plain);
        }
        let sign = [&b"|| "[..], b"?? ", b" or "]
            .iter()
            .find_map(|sign| memchr::memmem::find(line, sign).map(|at| at + sign.len()))?;
        (!value.quoted).then(|| self.literal_at(skip_space(self.text, from + sign))).flatten()
    }

    // `username / password: bob / VALUE`
    fn second(&self, first: &Value) -> Option<Range<usize>> {
        let slash = clip(self.text, first.span.end, 3) == b" / ";
        let value = slash.then(|| value_at(self.text, first.span.end + 3, Ends::AtSpace)).flatten()?;
        self.believe(&value, Ground::Plain)
    }

    /// `"old" -> "VALUE"`: the new value behind the old one, in what tools print of a change.
    pub(super) fn behind_arrow(&self, first: &Range<usize>) -> Option<Range<usize>> {
        let quote = usize::from(matches!(self.text.get(first.end), Some(b'"' | b'\'')));
        let arrow = matches!(clip(self.text, first.end + quote, 4), b" -> " | b" => ");
        arrow.then(|| self.literal_at(first.end + quote + 4)).flatten()
    }

    // `X-Auth-Token: VALUE`: words joined by dashes, each with a capital, or the first one an `x`.
    fn is_header(&self) -> bool {
        let name = &self.text[self.name.clone()];
        let words = || name.split(|b| *b == b'-');
        name.contains(&b'-')
            && (starts(name, b"x-") || words().all(|word| word.first().is_some_and(u8::is_ascii_uppercase)))
    }

    // `-passin pass:VALUE`, an argument of openssl.
    fn is_pass_source(&self) -> bool {
        let before = self.before(12);
        let before = before.strip_suffix(b"'").or_else(|| before.strip_suffix(b"\"")).unwrap_or(before);
        &self.text[self.name.clone()] == b"pass"
            && memchr::memmem::find(before, b"-pass").is_some()
            && before.ends_with(b" ")
    }

    // One pair in a list of pairs: `Server=db;Password=VALUE`, `[password=VALUE]`.
    fn is_one_of_pairs(&self) -> bool {
        matches!(self.before(1), b";" | b"[")
    }

    fn shouted(&self) -> bool {
        !self.text[self.name.clone()].iter().any(u8::is_ascii_lowercase)
    }

    // Only spaces, a list dash, a diff sign, a line number or `export` stand before the name.
    pub(super) fn begins_line(&self) -> bool {
        let before = self.before(80);
        let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
        let whole = line.len() < before.len() || before.len() == self.name.start;
        // What a search prints before a line: file and number, the number perhaps alone.
        let found = memchr::memrchr(b':', line).filter(|at| {
            line[..*at].rsplit(|b| *b == b':').next().is_some_and(|number| {
                number.iter().all(u8::is_ascii_digit) || !number.contains(&b' ') && number.contains(&b'.')
            })
        });
        let line = line[found.map_or(0, |at| at + 1)..].trim_ascii();
        let lead = |word: &[u8]| LINE_LEADS.contains(&word.strip_suffix(b"\"").unwrap_or(word));
        let number = |word: &[u8]| word.iter().all(|b| b.is_ascii_digit() || !b.is_ascii());
        let stamp = |word: &[u8]| word.len() > 18 && word.ends_with(b"Z") && word[0].is_ascii_digit();
        whole && line.split(|b| *b == b' ' || *b == b'\t').all(|word| lead(word) || number(word) || stamp(word))
    }
}

const LINE_LEADS: &[&[u8]] =
    &[b"export", b"set", b"ENV", b"declare", b"-x", b"-", b"+", b"++", b"+++", b"", b"#", b"//", b"**", b"*", b">"];

/// The operator at the beginning of `text`: its sign and its length.
pub(super) fn operator(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b':', b':', ..] => None,
        [b'=', b'=', b'=', ..] => Some((b'=', 3)),
        [b':' | b'?' | b'+', b'=', ..] | [b'=', b'=' | b'>', ..] | [b'-', b'>', b' ', ..] | [b'<', b'-', b' ', ..] => {
            Some((b'=', 2))
        }
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
