//! Gemini CLI. What is set for a folder counts more than what the user set: the request runs in a folder of ours with settings
//! of its own. The folder is always the same one, as the client keeps a list of folders and the last sessions of each; it is
//! told to keep one session, and that session is never read by us.
//!
//! One tool is offered that does nothing here: the service refuses requests with an empty list of tools.

use serde_json::json;
use uptake_core::reader::Trouble;

use super::client::{Client, Line, Place, SYSTEM, object, silent};
use super::process::Ended;

pub(super) const CLIENT: Client = Client {
    source: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    also: &[".local/bin", ".npm-global/bin"],
    reads_at_signs: true,
    line,
    answer,
};

/// Names that nothing has: of extensions and of servers.
const NONE: &str = "none";
const ARGS: [&str; 8] =
    ["--output-format", "json", "--approval-mode", "default", "--extensions", NONE, "--allowed-mcp-server-names", NONE];

/// Where it runs, below our data; the client names its own folders after it.
const FOLDER: &str = "reader/uptake-reader";

fn settings() -> String {
    json!({
        "context": {
            "fileName": "uptake-none.md", "includeDirectoryTree": false, "discoveryMaxDirs": 0, "memoryBoundaryMarkers": [],
        },
        "experimental": { "enableAgents": false },
        "general": {
            "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "topicUpdateNarration": false,
            "sessionRetention": { "enabled": true, "maxCount": 1, "maxAge": "1h", "minRetention": "1h" },
        },
        "hooksConfig": { "enabled": false },
        "mcp": { "allowed": [] },
        "privacy": { "usageStatisticsEnabled": false },
        "skills": { "enabled": false },
        "telemetry": { "enabled": false },
        "tools": { "core": ["enter_plan_mode"] },
        "useWriteTodos": false,
    })
    .to_string()
}

fn line(place: &Place<'_>) -> Result<Line, Trouble> {
    let folder = place.data.join(FOLDER);
    let written = uptake_store::open::write_private(&folder.join(".gemini/settings.json"), &settings());
    written.map_err(|e| Trouble::Unavailable(e.to_string()))?;
    let system = place.write("system.md", SYSTEM)?;
    let env = vec![("GEMINI_SYSTEM_MD", system.into()), ("GEMINI_CLI_TRUST_WORKSPACE", "true".into())];
    Ok(Line { args: ARGS.map(Into::into).to_vec(), env, folder: Some(folder) })
}

fn answer(ended: &Ended) -> Result<String, Trouble> {
    let said = object(&ended.out).unwrap_or_default();
    let failed = object(&ended.err).unwrap_or_default();
    let why = said["error"]["message"].as_str().or(failed["error"]["message"].as_str());
    match said["response"].as_str() {
        Some(text) if why.is_none() && !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(silent(ended, why)),
    }
}
