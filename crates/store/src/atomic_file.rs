//! Small files that are written whole or not at all, whatever ends the process meanwhile.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

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

/// Writes a file beside its place, waits until the disk has it, and gives it its name.
pub fn write(path: &Path, text: &str, readers: Readers, over: Over) -> io::Result<()> {
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
    tempfile::Builder::new().prefix(&prefix).tempfile_in(folder(path))
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

/// Removes what killed processes left beside a file: parts that nobody holds a lock on.
pub fn sweep(path: &Path) {
    let Some(prefix) = prefix(path) else { return };
    for entry in path.parent().and_then(|p| std::fs::read_dir(p).ok()).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        let part = OpenOptions::new().read(true).write(true).open(entry.path());
        if part.is_ok_and(|f| f.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// How the names of parts of a file begin; `None` if the path names no file.
fn prefix(path: &Path) -> Option<String> {
    path.file_name().map(|name| format!(".{}.part-", name.to_string_lossy()))
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
        std::fs::write(folder.path().join(".key.part-dead"), "ha").expect("written");
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
}
