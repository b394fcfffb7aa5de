//! Where files made of lessons lie: skills and commands of the user or of a project, entries of its knowledge files.
//!
//! Into a project something is written only if the user agreed (`uptake trust --files`). Otherwise its entries lie with our own
//! data.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use uptake_core::normal::is_slug;
use uptake_core::render::{Entry, EntryFile, Skill};
use uptake_store::{Lessons, rooted};

use crate::agents::Agent;
use crate::project;

/// What kind of file lies in a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// `<name>/SKILL.md`.
    Skill,
    /// `<name>.md`.
    Command,
}

/// A folder in which an agent looks for skills or commands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// What the user answers for: no link below it is followed.
    root: PathBuf,
    /// The folder below it.
    folder: PathBuf,
    form: Form,
}

impl Spot {
    /// Where an agent looks for the user's own skills.
    pub fn of_user(home: &Path, agent: &Agent) -> Self {
        Self { root: agent.folder(home).join(agent.skills), folder: PathBuf::new(), form: Form::Skill }
    }

    /// Where it looks for those of a project.
    pub fn of_project(top: &Path, agent: &Agent) -> Self {
        Self { root: top.to_owned(), folder: PathBuf::from(agent.project_skills), form: Form::Skill }
    }

    /// Where Claude Code looks for slash commands: of a project, or of the user.
    pub fn of_commands(home: &Path, top: Option<&Path>, agent: &Agent) -> Self {
        let root = top.map_or_else(|| agent.folder(home), Path::to_owned);
        let folder = if top.is_some() { PROJECT_COMMANDS } else { COMMANDS };
        Self { root, folder: PathBuf::from(folder), form: Form::Command }
    }

    fn below(&self, name: &str) -> PathBuf {
        match self.form {
            Form::Skill => self.folder.join(name).join("SKILL.md"),
            Form::Command => self.folder.join(format!("{name}.md")),
        }
    }

