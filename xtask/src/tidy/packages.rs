//! Packages for agents have the version of the binary, and the same commands.
//!
//! Comes in: the workspace's manifest and the files that name a version. What is in a package beside that the clients' own
//! validators look at, in the tests with real clients.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{Violation, read, violation};

/// Files that name a version, and where in them.
const VERSIONS: &[(&str, &str)] = &[
    (".claude-plugin/marketplace.json", "/plugins/0/version"),
    ("packages/claude/.claude-plugin/plugin.json", "/version"),
    ("packages/opencode/package.json", "/version"),
    ("packages/gemini/gemini-extension.json", "/version"),
];
/// Commands that every package has.
const COMMANDS: &[&str] = &["retrospective", "optimize-skills", "uptake-wrong"];

pub(super) fn check(root: &Path, manifest: &str, out: &mut Vec<Violation>) -> Result<()> {
    let version = of_workspace(manifest).context("the workspace's manifest names no version")?;
    for (file, place) in VERSIONS {
        let value: Value = serde_json::from_str(&read(root, file)?).with_context(|| format!("`{file}` is no JSON"))?;
        if value.pointer(place).and_then(Value::as_str) != Some(version) {
            out.push(violation(file, 1, format!("its version is not the binary's, {version}")));
        }
    }
    let plugin = read(root, "packages/opencode/index.js")?;
    for command in COMMANDS {
        let skill = format!("packages/codex/skills/{command}/SKILL.md");
        if !read(root, &skill)?.contains(&format!("version: \"{version}\"")) {
            out.push(violation(&skill, 1, format!("its version is not the binary's, {version}")));
        }
        for file in
            [format!("packages/claude/commands/{command}.md"), format!("packages/gemini/commands/{command}.toml")]
        {
            read(root, &file)?;
        }
        if !plugin.contains(&format!("\"{command}\": {{")) {
            out.push(violation("packages/opencode/index.js", 1, format!("it has no command `{command}`")));
        }
    }
    Ok(())
}

fn of_workspace(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find(|line| line.starts_with("version = "))?;
    line.split('"').nth(1)
}
