//! `uptake hook <source>`: answers an agent's hook. One process, read-only, no argument parser, always exit 0.
//!
//! Comes in: the payload on standard input. Goes out: the known fix for a failure that was met before, or nothing.
//! Whatever goes wrong here is one line in our own log and never the agent's problem.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use uptake_core::recall;
use uptake_store::{Lessons, spool};

use crate::project;
use crate::settings::{self, Settings};
use crate::world::{self, data_folder};
use crate::{env_vars, hook_log, repo_settings};

/// Larger payloads are not worth the time.
const PAYLOAD: u64 = 4 * 1024 * 1024;
/// After this the process ends, whatever it was doing.
const DEADLINE: Duration = Duration::from_millis(1_500);

#[derive(Deserialize)]
struct Payload {
    #[serde(default)]
    hook_event_name: String,
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    tool_input: ToolInput,
    #[serde(default)]
    error: String,
    #[serde(default)]
    is_interrupt: bool,
}

#[derive(Deserialize, Default)]
struct ToolInput {
    #[serde(default)]
    command: String,
}

/// Runs the hook.
pub fn run(source: Option<&str>) -> ExitCode {
    if env_vars::is_off() {
        return ExitCode::SUCCESS;
    }
    // Standard input that never ends, a stuck disk: the agent must not wait for us.
    std::thread::spawn(|| {
        std::thread::sleep(DEADLINE);
        #[allow(clippy::disallowed_methods, reason = "nothing is open for writing, and the agent waits")]
        std::process::exit(0);
    });
    // Even a defect of ours must not reach the agent.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(data) = data_folder() {
        let result = std::panic::catch_unwind(|| answer(source.unwrap_or_default(), &data));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(e)) => hook_log::note(&data, &format!("{e:#}")),
            Err(_) => hook_log::note(&data, "the hook failed inside; please report it with the command that failed"),
        }
    }
    ExitCode::SUCCESS
}

fn answer(source: &str, data: &Path) -> anyhow::Result<()> {
    let mut input = Vec::new();
    std::io::stdin().lock().take(PAYLOAD).read_to_end(&mut input)?;
    if let Some(answer) = respond(source, data, &input)? {
        std::io::stdout().lock().write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// The answer to a payload, in the client's dialect; `None` is silence.
pub fn respond(source: &str, data: &Path, payload: &[u8]) -> anyhow::Result<Option<String>> {
    let payload: Payload = serde_json::from_slice(payload)?;
    if source != "claude"
        || payload.hook_event_name != "PostToolUseFailure"
        || payload.tool_name != "Bash"
        || payload.is_interrupt
    {
        return Ok(None);
    }
    let settings = settings::path().map_or_else(|| Ok(Settings::default()), |path| Settings::read(&path))?;
    if !settings.enabled {
        return Ok(None);
    }
    let Some(context) = known_fix(source, data, &payload, &settings)? else { return Ok(None) };
    let answer = serde_json::json!({ "hookSpecificOutput": { "hookEventName": "PostToolUseFailure", "additionalContext": context } });
    Ok(Some(answer.to_string()))
}

fn leaves_alone(settings: &Settings, project: &str, folder: &Path, lessons: &Lessons) -> bool {
    let home = etcetera::home_dir().unwrap_or_default();
    settings.excludes(project, folder.to_str(), &home) || repo_settings::leaves_alone(folder, lessons)
}

fn known_fix(source: &str, data: &Path, payload: &Payload, settings: &Settings) -> anyhow::Result<Option<String>> {
    // `Exit code N` is the client's frame, not the tool's words.
    let output = match payload.error.split_once('\n') {
        Some((first, rest)) if first.starts_with("Exit code ") => rest,
        _ => &payload.error,
    };
    let Some(trigger) = recall::trigger(&payload.tool_input.command, output) else { return Ok(None) };
    let Some(lessons) = Lessons::open_read_only(data)? else { return Ok(None) };
    let folder = Path::new(&payload.cwd);
    let project = lessons.project_of(&project::of_folder_quickly(folder, data).key)?;
    let mut found = lessons.approved_for(&trigger, &project, settings.mode)?;
    // Asked last: most failures are new, and then there is nothing to withhold.
    if found.is_empty() || leaves_alone(settings, &project, folder, &lessons) {
        return Ok(None);
    }
    let heard = spool::shown_in(data, source, &payload.session_id);
    found.retain(|l| !heard.iter().any(|h| h.lesson == l.id));
    let hints: Vec<String> = found.iter().map(recall::hint).collect();
    let Some(told) = recall::envelope(&hints.iter().take(2).map(String::as_str).collect::<Vec<_>>()) else {
        return Ok(None);
    };
    let now = world::now();
    let shown: Vec<spool::Shown> = told
        .used
        .iter()
        .map(|n| &found[*n])
        .map(|l| spool::Shown {
            id: blake3::hash(format!("{source}\0{}\0{}\0{now}", payload.session_id, l.id).as_bytes()).to_hex()[..20]
                .to_owned(),
            lesson: l.id.clone(),
            source: source.to_owned(),
            session: payload.session_id.clone(),
            moment: "failure".to_owned(),
            at: now,
        })
        .collect();
    // A full disk must not withhold the fix; at worst it is told twice.
    if let Err(e) = spool::append(data, &shown) {
        hook_log::note(data, &e.to_string());
    }
    Ok(Some(told.text))
}
