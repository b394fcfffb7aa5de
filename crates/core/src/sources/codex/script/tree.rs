//! The tokens of a script → what it says to do.
//!
//! Comes in: tokens. Goes out: statements. What is not understood becomes [`Expr::Unknown`], and reading goes on behind
//! it: one odd line must not hide the calls of the others. Classes, labels, `switch` and modules are not followed.

use std::rc::Rc;

use super::tokens::{TemplatePart, Token, tokens};

/// Brackets in brackets are followed so deep.
const DEEPEST: usize = 48;

/// What gives a value.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Text(String),
    Template(Vec<Expr>),
    Number(f64),
    Name(String),
    List(Vec<Expr>),
    Spread(Box<Expr>),
    Object(Vec<(Expr, Expr)>),
    Member(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Function(Rc<Function>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<[Expr; 3]>),
    Not(Box<Expr>),
    /// `i++` and the like: the name, and what is added.
    Step(String, f64),
    Assign(Box<Target>, &'static str, Box<Expr>),
    /// Something that is not followed; what stands in it may still call.
    Unknown(Vec<Expr>),
}

/// What a value is put into.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Name(String),
    /// `[a, b]`; `None` for what is left out.
    List(Vec<Option<Target>>),
    /// `{a, b: c}`.
    Object(Vec<(String, Target)>),
    /// Anything else.
    Unknown,
}

/// A function, or the body of one.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) takes: Vec<Target>,
    pub(super) body: Vec<Statement>,
}

/// A step of a script.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Bind(Target, Option<Expr>),
    Do(Expr),
    Return(Expr),
    /// `break` and `continue`.
    Leave,
    Block(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    ForEach(Target, Expr, Box<Statement>),
    /// `for (…; …; …)` and `while (…)`.
    Loop(Vec<Statement>, Expr, Option<Expr>, Box<Statement>),
    /// `try`: what is tried, what is done if that fails, what is done at the end.
    Try(Vec<Statement>, Vec<Statement>, Vec<Statement>),
}

