//! Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one `{timestamp, type, payload}` a line.
//!
//! Facts this file rests on are in `docs/sources.md`. Messages and calls are taken from `response_item` records,
//! which all versions have; exit codes from `exec_command_end` or `CommandExecution` where a version writes
//! them, else from the text of the output.

mod exec;
mod frame;
pub(super) mod hook;
mod script;
mod trust;
mod wire;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem;
use serde_json::Value;
use serde_json::value::RawValue;

use self::exec::Pending;
use self::frame::{frame, framed_number, running_number, wall_time};
use self::wire::{
    Arguments, Event, EventLine, Git, Item, ItemLine, Line, Meta, Part, Payload, RawOutput, Texts, Words,
};
use super::build::{Builder, Stamp, span};
use super::records::{RecordPlace, RecordVerdict, parsed};
use super::usage::Counts;
use super::{Format, raw, text, tool_names};
use crate::failure::outcome::{End, Facts};
use crate::normal::notes;
use crate::session::{Agent, Author, Origin, Outcome, Session, ToolKind};

pub(super) fn format() -> Box<dyn Format> {
    Box::<Codex>::default()
}

pub(super) fn sniff(start: &[u8]) -> bool {
    let start = &start[..start.len().min(64 * 1024)];
    let has = |needle: &str| memmem::find(start, needle.as_bytes()).is_some();
    has("\"payload\"")
        && (has("\"type\":\"session_meta\"")
            || has("\"type\":\"response_item\"")
            || has("\"type\":\"event_msg\"")
            || has("\"type\": \"session_meta\""))
}

#[derive(Default)]
struct Codex {
    /// Commands that go on: the client's process number → call id.
    running: HashMap<String, String>,
    /// Calls that poll a running command or script: their id → call id of the command or script.
    polls: HashMap<String, String>,
    /// Scripts that go on: the client's number of the cell → call id.
    cells: HashMap<String, String>,
    /// Whether the session's own head record was seen; later ones belong to a copied history.
    headed: bool,
}

impl Format for Codex {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        if let Some(line) = item_line(bytes) {
            self.item(&line.payload, Stamp::new(line.timestamp.as_deref(), place), session);
            return RecordVerdict::Taken;
        }
        if let Some(line) = event_line(bytes) {
            Self::event(&line.payload, session);
            return RecordVerdict::Taken;
        }
        let line: Line<'_> = match parsed(bytes) {
            Ok(line) => line,
            Err(verdict) => return verdict,
        };
        let Some(payload) = line.payload else {
            return if line.timestamp.is_some() { RecordVerdict::Taken } else { RecordVerdict::Foreign };
        };
        let stamp = Stamp::new(line.timestamp.as_deref(), place);
        match &*line.kind {
            "session_meta" => self.head(payload, session),
            "response_item" => {
                if let Ok(item) = serde_json::from_str::<Payload<'_, RawOutput<'_>>>(payload.get()) {
                    self.item(&item, stamp, session);
                }
            }
            "event_msg" => {
                if let Ok(event) = serde_json::from_str::<Event<'_>>(payload.get()) {
                    Self::event(&event, session);
                }
            }
            _ => {}
        }
        RecordVerdict::Taken
    }

    fn resume(&mut self, session: &Session) {
        self.headed = !session.id.is_empty();
        for event in &session.events {
            let Some(call) = event.call() else { continue };
            let pending = call.pending.as_deref().and_then(Pending::parse).unwrap_or_default();
            if let Some(cell) = pending.cell() {
                self.cells.insert(cell.to_owned(), event.id.clone());
            }
            let poll = matches!(call.tool.as_str(), "write_stdin" | "wait");
            if poll && call.output.is_empty() {
                self.note_poll(&event.id, &call.tool, &call.input);
            } else if !poll {
                let number = pending.session.or_else(|| framed_number(call).map(str::to_owned));
                number.map(|number| self.running.insert(number, event.id.clone()));
            }
        }
    }
}

const COUNTS: Counts = Counts { adds: &["input_tokens", "output_tokens"], cached: &["cached_input_tokens"] };

