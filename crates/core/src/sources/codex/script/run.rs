//! What a script says to do → its calls and what it prints.
//!
//! Comes in: statements. Goes out: each call of a tool with what is known of its arguments, and how the texts that the
//! script prints are made of the results. Values are followed through names, lists, objects, templates, loops over lists
//! that stand in the script, and functions; the result of a call is a value of its own that nobody knows yet.
//!
//! Deliberately absent: everything else of the language. A value that is not followed is unknown, and what is made of it
//! is unknown, too. Nothing is ever run.

use std::collections::HashMap;
use std::rc::Rc;

use super::tree::{Expr, Statement, Target};
use super::values::{
    Value, add, element, is_number, joined, length, list, look_up, made_of, member, numbers, pieces, plain, text, truth,
};
use super::{Call, Piece, Print, Times};

/// Steps that are followed of one script: it may hold an endless loop.
pub(super) const MOST_STEPS: usize = 20_000;
/// What a step may copy of a text.
const BYTES_A_STEP: usize = 256;

/// How a statement ended.
pub(super) enum Flow {
    On,
    Leave,
    Return(Value),
}

/// Follows a script.
pub(super) fn run(script: &[Statement]) -> (Vec<Call>, Vec<Print>) {
    let mut run = Run { scopes: vec![HashMap::new()], times: Times::Once, ..Run::default() };
    run.all(script);
    if run.steps > MOST_STEPS {
        // Whatever came behind is not known.
        run.prints.push(Print { pieces: vec![Piece::Unknown], times: Times::Any });
    }
    (run.calls, run.prints)
}

#[derive(Default)]
pub(super) struct Run {
    pub(super) scopes: Vec<HashMap<String, Value>>,
    pub(super) times: Times,
    pub(super) steps: usize,
    pub(super) depth: usize,
    pub(super) calls: Vec<Call>,
    pub(super) prints: Vec<Print>,
}

impl Run {
    pub(super) fn all(&mut self, statements: &[Statement]) -> Flow {
        for statement in statements {
            match self.statement(statement) {
                Flow::On => {}
                other => return other,
            }
        }
        Flow::On
    }

    /// Does something that may be done, or may be done any number of times.
    pub(super) fn perhaps<T>(&mut self, times: Times, what: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.times;
        self.times = before.max(times);
        let out = what(self);
        self.times = before;
        out
    }

