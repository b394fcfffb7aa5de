//! The part of a script that gives a value → its tree. Belongs to [`super::tree`], which reads what is done.

use std::rc::Rc;

use super::tokens::{TemplatePart, Token, tokens};
use super::tree::{DEEPEST, Expr, Function, Parser, Statement, Target};

impl Parser {
    /// Values with commas between them: the last one counts.
    pub(super) fn expression(&mut self) -> Expr {
        let mut out = self.value();
        while self.pass(",") {
            out = Expr::Unknown(vec![out, self.value()]);
        }
        out
    }

    /// One value, without a comma.
    pub(super) fn value(&mut self) -> Expr {
        self.depth += 1;
        let out = if self.depth > DEEPEST {
            self.at = self.tokens.len();
            Expr::Unknown(Vec::new())
        } else {
            self.assignment()
        };
        self.depth -= 1;
        out
    }

    fn assignment(&mut self) -> Expr {
        if let Some(function) = self.arrow() {
            return function;
        }
        let left = self.choice();
        let Some(Token::Mark(mark @ ("=" | "+=" | "-=" | "??=" | "||="))) = self.peek() else { return left };
        let mark = *mark;
        self.at += 1;
        let right = self.value();
        Expr::Assign(Box::new(as_target(left)), mark, Box::new(right))
    }

    fn choice(&mut self) -> Expr {
        let condition = self.binary(0);
        if !self.pass("?") {
            return condition;
        }
        let then = self.value();
        self.pass(":");
        let otherwise = self.value();
        Expr::Choice(Box::new([condition, then, otherwise]))
    }

    fn binary(&mut self, strength: u8) -> Expr {
        let mut left = self.unary();
        while let Some((mark, binds)) = self.operator()
            && binds > strength
        {
            self.at += 1;
            let right = self.binary(binds);
            left = Expr::Binary(mark, Box::new(left), Box::new(right));
        }
        left
    }

    fn operator(&self) -> Option<(&'static str, u8)> {
        let mark = match self.peek()? {
            Token::Mark(mark) => *mark,
            Token::Word(word) if word == "in" || word == "instanceof" => "in",
            _ => return None,
        };
        let binds = match mark {
            "??" | "||" => 1,
            "&&" => 2,
            "|" | "^" | "&" => 3,
            "==" | "!=" | "===" | "!==" => 4,
            "<" | ">" | "<=" | ">=" | "in" => 5,
            "<<" | ">>" | ">>>" => 6,
            "+" | "-" => 7,
            "*" | "/" | "%" => 8,
            "**" => 9,
            _ => return None,
        };
        Some((mark, binds))
    }

    fn unary(&mut self) -> Expr {
        // Waiting does not change a value.
        let mut waits = 0;
        while self.pass_word("await") {
            waits += 1;
        }
        if self.is("!") && waits == 0 {
            self.at += 1;
            return Expr::Not(Box::new(self.deeper(Self::unary)));
        }
        if self.is("++") || self.is("--") {
            let by = if self.is("++") { 1.0 } else { -1.0 };
            self.at += 1;
            return self.word().map_or(Expr::Unknown(Vec::new()), |name| Expr::Step(name, by));
        }
        if self.is("-") {
            self.at += 1;
            let zero = Box::new(Expr::Number(0.0));
            return Expr::Binary("-", zero, Box::new(self.deeper(Self::unary)));
        }
        let other =
            ["+", "~"].iter().any(|m| self.is(m)) || ["typeof", "void", "delete"].iter().any(|w| self.is_word(w));
        if other {
            self.at += 1;
            return Expr::Unknown(vec![self.deeper(Self::unary)]);
        }
        self.suffixes()
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Expr) -> Expr {
        if self.depth > DEEPEST {
            self.at = self.tokens.len();
            return Expr::Unknown(Vec::new());
        }
        self.depth += 1;
        let out = read(self);
        self.depth -= 1;
        out
    }

    fn suffixes(&mut self) -> Expr {
        let mut out = self.atom();
        loop {
            if self.pass("?.") && (self.is("(") || self.is("[")) {
                continue;
            }
            let dotted = matches!(self.tokens.get(self.at.wrapping_sub(1)), Some(Token::Mark("?."))) || self.pass(".");
            if dotted && let Some(name) = self.word() {
                out = Expr::Member(Box::new(out), Box::new(Expr::Text(name)));
            } else if self.pass("[") {
                let key = self.expression();
                self.pass("]");
                out = Expr::Member(Box::new(out), Box::new(key));
            } else if self.pass("(") {
                out = Expr::Call(Box::new(out), self.list(")"));
            } else if matches!(self.peek(), Some(Token::Template(_))) {
                out = Expr::Unknown(vec![out, self.atom()]);
            } else if self.is("++") || self.is("--") {
                let by = if self.is("++") { 1.0 } else { -1.0 };
                self.at += 1;
                out = if let Expr::Name(name) = out { Expr::Step(name, by) } else { Expr::Unknown(vec![out]) };
            } else {
                return out;
            }
        }
    }

