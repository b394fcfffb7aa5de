//! Command line → simple commands, with what the shell around them does to their exit codes.
//!
//! Comes in: a command line as an agent wrote it, sound or not. Goes out: its simple commands in order,
//! words unquoted, each knowing whether a failure of it would be seen. Nothing is expanded or run.
//!
//! Why our own and not a grammar library: a full syntax tree costs 27 µs a command, which alone would be
//! a third of the time allowed for reading a transcript; this takes about 1 µs. A test compares the two.

use std::borrow::Cow;

/// Nesting deeper than this is read as plain words: no agent writes it, and no input may exhaust the stack.
const DEPTH_LIMIT: usize = 32;

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its text with quotes and backslashes removed.
    pub text: Cow<'a, str>,
    /// Whether any part of it was quoted.
    pub quoted: bool,
    /// Whether the shell would put something else in its place (`$x`, `$(…)`, backticks).
    pub expands: bool,
}

/// A redirection such as `2>/dev/null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect<'a> {
    /// The operator with its file number, for example `2>` or `<<`.
    pub op: &'a str,
    /// Where to.
    pub target: Cow<'a, str>,
}

/// One program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple<'a> {
    /// `NAME=value` before the program.
    pub assigns: Vec<Word<'a>>,
    /// The program and its arguments.
    pub words: Vec<Word<'a>>,
    /// Its redirections.
    pub redirects: Vec<Redirect<'a>>,
    /// Place in its pipeline, from 0.
    pub stage: usize,
    /// Its exit code is lost in a pipe.
    pub piped: bool,
    /// Something else runs after it whatever its exit code is.
    pub followed: bool,
    /// Its failure is handled by what stands after `||`.
    pub fallback: bool,
    /// Where it begins in the line.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script<'a> {
    /// All simple commands in the order written.
    pub commands: Vec<Simple<'a>>,
    /// `set -o pipefail` is on, so pipes do not hide failures.
    pub pipefail: bool,
    /// `set -e` is on, so failures end the script.
    pub errexit: bool,
}

/// Reads a command line. Never fails: what is not understood becomes words.
pub fn parse(text: &str) -> Script<'_> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, out: Vec::new(), heredocs: Vec::new(), depth: 0 };
    parser.list(Until::End);
    let mut script = Script { commands: parser.out, ..Script::default() };
    for command in &script.commands {
        if command.words.first().is_some_and(|w| w.text == "set") {
            let has = |flag: &str| command.words.iter().any(|w| w.text == flag);
            let short = |c| {
                command.words.iter().any(|w| w.text.starts_with('-') && !w.text.starts_with("--") && w.text.contains(c))
            };
            script.pipefail |= has("pipefail");
            script.errexit |= short('e');
        }
    }
    if script.pipefail {
        script.commands.iter_mut().for_each(|c| c.piped = false);
    }
    if script.errexit {
        script.commands.iter_mut().for_each(|c| c.followed = false);
    }
    script
}

impl Simple<'_> {
    /// Whether a failure of it would not show in the exit code of the whole line.
    pub fn hides_failure(&self) -> bool {
        self.piped || self.followed || self.fallback
    }

    /// Whether its error messages are thrown away.
    pub fn drops_errors(&self) -> bool {
        self.redirects.iter().any(|r| matches!(r.op, "2>" | "2>>" | "&>" | ">&") && r.target == "/dev/null")
    }

    /// Whether it writes a file with a here-document or redirection.
    pub fn writes_file(&self) -> bool {
        let to_file =
            self.redirects.iter().any(|r| matches!(r.op, ">" | ">>" | "1>") && !r.target.starts_with("/dev/"));
        to_file && self.redirects.iter().any(|r| r.op.starts_with("<<"))
    }
}

/// What ends a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    Paren,
    Word,
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Vec<Simple<'a>>,
    /// Delimiters of here-documents whose bodies start after this line, and whether tabs are stripped.
    heredocs: Vec<(String, bool)>,
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
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Pipelines joined by `&&`, `||`, `;`, `&` and newlines, until the list's end.
    fn list(&mut self, until: Until) {
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
                        self.mark(first, |c| c.followed = true);
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
        let rest = &self.bytes[self.at..];
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
            self.heredocs.push((target.text.clone().into_owned(), *op == "<<-"));
        }
        Some(Redirect { op: op_text, target: target.text })
    }

    /// One word: plain, quoted, with expansions inside.
    fn word(&mut self) -> Word<'a> {
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
        for (delimiter, _) in std::mem::take(&mut self.heredocs) {
            self.at = after_heredoc(self.text, self.at, &delimiter).unwrap_or(self.bytes.len());
        }
    }
}

fn after_heredoc(text: &str, from: usize, delimiter: &str) -> Option<usize> {
    let mut at = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        at += line.len();
        if line.trim_end_matches(['\n', '\r']).trim_start_matches('\t') == delimiter {
            return Some(at);
        }
    }
    None
}

fn push<'a>(word: &mut Word<'a>, part: &'a str) {
    if word.text.is_empty() {
        word.text = Cow::Borrowed(part);
    } else {
        word.text.to_mut().push_str(part);
    }
}

