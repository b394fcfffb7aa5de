//! The `exec` tool: its script and its outputs → one event for each call in the script.
//!
//! The first call of a script has the id of the record, the others that id with `#2`, `#3` and so on; all stand at the
//! byte of the record. A script without calls is one event. What is needed to understand an output that is still to come
//! is kept with the first event: reading may go on another day.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::build::{Builder, Stamp};
use super::super::text;
use super::frame::running_number;
use super::script::{self, Portion, Print, Told, parts_told};
use super::wire::Words;
use super::{Codex, command_line, facts, is_shell};
use crate::failure::outcome::{End, Facts};
use crate::normal::notes;
use crate::session::{COMMAND_LIMIT, Outcome, ToolKind};

/// What a later record will need.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pending {
    /// The script it belongs to as the first call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    script: Option<Plan>,
    /// The number under which the command goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
}

/// What is expected of a script.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Plan {
    /// The number under which it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cell: Option<String>,
    /// Seconds after which each call comes back although its command runs.
    patience: Vec<f64>,
    /// What it still prints; `None` if that cannot be said.
    prints: Option<Vec<Print>>,
}

impl Pending {
    pub(super) fn of(session: &Builder, id: &str) -> Option<Self> {
        session.call_of(id)?.pending.as_deref().and_then(Self::parse)
    }

    pub(super) fn parse(kept: &str) -> Option<Self> {
        serde_json::from_str(kept).ok()
    }

    pub(super) fn cell(&self) -> Option<&str> {
        self.script.as_ref()?.cell.as_deref()
    }

    fn keep(self, session: &mut Builder, id: &str) {
        let Some(call) = session.call_mut(id) else { return };
        let empty = self.script.is_none() && self.session.is_none();
        call.pending = (!empty).then(|| serde_json::to_string(&self).unwrap_or_default());
    }
}

/// How an output begins.
struct Frame {
    state: State,
    seconds: Option<f64>,
}

enum State {
    Completed,
    Failed,
    Terminated,
    Running(String),
}

impl Frame {
    fn read(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let first = lines.next()?.strip_prefix("Script ")?;
        let state = match first.split(' ').next()? {
            "completed" => State::Completed,
            "failed" => State::Failed,
            "running" => State::Running(running_number(head)?.to_owned()),
            "terminated" => State::Terminated,
            _ => return None,
        };
        let seconds = lines.find_map(|l| l.strip_prefix("Wall time ")?.split(' ').next()?.parse().ok());
        Some(Self { state, seconds })
    }
}

/// The id of a call in a script.
fn inner_id(id: &str, n: usize) -> String {
    if n == 0 { id.to_owned() } else { format!("{id}#{}", n + 1) }
}

/// Events in which the call of an end is looked for.
const OPEN_CALLS: usize = 64;
/// Seconds after which a command comes back if the script does not say.
const PATIENCE: f64 = 10.0;

/// A call of `exec`: one event for each call in its script.
pub(super) fn call(codex: &mut Codex, id: &str, stamp: Stamp, source: &str, session: &mut Builder) {
    if session.call_of(id).is_some() {
        return;
    }
    let (calls, prints) = script::read(source);
    if calls.is_empty() {
        session.call(id, stamp, "exec", ToolKind::Other, "");
    }
    for (n, call) in calls.iter().enumerate() {
        inner_call(codex, &inner_id(id, n), stamp, call, session);
    }
    let patience = calls.iter().map(|c| c.patience.map_or(PATIENCE, |ms| ms / 1000.0)).collect();
    let mut plan = Plan { cell: None, patience, prints: Some(prints) };
    // What would be cut could not be read again.
    if serde_json::to_string(&plan).is_ok_and(|kept| kept.len() > COMMAND_LIMIT) {
        plan.prints = None;
    }
    Pending { script: Some(plan), session: None }.keep(session, id);
}

fn inner_call(codex: &mut Codex, id: &str, stamp: Stamp, call: &script::Call, session: &mut Builder) {
    let input = call.input.as_deref().unwrap_or_default();
    match call.tool.as_str() {
        "write_stdin" => codex.poll(id, stamp, "write_stdin", call.session.as_deref().unwrap_or_default(), session),
        tool if is_shell(tool) => session.call(id, stamp, tool, ToolKind::Shell, input),
        "apply_patch" => {
            session.call(id, stamp, "apply_patch", ToolKind::Edit, text::patched_file(input));
            session.wrote(id, &notes::of_patch(input));
        }
        "view_image" => session.call(id, stamp, "view_image", ToolKind::Read, input),
        tool => session.call(id, stamp, tool, ToolKind::Other, ""),
    }
    if let Some(folder) = &call.folder {
        session.runs_in(id, folder);
    }
}

