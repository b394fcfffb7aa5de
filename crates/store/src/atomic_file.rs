//! Small files that are written whole or not at all, whatever ends the process meanwhile.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The new one takes its place.
    Replace,
    /// It stays, and the writing fails.
    Never,
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The user alone.
    User,
    /// Everybody.
    All,
}

/// How often a file is begun whose part somebody swept away in the moment before it was locked.
const TRIES: usize = 3;

/// Writes a file beside its place, waits until the disk has it, and gives it its name.
pub fn write(path: &Path, text: &str, readers: Readers, over: Over) -> io::Result<()> {
    let mut result = write_once(path, text, readers, over);
    for _ in 1..TRIES {
        if result.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound) && folder(path).is_dir() {
            result = write_once(path, text, readers, over);
        }
    }
    result
}

fn write_once(path: &Path, text: &str, readers: Readers, over: Over) -> io::Result<()> {
    let mut file = begin(path)?;
    // The lock says that somebody writes to it; where locks do not work, nobody sweeps either.
    let _ = file.as_file().try_lock();
    file.write_all(text.as_bytes())?;
    finish(file, path, readers, over)
}

/// An empty file beside the place of another, for the user alone; whoever is done gives it to [`finish`].
pub(crate) fn begin(path: &Path) -> io::Result<NamedTempFile> {
    let prefix = prefix(path).ok_or(io::ErrorKind::InvalidFilename)?;
    sweep(path);
    tempfile::Builder::new().prefix(&prefix).rand_bytes(RANDOM).tempfile_in(folder(path))
}

/// Waits until the disk has a file that was begun, and gives it its name.
pub(crate) fn finish(file: NamedTempFile, path: &Path, readers: Readers, over: Over) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = if readers == Readers::All { 0o644 } else { 0o600 };
        file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    file.as_file().sync_all()?;
    match over {
        Over::Replace => file.persist(path),
        Over::Never => file.persist_noclobber(path),
    }
    .map_err(|e| e.error)?;
    // The name is on the disk once the folder is. Not every system can wait for a folder.
    let _ = File::open(folder(path)).and_then(|f| f.sync_all());
    Ok(())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes what killed processes left beside a file. Answers what is gone.
pub fn sweep(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().map(|n| n.to_string_lossy()) else { return Vec::new() };
    sweep_parts(folder(path), |of| of == name)
}

/// The same for all files of a folder that are wanted, by their name.
pub fn sweep_parts(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let name = entry.file_name();
        part_of(&name.to_string_lossy()).is_some_and(&wanted) && entry.file_type().is_ok_and(|t| t.is_file())
    });
    ours.map(|entry| entry.path()).filter(|part| remove_if_dead(part)).collect()
}

/// Removes a part that nobody holds a lock on. Whether it is gone.
fn remove_if_dead(part: &Path) -> bool {
    let file = OpenOptions::new().read(true).write(true).open(part);
    file.is_ok_and(|f| f.try_lock().is_ok()) && std::fs::remove_file(part).is_ok()
}

/// Stands in the name of a part between the name of its file and what is drawn.
const MARK: &str = ".part-";
/// How many letters and digits are drawn for the name of a part.
const RANDOM: usize = 6;

/// How the names of parts of a file begin; `None` if the path names no file.
fn prefix(path: &Path) -> Option<String> {
    path.file_name().map(|name| format!(".{}{MARK}", name.to_string_lossy()))
}

/// The name of a part of a file, with a number that was drawn.
#[cfg(unix)]
pub(crate) fn part_name(file: &str, drawn: u64) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut rest = drawn;
    let drawn = std::iter::repeat_with(|| {
        let letter = LETTERS[(rest % 36) as usize];
        rest /= 36;
        char::from(letter)
    });
    format!(".{file}{MARK}{}", drawn.take(RANDOM).collect::<String>())
}

/// The name of the file a part belongs to; `None` if it is not called as we call parts.
fn part_of(name: &str) -> Option<&str> {
    let (file, drawn) = name.strip_prefix('.')?.rsplit_once(MARK)?;
    (drawn.len() == RANDOM && drawn.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_or_kept_and_parts_of_the_dead_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(folder.path().join(".key.part-dead01"), "ha").expect("written");
        let living = File::create(folder.path().join(".key.part-living")).expect("made");
        living.try_lock().expect("locked");
        write(&path, "one", Readers::User, Over::Never).expect("written");
        assert_eq!(names(folder.path()), [".key.part-living", "key"]);
        drop(living);
        assert!(write(&path, "two", Readers::User, Over::Never).is_err());
        assert_eq!((names(folder.path()), std::fs::read(&path).expect("there")), (vec!["key".into()], b"one".to_vec()));
        write(&path, "two", Readers::User, Over::Replace).expect("written");
        assert_eq!((names(folder.path()), std::fs::read(&path).expect("there")), (vec!["key".into()], b"two".to_vec()));
    }

    #[test]
    fn only_what_is_called_as_we_call_parts_is_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let others =
            ["key.part-abc123", ".key.part-notes", ".key.part-my-own", ".key.part-abc1234", ".keys.part-abc123"];
        for name in others.iter().chain(&[".key.part-abc123"]) {
            std::fs::write(folder.path().join(name), "x").expect("written");
        }
        std::fs::create_dir(folder.path().join(".key.part-folder")).expect("made");
        assert_eq!(sweep(&folder.path().join("key")), [folder.path().join(".key.part-abc123")]);
        let mut left: Vec<String> = others.map(str::to_owned).to_vec();
        left.push(".key.part-folder".to_owned());
        left.sort();
        assert_eq!(names(folder.path()), left);
    }
}
