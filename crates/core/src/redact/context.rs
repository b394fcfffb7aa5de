//! Secrets known by the name in front of them: assignments in any notation, flags, elements,
//! table cells, sentences.
//!
//! Comes in: a text and a place in it where a telling word stands. Goes out: the value, if the
//! name around that word promises a secret and the value keeps the promise.

use super::markup;
use super::names::{self, Meaning, Proof};
use super::span::Span;
use super::told;
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
        None => true,
        Some(b'=' | b':' | b',' | b'|' | b'>' | b'\'' | b'"' | b'`' | b'\n' | b'\r' | b'?' | b'+' | b']' | b'*') => {
            true
        }
        Some(b'(') if matches!(rest.get(1), Some(b'"' | b'\'')) => true,
        Some(b'<' | b'{' | b')') => true,
        Some(b'v') if starts(rest, b"value") => true,
        _ if told::goes_on(rest) => true,
        _ => {
            let before = name.start.checked_sub(1).map(|at| text[at]);
            matches!(before, Some(b'-' | b'<'))
                || text[name.clone()].ends_with(b"password")
                || text.get(name.end) == Some(&b'\t')
                || led(text, name).is_some()
                || rest.iter().take(LONG).take_while(|b| b.is_ascii_graphic()).count() == LONG
        }
    }
}

/// The secret that `name` introduces.
pub(super) fn named(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let meaning = meaning(text, name)?;
    let named = Named { text, name, meaning };
    let span = markup::element(&named)
        .or_else(|| named.assigned())
        .or_else(|| named.flagged())
        .or_else(|| named.called())
        .or_else(|| told::told(text, name, named.after_name(), meaning))
        .or_else(|| named.machine())
        .or_else(|| named.listed())
        .or_else(|| named.paired())
        .or_else(|| named.beside())
        .or_else(|| markup::block_default(&named))?;
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

/// A name that promises a secret, where it stands.
pub(super) struct Named<'t> {
    pub text: &'t [u8],
    pub name: &'t Range<usize>,
    pub meaning: Meaning,
}

