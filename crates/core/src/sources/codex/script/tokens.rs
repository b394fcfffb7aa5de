//! The text of a script → its tokens.
//!
//! Comes in: what a model wrote. Goes out: words, numbers, texts, templates and marks, without comments and white space.
//! Nothing is refused: a text that is never closed ends with the script, a mark nobody knows is a mark.

/// A piece of a script.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a word of the language.
    Word(String),
    /// A number, as far as it is a plain one.
    Number(f64),
    /// A text in quotes, with its escapes read.
    Text(String),
    /// A text in backquotes: what stands in it and, between that, the tokens of its values.
    Template(Vec<TemplatePart>),
    /// A regular expression; what it says does not matter here.
    Pattern,
    /// An operator or a bracket.
    Mark(&'static str),
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplatePart {
    /// Text as it stands.
    Text(String),
    /// The tokens inside of `${…}`.
    Value(Vec<Token>),
}

/// Longest first: the first that fits is taken.
const MARKS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>", "{", "}", "(", ")",
    "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", ":", "=", ".", "@", "#",
];

/// Templates in templates are followed so deep.
const DEEPEST: usize = 16;

/// Reads a script.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    Tokenizer { rest: script, depth: 0 }.all()
}

struct Tokenizer<'s> {
    rest: &'s str,
    depth: usize,
}

impl Tokenizer<'_> {
    fn all(&mut self) -> Vec<Token> {
        let mut out = Vec::new();
        while let Some(token) = self.next(out.last()) {
            out.push(token);
        }
        out
    }

    fn next(&mut self, before: Option<&Token>) -> Option<Token> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with("//") || self.rest.starts_with("#!") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        match first {
            '"' | '\'' => Some(Token::Text(self.quoted(first))),
            '`' => Some(self.template()),
            '/' if begins_a_value(before) && self.pattern() => Some(Token::Pattern),
            c if c.is_ascii_digit() => Some(self.number()),
            c if is_word(c) => Some(self.word()),
            _ => self.mark(first),
        }
    }

    fn take(&mut self, bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn word(&mut self) -> Token {
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        Token::Word(self.take(end).to_owned())
    }

    fn number(&mut self) -> Token {
        let end = self.rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(self.rest.len());
        let plain = self.take(end).replace('_', "");
        Token::Number(plain.trim_end_matches('n').parse().unwrap_or(f64::NAN))
    }

    fn mark(&mut self, first: char) -> Option<Token> {
        let mut marks = MARKS.iter().filter(|m| m.starts_with(first));
        let Some(mark) = marks.find(|m| self.rest.starts_with(**m)) else {
            self.take(first.len_utf8());
            return self.next(None);
        };
        self.take(mark.len());
        Some(Token::Mark(mark))
    }

    /// Passes over `/…/flags`; `false` if it is none, for example because the line ends before.
    fn pattern(&mut self) -> bool {
        let mut in_class = false;
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => return false,
                '\\' => drop(chars.next()),
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let flags = self.rest[at + 1..].find(|c| !is_word(c)).unwrap_or(self.rest.len() - at - 1);
                    self.take(at + 1 + flags);
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn quoted(&mut self, quote: char) -> String {
        self.take(1);
        let mut out = String::new();
        loop {
            let end = self.rest.find([quote, '\\']).unwrap_or(self.rest.len());
            out.push_str(self.take(end));
            match self.char() {
                Some('\\') => self.escape(&mut out),
                _ => return out,
            }
        }
    }

    fn char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(c)
    }

    /// What follows a backslash.
    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.char() else { return };
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '0' => out.push('\0'),
            '\n' => {}
            '\r' => self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest),
            'x' => out.extend(self.code_point(2)),
            'u' => out.extend(self.unicode()),
            other => out.push(other),
        }
    }

    /// The character of so many hexadecimal digits.
    fn code_point(&mut self, digits: usize) -> Option<char> {
        self.hex(digits).map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let code = u32::from_str_radix(self.rest.get(..digits)?, 16).ok()?;
        self.take(digits);
        Some(code)
    }

    fn unicode(&mut self) -> Option<char> {
        if let Some(braced) = self.rest.strip_prefix('{') {
            let (digits, rest) = braced.split_once('}')?;
            self.rest = rest;
            return u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        }
        let first = self.hex(4)?;
        if let 0xD800..0xDC00 = first
            && let Some(rest) = self.rest.strip_prefix("\\u")
            && let Some(second @ 0xDC00..0xE000) = rest.get(..4).and_then(|d| u32::from_str_radix(d, 16).ok())
        {
            self.take(6);
            return char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn template(&mut self) -> Token {
        self.take(1);
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            let end = self.rest.find(['`', '\\', '$']).unwrap_or(self.rest.len());
            text.push_str(self.take(end));
            match self.char() {
                Some('\\') => self.escape(&mut text),
                Some('$') if self.rest.starts_with('{') => {
                    self.take(1);
                    parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                    parts.push(TemplatePart::Value(self.value()));
                }
                Some('$') => text.push('$'),
                _ => break,
            }
        }
        parts.push(TemplatePart::Text(text));
        Token::Template(parts)
    }

    /// The tokens up to the bracket that closes the value of a template.
    fn value(&mut self) -> Vec<Token> {
        let mut out = Vec::new();
        let mut open = 0_usize;
        self.depth += 1;
        while self.depth <= DEEPEST
            && let Some(token) = self.next(out.last())
        {
            match token {
                Token::Mark("{") => open += 1,
                Token::Mark("}") if open == 0 => break,
                Token::Mark("}") => open -= 1,
                _ => {}
            }
            out.push(token);
        }
        self.depth -= 1;
        out
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Whether a value may begin after this token, so that `/` opens a regular expression and does not divide.
fn begins_a_value(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Mark(mark)) => !matches!(*mark, ")" | "]" | "}"),
        Some(Token::Word(word)) => matches!(word.as_str(), "return" | "typeof" | "await" | "case"),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> String {
        let one = |t: &Token| match t {
            Token::Word(w) => w.clone(),
            Token::Number(n) => n.to_string(),
            Token::Text(t) => format!("{t:?}"),
            Token::Template(parts) => format!("{}-part template", parts.len()),
            Token::Pattern => "pattern".to_owned(),
            Token::Mark(m) => (*m).to_owned(),
        };
        tokens(script).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn texts_comments_and_patterns_are_told_from_marks() {
        for (script, expected) in [
            ("a.b(1_000) // x(", "a . b ( 1000 )"),
            ("/* a( */ b", "b"),
            (r#""a\"b" 'c"\n' "#, r#""a\"b" "c\"\n""#),
            (r#""\u00e4\x41\u{1F600}\ud83d\ude00""#, "\"äA😀😀\""),
            ("\"one\\\ntwo\"", "\"onetwo\""),
            ("a / b / c", "a / b / c"),
            ("f(/a[/]\\/(/i, x)", "f ( pattern , x )"),
            ("`a ${ {b: `${c}`}.b } d`", "3-part template"),
            ("x => x?.y ?? [...z]", "x => x ?. y ?? [ ... z ]"),
            ("\"never closed", "\"never closed\""),
            ("`never ${closed", "3-part template"),
            ("/", "/"),
            ("§ a", "a"),
        ] {
            assert_eq!(shown(script), expected, "{script}");
        }
    }

    #[test]
    fn templates_in_templates_end() {
        assert!(!tokens(&"`${".repeat(100_000)).is_empty());
    }
}
