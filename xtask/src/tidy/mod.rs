//! Project rules that neither the compiler nor clippy checks: which room may use which, who may print, what may be
//! depended on, and whether the pages name the commands that exist.
//!
//! Comes in: the files git knows or would take. Goes out: one line per violation, `file:line: rule`.
//! Deliberately simple: it looks at lines, without strings and comments, and not at syntax trees. What a method call
//! is, clippy knows better: see `clippy.toml` and `crates/core/clippy.toml`.

mod commands;
mod dependencies;
mod length;
mod migrations;
mod packages;
mod rooms;
mod source;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use source::Source;

struct Violation {
    file: String,
    line: usize,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.rule)
    }
}

fn violation(file: &str, line: usize, rule: impl Into<String>) -> Violation {
    Violation { file: file.to_owned(), line, rule: rule.into() }
}

/// Checks all rules and prints what breaks them.
pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = violations(&root)?;
    for violation in &found {
        println!("{violation}");
    }
    ensure!(found.is_empty(), "{} rules are broken", found.len());
    println!("tidy");
    Ok(())
}

fn violations(root: &Path) -> Result<Vec<Violation>> {
    let files = files(root)?;
    let rooms = rooms::in_order(&read(root, "crates/core/src/lib.rs")?)?;
    let mut out = Vec::new();
    for file in &files {
        // what is no text has no lines
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        check_file(file, &text, &rooms, &mut out);
    }
    length::check_list(&files, &mut out);
    migrations::check(&read(root, migrations::LIST)?, &files, &mut out);
    dependencies::check_lock(&read(root, "Cargo.lock")?, &read(root, "deny.toml")?, &mut out)?;
    packages::check(root, &read(root, "Cargo.toml")?, &mut out)?;
    let main = read(root, commands::MAIN)?;
    commands::check(&main, &read(root, "ARCHITECTURE.md")?, &read(root, "README.md")?, &mut out)?;
    Ok(out)
}

/// The rules for a file by itself.
fn check_file(file: &str, text: &str, rooms: &[String], out: &mut Vec<Violation>) {
    words::check_text(file, text, out);
    if file.ends_with(".rs") {
        let source = Source::new(file, text);
        words::check(&source, out);
        rooms::check(&source, rooms, out);
        rooms::check_commands(&source, out);
    }
    length::check(file, text, out);
    dependencies::check_manifest(file, text, out);
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read `{file}`"))
}

/// What git tracks or would: ignored files are nobody's.
fn files(root: &Path) -> Result<Vec<String>> {
    let git = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    if !git.status.success() {
        bail!("cannot list files: {}", String::from_utf8_lossy(&git.stderr).trim());
    }
    let names = String::from_utf8_lossy(&git.stdout);
    let mut files: Vec<String> =
        names.split('\0').filter(|n| !n.is_empty() && root.join(n).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}
