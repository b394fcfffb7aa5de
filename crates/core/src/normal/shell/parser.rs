//! The parser itself: quotes, expansions, lists, groups, here-documents; tolerant of everything.

use super::{Redirect, Simple, Word};

/// Nesting deeper than this is read as plain words: no agent writes it, and no input may exhaust the stack.
const DEPTH_LIMIT: usize = 32;

/// What ends a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    End,
    Paren,
    Word,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// The commands found so far.
    pub(super) out: Vec<Simple<'a>>,
    /// Delimiters of here-documents whose bodies start after this line.
    heredocs: Vec<String>,
    depth: usize,
}

/// How a pipeline is joined to the next one.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Join {
    And,
    Or,
    Seq,
}

const OPENERS: &[&str] = &["if", "while", "until", "then", "else", "elif", "do", "{", "!", "time"];
const CLOSERS: &[&str] = &["fi", "done", "esac", "}"];

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, out: Vec::new(), heredocs: Vec::new(), depth: 0 }
    }

    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Pipelines joined by `&&`, `||`, `;`, `&` and newlines, until the list's end.
    pub(super) fn list(&mut self, until: Until) {
        if self.depth >= DEPTH_LIMIT {
            self.at = self.bytes.len();
            return;
        }
        self.depth += 1;
        let first = self.out.len();
        let mut chain = first; // start of the current `&&`/`||` chain
        loop {
            self.skip_blank_lines();
            if self.at >= self.bytes.len() {
                break;
            }
            if self.peek(0) == b')' {
                if until == Until::Paren {
                    break;
                }
                self.at += 1; // case pattern or stray
                continue;
            }
            if until == Until::Word && self.closer().is_some() {
                break;
            }
            let before = self.at;
            self.pipeline();
            match self.join() {
                Some(Join::And) => {}
                Some(Join::Or) => self.mark(chain, |c| c.fallback = true),
                Some(Join::Seq) => {
                    self.skip_blank_lines();
                    let more = self.at < self.bytes.len() && self.peek(0) != b')' && self.closer().is_none();
                    if more {
                        self.mark(chain, |c| c.followed = true);
                    }
                    chain = self.out.len();
                }
                None if self.at == before => self.at += 1, // cannot happen twice at one place
                None => {}
            }
        }
        self.depth -= 1;
    }

    fn mark(&mut self, from: usize, set: impl Fn(&mut Simple<'a>)) {
        self.out[from..].iter_mut().for_each(set);
    }

    fn join(&mut self) -> Option<Join> {
        self.skip_spaces();
        let (join, len) = match (self.peek(0), self.peek(1)) {
            (b'&', b'&') => (Join::And, 2),
            (b'|', b'|') => (Join::Or, 2),
            (b';', b';') => (Join::Seq, 2),
            (b';' | b'&' | b'\n', _) => (Join::Seq, 1),
            _ => return None,
        };
        if self.peek(0) == b'\n' {
            self.newline();
        } else {
            self.at += len;
        }
        Some(join)
    }

    fn pipeline(&mut self) {
        let mut stage = 0;
        let start = self.out.len();
        loop {
            let from = self.out.len();
            self.command();
            self.mark(from, |c| c.stage = c.stage.max(stage));
            self.skip_spaces();
            if self.peek(0) != b'|' || self.peek(1) == b'|' {
                return;
            }
            self.at += if self.peek(1) == b'&' { 2 } else { 1 };
            self.skip_blank_lines();
            self.mark(start, |c| c.piped = true);
            stage += 1;
        }
    }

    /// A simple command, or a group of commands with its redirections.
    fn command(&mut self) {
        self.skip_spaces();
        if self.peek(0) == b'(' {
            self.at += 1;
            self.list(Until::Paren);
            self.at += usize::from(self.peek(0) == b')');
            return self.group_redirects();
        }
        let Some(word) = self.bare_word() else { return self.simple() };
        match word {
            "for" | "case" | "select" => {
                self.skip_header();
                self.body();
            }
            "if" | "while" | "until" | "{" => {
                self.at += word.len();
                self.body();
            }
            "function" => {
                self.at += word.len();
                self.skip_spaces();
                self.word();
            }
            w if OPENERS.contains(&w) => {
                self.at += w.len();
                self.command();
            }
            w if CLOSERS.contains(&w) => {
                self.at += w.len(); // stray
                self.group_redirects();
            }
            _ => self.simple(),
        }
    }

    fn body(&mut self) {
        self.list(Until::Word);
        if let Some(closer) = self.closer() {
            self.at += closer.len();
        }
        self.group_redirects();
    }

    /// `for x in a b c` up to its separator, `case x in` up to `in`.
    fn skip_header(&mut self) {
        while self.at < self.bytes.len() && !matches!(self.peek(0), b';' | b'\n' | b')' | b'(') {
            if self.bare_word() == Some("in") && self.text[..self.at].trim_end().ends_with(|c: char| c != ';') {
                let case = self.text[..self.at].rfind("case").is_some_and(|c| !self.text[c..self.at].contains('\n'));
                self.at += 2;
                if case {
                    return;
                }
            }
            self.skip_spaces();
            if self.at >= self.bytes.len() {
                return;
            }
            let before = self.at;
            self.word();
            if self.at == before {
                self.at += 1;
            }
        }
    }

    fn closer(&self) -> Option<&'static str> {
        let word = self.bare_word()?;
        CLOSERS.iter().find(|c| **c == word).copied()
    }

    fn group_redirects(&mut self) {
        loop {
            self.skip_spaces();
            if self.redirect().is_none() {
                return;
            }
        }
    }

    /// The unquoted word at this place, if it consists of plain letters or is a brace or bang.
    fn bare_word(&self) -> Option<&'a str> {
        let rest = self.bytes.get(self.at..)?;
        let len = match rest.first()? {
            b'{' | b'}' | b'!' => 1,
            _ => rest.iter().take_while(|b| b.is_ascii_alphabetic()).count(),
        };
        let ends = matches!(
            rest.get(len).copied().unwrap_or(b' '),
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>'
        );
        (len > 0 && ends).then(|| &self.text[self.at..self.at + len])
    }

    fn simple(&mut self) {
        let mut simple = Simple { start: self.at, ..Simple::default() };
        loop {
            self.skip_spaces();
            if self.at >= self.bytes.len() {
                break;
            }
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek(0) {
                b'\n' | b';' | b'|' | b'&' | b')' => break,
                b'(' => {
                    // `name() {`, `$( …` is part of a word; an array or a stray bracket otherwise
                    self.at += 1;
                    self.skip_to_paren();
                    continue;
                }
                b'#' => {
                    self.skip_comment();
                    continue;
                }
                _ => {}
            }
            let word = self.word();
            if simple.words.is_empty() && is_assignment(&word) {
                simple.assigns.push(word);
            } else {
                simple.words.push(word);
            }
        }
        simple.end = self.text[..self.at].trim_end().len().max(simple.start);
        if !(simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty()) {
            self.out.push(simple);
        }
    }

    fn skip_to_paren(&mut self) {
        while self.at < self.bytes.len() && !matches!(self.peek(0), b')' | b'\n') {
            self.at += 1;
        }
        self.at += usize::from(self.peek(0) == b')');
    }

    fn redirect(&mut self) -> Option<Redirect<'a>> {
        let start = self.at;
        let mut i = start;
        while self.bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        // Asked at every word, and hardly ever there.
        if !matches!(self.bytes.get(i), Some(b'&' | b'<' | b'>')) {
            return None;
        }
        let ops: &[&str] = &["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];
        let rest = self.text.get(i..)?;
        let op = ops.iter().find(|op| rest.starts_with(**op))?;
        if op.starts_with('&') && i > start {
            return None;
        }
        // `<(…)` and `>(…)` are words
        if matches!(*op, "<" | ">") && rest[1..].starts_with('(') {
            return None;
        }
        self.at = i + op.len();
        let op_text = &self.text[start..self.at];
        self.skip_spaces();
        let target = self.word();
        if matches!(*op, "<<" | "<<-") {
            self.heredocs.push(target.text.clone().into_owned());
        }
        Some(Redirect { op: op_text, target: target.text })
    }

    fn skip_spaces(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                0 if self.at < self.bytes.len() => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            self.at += 1;
        }
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.skip_spaces();
            match self.peek(0) {
                b'\n' => self.newline(),
                b';' => self.at += 1,
                b'#' => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// Passes a newline and the bodies of here-documents that begin after it.
    fn newline(&mut self) {
        self.at += 1;
        for delimiter in std::mem::take(&mut self.heredocs) {
            self.at = after_heredoc(self.text, self.at, &delimiter).unwrap_or(self.bytes.len());
        }
    }
}

pub(super) fn after_heredoc(text: &str, from: usize, delimiter: &str) -> Option<usize> {
    let mut at = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        at += line.len();
        if line.trim_end_matches(['\n', '\r']).trim_start_matches('\t') == delimiter {
            return Some(at);
        }
    }
    None
}

fn is_assignment(word: &Word<'_>) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'+')
}
