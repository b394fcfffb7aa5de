//! The link under which agents run us, and the command line that stands in their settings.
//!
//! The line must not change when uptake is updated: one client trusts it by its bytes. It runs without a PATH, and does
//! nothing, quietly, where the binary is gone.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::env_vars;
use crate::world::World;

/// The stable link.
pub fn link(data: &Path) -> PathBuf {
    data.join("bin").join(format!("uptake{}", std::env::consts::EXE_SUFFIX))
}

/// The line for a source. `[` is built into every shell that clients use.
pub fn command_line(world: &World, source: &str) -> String {
    let path = quoted(&link(&world.data));
    let home = moved_home(world).map(|_| format!("{}={} ", env_vars::UPTAKE_HOME, quoted(&world.data)));
    let home = home.unwrap_or_default();
    format!("[ -x {path} ] && {home}{path} hook {source} || true")
}

/// The data folder, if a variable names it: an agent that a desktop starts has other variables than the terminal of today.
pub(super) fn moved_home(world: &World) -> Option<String> {
    let moved = [env_vars::UPTAKE_HOME, env_vars::XDG_DATA_HOME].iter().any(|name| env_vars::get(name).is_some());
    moved.then(|| world.data.to_string_lossy().into_owned())
}

/// Whether a line is one that we wrote, now or with another data folder.
pub(super) fn is_own_line(command: &str, source: &str) -> bool {
    command.starts_with("[ -x '") && command.ends_with(&format!(" hook {source} || true"))
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// Makes the link, or lets it lead to this binary.
pub fn make_link(world: &World) -> Result<()> {
    let link = link(&world.data);
    let binary = stable_path().context("cannot find out where uptake itself is")?;
    if std::fs::read_link(&link).is_ok_and(|to| to == binary) {
        return Ok(());
    }
    let folder = link.parent().context("the link is in no folder")?;
    uptake_store::open::make_home(&world.data)?;
    uptake_store::open::make_home(folder)?;
    let part = folder.join(format!(".uptake-{}", std::process::id()));
    let _ = std::fs::remove_file(&part);
    make(&binary, &part)
        .and_then(|()| std::fs::rename(&part, &link))
        .with_context(|| format!("cannot make `{}`", link.display()))
}

#[cfg(unix)]
fn make(binary: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(binary, link)
}

/// Elsewhere links need rights that few have.
#[cfg(not(unix))]
fn make(binary: &Path, link: &Path) -> std::io::Result<()> {
    std::fs::copy(binary, link).map(drop)
}

/// Where this binary is, by a name that an update keeps: the one on the PATH, if it leads here.
fn stable_path() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let real = own.canonicalize().ok()?;
    let path = env_vars::get(env_vars::PATH).unwrap_or_default();
    let name = format!("uptake{}", std::env::consts::EXE_SUFFIX);
    let on_path = std::env::split_paths(&path).filter(|f| f.is_absolute()).map(|f| f.join(&name));
    let mut same = on_path.filter(|p| p.canonicalize().is_ok_and(|p| p == real));
    Some(same.next().unwrap_or(real))
}
