//! Claude Code: `~/.claude/projects/<slug>/<session>.jsonl`, one record a line, one content block a record.
//!
//! Facts this file rests on are in `docs/sources.md`. Unknown record types are normal and passed over.

pub(super) mod hook;
mod wire;

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use self::wire::{Attachment, Block, Input, Line, ToolUseResult};
use super::build::{Builder, Stamp, command as held, span};
use super::raw::{is_true, string};
use super::records::{RecordPlace, RecordVerdict, parsed};
use super::usage::Counts;
use super::{Format, text, wrote};
use crate::failure::outcome::{End, Facts};
use crate::session::{Agent, Author, Origin, ToolKind};

pub(super) fn format() -> Box<dyn Format> {
    Box::new(Claude)
}

pub(super) fn sniff(start: &[u8]) -> bool {
    let start = &start[..start.len().min(64 * 1024)];
    let has = |needle: &str| memmem::find(start, needle.as_bytes()).is_some();
    has("\"sessionId\"")
        && (has("\"parentUuid\"")
            || has("\"type\":\"queue-operation\"")
            || has("\"type\":\"summary\"")
            || has("\"type\":\"mode\"")
            || has("\"leafUuid\"")
            || has("\"type\":\"last-prompt\""))
        || has("\"type\":\"file-history-snapshot\"")
        || (has("\"type\":\"summary\"") && has("\"leafUuid\""))
}

struct Claude;

/// Types that never matter and may be large: found by their bytes, before anything is parsed.
static PASSED_OVER: LazyLock<[memmem::Finder<'static>; 3]> = LazyLock::new(|| {
    ["\"type\":\"progress\"", "\"type\":\"file-history-", "\"type\":\"api-request"].map(memmem::Finder::new)
});
/// Where a record says its type: before what may be large. One that says it later is read, and passed over then.
const TYPE_WITHIN: usize = 1024; // bytes

impl Format for Claude {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        if let Some(verdict) = passed_over(bytes) {
            return verdict;
        }
        let line: Line<'_> = match parsed(bytes) {
            Ok(line) => line,
            Err(verdict) => return verdict,
        };
        if line.uuid.is_none()
            && line.session_id.is_none()
            && !matches!(&*line.kind, "summary" | "file-history-snapshot")
        {
            return RecordVerdict::Foreign;
        }
        head(&line, session);
        match &*line.kind {
            "user" => user(&line, place, session),
            "assistant" => assistant(&line, place, session),
            "attachment" => attachment(&line, place, session),
            _ => {}
        }
        RecordVerdict::Taken
    }
}

/// Passes over records whose own type never matters; finding the bytes is only a hint, because a payload may hold them,
/// too.
fn passed_over(bytes: &[u8]) -> Option<RecordVerdict> {
    #[derive(Deserialize)]
    struct Type<'a> {
        #[serde(borrow, rename = "type", default)]
        kind: Cow<'a, str>,
    }
    let start = &bytes[..bytes.len().min(TYPE_WITHIN)];
    if !PASSED_OVER.iter().any(|t| t.find(start).is_some()) {
        return None;
    }
    match serde_json::from_slice::<Type<'_>>(bytes) {
        Ok(t)
            if matches!(&*t.kind, "progress" | "file-history-snapshot" | "file-history-delta")
                || t.kind.starts_with("api-request") =>
        {
            Some(RecordVerdict::Taken)
        }
        Ok(_) => None,
        Err(e) if e.is_data() => None,
        Err(_) => Some(RecordVerdict::Broken),
    }
}

