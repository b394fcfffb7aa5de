//! OpenCode: the rows of its database, or what `opencode export` prints; both say the same things.
//!
//! An export is one document, `{info, messages: [{info, parts}]}`. Rows come as the objects an export is made of: the
//! head of the session, then each message's head and its parts, a line each. So every object of an export is a
//! record of its own, and a damaged export still gives all that is whole. Facts are in `docs/sources.md`.

pub(super) mod hook;
mod wire;

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;
use serde_json::value::RawValue;

use self::wire::{CallState, Info, Input, Metadata, Part, Record, Time};
use super::build::{Builder, Stamp, span};
use super::records::{RecordPlace, RecordVerdict, parsed};
use super::usage::Counts;
use super::{Format, raw, text, wrote};
use crate::failure::outcome::{End, Facts};
use crate::normal::notes;
use crate::session::{Agent, Author, Origin, ToolKind};

pub(super) fn format() -> Box<dyn Format> {
    Box::<OpenCode>::default()
}

pub(super) fn sniff(start: &[u8]) -> bool {
    let has = |needle: &str| memmem::find(&start[..start.len().min(400)], needle.as_bytes()).is_some();
    start.trim_ascii_start().starts_with(b"{") && has("\"info\"") && has("\"ses_")
}

#[derive(Default)]
struct OpenCode {
    /// Who wrote the messages whose parts are still to come.
    writers: HashMap<String, Writer>,
}

#[derive(Clone, Copy)]
struct Writer {
    role: Role,
    at: Option<i64>,
    /// New tokens of this step of the model.
    tokens: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Model,
    /// A summary of what was compacted: nothing new is in it.
    Summary,
}

impl Format for OpenCode {
    fn record(&mut self, bytes: &[u8], place: RecordPlace, session: &mut Builder) -> RecordVerdict {
        let record: Record<'_> = match parsed(bytes) {
            Ok(record) => record,
            Err(verdict) => return verdict,
        };
        let within = Within { bytes, place };
        if let Some(info) = record.info {
            self.info(info, session);
            for message in record.messages.iter().flatten() {
                self.message(message, within, session);
            }
            self.parts(record.parts.iter().flatten(), None, within, session);
            return RecordVerdict::Taken;
        }
        let Ok(itself) = serde_json::from_slice::<&RawValue>(bytes) else { return RecordVerdict::Broken };
        let has_id = |id: Option<&RawValue>, start: &str| raw::text(id).is_some_and(|id| id.starts_with(start));
        if record.kind.is_some() && has_id(record.message_id, "msg_") {
            self.parts([itself].iter(), None, within, session);
        } else if record.directory.is_some() || (record.role.is_some() && has_id(record.id, "msg_")) {
            self.info(itself, session);
        } else {
            return RecordVerdict::Foreign;
        }
        RecordVerdict::Taken
    }
}

/// A record, for finding the place of what is in it.
#[derive(Clone, Copy)]
struct Within<'a> {
    bytes: &'a [u8],
    place: RecordPlace,
}

const COUNTS: Counts = Counts { adds: &["input", "output", "reasoning", "write"], cached: &[] };

impl OpenCode {
    /// The head of the session or of a message.
    fn info(&mut self, info: &RawValue, session: &mut Builder) -> Option<String> {
        let info: Info<'_> = serde_json::from_str(info.get()).ok()?;
        let id = raw::text(info.id)?.into_owned();
        if info.directory.is_some() {
            head(&info, &id, session);
            return None;
        }
        let role = match &*raw::text(info.role)? {
            "user" => Role::User,
            _ if raw::is_true(info.summary) => Role::Summary,
            _ => Role::Model,
        };
        let time: Time = raw::value(info.time);
        let tokens = info.tokens.map_or(0, |t| COUNTS.new_tokens(t.get()));
        self.writers.insert(id.clone(), Writer { role, at: millis(time.created), tokens });
        Some(id)
    }

    fn message(&mut self, message: &RawValue, within: Within<'_>, session: &mut Builder) {
        let Ok(record) = serde_json::from_str::<Record<'_>>(message.get()) else { return };
        let id = record.info.and_then(|i| self.info(i, session));
        self.parts(record.parts.iter().flatten(), id.as_deref(), within, session);
    }

