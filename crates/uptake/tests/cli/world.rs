//! A world of its own for each test.

use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use uptake_testkit::database;
pub use uptake_testkit::folders::{copy, files, fixtures};
pub use uptake_testkit::transcript::messages;

/// What the clock says: 16 November 2026, noon, the day after the demo's sessions.
const NOON: i64 = 1_794_830_400;

/// A home, a store, a clock that stands still, and a way to run uptake in them.
pub struct World {
    folder: tempfile::TempDir,
    /// Seconds since 1970.
    clock: Cell<i64>,
}

/// What a run gave.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    /// The JSON objects printed, one a line.
    pub fn objects(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("no JSON: {e}: {l}"))).collect()
    }

    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "exit code; stderr: {}\nstdout: {}", self.err, self.out);
        self
    }
}

impl World {
    pub fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().expect("a folder"), clock: Cell::new(NOON) };
        std::fs::create_dir_all(world.home()).expect("a home");
        world
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, text).expect("written");
        self.keep_data_private();
        path
    }

    /// As uptake makes it: a data folder that others can read is warned of.
    pub fn keep_data_private(&self) {
        #[cfg(unix)]
        if self.data().is_dir() {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            std::fs::set_permissions(self.data(), mode).expect("its own");
        }
    }

    /// Lets a second pass.
    pub fn tick(&self) {
        self.clock.set(self.clock.get() + 1);
    }

    /// All variables that uptake sees.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let now = jiff::Timestamp::from_second(self.clock.get()).expect("a time");
        vec![
            ("HOME", self.home().into()),
            ("UPTAKE_HOME", self.data().into()),
            ("UPTAKE_NOW", now.to_string().into()),
            // On a busy machine many tests at once are slow; what is tested is not how slow.
            ("UPTAKE_HOOK_MS", "30000".into()),
            // Tests of trials ask for them.
            ("UPTAKE_HOLDOUT", "0".into()),
            ("PATH", without_agents(&std::env::var_os("PATH").unwrap_or_default())),
        ]
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uptake"));
        command.env_clear().envs(self.environment());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    pub fn run_with(&self, args: &[&str], input: &str) -> Run {
        finish(self.command().args(args), input)
    }

    /// `uptake` with paths at the end.
    pub fn run_on(&self, args: &[&str], paths: &[&Path]) -> Run {
        finish(self.command().args(args).args(paths), "")
    }

    /// `uptake` in a folder of this world.
    pub fn run_in(&self, folder: &str, args: &[&str]) -> Run {
        finish(self.command().args(args).current_dir(self.path(folder)), "")
    }

    /// All that a run gave, as one text: exit code, standard output, standard error.
    pub fn snapshot(&self, args: &[&str]) -> String {
        self.shown(&self.run(args))
    }

    /// A run as one text that is the same on every machine: this world's folders have names, and what was measured is
    /// left out.
    pub fn shown(&self, run: &Run) -> String {
        let mut text = format!("exit code {}\n", run.code);
        for (name, stream) in [("stdout", &run.out), ("stderr", &run.err)] {
            if !stream.is_empty() {
                let _ = write!(text, "--- {name} ---\n{stream}");
                if !stream.ends_with('\n') {
                    text.push_str("(no line end)\n");
                }
            }
        }
        self.with_names(&text)
    }

    /// A text with names for folders, and `…` for seconds.
    pub fn with_names(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let folders = [(self.home(), "$HOME"), (self.data(), "$DATA"), (self.folder.path().to_owned(), "$WORLD")];
        for (folder, name) in folders.into_iter().chain([(fixtures(), "$FIXTURES")]) {
            // A folder may be known by a link to it.
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            for folder in [real, folder] {
                text = text.replace(&*folder.to_string_lossy(), name);
            }
        }
        text.split_inclusive('\n').map(without_seconds).collect()
    }

    /// Puts the demo sessions where the clients keep theirs.
    pub fn with_history(self) -> Self {
        copy(&fixtures().join("demo/claude/projects"), &self.home().join(".claude/projects"));
        copy(&fixtures().join("demo/codex/sessions"), &self.home().join(".codex/sessions"));
        self
    }
}

/// `read in 0.1 s.` → `read in … s.`
fn without_seconds(line: &str) -> String {
    match line.split_once("read in ") {
        Some((before, rest)) => format!("{before}read in … {}", rest.trim_start_matches(|c: char| c != 's')),
        None => line.to_owned(),
    }
}

pub fn finish(command: &mut Command, input: &str) -> Run {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("uptake starts");
    // A program that does not read its input is no failure of the test.
    let _ = child.stdin.take().expect("stdin").write_all(input.as_bytes());
    let out = child.wait_with_output().expect("uptake ends");
    Run {
        code: out.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

/// A world in which the demo sessions were read.
pub fn learned() -> World {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    world
}

/// All lessons.
pub fn rows(world: &World) -> Vec<Value> {
    world.run(&["list", "--all", "--json"]).ok().objects()
}

/// A lesson with an error that waits.
pub fn a_fix(world: &World) -> Value {
    rows(world).into_iter().find(|r| r["kind"] == "recovery" && r["status"] == "ready").expect("a recovery")
}

pub fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().expect("a text")
}

/// A lesson that becomes a skill, approved.
pub fn with_skill(world: &World) -> String {
    let rows = world.run(&["review", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["hint"].is_null()).expect("one without an error");
    let id = text(row, "id").to_owned();
    world.run(&["review", "--skill", "--accept", &id]).ok();
    id
}

pub fn skills(world: &World) -> Vec<PathBuf> {
    files(&world.home()).into_iter().filter(|f| f.ends_with("SKILL.md")).collect()
}

/// Changes the lessons behind the store's back.
pub fn sql(world: &World, statement: &str) {
    database::execute(&world.data().join("lessons.db"), statement);
}

const FIX: &str = "u report please\n\
    $ tool report --format json => error: unexpected argument '--format' found\n\
    $ tool report --output json => {\"total\": 3}\n";

/// The same fix in some sessions of one project.
pub fn with_fix(world: &World, sessions: usize) {
    for n in 0..sessions {
        // Calls of their own ids: else it would be one session and its forks.
        let text = messages(FIX).replace("id\":\"c", &format!("id\":\"s{n}c"));
        world.write(&format!("h/shop/s{n}.json"), &text);
    }
}

/// Reads them; answers all lessons.
pub fn learn(world: &World) -> Vec<Value> {
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    rows(world)
}

/// Where the lessons stand that say something like that.
pub fn status_of(world: &World, words: &str) -> Vec<String> {
    let rows = rows(world);
    let like = rows.iter().filter(|r| r["text"].as_str().is_some_and(|t| t.contains(words)));
    like.map(|r| text(r, "status").to_owned()).collect()
}

/// The folders of a path in which there is no agent: which of them a test finds is for the test to say.
fn without_agents(path: &std::ffi::OsStr) -> OsString {
    let agents = ["claude", "codex", "opencode", "gemini"];
    let plain = |folder: &PathBuf| !agents.iter().any(|agent| folder.join(agent).exists());
    std::env::join_paths(std::env::split_paths(path).filter(plain)).expect("a path")
}