fn head(line: &Line<'_>, session: &mut Builder) {
    let s = &mut session.session;
    if s.id.is_empty()
        && let Some(id) = &line.session_id
    {
        // A subagent's file carries its parent's session id.
        let sub = is_true(line.is_sidechain) && line.agent_id.is_some() && session.file.starts_with("agent-");
        s.id = if sub { session.file.clone() } else { id.to_string() };
        if sub {
            s.agent = Agent::Sub;
        }
        s.root = id.to_string();
    }
    if s.cwd.is_none() {
        s.cwd = line.cwd.as_deref().map(str::to_owned);
    }
    if s.branch.is_none() {
        // `HEAD` stands for no branch, and also for no repository.
        s.branch = line.git_branch.and_then(string).map(Cow::into_owned).filter(|b| !b.is_empty() && b != "HEAD");
    }
    if s.version.is_none() {
        s.version = line.version.as_deref().map(str::to_owned);
    }
}

fn content<'a>(line: &Line<'a>) -> Option<&'a RawValue> {
    line.message.as_ref()?.content
}

fn blocks<'a>(content: &'a RawValue) -> Vec<Block<'a>> {
    if let Ok(blocks) = serde_json::from_str(content.get()) {
        return blocks;
    }
    // One odd block must not cost the others.
    let raw: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    raw.into_iter().filter_map(|b| serde_json::from_str(b.get()).ok()).collect()
}

fn assistant(line: &Line<'_>, place: RecordPlace, session: &mut Builder) {
    let Some(content) = content(line) else { return };
    let stamp = Stamp::new(line.timestamp.as_deref(), place);
    let uuid = line.uuid.as_deref().unwrap_or_default();
    let before = session.session.events.len();
    for block in blocks(content) {
        match &*block.kind {
            "text" => session.assistant(uuid, stamp, block.text.as_deref().unwrap_or_default()),
            "tool_use" => {
                let name = block.name.as_deref().unwrap_or_default();
                let (kind, what) = understand(name, block.input);
                let id = block.id.as_deref().unwrap_or_default();
                session.call(id, stamp, name, kind, &what);
                session.wrote(id, &wrote::in_edit(kind, &what, block.input));
                // The shell keeps its folder from call to call; each record says where it is.
                line.cwd.as_deref().into_iter().for_each(|folder| session.runs_in(id, folder));
            }
            _ => {}
        }
    }
    // A record of thoughts has no event; the next one of the step tells the same.
    if session.session.events.len() > before {
        let usage = line.message.as_ref().and_then(|m| m.usage);
        session.spent(usage.map_or(0, |u| COUNTS.new_tokens(u.get())), |earlier, _| !earlier.is_answered());
    }
}

const COUNTS: Counts = Counts { adds: &["input_tokens", "cache_creation_input_tokens", "output_tokens"], cached: &[] };

/// What a use of a tool is about: its kind, and its command line or file.
fn understand<'a>(tool: &str, input: Option<&'a RawValue>) -> (ToolKind, Cow<'a, str>) {
    let input: Input<'a> = input.and_then(|i| serde_json::from_str(i.get()).ok()).unwrap_or_default();
    let kind = kind(tool);
    let what = match kind {
        ToolKind::Shell => input.command,
        _ => input.file_path.or(input.path).or(input.pattern),
    };
    (kind, what.unwrap_or_default())
}

fn kind(tool: &str) -> ToolKind {
    match tool {
        "Bash" | "PowerShell" => ToolKind::Shell,
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => ToolKind::Read,
        _ => ToolKind::Other,
    }
}

fn user(line: &Line<'_>, place: RecordPlace, session: &mut Builder) {
    let Some(content) = content(line) else { return };
    let stamp = Stamp::new(line.timestamp.as_deref(), place);
    let uuid = line.uuid.as_deref().unwrap_or_default();
    if let Some(text) = string(content) {
        return message(line, uuid, stamp, &text, session);
    }
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    let mut answers = false;
    for block in blocks(content) {
        match &*block.kind {
            "tool_result" => {
                answers = true;
                result(line, &block, stamp, session);
            }
            "text" => texts.extend(block.text),
            _ => {}
        }
    }
    // A block that the client wrote must not hide a typed one beside it.
    let (made, typed): (Vec<_>, Vec<_>) = texts.into_iter().partition(|t| is_made(t.trim_start()));
    if typed.is_empty() && !made.is_empty() {
        return message(line, uuid, stamp, &made.join("\n"), session);
    }
    for note in made.iter().filter_map(|t| t.trim_start().strip_prefix(NOTE)) {
        task_ended(note, session);
    }
    // Nobody types into the answer to a call.
    if answers && !typed.is_empty() {
        session.user(uuid, stamp, Author::Machine, vec![span(Origin::Tool, &typed.join("\n"))]);
    } else if !typed.is_empty() {
        message(line, uuid, stamp, &typed.join("\n"), session);
    }
}