impl Codex {
    fn head(&mut self, payload: &RawValue, session: &mut Builder) {
        let Ok(meta) = serde_json::from_str::<Meta<'_>>(payload.get()) else { return };
        let s = &mut session.session;
        if self.headed {
            // The head of the session whose history was copied here.
            if let Some(id) = meta.id.filter(|_| s.root == s.id) {
                s.root = id.into_owned();
            }
            return;
        }
        self.headed = true;
        s.id = meta.id.map(Cow::into_owned).unwrap_or_default();
        let source: Value = raw::value(meta.source);
        if is_told_by_a_program(&source, &raw::text(meta.originator).unwrap_or_default()) {
            s.agent = Agent::Sub;
        }
        let spawned_by = parent_thread(&source);
        s.root = meta.forked_from_id.map(Cow::into_owned).or(spawned_by).unwrap_or_else(|| s.id.clone());
        s.cwd = meta.cwd.map(Cow::into_owned);
        s.version = meta.cli_version.map(Cow::into_owned);
        let git = meta.git.and_then(|g| serde_json::from_str::<Git<'_>>(g.get()).ok());
        s.branch = git.as_ref().and_then(|g| raw::text(g.branch)).map(Cow::into_owned);
        s.remote = git.and_then(|g| g.repository_url).map(Cow::into_owned);
    }

    fn item<O: Texts>(&mut self, item: &Payload<'_, O>, stamp: Stamp, session: &mut Builder) {
        match item.kind.as_deref().unwrap_or_default() {
            "message" => message(item, stamp, session),
            "function_call" | "custom_tool_call" | "local_shell_call" => self.call(item, stamp, session),
            "function_call_output" | "custom_tool_call_output" => self.output(item, session),
            _ => {}
        }
    }

    fn call<O>(&mut self, item: &Payload<'_, O>, stamp: Stamp, session: &mut Builder) {
        let id = item.call_id.as_deref().or(item.id.as_deref()).unwrap_or_default();
        let name = item.name.as_deref().unwrap_or(item.kind.as_deref().unwrap_or_default());
        let name = &*tool_names::whole(&raw::text(item.namespace).unwrap_or_default(), name);
        let arguments = item.arguments.or(item.input).or(item.action).map(json_string).unwrap_or_default();
        if name == "exec" && item.kind.as_deref() == Some("custom_tool_call") {
            return exec::call(self, id, stamp, &arguments, session);
        }
        let args: Arguments = serde_json::from_str(&arguments).unwrap_or_default();
        if matches!(name, "write_stdin" | "wait") {
            let number = args.session_id.or(args.cell_id);
            let number = number.map(|n| n.as_str().map_or_else(|| n.to_string(), str::to_owned));
            return self.poll(id, stamp, name, &number.unwrap_or_default(), session);
        }
        let folder = args.workdir.as_deref().filter(|f| !f.is_empty()).map(str::to_owned);
        let (kind, what) = about(name, args, &arguments);
        session.call(id, stamp, name, kind, &what);
        if name == "apply_patch" {
            session.wrote(id, &notes::of_patch(&arguments));
        }
        if let Some(folder) = folder {
            session.runs_in(id, &folder);
        }
    }

    /// A call that looks at a running command or script. The number is kept as its input: a later reading finds the command
    /// by it.
    fn poll(&mut self, id: &str, stamp: Stamp, tool: &str, number: &str, session: &mut Builder) {
        self.note_poll(id, tool, number);
        session.call(id, stamp, tool, ToolKind::Other, number);
    }

    fn note_poll(&mut self, id: &str, tool: &str, number: &str) {
        let list = if tool == "wait" { &self.cells } else { &self.running };
        if let Some(command) = list.get(number) {
            self.polls.insert(id.to_owned(), command.clone());
        }
    }

    fn output<O: Texts>(&mut self, item: &Payload<'_, O>, session: &mut Builder) {
        let id = item.call_id.as_deref().unwrap_or_default();
        let parts = item.output.as_ref().map(Texts::texts).unwrap_or_default();
        if exec::output(self, id, &parts, session) {
            return;
        }
        let Some(call) = session.call_of(id) else { return };
        if parts.first().is_some_and(|t| t.starts_with("Script ")) && !matches!(&*call.tool, "exec" | "wait") {
            return; // told before
        }
        let known = match call.outcome {
            // A code may come before the output, in a record of its own.
            Outcome::Failed(code) if call.output.is_empty() => code,
            Outcome::Ok if call.output.is_empty() => Some(0),
            Outcome::Unknown | Outcome::Background | Outcome::TimedOut => None,
            _ => return, // told before
        };
        if call.tool == "wait"
            && let Some(script) = self.polls.get(id).cloned()
        {
            exec::output(self, &script, &parts, session);
        }
        let text = if let [only] = &*parts { Cow::Borrowed(&**only) } else { Cow::Owned(parts.join("\n")) };
        self.result(id, known, &text, session);
    }

    fn result(&mut self, id: &str, known: Option<i32>, text: &str, session: &mut Builder) {
        let (facts, printed) = facts(known, text);
        let wait = session.call_of(id).is_some_and(|c| c.tool == "wait");
        let command = self.polls.get(id).cloned().filter(|_| !wait);
        let seconds = wall_time(text);
        for of in [Some(id), command.as_deref()].into_iter().flatten() {
            seconds.into_iter().for_each(|s| session.took(of, s));
        }
        match &command {
            Some(command) if facts.end == End::Background => session.printed_more(command, &printed),
            Some(command) => self.ended(command, facts, &printed, session),
            None => {}
        }
        if facts.end == End::Background
            && let Some(number) = running_number(text)
        {
            if !wait {
                // A poll that finds it still running speaks for the command, not for itself.
                self.running.insert(number.to_owned(), command.unwrap_or_else(|| id.to_owned()));
            }
            // The client's frame is kept: a later reading finds the number in it.
            return session.result(id, facts, text);
        }
        // A script of the code mode tells no exit codes of the commands in it.
        if facts == (Facts { flag: Some(false), ..Facts::default() }) && text.starts_with("Script ") {
            return session.result_without_code(id, &printed);
        }
        session.result(id, facts, &printed);
    }

    /// A running command came to its end.
    fn ended(&mut self, id: &str, facts: Facts, output: &str, session: &mut Builder) {
        session.ended(id, facts, output);
        exec::no_longer_runs(id, session);
    }

    fn event(event: &Event<'_>, session: &mut Builder) {
        match event.kind.as_deref().unwrap_or_default() {
            "exec_command_end" => code(event.call_id.as_deref(), event.exit_code, session),
            "item_completed" => {
                let Some(Ok(item)) = event.item.map(|i| serde_json::from_str::<Item<'_>>(i.get())) else { return };
                if item.kind.as_deref() == Some("CommandExecution") {
                    let id = item.id.as_deref().unwrap_or_default();
                    let inner = if session.call_of(id).is_none() { exec::running(item.command, session) } else { None };
                    code(inner.as_deref().or(item.id.as_deref()), item.exit_code, session);
                }
            }
            "turn_aborted" => session.interrupted(),
            "token_count" => spent(event.info, session),
            _ => {}
        }
    }
}

fn facts(known: Option<i32>, text: &str) -> (Facts, Cow<'_, str>) {
    let (told, printed) = frame(text);
    let code = known.or(told);
    let denied = ["exec command rejected by user", "execution denied", "rejected by user", "patch rejected"]
        .iter()
        .any(|d| text.starts_with(d))
        // by the client's own judgement of risks
        || text.starts_with("exec_command failed for") && text.contains("rejected due to unacceptable risk");
    let end = if denied {
        End::Denied
    } else if text.starts_with("Command blocked by PreToolUse hook") {
        End::Blocked
    } else if text.starts_with("aborted") {
        End::Interrupted
    } else if code.is_none_or(|c| c == 124) && TIMED_OUT.find(text.as_bytes()).is_some() {
        End::TimedOut
    } else if code.is_none() && running_number(text).is_some() {
        End::Background
    } else {
        End::Normal
    };
    let failed =
        ["exec_command failed", "apply_patch verification failed", "Script failed", "failed to ", "unsupported call"]
            .iter()
            .any(|f| text.starts_with(f));
    (Facts { flag: Some(failed), code, end }, printed)
}

/// An exit code that comes in its own record, before or after the output.
fn code(id: Option<&str>, code: Option<&RawValue>, session: &mut Builder) {
    if let (Some(id), Some(code)) = (id, code.and_then(|c| c.get().parse::<i32>().ok())) {
        session.coded(id, code);
    }
}

static ITEM: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("\"response_item\""));
static TIMED_OUT: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("command timed out after "));

