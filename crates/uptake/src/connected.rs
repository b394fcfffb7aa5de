//! Which agents on this machine ask us after a failure.

use std::path::Path;

use uptake_core::sources::{SOURCES, runs_at};

use crate::agents;

/// Whether one does.
pub fn after_failure(home: &Path) -> bool {
    able(home).any(|agent| agent.asks)
}

/// What to do so that what was approved is told; `None` if an agent asks already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    if after_failure(home) {
        return None;
    }
    let agent = able(home).next()?;
    Some(format!("{} hears what you approved once it is connected: uptake init", agent.title))
}

/// An agent that can be answered after a failure.
struct Able {
    title: &'static str,
    asks: bool,
}

fn able(home: &Path) -> impl Iterator<Item = Able> {
    SOURCES.iter().filter_map(|source| {
        let reply = source.hook?.reply?;
        let settings = agents::agent(source.name).folder(home).join(reply.settings);
        let text = std::fs::read_to_string(settings).unwrap_or_default();
        let at = |event: &str| runs_at(&text, event, source.name);
        Some(Able { title: source.title, asks: at(reply.after_failure) })
    })
}
