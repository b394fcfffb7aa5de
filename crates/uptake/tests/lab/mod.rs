//! What the tests with real clients share: a data folder of their own, uptake run in a client's home, sessions in the lab.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Where a test with real clients keeps everything.
pub struct Lab {
    pub folder: tempfile::TempDir,
}

impl Lab {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("uptake")
    }

    /// Runs uptake in a home, with programs on this PATH, and answers what it printed.
    pub fn uptake(&self, home: &Path, path: &str, args: &[&str]) -> String {
        let out = Command::new(env!("CARGO_BIN_EXE_uptake"))
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env("UPTAKE_HOME", self.data())
            .env("UPTAKE_HOLDOUT", "0")
            .env("PATH", path)
            .output()
            .expect("uptake runs");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    /// Where a session of a client goes, and the command that runs it.
    pub fn command(&self, client: &str, scenario: &str, name: &str) -> (PathBuf, Command) {
        let out = self.folder.path().join(name);
        let mut command = Command::new(root().join("lab/live"));
        command.args([client, env!("CARGO_BIN_EXE_uptake")]).arg(&out);
        command.env("SCENARIO", scenario).env("UPTAKE_HOME", self.data()).env("UPTAKE_HOLDOUT", "0");
        (out, command)
    }
}

pub fn ended_well(run: &Output, what: &str) {
    let said = [&run.stdout, &run.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(run.status.success(), "{what}: {}", said.concat());
}

pub fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}
