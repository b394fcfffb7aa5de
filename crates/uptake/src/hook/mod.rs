//! `uptake hook <source>`: answers an agent's hook. One process, read-only, no argument parser, always exit 0.
//!
//! Comes in: the payload on standard input. Goes out: an answer in the client's dialect, or nothing. One file per moment
//! at which something is done; all other moments are silence. What a payload means is in the core, `sources/<agent>/hook`.
//! Whatever goes wrong here is one line in our own log and never the agent's problem.

mod after_failure;
mod log;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use uptake_core::moment::{Answer, Asked, Moment};
use uptake_core::sources::{self, Hook, SOURCES, Source};

use crate::world::data_folder;
use crate::{env_vars, ui};

/// Larger payloads are not worth the time.
const PAYLOAD: u64 = 4 * 1024 * 1024;
/// After this the process ends, whatever it was doing.
const DEADLINE: Duration = Duration::from_millis(1_500);

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
            Ok(Err(e)) => log::note(&data, &trouble(&e)),
            Err(_) => log::note(&data, "the hook failed inside; please report it with the command that failed"),
        }
    }
    ExitCode::SUCCESS
}

/// What happened, and what the person can do.
fn trouble(error: &anyhow::Error) -> String {
    ui::hint(error).map_or_else(|| format!("{error:#}"), |hint| format!("{error:#}; {hint}"))
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
    let Some((source, hook)) = with_hook(source) else { return Ok(None) };
    let Some(asked) = (hook.read)(payload)? else { return Ok(None) };
    let Some(reply) = hook.reply else { return Ok(None) };
    let answer = at(source, data, &asked)?;
    Ok((reply.say)(&asked.moment, &answer))
}

fn with_hook(name: &str) -> Option<(&'static Source, Hook)> {
    let source = sources::source(name)?;
    Some((source, source.hook?))
}

/// What is done at a moment.
fn at(source: &Source, data: &Path, asked: &Asked) -> anyhow::Result<Answer> {
    match &asked.moment {
        Moment::AfterFailure { call, output } => after_failure::answer(source, data, asked, call, output),
        Moment::SessionStart { .. }
        | Moment::Prompt { .. }
        | Moment::BeforeCall { .. }
        | Moment::AfterCall { .. }
        | Moment::SubagentStart { .. }
        | Moment::SubagentStop { .. }
        | Moment::SessionEnd { .. } => Ok(Answer::Silence),
    }
}

/// What to tell a person who typed `uptake hook`; `None` if an agent called it. An agent never calls from a terminal.
pub fn typed_by_hand(source: Option<&str>) -> Option<String> {
    let known = source.is_some_and(|s| with_hook(s).is_some());
    (!known && std::io::stdin().is_terminal()).then(|| explanation(source))
}

fn explanation(source: Option<&str>) -> String {
    let what = source.map_or_else(
        || "`uptake hook` needs the name of an agent".to_owned(),
        |name| format!("`{name}` is no agent whose hooks uptake knows"),
    );
    let agents: Vec<String> =
        SOURCES.iter().filter_map(|s| Some((s, s.hook?))).map(|(s, h)| agent_line(s, h)).collect();
    format!(
        "error: {what}\n\nAn agent runs this command itself, and gives it what just happened on standard input. uptake then says \
         what it knows about it.\n\nAgents:\n{}\n\nhint: `uptake hook --help` says how to connect one",
        agents.join("\n")
    )
}

fn agent_line(source: &Source, hook: Hook) -> String {
    let state = if hook.reply.is_some() { "" } else { " (understood, not answered yet)" };
    format!("  {:<8} {}{state}", source.name, source.title)
}
