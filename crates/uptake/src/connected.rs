//! Which agents on this machine ask us after a failure.

use std::path::Path;

use uptake_core::sources::SOURCES;

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
    let (used, unused): (Vec<Able>, Vec<Able>) = able(home).partition(|agent| agent.used);
    let agent = used.into_iter().chain(unused).next()?;
    Some(format!("{} hears what you approved once it is connected: uptake init", agent.title))
}

/// An agent that can be answered after a failure.
struct Able {
    title: &'static str,
    used: bool,
    asks: bool,
}

fn able(home: &Path) -> impl Iterator<Item = Able> {
    SOURCES.iter().filter_map(|source| {
        let reply = source.hook?.reply?;
        let agent = agents::agent(source.name);
        let text = std::fs::read_to_string(agent.folder(home).join(reply.settings)).unwrap_or_default();
        Some(Able {
            title: source.title,
            used: agent.is_used(home),
            asks: reply.is_asked_after_failure(&text, source.name),
        })
    })
}