const NOTE: &str = "<task-notification>";

/// Whether a text begins with what only the client writes.
fn is_made(text: &str) -> bool {
    let machine = MACHINE.iter().chain(AGENTS).any(|start| text.starts_with(start));
    machine || text.starts_with("<command-") || text.starts_with("<system-reminder")
}

/// How texts begin that the client made.
const MACHINE: &[&str] = &[
    NOTE,
    "[Request interrupted by user",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "This session is being continued from a previous",
    "Caveat: The messages below were generated by the user while running local commands",
    "Base directory for this skill: ",
    "Operation stopped by hook: ",
    "Stop hook feedback:",
];

/// How texts begin that an agent wrote and the client handed on.
const AGENTS: &[&str] = &[
    "Another Claude session sent a message:",
    "<agent-message",
    "<teammate-message",
    // The plan that a person agreed to opens a fresh session.
    "Implement the following plan:\n\n",
];

/// A text of role "user": typed, or made by the client.
fn message(line: &Line<'_>, uuid: &str, stamp: Stamp, text: &str, session: &mut Builder) {
    let trimmed = text.trim_start();
    if let Some(note) = trimmed.strip_prefix(NOTE) {
        task_ended(note, session);
    }
    if trimmed.starts_with("[Request interrupted by user") {
        session.interrupted();
        // ESC while a command runs is written down like a refusal; only this field tells them apart.
        if line.interrupted_message_id.is_some() {
            session.refused_was_interrupted();
        }
    }
    if let Some(origin) = not_typed(line, trimmed) {
        return session.user(uuid, stamp, Author::Machine, vec![span(origin, text)]);
    }
    if trimmed.starts_with("<command-") {
        // A slash command: its name and arguments were typed, its expansion was not.
        let name = tag(text, "command-name").unwrap_or_default();
        let args = tag(text, "command-args").unwrap_or_default();
        // The name alone says nothing that could be learned.
        let origin = if args.trim().is_empty() { Origin::Tool } else { Origin::User };
        let typed = format!("{name} {args}");
        return session.user(uuid, stamp, Author::Human, vec![span(origin, typed.trim())]);
    }
    if line.prompt_source.is_some_and(|s| s.get() == "\"suggestion_accepted\"") {
        // A person sent it, but the words are the model's.
        return session.user(uuid, stamp, Author::Human, vec![span(Origin::Assistant, text)]);
    }
    let (author, spans) = text::sent(text);
    session.user(uuid, stamp, author, spans);
}

/// Who wrote a text that no person typed; `None` if a person typed it.
fn not_typed(line: &Line<'_>, text: &str) -> Option<Origin> {
    let begins = |list: &[&str]| list.iter().any(|start| text.starts_with(start));
    let is_there = |field: Option<&RawValue>| field.is_some_and(|f| f.get() != "null");
    if begins(AGENTS) || is_there(line.plan_content) {
        return Some(Origin::Assistant);
    }
    if let Some(origin) = sender(line.origin) {
        return Some(origin);
    }
    let made = is_true(line.is_meta)
        || line.prompt_source.is_some_and(|s| s.get() == "\"system\"")
        || is_true(line.is_compact_summary)
        // What a tool brought: a skill's text, an answer to a call.
        || is_there(line.source_tool_use_id)
        || is_there(line.tool_use_result)
        // `claude -p` with a text of several lines: a script keeps such a prompt, nobody types it into a command line. A slash
        // command is written down in lines.
        || line.entrypoint.is_some_and(|e| e.get() == "\"sdk-cli\"") && text::is_long(text) && !text.starts_with("<command-")
        || begins(MACHINE);
    if made {
        return Some(Origin::Tool);
    }
    // What a subagent is told comes from the agent that called it.
    is_true(line.is_sidechain).then_some(Origin::Assistant)
}

