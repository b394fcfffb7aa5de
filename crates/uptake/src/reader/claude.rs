//! Claude Code. `--safe-mode` leaves out memory, skills, plugins, hooks, servers and agents of the user and keeps login and
//! model; `--no-session-persistence` writes no transcript. It offers no tool and reads no file.

use uptake_core::reader::Trouble;

use super::client::{Client, Line, Place, SYSTEM, object, silent};
use super::process::Ended;

pub(super) const CLIENT: Client = Client {
    source: "claude",
    title: "Claude Code",
    program: "claude",
    also: &[".local/bin", ".claude/local", ".claude/local/node_modules/.bin"],
    reads_at_signs: true,
    line,
    answer,
};

const ARGS: [&str; 11] = [
    "--print",
    "--output-format",
    "json",
    "--safe-mode",
    "--tools",
    "",
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--system-prompt",
    SYSTEM,
];

/// No file behind an `@`, no request beside ours, nothing that is fetched or reported.
const ENV: [&str; 5] = [
    "CLAUDE_CODE_DISABLE_ATTACHMENTS",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
];

fn line(_: &Place<'_>) -> Result<Line, Trouble> {
    Ok(Line { args: ARGS.map(Into::into).to_vec(), env: ENV.map(|name| (name, "1".into())).to_vec(), folder: None })
}

fn answer(ended: &Ended) -> Result<String, Trouble> {
    let said = object(&ended.out).unwrap_or_default();
    match said["result"].as_str() {
        Some(text) if said["is_error"] == false => Ok(text.to_owned()),
        other => Err(silent(ended, other)),
    }
}
