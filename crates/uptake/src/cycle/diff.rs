//! What changed in a checkout since a commit: committed, staged, unstaged and new files, by two runs of git however many places are
//! looked up in it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use uptake_core::measure::places::Changed;

/// New files that are taken; more are something that nobody wrote by hand.
const NEW_FILES: usize = 10_000;

/// What changed since a commit, and a sum that is the same for the same change.
pub fn since(top: &Path, commit: &str) -> Result<(Changed, String)> {
    ensure!(!commit.starts_with('-'), "`{commit}` is no commit; --since takes a commit, a tag or a branch");
    let filters = own_filters(top)?;
    let git = |args: &[&str]| git(top, &filters, args);
    let unborn = commit == "HEAD" && git(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_err();
    let diff = if unborn {
        String::new()
    } else {
        git(&["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "-U0", commit, "--"])
            .with_context(|| format!("cannot compare with `{commit}`; --since takes a commit, a tag or a branch"))?
    };
    let mut changed = Changed::of_diff(&diff);
    let new = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    new.split('\0').filter(|n| !n.is_empty()).take(NEW_FILES).for_each(|name| changed.whole(name));
    let mut sum = blake3::Hasher::new();
    for part in [commit, &diff, &new] {
        sum.update(part.as_bytes()).update(&[0]);
    }
    Ok((changed, sum.finalize().to_hex()[..12].to_owned()))
}

/// Filters that the repository's own settings name: git would run their commands on every file that it compares. Those of the
/// user's settings are the user's.
fn own_filters(top: &Path) -> Result<Vec<String>> {
    let all = git(top, &[], &["config", "--show-scope", "-z", "--name-only", "--list"])?;
    let mut parts = all.split('\0');
    let mut names = Vec::new();
    while let (Some(scope), Some(key)) = (parts.next(), parts.next()) {
        let name = key.strip_prefix("filter.").and_then(|k| k.rsplit_once('.')).map(|(name, _)| name);
        if let (true, Some(name)) = (["local", "worktree"].contains(&scope), name) {
            ensure!(
                !name.contains('='),
                "the repository sets a filter with a `=` in its name, which cannot be left out"
            );
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// Runs git. No monitor, filter, external diff or conversion that the repository's own settings name is run, and no lock is taken.
fn git(top: &Path, filters: &[String], args: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    command.args(filters.iter().flat_map(|name| {
        let unset = |what: &str| ["-c".to_owned(), format!("filter.{name}.{what}")];
        ["clean=", "smudge=", "process=", "required=false"].map(unset).into_iter().flatten()
    }));
    command.args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.noprefix=false"]);
    command.args(["-c", "diff.mnemonicPrefix=false"]).args(args).current_dir(top);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").stdin(Stdio::null());
    let out = command.output().context("cannot run git")?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        bail!("git says: {}", why.lines().next().unwrap_or("nothing"));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
