//! Sessions → requests: the few lines of each that a reader should see, in as many requests as they need.
//!
//! Comes in: a session as it is kept, from the first event that was not read yet, and what was seen in it. Goes out: an
//! [`Excerpt`] of it, then [`Request`]s of at most [`REQUEST`] tokens, most promising sessions first. What is sent is
//! redacted once more, and every line is a span with an id and its writer: answers are checked against these.
//! Deliberately absent: whole outputs of tools. Of those, only the line that tells of an error is sent.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::answer::SCHEMA;
use super::score::{WORTH, instructions_of, score};
use crate::detect::signals::Turn;
use crate::detect::{Observation, Seen, WayOut};
use crate::redact::{clean, spelled_out};
use crate::session::{Agent, Body, ENVELOPE, Event, Excerpt as Text, Origin, Session};

/// Most tokens of a request, the schema of its answer included.
pub const REQUEST: usize = 6_000;
/// Bytes counted as a token.
const TOKEN: usize = 4;
/// Requests that a session may fill, so that it is never in more than one beyond that.
const SESSION_REQUESTS: usize = 2;
/// What of a session's less promising messages is sent.
const SESSION_ROOM: usize = 3_000; // bytes
/// Of a request, what may be spent on lessons that exist.
const KNOWN_ROOM: usize = 3_600; // bytes

/// Longest texts that are sent, in bytes: of a message its start and its end, of what stands around it a line.
const TYPED: (usize, usize) = (500, 200);
const BEFORE: usize = 180;
const AFTER: usize = 140;
const PASTED: usize = 120;
const CALL: usize = 120;
/// A command longer than this was made for the moment.
const COMMAND: usize = 200;
/// Failures and files of instructions that are told of one session.
const FAILURES: usize = 3;
const FILES: usize = 2;

/// What is asked of every reader.
const INSTRUCTIONS: &str = include_str!("prompt.md");

/// About how many tokens a text is.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(TOKEN)
}

/// Who wrote a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Writer {
    /// The person, by hand.
    User,
    /// The person put it in; it may be anybody's.
    Pasted,
    /// The agent.
    Agent,
    /// A program.
    Tool,
}

impl Writer {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Pasted => "pasted",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }

    /// The origin of its bytes.
    pub fn origin(self) -> Origin {
        match self {
            Self::User => Origin::User,
            Self::Agent => Origin::Assistant,
            Self::Pasted | Self::Tool => Origin::Tool,
        }
    }
}

/// A session of which something is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its transcript.
    pub transcript: String,
    /// The source that wrote it.
    pub source: String,
    /// Its id.
    pub session: String,
    /// The session it counts as.
    pub root: String,
    /// Its last event: so far it is read.
    pub upto: String,
    /// When that was.
    pub at: Option<i64>,
}

/// A line that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its id in the request.
    pub id: String,
    /// Who wrote it.
    pub writer: Writer,
    /// Which of the request's sessions it is of.
    pub session: usize,
    /// The event it is of.
    pub event: String,
    /// When that was.
    pub at: Option<i64>,
    /// As it is sent.
    pub text: String,
    /// Whether it is all that a message says, typed in one go.
    pub alone: bool,
}

/// A lesson that exists, as it is told to the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The lesson's own id.
    pub lesson: String,
    /// What it says.
    pub statement: String,
}

/// What is asked in one go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// A hash of what is sent.
    pub id: String,
    /// The project it is about.
    pub project: String,
    /// All that is sent.
    pub prompt: String,
    /// Its sessions.
    pub sessions: Vec<Told>,
    /// Its lines.
    pub spans: Vec<Span>,
    /// The lessons it names.
    pub known: Vec<Known>,
    /// Which of its sessions are read once it is answered: the others go on in the next request.
    pub ends: Vec<usize>,
    /// How promising its best session is.
    pub promise: i32,
}

/// A session that was not read, or has grown since.
pub struct Unread<'s> {
    /// The session.
    pub session: &'s Session,
    /// Its transcript.
    pub transcript: &'s str,
    /// Its first event that was not read.
    pub from: usize,
    /// What detectors saw in it.
    pub seen: &'s [Observation],
}

/// What is worth sending of one session.
#[derive(Clone, Debug)]
pub struct Excerpt {
    told: Told,
    blocks: Vec<Block>,
    promise: i32,
}

/// Lines that belong together: a message with what stands around it, or a failure with what settled it.
#[derive(Clone, Debug)]
struct Block {
    score: i32,
    /// Where in the session.
    place: usize,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    writer: Writer,
    event: String,
    at: Option<i64>,
    text: String,
    alone: bool,
}

impl Block {
    fn len(&self) -> usize {
        self.lines.iter().map(|l| l.text.len() + LINE).sum::<usize>()
    }

    /// What tells it from the same lines in a fork.
    fn key(&self) -> Option<&str> {
        self.lines.iter().find(|l| l.writer == Writer::User).map(|l| l.event.as_str())
    }
}