/// An output of the script whose first call has this id: that of `exec`, or one of a `wait` for it. `false` if nothing is
/// expected, for example because the same output was read before.
pub(super) fn output(codex: &mut Codex, id: &str, parts: &[Cow<'_, str>], session: &mut Builder) -> bool {
    let Some(mut pending) = Pending::of(session, id) else { return false };
    let Some(mut plan) = pending.script.take() else { return false };
    let parts: Vec<&str> = parts.iter().map(|p| &**p).collect();
    let (head, printed) = parts.split_first().map_or(("", &[][..]), |(head, rest)| (*head, rest));
    let Some(frame) = Frame::read(head) else {
        pending.keep(session, id);
        not_run(id, plan.patience.len(), &parts, session);
        return true;
    };
    let (printed, error) = match printed.split_last() {
        Some((last, before)) if last.starts_with("Script error:") => (before, Some(*last)),
        _ => (printed, None),
    };
    let waited = plan.cell.is_some();
    let all_told = told(&mut plan, printed, &frame);
    for (n, told) in all_told.iter().enumerate() {
        let quick = !waited && frame.seconds.is_some_and(|s| s < plan.patience[n]);
        let seconds = told.seconds.or(frame.seconds.filter(|_| !waited && plan.patience.len() == 1));
        Heard { told, quick, seconds }.settle(codex, &inner_id(id, n), session);
    }
    let mut pending = Pending::of(session, id).unwrap_or_default();
    if let State::Running(cell) = &frame.state {
        codex.cells.insert(cell.clone(), id.to_owned());
        plan.cell = Some(cell.clone());
        pending.script = Some(plan.clone());
    } else {
        pending.script = None;
    }
    pending.keep(session, id);
    let heard = |n: usize| all_told.get(n).is_some_and(|t| *t != Told::default());
    let open = (0..plan.patience.len().max(1)).map(|n| (inner_id(id, n), heard(n))).filter(|(id, heard)| {
        let call = session.call_of(id).filter(|c| c.output.is_empty());
        call.is_some_and(|c| c.outcome == Outcome::Unknown || (c.outcome == Outcome::Background && !heard))
    });
    let open: Vec<String> = open.map(|(id, _)| id).collect();
    Rest { frame: &frame, error, head, printed, alone: plan.patience.len() <= 1 }.settle(&open, session);
    true
}

/// What the printed texts tell of each call; the prints that they were are taken off the plan.
fn told(plan: &mut Plan, printed: &[&str], frame: &Frame) -> Vec<Told> {
    let mut told = vec![Told::default(); plan.patience.len()];
    let portion = if matches!(frame.state, State::Completed) { Portion::Last } else { Portion::Some };
    let used = plan.prints.as_ref().and_then(|prints| parts_told(prints, printed, portion, &mut told));
    plan.prints = plan.prints.take().zip(used).map(|(mut prints, used)| prints.split_off(used));
    if used.is_none()
        && let [only] = &mut told[..]
    {
        only.printed_somehow(printed);
    }
    told
}

/// What was heard of one call.
struct Heard<'t> {
    told: &'t Told,
    /// The script ended before the command could have been left running.
    quick: bool,
    seconds: Option<f64>,
}

