//! Who can reach the data folder besides the user: says so, with the command that cures it.
//!
//! Comes in: the data folder as the user named it. Goes out: at most one warning a process. Deliberately absent: a cure by
//! ourselves; a folder that was opened to others may have been meant so. Hooks do not ask: nobody would read it.

use std::path::Path;
use std::sync::Once;

use crate::ui::{Ui, YELLOW, styled};

static SAID: Once = Once::new();

/// Warns if others can reach the folder.
pub fn warn_once(data: &Path) {
    SAID.call_once(|| {
        if let Some(words) = warning(data) {
            Ui::note(styled(YELLOW, &words));
        }
    });
}

#[cfg(unix)]
fn warning(data: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    // What counts is the folder behind a link; a link of somebody else could point elsewhere tomorrow.
    let folder = std::fs::metadata(data).ok().filter(std::fs::Metadata::is_dir)?;
    let link = std::fs::symlink_metadata(data).ok().filter(std::fs::Metadata::is_symlink);
    let real = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let me = own_id();
    let foreign = |m: &std::fs::Metadata| me.is_some_and(|me| me != m.uid());
    if foreign(&folder) {
        return Some(format!(
            "warning: the data folder `{}` belongs to another user; make it yours: sudo chown -R {} {}",
            real.display(),
            me.unwrap_or_default(),
            quoted(&real)
        ));
    }
    if let Some(words) = opened(folder.mode()) {
        return Some(format!(
            "warning: others can {words} what is in the data folder `{}`; keep it to yourself: chmod 700 {}",
            real.display(),
            quoted(&real)
        ));
    }
    link.filter(foreign).map(|_| {
        format!(
            "warning: the link to the data folder, `{}`, belongs to another user; name the folder itself: UPTAKE_HOME={}",
            data.display(),
            quoted(&real)
        )
    })
}

#[cfg(not(unix))]
fn warning(_data: &Path) -> Option<String> {
    None
}

/// What others can do in a folder of this mode.
#[cfg(unix)]
fn opened(mode: u32) -> Option<&'static str> {
    let (read, write) = (mode & 0o044 != 0, mode & 0o022 != 0);
    match (read, write) {
        (true, true) => Some("read and change"),
        (true, false) => Some("see"),
        (false, true) => Some("change"),
        (false, false) => None,
    }
}

/// The user we run as. Without unsafe code only a file of ours tells; where there is no such file, the home folder's owner.
#[cfg(unix)]
fn own_id() -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let home = || etcetera::home_dir().ok().and_then(|home| std::fs::metadata(home).ok());
    std::fs::metadata("/proc/self").ok().or_else(home).map(|m| m.uid())
}

/// A path as a shell takes it.
#[cfg(unix)]
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+,@%".contains(&b));
    if plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