/// Bytes of a line beside its text: id, writer, line end.
const LINE: usize = 14;
/// Bytes of the line that opens a session.
const HEADING: usize = 60;

/// What is worth sending of a session; `None` if nothing is.
pub fn excerpt(unread: &Unread<'_>) -> Option<Excerpt> {
    let Unread { session, transcript, from, seen } = *unread;
    let last = session.events.last()?;
    if session.agent == Agent::Sub {
        return None;
    }
    let mut blocks = chosen(messages(session, from));
    if blocks.is_empty() {
        return None;
    }
    let mut best: Vec<i32> = blocks.iter().map(|b| b.score).collect();
    best.sort_unstable_by_key(|score| std::cmp::Reverse(*score));
    let promise = best.iter().take(PROMISING).sum();
    blocks.extend(failures(session, from, seen));
    blocks.extend(files(session, from));
    blocks.sort_by_key(|b| b.place);
    let told = Told {
        transcript: transcript.to_owned(),
        source: session.source.to_string(),
        session: session.id.clone(),
        root: session.root.clone(),
        upto: last.id.clone(),
        at: session.ended(),
    };
    Some(Excerpt { told, blocks, promise })
}

/// Messages whose scores say how promising a session is.
const PROMISING: usize = 6;

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
        lines.extend(before.and_then(|n| agent_line(&session.events[n], |t| cut(t, 0, BEFORE))));
        lines.push(Line { writer: Writer::User, event: event.id.clone(), at: event.at, text, alone });
        lines.extend(pasted(event));
        lines.extend(after.and_then(|n| agent_line(&session.events[n], |t| cut(t, AFTER, 0))));
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

fn agent_line(event: &Event, cut: impl Fn(&str) -> String) -> Option<Line> {
    let text = cut(&one_line(&said(event)?.to_text()));
    Some(Line { writer: Writer::Agent, event: event.id.clone(), at: event.at, text, alone: false })
}

fn pasted(event: &Event) -> Option<Line> {
    let Body::User { spans, .. } = &event.body else { return None };
    let other = spans.iter().find(|s| s.origin != Origin::User && !s.text.is_empty())?;
    let text = cut(&one_line(other.text.head()), PASTED, 0);
    Some(Line { writer: Writer::Pasted, event: event.id.clone(), at: event.at, text, alone: false })
}

/// Failures with what got past them, by family.
fn failures(session: &Session, from: usize, seen: &[Observation]) -> Vec<Block> {
    let place = |id: &String| session.events.iter().position(|e| e.id == *id).filter(|at| *at >= from);
    let mut told = HashSet::new();
    let mut out = Vec::new();
    for o in seen {
        let (failed, worked) = match &o.seen {
            Seen::Met(met) => {
                let Some(way) = way_out(&met.way) else { continue };
                (format!("{}: {}: {}", met.family.as_str().replace('_', " "), met.tried, met.error), way)
            }
            Seen::Fix(fix) if o.claim.commands.len() > 1 => {
                let Some(error) = &fix.error else { continue };
                (format!("failed: {}: {error}", o.claim.commands[0]), o.claim.commands[1..].join("; "))
            }
            _ => continue,
        };
        let Some(at) = o.head.events.first().and_then(place) else { continue };
        if out.len() == FAILURES || worked.len() > COMMAND || !told.insert(worked.clone()) {
            continue;
        }
        let line = |writer, text: &str| Line {
            writer,
            event: session.events[at].id.clone(),
            at: session.events[at].at,
            text: cut(&one_line(text), CALL, CALL / 2),
            alone: false,
        };
        let lines = vec![line(Writer::Tool, &failed), line(Writer::Agent, &format!("then worked: {worked}"))];
        out.push(Block { score: 0, place: at, lines });
    }
    out
}

/// What got past a failure, if that can be told.
fn way_out(way: &WayOut) -> Option<String> {
    match way {
        WayOut::Instead { run, .. } => Some(run.clone()),
        WayOut::After(via) => Some(format!("the same after {}", via.join("; "))),
        WayOut::Path(path) => Some(path.clone()),
        WayOut::None | WayOut::Again | WayOut::Edited => None,
    }
}

/// Files of instructions that were changed.
fn files(session: &Session, from: usize) -> Vec<Block> {
    let mut told = HashSet::new();
    let changed = session.events.iter().enumerate().skip(from).filter_map(|(at, e)| Some((at, e, instructions_of(e)?)));
    let new = changed.filter(|(_, _, name)| told.insert(*name));
    new.take(FILES)
        .map(|(at, event, name)| {
            let text = format!("the agent changed {name}");
            let line = Line { writer: Writer::Tool, event: event.id.clone(), at: event.at, text, alone: false };
            Block { score: 0, place: at, lines: vec![line] }
        })
        .collect()
}

/// Without secrets, on one line, without characters that cannot be seen.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    spelled_out(&clean(&text))
}

