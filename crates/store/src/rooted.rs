//! Files below a folder, written without following a link: in a repository anybody may have put one anywhere.
//!
//! Comes in: a folder that the user named, and a path below it. Goes out: a file that is there whole or not at all. Each step
//! is taken from the folder before it, which is held open: a link that comes up meanwhile is met, not followed.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::late::Keep;

/// What became of a file that was to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It has the new text.
    Yes,
    /// Somebody changed it meanwhile: it is as they left it.
    Changed,
}

/// The parts of a path that only goes down.
fn steps(path: &Path) -> io::Result<Vec<&std::ffi::OsStr>> {
    let step = |c: Component<'_>| matches!(c, Component::Normal(_));
    if path.as_os_str().is_empty() || !path.components().all(step) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{}` leads elsewhere", path.display())));
    }
    Ok(path.iter().collect())
}

/// Fails if a part of a path below a folder is a link. For looking; writing looks for itself.
pub fn check(root: &Path, below: &Path) -> io::Result<()> {
    let mut path = root.to_owned();
    for step in steps(below)? {
        path.push(step);
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => return Err(link(&path)),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => break,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn link(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("`{}` is a link; uptake writes through no links", path.display()),
    )
}

/// Reads a file below a folder; `None` if it is not there.
pub fn read(root: &Path, below: &Path) -> io::Result<Option<Vec<u8>>> {
    check(root, below)?;
    match std::fs::read(root.join(below)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Writes a file that is not there yet; makes its folders. Answers its path.
pub fn create(root: &Path, below: &Path, text: &str) -> io::Result<PathBuf> {
    put(root, below, text, None)?;
    Ok(root.join(below))
}

/// Replaces a file of ours that has these bytes; what somebody wrote meanwhile stays.
pub fn replace(root: &Path, below: &Path, was: &[u8], text: &str) -> io::Result<Replaced> {
    put(root, below, text, Some((was, None)))
}

/// The same for a file that a person writes to as well: what they added to its end is taken over, and the old one is kept for a while in our data folder, for who has it open
/// ([`late`](crate::late)).
pub fn replace_shared(root: &Path, below: &Path, was: &[u8], text: &str, data: &Path) -> io::Result<Replaced> {
    put(root, below, text, Some((was, Some(Keep { data, root, below }))))
}

/// Opens a file that is there to read it and to add to its end.
pub(crate) fn open_to_add(root: &Path, below: &Path) -> io::Result<std::fs::File> {
    check(root, below)?;
    let mut options = std::fs::OpenOptions::new();
    options.read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    options.open(root.join(below))
}

/// The bytes a file is to have before it is replaced, and where it is kept then.
type Was<'w> = (&'w [u8], Option<Keep<'w>>);

/// Removes a file that has these bytes, and folders above it that are empty then. Whether it is gone.
pub fn remove(root: &Path, below: &Path, is_ours: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
    let Some(bytes) = read(root, below)? else { return Ok(true) };
    if !is_ours(&bytes) {
        return Ok(false);
    }
    std::fs::remove_file(root.join(below))?;
    let folders = below.ancestors().skip(1).filter(|f| !f.as_os_str().is_empty());
    folders.map(|f| root.join(f)).take_while(|f| std::fs::remove_dir(f).is_ok()).for_each(drop);
    Ok(true)
}

#[cfg(unix)]
fn put(root: &Path, below: &Path, text: &str, was: Option<Was<'_>>) -> io::Result<Replaced> {
    unix::put(root, below, text, was)
}

#[cfg(not(unix))]
fn put(root: &Path, below: &Path, text: &str, was: Option<Was<'_>>) -> io::Result<Replaced> {
    use crate::atomic_file::{self, Over, Readers};
    check(root, below)?;
    let path = root.join(below);
    if let Some((was, _)) = was {
        if std::fs::read(&path)? != was {
            return Ok(Replaced::Changed);
        }
        atomic_file::write(&path, text, Readers::All, Over::Replace)?;
    } else {
        std::fs::create_dir_all(path.parent().unwrap_or(root))?;
        atomic_file::write(&path, text, Readers::All, Over::Never)?;
    }
    Ok(Replaced::Yes)
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{self, Read as _, Seek as _, Write as _};
    use std::os::fd::{AsRawFd as _, OwnedFd};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
    use rustix::io::Errno;

    use super::{Replaced, Was, link, steps};
    use crate::late::{Keep, Kept, ends_in_half_a_line};
    use crate::{atomic_file, open_files};

    /// A folder that is held open.
    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// How long somebody may take to open a file. Where nobody knows who has it open, also to write to it.
    const LAST_WORD: Duration = Duration::from_millis(4);
    /// Where we ourselves are woken so much too late, others may be stopped for that many times as long.
    const LATER: u32 = 10;
    /// Most that is waited for that.
    const LATEST: Duration = Duration::from_millis(300);
    /// How long we wait for somebody who has it open. Who writes later than that writes to a file that has no name any more.
    const PATIENCE: Duration = Duration::from_secs(2);

    pub(super) fn put(root: &Path, below: &Path, text: &str, was: Option<Was<'_>>) -> io::Result<Replaced> {
        let steps = steps(below)?;
        let Some((name, folders)) = steps.split_last() else { return Err(io::ErrorKind::InvalidInput.into()) };
        // The root is the user's own word: it may be a link.
        let mut folder = fs::openat(CWD, root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut at = root.to_owned();
        for step in folders {
            at.push(step);
            folder = down(&folder, step, &at)?;
        }
        atomic_file::sweep(&root.join(below));
        let mut mode = Mode::from_raw_mode(0o644);
        match fs::statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Symlink => {
                return Err(link(&at.join(name)));
            }
            Ok(found) => mode = Mode::from_raw_mode(found.st_mode & 0o777),
            Err(Errno::NOENT) if was.is_some() => return Ok(Replaced::Changed),
            Err(Errno::NOENT) => {}
            Err(e) => return Err(e.into()),
        }
        let part = Part::write(&folder, name, text, mode)?;
        let done = match was {
            None => part.name_it(name).map(|()| Replaced::Yes),
            Some((was, keep)) => part.swap(name, was, text.as_bytes(), keep),
        };
        // The name is on the disk once the folder is. Not every system can wait for a folder.
        let _ = fs::fsync(&folder);
        done
    }

    fn down(folder: &OwnedFd, step: &OsStr, at: &Path) -> io::Result<OwnedFd> {
        let open = || fs::openat(folder, step, FOLDER, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) => {
                match fs::mkdirat(folder, step, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(e) => return Err(e.into()),
                }
                open()
            }
            other => other,
        };
        opened.map_err(|e| if matches!(e, Errno::LOOP | Errno::NOTDIR | Errno::MLINK) { link(at) } else { e.into() })
    }

    /// Lets others do what they have begun: the longer, the busier the machine is.
    fn give_time() {
        let begun = Instant::now();
        std::thread::sleep(LAST_WORD);
        let late = begun.elapsed().saturating_sub(LAST_WORD);
        std::thread::sleep((late * LATER).min(LATEST));
    }

    /// What became of a file that lost its name.
    #[derive(PartialEq, Eq)]
    enum Then {
        /// All that was added to it is taken over.
        Took,
        /// It was written anew.
        Anew,
    }

    /// A file beside the place of another; it goes with this.
    struct Part<'f> {
        folder: &'f OwnedFd,
        name: String,
        /// Held, and locked: nobody sweeps it away.
        file: File,
    }

    impl Drop for Part<'_> {
        fn drop(&mut self) {
            let _ = fs::unlinkat(self.folder, self.name.as_str(), AtFlags::empty());
        }
    }

    impl<'f> Part<'f> {
        fn write(folder: &'f OwnedFd, name: &OsStr, text: &str, mode: Mode) -> io::Result<Self> {
            let mut drawn = [0; 8];
            getrandom::fill(&mut drawn).map_err(|e| io::Error::other(e.to_string()))?;
            let name = atomic_file::part_name(&name.to_string_lossy(), u64::from_le_bytes(drawn));
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut file = File::from(fs::openat(folder, name.as_str(), flags, mode)?);
            let _ = file.try_lock();
            let part = |file| Self { folder, name: name.clone(), file };
            if let Err(e) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
                drop(part(file));
                return Err(e);
            }
            // Whoever made it may have a mask for new files.
            let _ = fs::fchmod(&file, mode);
            Ok(part(file))
        }

        /// Gives it a name that is free.
        fn name_it(self, name: &OsStr) -> io::Result<()> {
            fs::linkat(self.folder, self.name.as_str(), self.folder, name, AtFlags::empty())?;
            Ok(())
        }

        /// Takes the place of a file with these bytes. What stood there is looked at after the change of places, when nobody
        /// can come in between any more.
        fn swap(&self, name: &OsStr, was: &[u8], text: &[u8], keep: Option<Keep<'_>>) -> io::Result<Replaced> {
            let there = open(self.folder, name)?;
            let now = bytes_of(&there)?;
            // Who is in the middle of a line is let end it.
            if ends_in_half_a_line(&now) && place(&there).as_deref().is_some_and(open_files::is_written_to) {
                give_time();
                return Ok(Replaced::Changed);
            }
            // What was added to a shared file goes into ours, too: who writes all the time keeps nobody waiting.
            let grown = keep.is_some() && now.starts_with(was) && !ends_in_half_a_line(was);
            if now != was && !grown {
                return Ok(Replaced::Changed);
            }
            let more = now.get(was.len()..).unwrap_or_default();
            if !more.is_empty() {
                (&self.file).write_all(more).and_then(|()| self.file.sync_all())?;
            }
            let (was, text) = (now.as_slice(), [text, more].concat());
            match self.change_places(name) {
                Ok(()) => {}
                // A disk that cannot do that.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                    fs::renameat(self.folder, self.name.as_str(), self.folder, name)?;
                    return Ok(Replaced::Yes);
                }
                Err(e) => return Err(e.into()),
            }
            // From now on the old file has the name of the part. Who sweeps parts away must not find it without a lock.
            let old = open(self.folder, OsStr::new(&self.name))?;
            let _ = old.try_lock();
            // Who is stopped in the middle of opening it is not seen by anybody.
            let kept = keep.and_then(|keep| self.keep(keep, was).ok());
            if self.follow(name, &old, was, kept.as_ref())? == Then::Took {
                return Ok(Replaced::Yes);
            }
            kept.map(|kept| self.back(kept)).transpose()?;
            self.give_way(name, &text)
        }

        /// Takes over what is added to a file that lost its name, for as long as somebody has it open. A line is taken when it is
        /// whole: its writer may be stopped in the middle of it, and write the next one to the new file.
        fn follow(&self, name: &OsStr, old: &File, was: &[u8], kept: Option<&Kept>) -> io::Result<Then> {
            let (begun, mut seen) = (Instant::now(), was.len());
            loop {
                give_time();
                let goes_on =
                    place(old).as_deref().is_some_and(open_files::is_written_to) && begun.elapsed() < PATIENCE;
                let now = bytes_of(old)?;
                // The rest of a line belongs where the line began, and there stands something else by now.
                if !now.starts_with(was) || now.len() < seen || ends_in_half_a_line(was) && now.len() > seen {
                    return Ok(Then::Anew);
                }
                let lines = || now[seen..].iter().rposition(|byte| *byte == b'\n').map_or(seen, |end| seen + end + 1);
                let upto = if goes_on { lines() } else { now.len() };
                if upto > seen {
                    let begins = |at| kept.map_or(Ok(()), |kept| kept.note_adding(&now[..seen], at));
                    self.append(name, &now[seen..upto], begins)?;
                    kept.map(|kept| kept.note(&now[..upto])).transpose()?;
                    seen = upto;
                }
                if !goes_on {
                    return Ok(Then::Took);
                }
            }
        }

        /// Has the old file kept, of which the new one has these bytes. On another disk than our data it cannot be.
        fn keep(&self, keep: Keep<'_>, taken: &[u8]) -> io::Result<Kept> {
            let kept = keep.begin(self.name.trim_start_matches('.'), taken)?;
            match fs::renameat(self.folder, self.name.as_str(), CWD, kept.folder.join(Kept::FILE)) {
                Ok(()) => Ok(kept),
                Err(e) => {
                    kept.forget();
                    Err(e.into())
                }
            }
        }

        /// Has it back.
        fn back(&self, kept: Kept) -> io::Result<()> {
            fs::renameat(CWD, kept.folder.join(Kept::FILE), self.folder, self.name.as_str())?;
            kept.forget();
            Ok(())
        }

        /// What somebody added to the old file is added to the new one, on a line of its own. `begins` is told where.
        fn append(&self, name: &OsStr, more: &[u8], begins: impl Fn(usize) -> io::Result<()>) -> io::Result<()> {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut file = File::from(fs::openat(self.folder, name, flags, Mode::empty())?);
            let begun = Instant::now();
            // Not into the middle of a line that somebody is writing there.
            while ends_in_half_a_line(&bytes_of(&file)?)
                && place(&file).as_deref().is_some_and(open_files::is_written_to)
                && begun.elapsed() < PATIENCE
            {
                give_time();
            }
            let there = bytes_of(&file)?;
            begins(there.len())?;
            let newline: &[u8] = if ends_in_half_a_line(&there) { b"\n" } else { b"" };
            file.write_all(&[newline, more].concat())?;
            file.sync_all()
        }

        /// Somebody wrote the file anew: theirs stays. What was added to ours meanwhile is added to it.
        fn give_way(&self, name: &OsStr, text: &[u8]) -> io::Result<Replaced> {
            self.change_places(name)?;
            let ours = open(self.folder, OsStr::new(&self.name))?;
            if self.follow(name, &ours, text, None)? == Then::Anew {
                // Somebody was here in that moment, too: the last word is theirs.
                self.change_places(name)?;
            }
            Ok(Replaced::Changed)
        }

        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        fn change_places(&self, name: &OsStr) -> Result<(), Errno> {
            use rustix::fs::RenameFlags;
            fs::renameat_with(self.folder, self.name.as_str(), self.folder, name, RenameFlags::EXCHANGE)
        }

        #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
        fn change_places(&self, _: &OsStr) -> Result<(), Errno> {
            Err(Errno::NOSYS)
        }
    }

    fn open(folder: &OwnedFd, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(fs::openat(folder, name, flags, Mode::empty())?))
    }

    /// All bytes of a file, as it is now.
    fn bytes_of(mut file: &File) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Where a file lies, as the system names it.
    fn place(file: &File) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn a_file_is_made_replaced_and_removed_and_what_somebody_changed_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let below = Path::new("a/b/c.md");
        let path = create(root.path(), below, "one").expect("made");
        assert!(create(root.path(), below, "two").is_err());
        assert_eq!(replace(root.path(), below, b"one", "two").expect("done"), Replaced::Yes);
        assert_eq!(replace(root.path(), below, b"one", "three").expect("done"), Replaced::Changed);
        assert_eq!(read_all(&path), "two");
        assert!(!remove(root.path(), below, |b| b == b"one").expect("looked"));
        assert!(remove(root.path(), below, |b| b == b"two").expect("removed"));
        assert_eq!(std::fs::read_dir(root.path()).expect("there").count(), 0);
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_refused() {
        let root = tempfile::tempdir().expect("a folder");
        for below in ["", "..", "../x", "a/../../x", "/etc/x"] {
            assert!(create(root.path(), Path::new(below), "x").is_err(), "{below}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_also_if_it_comes_up_meanwhile() {
        let (root, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (dir, away, gone) = (root.path().join("d"), outside.path(), root.path().join("gone"));
        std::os::unix::fs::symlink(away, root.path().join("l")).expect("a link");
        assert!(create(root.path(), Path::new("l/x.md"), "x").is_err());
        std::fs::create_dir(&dir).expect("made");
        let stop = std::sync::atomic::AtomicBool::new(false);
        let go_on = || !stop.load(std::sync::atomic::Ordering::Relaxed);
        std::thread::scope(|s| {
            s.spawn(|| {
                while go_on() {
                    let _ = std::fs::rename(&dir, &gone);
                    let _ = std::os::unix::fs::symlink(away, &dir);
                    let _ = std::fs::remove_file(&dir);
                    let _ = std::fs::rename(&gone, &dir);
                }
            });
            for n in 0..2_000 {
                let _ = create(root.path(), Path::new(&format!("d/{n}.md")), "x");
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(std::fs::read_dir(away).expect("there").count(), 0);
    }
}