    fn statement(&mut self, statement: &Statement) -> Flow {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Flow::Leave;
        }
        match statement {
            Statement::Bind(target, value) => {
                let value = value.as_ref().map_or(Value::Nothing("undefined"), |v| self.value(v));
                self.bind(target, value);
            }
            Statement::Do(expr) => drop(self.value(expr)),
            Statement::Return(expr) => return Flow::Return(self.value(expr)),
            Statement::Leave => return Flow::Leave,
            Statement::Block(inside) => return self.all(inside),
            Statement::If(condition, then, otherwise) => return self.condition(condition, then, otherwise.as_deref()),
            Statement::ForEach(target, list, body) => return self.for_each(target, list, body),
            Statement::Loop(first, condition, step, body) => return self.repeat(first, condition, step.as_ref(), body),
            Statement::Try(tried, caught, last) => {
                let flow = self.all(tried);
                self.perhaps(Times::Maybe, |run| run.all(caught));
                self.all(last);
                return flow;
            }
        }
        Flow::On
    }

    fn condition(&mut self, condition: &Expr, then: &Statement, otherwise: Option<&Statement>) -> Flow {
        match truth(&self.value(condition)) {
            Some(true) => self.statement(then),
            Some(false) => otherwise.map_or(Flow::On, |o| self.statement(o)),
            None => {
                let first = self.perhaps(Times::Maybe, |run| run.statement(then));
                let second = self.perhaps(Times::Maybe, |run| otherwise.map_or(Flow::On, |o| run.statement(o)));
                if !matches!((first, second), (Flow::On, Flow::On)) {
                    // Perhaps it ended here: what follows is done perhaps.
                    self.times = self.times.max(Times::Maybe);
                }
                Flow::On
            }
        }
    }

    /// One round of a loop; what ends the function ends the loop.
    fn round(&mut self, body: &Statement) -> Option<Flow> {
        match self.statement(body) {
            Flow::On => None,
            Flow::Return(value) => Some(Flow::Return(value)),
            Flow::Leave => {
                // The loop ends or goes on: what follows is done perhaps.
                self.times = self.times.max(Times::Maybe);
                None
            }
        }
    }

    fn for_each(&mut self, target: &Target, list: &Expr, body: &Statement) -> Flow {
        let list = self.value(list);
        let Value::List(items) = list else {
            self.perhaps(Times::Any, |run| {
                run.bind(target, made_of(&[&list]));
                run.statement(body)
            });
            return Flow::On;
        };
        for item in items.iter() {
            self.bind(target, item.clone());
            if let Some(end) = self.round(body) {
                return end;
            }
        }
        Flow::On
    }

    fn repeat(&mut self, first: &[Statement], condition: &Expr, step: Option<&Expr>, body: &Statement) -> Flow {
        self.all(first);
        loop {
            match truth(&self.value(condition)) {
                Some(true) if self.steps <= MOST_STEPS => {}
                Some(_) => break,
                None => {
                    self.perhaps(Times::Any, |run| run.statement(body));
                    break;
                }
            }
            if let Some(end) = self.round(body) {
                return end;
            }
            step.map(|s| self.value(s));
        }
        Flow::On
    }

    pub(super) fn bind(&mut self, target: &Target, value: Value) {
        match target {
            Target::Name(name) => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(name.clone(), value);
                }
            }
            Target::List(targets) => {
                for (at, target) in targets.iter().enumerate() {
                    if let Some(target) = target {
                        self.bind(target, element(&value, at));
                    }
                }
            }
            Target::Object(targets) => {
                for (name, target) in targets {
                    self.bind(target, member(&value, name));
                }
            }
            Target::Unknown => {}
        }
    }

    pub(super) fn known(&mut self, name: &str) -> Option<&mut Value> {
        self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name))
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Value::Unknown;
        }
        match expr {
            Expr::Text(text) => plain(text.clone()),
            Expr::Template(parts) => {
                let values: Vec<Value> = parts.iter().map(|p| self.value(p)).collect();
                self.paid(joined(values.iter().map(pieces).collect()))
            }
            Expr::Number(number) => Value::Number(*number),
            Expr::Name(name) => self.named(name),
            Expr::List(items) => list(self.values(items)),
            Expr::Spread(inside) | Expr::Not(inside) => self.not_or_spread(expr, inside),
            Expr::Object(entries) => self.object(entries),
            Expr::Member(of, key) => {
                let of = self.value(of);
                let key = self.value(key);
                look_up(&of, &key)
            }
            Expr::Call(callee, args) => {
                let made = self.call(callee, args);
                self.paid(made)
            }
            Expr::Function(function) => Value::Function(Rc::clone(function)),
            Expr::Binary(mark, left, right) => {
                let made = self.binary(mark, left, right);
                self.paid(made)
            }
            Expr::Choice(parts) => self.choice(parts),
            Expr::Step(name, by) => match self.known(name) {
                Some(Value::Number(number)) => {
                    *number += by;
                    Value::Unknown
                }
                _ => Value::Unknown,
            },
            Expr::Assign(target, mark, value) => self.assign(target, mark, value),
            Expr::Unknown(inside) => {
                let values: Vec<Value> = inside.iter().map(|e| self.value(e)).collect();
                made_of(&values.iter().collect::<Vec<_>>())
            }
        }
    }

    /// A text that was put together costs steps by its length: a script may double one again and again.
    fn paid(&mut self, value: Value) -> Value {
        if let Value::Text(pieces) = &value {
            self.steps += length(pieces) / BYTES_A_STEP;
        }
        value
    }

    fn not_or_spread(&mut self, expr: &Expr, inside: &Expr) -> Value {
        let value = self.value(inside);
        match expr {
            Expr::Not(_) => truth(&value).map_or(made_of(&[&value]), |t| Value::Truth(!t)),
            _ => value,
        }
    }

    fn named(&mut self, name: &str) -> Value {
        if let Some(value) = self.known(name) {
            return value.clone();
        }
        match name {
            "tools" => Value::Tools,
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            "null" => Value::Nothing("null"),
            "undefined" => Value::Nothing("undefined"),
            _ => Value::Unknown,
        }
    }

    /// The values of a list or of arguments, with `...` taken apart.
    pub(super) fn values(&mut self, exprs: &[Expr]) -> Vec<Value> {
        let mut out = Vec::new();
        for expr in exprs {
            let value = self.value(expr);
            match (expr, value) {
                (Expr::Spread(_), Value::List(items)) => out.extend(items.iter().cloned()),
                (_, value) => out.push(value),
            }
        }
        out
    }

    fn object(&mut self, entries: &[(Expr, Expr)]) -> Value {
        let mut out: Vec<(String, Value)> = Vec::new();
        for (key, value) in entries {
            let value = self.value(value);
            match (key, value) {
                (Expr::Spread(_), Value::Object(inside)) => out.extend(inside.iter().cloned()),
                (Expr::Spread(_), _) => {}
                (key, value) => {
                    let key = self.value(key);
                    out.extend(text(&key).map(|key| (key, value)));
                }
            }
        }
        Value::Object(Rc::new(out))
    }

    fn choice(&mut self, [condition, then, otherwise]: &[Expr; 3]) -> Value {
        let condition = self.value(condition);
        match truth(&condition) {
            Some(true) => self.value(then),
            Some(false) => self.value(otherwise),
            None => {
                let first = self.perhaps(Times::Maybe, |run| run.value(then));
                let second = self.perhaps(Times::Maybe, |run| run.value(otherwise));
                made_of(&[&condition, &first, &second])
            }
        }
    }

    fn assign(&mut self, target: &Target, mark: &str, value: &Expr) -> Value {
        let mut value = self.value(value);
        let Target::Name(name) = target else {
            self.bind(target, value.clone());
            return value;
        };
        let before = self.known(name).cloned();
        value = match (mark, before) {
            ("=", _) => value,
            ("+=", Some(before)) => add(&before, &value),
            (_, before) => made_of(&[&before.unwrap_or(Value::Unknown), &value]),
        };
        if self.times != Times::Once {
            value = made_of(&[&value, &Value::Unknown]);
        }
        match self.known(name) {
            Some(place) => *place = value.clone(),
            None => self.bind(target, value.clone()),
        }
        value
    }

    fn binary(&mut self, mark: &str, left: &Expr, right: &Expr) -> Value {
        let left = self.value(left);
        if matches!(mark, "&&" | "||" | "??") {
            return self.either(mark, left, right);
        }
        let right = self.value(right);
        match (mark, &left, &right) {
            ("+", _, _) => add(&left, &right),
            (_, Value::Number(a), Value::Number(b)) => numbers(mark, *a, *b),
            ("===" | "==" | "!==" | "!=", _, _) => match (text(&left), text(&right)) {
                (Some(a), Some(b)) => Value::Truth((a == b) == mark.starts_with('=')),
                _ => made_of(&[&left, &right]),
            },
            _ => made_of(&[&left, &right]),
        }
    }

    fn either(&mut self, mark: &str, left: Value, right: &Expr) -> Value {
        let decided = match mark {
            "??" => match &left {
                Value::Nothing(_) => Some(true),
                Value::Result(_) | Value::Field(..) | Value::About(_) | Value::Unknown => None,
                _ => Some(false),
            },
            "||" => truth(&left).map(|t| !t),
            _ => truth(&left),
        };
        match decided {
            Some(true) => self.value(right),
            Some(false) => left,
            None => {
                let right = self.perhaps(Times::Maybe, |run| run.value(right));
                // What stands for a missing code is no number.
                match &left {
                    Value::Field(_, name) if mark != "&&" && is_number(name) => left,
                    _ => made_of(&[&left, &right]),
                }
            }
        }
    }
}