impl Named<'_> {
    // NAME=VALUE, "name": "value", name := 'value', name => value, const name: str = "value".
    fn assigned(&self) -> Option<Range<usize>> {
        let after = self.after_name();
        let bold = if clip(self.text, after, 2) == b"**" { 2 } else { 0 };
        let at = skip_space(self.text, after + bold);
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
            // `-passin pass:VALUE`
            () if op == b':' && from == after + 1 && self.is_pass_source() => Ground::Firm,
            () if tight && (self.shouted() || matches!(self.before(1), b"-" | b"?" | b"&")) => Ground::Firm,
            () if op == b':' && len == 1 && self.is_header() => Ground::Firm,
            () if own_line && op == b':' => Ground::Line,
            () if self.in_passing() => Ground::Firm,
            () => Ground::Plain,
        };
        let from = self.block(from).unwrap_or_else(|| self.past_tag(from));
        let value = value_at(self.text, from, ends)?;
        let (end, quoted) = (value.span.end, value.quoted);
        self.believe(&value, ground)
            .or_else(|| self.wrapped(from, &value))
            .or_else(|| self.instead(from, &value))
            .or_else(|| self.second(&value))
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
        const WRAPPINGS: &[&str] = &[
            "some",
            "ok",
            "from",
            "new",
            "string",
            "str",
            "bytes",
            "just",
            "secret",
            "secretstring",
            "secretstr",
            "password",
            "stringvalue",
            "raw",
            "of",
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

    // --name VALUE, -name VALUE, "--name", "VALUE", and the same as lines of a list.
    fn flagged(&self) -> Option<Range<usize>> {
        if self.before(1) != b"-" {
            return None;
        }
        let from = match clip(self.text, self.name.end, 2) {
            [b'"' | b'\'', b','] => skip_blank(self.text, self.name.end + 2),
            [b'\n', ..] | [b'\r', b'\n'] => {
                let dash = skip_blank(self.text, self.name.end);
                (clip(self.text, dash, 2) == b"- ").then_some(dash + 2)?
            }
            [space, ..] if space.is_ascii_whitespace() => skip_space(self.text, self.name.end),
            _ => return None,
        };
        if self.text.get(from) == Some(&b'-') {
            return None;
        }
        self.believe(&value_at(self.text, from, Ends::AtDelimiter)?, Ground::Firm)
    }

    // setPassword("VALUE"), .password('VALUE'), PASSWORD('VALUE')
    fn called(&self) -> Option<Range<usize>> {
        let open = self.name.end;
        (self.text.get(open) == Some(&b'(')).then(|| self.literal_at(open + 1)).flatten()
    }

    // A literal in quotes that is no name of a setting.
    pub fn literal_at(&self, at: usize) -> Option<Range<usize>> {
        let value = value_at(self.text, at, Ends::AtDelimiter).filter(|value| value.quoted)?;
        let said = &self.text[value.span.clone()];
        let real = value::chosen(said, false) || value::random(said);
        (real && !value::is_name(said)).then_some(value.span)
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

    // name,VALUE or | name | VALUE | or ("name", "VALUE"): for what looks chosen or generated.
    fn listed(&self) -> Option<Range<usize>> {
        let mut at = self.after_name();
        if self.text.get(at) == Some(&b'`') {
            at += 1;
        }
        let at = skip_space(self.text, at);
        let sign = *self.text.get(at)?;
        if !matches!(sign, b',' | b'|') && !(self.text[..at].ends_with(b"\t")) {
            return None;
        }
        let from = skip_space(self.text, at + usize::from(matches!(sign, b',' | b'|')));
        let value = value_at(self.text, from, Ends::AtDelimiter)?;
        let said = &self.text[value.span.clone()];
        let pair = said.iter().position(|b| *b == b'=').is_some_and(|sign| sign + 2 < said.len());
        let framed = value.quoted || sign == b'|';
        let chosen = framed && self.meaning.proof == Proof::Any && value::chosen(said, false) && !value::is_name(said);
        (chosen || !pair && said.len() >= 12 && value::random(said)).then_some(value.span)
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
        self.believe(&value_at(self.text, from, Ends::AtDelimiter)?, Ground::Plain)
    }

    // ENV API_TOKEN VALUE, `requirepass VALUE`; otherwise only for what is long and looks generated.
    fn beside(&self) -> Option<Range<usize>> {
        if self.text.get(self.name.end) != Some(&b' ') {
            return None;
        }
        let value = value_at(self.text, skip_space(self.text, self.name.end), Ends::AtDelimiter)?;
        if led(self.text, self.name).is_some() {
            return self.believe(&value, Ground::Firm);
        }
        let said = &self.text[value.span.clone()];
        (said.len() >= LONG && !value.quoted && value::random(said)).then_some(value.span)
    }

    pub fn believe(&self, value: &Value, ground: Ground) -> Option<Range<usize>> {
        let said = &self.text[value.span.clone()];
        let called = !value.quoted && matches!(self.text.get(value.span.end), Some(b'(' | b'['));
        let believed = !called
            && match (self.meaning.proof, ground) {
                (Proof::Any, Ground::Firm) => value::literal(said),
                (Proof::Any, Ground::Line) if !value.quoted => {
                    value::chosen(said, false) || self.lone_word(&value.span)
                }
                (Proof::Any, _) => value::chosen(said, value.quoted) || value.quoted && self.phrase(said),
                (Proof::Random, Ground::Firm) => value::random(said) || value::chosen(said, false),
                (Proof::Random, Ground::Line) => {
                    value::random(said) || value::chosen(said, false) && self.ends_line(&value.span)
                }
                (Proof::Random, Ground::Plain) => {
                    value::random(said) || value.quoted && said.len() >= 8 && value::chosen(said, false)
                }
            };
        believed.then(|| value.span.clone())
    }

    // "correct horse battery staple": words without a sentence around them.
    fn phrase(&self, said: &[u8]) -> bool {
        let words = || said.split(|b| *b == b' ');
        let plain = |word: &[u8]| word.len() > 2 && word.iter().all(u8::is_ascii_lowercase);
        words().count() >= 4 && words().all(plain) && !words().any(value::is_function_word) && !value::placeholder(said)
    }

    // `password: swordfish` and nothing else on the line is configuration, not code.
    fn lone_word(&self, span: &Range<usize>) -> bool {
        let said = &self.text[span.clone()];
        said.iter().all(u8::is_ascii_lowercase) && value::literal(said) && self.ends_line(span)
    }

    fn ends_line(&self, span: &Range<usize>) -> bool {
        let quote = usize::from(matches!(self.text.get(span.end), Some(b'"' | b'\'' | b'`')));
        matches!(self.text.get(span.end + quote), None | Some(b'\n' | b'\r'))
    }

    // `X-Auth-Token: VALUE`: words with dashes, each with a capital or the first an `x`.
    fn is_header(&self) -> bool {
        let name = &self.text[self.name.clone()];
        let words = || name.split(|b| *b == b'-');
        name.contains(&b'-')
            && (starts(name, b"x-") || words().all(|word| word.first().is_some_and(u8::is_ascii_uppercase)))
    }

    fn is_pass_source(&self) -> bool {
        let before = self.before(12);
        let before = before.strip_suffix(b"'").or_else(|| before.strip_suffix(b"\"")).unwrap_or(before);
        &self.text[self.name.clone()] == b"pass"
            && memchr::memmem::find(before, b"-pass").is_some()
            && before.ends_with(b" ")
    }

    // Between pairs of the same kind: `user=bob password=VALUE`, `{User:bob Password:VALUE}`.
    fn in_passing(&self) -> bool {
        matches!(self.before(1), b";" | b"[")
    }

    pub fn after_name(&self) -> usize {
        let end = self.name.end;
        match clip(self.text, end, 2) {
            [b'"' | b'\'', b']'] => end + 2,
            [b'"' | b'\'' | b'`', ..] => end + 1,
            _ => end,
        }
    }

    pub fn before(&self, count: usize) -> &[u8] {
        &self.text[self.name.start.saturating_sub(count)..self.name.start]
    }

    fn shouted(&self) -> bool {
        !self.text[self.name.clone()].iter().any(u8::is_ascii_lowercase)
    }

    // Only spaces, a list dash, a diff sign, a line number or `export` stand before the name.
    fn begins_line(&self) -> bool {
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
        let lead = |word: &[u8]| {
            let word = word.strip_suffix(b"\"").unwrap_or(word);
            matches!(
                word,
                b"export"
                    | b"set"
                    | b"ENV"
                    | b"-"
                    | b"+"
                    | b""
                    | b"#"
                    | b"//"
                    | b"**"
                    | b"*"
                    | b">"
                    | b"declare"
                    | b"-x"
            )
        };
        let number = |word: &[u8]| word.iter().all(|b| b.is_ascii_digit() || !b.is_ascii());
        let stamp = |word: &[u8]| word.len() > 18 && word.ends_with(b"Z") && word[0].is_ascii_digit();
        whole && line.split(|b| *b == b' ' || *b == b'\t').all(|word| lead(word) || number(word) || stamp(word))
    }
}

// The word that puts a value beside a name: `ENV NAME VALUE`, `setenv NAME VALUE`.
fn led(text: &[u8], name: &Range<usize>) -> Option<()> {
    const LEADS: &[&str] =
        &["ENV ", "setenv ", "set -x ", "set -gx ", "set -Ux ", "setx ", "configure set ", "config set "];
    let before = &text[name.start.saturating_sub(16)..name.start];
    let own = matches!(&text[name.clone()], b"requirepass" | b"masterauth");
    (own || LEADS.iter().any(|lead| before.ends_with(lead.as_bytes()))).then_some(())
}

/// How sure the notation makes us that a literal value stands here.
#[derive(Clone, Copy)]
pub(super) enum Ground {
    /// A shell assignment or a flag: whatever stands there is the value.
    Firm,
    /// A line of its own.
    Line,
    /// Could be code.
    Plain,
}

const LONG: usize = 16; // bytes

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

/// The first place from `at` on that is not white space, line breaks included.
pub(super) fn skip_blank(text: &[u8], at: usize) -> usize {
    at.min(text.len()) + clip(text, at, 80).iter().take_while(|b| b.is_ascii_whitespace()).count()
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
