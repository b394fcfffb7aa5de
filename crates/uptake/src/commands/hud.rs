//! `uptake hud`: one line for a status bar.

use std::path::Path;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_core::normal::notes::paths_in;
use uptake_core::render::EntryFile;
use uptake_store::{Artifact, Lessons};

use super::Printed;
use crate::goals::{Progress, progress};
use crate::project;
use crate::ui::{self, Ui};
use crate::world::World;

/// Say in one line what is in use in this project; for a status bar
///
/// What was made since the last time is named once.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    printed: Printed,
}

/// Where it is noted what was named already.
const TOLD: &str = "hud";

#[derive(Default)]
struct InUse {
    workflows: usize,
    skills: usize,
    decisions: usize,
    pitfalls: usize,
    review: usize,
    new: Vec<String>,
    goal: Option<Progress>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let Some(lessons) = Lessons::open_quickly(&world.data)? else { return Ok(()) };
    let told = std::fs::read_to_string(world.data.join(TOLD)).ok().and_then(|t| t.trim().parse().ok()).unwrap_or(0);
    let found = count(&world, &lessons, told)?;
    if !found.new.is_empty() {
        uptake_store::open::write_private(&world.data.join(TOLD), &world.now.to_string())?;
    }
    let InUse { workflows, skills, decisions, pitfalls, review, new, goal } = &found;
    let goal = goal.as_ref().filter(|g| g.of > 0).map(|g| format!("goal {}/{}", g.met, g.of));
    if ui.json {
        ui.object(&serde_json::json!({
            "workflows": workflows, "skills": skills, "decisions": decisions, "pitfalls": pitfalls, "review": review, "new": new,
            "goal": goal,
        }))?;
        return Ok(ui.flush()?);
    }
    let parts: Vec<String> =
        [(workflows, "workflow"), (skills, "skill"), (decisions, "decision"), (pitfalls, "pitfall")]
            .iter()
            .filter(|(n, _)| **n > 0)
            .map(|(n, word)| ui::count(**n as u64, word))
            .collect();
    if parts.is_empty() && *review == 0 && goal.is_none() {
        return Ok(());
    }
    let mut line =
        format!("Learning: {}", if parts.is_empty() { "nothing in use".to_owned() } else { parts.join(", ") });
    if *review > 0 {
        line.push_str(&format!("  ⚠ {review} {}", if *review == 1 { "needs review" } else { "need review" }));
    }
    if let Some(goal) = goal {
        line.push_str(&format!("  {goal}"));
    }
    if !new.is_empty() {
        line.push_str(&format!("  new: {}", new.join(", ")));
    }
    ui.line(line)?;
    Ok(ui.flush()?)
}

fn count(world: &World, lessons: &Lessons, told: i64) -> Result<InUse> {
    let here = std::env::current_dir()?;
    let project = project::here(&here, &world.data, lessons)?;
    let top = project::top(&here);
    let settings = world.settings()?;
    let mode = settings.mode;
    let fresh = lessons.artifacts_since(told)?;
    let goal = settings.goal_of(&project).map(|goal| progress(lessons, &project, &goal)).transpose()?;
    let mut out = InUse { goal, ..InUse::default() };
    for lesson in lessons.approved_in(&project, mode)? {
        let made = lessons.artifacts(Some(&lesson.id))?;
        let Some(first) = made.first() else { continue };
        match kind(first) {
            Some(EntryFile::Decisions) => out.decisions += 1,
            Some(EntryFile::Pitfalls) => out.pitfalls += 1,
            None if first.place().0.ends_with("SKILL.md") => out.skills += 1,
            None => out.workflows += 1,
        }
        let gone = |p: &&str| top.as_ref().is_some_and(|top| !top.join(p).exists());
        out.review += usize::from(paths_in(&lesson.payload.statement).iter().any(gone));
        if fresh.iter().any(|a| a.lesson == lesson.id) {
            out.new.push(name(first));
        }
    }
    out.new.sort();
    out.new.dedup();
    Ok(out)
}

fn kind(artifact: &Artifact) -> Option<EntryFile> {
    EntryFile::of_id(artifact.place().1)
}

fn name(artifact: &Artifact) -> String {
    let (file, part) = artifact.place();
    let path = Path::new(file);
    let named = if file.ends_with("SKILL.md") { path.parent().and_then(Path::file_name) } else { path.file_stem() };
    match kind(artifact) {
        Some(_) => part.to_owned(),
        None => named.unwrap_or_default().to_string_lossy().into_owned(),
    }
}
