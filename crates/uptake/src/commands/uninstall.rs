//! `uptake uninstall`: takes our hooks out of the agents' settings, and on request everything else.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args as ClapArgs;
use serde_json::{Value, json};
use uptake_core::learn::sha256_hex;
use uptake_store::{Artifact, Lessons};

use super::init::show_change;
use super::{Confirmed, Question};
use crate::install::{Client, FileChange, Removal};
use crate::ui::{self, BOLD, GREEN, Ui, styled};
use crate::world::World;

/// Take uptake out of your agents' settings again
///
/// A settings file that nobody changed since is as it was before, byte for byte; of others only our entries go. Skills and
/// what was learned stay, and are listed; --purge removes them, too.
#[derive(ClapArgs)]
pub struct Args {
    /// Also remove everything that was learned, the skills made of it, and uptake's settings
    #[arg(long)]
    purge: bool,
    /// Only show what would be changed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    confirmed: Confirmed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let json = args.confirmed.printed.json;
    let mut ui = Ui::stdout(json);
    let removals =
        Client::all_unasked(&world).map(|client| Removal::of(&client, &world)).collect::<Result<Vec<Removal>>>()?;
    let skills = skills(&world)?;
    if !json {
        tell(&mut ui, args, &world, &removals, &skills)?;
    }
    let row = |done: bool| {
        let files = removals.iter().flat_map(|r| &r.files).filter(|f| f.is_one()).map(|f| &f.path).collect::<Vec<_>>();
        let by_hand: Vec<&str> = removals.iter().filter(|r| r.by_hand).map(|r| r.agent.source).collect();
        json!({ "done": done, "changed": files, "by_hand": by_hand, "skills": skills, "purged": done && args.purge, "home": world.data })
    };
    if args.dry_run {
        return end(&mut ui, &row(false), "Nothing was changed.");
    }
    let nothing = removals.iter().all(Removal::is_done);
    if nothing && !args.purge {
        removals.iter().try_for_each(|removal| removal.carry_out(&world))?;
        return end(&mut ui, &row(true), "No agent's settings name uptake.");
    }
    if args.purge || !nothing && Ui::can_ask() {
        let gone =
            if args.purge { "everything that was learned is removed, for ever" } else { "agents are disconnected" };
        let question = Question { warning: gone.to_owned(), about: &[], words: format!("Go on: {gone}?") };
        if !args.confirmed.agrees(&mut ui, &question)? {
            return Ok(());
        }
    }
    removals.iter().try_for_each(|removal| removal.carry_out(&world))?;
    if args.purge {
        purge(&world, &skills)?;
    }
    end(&mut ui, &row(true), &format!("{} Done.", styled(GREEN, "✓")))
}

fn end(ui: &mut Ui, row: &Value, line: &str) -> Result<()> {
    if ui.json {
        ui.object(row)?;
    } else {
        ui.line(line)?;
    }
    Ok(ui.flush()?)
}

fn tell(ui: &mut Ui, args: &Args, world: &World, removals: &[Removal], skills: &[PathBuf]) -> Result<()> {
    for removal in removals.iter().filter(|r| !r.is_done()) {
        ui.line(styled(BOLD, removal.agent.title))?;
        removal.files.iter().filter(|f| f.is_one()).try_for_each(|file: &FileChange| show_change(ui, file))?;
    }
    for removal in removals.iter().filter(|r| r.by_hand) {
        ui.line(format!("{}: what you put into its settings by hand stays there.", removal.agent.title))?;
    }
    let fate = if args.purge { "removed" } else { "left" };
    if !skills.is_empty() {
        ui.line(format!("{} made of lessons, {fate}:", ui::count(skills.len() as u64, "file")))?;
        skills.iter().try_for_each(|path| ui.line(format!("  {}", path.display())))?;
    }
    if world.data.is_dir() {
        ui.line(format!("What was learned, {fate}: {}", world.data.display()))?;
    }
    if world.config.is_file() {
        ui.line(format!("uptake's settings, {fate}: {}", world.config.display()))?;
    }
    Ok(())
}

/// The files that were made of lessons and are still as they were made. What the user changed is the user's.
fn skills(world: &World) -> Result<Vec<PathBuf>> {
    let Some(lessons) = Lessons::open_read_only(&world.data)? else { return Ok(Vec::new()) };
    let as_made = |artifact: &Artifact| std::fs::read(&artifact.path).is_ok_and(|b| sha256_hex(&b) == artifact.sha256);
    Ok(lessons.artifacts(None)?.into_iter().filter(as_made).map(|artifact| PathBuf::from(artifact.path)).collect())
}

fn purge(world: &World, skills: &[PathBuf]) -> Result<()> {
    ensure!(
        !world.home.starts_with(&world.data) && (!world.data.exists() || world.data.join("lessons.db").exists()),
        "`{}` does not look like a folder that is uptake's alone; remove it by hand",
        world.data.display()
    );
    for skill in skills {
        std::fs::remove_file(skill).with_context(|| format!("cannot remove `{}`", skill.display()))?;
        // The folder of a skill, if nothing of the user's is in it.
        skill.parent().map(std::fs::remove_dir);
    }
    // The folder may be one that the user named, with other things in it.
    let entries = std::fs::read_dir(&world.data).into_iter().flatten().flatten();
    let ours: Vec<PathBuf> =
        entries.filter(|e| is_ours(&e.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
    ours.iter().try_for_each(|path| remove(path))?;
    let _ = std::fs::remove_dir(&world.data);
    remove(&world.config)
}

/// What uptake keeps in its folder, beside files of the two stores.
const OURS: &[&str] =
    &["spool", "bin", "installed", "projects", "reader", "hook.log", "reader.lock", "tombstone.key", "machine"];

fn is_ours(name: &str) -> bool {
    let store = ["lessons.", "sessions.", "background."];
    OURS.contains(&name) || store.iter().any(|start| name.trim_start_matches('.').starts_with(start))
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}
