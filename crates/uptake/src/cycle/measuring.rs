//! Measures a goal: in what was read of sessions, or by the command that the user set. Commands are run only from here, and only
//! those of the user's own settings.

use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use uptake_core::measure::goal::{Goal, Judged, printed_number};
use uptake_core::session::Session;
use uptake_store::{SessionRow, Sessions};

/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(900);
/// How often is looked whether it ended.
const STEP: Duration = Duration::from_millis(20);
/// Bytes of its output in which the number is looked for, from the end.
const TAIL: u64 = 64 * 1024;

/// How a goal stands now. Nothing if no session was read by which it could be told.
pub fn measure(
    goal: &Goal,
    sessions: Option<&Sessions>,
    project: &str,
    top: &Path,
    iteration: Option<u32>,
) -> Result<Option<Judged>> {
    let value = match (goal, iteration) {
        (Goal::Failures(_), Some(iteration)) => Some(f64::from(iteration)),
        (Goal::Failures(_) | Goal::Tokens(_), _) => match sessions {
            Some(sessions) => {
                newest(sessions, project)?.map(|row| of_session(goal, sessions, &row)).transpose()?.flatten()
            }
            None => None,
        },
        (Goal::Green(command), _) => Some(f64::from(ran(command, top)?.0)),
        (Goal::Number(command, _), _) => Some(number(command, top)?),
    };
    Ok(value.map(|value| goal.judge(value)))
}

/// What a session says of a goal; nothing of one that a command measures.
pub fn of_session(goal: &Goal, sessions: &Sessions, row: &SessionRow) -> Result<Option<f64>> {
    Ok(match goal {
        Goal::Failures(_) => Some(row.counts.failures as f64),
        Goal::Tokens(_) => sessions.session_of(&row.path)?.filter(|s| !s.events.is_empty()).map(|s| tokens(&s)),
        Goal::Green(_) | Goal::Number(..) => None,
    })
}

/// New tokens of a session.
fn tokens(session: &Session) -> f64 {
    session.events.iter().map(|e| f64::from(e.tokens.unwrap_or(0))).sum()
}

fn newest(sessions: &Sessions, project: &str) -> Result<Option<SessionRow>> {
    Ok(sessions.list(Some(project))?.into_iter().find(|s| s.root == s.id))
}

fn number(command: &str, top: &Path) -> Result<f64> {
    let (code, out) = ran(command, top)?;
    match printed_number(&out) {
        Some(number) if code == 0 => Ok(number),
        Some(_) => bail!("`{command}` failed with {code}; its number does not count"),
        None => bail!("`{command}` printed no number"),
    }
}

/// Runs a command line of the user in a project: its exit code, and the end of what it printed.
pub fn ran(command: &str, top: &Path) -> Result<(i32, String)> {
    let mut out = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command).current_dir(top);
    shell.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(Stdio::null());
    let mut child = shell.spawn().with_context(|| format!("cannot run `{command}`"))?;
    let until = Instant::now() + LONGEST;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            bail!("`{command}` took longer than {} minutes and was ended", LONGEST.as_secs() / 60);
        }
        std::thread::sleep(STEP);
    };
    let length = out.metadata()?.len();
    out.seek(std::io::SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    out.take(TAIL).read_to_end(&mut bytes)?;
    Ok((status.code().unwrap_or(-1), String::from_utf8_lossy(&bytes).into_owned()))
}
