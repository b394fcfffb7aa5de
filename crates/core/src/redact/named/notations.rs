//! Every notation in which a name introduces its value, in the order they are tried.
//!
//! Comes in: a text and a place in it where a telling word stands. Goes out: the value, if the name around that word promises
//! a secret and the value keeps the promise. Flags, calls, lists and pairs are read here; `assignments`, `markup` and
//! `sentences` read the rest.

use super::assignments::operator;
use super::belief::{Ground, Named, keeps};
use super::commands;
use super::markup;
use super::names::{self, Meaning, Proof};
use super::sentences;
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, contains_exact, find, skip_blank, skip_space, starts};
use crate::redact::shapes::code;
use crate::redact::shapes::looks;
use crate::redact::span::Span;
use std::ops::Range;

const LONGEST_NAME: usize = 64; // bytes on either side of the telling word

/// The whole name around a telling word.
pub(in crate::redact) fn name_around(text: &[u8], word: &Range<usize>) -> Range<usize> {
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

/// Could a value follow `name`? Most names stand in a sentence or in code. This question dismisses them, and is cheaper than
/// reading the name as words.
pub(in crate::redact) fn introduces(text: &[u8], name: &Range<usize>) -> bool {
    let quote = usize::from(matches!(text.get(name.end), Some(b'"' | b'\'' | b'`')));
    let rest = &text[skip_space(text, name.end + quote)..];
    match rest.first() {
        None => true,
        Some(b'=' | b':' | b',' | b'|' | b'>' | b'\'' | b'"' | b'`' | b'\n' | b'\r' | b'?' | b'+' | b']' | b'*') => {
            true
        }
        Some(b'(') if matches!(rest.get(1), Some(b'"' | b'\'')) || text[name.end] == b' ' => true,
        Some(b'A') if rest.starts_with(b"As ") => true,
        Some(b'<' | b'{' | b')' | b'-') => true,
        Some(b'o') if rest.starts_with(b"or ") => true,
        Some(b'v') if starts(rest, b"value") => true,
        _ if sentences::goes_on(rest) => true,
        _ => {
            let before = name.start.checked_sub(1).map(|at| text[at]);
            matches!(before, Some(b'-' | b'<'))
                || quote == 1 && matches!(before, Some(b'"' | b'\'' | b'`'))
                || text[name.clone()].ends_with(b"password")
                || text.get(name.end) == Some(&b'\t')
                || before == Some(b'(')
                || text[..name.start].ends_with(b"<!-- ")
                || is_led(text, name)
                || could_be_value(rest)
                || text[name.end..].starts_with(b"  ") && matches!(before, None | Some(b'\n' | b' '))
                || sentences::linked(text, name).is_some()
        }
    }
}

// Is the next word long, or does it hold a digit or a second dash? Few words of a sentence do.
fn could_be_value(rest: &[u8]) -> bool {
    let len = rest.iter().take(LONG).take_while(|b| b.is_ascii_graphic()).count();
    let dashes = rest[..len].iter().filter(|b| **b == b'-').count();
    let opens = rest.first().is_some_and(|b| b.is_ascii_alphanumeric() || b"/+$!@#%^*~_".contains(b));
    len == LONG || opens && len >= SHORT && (dashes > 1 || rest[..len].iter().any(u8::is_ascii_digit))
}

/// The name, if it promises a secret.
pub(in crate::redact) fn named<'t>(text: &'t [u8], name: &'t Range<usize>) -> Option<Named<'t>> {
    meaning(text, name).map(|meaning| Named { text, name, meaning })
}

/// The secret that a name introduces.
pub(in crate::redact) fn introduced(named: &Named) -> Option<Span> {
    let Named { text, name, meaning } = *named;
    let span = markup::element(named)
        .or_else(|| named.assigned())
        .or_else(|| named.flagged())
        .or_else(|| named.called())
        .or_else(|| sentences::told(text, name, named.after_name(), meaning))
        .or_else(|| named.fallback())
        .or_else(|| named.machine())
        .or_else(|| named.listed())
        .or_else(|| named.paired())
        .or_else(|| markup::form_part(named))
        .or_else(|| named.beside())
        .or_else(|| named.dashed())
        .or_else(|| commands::echoed(named))
        .or_else(|| markup::block_default(named))?;
    Some(Span::context(span, meaning.kind))
}

// What the name promises where it stands: a word before it may belong to it.
fn meaning(text: &[u8], name: &Range<usize>) -> Option<Meaning> {
    let said = &text[name.clone()];
    let before = text[..name.start].last();
    // "admin pass": the word that tells stands one space before.
    if said.eq_ignore_ascii_case(b"pass") && before == Some(&b' ') && names::has_pass(word_before(text, name.start - 1))
    {
        return Some(Meaning { kind: "password", proof: Proof::Any, sure: true });
    }
    names::meaning(said).or_else(|| {
        // "API key", "access key"
        let spaced = said.eq_ignore_ascii_case(b"key") && matches!(before, Some(b' ' | b'-'));
        if spaced && names::opens_doors(word_before(text, name.start - 1)) {
            return Some(Meaning { kind: "api-key", proof: Proof::Random, sure: true });
        }
        // `-DadminPassword=VALUE` defines a property of a virtual machine.
        let property = said.strip_prefix(b"D").or_else(|| said.strip_prefix(b"P")).filter(|_| before == Some(&b'-'))?;
        names::meaning(property)
    })
}

fn word_before(text: &[u8], end: usize) -> &[u8] {
    let len = text[..end].iter().rev().take(LONGEST_NAME).take_while(|b| b.is_ascii_alphabetic()).count();
    &text[end - len..end]
}

impl Named<'_> {
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

    // setPassword("VALUE"), .password('VALUE'), PASSWORD('VALUE'), std::string password{"VALUE"}
    fn called(&self) -> Option<Range<usize>> {
        let open = self.name.end;
        matches!(self.text.get(open), Some(b'(' | b'{')).then(|| self.literal_at(open + 1)).flatten()
    }

    // `env.NAME || 'VALUE'`, `environ["NAME"] or "VALUE"`, `${NAME:-VALUE}`
    fn fallback(&self) -> Option<Range<usize>> {
        let mut at = self.after_name();
        while matches!(self.text.get(at), Some(b')' | b']')) {
            at += 1;
        }
        if let [b':', b'-' | b'=', ..] | [b'-', ..] = clip(self.text, at, 2) {
            let open = self.before(2) == b"${";
            let from = at + 1 + usize::from(self.text.get(at) == Some(&b':'));
            let len = clip(self.text, from, 128).iter().position(|b| matches!(b, b'}' | b'\n')).filter(|_| open)?;
            return self.believe(&Value { span: from..from + len, quoted: true }, Ground::Plain);
        }
        let at = skip_space(self.text, at);
        let sign = [&b"|| "[..], b"?? ", b"or "].into_iter().find(|sign| self.text[at..].starts_with(sign))?;
        self.literal_at(skip_space(self.text, at + sign.len()))
    }

    // netrc: machine HOST login USER password VALUE, on one line or several.
    fn machine(&self) -> Option<Range<usize>> {
        if self.meaning.proof != Proof::Any || !self.text.get(self.name.end).is_some_and(u8::is_ascii_whitespace) {
            return None;
        }
        let before = &self.text[self.name.start.saturating_sub(256)..self.name.start];
        if !(contains_exact(before, b"machine ") || contains_exact(before, b"default"))
            || !contains_exact(before, b"login ")
        {
            return None;
        }
        let from = skip_space(self.text, self.name.end);
        let value = value_at(self.text, from, Ends::AtSpace)?;
        looks::literal(&self.text[value.span.clone()]).then_some(value.span)
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
        let chosen = framed && self.meaning.proof == Proof::Any && looks::chosen(said, false) && !code::is_name(said);
        // A cell of its own.
        let ends = matches!(clip(self.text, value.span.end, 2), [] | [b'\n' | b'\r', ..] | b" |");
        let cell = sign == b'|' && from > at + 1 && ends;
        // `define("NAME", "VALUE")`, `get("NAME", "VALUE")`
        let call = matches!(self.before(2), b"(\"" | b"('") && clip(self.text, value.span.end + 1, 1) == b")";
        let paired = sign == b',' && value.quoted && self.after_name() > self.name.end && call;
        let told = cell && self.meaning.sure && (looks::uncommon(said) || looks::chosen(said, false))
            || paired && keeps(self.meaning, said, true);
        // `'USERPWD', 'HTTP200ALIASES'`: a list of constants.
        let constant = |word: &[u8]| word.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        let constants = sign == b',' && constant(said) && constant(&self.text[self.name.clone()]);
        (!constants && (chosen || told || !pair && said.len() >= 12 && looks::random(said))).then_some(value.span)
    }

    // name: DB_PASSWORD, value: VALUE, on one line or two.
    fn paired(&self) -> Option<Range<usize>> {
        let head = clip(self.text, self.name.end, 80);
        // `--name NAME --value VALUE`
        let flag = [&b" --value"[..], b" --body", b" --secret-string"].into_iter().find(|flag| head.starts_with(flag));
        if let Some(flag) = flag {
            let from = skip_space(self.text, self.name.end + flag.len() + 1);
            return self.believe(&value_at(self.text, from, Ends::AtSpace)?, Ground::Firm);
        }
        let at = find(head, b"value")?;
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
        self.believe(&value_at(self.text, from, Ends::AtDelimiter)?, Ground::Line)
    }

    // ENV API_TOKEN VALUE, `requirepass VALUE`; without such a lead the value must be long and look generated.
    fn beside(&self) -> Option<Range<usize>> {
        if self.text.get(self.name.end) != Some(&b' ') {
            return None;
        }
        let value = value_at(self.text, skip_space(self.text, self.name.end), Ends::AtDelimiter)?;
        if is_led(self.text, self.name) && self.text.get(value.span.start) != Some(&b'-') {
            return self.believe(&value, Ground::Firm);
        }
        let said = &self.text[value.span.clone()];
        // `(password VALUE)`
        let bracket = self.before(1) == b"(" && self.text.get(value.span.end) == Some(&b')');
        // Two columns: a name at the start of a line, a value at its end.
        let wide = clip(self.text, self.name.end, 2) == b"  ";
        let columns = wide && !value.quoted && self.begins_line() && self.ends_line(&value.span);
        let alone = bracket || columns || self.before(5) == b"<!-- " && clip(self.text, value.span.end, 4) == b" -->";
        let told = alone && self.meaning.sure && (looks::uncommon(said) || looks::chosen(said, false));
        (told || said.len() >= LONG && !value.quoted && looks::random(said)).then_some(value.span)
    }

    // `name - VALUE`, a line of notes.
    fn dashed(&self) -> Option<Range<usize>> {
        let dash = clip(self.text, self.after_name(), 3) == b" - ";
        let value = dash.then(|| value_at(self.text, self.after_name() + 3, Ends::AtSpace)).flatten()?;
        let said = &self.text[value.span.clone()];
        let told = looks::random(said) || keeps(self.meaning, said, true);
        (told && self.begins_line() && self.ends_line(&value.span)).then_some(value.span)
    }
}

