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

use super::tree::{Expr, Function, Statement, Target};
use super::values::{
    Value, add, as_json, element, entries, flat, is_number, join, joined, length, list, look_up, made_of, member, numbers,
    pieces, plain, printed, settled, text, text_method, truth,
};
use super::{Call, Piece, Print, Times};

/// Steps that are followed of one script: it may hold an endless loop.
const MOST_STEPS: usize = 20_000;
/// Functions in functions are followed so deep.
const DEEPEST: usize = 24;
/// What a step may copy of a text.
const BYTES_A_STEP: usize = 256;

/// How a statement ended.
enum Flow {
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
struct Run {
    scopes: Vec<HashMap<String, Value>>,
    times: Times,
    steps: usize,
    depth: usize,
    calls: Vec<Call>,
    prints: Vec<Print>,
}

impl Run {
    fn all(&mut self, statements: &[Statement]) -> Flow {
        for statement in statements {
            match self.statement(statement) {
                Flow::On => {}
                other => return other,
            }
        }
        Flow::On
    }

    /// Does something that may be done, or may be done any number of times.
    fn perhaps<T>(&mut self, times: Times, what: impl FnOnce(&mut Self) -> T) -> T {
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

    fn bind(&mut self, target: &Target, value: Value) {
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

    fn known(&mut self, name: &str) -> Option<&mut Value> {
        self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name))
    }

    fn value(&mut self, expr: &Expr) -> Value {
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
    fn values(&mut self, exprs: &[Expr]) -> Vec<Value> {
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

    fn call(&mut self, callee: &Expr, args: &[Expr]) -> Value {
        if let Expr::Member(of, key) = callee
            && let Expr::Text(name) = &**key
        {
            return self.method(of, name, args);
        }
        if let Expr::Name(name) = callee
            && self.known(name).is_none()
        {
            return self.global(name, args);
        }
        let function = self.value(callee);
        let args = self.values(args);
        self.apply(&function, args)
    }

    fn global(&mut self, name: &str, args: &[Expr]) -> Value {
        let args = self.values(args);
        match name {
            "text" | "image" => {
                let pieces = args.first().map_or_else(Vec::new, printed);
                let pieces = if name == "text" { pieces } else { vec![Piece::Unknown] };
                self.prints.push(Print { pieces, times: self.times });
                Value::Nothing("undefined")
            }
            "String" => args.first().map_or(Value::Unknown, |a| joined(vec![pieces(a)])),
            _ => self.apply(&Value::Unknown, args),
        }
    }

    fn method(&mut self, of: &Expr, name: &str, args: &[Expr]) -> Value {
        if let Expr::Name(room) = of
            && self.known(room).is_none()
            && matches!(room.as_str(), "Promise" | "JSON" | "Object" | "Array")
        {
            let args = self.values(args);
            return self.builtin(room, name, args);
        }
        let value = self.value(of);
        let args = self.values(args);
        if name == "push"
            && let Expr::Name(list) = of
        {
            return self.push(list, args);
        }
        match (&value, name) {
            (Value::Tools, _) => self.apply(&Value::Tool(name.to_owned()), args),
            (Value::Object(_), _) => {
                let function = member(&value, name);
                self.apply(&function, args)
            }
            (Value::List(items), _) => self.list_method(items, name, args),
            (_, "then") => args.first().map_or(Value::Unknown, |f| self.apply(f, vec![value.clone()])),
            (_, "catch" | "finally") => {
                self.perhaps(Times::Maybe, |run| run.not_followed(&[], args));
                value
            }
            (Value::Field(..), "trim" | "trimEnd" | "trimStart" | "toString") => value,
            (Value::Text(_), _) => text_method(&value, name, &args),
            _ => self.not_followed(&[value], args),
        }
    }

    fn push(&mut self, list: &str, args: Vec<Value>) -> Value {
        let sure = self.times == Times::Once;
        match self.known(list) {
            Some(Value::List(items)) if sure => Rc::make_mut(items).extend(args),
            Some(place) => *place = Value::Unknown,
            None => {}
        }
        Value::Unknown
    }

    fn builtin(&mut self, room: &str, name: &str, mut args: Vec<Value>) -> Value {
        let first = if args.is_empty() { Value::Unknown } else { args.remove(0) };
        match (room, name) {
            ("Promise", "all" | "resolve") | ("Array", "from") if args.is_empty() => first,
            ("Promise", "allSettled") => settled(&first),
            ("JSON", "stringify") => as_json(&first),
            ("Object", "entries" | "keys" | "values") => entries(&first, name),
            _ => {
                args.insert(0, first);
                self.apply(&Value::Unknown, args)
            }
        }
    }

    fn list_method(&mut self, items: &[Value], name: &str, mut args: Vec<Value>) -> Value {
        match name {
            "map" | "forEach" | "flatMap" if !args.is_empty() => {
                let function = args.remove(0);
                let each = |run: &mut Self, (at, item): (usize, &Value)| {
                    run.apply(&function, vec![item.clone(), Value::Number(at as f64)])
                };
                let made: Vec<Value> = items.iter().enumerate().map(|item| each(self, item)).collect();
                list(if name == "flatMap" { flat(made) } else { made })
            }
            "entries" => {
                let pair = |(at, item): (usize, &Value)| list(vec![Value::Number(at as f64), item.clone()]);
                list(items.iter().enumerate().map(pair).collect())
            }
            "flat" => list(flat(items.to_vec())),
            "concat" => {
                let more = flat(args);
                list(items.iter().cloned().chain(more).collect())
            }
            "join" => join(items, args.first()),
            _ => self.not_followed(items, args),
        }
    }

    /// Calls a function with values; one that is not known may call those it is given, any number of times.
    fn apply(&mut self, function: &Value, args: Vec<Value>) -> Value {
        match function {
            Value::Function(function) => self.run_function(function, args),
            Value::Tool(name) => {
                let at = self.calls.len();
                let args = args.into_iter().next().unwrap_or(Value::Unknown);
                self.calls.push(Call::new(name, &args, self.times));
                Value::Result(at)
            }
            _ => self.not_followed(&[], args),
        }
    }

    /// What is made of values in a way that is not followed. Functions among them may be called, any number of times.
    fn not_followed(&mut self, values: &[Value], args: Vec<Value>) -> Value {
        for arg in &args {
            if let Value::Function(function) = arg {
                self.perhaps(Times::Any, |run| run.run_function(function, Vec::new()));
            }
        }
        made_of(&values.iter().chain(&args).collect::<Vec<_>>())
    }

    fn run_function(&mut self, function: &Rc<Function>, args: Vec<Value>) -> Value {
        if self.depth >= DEEPEST {
            self.steps = MOST_STEPS + 1;
            return Value::Unknown;
        }
        self.depth += 1;
        self.scopes.push(HashMap::new());
        let mut args = args.into_iter();
        for target in &function.takes {
            let value = args.next().unwrap_or(Value::Unknown);
            self.bind(target, value);
        }
        let before = self.times;
        let flow = self.all(&function.body);
        self.times = before;
        self.scopes.pop();
        self.depth -= 1;
        if let Flow::Return(value) = flow { value } else { Value::Nothing("undefined") }
    }
}