    /// The file of a name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(self.below(name))
    }

    /// Whether nothing has a name yet.
    pub fn is_free(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_err()
    }

    /// Whether the file is there, byte for byte. What lies behind a link is not ours.
    pub fn holds(&self, made: &Skill) -> bool {
        matches!(rooted::read(&self.root, &self.below(&made.name)), Ok(Some(bytes)) if bytes == made.text.as_bytes())
    }

    /// Writes the file: whole or not at all, never over one that is there, never through a link.
    pub fn write(&self, made: &Skill) -> Result<PathBuf> {
        if !is_slug(&made.name) {
            bail!("`{}` is no name for a skill", made.name);
        }
        let (path, below) = (self.path(&made.name), self.below(&made.name));
        if self.holds(made) {
            // Written by a run that was cut short before it could say so.
            uptake_store::atomic_file::sweep(&path);
            return Ok(path);
        }
        let cannot = || format!("cannot write `{}`", path.display());
        rooted::check(&self.root, &below).with_context(cannot)?;
        if path.symlink_metadata().is_ok() {
            bail!("`{}` is there already and was left alone", path.display());
        }
        if !self.root.is_dir() {
            std::fs::create_dir_all(&self.root).with_context(|| format!("cannot make `{}`", self.root.display()))?;
        }
        let written = rooted::create(&self.root, &below, &made.text);
        if written.is_err() {
            let _ = path.parent().map(std::fs::remove_dir);
        }
        written.with_context(cannot)
    }

    /// Gives a file of ours another text, if it is as it was.
    pub fn rewrite(path: &Path, was: &[u8], text: &str) -> Result<rooted::Replaced> {
        let (root, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
        rooted::replace(root, Path::new(name), was, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

/// The card of a project, for its user to commit.
pub const CARD: &str = ".uptake/card.md";

/// Commands, below the settings of Claude Code, and below a project.
const COMMANDS: &str = "commands/uptake";
const PROJECT_COMMANDS: &str = ".claude/commands/uptake";

/// The checkout of a project into which files may be written; none if the user did not say so.
pub fn opted(data: &Path, lessons: &Lessons, project: &str) -> Result<Option<PathBuf>> {
    for folder in lessons.opted()?.into_iter().map(PathBuf::from) {
        if folder.is_dir() && project::here(&folder, data, lessons)? == project {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

/// Where the entries of a project lie.
#[derive(Clone, Debug)]
pub struct Knowledge {
    root: PathBuf,
    folder: PathBuf,
}

/// How many folders deep a knowledge file lies below what the user answers for.
const DEPTH: usize = 3;

impl Knowledge {
    /// Of a project: in its checkout if the user agreed, else with our own data.
    pub fn of(data: &Path, lessons: &Lessons, project: &str) -> Result<Self> {
        Ok(Self::at(data, opted(data, lessons, project)?, project))
    }

    /// The same, where the checkout is known.
    pub fn at(data: &Path, top: Option<PathBuf>, project: &str) -> Self {
        match top {
            Some(root) => Self { root, folder: Path::new(".uptake").join("knowledge") },
            None => Self::with_data(data, project),
        }
    }

    /// With our own data.
    pub fn with_data(data: &Path, project: &str) -> Self {
        let name = blake3::hash(project.as_bytes()).to_hex()[..16].to_owned();
        Self { root: data.to_owned(), folder: Path::new("knowledge").join(name) }
    }

    /// The one a file lies in, and which of the two files it is.
    pub fn of_file(path: &Path) -> Option<(Self, EntryFile)> {
        let file = EntryFile::ALL.into_iter().find(|f| path.file_name().is_some_and(|n| n == f.name()))?;
        let root = path.ancestors().nth(DEPTH)?.to_owned();
        let folder = path.parent()?.strip_prefix(&root).ok()?.to_owned();
        Some((Self { root, folder }, file))
    }

    /// The path of a file.
    pub fn path(&self, file: EntryFile) -> PathBuf {
        self.root.join(&self.folder).join(file.name())
    }

    /// The text of a file; `None` if it is not there.
    pub fn text(&self, file: EntryFile) -> Result<Option<String>> {
        let path = self.path(file);
        let cannot = || format!("cannot read `{}`", path.display());
        let bytes = rooted::read(&self.root, &self.folder.join(file.name())).with_context(cannot)?;
        bytes.map(|b| String::from_utf8(b).with_context(|| format!("`{}` is not UTF-8", path.display()))).transpose()
    }

    /// The files with their places and entries, as the index wants them.
    pub fn files(&self) -> Result<Vec<(EntryFile, String, Vec<Entry>)>> {
        let mut out = Vec::new();
        for file in EntryFile::ALL {
            if let Some(text) = self.text(file)? {
                out.push((file, self.path(file).display().to_string(), file.entries(&text)));
            }
        }
        Ok(out)
    }

    /// Gives a file another text, if it is as it was. Whether it did. Who still has the old one open writes nothing in vain:
    /// it is kept with our data for a while.
    pub fn put(&self, data: &Path, file: EntryFile, was: Option<&str>, text: &str) -> Result<bool> {
        let below = self.folder.join(file.name());
        let result = match was {
            Some(was) => rooted::replace_shared(&self.root, &below, was.as_bytes(), text, data)
                .map(|r| r == rooted::Replaced::Yes),
            None => match rooted::create(&self.root, &below, text) {
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
                other => other.map(|_| true),
            },
        };
        result.with_context(|| format!("cannot write `{}`", self.path(file).display()))
    }

    /// Removes a file in which nothing is left but what we put there.
    pub fn remove_bare(&self, file: EntryFile) -> Result<()> {
        let below = self.folder.join(file.name());
        let bare = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|text| file.is_bare(text));
        rooted::remove(&self.root, &below, bare)
            .map(drop)
            .with_context(|| format!("cannot remove `{}`", below.display()))
    }

    /// The lock under which numbers are given and entries written; held until it is dropped.
    pub fn lock(&self, data: &Path) -> Result<File> {
        let folder = data.join("projects");
        uptake_store::open::make_home(&folder)?;
        let name = blake3::hash(self.root.join(&self.folder).to_string_lossy().as_bytes()).to_hex()[..16].to_owned();
        let path = folder.join(format!("{name}.lock"));
        locked(&path).with_context(|| format!("cannot lock `{}`", path.display()))
    }
}

/// A file of ours, for the user alone, locked until it is dropped.
pub fn locked(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for _ in 0..TRIES {
        let file = options.open(path)?;
        file.lock()?;
        // A lock that was nobody's is removed (`prune`): then this one has no name, and others take the next.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
    Err(std::io::Error::other("it is removed again and again"))
}

/// How often a lock may be removed while it is waited for.
const TRIES: usize = 1_000;

/// Whether a file that is open is the one of a path, or of what that links to.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: std::fs::Metadata, b: std::fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(there)) => same(open, there),
        (_, Err(e)) if e.kind() == std::io::ErrorKind::NotFound => false,
        // What cannot be told is taken as it is.
        _ => true,
    }
}

/// Elsewhere a file that is open keeps its name.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// What git says a checkout stands on; empty outside of one.
pub fn branch(path: &Path) -> String {
    let tree = path.ancestors().find_map(|a| Some(a.join(".git")).filter(|g| g.exists()));
    let head = tree.and_then(|git| match std::fs::read_to_string(&git) {
        // A worktree has a file that names its own folder.
        Ok(text) => std::fs::read_to_string(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()).join("HEAD")).ok(),
        Err(_) => std::fs::read_to_string(git.join("HEAD")).ok(),
    });
    head.map(|text| text.trim().to_owned()).unwrap_or_default()
}
