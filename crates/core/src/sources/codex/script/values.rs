//! Values of a script, as far as they are known, and what can be made of them.
//!
//! The result of a call is a value of its own. What is made of it in a way that is not followed is still known to be about
//! that call, as long as nothing else that is unknown goes into it.

use std::rc::Rc;

use super::tree::Function;
use super::{Piece, Shape};

/// Longest text that is put together.
const LONGEST: usize = 1024 * 1024;

/// What is known of a value.
#[derive(Clone)]
pub(super) enum Value {
    Text(Rc<Vec<Piece>>),
    Number(f64),
    Truth(bool),
    /// `null` and `undefined`.
    Nothing(&'static str),
    List(Rc<Vec<Value>>),
    Object(Rc<Vec<(String, Value)>>),
    /// What a call gives back.
    Result(usize),
    /// A field of what a call gives back.
    Field(usize, String),
    /// Something made of what one call gives back, and of nothing else that is unknown.
    About(usize),
    Function(Rc<Function>),
    Tools,
    Tool(String),
    Unknown,
}

/// Fields of a result that hold numbers.
pub(super) fn is_number(field: &str) -> bool {
    matches!(field, "exit_code" | "session_id" | "wall_time_seconds" | "original_token_count")
}

/// The text, if all of it is known; numbers and truths as they are printed.
pub(super) fn text(value: &Value) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(value) {
        let Piece::Text(text) = piece else { return None };
        out.push_str(&text);
    }
    Some(out)
}

pub(super) fn plain(text: String) -> Value {
    Value::Text(Rc::new(vec![Piece::Text(text)]))
}

pub(super) fn list(items: Vec<Value>) -> Value {
    Value::List(Rc::new(items))
}

pub(super) fn length(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| if let Piece::Text(text) = p { text.len() } else { 0 }).sum()
}

/// A value as a part of a text.
pub(super) fn pieces(value: &Value) -> Vec<Piece> {
    match value {
        Value::Text(pieces) => pieces.to_vec(),
        Value::Number(number) => vec![Piece::Text(number.to_string())],
        Value::Truth(truth) => vec![Piece::Text(truth.to_string())],
        Value::Nothing(word) => vec![Piece::Text((*word).to_owned())],
        Value::Field(call, name) => vec![Piece::Field(*call, name.clone())],
        other => match made_of(&[other]) {
            Value::About(call) => vec![Piece::About(call)],
            _ => vec![Piece::Unknown],
        },
    }
}

/// A value as `text(…)` prints it.
pub(super) fn printed(value: &Value) -> Vec<Piece> {
    match value {
        Value::List(_) | Value::Object(_) | Value::Result(_) => vec![Piece::Json(shape(value))],
        other => pieces(other),
    }
}

pub(super) fn as_json(value: &Value) -> Value {
    let known = matches!(value, Value::Text(_)).then(|| text(value)).flatten();
    match known.and_then(|t| serde_json::to_string(&t).ok()) {
        Some(text) => plain(text),
        None => Value::Text(Rc::new(vec![Piece::Json(shape(value))])),
    }
}

fn shape(value: &Value) -> Shape {
    match value {
        Value::Result(call) => Shape::Result(*call),
        Value::Field(call, name) => Shape::Field(*call, name.clone()),
        Value::List(items) => Shape::List(items.iter().map(shape).collect()),
        Value::Object(entries) => Shape::Object(entries.iter().map(|(k, v)| (k.clone(), shape(v))).collect()),
        other => match made_of(&[other]) {
            Value::About(call) => Shape::About(call),
            _ => Shape::Other,
        },
    }
}

pub(super) fn joined(parts: Vec<Vec<Piece>>) -> Value {
    if parts.iter().map(|p| length(p)).sum::<usize>() > LONGEST {
        return Value::Unknown;
    }
    let mut out: Vec<Piece> = Vec::new();
    for piece in parts.into_iter().flatten() {
        match (out.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => out.push(piece),
        }
    }
    Value::Text(Rc::new(out))
}

pub(super) fn join(items: &[Value], between: Option<&Value>) -> Value {
    let between = between.map_or_else(|| vec![Piece::Text(",".to_owned())], pieces);
    let mut parts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            parts.push(between.clone());
        }
        parts.push(pieces(item));
    }
    joined(parts)
}

pub(super) fn add(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
        (Value::Text(_), _) | (_, Value::Text(_)) => joined(vec![pieces(left), pieces(right)]),
        _ => made_of(&[left, right]),
    }
}

pub(super) fn numbers(mark: &str, a: f64, b: f64) -> Value {
    match mark {
        "-" => Value::Number(a - b),
        "*" => Value::Number(a * b),
        "/" => Value::Number(a / b),
        "%" => Value::Number(a % b),
        "<" => Value::Truth(a < b),
        ">" => Value::Truth(a > b),
        "<=" => Value::Truth(a <= b),
        ">=" => Value::Truth(a >= b),
        "==" | "===" => Value::Truth(a.total_cmp(&b).is_eq()),
        "!=" | "!==" => Value::Truth(a.total_cmp(&b).is_ne()),
        _ => Value::Unknown,
    }
}

/// Whether a value counts as true; `None` if it is not known.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Truth(truth) => Some(*truth),
        Value::Number(number) => Some(*number != 0.0),
        Value::Nothing(_) => Some(false),
        Value::Text(_) => text(value).map(|t| !t.is_empty()),
        Value::List(_) | Value::Object(_) | Value::Function(_) => Some(true),
        _ => None,
    }
}

