//! `changes`: random sequences of what a history and a person do to a lesson, against a small model.
//!
//! The sequences are an ordinary test of the store (`crates/store/tests/changes.rs`); here it runs many more of them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Figure, Options};

/// Sequences that must equal the model.
const SEQUENCES: usize = 20_000;

/// Runs the check.
pub fn run(_options: &Options) -> Result<Vec<Figure>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = Command::new("cargo")
        .args(["test", "--release", "--quiet", "--package", "uptake-store", "--test", "changes", "--", "--nocapture"])
        .env("UPTAKE_SEQUENCES", SEQUENCES.to_string())
        .current_dir(root)
        .output()
        .context("cargo does not start")?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let whole = out.status.success() && said.contains(&format!("{SEQUENCES} sequences"));
    let figure = Figure::new("sequences of changes that equal the model", if whole { SEQUENCES } else { 0 });
    let trouble = String::from_utf8_lossy(&out.stderr);
    let first = trouble.lines().chain(said.lines()).find(|l| l.contains("sequence ")).unwrap_or_default();
    Ok(vec![figure.bar(SEQUENCES.to_string(), whole).why(if whole { "" } else { first })])
}
