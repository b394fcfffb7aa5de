//! Does a value keep the promise of its name?
//!
//! Comes in: a name that promises a secret, a value, and how sure the notation makes us. Goes out: the place of the value, if
//! it is believed. A password may be anything a person would choose; of all else the value must look generated, unless the
//! notation leaves no doubt.

use super::names::{self, Meaning, Proof};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, contains_exact, skip_space};
use crate::redact::shapes::code;
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use std::ops::Range;

/// A name that promises a secret, where it stands.
pub(in crate::redact) struct Named<'t> {
    pub(super) text: &'t [u8],
    pub(super) name: &'t Range<usize>,
    pub(super) meaning: Meaning,
}

/// How sure the notation makes us that a value stands here, and not code.
#[derive(Clone, Copy)]
pub(super) enum Ground {
    /// A shell assignment or a flag: whatever stands there is the value.
    Firm,
    /// A line of its own.
    Line,
    /// Could be code.
    Plain,
}

/// Could `said` be what a name of this `meaning` promises, where nothing but a literal can stand? Words and numbers, too, if
/// the name is sure.
pub(super) fn keeps(meaning: Meaning, said: &[u8], quoted: bool) -> bool {
    let likely = match meaning.proof {
        Proof::Any => looks::worded(said) || looks::chosen(said, false),
        Proof::Random => looks::uncommon(said) || looks::chosen(said, false) && (!quoted || !looks::is_kebab(said)),
    };
    // A capital at the start is a label or a type; `WalnutSilver` may be either.
    let letters = said.iter().all(u8::is_ascii_alphabetic);
    let label = letters && said.first().is_some_and(u8::is_ascii_uppercase) && !looks::is_compound(said);
    meaning.sure && likely && !label
}