/// The start and the end of a text, with a mark between them if that is not all.
fn cut(text: &str, head: usize, tail: usize) -> String {
    if text.len() <= head + tail + CUT.len() {
        return text.to_owned();
    }
    let start = &text[..text.floor_char_boundary(head)];
    let end = &text[text.ceil_char_boundary(text.len() - tail)..];
    // Whole words only.
    let start = start.rsplit_once(' ').map_or(start, |(whole, _)| whole);
    let end = end.split_once(' ').map_or(end, |(_, whole)| whole);
    format!("{start}{CUT}{end}").trim().to_owned()
}

const CUT: &str = " […] ";

/// Bytes for lines in a request that names lessons of this length.
fn room(known: usize) -> usize {
    // Some for the lines that open the parts.
    (REQUEST * TOKEN).saturating_sub(INSTRUCTIONS.len() + SCHEMA.len() + known + 400)
}

/// Requests for the excerpts of one project, most promising first, and sessions that say nothing new. The same excerpts
/// give the same requests.
pub fn requests(project: &str, mut excerpts: Vec<Excerpt>, known: &[Known]) -> (Vec<Request>, Vec<Told>) {
    excerpts.sort_by(|a, b| (b.promise, &b.told.at, &b.told.session).cmp(&(a.promise, &a.told.at, &a.told.session)));
    let known = fitting(known);
    let list = list_of(&known);
    let room = room(list.len());
    let mut sent = HashSet::new();
    let mut parts: Vec<Vec<Part>> = vec![Vec::new()];
    let mut nothing = Vec::new();
    let mut used = 0;
    for excerpt in excerpts {
        // A fork tells again what its root told.
        let blocks: Vec<Block> =
            excerpt.blocks.into_iter().filter(|b| b.key().is_none_or(|key| sent.insert(key.to_owned()))).collect();
        if !blocks.iter().any(|b| b.key().is_some()) {
            nothing.push(excerpt.told);
            continue;
        }
        let promise = excerpt.promise;
        let mut part = Part { told: excerpt.told, blocks: Vec::new(), ends: true, promise };
        for block in blocks {
            let opening = if part.blocks.is_empty() { HEADING } else { 0 };
            if used + opening + block.len() > room && used > 0 {
                let rest = Part { told: part.told.clone(), blocks: Vec::new(), ends: true, promise };
                let full = Part { ends: false, ..std::mem::replace(&mut part, rest) };
                push(&mut parts, full);
                parts.push(Vec::new());
                used = 0;
            }
            used += block.len() + if part.blocks.is_empty() { HEADING } else { 0 };
            part.blocks.push(block);
        }
        push(&mut parts, part);
    }
    parts.retain(|p| !p.is_empty());
    (parts.into_iter().map(|p| request(project, p, &known, &list)).collect(), nothing)
}

/// What of a session is in one request.
struct Part {
    told: Told,
    blocks: Vec<Block>,
    ends: bool,
    promise: i32,
}

fn push(parts: &mut [Vec<Part>], part: Part) {
    if let Some(last) = parts.last_mut().filter(|_| !part.blocks.is_empty()) {
        last.push(part);
    }
}

/// As many lessons as there is room for.
fn fitting(known: &[Known]) -> Vec<Known> {
    let mut used = 0;
    let mut out = Vec::new();
    for lesson in known {
        let statement = cut(&one_line(&lesson.statement), 200, 0);
        used += statement.len() + LINE;
        if used > KNOWN_ROOM {
            break;
        }
        out.push(Known { lesson: lesson.lesson.clone(), statement });
    }
    out
}

fn list_of(known: &[Known]) -> String {
    let lines = known.iter().zip(1..).map(|(k, n): (_, usize)| format!("K{n} {}\n", k.statement));
    let list: String = lines.collect();
    if list.is_empty() { list } else { format!("\nKnown lessons:\n{list}") }
}

fn request(project: &str, parts: Vec<Part>, known: &[Known], list: &str) -> Request {
    let (mut sessions, mut spans, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut prompt = format!("{INSTRUCTIONS}{list}");
    let promise = parts.iter().map(|p| p.promise).max().unwrap_or(0);
    for part in parts {
        let number = sessions.len();
        let day = part.told.at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let day = day.map(|t| t.strftime(", %Y-%m-%d").to_string()).unwrap_or_default();
        prompt.push_str(&format!("\nSession {} ({}{day}):\n", number + 1, part.told.source));
        for line in part.blocks.into_iter().flat_map(|b| b.lines) {
            let letter = &line.writer.as_str()[..1];
            let id = format!("{letter}{}", spans.len() + 1);
            prompt.push_str(&format!("{id} {}: {}\n", line.writer.as_str(), line.text));
            let Line { writer, event, at, text, alone } = line;
            spans.push(Span { id, writer, session: number, event, at, text, alone });
        }
        if part.ends {
            ends.push(number);
        }
        sessions.push(part.told);
    }
    let id = format!("read-{}", &blake3::hash(prompt.as_bytes()).to_hex()[..16]);
    Request { id, project: project.to_owned(), prompt, sessions, spans, known: known.to_vec(), ends, promise }
}

#[cfg(test)]
mod tests;