static EVENT: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("\"event_msg\""));

/// Most of a rollout is items, and most of an item is one text: this saves one pass over its bytes. What does not fit
/// is read the longer way.
fn item_line(bytes: &[u8]) -> Option<ItemLine<'_>> {
    ITEM.find(&bytes[..bytes.len().min(160)])?;
    let line: ItemLine<'_> = serde_json::from_slice(bytes).ok()?;
    (line.kind == "response_item").then_some(line)
}

/// What the last step took; the sums of the whole session stand before it. Told behind the events of the step: those since
/// the last result.
fn spent(info: Option<&RawValue>, session: &mut Builder) {
    let last = info.and_then(|i| i.get().split_once("\"last_token_usage\"")).map_or("", |(_, last)| last);
    let end = last.find('}').unwrap_or(last.len());
    session.spent(COUNTS.new_tokens(&last[..end]), |earlier, _| !earlier.is_answered());
}

/// The same for events, of which little is used.
fn event_line(bytes: &[u8]) -> Option<EventLine<'_>> {
    EVENT.find(&bytes[..bytes.len().min(160)])?;
    let line: EventLine<'_> = serde_json::from_slice(bytes).ok()?;
    (line.kind == "event_msg").then_some(line)
}

/// Names of programs that put a person's own prompt into `codex exec`.
const PROMPTED_BY_A_PERSON: &[&str] = &["codex_exec", "codex_sdk"];

