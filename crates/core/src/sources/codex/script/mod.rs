//! A script of Codex's code mode → the calls in it, and what its output says of each.
//!
//! Since 0.142 Codex gives the model one tool, `exec`, whose input is a script: `const r = await
//! tools.exec_command({cmd: "make"}); text(r.output);`. The record holds the script and the texts it printed, nothing
//! else, so the script has to be followed: which calls it makes, and which printed text tells of which call.
//!
//! Comes in: the script; later the printed texts, perhaps in several portions. Goes out: [`Call`]s, then what was [`Told`]
//! of each. A command or a code that the record does not hold stays unknown: nothing is guessed.

mod calls;
mod expressions;
mod run;
mod tokens;
mod told;
mod tree;
mod values;

use serde::{Deserialize, Serialize};

use self::values::Value;

pub(super) use told::{Portion, Told, parts_told};

/// Longest script that is followed.
const LONGEST: usize = 1024 * 1024;

/// How often something in a script is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Times {
    #[default]
    Once,
    Maybe,
    Any,
}

/// A call of a tool in a script, as far as its arguments are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: String,
    /// The command line, or the text that the tool is given.
    pub(super) input: Option<String>,
    /// The folder it runs in.
    pub(super) folder: Option<String>,
    /// The running command it is about.
    pub(super) session: Option<String>,
    /// Milliseconds after which it comes back although it still runs.
    pub(super) patience: Option<f64>,
    /// How often it is made.
    pub(super) times: Times,
}

impl Call {
    fn new(tool: &str, args: &Value, times: Times) -> Self {
        let field = |name: &str| match args {
            Value::Object(entries) => entries.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        };
        let text = |name: &str| field(name).and_then(values::text);
        let words = ["cmd", "command"].iter().find_map(|name| field(name)).and_then(command);
        Self {
            tool: tool.to_owned(),
            input: words.or_else(|| values::text(args)).or_else(|| text("path")),
            folder: text("workdir"),
            session: text("session_id"),
            patience: text("yield_time_ms").and_then(|t| t.parse().ok()),
            times,
        }
    }
}

/// A command line, or its words.
fn command(value: &Value) -> Option<String> {
    let Value::List(words) = value else { return values::text(value) };
    let words: Option<Vec<String>> = words.iter().map(values::text).collect();
    words.map(|words| super::command_line(&words))
}

/// A text that a script prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Print {
    #[serde(rename = "p")]
    pieces: Vec<Piece>,
    #[serde(rename = "n", default, skip_serializing_if = "is_once")]
    times: Times,
}

fn is_once(times: &Times) -> bool {
    *times == Times::Once
}

/// A part of a printed text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Piece {
    #[serde(rename = "t")]
    Text(String),
    /// A field of the result of a call.
    #[serde(rename = "f")]
    Field(usize, String),
    /// A value as JSON.
    #[serde(rename = "j")]
    Json(Shape),
    /// Something made of the result of one call.
    #[serde(rename = "a")]
    About(usize),
    #[serde(rename = "u")]
    Unknown,
}

/// What stands where in a value that is printed as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Shape {
    #[serde(rename = "r")]
    Result(usize),
    #[serde(rename = "f")]
    Field(usize, String),
    #[serde(rename = "a")]
    About(usize),
    #[serde(rename = "l")]
    List(Vec<Shape>),
    #[serde(rename = "o")]
    Object(Vec<(String, Shape)>),
    #[serde(rename = "x")]
    Other,
}

/// The calls of a script in the order in which it makes them, and what it prints.
pub(super) fn read(script: &str) -> (Vec<Call>, Vec<Print>) {
    if script.len() > LONGEST {
        return (Vec::new(), vec![Print { pieces: vec![Piece::Unknown], times: Times::Any }]);
    }
    run::run(&tree::statements(script))
}

#[cfg(test)]
mod tests;
