//! One program, once: a text on standard input, what it prints on standard output.
//!
//! It leads a process group of its own, and the whole group ends with it, at the latest at the deadline: a client starts helpers,
//! and none of them may outlive the request.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use uptake_core::reader::Trouble;

use super::signals;
use crate::env_vars;

/// Bytes of standard output that are read: a client wraps its answer into a page of JSON.
pub(super) const OUTPUT_LIMIT: usize = 4 * 1024 * 1024;
/// Bytes of standard error that are kept.
const ERRORS_LIMIT: usize = 64 * 1024;
/// How often is looked whether it is done.
const STEP: Duration = Duration::from_millis(15);
/// How long is waited for the ends of its output once the program itself is gone.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What a running agent tells the programs it starts. A client that saw it would think it runs inside of that session.
const OF_A_SESSION: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "AI_AGENT",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "GEMINI_PROJECT_DIR",
    "OPENCODE",
    "OPENCODE_CLIENT",
    "OPENCODE_PID",
    "CODEX_THREAD_ID",
];

/// What is run.
pub(super) struct Job<'j> {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Variables beside those of the user.
    pub env: Vec<(&'static str, OsString)>,
    pub folder: &'j Path,
    pub input: &'j str,
    pub deadline: Duration,
}

/// How it ended.
pub(super) struct Ended {
    pub success: bool,
    pub out: String,
    pub err: String,
}

impl Job<'_> {
    /// Runs it to its end or to the deadline.
    pub(super) fn run(&self) -> Result<Ended, Trouble> {
        let mut child = self.start()?;
        let input = child.stdin.take();
        let text = self.input.to_owned();
        // A program may print before it has read everything, or never read at all.
        thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        let mut out = Stream::read(child.stdout.take(), OUTPUT_LIMIT);
        let mut err = Stream::read(child.stderr.take(), ERRORS_LIMIT);
        let success = wait(&mut child, &mut out, self.deadline)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended { success, out: text(out.end()?), err: text(err.end().unwrap_or_default()) })
    }

    fn start(&self) -> Result<Child, Trouble> {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(self.folder);
        for name in OF_A_SESSION {
            command.env_remove(name);
        }
        command.env(env_vars::UPTAKE_OFF, "1").env(env_vars::UPTAKE_READER, "1");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map_err(|e| {
            let program = self.program.display();
            Trouble::Unavailable(match e.kind() {
                ErrorKind::NotFound => format!("there is no program `{program}`"),
                _ => format!("cannot start `{program}`: {e}"),
            })
        })
    }
}

/// What a program prints, read beside everything else.
struct Stream {
    comes: Receiver<Option<Vec<u8>>>,
    /// What came; nothing in it if there was more than the limit.
    came: Option<Option<Vec<u8>>>,
}

impl Stream {
    fn read(stream: Option<impl Read + Send + 'static>, limit: usize) -> Self {
        let (sender, comes) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let Some(mut stream) = stream else { return };
            let _ = stream.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes);
            let _ = sender.send((bytes.len() <= limit).then_some(bytes));
            // A program that cannot get rid of its words would wait for us.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        Self { comes, came: None }
    }

    fn is_too_long(&mut self) -> bool {
        self.came = self.came.take().or_else(|| self.comes.try_recv().ok());
        matches!(self.came, Some(None))
    }

    /// All of it, once the program is gone. A helper that left the group may hold the stream open: it is not waited for.
    fn end(&mut self) -> Result<Vec<u8>, Trouble> {
        let came = self.came.take().or_else(|| self.comes.recv_timeout(LAST_WORDS).ok());
        came.unwrap_or_default().ok_or(Trouble::TooLong)
    }
}

/// Waits for the end; answers whether it was a good one. Whatever is left of the group goes.
fn wait(child: &mut Child, out: &mut Stream, deadline: Duration) -> Result<bool, Trouble> {
    let end = Instant::now() + deadline;
    let trouble = loop {
        if is_over(child) {
            break None;
        }
        if signals::came() {
            break Some(Trouble::Unavailable("it was interrupted".to_owned()));
        }
        if out.is_too_long() {
            break Some(Trouble::TooLong);
        }
        if Instant::now() >= end {
            break Some(Trouble::TimedOut);
        }
        thread::sleep(STEP);
    };
    end_group(child);
    let status = child.wait().map_err(|e| Trouble::Unavailable(e.to_string()))?;
    trouble.map_or(Ok(status.success()), Err)
}

/// Whether the program is done. It is not buried yet: until then nobody else gets the number of its group.
#[cfg(unix)]
fn is_over(child: &Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    group(child).is_none_or(|id| !matches!(waitid(WaitId::Pid(id), look), Ok(None)))
}

#[cfg(not(unix))]
fn is_over(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn end_group(child: &Child) {
    if let Some(id) = group(child) {
        let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
fn group(child: &Child) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, seconds: u64) -> Result<Ended, Trouble> {
        let job = Job {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![("MORE", "yes".into())],
            folder: Path::new("/"),
            input: "in\n",
            deadline: Duration::from_secs(seconds),
        };
        job.run()
    }

    #[test]
    fn a_program_is_given_the_text_and_told_that_it_is_a_readers() {
        let ended = run("cat; echo $UPTAKE_OFF $UPTAKE_READER $MORE; echo why >&2; exit 3", 30).expect("it ended");
        assert_eq!((ended.success, ended.out.as_str(), ended.err.as_str()), (false, "in\n1 1 yes\n", "why\n"));
        // One that does not read is no trouble, nor one that closes its output early.
        assert_eq!(run("echo done; exec >&-; sleep 0.1", 30).expect("it ended").out, "done\n");
    }

    #[test]
    fn what_takes_too_long_is_stopped_with_all_its_helpers() {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = folder.path().join("helper");
        let script = format!("(sleep 2; touch {}) & sleep 60", mark.display());
        let begin = Instant::now();
        assert_eq!(run(&script, 1).err(), Some(Trouble::TimedOut));
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        // A helper that holds the output open does not keep us either.
        assert_eq!(run(&format!("echo ok; (sleep 2; touch {}) &", mark.display()), 30).expect("it ended").out, "ok\n");
        thread::sleep(Duration::from_secs(3));
        assert!(!mark.exists(), "a helper outlived its program");
    }

    #[test]
    fn endless_output_is_cut_off() {
        assert_eq!(run("yes", 60).err(), Some(Trouble::TooLong));
        assert!(run("yes >&2 & sleep 0.2", 60).is_ok_and(|e| e.err.is_empty()), "errors are not the answer");
    }

    #[test]
    fn a_missing_program_is_one_line() {
        let job = Job {
            program: "no-such-program".into(),
            args: Vec::new(),
            env: Vec::new(),
            folder: Path::new("/"),
            input: "",
            deadline: STEP,
        };
        let said = Trouble::Unavailable("there is no program `no-such-program`".to_owned());
        assert_eq!(job.run().err(), Some(said));
    }
}