pub(super) fn look_up(of: &Value, key: &Value) -> Value {
    match (of, key) {
        (Value::List(items), Value::Number(at)) => {
            items.get(*at as usize).cloned().unwrap_or(Value::Nothing("undefined"))
        }
        _ => match text(key) {
            Some(name) => member(of, &name),
            None => made_of(&[of, key]),
        },
    }
}

pub(super) fn element(of: &Value, at: usize) -> Value {
    match of {
        Value::List(items) => items.get(at).cloned().unwrap_or(Value::Nothing("undefined")),
        other => made_of(&[other]),
    }
}

pub(super) fn member(of: &Value, name: &str) -> Value {
    match of {
        Value::Tools => Value::Tool(name.to_owned()),
        Value::Result(call) => Value::Field(*call, name.to_owned()),
        Value::List(items) if name == "length" => Value::Number(items.len() as f64),
        Value::Object(entries) => {
            let found = entries.iter().rev().find(|(key, _)| key == name);
            found.map_or(Value::Nothing("undefined"), |(_, value)| value.clone())
        }
        other => made_of(&[other]),
    }
}

pub(super) fn text_method(value: &Value, name: &str, args: &[Value]) -> Value {
    let known = |at: usize| args.get(at).and_then(text);
    let Some(own) = text(value) else { return made_of(&[value]) };
    let made = match (name, known(0), known(1)) {
        ("trim", ..) => own.trim().to_owned(),
        ("trimEnd", ..) => own.trim_end().to_owned(),
        ("trimStart", ..) => own.trim_start().to_owned(),
        ("toString", ..) => own,
        ("toLowerCase", ..) => own.to_lowercase(),
        ("toUpperCase", ..) => own.to_uppercase(),
        ("replaceAll", Some(from), Some(to)) if own.len() < LONGEST / 16 && !to.contains('$') => {
            own.replace(&from, &to)
        }
        ("replace", Some(from), Some(to)) if !to.contains('$') => own.replacen(&from, &to, 1),
        ("split", Some(by), None) if !by.is_empty() => {
            return list(own.split(&by).map(|part| plain(part.to_owned())).collect());
        }
        _ => return made_of(&args.iter().chain([&Value::Unknown]).collect::<Vec<_>>()),
    };
    if made.len() > LONGEST { Value::Unknown } else { plain(made) }
}

pub(super) fn flat(items: Vec<Value>) -> Vec<Value> {
    items.into_iter().flat_map(|i| if let Value::List(inside) = i { inside.to_vec() } else { vec![i] }).collect()
}

pub(super) fn settled(of: &Value) -> Value {
    let Value::List(items) = of else { return Value::Unknown };
    let one = |value: &Value| {
        let status = ("status".to_owned(), Value::Unknown);
        Value::Object(Rc::new(vec![status, ("value".to_owned(), value.clone()), ("reason".to_owned(), Value::Unknown)]))
    };
    list(items.iter().map(one).collect())
}

pub(super) fn entries(of: &Value, which: &str) -> Value {
    let Value::Object(entries) = of else { return made_of(&[of]) };
    let one = |(key, value): &(String, Value)| {
        let key = plain(key.clone());
        match which {
            "keys" => key,
            "values" => value.clone(),
            _ => list(vec![key, value.clone()]),
        }
    };
    list(entries.iter().map(one).collect())
}

/// Which results a value is made of.
enum Made {
    /// None: all of it is known.
    Plain,
    One(usize),
    /// Several, or something that is not known at all.
    More,
}

fn source(value: &Value) -> Made {
    let piece = |p: &Piece| match p {
        Piece::Text(_) => Made::Plain,
        Piece::Field(call, _) | Piece::About(call) => Made::One(*call),
        Piece::Json(shape) => shape_source(shape),
        Piece::Unknown => Made::More,
    };
    match value {
        Value::Result(call) | Value::Field(call, _) | Value::About(call) => Made::One(*call),
        Value::Text(pieces) => together(pieces.iter().map(piece)),
        Value::List(items) => together(items.iter().map(source)),
        Value::Object(entries) => together(entries.iter().map(|(_, v)| source(v))),
        Value::Unknown => Made::More,
        _ => Made::Plain,
    }
}

fn shape_source(shape: &Shape) -> Made {
    match shape {
        Shape::Result(call) | Shape::Field(call, _) | Shape::About(call) => Made::One(*call),
        Shape::List(items) => together(items.iter().map(shape_source)),
        Shape::Object(entries) => together(entries.iter().map(|(_, s)| shape_source(s))),
        Shape::Other => Made::More,
    }
}

fn together(parts: impl Iterator<Item = Made>) -> Made {
    let mut out = Made::Plain;
    for part in parts {
        out = match (out, part) {
            (Made::More, _) | (_, Made::More) => return Made::More,
            (Made::Plain, other) | (other, Made::Plain) => other,
            (Made::One(a), Made::One(b)) if a == b => Made::One(a),
            _ => return Made::More,
        };
    }
    out
}

/// A value that was computed of others in a way that is not followed.
pub(super) fn made_of(values: &[&Value]) -> Value {
    match together(values.iter().map(|v| source(v))) {
        Made::One(call) => Value::About(call),
        _ => Value::Unknown,
    }
}
