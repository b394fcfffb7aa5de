//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, a head and then messages and patches, one a line;
//! before that one document, `session-*.json`.
//!
//! A message is written again under its id when its tool calls have ended; the last one counts. `$set` patches the
//! head and may bring the whole list of messages once more. Nothing is taken back: what a user rewound did happen.
//! Facts are in `docs/sources.md`.

pub(super) mod hook;
pub(super) mod place;
mod shell;
mod wire;

use std::borrow::Cow;

use memchr::memmem;
use serde_json::value::RawValue;

use self::wire::{Args, FunctionResponse, Part, Record, Response, ToolCall};
use super::build::{Builder, Stamp, span};
use super::records::{RecordPlace, RecordVerdict, parsed};
use super::usage::Counts;
use super::{Format, raw, text, wrote};
use crate::failure::outcome::{End, Facts};
use crate::session::{Agent, Author, Origin, ToolKind};

pub(super) fn format() -> Box<dyn Format> {
    Box::new(Gemini)
}

pub(super) fn sniff(start: &[u8]) -> bool {
    let has = |needle: &str| memmem::find(&start[..start.len().min(1_000)], needle.as_bytes()).is_some();
    has("\"sessionId\"") && has("\"projectHash\"")
}

struct Gemini;

impl Format for Gemini {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        let record: Record<'_> = match parsed(bytes) {
            Ok(record) => record,
            Err(verdict) => return verdict,
        };
        if record.set.is_some() {
            let patch: Option<Record<'_>> = record.set.and_then(|s| serde_json::from_str(s.get()).ok());
            if let Some(patch) = patch {
                head(&patch, session);
                messages(&patch, bytes, place, session);
            }
            return RecordVerdict::Taken;
        }
        if record.session_id.is_some() && record.project_hash.is_some() {
            head(&record, session);
            messages(&record, bytes, place, session);
            return RecordVerdict::Taken;
        }
        if record.rewind.is_some() || message(&record, place, session) {
            RecordVerdict::Taken
        } else {
            RecordVerdict::Foreign
        }
    }
}

fn head(record: &Record<'_>, session: &mut Builder) {
    let s = &mut session.session;
    if let Some(id) = raw::text(record.session_id) {
        if s.root.is_empty() || s.root == s.id {
            s.root = id.clone().into_owned();
        }
        s.id = id.into_owned();
    }
    if raw::text(record.kind).is_some_and(|k| k == "subagent") {
        s.agent = Agent::Sub;
    }
    if s.cwd.is_none() {
        let folders: Vec<String> = raw::value(record.directories);
        s.cwd = folders.into_iter().next();
    }
}

fn messages(record: &Record<'_>, bytes: &[u8], place: RecordPlace, session: &mut Builder) {
    let list: Vec<&RawValue> = raw::value(record.messages);
    for value in list {
        if let Ok(one) = serde_json::from_str::<Record<'_>>(value.get()) {
            message(&one, raw::place_in(bytes, place, value), session);
        }
    }
}

/// Reads a message; `false` if it is none.
const COUNTS: Counts = Counts { adds: &["input", "output", "thoughts", "tool"], cached: &["cached"] };

fn message(record: &Record<'_>, place: RecordPlace, session: &mut Builder) -> bool {
    let (Some(id), Some(author)) = (raw::text(record.id), raw::text(record.author)) else { return false };
    let stamp = Stamp::new(raw::text(record.timestamp).as_deref(), place);
    match &*author {
        "user" => user(record, &id, stamp, session),
        "gemini" => {
            session.assistant_again(&id, stamp, &record.content.map(texts).unwrap_or_default());
            let calls: Vec<&RawValue> = raw::value(record.tool_calls);
            for value in calls {
                call(&raw::value(Some(value)), stamp, session);
            }
            // All events of a step are in one record, which may be written again.
            let tokens = record.tokens.map_or(0, |t| COUNTS.new_tokens(t.get()));
            session.spent(tokens, |earlier, this| earlier.offset == this.offset);
        }
        "info" | "warning" | "error" => {
            if record.content.map(texts).is_some_and(|t| t.starts_with("Request cancelled")) {
                session.interrupted();
            }
        }
        _ => return false,
    }
    true
}

