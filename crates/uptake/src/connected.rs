//! Which agents on this machine ask us after a failure.

use std::path::Path;

use uptake_core::sources::{SOURCES, runs_at};

use crate::agents;

/// When agents on this machine ask us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// One does after a failure.
    pub after_failure: bool,
    /// One does at the start of a session, too.
    pub at_start: bool,
}

/// When they do.
pub fn heard(home: &Path) -> Heard {
    let able: Vec<Able> = able(home).collect();
    Heard { after_failure: able.iter().any(|a| a.asks), at_start: able.iter().any(|a| a.asks && a.asks_at_start) }
}

/// Whether one does after a failure.
pub fn after_failure(home: &Path) -> bool {
    heard(home).after_failure
}

/// What to do so that fixes are told at the error itself; `None` if an agent asks already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    if after_failure(home) {
        return None;
    }
    let agent = able(home).next()?;
    Some(format!("{} hears fixes at the error itself once it is connected: uptake init", agent.title))
}

/// An agent that can be answered after a failure.
struct Able {
    title: &'static str,
    asks: bool,
    asks_at_start: bool,
}

fn able(home: &Path) -> impl Iterator<Item = Able> {
    SOURCES.iter().filter_map(|source| {
        let reply = source.hook?.reply?;
        let settings = agents::agent(source.name).folder(home).join(reply.settings);
        let text = std::fs::read_to_string(settings).unwrap_or_default();
        let at = |event: &str| runs_at(&text, event, source.name);
        Some(Able { title: source.title, asks: at(reply.after_failure), asks_at_start: at(START) })
    })
}

/// How the event at the start of a session is called where hooks are listed.
const START: &str = "SessionStart";
