//! One session → the lines of it that a reader should see: messages with what stands around them, what agents wrote down and
//! found out, failures with what settled them.

use std::collections::HashSet;

use super::again::{self, Asked};
use super::{Block, Excerpt, Line, Told, Unread, Writer, cut, one_line, room};
use crate::detect::signals::Turn;
use crate::detect::{Observation, Seen, WayOut};
use crate::normal::notes::{self, Change};
use crate::reader::score::{WORTH, instructions_of, score};
use crate::session::{Agent, Body, ENVELOPE, Event, Excerpt as Text, Origin, Session};

/// Requests that a session may fill, so that it is never in more than one beyond that.
const SESSION_REQUESTS: usize = 2;
/// What of a session's less promising messages is sent.
const SESSION_ROOM: usize = 4_000; // bytes
/// Messages whose scores say how promising a session is.
const PROMISING: usize = 6;

/// Longest texts that are sent, in bytes: of a message its start and its end, of what stands around it a sentence or two.
const TYPED: (usize, usize) = (700, 300);
const BEFORE: usize = 300;
const AFTER: usize = 200;
const CLOSING: (usize, usize) = (250, 200);
const PASTED: usize = 160;
const CALL: usize = 120;
const WRITTEN: usize = 420;
const FOUND: usize = 260;
/// A command longer than this was made for the moment.
const COMMAND: usize = 200;
/// Failures, changes of instructions and findings that are told of one session.
const FAILURES: usize = 4;
const FILES: usize = 4;
const FINDINGS: usize = 2;

/// What is worth sending of a session; `None` if nothing is.
pub fn excerpt(unread: &Unread<'_>) -> Option<Excerpt> {
    let Unread { session, transcript, from, seen } = *unread;
    let last = session.events.last()?;
    if session.agent == Agent::Sub {
        return None;
    }
    let asked: Vec<Asked> = (from..session.events.len()).filter_map(|at| asked(session, at)).collect();
    let mut blocks = chosen(messages(session, from));
    if blocks.is_empty() && asked.is_empty() {
        return None;
    }
    let mut best: Vec<i32> = blocks.iter().map(|b| b.score).collect();
    best.sort_unstable_by_key(|score| std::cmp::Reverse(*score));
    let promise = best.iter().take(PROMISING).sum();
    if !blocks.is_empty() {
        blocks.extend(failures(session, from, seen));
        blocks.extend(files(session, from));
        let more = closing(session, from).into_iter().chain(findings(session, from));
        let new = more.filter(|b| !blocks.iter().any(|other| says(other, b))).collect::<Vec<_>>();
        blocks.extend(new);
        blocks.sort_by_key(|b| b.place);
    }
    let told = Told {
        transcript: transcript.to_owned(),
        source: session.source.to_string(),
        session: session.id.clone(),
        root: session.root.clone(),
        upto: last.id.clone(),
        at: session.ended(),
    };
    let failed = again::failed(session, from, seen);
    Some(Excerpt { told, blocks, promise, asked, failed })
}

/// Whether one block has all the words of another.
fn says(one: &Block, other: &Block) -> bool {
    let has = |line: &Line| one.lines.iter().any(|l| l.event == line.event || l.text.contains(&line.text));
    other.lines.iter().all(has)
}

/// What was typed at a place, if it may come back.
fn asked(session: &Session, at: usize) -> Option<Asked> {
    let event = &session.events[at];
    let typed = event.human_text().filter(|t| !t.contains(ENVELOPE))?;
    score(session, at)?;
    Asked::new(Line::new(Writer::User, event, cut(&one_line(&typed), again::LINE, 0)))
}

