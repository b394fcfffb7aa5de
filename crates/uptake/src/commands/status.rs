//! `uptake status`: what is there, in a few lines.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::{Lessons, Sessions};

use super::list::status;
use crate::env_vars;
use crate::ui::{self, BOLD, Ui, styled};
use crate::world::World;

/// Say what was learned and what waits for you
#[derive(ClapArgs)]
pub struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If a store cannot be read or standard output is closed.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let sessions = Sessions::open_read_only(&world.data)?.map_or(Ok(Vec::new()), |s| s.list(None))?;
    let lessons = Lessons::open_read_only(&world.data)?.map_or(Ok(Vec::new()), |l| l.list(None))?;
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    for stored in &lessons {
        *by.entry(status(stored)).or_default() += 1;
    }
    let waiting = by.get("ready").copied().unwrap_or(0);
    let mut ui = Ui::stdout(args.json);
    if args.json {
        ui.object(&serde_json::json!({
            "home": world.data, "off": env_vars::is_off(), "sessions": sessions.len(), "lessons": by,
        }))?;
        return Ok(ui.flush()?);
    }
    ui.line(format!("{} in {}", styled(BOLD, "uptake"), world.data.display()))?;
    ui.line(format!("  {} read", ui::count(sessions.len() as u64, "session")))?;
    let list: Vec<String> = by.iter().map(|(word, n)| format!("{n} {word}")).collect();
    ui.line(format!("  lessons: {}", if list.is_empty() { "none yet".to_owned() } else { list.join(", ") }))?;
    if env_vars::is_off() {
        ui.line("  switched off by UPTAKE_OFF")?;
    }
    if waiting > 0 {
        ui.line(format!("  {waiting} wait for your word: uptake review"))?;
    }
    Ok(ui.flush()?)
}
