//! Functions that a script calls: its own, those of lists and texts, and the tools. Belongs to [`super::run`].

use std::collections::HashMap;
use std::rc::Rc;

use super::run::{Flow, MOST_STEPS, Run};
use super::tree::{Expr, Function};
use super::values::{
    Value, as_json, entries, flat, join, joined, list, made_of, member, pieces, printed, settled, text_method,
};
use super::{Call, Piece, Print, Times};

/// Functions in functions are followed so deep.
const DEEPEST: usize = 24;

impl Run {
    pub(super) fn call(&mut self, callee: &Expr, args: &[Expr]) -> Value {
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