/// Whether no person speaks in a session: another agent spawned it, the client itself did (a review, a memory task), or
/// `codex exec` was run inside another Codex client, whose name then still stands as the originator.
fn is_told_by_a_program(source: &Value, originator: &str) -> bool {
    let made = ["subagent", "internal"].iter().any(|key| source.get(key).is_some());
    let inside_another = source == "exec" && !originator.is_empty();
    made || (inside_another && !PROMPTED_BY_A_PERSON.iter().any(|p| originator.starts_with(p)))
}

fn parent_thread(source: &Value) -> Option<String> {
    let spawn = source.get("subagent")?.get("thread_spawn")?;
    Some(spawn.get("parent_thread_id")?.as_str()?.to_owned())
}

/// The text in a JSON string; anything else as it stands.
fn json_string(value: &RawValue) -> Cow<'_, str> {
    serde_json::from_str::<String>(value.get()).map_or(Cow::Borrowed(value.get()), Cow::Owned)
}

/// User texts that the client writes.
const MACHINE: &[&str] = &[
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<hook_prompt",
    "<skill>",
    "<subagent_notification>",
    "<recommended_plugins>",
    "<user_action>",
    "<permissions",
    "<collaboration_mode>",
    "<image name=",
    "</image>",
    "Message Type:",
    "Another language model started",
    // What `/init` expands to.
    "Generate a file named AGENTS.md that serves as a contributor guide",
];

/// Where a prompt begins that the desktop client put files, comments or findings before.
const REQUEST: &str = "\n## My request for Codex:";

fn message<O>(item: &Payload<'_, O>, stamp: Stamp, session: &mut Builder) {
    let Some(content) = item.content else { return };
    let all: Vec<Part<'_>> = serde_json::from_str(content.get()).unwrap_or_default();
    let texts: Vec<Cow<'_, str>> = all.into_iter().filter_map(|p| p.text).collect();
    let text = texts.join("\n");
    let id = item.id.as_deref().map_or_else(|| made_up_id(&text, stamp), str::to_owned);
    match item.role.as_deref().unwrap_or_default() {
        "assistant" => session.assistant(&id, stamp, &text),
        "developer" | "system" => session.injected(&text),
        "user" => user(&id, stamp, &texts, session),
        _ => {}
    }
}

fn user(id: &str, stamp: Stamp, texts: &[Cow<'_, str>], session: &mut Builder) {
    let is_made = |text: &str| MACHINE.iter().any(|m| text.trim_start().starts_with(m));
    let typed: Vec<&str> = texts.iter().map(|t| &**t).filter(|t| !is_made(t)).collect();
    let typed = typed.join("\n");
    if typed.trim().is_empty() {
        return session.user(id, stamp, Author::Machine, vec![span(Origin::Tool, &texts.join("\n"))]);
    }
    if session.session.agent == Agent::Sub {
        // A forked history holds the person's words, too; they count in the session they were typed in.
        return session.user(id, stamp, Author::Machine, vec![span(Origin::Assistant, &typed)]);
    }
    let composed = typed.starts_with("# ").then(|| typed.split_once(REQUEST)).flatten();
    let (added, typed) = composed.unwrap_or(("", &typed));
    let (author, mut spans) = text::sent(typed);
    if !added.is_empty() {
        spans.push(span(Origin::Tool, added));
    }
    session.user(id, stamp, author, spans);
}

/// Older versions give messages no id; time and text are the same in a copied history.
fn made_up_id(text: &str, stamp: Stamp) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(text.as_bytes());
    hash.update(&stamp.at.unwrap_or_default().to_le_bytes());
    format!("msg-{}", &hash.finalize().to_hex()[..24])
}

/// What a call does: its kind and its command line or file.
fn understand(name: &str, arguments: &str) -> (ToolKind, String) {
    about(name, serde_json::from_str(arguments).unwrap_or_default(), arguments)
}

fn about(name: &str, args: Arguments, plain: &str) -> (ToolKind, String) {
    match name {
        _ if is_shell(name) => match args.cmd.or(args.command) {
            Some(Words::Line(line)) => (ToolKind::Shell, line),
            Some(Words::List(words)) => (ToolKind::Shell, command_line(&words)),
            None => (ToolKind::Shell, String::new()),
        },
        "apply_patch" => (ToolKind::Edit, text::patched_file(plain).to_owned()),
        "view_image" | "read_file" | "list_dir" | "grep_files" => (ToolKind::Read, String::new()),
        _ => (ToolKind::Other, String::new()),
    }
}

/// Whether a tool runs a command line.
fn is_shell(tool: &str) -> bool {
    matches!(
        tool,
        "exec_command"
            | "shell"
            | "shell_command"
            | "container.exec"
            | "local_shell"
            | "local_shell_call"
            | "unified_exec"
    )
}

/// `["bash", "-lc", "…"]` → the script; other lists as a line.
fn command_line(words: &[String]) -> String {
    match words {
        [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
            script.clone()
        }
        _ => words.join(" "),
    }
}

#[cfg(test)]
mod tests;
