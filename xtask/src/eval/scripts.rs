//! Commands and exit codes in the scripts of Codex's `exec` tool: what the record holds, and what is read of it.
//!
//! What a record holds is counted in its plain text, without the reader that is measured: a command where the script has
//! an `exec_command` with `cmd`, a code where an output has a field or a word for it.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use regex::Regex;
use serde_json::Value;
use uptake_core::session::{Call, Outcome};

use super::corpus::{Corpus, Repository};
use super::report::Table;
use super::score::{ratio, share};

/// The share that has to be read.
const BAR: f64 = 0.99;

/// What is looked for in the plain text of records.
struct Patterns {
    /// A code in a result that a script prints whole.
    whole: Regex,
    /// A code that a script prints by itself.
    named: Regex,
    /// A command in a script.
    command: Regex,
}

impl Patterns {
    fn new() -> Result<Self> {
        Ok(Self {
            whole: Regex::new(r#""exit_code" *: *(-?[0-9]+)"#)?,
            named: Regex::new(r#"(?:"[A-Za-z_]*exit[A-Za-z_]*" *: *|exit(?: code)?[=:] ?)(-?[0-9]+)"#)?,
            command: Regex::new(r#"[^A-Za-z_]cmd["']? *[:,}]"#)?,
        })
    }
}

/// Where a printed text tells the code: before or after what the command printed.
const NEAR: usize = 200;

/// A call of `exec` and all its outputs.
#[derive(Default)]
struct Script {
    id: String,
    text: String,
    printed: Vec<String>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    scripts: u32,
    commands: u32,
    commands_read: u32,
    codes: u32,
    codes_read: u32,
}

/// The table of scripts.
pub fn table(folder: &Path, corpus: &Corpus) -> Result<Table> {
    let mut table = Table::new(
        "Commands in scripts",
        "Calls of Codex's `exec` tool, whose input is a script: of those whose record holds a command or an exit code, how \
         many are read with it. Bar: ≥ .99 of both.",
        &["repository", "scripts", "commands read", "exit codes read", "codes in the records"],
    );
    let (mut all, patterns) = (Count::default(), Patterns::new()?);
    for repository in corpus.repositories.iter().filter(|r| r.client == "codex") {
        let count = counted(&folder.join("codex").join(&repository.name), repository, &patterns)?;
        if count.scripts > 0 {
            table.row(&repository.name, cells(count));
            all = all.plus(count);
        }
    }
    let met = |read, held| held == 0 || ratio(read, held) >= BAR;
    let met = met(all.commands_read, all.commands) && met(all.codes_read, all.codes);
    table.row(if met { "**all**" } else { "**all** (**missed**)" }, cells(all));
    Ok(table)
}

impl Count {
    fn plus(self, other: Self) -> Self {
        Self {
            scripts: self.scripts + other.scripts,
            commands: self.commands + other.commands,
            commands_read: self.commands_read + other.commands_read,
            codes: self.codes + other.codes,
            codes_read: self.codes_read + other.codes_read,
        }
    }
}

fn cells(count: Count) -> Vec<String> {
    vec![
        count.scripts.to_string(),
        share(count.commands_read, count.commands),
        share(count.codes_read, count.codes),
        count.codes.to_string(),
    ]
}

fn counted(folder: &Path, repository: &Repository, patterns: &Patterns) -> Result<Count> {
    let mut calls: HashMap<&str, Vec<&Call>> = HashMap::new();
    for event in repository.raw.iter().flat_map(|s| &s.events) {
        let script = event.id.split('#').next().unwrap_or_default();
        calls.entry(script).or_default().extend(event.call());
    }
    let mut count = Count::default();
    for file in std::fs::read_dir(folder)?.flatten() {
        let text = std::fs::read_to_string(file.path()).with_context(|| format!("cannot read {:?}", file.path()))?;
        for script in scripts(&text) {
            let calls = calls.get(script.id.as_str()).map_or(&[][..], Vec::as_slice);
            add(&mut count, &script, calls, patterns);
        }
    }
    Ok(count)
}

/// The scripts of a rollout, each with the outputs of those who waited for it.
fn scripts(rollout: &str) -> Vec<Script> {
    let mut out: Vec<Script> = Vec::new();
    let mut whose: HashMap<String, usize> = HashMap::new();
    let mut cells: HashMap<String, usize> = HashMap::new();
    for line in rollout.lines().filter(|l| l.contains("response_item")) {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        let payload = &record["payload"];
        let id = payload["call_id"].as_str().unwrap_or_default().to_owned();
        match (payload["type"].as_str().unwrap_or_default(), payload["name"].as_str().unwrap_or_default()) {
            ("custom_tool_call", "exec") if !whose.contains_key(&id) => {
                whose.insert(id.clone(), out.len());
                let text = payload["input"].as_str().unwrap_or_default().to_owned();
                out.push(Script { id, text, printed: Vec::new() });
            }
            ("function_call", "wait") => {
                let arguments: Value =
                    serde_json::from_str(payload["arguments"].as_str().unwrap_or_default()).unwrap_or_default();
                if let Some(at) = arguments["cell_id"].as_str().and_then(|cell| cells.get(cell)) {
                    whose.insert(id, *at);
                }
            }
            ("custom_tool_call_output" | "function_call_output", _) => {
                let Some(at) = whose.get(&id) else { continue };
                let texts = texts(&payload["output"]);
                let runs = texts.first().and_then(|t| t.strip_prefix("Script running with cell ID "));
                if let Some(cell) = runs.and_then(|t| t.lines().next()) {
                    cells.insert(cell.to_owned(), *at);
                }
                out[*at].printed.extend(texts);
            }
            _ => {}
        }
    }
    out
}

fn texts(output: &Value) -> Vec<String> {
    match output {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

fn add(count: &mut Count, script: &Script, calls: &[&Call], patterns: &Patterns) {
    count.scripts += 1;
    let shells: Vec<&&Call> = calls.iter().filter(|c| c.command().is_some()).collect();
    let written = script.text.matches("tools.exec_command(").count();
    if written > 0 && patterns.command.is_match(&script.text) {
        count.commands += 1;
        let all = shells.len() >= written && shells.iter().all(|c| !c.input.is_empty());
        count.commands_read += u32::from(all);
    }
    let mut open: Vec<&Call> = calls.to_vec();
    for code in codes(script, patterns) {
        count.codes += 1;
        if let Some(at) = open.iter().position(|c| has_code(c, code)) {
            open.remove(at);
            count.codes_read += 1;
        }
    }
}

/// Programs whose exit code 1 is an answer.
const LOOKS: &[&str] = &["grep", "rg ", "diff", "test ", "[ ", "which", "command -v"];

/// Whether a call was read with this exit code.
fn has_code(call: &Call, code: i32) -> bool {
    match call.outcome {
        Outcome::Failed(known) => known == Some(code),
        Outcome::Masked => code == 0,
        Outcome::Ok => code == 0 || (code == 1 && LOOKS.iter().any(|look| call.input.contains(look))),
        _ => false,
    }
}

/// The exit codes that outputs tell, wherever a field or a word says that it is one.
fn codes(script: &Script, patterns: &Patterns) -> Vec<i32> {
    let by_itself = script.text.contains("exit_code");
    let pattern = if by_itself { &patterns.named } else { &patterns.whole };
    let in_text = |text: &String| {
        let start = &text[..text.floor_char_boundary(NEAR)];
        let end = &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR / 4))..];
        let whole = by_itself || (text.trim_start().starts_with('{') && start.contains("chunk_id"));
        let found = |t: &str| pattern.captures(t).and_then(|c| c.get(1)?.as_str().parse::<i32>().ok());
        whole.then(|| found(start).or_else(|| found(end))).flatten()
    };
    script.printed.iter().filter_map(in_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_counts_as_read_only_if_the_call_has_it() {
        for (command, outcome, code, expected) in [
            ("make", Outcome::Failed(Some(101)), 101, true),
            ("make", Outcome::Failed(None), 101, false),
            ("make", Outcome::Ok, 101, false),
            ("make", Outcome::Unknown, 0, false),
            ("make", Outcome::Ok, 0, true),
            ("grep x y", Outcome::Ok, 1, true),
        ] {
            let call = Call { outcome, ..Call::new("exec_command", uptake_core::session::ToolKind::Shell, command) };
            assert_eq!(has_code(&call, code), expected, "{command} {outcome} {code}");
        }
    }

    #[test]
    fn a_code_is_held_where_a_field_or_a_word_tells_it() {
        let patterns = Patterns::new().expect("patterns");
        let whole = r#"{"chunk_id":"1","exit_code":101,"output":"{\"exit_code\":5}"}"#;
        for (text, printed, expected) in [
            ("text(JSON.stringify(r))", whole, &[101][..]),
            ("text(r.output)", r#"{"exit_code":7}"#, &[]),
            ("text(`exit=${r.exit_code}`)", "exit=2", &[2]),
            ("text(`exit=${r.exit_code}`)", "exit=undefined", &[]),
            ("text(JSON.stringify({diff_exit:r.exit_code}))", r#"{"diff_exit":0}"#, &[0]),
        ] {
            let script = Script { text: text.to_owned(), printed: vec![printed.to_owned()], ..Script::default() };
            assert_eq!(codes(&script, &patterns), expected, "{text} {printed}");
        }
    }
}
