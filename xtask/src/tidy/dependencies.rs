//! What may be depended on: by each of our crates, and by all of them together.
//!
//! `deny.toml` is the list of what is banned. It is checked here too, as `cargo deny` is not everywhere.

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::{Violation, violation};

/// How many crates stand in Cargo.lock, our own among them. Whoever changes this number decided so: a new dependency
/// brings others along.
pub(super) const LOCK_COUNT: usize = 247;

/// Where crates may come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Crates a manifest must not name.
const NO_DEPENDENCY: &[(&str, &[&str])] = &[
    ("crates/core/Cargo.toml", &["rusqlite", "clap", "anstream", "anyhow", "tempfile", "uptake", "uptake-store"]),
    ("crates/store/Cargo.toml", &["clap", "anstream", "uptake"]),
    ("crates/uptake/Cargo.toml", &["rusqlite"]),
];

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    /// None: one of ours.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Deny {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    reason: String,
}

pub(super) fn check_manifest(file: &str, text: &str, out: &mut Vec<Violation>) {
    for (_, banned) in NO_DEPENDENCY.iter().filter(|(manifest, _)| *manifest == file) {
        // What tests need is not what the crate needs.
        let mut counts = true;
        for (i, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                counts = !line.starts_with("[dev-dependencies");
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if counts && line.contains('=') && banned.contains(&name) {
                out.push(violation(file, i + 1, format!("must not depend on `{name}`")));
            }
        }
    }
}

pub(super) fn check_lock(lock: &str, deny: &str, out: &mut Vec<Violation>) -> Result<()> {
    let lock: Lock = toml_edit::de::from_str(lock).context("cannot read Cargo.lock")?;
    let deny: Deny = toml_edit::de::from_str(deny).context("cannot read deny.toml")?;
    let count = lock.package.len();
    if count != LOCK_COUNT {
        let rule = format!("{count} crates, and LOCK_COUNT says {LOCK_COUNT}: is the new dependency worth it?");
        out.push(violation("Cargo.lock", 0, rule));
    }
    for package in &lock.package {
        let name = &package.name;
        if let Some(ban) = deny.bans.deny.iter().find(|b| b.name == *name) {
            out.push(violation("Cargo.lock", 0, format!("`{name}` is banned by deny.toml: {}", ban.reason)));
        }
        if package.source.as_ref().is_some_and(|s| s != REGISTRY) {
            out.push(violation("Cargo.lock", 0, format!("`{name}` does not come from crates.io")));
        }
    }
    Ok(())
}
