//! `uptake prune`: removes what can be had again and is beyond the settings.

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_store::Sessions;

use super::Printed;
use crate::prune::{Act, Pruned, prune};
use crate::ui::{self, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Remove old runs, events of old sessions, long logs and what killed processes left
///
/// How much stays is in the settings `retention.…`; `uptake learn` does the same by itself. Lessons, approvals, trials and what
/// was forgotten are never touched, nor is anything younger than `retention.protected-window-minutes`.
#[derive(ClapArgs)]
pub struct Args {
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let keep = world.settings()?.retention;
    let act = if args.dry_run { Act::Look } else { Act::Remove };
    // Looking must not make anything.
    let there = world.data.join("sessions.db").exists();
    let mut sessions = match act {
        Act::Look => Sessions::open_read_only(&world.data)?,
        Act::Remove if there => Some(Sessions::open(&world.data)?),
        Act::Remove => None,
    };
    let pruned = prune(&world.data, sessions.as_mut(), &keep, world.now, act)?;
    if let (Act::Remove, Some(sessions)) = (act, sessions.as_mut().filter(|_| pruned.sessions > 0)) {
        sessions.give_back_space()?;
    }
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        let mut row = serde_json::to_value(&pruned)?;
        row["dry_run"] = args.dry_run.into();
        ui.object(&row)?;
    } else {
        print(&mut ui, &pruned, act)?;
    }
    Ok(ui.flush()?)
}

fn print(ui: &mut Ui, pruned: &Pruned, act: Act) -> Result<()> {
    if pruned.is_empty() {
        return Ok(ui.line("Everything is within the settings (uptake config list); there is nothing to remove.")?);
    }
    for (n, one) in [
        (pruned.runs.len(), "run"),
        (pruned.sessions, "session with its events"),
        (pruned.log_lines, "line of a log"),
        (pruned.archives.len(), "old file"),
        (pruned.stale.len(), "half-written file"),
    ] {
        if n > 0 {
            let many = match one {
                "session with its events" => format!("{n} sessions with their events"),
                "line of a log" => format!("{n} lines of logs"),
                _ => ui::count(n as u64, one),
            };
            ui.line(format!("  {}", if n == 1 { format!("1 {one}") } else { many }))?;
        }
    }
    for path in pruned.runs.iter().chain(&pruned.archives).chain(&pruned.stale) {
        ui.line(styled(DIM, &format!("    {}", path.display())))?;
    }
    Ok(ui.line(match act {
        Act::Look => "Nothing was removed. Remove it with: uptake prune".to_owned(),
        Act::Remove => format!("{} Removed.", styled(GREEN, "✓")),
    })?)
}