    /// Values up to a closing bracket.
    fn list(&mut self, close: &str) -> Vec<Expr> {
        let mut out = Vec::new();
        while self.peek().is_some() && !self.pass(close) {
            let before = self.at;
            if self.pass("...") {
                out.push(Expr::Spread(Box::new(self.value())));
            } else if !self.is(",") {
                out.push(self.value());
            }
            self.pass(",");
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        out
    }

    fn atom(&mut self) -> Expr {
        let Some(token) = self.peek().cloned() else { return Expr::Unknown(Vec::new()) };
        self.at += 1;
        match token {
            Token::Text(text) => Expr::Text(text),
            Token::Number(number) => Expr::Number(number),
            Token::Template(parts) => Expr::Template(parts.into_iter().map(|p| self.template_part(p)).collect()),
            Token::Mark("[") => Expr::List(self.list("]")),
            Token::Mark("{") => self.object(),
            Token::Mark("(") => {
                let inside = self.expression();
                self.pass(")");
                inside
            }
            Token::Word(word) if word == "function" => {
                if !self.is("(") {
                    self.word();
                }
                self.function()
            }
            Token::Word(word) if word == "async" && self.is_word("function") => self.atom(),
            Token::Word(word) if word == "new" => {
                let made = self.deeper(Self::suffixes);
                Expr::Unknown(vec![made])
            }
            Token::Word(word) => Expr::Name(word),
            Token::Mark(mark) => {
                // A bracket that closes something is for whoever opened it.
                if matches!(mark, ")" | "]" | "}" | ";" | ",") {
                    self.at -= 1;
                }
                Expr::Unknown(Vec::new())
            }
            Token::Pattern => Expr::Unknown(Vec::new()),
        }
    }

    fn template_part(&self, part: TemplatePart) -> Expr {
        match part {
            TemplatePart::Text(text) => Expr::Text(text),
            TemplatePart::Value(tokens) => Parser { tokens, at: 0, depth: self.depth }.deeper(Self::expression),
        }
    }

    fn object(&mut self) -> Expr {
        let mut out = Vec::new();
        while self.peek().is_some() && !self.pass("}") {
            let before = self.at;
            self.entry(&mut out);
            self.pass(",");
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        Expr::Object(out)
    }

    fn entry(&mut self, out: &mut Vec<(Expr, Expr)>) {
        if self.pass("...") {
            let all = self.value();
            out.push((Expr::Spread(Box::new(all.clone())), all));
            return;
        }
        if self.is_word("async") && !self.ahead(1, ":") && !self.ahead(1, ",") {
            self.at += 1;
        }
        let key = match self.peek().cloned() {
            Some(Token::Word(word)) => {
                self.at += 1;
                if !self.is(":") && !self.is("(") {
                    out.push((Expr::Text(word.clone()), Expr::Name(word)));
                    return;
                }
                Expr::Text(word)
            }
            Some(Token::Text(text)) => {
                self.at += 1;
                Expr::Text(text)
            }
            Some(Token::Number(number)) => {
                self.at += 1;
                Expr::Text(number.to_string())
            }
            Some(Token::Mark("[")) => {
                self.at += 1;
                let key = self.expression();
                self.pass("]");
                key
            }
            _ => return,
        };
        let value = if self.is("(") {
            self.function()
        } else {
            self.pass(":");
            self.value()
        };
        out.push((key, value));
    }

    /// `(a, b) { … }`: a function behind its name.
    pub(super) fn function(&mut self) -> Expr {
        let takes = self.parameters();
        let body = self.block();
        Expr::Function(Rc::new(Function { takes, body }))
    }

    fn parameters(&mut self) -> Vec<Target> {
        let mut takes = Vec::new();
        self.pass("(");
        while self.peek().is_some() && !self.pass(")") {
            let before = self.at;
            takes.push(self.target());
            self.default();
            self.pass(",");
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        takes
    }

    /// `a => …`, `(a, b) => …`, each also with `async` before it.
    fn arrow(&mut self) -> Option<Expr> {
        let start = self.at;
        if self.is_word("async") && !self.ahead(1, "=>") {
            self.at += 1;
        }
        let takes = if self.is("(") && self.closes_before_arrow() {
            self.parameters()
        } else if matches!(self.peek(), Some(Token::Word(_))) && self.ahead(1, "=>") {
            self.word().into_iter().map(Target::Name).collect()
        } else {
            self.at = start;
            return None;
        };
        self.pass("=>");
        let body = if self.is("{") { self.block() } else { vec![Statement::Return(self.value())] };
        Some(Expr::Function(Rc::new(Function { takes, body })))
    }

    /// Whether the bracket that opens here is closed right before `=>`.
    fn closes_before_arrow(&self) -> bool {
        let mut open = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Mark("(" | "[" | "{") => open += 1,
                Token::Mark(")" | "]" | "}") => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return matches!(self.tokens.get(at + 1), Some(Token::Mark("=>")));
            }
        }
        false
    }
}

fn as_target(expr: Expr) -> Target {
    match expr {
        Expr::Name(name) => Target::Name(name),
        Expr::List(items) => Target::List(items.into_iter().map(|i| Some(as_target(i))).collect()),
        _ => Target::Unknown,
    }
}

/// A JSON object that may end too early, read like an object in a script.
pub(super) fn json(text: &str) -> Option<serde_json::Value> {
    let mut parser = Parser::new(tokens(text));
    match parser.value() {
        Expr::Object(entries) => Some(as_json(Expr::Object(entries))),
        _ => None,
    }
}

fn as_json(expr: Expr) -> serde_json::Value {
    use serde_json::Value;
    match expr {
        Expr::Text(text) => Value::String(text),
        Expr::Number(number) if number.fract() == 0.0 => Value::from(number as i64),
        Expr::Number(number) => Value::from(number),
        Expr::Binary("-", _, number) => match *number {
            Expr::Number(number) => Value::from(-number as i64),
            _ => Value::Null,
        },
        Expr::List(items) => items.into_iter().map(as_json).collect(),
        Expr::Object(entries) => entries
            .into_iter()
            .filter_map(|(key, value)| if let Expr::Text(key) = key { Some((key, as_json(value))) } else { None })
            .collect(),
        Expr::Name(name) if name == "true" || name == "false" => Value::Bool(name == "true"),
        _ => Value::Null,
    }
}