fn is_assignment(word: &Word<'_>) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'+')
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// `program args[flags]` a line: p = piped, f = followed, b = has a fallback.
    fn check(line: &str, expect: Expect) {
        let script = parse(line);
        let shown: Vec<String> = script
            .commands
            .iter()
            .map(|c| {
                let words: Vec<String> = c.assigns.iter().chain(&c.words).map(|w| w.text.replace('\n', "⏎")).collect();
                let redirects: String = c.redirects.iter().map(|r| format!(" {}{}", r.op, r.target)).collect();
                let flags: String = [(c.piped, 'p'), (c.followed, 'f'), (c.fallback, 'b')]
                    .iter()
                    .filter(|f| f.0)
                    .map(|f| f.1)
                    .collect();
                format!("{}{redirects} [{flags}]", words.join("·"))
            })
            .collect();
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn quotes_and_escapes() {
        check(
            r#"git commit -m "a \"b\" 'c'" --author='x y' a\ b"#,
            expect!["git·commit·-m·a \"b\" 'c'·--author=x y·a b []"],
        );
    }

    #[test]
    fn a_pipe_hides_all_but_the_last() {
        check(
            "bun test 2>&1 | grep -v x | tail -5",
            expect![[r#"
            bun·test 2>&1 [p]
            grep·-v·x [p]
            tail·-5 []"#]],
        );
    }

    #[test]
    fn lists_tell_whose_failure_would_show() {
        check(
            "cd a && make; echo done",
            expect![[r#"
            cd·a [f]
            make [f]
            echo·done []"#]],
        );
        check(
            "a && b || c",
            expect![[r#"
            a [b]
            b [b]
            c []"#]],
        );
        check(
            "sleep 1 & wait",
            expect![[r#"
            sleep·1 [f]
            wait []"#]],
        );
    }

    #[test]
    fn here_documents_are_no_commands() {
        check(
            "cat > f.py <<'EOF'\nimport x; y | z\nEOF\npython3 f.py",
            expect![[r#"
            cat >f.py <<EOF [f]
            python3·f.py []"#]],
        );
        check(
            "git commit -m \"$(cat <<'EOF'\nIt's (done)\nEOF\n)\" && git push",
            expect![[r#"
            git·commit·-m·$(cat <<'EOF'⏎It's (done)⏎EOF⏎) []
            git·push []"#]],
        );
    }

    #[test]
    fn loops_and_groups() {
        check(
            "for f in a b; do wc -l \"$f\"; done | sort",
            expect![[r#"
            wc·-l·$f [p]
            sort []"#]],
        );
        check(
            "(cd x && make) || { echo no; exit 1; }",
            expect![[r#"
            cd·x [b]
            make [b]
            echo·no [f]
            exit·1 []"#]],
        );
        check(
            "if grep -q a f; then echo yes; else echo no; fi",
            expect![[r#"
            grep·-q·a·f [f]
            echo·yes [f]
            echo·no []"#]],
        );
    }

    #[test]
    fn environment_and_comments() {
        check(
            "FOO=1 BAR='x y' make -j2 # build\n# nothing\nls",
            expect![[r#"
            FOO=1·BAR=x y·make·-j2 [f]
            ls []"#]],
        );
    }

    #[test]
    fn pipefail_and_errexit_show_failures() {
        assert!(!parse("set -o pipefail; make | tail").commands[1].piped);
        assert!(!parse("set -euo pipefail\nmake\nls").commands[1].followed);
    }

    #[test]
    fn redirections() {
        let script = parse("ls x 2>/dev/null; cat > f << E\nx\nE");
        assert!(script.commands[0].drops_errors());
        assert!(script.commands[1].writes_file());
        check("a >out 2>&1 </dev/null 3<&0", expect!["a >out 2>&1 </dev/null 3<&0 []"]);
    }

    #[test]
    fn broken_input_becomes_words() {
        for line in [
            "echo \"abc",
            "'",
            "$(",
            "${x",
            "a | | b",
            "((((",
            "`x",
            "if then",
            "<<",
            "case x in",
            "\\",
            "a &&",
            "\0a\0",
        ] {
            parse(line);
        }
        parse(&"(".repeat(100_000));
        parse(&"if ".repeat(100_000));
        parse(&"$(".repeat(20_000));
    }

    /// A second opinion: program names found by a full bash grammar are the same as ours.
    #[test]
    fn agrees_with_a_full_grammar() {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("grammar loads");
        for line in [
            "cd a && npm test 2>&1 | tail -20",
            "FOO=1 make -j4; echo $?",
            "git log --oneline -5 && git diff --stat HEAD~1",
            "for i in 1 2 3; do curl -s http://localhost:$i; done",
            "docker run --rm -e A=b img sh -c 'ls -la | wc -l'",
            "find . -name '*.rs' -exec grep -l foo {} \\;",
            "test -f x || touch x",
            "python3 - <<'EOF'\nprint('a && b')\nEOF\necho ok",
            "(cd sub && make) && ls > out.txt 2>&1",
            "while read l; do echo $l; done < in.txt",
            "if [ -f a ]; then cat a; fi",
            "export PATH=\"$PATH:/x\" && which foo",
            "a=$(git rev-parse HEAD) && echo $a",
            "ssh host 'cd /srv && ls' | head -3",
        ] {
            let tree = parser.parse(line, None).expect("parses");
            let mut theirs = Vec::new();
            let mut nodes = vec![tree.root_node()];
            while let Some(node) = nodes.pop() {
                if node.kind() == "command_substitution" {
                    continue;
                }
                if node.kind() == "command_name" {
                    theirs.push(line[node.byte_range()].to_owned());
                }
                nodes.extend((0..node.child_count()).rev().filter_map(|i| node.child(u32::try_from(i).ok()?)));
            }
            let skip = ["[", "export"];
            theirs.retain(|t| !skip.contains(&t.as_str()));
            let ours: Vec<String> = parse(line)
                .commands
                .iter()
                .filter_map(|c| c.words.first())
                .map(|w| w.text.to_string())
                .filter(|w| !skip.contains(&w.as_str()))
                .collect();
            assert_eq!(ours, theirs, "{line}");
        }
    }
}
