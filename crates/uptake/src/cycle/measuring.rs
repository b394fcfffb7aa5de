//! Measures a goal: in what was read of sessions, or by the command that the user set. Commands are run only from here, and only
//! those of the user's own settings.

use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
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
/// Bytes after which it is ended: nobody reads so much, and the disk is the user's.
const MOST: u64 = 256 * 1024 * 1024;

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

/// The line of a command that was given in words: each stays one word for the shell, whatever is in it. One alone is a line.
pub fn line_of(words: &[String]) -> String {
    let plain = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&b));
    let quoted = |w: &String| if plain(w) { w.clone() } else { format!("'{}'", w.replace('\'', "'\\''")) };
    match words {
        [line] => line.clone(),
        words if cfg!(windows) => words.join(" "),
        words => words.iter().map(quoted).collect::<Vec<_>>().join(" "),
    }
}

/// Runs a command line of the user in a project: its exit code, and the end of what it printed.
pub fn ran(command: &str, top: &Path) -> Result<(i32, String)> {
    ran_for(command, top, LONGEST)
}

/// The command leads a process group of its own: where it is ended, what it started ends with it.
fn ran_for(command: &str, top: &Path, longest: Duration) -> Result<(i32, String)> {
    let mut out = tempfile::tempfile().context("cannot make a temporary file")?;
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command).current_dir(top);
    shell.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let mut child = shell.spawn().with_context(|| format!("cannot run `{command}`"))?;
    let until = Instant::now() + longest;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let trouble = if Instant::now() > until {
            Some(format!("took longer than {} minutes", LONGEST.as_secs() / 60))
        } else if out.metadata()?.len() > MOST {
            Some(format!("printed more than {} MB", MOST / 1024 / 1024))
        } else {
            None
        };
        if let Some(trouble) = trouble {
            end(&mut child);
            child.wait()?;
            bail!("`{command}` {trouble} and was ended");
        }
        std::thread::sleep(STEP);
    };
    let length = out.metadata()?.len();
    out.seek(std::io::SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    out.take(TAIL).read_to_end(&mut bytes)?;
    Ok((status.code().unwrap_or(-1), String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(unix)]
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let _ = group.map(|id| rustix::process::kill_process_group(id, rustix::process::Signal::KILL));
}

#[cfg(not(unix))]
fn end(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = ran_for("(sleep 2; touch helper) & sleep 60", folder.path(), Duration::from_millis(300));
        assert!(said.is_err_and(|e| e.to_string().contains("took longer")));
        std::thread::sleep(Duration::from_secs(3));
        assert!(!folder.path().join("helper").exists(), "a helper outlived the command");
    }

    #[test]
    fn endless_output_is_cut_off() {
        let said = ran_for("yes uptake", Path::new("/"), Duration::from_secs(60));
        assert!(said.is_err_and(|e| e.to_string().contains("printed more than 256 MB")));
        assert_eq!(ran("echo 72; exit 3", Path::new("/")).expect("it ended"), (3, "72\n".to_owned()));
    }
}