impl Heard<'_> {
    fn settle(&self, codex: &mut Codex, id: &str, session: &mut Builder) {
        let Some(call) = session.call_of(id) else { return };
        let (kind, tool, number) = (call.kind, call.tool.clone(), call.input.clone());
        let known = match call.outcome {
            Outcome::Failed(code) if call.output.is_empty() => code,
            Outcome::Ok if call.output.is_empty() => Some(0),
            Outcome::Unknown | Outcome::Background => None,
            _ => return, // told before
        };
        if *self.told == Told::default() {
            return;
        }
        if let Some(seconds) = self.seconds {
            session.took(id, seconds);
        }
        let output = self.told.output.as_deref().unwrap_or_default();
        let code = self.told.code.or(known);
        let goes_on = code.is_none() && (self.told.session.is_some() || self.told.without_code);
        let end = if goes_on { End::Background } else { End::Normal };
        let facts = Facts { flag: Some(failed(output)), code, end };
        if tool == "write_stdin" {
            return self.polled(codex, id, &number, facts, session);
        }
        if kind != ToolKind::Shell {
            return session.result(id, Facts { end: End::Normal, code: None, ..facts }, output);
        }
        if code.is_some() || goes_on {
            session.result(id, facts, output);
        } else if self.quick {
            session.result_without_code(id, output);
        } else {
            session.printed(id, output);
        }
        if goes_on && let Some(number) = &self.told.session {
            codex.running.insert(number.clone(), id.to_owned());
            let pending = Pending::of(session, id).unwrap_or_default();
            Pending { session: Some(number.clone()), ..pending }.keep(session, id);
        }
    }

    /// A look at a running command tells of that command.
    fn polled(&self, codex: &mut Codex, id: &str, number: &str, facts: Facts, session: &mut Builder) {
        let output = self.told.output.as_deref().unwrap_or_default();
        if facts.code.is_none() && facts.end == End::Normal {
            return session.printed(id, output);
        }
        session.result(id, facts, output);
        let Some(command) = codex.polls.get(id).or_else(|| codex.running.get(number)).cloned() else { return };
        if let Some(seconds) = self.told.seconds {
            session.took(&command, seconds);
        }
        if facts.end == End::Normal {
            codex.ended(&command, facts, output, session);
        } else {
            session.printed_more(&command, output);
        }
    }
}

/// The command of this call came to its end: nothing has to be remembered for that any more.
pub(super) fn no_longer_runs(id: &str, session: &mut Builder) {
    if let Some(pending) = Pending::of(session, id).filter(|p| p.session.is_some()) {
        Pending { session: None, ..pending }.keep(session, id);
    }
}

/// The call in a script that runs this command, if there is just one: its end may come in a record of its own, under a
/// number that the script does not know.
pub(super) fn running(command: Option<&RawValue>, session: &Builder) -> Option<String> {
    let line = match serde_json::from_str(command?.get()).ok()? {
        Words::Line(line) => line,
        Words::List(words) => command_line(&words),
    };
    let open = session.session.events.iter().rev().take(OPEN_CALLS).filter(|e| {
        let waits = |o| matches!(o, Outcome::Unknown | Outcome::Background);
        e.shell().is_some_and(|(call, command)| command == line && waits(call.outcome))
    });
    let ids: Vec<&String> = open.map(|e| &e.id).collect();
    if let [only] = ids[..] { Some(only.clone()) } else { None }
}

/// Whether a tool's answer is its own word for a failure.
fn failed(output: &str) -> bool {
    output.starts_with("tool call error")
        || output.starts_with("{\"content\":[{\"type\":\"text\",\"text\":\"tool call error")
}

/// What an output says beside the texts that tell of calls.
struct Rest<'o> {
    frame: &'o Frame,
    error: Option<&'o str>,
    head: &'o str,
    printed: &'o [&'o str],
    /// The script makes one call, or none.
    alone: bool,
}

impl Rest<'_> {
    /// Says of calls of which nothing was told what can be said.
    fn settle(&self, open: &[String], session: &mut Builder) {
        for id in open {
            let shell = session.kind_of(id) == Some(ToolKind::Shell);
            let ended = |end| Facts { end, ..Facts::default() };
            match &self.frame.state {
                State::Running(_) => session.result(id, ended(End::Background), ""),
                State::Terminated => session.result(id, ended(End::Interrupted), self.head.trim_end()),
                State::Failed if open.len() == 1 => self.failed(id, session),
                State::Completed if !shell && self.alone => {
                    session.result(id, Facts { flag: Some(false), ..Facts::default() }, &self.printed.join("\n"));
                }
                State::Completed | State::Failed => session.printed(id, self.error.unwrap_or(self.head).trim_end()),
            }
        }
    }

    /// The only call that is open is the one that ended the script.
    fn failed(&self, id: &str, session: &mut Builder) {
        let said = self.error.unwrap_or(self.head).trim_start_matches("Script error:").trim_start();
        let (facts, said) = facts(None, said);
        session.result(id, Facts { flag: Some(true), ..facts }, &said);
    }
}

/// An output without a frame: the script was refused, stopped or not understood.
fn not_run(id: &str, calls: usize, parts: &[&str], session: &mut Builder) {
    let said = parts.join("\n");
    let (facts, printed) = facts(None, &said);
    let known = facts.end != End::Normal || facts.flag == Some(true);
    for n in 0..calls.max(1) {
        let one = inner_id(id, n);
        if known { session.result(&one, facts, &printed) } else { session.printed(&one, &printed) }
    }
    if let Some(call) = session.call_mut(id) {
        call.pending = None;
    }
}
