//! OpenCode. The user's own file of settings is named to it, for the provider and the model, but its folder is another one:
//! agents, plugins and instructions there are not found. The database goes to a folder that is thrown away; the login in its
//! data folder is used where it is.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use uptake_core::reader::Trouble;

use super::client::{Client, Line, Place, SYSTEM, objects, silent};
use super::jsonc;
use super::process::Ended;
use crate::{agents, env_vars};

pub(super) const CLIENT: Client = Client {
    source: "opencode",
    title: "OpenCode",
    program: "opencode",
    also: &[".opencode/bin", ".local/bin", ".bun/bin"],
    reads_at_signs: false,
    line,
    answer,
};

/// The agent that is made for the request: without tools. A title is given, or the model would be asked for one, too.
const AGENT: &str = "uptake-reader";
const ARGS: [&str; 8] = ["run", "--pure", "--format", "json", "--agent", AGENT, "--title", AGENT];

const ENV: [&str; 6] = [
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
];

/// Its folder of settings, below our data. Always the same: the client keeps a lock for each that it ever saw.
const FOLDER: &str = "reader/opencode";

/// Files of settings in its folder; all that are there count.
const FILES: [&str; 3] = ["opencode.jsonc", "opencode.json", "config.json"];

fn line(place: &Place<'_>) -> Result<Line, Trouble> {
    let folder = agents::agent(CLIENT.source).folder(place.home);
    let mut files: Vec<PathBuf> = FILES.iter().map(|name| folder.join(name)).filter(|p| p.is_file()).collect();
    let more = env_vars::get(env_vars::OPENCODE_CONFIG).map(PathBuf::from);
    let mut env: Vec<_> = ENV.map(|name| (name, "1".into())).to_vec();
    env.push((env_vars::OPENCODE_DB, place.side.join("opencode.db").into()));
    // Only one file can be named: a user with several keeps the folder, and with it what else is there.
    if more.is_none() && files.len() <= 1 {
        let own = place.data.join(FOLDER);
        uptake_store::open::make_home(&own).map_err(|e| Trouble::Unavailable(e.to_string()))?;
        env.push((env_vars::XDG_CONFIG_HOME, own.into()));
        env.extend(files.first().map(|file| (env_vars::OPENCODE_CONFIG, file.into())));
    }
    files.extend(more);
    let servers = files.iter().flat_map(|file| server_names(&std::fs::read_to_string(file).unwrap_or_default()));
    env.push(("OPENCODE_CONFIG_CONTENT", settings(servers).into()));
    Ok(Line { args: ARGS.map(Into::into).to_vec(), env, folder: None })
}

/// Laid over the user's own.
fn settings(servers: impl Iterator<Item = String>) -> String {
    let off: Map<String, Value> = servers.map(|name| (name, json!({ "enabled": false }))).collect();
    json!({
        "agent": { AGENT: { "mode": "primary", "prompt": SYSTEM, "tools": { "*": false } } },
        "autoupdate": false, "formatter": false, "lsp": false, "mcp": off, "share": "disabled", "snapshot": false,
        "tools": { "*": false },
    })
    .to_string()
}

fn server_names(config: &str) -> Vec<String> {
    let config = jsonc::parse(config).unwrap_or_default();
    config["mcp"].as_object().map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
}

fn answer(ended: &Ended) -> Result<String, Trouble> {
    let (mut answer, mut why) = (String::new(), None);
    for said in objects(&ended.out) {
        match said["type"].as_str() {
            Some("text") => answer.push_str(said["part"]["text"].as_str().unwrap_or_default()),
            Some("error") => {
                let error = &said["error"];
                why = error["data"]["message"].as_str().or(error["name"].as_str()).map(str::to_owned);
            }
            _ => (),
        }
    }
    if answer.trim().is_empty() || why.is_some() { Err(silent(ended, why.as_deref())) } else { Ok(answer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_of_the_user_is_switched_off() {
        let config = "{ // mine\n \"mcp\": {\"a\": {\"type\": \"local\"}, \"b.c\": {},}, }";
        let settings = settings(server_names(config).into_iter());
        let settings: Value = serde_json::from_str(&settings).expect("JSON");
        assert_eq!(settings["mcp"], json!({ "a": { "enabled": false }, "b.c": { "enabled": false } }));
        assert!(server_names("broken").is_empty() && server_names("{\"mcp\": 3}").is_empty());
    }
}
