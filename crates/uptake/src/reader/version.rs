//! Which versions of a client are on this machine: each program is asked once, with `--version`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use uptake_core::sources::Version;

use super::client::Client;
use super::process::Job;

/// How long a client may take to say it.
const DEADLINE: Duration = Duration::from_secs(10);

/// A client's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Where it is.
    pub program: PathBuf,
    /// What it calls itself; `None` if it did not say.
    pub version: Option<Version>,
}

/// All programs of a client on the PATH and where it is usually installed, without links to the same one.
pub fn installed(source: &str, home: &Path) -> Vec<Installed> {
    let Some(client) = Client::of(source) else { return Vec::new() };
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for program in client.all(home) {
        let real = program.canonicalize().unwrap_or_else(|_| program.clone());
        if !seen.contains(&real) {
            seen.push(real);
            found.push(Installed { version: asked(&program), program });
        }
    }
    found
}

fn asked(program: &Path) -> Option<Version> {
    let folder = std::env::temp_dir();
    let (program, args) = (program.to_owned(), vec!["--version".into()]);
    let job = Job { program, args, env: Vec::new(), folder: &folder, input: "", deadline: DEADLINE };
    job.run().ok().filter(|ended| ended.success).and_then(|ended| Version::parse(&ended.out))
}
