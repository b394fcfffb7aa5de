//! `uptake hook <source>`: answers an agent's hook. One process, read-only, no argument parser, always exit 0.
//!
//! Comes in: the payload on standard input. Goes out: an answer in the client's dialect, or nothing. One file per moment
//! at which something is done; all other moments are silence. What a payload means is in the core, `sources/<agent>/hook`.
//! Whatever goes wrong here is one line in our own log and never the agent's problem.

mod after_failure;
mod before_call;
mod changed_files;
mod deadline;
mod hints;
pub mod holdout;
mod log;
mod payload;
mod place;
pub mod preview;
mod prompt;
pub mod rehearse;
mod session_end;
mod session_start;
mod subagent;
mod transcript;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use uptake_core::moment::{Answer, Asked, Moment, ToolUse};
use uptake_core::recall;
use uptake_core::redact;
use uptake_core::sources::{self, Hook, Reply, SOURCES, Source};
use uptake_store::spool::{self, AskedAt};

use self::deadline::Doing;
pub use self::log::note;
use crate::world::data_folder;
use crate::{env_vars, ui, world};

/// Longer than it takes to give up.
const GIVING_UP: Duration = Duration::from_millis(100);

/// Runs the hook.
pub fn run(source: Option<&str>) -> ExitCode {
    if env_vars::is_off() {
        return ExitCode::SUCCESS;
    }
    // Even a defect of ours must not reach the agent.
    std::panic::set_hook(Box::new(|_| {}));
    let Some(data) = data_folder() else { return ExitCode::SUCCESS };
    let result = std::panic::catch_unwind(|| {
        let source = source.unwrap_or_default();
        deadline::watch(&data, trouble_words(source)).context("cannot watch the time")?;
        answer(source, &data)
    });
    match result {
        Ok(Ok(())) => {}
        Ok(Err(e)) => {
            note(&data, &trouble(&e));
            say_so(source.unwrap_or_default());
        }
        Err(_) => note(&data, "the hook failed inside; please report it with the command that failed"),
    }
    ExitCode::SUCCESS
}

/// Tells a client that asks again after trouble that there was some.
fn say_so(source: &str) {
    if let Some(words) = trouble_words(source).filter(|_| Doing::Answering.begin()) {
        // Nobody may be there to hear it.
        let _ = std::io::stdout().lock().write_all(words.as_bytes());
    }
}

fn trouble_words(source: &str) -> Option<&'static str> {
    with_hook(source).and_then(|(_, hook)| hook.reply?.trouble)
}

/// What happened, and what the person can do.
fn trouble(error: &anyhow::Error) -> String {
    ui::hint(error).map_or_else(|| format!("{error:#}"), |hint| format!("{error:#}; {hint}"))
}

fn answer(source: &str, data: &Path) -> anyhow::Result<()> {
    let payload = payload::read(std::io::stdin().lock())?;
    Doing::LookingUp.begin();
    let answer = respond(source, data, &payload)?;
    if let Some(answer) = answer {
        if !Doing::Answering.begin() {
            // The client is being told that there was trouble: who does that ends the process.
            std::thread::sleep(GIVING_UP);
            return Ok(());
        }
        // Small enough for a pipe to take it whole or not at all.
        let mut out = std::io::stdout().lock();
        out.write_all(answer.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

/// The answer to a payload, in the client's dialect; `None` is silence.
pub fn respond(source: &str, data: &Path, payload: &[u8]) -> anyhow::Result<Option<String>> {
    let Some((source, hook)) = with_hook(source) else { return Ok(None) };
    let Some(mut asked) = (hook.read)(payload)? else { return Ok(None) };
    // It names a file and stands in a record. `learn` cleans the ids of sessions in the same way.
    redact::clean_up(&mut asked.session);
    let Some(reply) = hook.reply else { return Ok(None) };
    note_asked(source, data, &asked);
    let answer = at(source, reply, data, &asked)?;
    Ok((reply.say)(&asked.moment, &answer))
}

fn with_hook(name: &str) -> Option<(&'static Source, Hook)> {
    let source = sources::source(name)?;
    Some((source, source.hook?))
}

/// That an agent asked, for `doctor`; and when a session ended, for the learning run.
fn note_asked(source: &Source, data: &Path, asked: &Asked) {
    let (source, session) = (source.name.to_owned(), asked.session.clone());
    let asked = AskedAt { at: world::now(), source, moment: asked.moment.word().to_owned(), session };
    if let Err(e) = spool::note_asked(data, &asked) {
        note(data, &e.to_string());
    }
}

/// What is done at a moment.
fn at(source: &Source, reply: Reply, data: &Path, asked: &Asked) -> anyhow::Result<Answer> {
    match &asked.moment {
        Moment::AfterFailure { call, output } => after_failure::answer(source, data, asked, &[(call, output)]),
        // A failure that a pipe hid from the client; most calls are none, and end here.
        Moment::AfterCall { call, output } if has_failed(call, output, reply, asked) => {
            after_failure::answer(source, data, asked, &[(call, output)])
        }
        Moment::Refused { calls } => {
            let calls: Vec<(&ToolUse, &String)> = calls.iter().map(|(call, output)| (call, output)).collect();
            after_failure::answer(source, data, asked, &calls)
        }
        Moment::SessionStart { start } => session_start::answer(source, data, asked, *start),
        Moment::Prompt { text } => prompt::answer(source, data, asked, text),
        Moment::SessionEnd { .. } => session_end::run(data).map(|()| Answer::Silence),
        Moment::BeforeCall { call } => before_call::answer(source, data, asked, call, hears_before(reply, call)),
        Moment::SubagentStart { agent } => subagent::start(source, data, asked, agent),
        Moment::SubagentStop { agent, transcript, .. } => {
            subagent::stop(source, data, asked, agent, transcript.as_deref())
        }
        // What is told before a call is lost there: the model hears it with the result.
        Moment::AfterCall { call, .. } if !hears_before(reply, call) => {
            before_call::afterwards(source, data, asked, call)
        }
        Moment::AfterCall { .. } => Ok(Answer::Silence),
    }
}

/// Whether a text that is told before a call reaches the model.
fn hears_before(reply: Reply, call: &ToolUse) -> bool {
    let before = Moment::BeforeCall { call: call.clone() };
    (reply.say)(&before, &Answer::Context(String::new())).is_some()
}

/// Whether a call failed that the payload does not call a failure.
fn has_failed(call: &ToolUse, output: &str, reply: Reply, asked: &Asked) -> bool {
    if reply.exit_code.is_none() {
        return recall::failed_unseen(call, output);
    }
    recall::failed_with(call, output, transcript::exit_code(call, reply, asked))
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
