//! `uptake wrong`: a hint was wrong. It is silenced at once.

use anyhow::{Context as _, Result};
use clap::Args as ClapArgs;
use uptake_core::redact::spelled_out;
use uptake_store::spool::{self, Shown};
use uptake_store::{Lessons, Stored};

use super::Printed;
use crate::approve::{self, Decision};
use crate::ui::Ui;
use crate::world::World;

/// Say that a hint was wrong: it is not told again, and the harm is counted
///
/// Every hint ends in a short id in brackets. Without one, the last hint that any agent was told is meant.
#[derive(ClapArgs)]
pub struct Args {
    /// The id in brackets at the end of the hint, or `last`
    #[arg(default_value = "last")]
    id: String,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut lessons = Lessons::open(&world.data)?;
    let last = last_told(&world);
    let id = match (args.id.as_str(), &last) {
        ("last", Some(shown)) => shown.lesson.clone(),
        ("last", None) => anyhow::bail!("no hint was told lately; give the id in brackets at the end of the hint"),
        (id, _) => id.trim_matches(['[', ']']).to_owned(),
    };
    let stored = told(&lessons, &id)?;
    let harm = Shown {
        id: format!("wrong-{}-{}", stored.lesson.id, world.now),
        lesson: stored.lesson.id.clone(),
        about: String::new(),
        source: last.as_ref().map(|s| s.source.clone()).unwrap_or_default(),
        session: last.map(|s| s.session).unwrap_or_default(),
        moment: "wrong".to_owned(),
        at: world.now,
        chance: 0,
        withheld: false,
    };
    approve::decide(&world, &mut lessons, &stored.lesson, Decision::No)?;
    lessons.keep_trials(&[harm])?;
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        ui.object(&serde_json::json!({ "silenced": stored.lesson.id, "text": stored.lesson.payload.statement }))?;
    } else {
        ui.line(format!("Silenced {}: {}", stored.lesson.id, spelled_out(&stored.lesson.payload.statement)))?;
        ui.line("It is not told again; `uptake undo` takes that back.")?;
    }
    Ok(ui.flush()?)
}

/// The last hint that any agent was told after a failure. The card at a start is many hints: there an id is needed.
fn last_told(world: &World) -> Option<Shown> {
    let all = spool::read_all(&world.data).into_iter().flat_map(|(_, records)| records);
    all.filter(|shown| shown.moment != "start" && !shown.withheld).max_by_key(|shown| shown.at)
}

fn told(lessons: &Lessons, id: &str) -> Result<Stored> {
    let mut found = lessons.by_id(id)?;
    anyhow::ensure!(found.len() < 2, "{} lessons have an id that begins with `{id}`; give more of it", found.len());
    found.pop().with_context(|| format!("no hint has the id `{id}`; `uptake list` shows what is told"))
}