/// Reads a script.
pub(super) fn statements(script: &str) -> Vec<Statement> {
    Parser::new(tokens(script)).all()
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn new(tokens: Vec<Token>) -> Self {
        Self { tokens, at: 0, depth: 0 }
    }

    fn all(&mut self) -> Vec<Statement> {
        let mut out = Vec::new();
        while self.at < self.tokens.len() {
            let before = self.at;
            out.push(self.statement());
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        out
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(m)) if *m == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if w == word)
    }

    fn ahead(&self, by: usize, mark: &str) -> bool {
        matches!(self.tokens.get(self.at + by), Some(Token::Mark(m)) if *m == mark)
    }

    /// Passes over a mark, if it is next.
    fn pass(&mut self, mark: &str) -> bool {
        let there = self.is(mark);
        self.at += usize::from(there);
        there
    }

    fn pass_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        self.at += usize::from(there);
        there
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.peek() else { return None };
        let word = word.clone();
        self.at += 1;
        Some(word)
    }

    fn statement(&mut self) -> Statement {
        self.depth += 1;
        let out = if self.depth > DEEPEST { self.too_deep() } else { self.known_statement() };
        self.depth -= 1;
        self.pass(";");
        out
    }

    fn too_deep(&mut self) -> Statement {
        self.at = self.tokens.len();
        Statement::Do(Expr::Unknown(Vec::new()))
    }

    fn known_statement(&mut self) -> Statement {
        let word = match self.peek() {
            Some(Token::Mark("{")) => return Statement::Block(self.block()),
            Some(Token::Mark(";")) => return Statement::Block(Vec::new()),
            Some(Token::Word(word)) => word.clone(),
            _ => return Statement::Do(self.expression()),
        };
        match word.as_str() {
            "const" | "let" | "var" => self.bindings(),
            "if" => self.condition(),
            "for" => self.for_loop(),
            "while" => self.while_loop(),
            "try" => self.attempt(),
            // One of its parts is done; which one is not looked at.
            "switch" => {
                self.at += 1;
                let of = Expr::Unknown(vec![self.in_brackets()]);
                Statement::If(of, Box::new(self.statement()), None)
            }
            "do" => {
                self.at += 1;
                Statement::Loop(Vec::new(), Expr::Unknown(Vec::new()), None, Box::new(self.statement()))
            }
            "break" | "continue" => {
                self.at += 1;
                Statement::Leave
            }
            "return" | "throw" => {
                self.at += 1;
                let ends = self.is(";") || self.is("}") || self.peek().is_none();
                Statement::Return(if ends { Expr::Unknown(Vec::new()) } else { self.expression() })
            }
            "function" => self.declared_function(),
            "async" if matches!(self.tokens.get(self.at + 1), Some(Token::Word(w)) if w == "function") => {
                self.at += 1;
                self.declared_function()
            }
            _ => Statement::Do(self.expression()),
        }
    }

    fn declared_function(&mut self) -> Statement {
        self.at += 1;
        let name = self.word().unwrap_or_default();
        let function = self.function();
        Statement::Bind(Target::Name(name), Some(function))
    }

    fn block(&mut self) -> Vec<Statement> {
        let mut out = Vec::new();
        if !self.pass("{") {
            return vec![self.statement()];
        }
        while self.peek().is_some() && !self.pass("}") {
            let before = self.at;
            out.push(self.statement());
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        out
    }

    fn bindings(&mut self) -> Statement {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let target = self.target();
            let value = self.pass("=").then(|| self.value());
            out.push(Statement::Bind(target, value));
            if !self.pass(",") {
                break;
            }
        }
        if out.len() == 1 { out.remove(0) } else { Statement::Block(out) }
    }

    fn condition(&mut self) -> Statement {
        self.at += 1;
        let condition = self.in_brackets();
        let then = Box::new(self.statement());
        let otherwise = self.pass_word("else").then(|| Box::new(self.statement()));
        Statement::If(condition, then, otherwise)
    }

    fn in_brackets(&mut self) -> Expr {
        self.pass("(");
        let inside = self.expression();
        self.pass(")");
        inside
    }

    fn while_loop(&mut self) -> Statement {
        self.at += 1;
        let condition = self.in_brackets();
        Statement::Loop(Vec::new(), condition, None, Box::new(self.statement()))
    }

    fn for_loop(&mut self) -> Statement {
        self.at += 1;
        self.pass_word("await");
        self.pass("(");
        let start = self.at;
        if ["const", "let", "var"].iter().any(|w| self.is_word(w)) {
            self.at += 1;
            let target = self.target();
            if self.pass_word("of") {
                let list = self.expression();
                self.pass(")");
                return Statement::ForEach(target, list, Box::new(self.statement()));
            }
            if self.pass_word("in") {
                let keys = Expr::Unknown(vec![self.expression()]);
                self.pass(")");
                return Statement::ForEach(target, keys, Box::new(self.statement()));
            }
            self.at = start;
        }
        let first = if self.is(";") { Vec::new() } else { vec![self.known_statement()] };
        self.pass(";");
        let condition = if self.is(";") { Expr::Unknown(Vec::new()) } else { self.expression() };
        self.pass(";");
        let step = (!self.is(")")).then(|| self.expression());
        self.pass(")");
        Statement::Loop(first, condition, step, Box::new(self.statement()))
    }

    fn attempt(&mut self) -> Statement {
        self.at += 1;
        let tried = self.block();
        let mut caught = Vec::new();
        if self.pass_word("catch") {
            if self.pass("(") {
                self.target();
                self.pass(")");
            }
            caught = self.block();
        }
        let last = if self.pass_word("finally") { self.block() } else { Vec::new() };
        Statement::Try(tried, caught, last)
    }

    fn target(&mut self) -> Target {
        if self.depth > DEEPEST {
            return Target::Unknown;
        }
        self.depth += 1;
        let target = if self.pass("[") {
            self.list_target()
        } else if self.pass("{") {
            self.object_target()
        } else {
            self.pass("...");
            self.word().map_or(Target::Unknown, Target::Name)
        };
        self.depth -= 1;
        target
    }

    fn list_target(&mut self) -> Target {
        let mut out = Vec::new();
        while self.peek().is_some() && !self.pass("]") {
            if self.pass(",") {
                out.push(None);
                continue;
            }
            let before = self.at;
            let one = self.target();
            self.default();
            self.pass(",");
            out.push(Some(one));
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        Target::List(out)
    }

    fn object_target(&mut self) -> Target {
        let mut out = Vec::new();
        while self.peek().is_some() && !self.pass("}") {
            let before = self.at;
            self.pass("...");
            if let Some(name) = self.word() {
                let target = if self.pass(":") { self.target() } else { Target::Name(name.clone()) };
                self.default();
                out.push((name, target));
            }
            self.pass(",");
            self.at = self.at.max(before + usize::from(self.at == before));
        }
        Target::Object(out)
    }

    /// What a target is if nothing is there for it.
    fn default(&mut self) {
        if self.pass("=") {
            self.value();
        }
    }

    /// Values with commas between them: the last one counts.
    fn expression(&mut self) -> Expr {
        let mut out = self.value();
        while self.pass(",") {
            out = Expr::Unknown(vec![out, self.value()]);
        }
        out
    }

    /// One value, without a comma.
    fn value(&mut self) -> Expr {
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
        let other = ["+", "~"].iter().any(|m| self.is(m)) || ["typeof", "void", "delete"].iter().any(|w| self.is_word(w));
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
            TemplatePart::Value(tokens) => {
                Parser { tokens, at: 0, depth: self.depth }.deeper(Self::expression)
            }
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
    fn function(&mut self) -> Expr {
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
