//! A client that runs only hooks the user agreed to: our agreement in its settings, put in only after a yes.
//!
//! It is a block at the end of a TOML file, so that no other byte changes.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use toml_edit::DocumentMut;
use uptake_core::learn::sha256_hex;
use uptake_core::sources::{Form, Trust};

use super::json_text::{self, Inserted};
use super::record::{FileRecord, Record};
use super::{Client, FileChange, Trusting, all_handlers, text_of};
use crate::env_vars;
use crate::world::World;

const MARK: &str = "# uptake may run these hooks (removed by: uptake uninstall)";

/// What becomes of the file in which trust is noted; `None` if nothing does.
pub(super) fn plan(
    client: &Client,
    world: &World,
    trust: Trust,
    hooks: &FileChange,
    command: &str,
    known: Option<&Record>,
    trusting: Trusting,
) -> Result<Option<(FileChange, FileRecord)>> {
    let path = client.agent.folder(&world.home).join(trust.settings);
    let before = text_of(&path)?;
    let clean = without(&path, before.as_deref(), known)?;
    if trusting == Trusting::No {
        let record = FileRecord { path: path.clone(), ..FileRecord::default() };
        let change = FileChange { path, before, after: clean };
        return Ok(change.is_one().then_some((change, record)));
    }
    let wanted = wanted(client, world, trust, hooks.after.as_deref().unwrap_or_default(), command);
    // Without a record of ours, what is noted of these hooks is from before: it would be said twice.
    let clean = match clean {
        Some(text) if wanted.iter().any(|(key, _)| noted(&text, key)) => {
            Some(without_keys(&path, &text, wanted.iter().map(|(key, _)| key.as_str()))?)
        }
        clean => clean,
    };
    let text = clean.clone().unwrap_or_default();
    let begin = if text.is_empty() || text.ends_with("\n\n") {
        ""
    } else if text.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let mut block = format!("{begin}{MARK}\n");
    for (key, sum) in &wanted {
        block.push_str(&format!("[hooks.state.{}]\ntrusted_hash = \"{sum}\"\n", toml_string(key)));
    }
    let after = format!("{text}{block}");
    let sums = sums_in(&after).with_context(|| {
        format!("cannot add to `{}`; trust the hooks in the client itself instead (--no-trust)", path.display())
    })?;
    ensure!(wanted.iter().all(|one| sums.contains(one)), "`{}` says otherwise of our hooks", path.display());
    let record = FileRecord {
        path: path.clone(),
        before: clean.as_ref().map(|text| sha256_hex(text.as_bytes())),
        after: sha256_hex(after.as_bytes()),
        inserted: vec![Inserted { at: text.len(), text: block }],
        made: wanted.into_iter().map(|(key, _)| key).collect(),
        folders: Vec::new(),
    };
    Ok(Some((FileChange { path, before, after: Some(after) }, record)))
}

/// The file without what was put in.
pub(super) fn removal(client: &Client, world: &World, trust: Trust, record: &Record) -> Result<Option<FileChange>> {
    let path = client.agent.folder(&world.home).join(trust.settings);
    if record.file(&path).is_none() {
        return Ok(None);
    }
    let before = text_of(&path)?;
    let after = without(&path, before.as_deref(), Some(record))?;
    Ok(Some(FileChange { path, before, after }))
}

fn without(path: &Path, text: Option<&str>, record: Option<&Record>) -> Result<Option<String>> {
    let (Some(text), Some(file)) = (text, record.and_then(|record| record.file(path))) else {
        return Ok(text.map(str::to_owned));
    };
    if let Some(undone) = file.undone(text) {
        return Ok(undone);
    }
    // It was changed since. Where our block still stands as it is, it goes; else its tables do.
    if let Some(Inserted { text: block, .. }) = file.inserted.first()
        && text.matches(block.as_str()).count() == 1
    {
        return Ok(Some(text.replacen(block.as_str(), "", 1)));
    }
    without_keys(path, text, file.made.iter().map(String::as_str)).map(Some)
}

fn noted(text: &str, key: &str) -> bool {
    sums_in(text).unwrap_or_default().iter().any(|(known, _)| known == key)
}

/// The file without what is noted of these hooks.
fn without_keys<'k>(path: &Path, text: &str, keys: impl Iterator<Item = &'k str>) -> Result<String> {
    let mut document: DocumentMut =
        text.parse().with_context(|| format!("cannot understand `{}`; nothing was changed", path.display()))?;
    if let Some(state) = document.get_mut("hooks").and_then(|h| h.get_mut("state")).and_then(|s| s.as_table_like_mut())
    {
        keys.for_each(|key| drop(state.remove(key)));
    }
    Ok(document.to_string())
}

/// Whether every hook of ours is trusted.
pub(super) fn is_trusted(client: &Client, world: &World, trust: Trust, hooks: &str, command: &str) -> Result<bool> {
    let text = text_of(&client.agent.folder(&world.home).join(trust.settings))?.unwrap_or_default();
    let sums = sums_in(&text).unwrap_or_default();
    let wanted = wanted(client, world, trust, hooks, command);
    Ok(!wanted.is_empty() && wanted.iter().all(|one| sums.contains(one)))
}

/// What must be noted for our hooks in a file of hooks.
fn wanted(client: &Client, world: &World, trust: Trust, hooks: &str, command: &str) -> Vec<(String, String)> {
    let Ok(root) = json_text::parse(hooks) else { return Vec::new() };
    let file = own_path(client, world);
    let Form::Entries { patience } = client.reply.form else { return Vec::new() };
    let ours = all_handlers(&root).filter(|h| h.command == command);
    ours.map(|h| {
        let key = (trust.key)(&file.to_string_lossy(), h.event, h.group, h.at);
        (key, (trust.sum)(h.event, h.matcher, h.command, patience))
    })
    .collect()
}

/// The file of hooks as the client spells it: a folder that a variable names is resolved.
fn own_path(client: &Client, world: &World) -> PathBuf {
    let path = client.settings(world);
    let moved = env_vars::get(client.agent.settings.var).is_some();
    let real = |path: &PathBuf| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    if moved { real(&path).unwrap_or(path) } else { path }
}

fn sums_in(text: &str) -> Option<Vec<(String, String)>> {
    let document: DocumentMut = text.parse().ok()?;
    let state = document.get("hooks").and_then(|h| h.get("state")).and_then(|s| s.as_table_like());
    let sum =
        |(key, item): (&str, &toml_edit::Item)| Some((key.to_owned(), item.get("trusted_hash")?.as_str()?.to_owned()));
    Some(state.into_iter().flat_map(|s| s.iter().filter_map(sum).collect::<Vec<_>>()).collect())
}

fn toml_string(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}
