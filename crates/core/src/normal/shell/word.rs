//! Words: plain, quoted, with expansions inside.

use std::borrow::Cow;

use super::Word;
use super::parser::{Parser, after_heredoc};

impl<'a> Parser<'a> {
    /// One word: plain, quoted, with expansions inside.
    pub(super) fn word(&mut self) -> Word<'a> {
        let start = self.at;
        // Plain words are borrowed from the text.
        while !matches!(
            self.peek(0),
            0 | b' '
                | b'\t'
                | b'\n'
                | b';'
                | b'|'
                | b'&'
                | b'('
                | b')'
                | b'<'
                | b'>'
                | b'\''
                | b'"'
                | b'\\'
                | b'$'
                | b'`'
        ) {
            self.at += 1;
        }
        let mut word = Word { text: Cow::Borrowed(&self.text[start..self.at]), quoted: false, expands: false };
        loop {
            match self.peek(0) {
                b'\'' => {
                    word.quoted = true;
                    let end = self.find(b'\'', self.at + 1);
                    push(&mut word, &self.text[self.at + 1..end]);
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'"' => self.double_quoted(&mut word),
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' => {
                    word.quoted = true;
                    self.at += 1;
                    self.push_char(&mut word);
                }
                b'$' | b'`' => self.expansion(&mut word),
                b'<' | b'>' if self.peek(1) == b'(' && self.at == start => {
                    let end = self.matching_paren(self.at + 1);
                    word.expands = true;
                    push(&mut word, &self.text[self.at..end]);
                    self.at = end;
                }
                0 if self.at >= self.bytes.len() => return word,
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' => return word,
                _ => self.push_char(&mut word),
            }
        }
    }

    fn push_char(&mut self, word: &mut Word<'a>) {
        let Some(c) = self.text[self.at..].chars().next() else { return };
        push(word, &self.text[self.at..self.at + c.len_utf8()]);
        self.at += c.len_utf8();
    }

    fn double_quoted(&mut self, word: &mut Word<'a>) {
        word.quoted = true;
        self.at += 1;
        loop {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return;
                }
                0 if self.at >= self.bytes.len() => return,
                b'\\' if matches!(self.peek(1), b'"' | b'\\' | b'$' | b'`') => {
                    self.at += 1;
                    self.push_char(word);
                }
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'$' | b'`' => self.expansion(word),
                _ => {
                    let start = self.at;
                    while !matches!(self.peek(0), 0 | b'"' | b'\\' | b'$' | b'`') {
                        self.at += 1;
                    }
                    if self.at == start {
                        self.push_char(word); // a lone backslash or NUL
                    } else {
                        push(word, &self.text[start..self.at]);
                    }
                }
            }
        }
    }

    fn expansion(&mut self, word: &mut Word<'a>) {
        let start = self.at;
        let end = match (self.peek(0), self.peek(1)) {
            (b'`', _) => (self.find(b'`', start + 1) + 1).min(self.bytes.len()),
            (_, b'(') => self.matching_paren(start + 1),
            (_, b'{') => (self.find(b'}', start + 2) + 1).min(self.bytes.len()),
            (_, b'\'') => {
                // $'…' with backslash escapes
                let mut i = start + 2;
                while i < self.bytes.len() && self.bytes[i] != b'\'' {
                    i += if self.bytes[i] == b'\\' { 2 } else { 1 };
                }
                (i + 1).min(self.bytes.len())
            }
            (_, c) if c == b'_' || c.is_ascii_alphabetic() => {
                let name =
                    self.bytes[start + 1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                start + 1 + name
            }
            (_, b'?' | b'$' | b'!' | b'#' | b'@' | b'*' | b'0'..=b'9' | b'-') => start + 2,
            _ => {
                self.push_char(word); // a dollar sign that means itself
                return;
            }
        };
        let end = self.text.ceil_char_boundary(end);
        word.expands = true;
        push(word, &self.text[start..end]);
        self.at = end;
    }

    /// Place after the bracket that closes the one at `open`; quotes and here-documents inside are respected.
    fn matching_paren(&self, open: usize) -> usize {
        let mut depth = 0usize;
        let mut i = open;
        while i < self.bytes.len() {
            match self.bytes[i] {
                b'(' => depth += 1,
                b')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return i + 1;
                    }
                }
                b'\\' => i += 1,
                b'\'' => i = self.find(b'\'', i + 1),
                b'"' => i = self.end_of_double_quote(i),
                b'<' if self.text[i..].starts_with("<<") && !self.text[i..].starts_with("<<<") => {
                    i = self.end_of_heredoc(i);
                    continue;
                }
                _ => {}
            }
            i += 1;
        }
        self.bytes.len()
    }

    fn end_of_double_quote(&self, open: usize) -> usize {
        let mut i = open + 1;
        while i < self.bytes.len() && self.bytes[i] != b'"' {
            i += if self.bytes[i] == b'\\' { 2 } else { 1 };
        }
        i
    }

    /// Place after the body of the here-document whose operator is at `op`; after the operator if it has none.
    fn end_of_heredoc(&self, op: usize) -> usize {
        let rest = self.text.get(op + 2..).unwrap_or("").trim_start_matches('-').trim_start_matches(' ');
        let delimiter: String = rest
            .chars()
            .skip_while(|c| matches!(c, '\'' | '"' | '\\'))
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let Some(newline) = self.bytes[op..].iter().position(|b| *b == b'\n') else { return op + 2 };
        if delimiter.is_empty() {
            return op + 2;
        }
        after_heredoc(self.text, op + newline + 1, &delimiter).unwrap_or(self.bytes.len())
    }

    fn find(&self, byte: u8, from: usize) -> usize {
        let from = from.min(self.bytes.len());
        memchr::memchr(byte, &self.bytes[from..]).map_or(self.bytes.len(), |i| from + i)
    }
}

fn push<'a>(word: &mut Word<'a>, part: &'a str) {
    if word.text.is_empty() {
        word.text = Cow::Borrowed(part);
    } else {
        word.text.to_mut().push_str(part);
    }
}