    fn parts<'a>(
        &self,
        parts: impl Iterator<Item = &'a &'a RawValue>,
        message: Option<&str>,
        within: Within<'_>,
        session: &mut Builder,
    ) {
        for value in parts {
            let Ok(part) = serde_json::from_str::<Part<'_>>(value.get()) else { continue };
            let named = raw::text(part.message);
            let writer = message.or(named.as_deref()).and_then(|m| self.writers.get(m)).copied();
            let place = raw::place_in(within.bytes, within.place, value);
            match &*raw::string(part.kind).unwrap_or_default() {
                "text" => said(&part, writer, place, session),
                "tool" => called(&part, writer, place, session),
                _ => continue,
            }
            // All parts of a step have its time.
            session.spent(writer.map_or(0, |w| w.tokens), |earlier, this| earlier.at == this.at);
        }
    }
}

fn head(info: &Info<'_>, id: &str, session: &mut Builder) {
    let s = &mut session.session;
    id.clone_into(&mut s.id);
    s.cwd = raw::text(info.directory).map(Cow::into_owned);
    s.version = raw::text(info.version).map(Cow::into_owned);
    match raw::text(info.parent) {
        Some(parent) => {
            s.agent = Agent::Sub;
            s.root = parent.into_owned();
        }
        None => id.clone_into(&mut s.root),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "out of range is cut to the ends of time")]
fn millis(time: Option<f64>) -> Option<i64> {
    time.filter(|t| t.is_finite()).map(|t| t as i64)
}

fn said(part: &Part<'_>, writer: Option<Writer>, place: RecordPlace, session: &mut Builder) {
    let (Some(id), Some(text)) = (raw::text(part.id), raw::text(part.text)) else { return };
    let Some(writer) = writer else { return };
    let stamp = Stamp { at: writer.at, place };
    match writer.role {
        Role::Summary => {}
        Role::Model => session.assistant(&id, stamp, &text),
        Role::User if raw::is_true(part.synthetic) || raw::is_true(part.ignored) => {
            session.injected(&text);
            session.user(&id, stamp, Author::Machine, vec![span(Origin::Tool, &text)]);
        }
        // What a subagent is told comes from the agent that called it.
        Role::User if session.session.agent == Agent::Sub => {
            session.user(&id, stamp, Author::Machine, vec![span(Origin::Assistant, &text)]);
        }
        // A prompt of several lines that came by the command line is a program's.
        Role::User if as_command(&text).is_some_and(text::is_long) => {
            session.user(&id, stamp, Author::Machine, vec![span(Origin::Tool, &text)]);
        }
        Role::User => {
            let (author, spans) = text::sent(&as_typed(&text));
            session.user(&id, stamp, author, spans);
        }
    }
}

/// `opencode run` keeps a prompt with spaces in quotes, as a shell would write it, and what it was fed behind it.
fn as_command(text: &str) -> Option<&str> {
    text.trim_end().strip_prefix('"')?.strip_suffix('"')
}

/// What was typed, without such quotes.
fn as_typed(text: &str) -> Cow<'_, str> {
    let Some(inside) = as_command(text) else { return Cow::Borrowed(text) };
    let bare = inside.replace("\\\"", "");
    if bare.contains('"') { Cow::Borrowed(text) } else { Cow::Owned(inside.replace("\\\"", "\"")) }
}

/// Ids of calls come from the model's provider; the short ones are numbers that start from the beginning in every
/// session.
const TELLING_ID: usize = 12;

