//! Runs uptake in a terminal of its own.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::{World, finish};

/// Runs uptake with these arguments on a screen of 24 rows and 80 columns, and takes the steps one by one. Answers
/// `code`, `raw` (all bytes), `screen` and `cooked`.
pub fn run(world: &World, args: &[&str], env: &[(&str, &str)], steps: &Value) -> Value {
    let mut variables = json!({
        "HOME": world.home(), "UPTAKE_HOME": world.data(), "TERM": "xterm-256color",
        "PATH": std::env::var("PATH").unwrap_or_default(),
    });
    for (name, value) in env {
        variables[name] = json!(value);
    }
    let argv = [&[env!("CARGO_BIN_EXE_uptake")], args].concat();
    let job = json!({ "argv": argv, "env": variables, "rows": 24, "columns": 80, "steps": steps });
    let mut python = Command::new("python3");
    python.args(["-c", include_str!("in_terminal.py")]).stderr(Stdio::inherit());
    finish(&mut python, &job.to_string()).ok().objects().remove(0)
}
