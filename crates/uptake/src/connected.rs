//! Which agents on this machine ask us after a failure.

use std::path::{Path, PathBuf};

use uptake_core::sources::SOURCES;

use crate::agents;

/// Whether one does.
pub fn after_failure(home: &Path) -> bool {
    able(home).any(|agent| agent.asks)
}

/// Whether one asks at the start of a session, too.
pub fn at_start(home: &Path) -> bool {
    able(home).any(|agent| agent.asks && agent.asks_at_start)
}

/// What to do so that fixes are told at the error itself; `None` if an agent asks already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    if after_failure(home) {
        return None;
    }
    let agent = able(home).next()?;
    Some(format!(
        "{} hears fixes at the error itself once `{}` names the hook: see `uptake hook --help`.",
        agent.title,
        agent.settings.display()
    ))
}

/// An agent that can be answered after a failure.
struct Able {
    title: &'static str,
    settings: PathBuf,
    asks: bool,
    asks_at_start: bool,
}

fn able(home: &Path) -> impl Iterator<Item = Able> {
    SOURCES.iter().filter_map(|source| {
        let reply = source.hook?.reply?;
        let settings = agents::agent(source.name).folder(home).join(reply.settings);
        let text = std::fs::read_to_string(&settings).unwrap_or_default();
        let (asks, asks_at_start) = ((reply.asks_after_failure)(&text), text.contains(START));
        Some(Able { title: source.title, settings, asks, asks_at_start })
    })
}

/// How the event at the start of a session is called where hooks are listed.
const START: &str = "SessionStart";