/// The messages of a session that might be worth sending.
fn messages(session: &Session, from: usize) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut said_after = None;
    for at in from..session.events.len() {
        let Some(score) = score(session, at) else { continue };
        let event = &session.events[at];
        let Some(typed) = event.human_text().filter(|t| !t.contains(ENVELOPE)) else { continue };
        let before = agent_before(session, at).filter(|n| said_after != Some(*n));
        let after = agent_after(session, at);
        said_after = after;
        let whole = one_line(&typed);
        let text = cut(&whole, TYPED.0, TYPED.1);
        let alone =
            text == whole && whole == typed.trim() && Turn::at(session, at).is_some_and(|turn| turn.says_only(&typed));
        let mut lines: Vec<Line> = Vec::new();
        lines.extend(before.and_then(|n| agent_line(&session.events[n], 0, BEFORE)));
        lines.push(Line { alone, ..Line::new(Writer::User, event, text) });
        lines.extend(pasted(event));
        lines.extend(after.and_then(|n| agent_line(&session.events[n], AFTER, 0)));
        lines.retain(|l| !l.text.is_empty() && !l.text.contains(ENVELOPE));
        out.push(Block { score, place: at, lines });
    }
    out
}

/// The best of them, as far as there is room for a session.
fn chosen(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.retain(|b| b.score >= 0);
    blocks.sort_by_key(|b| (std::cmp::Reverse(b.score), b.place));
    let mut used = 0;
    let most = SESSION_REQUESTS * room(0);
    blocks.retain(|b| {
        let limit = if b.score >= WORTH { most } else { SESSION_ROOM };
        let fits = used + b.len() <= limit;
        used += if fits { b.len() } else { 0 };
        fits
    });
    blocks
}

fn agent_before(session: &Session, at: usize) -> Option<usize> {
    let near = |n: &usize| !session.events[*n].is_typed();
    (0..at).rev().take_while(near).find(|n| said(&session.events[*n]).is_some())
}

/// The end of what the agent had said before a message; nothing if it had said nothing.
pub(in crate::reader) fn said_before(session: &Session, at: usize, most: usize) -> String {
    let line = agent_before(session, at).and_then(|n| agent_line(&session.events[n], 0, most));
    line.map(|l| l.text).filter(|t| !t.contains(ENVELOPE)).unwrap_or_default()
}

fn agent_after(session: &Session, at: usize) -> Option<usize> {
    let near = |n: &usize| !session.events[*n].is_typed();
    (at + 1..session.events.len()).take_while(near).find(|n| said(&session.events[*n]).is_some())
}

fn said(event: &Event) -> Option<&Text> {
    match &event.body {
        Body::Assistant { text } if !text.head().trim().is_empty() => Some(text),
        _ => None,
    }
}

fn agent_line(event: &Event, head: usize, tail: usize) -> Option<Line> {
    Some(Line::new(Writer::Agent, event, cut(&one_line(&said(event)?.to_text()), head, tail)))
}

fn pasted(event: &Event) -> Option<Line> {
    let Body::User { spans, .. } = &event.body else { return None };
    let other = spans.iter().find(|s| s.origin != Origin::User && !s.text.is_empty())?;
    Some(Line::new(Writer::Pasted, event, cut(&one_line(other.text.head()), PASTED, 0)))
}

/// What the agent said last: there it sums up what it did and found.
fn closing(session: &Session, from: usize) -> Option<Block> {
    let at = agent_before(session, session.events.len()).filter(|at| *at >= from)?;
    let line = agent_line(&session.events[at], CLOSING.0, CLOSING.1)?;
    let says = line.text.len() >= SUMS_UP && !line.text.contains(ENVELOPE);
    says.then(|| Block { score: 0, place: at, lines: vec![line] })
}

/// A shorter text only says that it is done.
const SUMS_UP: usize = 60; // bytes

/// Sentences with which agents tell what they found out.
fn findings(session: &Session, from: usize) -> Vec<Block> {
    let mut out = Vec::new();
    for (at, event) in session.events.iter().enumerate().skip(from) {
        let Some(text) = said(event).map(Text::to_text) else { continue };
        let lower = text.to_lowercase();
        let Some(cue) = FOUND_OUT.iter().filter_map(|cue| lower.find(cue)).min() else { continue };
        // Small letters may be longer than the letters they stand for.
        let cue = text.floor_char_boundary(cue.min(text.len()));
        let start = text[..cue].rfind(['\n', '.']).map_or(0, |n| n + 1);
        let sentence = text[start..].trim_start().split("\n\n").next().unwrap_or_default();
        let found = cut(&one_line(sentence), FOUND, 0);
        if !found.contains(ENVELOPE) && out.len() < FINDINGS {
            out.push(Block { score: 0, place: at, lines: vec![Line::new(Writer::Agent, event, found)] });
        }
    }
    out
}

