//! `uptake status`: what is there, in a few lines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_core::learn::staging;
use uptake_store::{Lessons, Sessions, spool};

use super::Printed;
use crate::env_vars;
use crate::repo_settings::{self, RepoSettings};
use crate::ui::{self, BOLD, Ui, styled};
use crate::world::World;

/// Say what was learned and what waits for you
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let sessions = Sessions::open_read_only(&world.data)?.map_or(Ok(0), |s| s.count())?;
    let settings = world.settings()?;
    let lessons = Lessons::open_read_only(&world.data)?;
    let tally = lessons.as_ref().map_or(Ok(Vec::new()), |l| l.tally(world.now))?;
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    tally.iter().for_each(|(status, n)| *by.entry(status.as_str()).or_default() += n);
    let carried = untrusted(lessons.as_ref())?;
    let candidates = lessons.as_ref().map_or(Ok(0), candidates)?;
    let today = hints_today(&world);
    let waiting = by.get("ready").copied().unwrap_or(0);
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        ui.object(&serde_json::json!({
            "home": world.data, "config": world.config, "off": env_vars::is_off(), "enabled": settings.enabled,
            "mode": settings.mode, "sessions": sessions, "lessons": by, "untrusted": carried, "candidates": candidates,
            "hints_today": today,
        }))?;
        return Ok(ui.flush()?);
    }
    ui.line(format!("{} in {}", styled(BOLD, "uptake"), world.data.display()))?;
    ui.line(format!("  {} read", ui::count(sessions as u64, "session")))?;
    let list: Vec<String> = by.iter().map(|(word, n)| format!("{n} {word}")).collect();
    ui.line(format!("  lessons: {}", if list.is_empty() { "none yet".to_owned() } else { list.join(", ") }))?;
    ui.line(format!("  mode {}", settings.mode.as_str()))?;
    ui.line(format!("  {} told today", ui::count(today as u64, "hint")))?;
    if env_vars::is_off() {
        ui.line("  switched off by UPTAKE_OFF")?;
    }
    if !settings.enabled {
        ui.line("  switched off: uptake enable")?;
    }
    if let Some(file) = &carried {
        ui.line(format!("  {} does not count before you agree to it: uptake trust", file.display()))?;
    }
    if waiting > 0 {
        ui.line(format!("  {waiting} wait for your word: uptake review"))?;
    }
    if candidates > 0 {
        ui.line(format!("  {candidates} could be written up by an agent: uptake review --candidates"))?;
    }
    Ok(ui.flush()?)
}

/// How many hints agents were told today.
fn hints_today(world: &World) -> usize {
    const DAY: i64 = 86_400_000;
    let today = world.now.div_euclid(DAY);
    spool::read_all(&world.data).iter().flat_map(|(_, shown)| shown).filter(|s| s.at.div_euclid(DAY) == today).count()
}

/// How many candidates `review --candidates` would list; their lessons are not read.
fn candidates(lessons: &Lessons) -> Result<usize> {
    let mut by_project: BTreeMap<String, staging::Count> = BTreeMap::new();
    lessons
        .open_titles(staging::STAGED, |project, title| by_project.entry(project.to_owned()).or_default().add(title))?;
    Ok(by_project.values().map(staging::Count::get).sum())
}

/// The settings this folder's repository carries, if the user did not agree to them.
fn untrusted(lessons: Option<&Lessons>) -> Result<Option<PathBuf>> {
    let Some(carried) = std::env::current_dir().ok().and_then(|here| RepoSettings::of(&here)) else { return Ok(None) };
    let trusted = lessons.map_or(Ok(false), |l| carried.is_trusted(l))?;
    Ok((!trusted).then(|| carried.top.join(repo_settings::FILE)))
}
