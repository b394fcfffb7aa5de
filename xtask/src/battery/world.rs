//! The binary under test, and a world of its own for it: home, data, nothing else of this machine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::{Options, root, say};

/// Builds the release binary once, or takes the one that was given.
pub fn binary(options: &Options) -> Result<PathBuf> {
    if let Some(given) = &options.binary {
        return given.canonicalize().with_context(|| format!("cannot find `{}`", given.display()));
    }
    say("building the binary");
    let root = root();
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "uptake"])
        .current_dir(&root)
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "the binary does not build");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("release/uptake").canonicalize().context("cannot find the binary")
}

/// A home, a store, a project, and a way to run uptake in them.
pub struct World {
    folder: tempfile::TempDir,
    binary: PathBuf,
}

/// What a run printed.
pub struct Said {
    /// What was run, in words.
    pub by: String,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Whether it ended well.
    pub ok: bool,
    /// Whether a signal ended it.
    pub killed: bool,
}

impl World {
    /// An empty one.
    pub fn new(binary: &Path) -> Result<Self> {
        // In memory where that is possible: waiting for a disk is not what is measured.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let world = Self { folder: folder?, binary: binary.to_owned() };
        world.write(
            &world.project().join(".git/config"),
            b"[remote \"origin\"]\n\turl = https://git.example.com/dev/ledger.git\n",
        )?;
        std::fs::create_dir_all(world.home())?;
        Ok(world)
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Where uptake keeps its data.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A clone of a project.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("ledger")
    }

    /// Any other place in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes).with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// uptake with nothing of this machine's environment; `around` is a program that runs it, with its arguments.
    pub fn command(&self, around: &[String]) -> Command {
        let mut command = match around {
            [] => Command::new(&self.binary),
            [program, args @ ..] => {
                let mut command = Command::new(program);
                command.args(args).arg(&self.binary);
                command
            }
        };
        command
            .env_clear()
            .env("HOME", self.home())
            .env("UPTAKE_HOME", self.data())
            .env("UPTAKE_HOLDOUT", "0")
            .env("PATH", "/usr/bin:/bin")
            // What is checked is what a hook says and leaves, not how busy this machine is.
            .env("UPTAKE_HOOK_MS", "20000")
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs uptake.
    pub fn run(&self, args: &[&str], paths: &[PathBuf], input: &[u8]) -> Result<Said> {
        let mut said = finish(self.command(&[]).args(args).args(paths), input)?;
        said.by = args.join(" ");
        Ok(said)
    }
}

/// Runs a command to its end.
pub fn finish(command: &mut Command, input: &[u8]) -> Result<Said> {
    let mut child = command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    // A program that does not read its input is no failure of the check.
    let _ = child.stdin.take().context("no standard input")?.write_all(input);
    let out = child.wait_with_output()?;
    let (ok, killed) = (out.status.success(), out.status.code().is_none());
    Ok(Said { by: String::new(), out: out.stdout, err: out.stderr, ok, killed })
}

/// Every file under a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(t) if t.is_dir() => out.extend(files(&entry.path())),
            Ok(_) => out.push(entry.path()),
            Err(_) => {}
        }
    }
    out.sort();
    out
}