/// Who wrote the words, according to the record's `origin`; `None` for a person, or if it does not say.
fn sender(origin: Option<&RawValue>) -> Option<Origin> {
    let told = origin.map(RawValue::get).unwrap_or_default();
    if !told.contains("\"kind\"") || told.contains("\"human\"") {
        return None;
    }
    Some(if told.contains("\"peer\"") { Origin::Assistant } else { Origin::Tool })
}

fn tag<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let end = text[start..].find(&format!("</{name}>"))?;
    Some(&text[start..start + end])
}

/// `<task-notification>`: a background command came to its end.
fn task_ended(note: &str, session: &mut Builder) {
    let Some(id) = tag(note, "tool-use-id") else { return };
    let status = tag(note, "status").unwrap_or_default();
    let summary = tag(note, "summary").unwrap_or_default();
    let code = summary
        .rfind("exit code ")
        .and_then(|i| summary[i + 10..].trim_end_matches([')', '.']).trim().parse::<i32>().ok());
    let end = if status == "killed" { End::Interrupted } else { End::Normal };
    let facts = Facts { flag: Some(status == "failed"), code, end };
    if session.kind_of(id) == Some(ToolKind::Shell) {
        session.ended(id, facts, "");
    }
}

fn result(line: &Line<'_>, block: &Block<'_>, stamp: Stamp, session: &mut Builder) {
    let id = block.tool_use_id.as_deref().unwrap_or_default();
    let mut text = block.content.map(result_text).unwrap_or_default();
    let extra: ToolUseResult<'_> = line
        .tool_use_result
        .filter(|r| r.get().starts_with('{'))
        .and_then(|r| serde_json::from_str(r.get()).ok())
        .unwrap_or_default();
    // A long output is kept in a file and shown as a preview; the record still holds more of it.
    if text.starts_with("<persisted-output>")
        && let Some(full) = extra.stdout.and_then(string).filter(|s| s.len() > text.len())
    {
        text = full;
    }
    let facts = facts(&text, block.is_error.unwrap_or(false), &extra, line.tool_denial_kind.is_some());
    session.result(id, facts, output_of(&text));
    // Words a person gave with a refusal are theirs.
    if let Some((_, said)) = text.split_once("the user said:\n")
        && facts.end == End::Denied
    {
        let uuid = line.uuid.as_deref().unwrap_or_default();
        // The client puts the model's own questions there when the user asks back.
        let machine = said.trim_start().starts_with("The user wants to clarify these questions");
        if machine {
            session.user(uuid, stamp, Author::Machine, vec![span(Origin::Tool, said)]);
        } else {
            session.user(uuid, stamp, Author::Human, text::sent(said).1);
        }
    }
}

fn result_text(content: &RawValue) -> Cow<'_, str> {
    if let Some(text) = string(content) {
        return text;
    }
    let texts: Vec<String> = blocks(content).into_iter().filter_map(|b| b.text).map(Cow::into_owned).collect();
    Cow::Owned(texts.join("\n"))
}

const DENIED: &[&str] = &[
    "The user doesn't want to ",
    "User rejected",
    "Permission to use ",
    // its own classifier of risky actions
    "Permission for this action ",
    "Claude requested permissions",
    "This command requires approval",
];
const CANCELLED: &[&str] =
    &["<tool_use_error>Sibling tool call errored", "<tool_use_error>Cancelled:", "[Request interrupted"];

