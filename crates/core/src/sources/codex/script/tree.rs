//! The tokens of a script → what it says to do.
//!
//! Comes in: tokens. Goes out: statements. What is not understood becomes [`Expr::Unknown`], and reading goes on behind
//! it: one odd line must not hide the calls of the others. Classes, labels, `switch` and modules are not followed.

use std::rc::Rc;

use super::tokens::{Token, tokens};

/// Brackets in brackets are followed so deep.
pub(super) const DEEPEST: usize = 48;

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

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl Parser {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
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

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(m)) if *m == mark)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if w == word)
    }

    pub(super) fn ahead(&self, by: usize, mark: &str) -> bool {
        matches!(self.tokens.get(self.at + by), Some(Token::Mark(m)) if *m == mark)
    }

    /// Passes over a mark, if it is next.
    pub(super) fn pass(&mut self, mark: &str) -> bool {
        let there = self.is(mark);
        self.at += usize::from(there);
        there
    }

    pub(super) fn pass_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        self.at += usize::from(there);
        there
    }

    pub(super) fn word(&mut self) -> Option<String> {
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

    pub(super) fn block(&mut self) -> Vec<Statement> {
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

    pub(super) fn target(&mut self) -> Target {
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
    pub(super) fn default(&mut self) {
        if self.pass("=") {
            self.value();
        }
    }
}