/// A text that is a string or a list of parts.
fn texts(content: &RawValue) -> Cow<'_, str> {
    if let Some(text) = raw::string(content) {
        return text;
    }
    let parts: Vec<&RawValue> = raw::value(Some(content));
    let texts = parts.into_iter().filter_map(|p| raw::text(raw::value::<Part<'_>>(Some(p)).text));
    Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
}

/// Where the client puts in the files that a prompt names.
const REFERENCED: &str = "--- Content from referenced files ---";

fn user(record: &Record<'_>, id: &str, stamp: Stamp, session: &mut Builder) {
    let sent = record.content.map(texts).unwrap_or_default();
    let sent = sent.trim();
    if sent.is_empty() {
        return; // results of calls: they stand with their calls
    }
    session.injected(sent);
    if sent.starts_with("<session_context>") {
        if session.session.cwd.is_none() {
            session.session.cwd = workspace(sent).map(str::to_owned);
        }
        return; // the same in every session, under the same id
    }
    if session.session.agent == Agent::Sub {
        return session.user(id, stamp, Author::Machine, vec![span(Origin::Assistant, sent)]);
    }
    if sent == "System: Please continue." {
        return session.user(id, stamp, Author::Machine, vec![span(Origin::Tool, sent)]);
    }
    let typed = record.display_content.map(texts).filter(|t| !t.trim().is_empty());
    let typed = typed.as_deref().unwrap_or(sent);
    let (typed, files) = typed.split_once(REFERENCED).unwrap_or((typed, ""));
    let (author, mut spans) = text::sent(typed);
    if !files.is_empty() {
        spans.push(span(Origin::Tool, files));
    }
    session.user(id, stamp, author, spans);
}

/// The first folder in the list of the session's context.
fn workspace(context: &str) -> Option<&str> {
    let (_, list) = context.split_once("Workspace Directories:**")?;
    let first = list.lines().map(str::trim).find(|l| !l.is_empty())?;
    first.strip_prefix("- ").map(str::trim)
}

fn call(call: &ToolCall<'_>, stamp: Stamp, session: &mut Builder) {
    let Some(id) = raw::text(call.id) else { return };
    let name = raw::text(call.name).unwrap_or_default();
    let (kind, what) = understand(&name, call.args);
    let time = Stamp::new(raw::text(call.timestamp).as_deref(), stamp.place);
    let stamp = Stamp { at: time.at.or(stamp.at), ..stamp };
    session.call(&id, stamp, &name, kind, &what);
    session.wrote(&id, &wrote::in_edit(kind, &what, call.args));
    if name == "save_memory" {
        let args: Args<'_> = raw::value(call.args);
        // The tool writes into the user's own file, unless it is told otherwise.
        let own = raw::text(args.scope).as_deref() == Some("project");
        let file = if own { "GEMINI.md" } else { "~/.gemini/GEMINI.md" };
        session.wrote(&id, &wrote::remembered(file, &raw::text(args.fact).unwrap_or_default()));
    }
    let status = raw::text(call.status).unwrap_or_default();
    if let Some(result) = call.result {
        outcome(&id, kind, &status, result, session);
    } else if status == "cancelled" {
        session.result(&id, Facts { flag: Some(true), code: None, end: End::Interrupted }, "");
    }
}

/// What a use of a tool is about: its kind, and its command line or file.
fn understand<'a>(tool: &str, args: Option<&'a RawValue>) -> (ToolKind, Cow<'a, str>) {
    let args: Args<'a> = raw::value(args);
    let kind = kind(tool);
    let what = match kind {
        ToolKind::Shell => args.command,
        _ => args.file_path.or(args.absolute_path).or(args.path).or(args.dir_path).or(args.pattern),
    };
    (kind, raw::text(what).unwrap_or_default())
}

fn kind(tool: &str) -> ToolKind {
    match tool {
        "run_shell_command" => ToolKind::Shell,
        "replace" | "write_file" | "edit" => ToolKind::Edit,
        "read_file" | "read_many_files" | "list_directory" | "glob" | "grep_search" | "search_file_content" => {
            ToolKind::Read
        }
        _ => ToolKind::Other,
    }
}

/// What the model was answered: the text of the first part that has one, and whether it is called an error.
fn answer(result: &RawValue) -> (String, bool) {
    let list: Vec<&RawValue> = serde_json::from_str(result.get()).unwrap_or_else(|_| vec![result]);
    for value in list {
        let part: Part<'_> = raw::value(Some(value));
        if let Some(text) = raw::text(part.text) {
            return (text.into_owned(), false);
        }
        let function: FunctionResponse<'_> = raw::value(part.function_response);
        let response: Response<'_> = raw::value(function.response);
        if let Some(error) = response.error {
            return (raw::string(error).unwrap_or(Cow::Borrowed(error.get())).into_owned(), true);
        }
        if let Some(text) = raw::text(response.output) {
            return (text.into_owned(), false);
        }
    }
    (raw::string(result).map(Cow::into_owned).unwrap_or_default(), false)
}

fn outcome(id: &str, kind: ToolKind, status: &str, result: &RawValue, session: &mut Builder) {
    let (text, is_error) = answer(result);
    session.injected(&text);
    let text = printed(&text);
    let flag = is_error || status == "error";
    let end = ending(text, status);
    if kind != ToolKind::Shell || end != End::Normal || is_error {
        return session.result(id, Facts { flag: Some(flag), code: None, end }, text);
    }
    let (mut facts, output) = shell::report(text);
    facts.flag = facts.flag.map(|f| f || flag);
    session.result(id, facts, &output);
}

/// Without the client's frame and what hooks added for the model.
fn printed(text: &str) -> &str {
    let text = text.split_once("\n\n<hook_context>").map_or(text, |(before, _)| before).trim();
    let text = text.strip_prefix("<untrusted_context>").unwrap_or(text);
    text.strip_suffix("</untrusted_context>").unwrap_or(text).trim_matches('\n')
}

fn ending(text: &str, status: &str) -> End {
    let starts = |list: &[&str]| list.iter().any(|s| text.starts_with(s));
    let refused = ["[Operation Cancelled] Reason: User did not allow", "[Operation Cancelled] Reason: User denied"];
    if starts(&["Tool execution denied by policy"]) || starts(&refused) {
        End::Denied
    } else if starts(&["Tool execution blocked:", "Command rejected because"]) {
        End::Blocked
    } else if status == "cancelled" || starts(&["[Operation Cancelled]", "User cancelled", "Operation cancelled"]) {
        End::Interrupted
    } else {
        End::Normal
    }
}

#[cfg(test)]
mod tests;
