//! Files of other learning tools: where they lie, what is in them, and which project they are about.
//!
//! They are opened for reading only, and one is read at a time: there may be very many.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use uptake_core::import::{About, FORMATS, Format, Imported};
use uptake_core::project::{self, Project};
use uptake_store::{Lessons, SeenIn};

use crate::known_secrets::KnownSecrets;
use crate::project::{Cache, one_spelling};
use crate::ui;
use crate::world::World;

/// Larger files hold something else; the tools keep far less.
const FILE_LIMIT: u64 = 32 * 1024 * 1024;
/// Where ClosedLoop keeps what holds for all projects, seen from the home folder.
const CLOSEDLOOP_SHARED: &str = ".closedloop-ai/learnings";

/// A file that was read.
pub struct ForeignFile {
    /// Where it lies, without links.
    pub path: PathBuf,
    /// The same each time this file is imported.
    pub id: String,
    /// What it is.
    pub format: &'static Format,
    /// The project it is about.
    pub project: Project,
    /// What it gave.
    pub imported: Imported,
}

impl ForeignFile {
    /// Keeps what it gave in place of what it gave before.
    pub fn keep(&self, lessons: &mut Lessons) -> Result<()> {
        let seen = SeenIn {
            source: self.format.source,
            session: &self.id,
            path: &self.path.to_string_lossy(),
            project: &self.project.key,
            observations: &self.imported.items,
        };
        Ok(lessons.keep_observations(&[seen])?)
    }
}

/// The files that are meant, each once: those that are given, and the known ones of folders that are given.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        let list = if path.is_dir() { in_folder(path)? } else { vec![path.clone()] };
        for file in list {
            let real = file.canonicalize().with_context(|| format!("cannot read `{}`", file.display()))?;
            if !found.contains(&real) {
                found.push(real);
            }
        }
    }
    Ok(found)
}

/// The known files of a project, also if the folder in which the tool keeps them is given.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let places = || FORMATS.iter().flat_map(|f| f.places.iter());
    let direct = places().map(|p| p.rsplit('/').next().unwrap_or(p));
    let found: Vec<PathBuf> = places().copied().chain(direct).map(|p| folder.join(p)).filter(|p| p.is_file()).collect();
    let looked: Vec<&str> = places().copied().collect();
    ensure!(
        !found.is_empty(),
        "nothing to import in `{}` (looked for {}); give the path of a file",
        folder.display(),
        looked.join(", ")
    );
    Ok(found)
}

/// Reads such files.
pub struct Reader<'w> {
    world: &'w World,
    given: Option<Project>,
    cache: Cache,
    known: KnownSecrets,
}

impl<'w> Reader<'w> {
    /// For the project of the folder a file lies in, unless one is given.
    pub fn new(world: &'w World, given: Option<Project>, cache: Cache) -> Self {
        Self { world, given, cache, known: KnownSecrets::from_env() }
    }

    /// Reads one file.
    pub fn read(&mut self, path: &Path) -> Result<ForeignFile> {
        read_one(path.to_owned(), self)
    }
}

fn read_one(path: PathBuf, reader: &mut Reader<'_>) -> Result<ForeignFile> {
    let Reader { world, given, cache, known } = reader;
    let bytes = bytes_of(&path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(format) = Format::of(&bytes, &name) else {
        let titles: Vec<&str> = FORMATS.iter().map(|f| f.title).collect();
        bail!("`{}` is nothing uptake can import: it reads {}", path.display(), titles.join(", "));
    };
    let folder = folder_of(&path, format);
    let project = match given {
        Some(project) => project.clone(),
        None => project_of(&folder, world, cache)
            .with_context(|| format!("`{}` belongs to no project; name one with --project KEY", path.display()))?,
    };
    cache.check()?;
    let beside = format.beside.and_then(|name| {
        let places = [path.with_file_name(name), world.home.join(CLOSEDLOOP_SHARED).join(name)];
        places.iter().filter(|p| p.is_file()).find_map(|p| bytes_of(p).ok())
    });
    let about = About {
        source: format.source,
        file: &blake3::hash(path.to_string_lossy().as_bytes()).to_hex()[..16],
        project: &project.name,
        redactor: &known.redactor(folder.to_str()),
        beside: beside.as_deref(),
    };
    let imported = format.read(&bytes, &about);
    Ok(ForeignFile { id: about.file.to_owned(), imported, project, format, path })
}

fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let cannot = || format!("cannot read `{}`", path.display());
    // Opening a pipe would wait for its writer.
    ensure!(std::fs::metadata(path).with_context(cannot)?.is_file(), "`{}` is not a regular file", path.display());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(cannot)?;
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes).with_context(cannot)?;
    let most = ui::size(FILE_LIMIT);
    ensure!(
        bytes.len() as u64 <= FILE_LIMIT,
        "`{}` is larger than {most}: none of these tools writes that",
        path.display()
    );
    Ok(bytes)
}

/// The project's folder: the one above the tool's own.
fn folder_of(path: &Path, format: &Format) -> PathBuf {
    let place = format.places.iter().find(|p| path.ends_with(p));
    let up = place.map_or(1, |p| p.split('/').count());
    path.ancestors().nth(up).unwrap_or(path).to_owned()
}

/// The home folder is no project: what lies there holds for all of them.
fn project_of(folder: &Path, world: &World, cache: &mut Cache) -> Option<Project> {
    if world.home.canonicalize().is_ok_and(|home| home == folder) {
        return None;
    }
    Some(cache.of_folder(folder).unwrap_or_else(|| project::from_path(&one_spelling(&folder.to_string_lossy()))))
}

/// A project as a person names it: its key, or the address of its remote.
pub fn named(given: &str) -> Project {
    let address = given.contains("://") || given.contains('@');
    address.then(|| project::from_remote(given)).flatten().unwrap_or_else(|| Project::from_key(given))
}