fn called(part: &Part<'_>, writer: Option<Writer>, place: RecordPlace, session: &mut Builder) {
    let own = raw::text(part.id);
    let Some(id) = raw::text(part.call).filter(|c| c.len() >= TELLING_ID).or(own) else { return };
    let tool = raw::text(part.tool).unwrap_or_default();
    let state: CallState<'_> = raw::value(part.state);
    let time: Time = raw::value(state.time.or(part.time));
    let stamp = Stamp { at: millis(time.start).or(writer.and_then(|w| w.at)), place };
    let kind = kind(&tool);
    let input: Input<'_> = raw::value(state.input);
    let what = what(kind, &input);
    session.call(&id, stamp, &tool, kind, &what);
    match raw::text(input.patch) {
        Some(patch) => session.wrote(&id, &notes::of_patch(&patch)),
        None => session.wrote(&id, &wrote::in_edit(kind, &what, state.input)),
    }
    match &*raw::text(state.status).unwrap_or_default() {
        // This is how the client answers a call of a tool that does not exist.
        "completed" if tool == "invalid" => failed(&id, stamp, &state, session),
        "completed" => completed(&id, kind, &state, session),
        "error" => failed(&id, stamp, &state, session),
        _ => {}
    }
}

fn kind(tool: &str) -> ToolKind {
    match tool {
        "bash" | "shell" => ToolKind::Shell,
        "edit" | "write" | "apply_patch" | "patch" | "multiedit" => ToolKind::Edit,
        "read" | "grep" | "glob" | "list" => ToolKind::Read,
        _ => ToolKind::Other,
    }
}

fn what<'a>(kind: ToolKind, input: &Input<'a>) -> Cow<'a, str> {
    let shown = match kind {
        ToolKind::Shell => raw::text(input.command),
        ToolKind::Edit if input.patch.is_some() => {
            raw::text(input.patch).map(|p| Cow::Owned(text::patched_file(&p).to_owned()))
        }
        _ => raw::text(input.file_path.or(input.path).or(input.pattern)),
    };
    shown.unwrap_or_default()
}

/// How the client ends an output that it cut short.
const NOTES: &[&str] = &["\n\n<bash_metadata>", "\n\n<shell_metadata>", "<bash_metadata>", "<shell_metadata>"];

fn completed(id: &str, kind: ToolKind, state: &CallState<'_>, session: &mut Builder) {
    let shown = raw::text(state.output).unwrap_or_default();
    let metadata: Metadata<'_> = raw::value(state.metadata);
    // What a plugin adds for the model is in the output, not in the metadata.
    let printed = raw::text(metadata.output).filter(|p| kind == ToolKind::Shell && !p.is_empty());
    session.injected(&shown);
    let (output, note) = split_note(printed.as_deref().unwrap_or(&shown));
    let note = note.or(split_note(&shown).1).unwrap_or_default();
    let output = if output == "(no output)" { "" } else { output };
    let code = metadata.exit.and_then(|e| e.get().parse().ok());
    let end = if note.contains("exceeding timeout") || note.contains("timed out") {
        End::TimedOut
    } else if note.contains("aborted") {
        End::Interrupted
    } else {
        End::Normal
    };
    session.result(id, Facts { flag: Some(false), code, end }, output);
}

fn split_note(text: &str) -> (&str, Option<&str>) {
    NOTES.iter().find_map(|n| text.split_once(n)).map_or((text, None), |(before, note)| (before, Some(note)))
}

/// Words of a call that was not carried out.
const DENIED: &[&str] = &["The user rejected permission", "The user has specified a rule which prevents"];

/// What a person wrote when they refused a call stands at the end of the refusal.
const FEEDBACK: &str = "with the following feedback: ";

fn failed(id: &str, stamp: Stamp, state: &CallState<'_>, session: &mut Builder) {
    let error = raw::text(state.error.or(state.output)).unwrap_or_default();
    let metadata: Metadata<'_> = raw::value(state.metadata);
    let end = if DENIED.iter().any(|d| error.starts_with(d)) {
        End::Denied
    } else if raw::is_true(metadata.interrupted) || error.starts_with("Tool execution aborted") {
        End::Interrupted
    } else if error.contains(" was called with invalid arguments") {
        End::Blocked
    } else {
        End::Normal
    };
    session.result(id, Facts { flag: Some(true), code: None, end }, &error);
    if let Some((_, words)) = error.split_once(FEEDBACK).filter(|_| end == End::Denied) {
        session.user(&format!("{id}-feedback"), stamp, Author::Human, text::sent(words).1);
    }
}

#[cfg(test)]
mod tests;