/// What stands in such sentences.
const FOUND_OUT: &[&str] = &[
    "root cause",
    "turns out",
    "the culprit",
    "the real problem",
    "the real issue",
    "the actual problem",
    "the actual issue",
    "the reason is",
    "the reason was",
    "known issue",
    "known limitation",
    "flaky",
];

/// Failures with what got past them, by family.
fn failures(session: &Session, from: usize, seen: &[Observation]) -> Vec<Block> {
    let mut told = HashSet::new();
    let mut out = Vec::new();
    for o in seen {
        let (failed, worked, cost) = match &o.seen {
            Seen::Met(met) => {
                let Some(way) = way_out(&met.way) else { continue };
                (again::failure(met), way, again::cost(met))
            }
            Seen::Fix(fix) if o.claim.commands.len() > 1 => {
                let Some(error) = &fix.error else { continue };
                (format!("failed: {}: {error}", o.claim.commands[0]), o.claim.commands[1..].join("; "), 0)
            }
            _ => continue,
        };
        let Some(at) = o.head.events.first().and_then(|id| place(session, from, id)) else { continue };
        if out.len() == FAILURES || worked.len() > COMMAND || !told.insert(worked.clone()) {
            continue;
        }
        let line = |writer, text: &str| {
            let text = cut(&one_line(text), CALL, CALL / 2);
            Line { cost, ..Line::new(writer, &session.events[at], text) }
        };
        let lines = vec![line(Writer::Tool, &failed), line(Writer::Agent, &format!("then worked: {worked}"))];
        out.push(Block { score: 0, place: at, lines });
    }
    out
}

/// The place of an event that was not read yet.
pub(super) fn place(session: &Session, from: usize, id: &str) -> Option<usize> {
    session.events.iter().position(|e| e.id == id).filter(|at| *at >= from)
}

/// What got past a failure, if that can be told.
pub(super) fn way_out(way: &WayOut) -> Option<String> {
    match way {
        WayOut::Instead { run, .. } => Some(run.clone()),
        WayOut::After(via) => Some(format!("the same after {}", via.join("; "))),
        WayOut::Path(path) => Some(path.clone()),
        WayOut::None | WayOut::Again | WayOut::Edited => None,
    }
}

/// What was written into files that tell agents how to work.
fn files(session: &Session, from: usize) -> Vec<Block> {
    let mut told = HashSet::new();
    let mut out = Vec::new();
    for (at, event) in session.events.iter().enumerate().skip(from) {
        for text in written(event) {
            let text = cut(&one_line(&text), WRITTEN, 0);
            if out.len() < FILES && !text.contains(ENVELOPE) && told.insert(text.clone()) {
                let writer = if text.starts_with(WROTE) { Writer::Agent } else { Writer::Tool };
                out.push(Block { score: 0, place: at, lines: vec![Line::new(writer, event, text)] });
            }
        }
    }
    out
}

const WROTE: &str = "wrote into ";

/// What an event wrote into such files, with their names; the name alone where the words are not known.
fn written(event: &Event) -> Vec<String> {
    let Some(call) = event.call() else { return Vec::new() };
    let patch = match (&call.written, call.command()) {
        (Some(kept), _) => kept.clone(),
        (None, Some(line)) => notes::of_shell(line),
        (None, None) => String::new(),
    };
    let changes = Change::all(&patch).into_iter().filter(|c| notes::place_of(&c.path).is_some());
    let words = changes.filter(|c| !c.added.trim().is_empty());
    let told: Vec<String> = words.map(|c| format!("{WROTE}{}: {}", notes::shown(&c.path), c.added)).collect();
    match instructions_of(event) {
        Some(name) if told.is_empty() => vec![format!("the agent changed {name}")],
        _ => told,
    }
}
