//! What comes back from session to session: near-identical requests, and failures of one cause. A single session does not
//! show it, so it is told apart, with the number of sessions.

use std::collections::{BTreeMap, BTreeSet};

use super::excerpt::{place, way_out};
use super::{Excerpt, Line as Sent, Told, Writer, cut, one_line};
use crate::detect::signals::words_of;
use crate::detect::{Met, Observation, Seen, WayOut};
use crate::failure::Family;
use crate::reader::words::content;
use crate::session::Session;

/// Longest line, in bytes.
pub(super) const LINE: usize = 200;
/// Sessions in which it must have come up.
const SESSIONS: usize = 3;
/// How many requests and failures are told, each with lines of so many sessions.
const REQUESTS: usize = 9;
const FAILURES: usize = 5;
const LINES: usize = 4;
const FAILURE_LINES: usize = 2;
/// What all of it may take of a request.
const ROOM: usize = 5_000; // bytes
/// Messages that are compared, the newest of a project.
const COMPARED: usize = 2_000;
/// Words of an opening: who begins so again does the same again.
const OPENING: usize = 4;
/// A message with so many times the words of another says something else, too.
const LONGER: usize = 2;
/// What a further call costs where the client does not count tokens.
const CALL_COST: u64 = 400;

/// What was typed, as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    line: Sent,
    stems: BTreeSet<String>,
    opening: Vec<String>,
}

impl Asked {
    /// A message that says something.
    pub(super) fn new(line: Sent) -> Option<Self> {
        // An address says where, not what.
        let words: Vec<&str> = line.text.split_whitespace().filter(|word| !word.contains("://")).collect();
        let text = words.join(" ");
        let stems = content(&text);
        let opening: Vec<String> = words_of(&text).take(OPENING).collect();
        (stems.len() >= 2).then_some(Self { line, stems, opening })
    }

    fn is_like(&self, other: &Self) -> bool {
        let shared = self.stems.intersection(&other.stems).count();
        let (few, many) = (self.stems.len().min(other.stems.len()), self.stems.len().max(other.stems.len()));
        let alike = shared >= 2 && 2 * shared >= few && many <= LONGER * few;
        alike || self.opening.len() == OPENING && self.opening == other.opening
    }
}

/// A way in which calls of a session failed.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    cause: String,
    failed: Sent,
    worked: Option<Sent>,
}

/// The failures of a session, by cause.
pub(super) fn failed(session: &Session, from: usize, seen: &[Observation]) -> Vec<Failed> {
    let mut out: Vec<Failed> = Vec::new();
    for o in seen {
        let Seen::Met(met) = &o.seen else { continue };
        if is_told_by_facts(met.family) {
            continue;
        }
        let Some(at) = o.head.events.first().and_then(|id| place(session, from, id)) else { continue };
        let line = |writer, text: &str| Sent {
            cost: cost(met),
            ..Sent::new(writer, &session.events[at], cut(&one_line(text), LINE, 0))
        };
        let again = (met.way == WayOut::Again).then(|| "the same once more".to_owned());
        let worked = way_out(&met.way).or(again).map(|way| line(Writer::Agent, &format!("then worked: {way}")));
        out.push(Failed { cause: o.claim.key.clone(), failed: line(Writer::Tool, &failure(met)), worked });
    }
    out
}

/// Whether failures of a family say how tools are used, where files are, or what a check finds: facts tell that better.
fn is_told_by_facts(family: Family) -> bool {
    matches!(
        family,
        Family::ToolPrecondition
            | Family::MissingPath
            | Family::WrongFolder
            | Family::CheckFinding
            | Family::ShellDialect
    )
}

/// A failure in one line.
pub(super) fn failure(met: &Met) -> String {
    format!("{}: {}: {}", met.family.as_str().replace('_', " "), met.tried, met.error)
}

/// What a failure cost, in tokens.
pub(super) fn cost(met: &Met) -> u64 {
    u64::from(met.tokens).max(u64::from(met.calls) * CALL_COST)
}

/// What came back, with the lines that show it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub heading: String,
    pub lines: Vec<(Told, Sent)>,
    sessions: usize,
}

impl Group {
    pub(super) fn len(&self) -> usize {
        self.heading.len() + self.lines.iter().map(|(_, l)| l.len()).sum::<usize>()
    }
}

/// What came back in these sessions, most often first. The same sessions give the same groups in whatever order they come.
pub(super) fn groups(excerpts: &[Excerpt]) -> Vec<Group> {
    let mut out = requests(excerpts);
    out.extend(failures(excerpts));
    let mut used = 0;
    out.retain(|group| {
        used += group.len();
        used <= ROOM
    });
    out
}

fn requests(excerpts: &[Excerpt]) -> Vec<Group> {
    // What a fork repeats was typed once.
    let mut by_event: BTreeMap<&str, (&Told, &Asked)> = BTreeMap::new();
    for excerpt in excerpts {
        for asked in &excerpt.asked {
            by_event.entry(&asked.line.event).or_insert((&excerpt.told, asked));
        }
    }
    let mut all: Vec<(&Told, &Asked)> = by_event.into_values().collect();
    all.sort_by(|(_, a), (_, b)| (b.line.at, &b.line.event).cmp(&(a.line.at, &a.line.event)));
    all.truncate(COMPARED);
    let mut groups: Vec<Vec<(&Told, &Asked)>> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|group| group[0].1.is_like(one.1)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let lines = |group: Vec<(&Told, &Asked)>| {
        group.into_iter().map(|(told, asked)| (told.clone(), vec![asked.line.clone()])).collect()
    };
    most(groups.into_iter().map(lines), "Typed in", REQUESTS, LINES)
}

fn failures(excerpts: &[Excerpt]) -> Vec<Group> {
    let mut by_cause: BTreeMap<&str, Vec<(Told, Vec<Sent>)>> = BTreeMap::new();
    for excerpt in excerpts {
        for Failed { cause, failed, worked } in &excerpt.failed {
            let lines = std::iter::once(failed).chain(worked).cloned().collect();
            by_cause.entry(cause).or_default().push((excerpt.told.clone(), lines));
        }
    }
    // Those that something got past say most.
    by_cause.values_mut().for_each(|all| all.sort_by_key(|(told, l)| (l.len() < 2, std::cmp::Reverse(told.at))));
    most(by_cause.into_values(), "Failed in", FAILURES, FAILURE_LINES)
}

/// The groups of most sessions, each with the lines of a few of them.
fn most(groups: impl Iterator<Item = Vec<(Told, Vec<Sent>)>>, what: &str, most: usize, shown: usize) -> Vec<Group> {
    let mut out: Vec<Group> = groups
        .filter_map(|group| {
            let sessions = group.iter().map(|(told, _)| &told.root).collect::<BTreeSet<_>>().len();
            let mut seen = BTreeSet::new();
            let new = group.into_iter().filter(|(told, _)| seen.insert(told.root.clone())).take(shown);
            let lines = new.flat_map(|(told, lines)| lines.into_iter().map(move |line| (told.clone(), line)));
            let heading = format!("\n{what} {sessions} sessions:\n");
            (sessions >= SESSIONS).then(|| Group { heading, lines: lines.collect(), sessions })
        })
        .collect();
    out.sort_by(|a, b| b.sessions.cmp(&a.sessions).then_with(|| a.lines[0].1.event.cmp(&b.lines[0].1.event)));
    out.truncate(most);
    out
}
