//! The reader's lessons against judged messages: which messages they quote as the person's own word.

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::Result;
use uptake_core::detect::{Basis, Observation, READER};
use uptake_core::reader::digest::{self, Unread};
use uptake_core::session::Session;
use uptake_store::{Lessons, Sessions, Wanted};

use super::Repository;
use crate::eval::corpus::TurnLabel;
use crate::eval::report::Table;
use crate::eval::score::share;

/// Counts of a few repositories.
#[derive(Default)]
struct Counts {
    durable: u32,
    sent: u32,
    own: Quoted,
    beside: Quoted,
    any: Quoted,
    sessions: usize,
    tokens: usize,
    ready: usize,
}

/// Judged messages that are quoted.
#[derive(Clone, Copy, Default)]
struct Quoted {
    all: u32,
    durable: u32,
}

impl Quoted {
    fn plus(self, other: Self) -> Self {
        Self { all: self.all + other.all, durable: self.durable + other.durable }
    }
}

impl Counts {
    fn plus(self, other: &Self) -> Self {
        Self {
            durable: self.durable + other.durable,
            sent: self.sent + other.sent,
            own: self.own.plus(other.own),
            beside: self.beside.plus(other.beside),
            any: self.any.plus(other.any),
            sessions: self.sessions + other.sessions,
            tokens: self.tokens + other.tokens,
            ready: self.ready + other.ready,
        }
    }

    fn cells(&self) -> Vec<String> {
        let per = |n: usize| self.tokens.checked_div(n).map_or("–".to_owned(), |n| n.to_string());
        let both = |q: Quoted| format!("{} · {}", share(q.durable, q.all), share(q.durable, self.durable));
        vec![
            share(self.own.durable, self.own.all),
            share(self.own.durable, self.durable),
            format!("{}/{}/{}", self.own.durable, self.own.all, self.durable),
            both(self.beside),
            both(self.any),
            format!("{}/{}", self.sent, self.durable),
            per(self.sessions),
            per(self.ready),
        ]
    }
}

/// The table of quoted messages.
pub fn table(repositories: &[Repository], labels: &[TurnLabel], held_back: &[String]) -> Result<Table> {
    let about = "Judged messages that a reader's lessons quote as the person's own word (said for all work, or a correction) and that \
                 the second reading did not deny, of lessons that are ready; the same with those it denied; and \
                 whatever a message is quoted for. Bars: precision ≥ .80, recall ≥ .70.";
    let columns = [
        "repository",
        "precision",
        "recall",
        "right/quoted/durable",
        "also what was denied: P · R",
        "quoted for anything: P · R",
    ];
    let columns = [columns.as_slice(), &["durable and sent", "tokens a session", "a ready lesson"]].concat();
    let mut table = Table::new("What a reader hears", about, &columns);
    let (mut all, mut held) = (Counts::default(), Counts::default());
    for repository in repositories {
        let labels: HashMap<&str, bool> =
            labels.iter().filter(|l| l.repo == repository.name).map(|l| (l.id.as_str(), l.durable)).collect();
        let counts = counts(repository, &labels)?;
        table.row(&repository.name, counts.cells());
        if held_back.contains(&repository.name) {
            held = held.plus(&counts);
        }
        all = all.plus(&counts);
    }
    table.row("**all**", all.cells());
    if !held_back.is_empty() {
        table.row("*of these, held back*", held.cells());
    }
    Ok(table)
}

fn counts(repository: &Repository, labels: &HashMap<&str, bool>) -> Result<Counts> {
    let (sessions, lessons) = (Sessions::open(&repository.data())?, Lessons::open(&repository.data())?);
    let stored = lessons.list(&Wanted { now: i64::MAX, ..Wanted::default() })?;
    let read = || stored.iter().filter(|s| s.lesson.origin.detector == READER);
    let ready: HashSet<(String, String)> = read()
        .filter(|s| s.lesson.evidence.worth.ready)
        .map(|s| (s.lesson.kind.as_str().to_owned(), s.lesson.key.clone()))
        .collect();
    let mut seen: Vec<Observation> = Vec::new();
    let mut excerpts = Vec::new();
    let mut typed: HashSet<String> = HashSet::new();
    for row in sessions.list(None)? {
        let Some(session) = sessions.session_of(&row.path)? else { continue };
        typed.extend(session.events.iter().filter(|e| e.is_typed()).map(|e| e.id.clone()));
        seen.extend(lessons.read_in(&row.path)?);
        excerpts.extend(excerpt(&session, &row.path, &lessons)?);
    }
    let told = excerpts.len();
    let (requests, _) = digest::requests(&repository.name, excerpts, &[]);
    let sent: HashSet<&str> = requests.iter().flat_map(|r| &r.spans).map(|s| s.event.as_str()).collect();
    let quoted = |wanted: &dyn Fn(&Observation, &str) -> bool| {
        let events = seen.iter().flat_map(|o| o.head.events.iter().filter(|e| wanted(o, e)));
        let events: BTreeSet<&str> =
            events.filter(|e| typed.contains(*e)).map(String::as_str).filter(|e| labels.contains_key(e)).collect();
        let durable = events.iter().filter(|e| labels[*e]).count();
        Quoted { all: count(events.len()), durable: count(durable) }
    };
    let is_own = |o: &Observation, event: &str| o.seen.proposed().is_some_and(|p| p.is_own_word_in(event));
    let first_said = |o: &Observation| {
        o.seen.proposed().and_then(|p| p.basis).is_some_and(|b| matches!(b, Basis::Stated | Basis::Corrected))
    };
    let is_ready = |o: &Observation| ready.contains(&(o.claim.kind.as_str().to_owned(), o.claim.key.clone()));
    Ok(Counts {
        durable: count(labels.values().filter(|d| **d).count()),
        sent: count(labels.iter().filter(|(id, durable)| **durable && sent.contains(*id)).count()),
        own: quoted(&|o, event| is_own(o, event) && is_ready(o)),
        beside: quoted(&|o, _| first_said(o) && is_ready(o)),
        any: quoted(&|_, _| true),
        sessions: told,
        tokens: repository.sent()?,
        ready: ready.len(),
    })
}

fn excerpt(session: &Session, path: &str, lessons: &Lessons) -> Result<Option<digest::Excerpt>> {
    let seen: Vec<Observation> = lessons.kept_of(path)?.into_iter().map(|(_, o)| o).collect();
    Ok(digest::excerpt(&Unread { session, transcript: path, from: 0, seen: &seen }))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