/// `name = "old" -> "VALUE"`: what stands behind the arrow, when `first` stands before it.
pub(in crate::redact) fn changed(named: &Named, first: &Range<usize>) -> Option<Span> {
    Some(Span::context(named.behind_arrow(first)?, named.meaning.kind))
}

// Does a word before `name` say that a value stands beside it? `ENV NAME VALUE`, `kv put path/NAME VALUE`.
fn is_led(text: &[u8], name: &Range<usize>) -> bool {
    #[rustfmt::skip]
    const LEADS: &[&str] = &[
        "ENV ", "#define ", "setenv ", "SetEnv ", "set -x ", "set -gx ", "set -Ux ", "setx ", "configure set ", "config set ", "config ",
        "config --global ", "config --local ", "config --add ", "secrets set ", "secret set ", "variable set ", "kv put ", "etcdctl put ", "SET ",
    ];
    let before = &text[name.start.saturating_sub(40)..name.start];
    // The folders of a path, the parts of a key.
    let path = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"/:_-.\"'".contains(b)).count();
    let before = &before[..before.len() - path];
    let own = matches!(&text[name.clone()], b"requirepass" | b"masterauth");
    own || LEADS.iter().any(|lead| before.ends_with(lead.as_bytes()))
}

const LONG: usize = 16; // bytes
const SHORT: usize = 6; // bytes
