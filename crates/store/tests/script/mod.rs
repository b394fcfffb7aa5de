//! Sessions in a few lines, for tests of the store.
#![allow(dead_code, reason = "each test file uses its part of it")]

use uptake_core::detect::{Observation, detect};
use uptake_core::session::{
    Agent, Author, Body, Call, Event, Excerpt, Origin, Outcome, Session, SourceName, Span, ToolKind,
};
use uptake_store::{Lessons, SeenIn};

/// A day, in milliseconds.
pub const DAY: i64 = 86_400_000;

/// A session: `u text`, `a text`, `$ command` (ok), `! command => output` (failed). Its events are called after it.
pub fn session(id: &str, script: &str) -> Session {
    let events = script.lines().map(str::trim).enumerate().map(|(n, line)| {
        let (mark, rest) = line.split_once(' ').expect("a mark");
        let (command, output) = rest.split_once(" => ").unwrap_or((rest, ""));
        let call = |outcome| {
            Body::Call(Call { outcome, output: Excerpt::new(output), ..Call::new("Bash", ToolKind::Shell, command) })
        };
        let body = match mark {
            "u" => Body::User {
                author: Author::Human,
                spans: vec![Span { origin: Origin::User, text: Excerpt::new(rest) }],
            },
            "a" => Body::Assistant { text: Excerpt::new(rest) },
            "$" => call(Outcome::Ok),
            _ => call(Outcome::Failed(Some(2))),
        };
        let at = n as i64;
        Event { id: format!("{id}-{n}"), at: Some(at), offset: 100 * n as u64, len: 90, tokens: None, body }
    });
    Session {
        id: id.into(),
        root: id.into(),
        source: SourceName::Claude,
        agent: Agent::Main,
        events: events.collect(),
        ..Session::default()
    }
}

/// A failed call and its fix.
pub fn fix(tool: &str) -> String {
    format!(
        "! {tool} report --format json => error: unexpected argument '--format' found\n$ {tool} report --output json"
    )
}

/// What is seen when a session shows a fix, on a day.
pub fn seen(id: &str, tool: &str, day: i64) -> Vec<Observation> {
    let mut session = session(id, &fix(tool));
    session.events.iter_mut().for_each(|e| e.at = e.at.map(|at| at + day * DAY));
    detect(&session)
}

/// Keeps what was seen in a session under its path, and adds it up.
pub fn learn(lessons: &mut Lessons, project: &str, id: &str, observations: &[Observation]) {
    let path = format!("/sessions/{id}.jsonl");
    let seen = SeenIn { source: "claude", session: id, path: &path, project, observations };
    lessons.keep_observations(&[seen]).expect("kept");
    lessons.refold(project, |all| uptake_core::learn::fold(project, all)).expect("added up");
}
