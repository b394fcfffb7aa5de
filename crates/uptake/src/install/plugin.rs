//! A client that runs a file of ours inside of it: the whole file is ours, and so are folders that were made for it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use uptake_core::learn::sha256_hex;
use uptake_core::sources::{HookEvent, Installed, is_our_plugin};

use super::record::{FileRecord, Record};
use super::{Client, FileChange, Plan, Removal, link, text_of};
use crate::world::World;

/// What connecting would change. A file of that name that is not ours, or was changed since, stays.
pub(super) fn plan(
    client: Client,
    world: &World,
    text: fn(&Installed<'_>) -> String,
    events: Vec<HookEvent>,
    command: String,
) -> Result<Plan> {
    let path = client.settings(world);
    let before = text_of(&path)?;
    let known = Record::of(&world.data, client.agent.source);
    let own = known.as_ref().and_then(|record| record.file(&path));
    let home = link::moved_home(world);
    let binary = link(&world.data).to_string_lossy().into_owned();
    let after = text(&Installed {
        binary: &binary,
        home: home.as_deref(),
        before_calls: world.settings()?.asks_before_calls(),
    });
    let as_put_in = |before: &str| own.is_some_and(|own| own.after == sha256_hex(before.as_bytes()));
    if let Some(before) = &before
        && *before != after
        && !as_put_in(before)
    {
        let whose = if is_our_plugin(before) { "was changed by somebody" } else { "is not from uptake" };
        bail!("`{}` {whose}; move it away to connect {}, nothing was changed", path.display(), client.agent.title);
    }
    let folders = own.map_or_else(|| missing_above(&path), |own| own.folders.clone());
    let file = FileRecord { path: path.clone(), after: sha256_hex(after.as_bytes()), folders, ..FileRecord::default() };
    let names = events.iter().map(|e| e.name.to_owned()).collect();
    let record = Record::new(&command, client.version.map(|v| v.to_string()), names, vec![file]);
    let files = vec![FileChange { path, before, after: Some(after) }];
    Ok(Plan { client, events, by_hand: Vec::new(), command, files, record })
}

/// Folders that must be made for a file, innermost first.
fn missing_above(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

/// What disconnecting would change: our file goes, if it is as it was put in.
pub(super) fn removal(client: &Client, world: &World, record: Option<&Record>) -> Result<Removal> {
    let path = client.settings(world);
    let before = text_of(&path)?;
    let own = record.and_then(|record| record.file(&path));
    let as_put_in = before.as_ref().is_some_and(|text| own.is_some_and(|own| own.undone(text).is_some()));
    let by_hand = !as_put_in && before.as_deref().is_some_and(is_our_plugin);
    let after = if as_put_in { None } else { before.clone() };
    let folders = own.map(|own| own.folders.clone()).unwrap_or_default();
    Ok(Removal { agent: client.agent, files: vec![FileChange { path, before, after }], by_hand, folders })
}
