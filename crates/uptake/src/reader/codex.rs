//! Codex CLI. The user's `config.toml` stays: it says which model and provider they use. What would run or be sent beside the
//! request is switched off by `-c`, which older and newer versions ignore where they do not know a name. `--ephemeral` writes
//! no session; the databases it keeps go to a folder that is thrown away.
//!
//! Some models are offered `exec` or `apply_patch` all the same: `exec` has no host to run in, the sandbox is read-only.

use std::ffi::OsString;
use std::path::Path;

use toml_edit::DocumentMut;
use uptake_core::reader::Trouble;

use super::client::{Client, Line, Place, SYSTEM, objects, silent};
use super::process::Ended;
use crate::agents;

pub(super) const CLIENT: Client = Client {
    source: "codex",
    title: "Codex CLI",
    program: "codex",
    also: &[".local/bin", ".codex/bin"],
    reads_at_signs: false,
    line,
    answer,
};

const ARGS: [&str; 8] = [
    "exec",
    "--ephemeral",
    "--skip-git-repo-check",
    "--ignore-rules",
    "--sandbox",
    "read-only",
    "--json",
    "--color=never",
];

/// Features that offer tools, start programs or talk to others.
const OFF: &[&str] = &[
    "apps",
    "browser_use",
    "code_mode_host",
    "computer_use",
    "daemon_auto_start",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "multi_agent",
    "multi_agent_v2",
    "plugin_discovery_prefetch",
    "plugins",
    "shell_snapshot",
    "shell_tool",
    "skill_mcp_dependency_install",
    "skill_search",
    "sleep_tool",
    "tool_suggest",
    "unbounded_connection_retries",
    "unified_exec",
    "view_image",
    "workspace_dependencies",
];

const SETTINGS: &[&str] = &[
    "agents.enabled=false",
    "approval_policy=\"never\"",
    "check_for_update_on_startup=false",
    "developer_instructions=\"\"",
    "history.persistence=\"none\"",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "notify=[]",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "tools.experimental_request_user_input.enabled=false",
    "tools.update_plan.enabled=false",
    "web_search=\"disabled\"",
];

fn line(place: &Place<'_>) -> Result<Line, Trouble> {
    let instructions = place.write("instructions.md", SYSTEM)?;
    let path = |path: &Path| toml_edit::Value::from(path.to_string_lossy().into_owned()).to_string();
    let mut settings: Vec<String> = OFF.iter().map(|feature| format!("features.{feature}=false")).collect();
    settings.extend(SETTINGS.iter().map(|s| (*s).to_owned()));
    settings.push(format!("model_instructions_file={}", path(&instructions)));
    settings.push(format!("sqlite_home={}", path(place.side)));
    settings.push(format!("log_dir={}", path(place.side)));
    settings.extend(servers(place.home).iter().map(|name| format!("mcp_servers.{name}.enabled=false")));
    let mut args: Vec<OsString> = ARGS.map(Into::into).to_vec();
    args.extend(settings.into_iter().flat_map(|setting| [OsString::from("-c"), setting.into()]));
    args.push("-".into());
    Ok(Line { args, env: Vec::new(), folder: None })
}

/// The servers the user set up; each is started unless it is switched off by its name.
fn servers(home: &Path) -> Vec<String> {
    let path = agents::agent(CLIENT.source).folder(home).join("config.toml");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    server_names(&text)
}

fn server_names(config: &str) -> Vec<String> {
    let Ok(document) = config.parse::<DocumentMut>() else { return Vec::new() };
    let servers = document.get("mcp_servers").and_then(|s| s.as_table_like());
    let names = servers.into_iter().flat_map(|table| table.iter().map(|(name, _)| name.to_owned()));
    let is_plain = |name: &String| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    names.filter(is_plain).collect()
}

fn answer(ended: &Ended) -> Result<String, Trouble> {
    let (mut answer, mut why) = (None, None);
    for said in objects(&ended.out) {
        match said["type"].as_str() {
            Some("item.completed") if said["item"]["type"] == "agent_message" => {
                answer = said["item"]["text"].as_str().map(str::to_owned);
            }
            Some("turn.failed") => why = said["error"]["message"].as_str().map(str::to_owned),
            Some("error") => why = said["message"].as_str().map(str::to_owned),
            _ => (),
        }
    }
    answer.filter(|_| ended.success).ok_or_else(|| silent(ended, why.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_known_by_their_names() {
        for (config, names) in [
            ("", vec![]),
            ("[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b-2]\nurl = \"y\"\n", vec!["a", "b-2"]),
            ("mcp_servers = { c = { command = \"x\" } }", vec!["c"]),
            ("[mcp_servers.\"odd.name\"]\n", vec![]),
            ("mcp_servers = 3", vec![]),
            ("broken =", vec![]),
        ] {
            assert_eq!(server_names(config), names, "{config}");
        }
    }
}
