//! Sessions → requests: the few lines of each that a reader should see, in as many requests as they need.
//!
//! Comes in: a session as it is kept, from the first event that was not read yet, and what was seen in it. Goes out: an
//! [`Excerpt`] of it, then [`Request`]s of at most [`REQUEST`] tokens, most promising sessions first. What is sent is
//! redacted once more, and every line is a span with an id and its writer: answers are checked against these.
//! Deliberately absent: whole outputs of tools. Of those, only the line that tells of an error is sent.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::VERSION;
use super::answer::SCHEMA;
use crate::detect::Observation;
use crate::redact::{clean, spelled_out};
use crate::session::{Event, Origin, Session};

mod again;
pub(super) mod excerpt;

pub use excerpt::excerpt;

use again::{Asked, Failed, Group};

/// Most tokens of a request, the schema of its answer included.
pub const REQUEST: usize = 6_000;
/// Bytes counted as a token.
const TOKEN: usize = 4;
/// Of a request, what may be spent on lessons that exist.
const KNOWN_ROOM: usize = 3_600; // bytes

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
    /// Tokens that the failure it tells of cost.
    #[serde(default)]
    pub cost: u64,
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
    /// What its answer is read as: one that was asked by another release is asked anew.
    #[serde(default)]
    pub version: u32,
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
    /// All that was typed in it, and the ways in which calls failed: what comes back is told apart.
    asked: Vec<Asked>,
    failed: Vec<Failed>,
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
    cost: u64,
}

impl Line {
    fn new(writer: Writer, event: &Event, text: String) -> Self {
        Self { writer, event: event.id.clone(), at: event.at, text, alone: false, cost: 0 }
    }

    fn len(&self) -> usize {
        self.text.len() + LINE
    }
}

impl Block {
    fn len(&self) -> usize {
        self.lines.iter().map(Line::len).sum::<usize>()
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

/// Without secrets, on one line, without characters that cannot be seen.
pub fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    spelled_out(&clean(&text))
}

/// The start and the end of a text, with a mark between them if that is not all.
pub fn cut(text: &str, head: usize, tail: usize) -> String {
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
    let again = again::groups(&excerpts);
    let mut sent = HashSet::new();
    let mut parts: Vec<Vec<Part>> = vec![Vec::new()];
    let mut nothing = Vec::new();
    // What came back stands in the first request.
    let mut used = again.iter().map(Group::len).sum();
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
    let again = std::iter::once(again).chain(std::iter::repeat_with(Vec::new));
    (parts.into_iter().zip(again).map(|(p, again)| request(project, p, again, &known, &list)).collect(), nothing)
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

fn request(project: &str, parts: Vec<Part>, again: Vec<Group>, known: &[Known], list: &str) -> Request {
    let (mut sessions, mut spans, mut ends): (Vec<Told>, Vec<Span>, Vec<usize>) = Default::default();
    let mut prompt = format!("{INSTRUCTIONS}{list}");
    let promise = parts.iter().map(|p| p.promise).max().unwrap_or(0);
    for part in parts {
        let number = sessions.len();
        let day = part.told.at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let day = day.map(|t| t.strftime(", %Y-%m-%d").to_string()).unwrap_or_default();
        prompt.push_str(&format!("\nSession {} ({}{day}):\n", number + 1, part.told.source));
        for line in part.blocks.into_iter().flat_map(|b| b.lines) {
            add_line(&mut prompt, &mut spans, number, line);
        }
        if part.ends {
            ends.push(number);
        }
        sessions.push(part.told);
    }
    for group in again {
        prompt.push_str(&group.heading);
        for (told, line) in group.lines {
            let number = sessions.iter().position(|t| t.transcript == told.transcript).unwrap_or(sessions.len());
            if number == sessions.len() {
                sessions.push(told);
            }
            add_line(&mut prompt, &mut spans, number, line);
        }
    }
    let id = format!("read-{}", &blake3::hash(prompt.as_bytes()).to_hex()[..16]);
    Request {
        id,
        project: project.to_owned(),
        prompt,
        sessions,
        spans,
        known: known.to_vec(),
        ends,
        promise,
        version: VERSION,
    }
}

fn add_line(prompt: &mut String, spans: &mut Vec<Span>, session: usize, line: Line) {
    let Line { writer, event, at, text, alone, cost } = line;
    let id = format!("{}{}", &writer.as_str()[..1], spans.len() + 1);
    prompt.push_str(&format!("{id} {}: {text}\n", writer.as_str()));
    spans.push(Span { id, writer, session, event, at, text, alone, cost });
}

#[cfg(test)]
mod tests;
