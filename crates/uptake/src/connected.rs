//! Which agents on this machine ask us after a failure.

use std::path::{Path, PathBuf};

use uptake_core::sources::SOURCES;

use crate::agents;

/// Whether one does.
pub fn after_failure(home: &Path) -> bool {
    able(home).any(|agent| agent.asks)
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
}

fn able(home: &Path) -> impl Iterator<Item = Able> {
    SOURCES.iter().filter_map(|source| {
        let reply = source.hook?.reply?;
        let settings = agents::agent(source.name).folder(home).join(reply.settings);
        let asks = std::fs::read_to_string(&settings).is_ok_and(|text| (reply.asks_after_failure)(&text));
        Some(Able { title: source.title, settings, asks })
    })
}