impl Named<'_> {
    /// The place of `value`, if it is believed on this `ground`.
    pub(super) fn believe(&self, value: &Value, ground: Ground) -> Option<Range<usize>> {
        let said = &self.text[value.span.clone()];
        let called = !value.quoted && matches!(self.text.get(value.span.end), Some(b'(' | b'['));
        let believed = !called
            && match (self.meaning.proof, ground) {
                (Proof::Any, Ground::Firm) => looks::literal(said),
                (Proof::Any, Ground::Line) if !value.quoted => {
                    looks::chosen(said, false) || self.lone_word(&value.span)
                }
                (Proof::Any, _) => looks::chosen(said, value.quoted) || value.quoted && self.phrase(said),
                (Proof::Random, Ground::Firm) => looks::random(said) || looks::chosen(said, false),
                (Proof::Random, Ground::Line) => {
                    looks::random(said) || looks::chosen(said, false) && self.ends_line(&value.span)
                }
                (Proof::Random, Ground::Plain) => {
                    looks::random(said) || value.quoted && said.len() >= 8 && looks::chosen(said, false)
                }
            };
        (believed || !called && self.wins(value, ground)).then(|| value.span.clone())
    }

    // A telling name wins over words and numbers, where the notation says that the value is all there is.
    fn wins(&self, value: &Value, ground: Ground) -> bool {
        let said = &self.text[value.span.clone()];
        let number = said.iter().all(u8::is_ascii_digit);
        let same = said.eq_ignore_ascii_case(&self.text[self.name.clone()]);
        if same || number && self.counts(value) || !keeps(self.meaning, said, value.quoted) {
            return false;
        }
        match ground {
            _ if value.quoted => true,
            Ground::Firm => self.is_attached(&value.span) || self.stands_alone(&value.span),
            Ground::Line => self.ends_line(&value.span),
            Ground::Plain => self.is_all(&value.span),
        }
    }

    // `"token": 4096`: a number without quotes beside a name in quotes counts something.
    fn counts(&self, value: &Value) -> bool {
        let quoted_name = matches!(self.text.get(self.name.end), Some(b'"' | b'\''));
        !value.quoted && self.meaning.proof == Proof::Random && quoted_name
    }

    // `--name=VALUE`: whatever comes next is another argument.
    fn is_attached(&self, span: &Range<usize>) -> bool {
        self.before(1) == b"-" && span.start == self.name.end + 1 && self.text[self.name.end] == b'='
    }

    // Does the command or the list go on with something else behind `span`, or end?
    fn stands_alone(&self, span: &Range<usize>) -> bool {
        let rest = clip(self.text, span.end, 3);
        match rest {
            [] | [b'\n' | b'\r' | b'&' | b';' | b',' | b'"' | b'\'' | b'`' | b')' | b']' | b'}', ..] => true,
            [b' ', b'-' | b'>' | b'|' | b'&' | b'\\' | b';' | b'#', ..] => true,
            [b' ', ..] => self.goes_on_with_pair(span.end + 1) || self.is_led_by_shell(),
            _ => false,
        }
    }

    // `... NAME=VALUE host=db1`, `NAME=VALUE ./run`
    fn goes_on_with_pair(&self, at: usize) -> bool {
        let word = clip(self.text, at, 60);
        let word = word.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        word.starts_with(b"./") || word.starts_with(b"/") || word.contains(&b'=') || word.starts_with(b"http")
    }

    // Is `span` the last thing in its brackets, its comment or its line? What names a variable in code is not.
    fn is_all(&self, span: &Range<usize>) -> bool {
        let said = &self.text[span.clone()];
        let identifier = said.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') && !said[0].is_ascii_digit();
        let close = clip(self.text, span.end, 5);
        let closed = matches!(close, [b')' | b']', ..]) && self.is_opened(close[0])
            || close.starts_with(b" -->")
            || close.starts_with(b" */")
            || self.is_quoted_whole(span)
            || self.ends_line(span) && (!identifier || self.is_data());
        closed || self.is_pair_of_log(span) || self.is_in_sentence(span)
    }

    // `(token: VALUE)`: the bracket opens right before the name, or before the words that lead to it.
    fn is_opened(&self, close: u8) -> bool {
        let open = if close == b')' { b'(' } else { b'[' };
        let tight = self.text.get(self.name.end) == Some(&b'=');
        let plain = |b: &u8| {
            b.is_ascii_alphabetic()
                || *b == b' '
                || close == b']' && tight && (b.is_ascii_digit() || b"=,._-".contains(b))
        };
        let before = self.before(40);
        let at = before.iter().rposition(|b| *b == open || *b == b'\n').filter(|at| before[*at] == open);
        at.is_some_and(|at| {
            // A call has a name right before its bracket.
            let called = at.checked_sub(1).is_some_and(|at| before[at].is_ascii_alphanumeric() || before[at] == b'_');
            !called && before[at + 1..].iter().all(plain)
        })
    }

    // `-H 'name: VALUE'`: the quote opens before the name and closes behind the value.
    fn is_quoted_whole(&self, span: &Range<usize>) -> bool {
        let open = self.before(1).first().copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
        open.is_some() && open == self.text.get(span.end).copied()
    }

    // `user=bob password=VALUE host=db1`, `run -e NAME=VALUE -p 80`; arguments in code have commas and brackets around them.
    fn is_pair_of_log(&self, span: &Range<usize>) -> bool {
        let sign = self.text.get(self.name.end).filter(|_| span.start == self.name.end + 1);
        let tight = sign == Some(&b'=');
        let unit = self.before(12) == b"Environment=";
        let spaced = unit || matches!(self.before(1), b" " | b"") && self.before(2) != b", ";
        // `user=bob&password=VALUE&x=1`, the body of a request; `{User:bob Password:VALUE Port:1}`, as Go prints it
        let body =
            tight && self.text.get(span.end) == Some(&b'&') && matches!(self.before(1), b"" | b"\n" | b" " | b"&");
        let printed = sign == Some(&b':') && matches!(self.before(1), b"{" | b" ") && self.is_printed(span.end);
        if body || printed {
            return true;
        }
        let ends = match clip(self.text, span.end, 2) {
            [] | [b'\n' | b'\r', ..] => self.before(40).contains(&b'=') || self.is_in_log() || self.is_led_by_shell(),
            [b' ', b'-' | b'>' | b'|' | b'&' | b'\\'] => true,
            [b' ', ..] => {
                self.goes_on_with_pair(span.end + 1) || self.before(40).contains(&b'=') || self.is_led_by_shell()
            }
            _ => false,
        };
        tight && spaced && ends
    }

    // "so NAME = VALUE and then": words before and behind.
    fn is_in_sentence(&self, span: &Range<usize>) -> bool {
        let before = self.before(60);
        let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
        let behind = clip(self.text, span.end, 12);
        let word = behind.iter().skip(1).take_while(|b| b.is_ascii_lowercase()).count();
        let goes_on =
            behind.first() == Some(&b' ') && word > 1 && matches!(behind.get(word + 1), Some(b' ' | b'.' | b','));
        is_prose(line.trim_ascii())
            && line.trim_ascii().contains(&b' ')
            && goes_on
            && names::is_compound(&self.text[self.name.clone()])
            && looks::pronounced(&self.text[span.clone()])
    }

    // Does the next pair of a printed structure follow at `at`, or its end?
    fn is_printed(&self, at: usize) -> bool {
        let rest = clip(self.text, at, 40);
        let word = rest.iter().skip(1).take_while(|b| b.is_ascii_alphanumeric()).count();
        match rest.first() {
            Some(b'}') => true,
            Some(b' ') => word > 1 && rest[1].is_ascii_uppercase() && rest.get(word + 1) == Some(&b':'),
            _ => false,
        }
    }

    // A time or a level in brackets opens the line.
    fn is_in_log(&self) -> bool {
        let before = self.before(120);
        let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
        line.first().is_some_and(|b| b.is_ascii_digit() || *b == b'[')
    }

    // `env NAME=VALUE program`, `cd x && NAME=VALUE program`
    fn is_led_by_shell(&self) -> bool {
        const LEADS: &[&str] =
            &["env", "export", "-e", "--env", "--set", "--build-arg", "-v", "&&", ";", "sudo", "exec", "+", "++", "$"];
        let before = self.before(16).trim_ascii_end();
        let word = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        word.is_empty() || LEADS.iter().any(|lead| word == lead.as_bytes())
    }

    // A line of a file of settings, a comment or a prompt, not of code.
    fn is_data(&self) -> bool {
        let before = self.before(300);
        let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
        let lead = line.trim_ascii();
        let comment = [&b"#"[..], b"//", b"-- ", b"/*", b"* ", b"<!--"].iter().any(|sign| contains_exact(line, sign));
        let sign = clip(self.text, self.name.end, 2);
        let tight = sign.first() == Some(&b'=') && sign != b"= ";
        // Arguments of a call stand indented on lines of their own.
        let flush = (line.is_empty() || !lead.is_empty()) && self.begins_line();
        let code = before.iter().any(|b| b"(){};".contains(b));
        let section = || {
            before
                .split(|b| *b == b'\n')
                .any(|line| line.trim_ascii().starts_with(b"[") && line.trim_ascii_end().ends_with(b"]"))
        };
        let prompt = sign.first() == Some(&b':') && is_prose(lead);
        let listed = [&b".ini:"[..], b".conf:", b".cfg:", b".cnf:", b".env:", b".properties:"]
            .iter()
            .any(|end| contains_exact(line, end));
        comment || listed || tight && flush || !code && (prompt || section() || flush && follows_pair(before))
    }

    // "correct horse battery staple": words without a sentence around them.
    fn phrase(&self, said: &[u8]) -> bool {
        let words = || said.split(|b| *b == b' ');
        let plain = |word: &[u8]| word.len() > 2 && word.iter().all(u8::is_ascii_lowercase);
        words().count() >= 4 && words().all(plain) && !words().any(is_function_word) && !placeholder(said)
    }

    // `password: swordfish` and nothing else on the line is configuration, not code.
    fn lone_word(&self, span: &Range<usize>) -> bool {
        let said = &self.text[span.clone()];
        said.iter().all(u8::is_ascii_lowercase) && looks::literal(said) && self.ends_line(span)
    }

    pub(super) fn ends_line(&self, span: &Range<usize>) -> bool {
        let quote = usize::from(matches!(self.text.get(span.end), Some(b'"' | b'\'' | b'`')));
        let comment = clip(self.text, skip_space(self.text, span.end + quote), 1) == b"#";
        comment || matches!(self.text.get(span.end + quote), None | Some(b'\n' | b'\r'))
    }

    /// The literal in quotes at `at`, if it looks like a secret and is not the name of a setting.
    pub(super) fn literal_at(&self, at: usize) -> Option<Range<usize>> {
        let value = value_at(self.text, at, Ends::AtDelimiter).filter(|value| value.quoted)?;
        let said = &self.text[value.span.clone()];
        let real = looks::chosen(said, false) || looks::random(said) || keeps(self.meaning, said, true);
        (real && !code::is_name(said)).then_some(value.span)
    }

    /// The place behind the name and its closing quote.
    pub(super) fn after_name(&self) -> usize {
        let end = self.name.end;
        match clip(self.text, end, 2) {
            [b'"' | b'\'', b']'] => end + 2,
            [b'"' | b'\'' | b'`', ..] => end + 1,
            _ => end,
        }
    }

    /// At most `count` bytes before the name.
    pub(super) fn before(&self, count: usize) -> &[u8] {
        &self.text[self.name.start.saturating_sub(count)..self.name.start]
    }
}