fn facts(text: &str, is_error: bool, extra: &ToolUseResult<'_>, denied: bool) -> Facts {
    let starts = |list: &[&str]| list.iter().any(|s| text.starts_with(s));
    let code = is_error
        .then(|| text.strip_prefix("Exit code "))
        .flatten()
        .and_then(|t| t.split(['\n', ' ']).next()?.parse().ok());
    let end = if denied || (is_error && starts(DENIED)) {
        End::Denied
    } else if is_error
        && code.is_none()
        && (text.contains(" hook error: [") || text.starts_with("<tool_use_error>Blocked:") || is_guarded(text))
    {
        End::Blocked
    } else if starts(CANCELLED) || extra.interrupted == Some(true) {
        End::Interrupted
    } else if extra.timed_out_after_ms.is_some()
        || (is_error && text.lines().any(|l| l.starts_with("Command timed out after ")))
    {
        End::TimedOut
    } else if extra.background_task_id.is_some() {
        End::Background
    } else {
        End::Normal
    };
    let answered = extra.return_code_interpretation.is_some_and(|r| r.get() != "null");
    Facts { flag: Some(is_error && !answered), code, end }
}

/// `Remove-Item on system path 'A:' is blocked. …`: a rule of the client's own.
fn is_guarded(text: &str) -> bool {
    text.lines().next().is_some_and(|first| first.contains(" is blocked. ") || first.contains(" was blocked. "))
}

/// What the tool printed, without the client's frame.
fn output_of(text: &str) -> &str {
    match text.strip_prefix("Exit code ").and_then(|t| t.split_once('\n')) {
        Some((code, rest)) if code.parse::<i32>().is_ok() => rest,
        _ => text.strip_prefix("<tool_use_error>").map_or(text, |t| t.trim_end_matches("</tool_use_error>")),
    }
}

fn attachment(line: &Line<'_>, place: RecordPlace, session: &mut Builder) {
    let Some(Ok(attachment)) = line.attachment.map(|a| serde_json::from_str::<Attachment<'_>>(a.get())) else { return };
    match &*attachment.kind {
        // typed while the agent was at work
        "queued_command" => {
            let Some(text) = attachment.prompt.map(result_text) else { return };
            let stamp = Stamp::new(line.timestamp.as_deref(), place);
            let uuid = line.uuid.as_deref().unwrap_or_default();
            if attachment.command_mode.as_deref().is_some_and(|m| m != "prompt") {
                text.trim_start().strip_prefix(NOTE).into_iter().for_each(|note| task_ended(note, session));
                return;
            }
            let meta = is_true(attachment.is_meta).then_some(Origin::Tool);
            match sender(attachment.origin).or(meta) {
                Some(origin) => session.user(uuid, stamp, Author::Machine, vec![span(origin, &text)]),
                None => message(line, uuid, stamp, &text, session),
            }
        }
        "hook_additional_context" => {
            let Some(content) = attachment.content else { return };
            let texts: Vec<String> = serde_json::from_str(content.get())
                .unwrap_or_else(|_| string(content).map(Cow::into_owned).into_iter().collect());
            texts.iter().for_each(|t| session.injected(t));
        }
        "hook_success" if attachment.hook_event.as_deref() == Some("PreToolUse") => rewritten(&attachment, session),
        _ => {}
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HookAnswer<'a> {
    #[serde(borrow, default)]
    hook_specific_output: Option<HookOutput<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput<'a> {
    #[serde(borrow, default)]
    updated_input: Option<Input<'a>>,
}

/// A hook changed the command: history keeps the old one beside the new one's output.
fn rewritten(attachment: &Attachment<'_>, session: &mut Builder) {
    let Some(answer) = attachment.stdout.as_deref().and_then(|s| serde_json::from_str::<HookAnswer<'_>>(s).ok()) else {
        return;
    };
    let Some(command) = answer.hook_specific_output.and_then(|o| o.updated_input).and_then(|i| i.command) else {
        return;
    };
    if let Some(call) = attachment.tool_use_id.as_deref().and_then(|id| session.call_mut(id)) {
        call.input = held(&command);
    }
}

#[cfg(test)]
mod tests;
