//! A world of its own for each test.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A home, a store and a way to run uptake in them.
pub struct World {
    folder: tempfile::TempDir,
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
        let world = Self { folder: tempfile::tempdir().expect("a folder") };
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
        path
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uptake"));
        command
            .env_clear()
            .env("HOME", self.home())
            .env("UPTAKE_HOME", self.data())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
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

    /// Puts the demo sessions where the clients keep theirs.
    pub fn with_history(self) -> Self {
        copy(&fixtures().join("demo/claude/projects"), &self.home().join(".claude/projects"));
        copy(&fixtures().join("demo/codex/sessions"), &self.home().join(".codex/sessions"));
        self
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

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").canonicalize().expect("fixtures")
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// A transcript in the style of the OpenAI chat API: `u text`, `a text`, `$ command => output`.
pub fn messages(script: &str) -> String {
    let mut list = Vec::new();
    for (n, line) in script.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate() {
        let (mark, rest) = line.split_once(' ').expect("a mark");
        let (command, output) = rest.split_once(" => ").unwrap_or((rest, ""));
        match mark {
            "u" => list.push(serde_json::json!({"role": "user", "content": rest})),
            "a" => list.push(serde_json::json!({"role": "assistant", "content": rest})),
            _ => {
                let arguments = serde_json::json!({ "command": command }).to_string();
                list.push(serde_json::json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("c{n}"), "type": "function", "function": {"name": "shell", "arguments": arguments}}]}));
                list.push(serde_json::json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": output}));
            }
        }
    }
    Value::Array(list).to_string()
}

/// Every file under a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            out.extend(files(&entry.path()));
        } else {
            out.push(entry.path());
        }
    }
    out.sort();
    out
}