// Words before a name, none of which declares it in code.
fn is_prose(lead: &[u8]) -> bool {
    #[rustfmt::skip]
    const DECLARE: &[&str] = &[
        "readonly", "private", "public", "protected", "static", "const", "let", "var", "val", "pub", "mut", "final", "export", "declare",
        "optional", "override", "lateinit", "abstract", "required",
    ];
    let lead = lead.strip_prefix(b"? ").or_else(|| lead.strip_prefix(b"> ")).unwrap_or(lead);
    let last = lead.rsplit(|b| *b == b' ').next().unwrap_or_default();
    !last.is_empty()
        && lead.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b' ' | b',' | b'.' | b'\''))
        && !DECLARE.iter().any(|word| last == word.as_bytes())
}

// Is the line before the last one of `before` a plain pair, as in a file of settings: `USER=bob`?
fn follows_pair(before: &[u8]) -> bool {
    let line = before.strip_suffix(b"\n").unwrap_or(before).rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let name = line.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-')).count();
    let tight = line.get(name) == Some(&b'=') && line.get(name + 1).is_some_and(|b| *b != b' ' && *b != b'=');
    name > 0 && tight && !line.iter().any(|b| matches!(b, b'"' | b'\'' | b' ' | b','))
}

// Is `word` one that only sentences have?
fn is_function_word(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "the", "your", "you", "and", "for", "not", "must", "enter", "please", "with", "that", "has", "have",
        "was", "will", "should", "can", "are", "invalid", "required", "password", "from", "use", "set", "new", "least",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
