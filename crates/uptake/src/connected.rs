//! Which agents on this machine call us.

use std::path::Path;

use crate::agents;

/// Whether an agent on this machine asks us after a failure.
pub fn after_failure(home: &Path) -> bool {
    let settings = agents::agent("claude").folder(home).join("settings.json");
    std::fs::read_to_string(settings).is_ok_and(|t| t.contains("hook claude"))
}

/// What to do so that fixes are told at the error itself; `None` if an agent asks already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    (!after_failure(home)).then(|| {
        let settings = agents::agent("claude").folder(home).join("settings.json");
        format!(
            "Claude Code hears fixes at the error itself once `{}` names the hook: see `uptake hook --help`.",
            settings.display()
        )
    })
}
