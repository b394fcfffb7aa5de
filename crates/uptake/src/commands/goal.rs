//! `uptake goal`: what is to get better in a project, and how that goes.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use serde_json::json;
use uptake_core::measure::goal::Goal;
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, Sessions};

use super::Printed;
use crate::cycle::measuring;
use crate::goals::{Progress, progress};
use crate::project::{self, Names};
use crate::settings::GoalSetting;
use crate::settings::goals::{self, Sort};
use crate::ui::{DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Say what is to get better in this project, and how that goes
///
/// A goal stands in your own settings; nothing in a repository can set one. It is measured when a session ended and at every
/// `uptake cycle`; its command is run by `uptake cycle` and `uptake goal check` only.
#[derive(ClapArgs)]
pub struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Subcommand)]
enum Act {
    /// Show the goal of this project and its progress
    Show,
    /// Show the goals of all projects
    List,
    /// Set the goal of this project, in the place of another one
    Set {
        /// failures (fewer failing calls), tokens (fewer new tokens), green (a command passes), number (a command prints more)
        kind: Sort,
        /// At most so many failing calls (usually 3) or new tokens (usually 50000) a session; at least this number
        #[arg(long, value_name = "N")]
        target: Option<f64>,
        /// The command, for `green` and `number`. One word is a line for the shell
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// End the goal of this project
    Unset,
    /// Measure it now
    Check,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let lessons = Lessons::open_read_only(&world.data)?;
    let (project, top) = here(&world, lessons.as_ref())?;
    match args.act.as_ref().unwrap_or(&Act::Show) {
        Act::Show => show(&mut ui, &world, lessons.as_ref(), &project)?,
        Act::List => list(&mut ui, &world, lessons.as_ref())?,
        Act::Set { kind, target, command } => {
            let command = (!command.is_empty()).then(|| measuring::line_of(command));
            let setting = GoalSetting { kind: *kind, target: *target, command };
            let goal = setting.goal()?;
            goals::set(&world.config, &project, Some(&setting))?;
            tell(&mut ui, &project, Some(&goal), &Progress::default(), &format!("{} Goal", styled(GREEN, "✓")))?;
        }
        Act::Unset => {
            goals::set(&world.config, &project, None)?;
            tell(&mut ui, &project, None, &Progress::default(), "")?;
        }
        Act::Check => check(&mut ui, &world, &project, &top)?,
    }
    Ok(ui.flush()?)
}

fn here(world: &World, lessons: Option<&Lessons>) -> Result<(String, PathBuf)> {
    let folder = std::env::current_dir()?;
    let project = match lessons {
        Some(lessons) => project::here(&folder, &world.data, lessons)?,
        None => project::of_folder_quickly(&folder, &world.data).key,
    };
    Ok((project, project::top(&folder).unwrap_or(folder)))
}

fn show(ui: &mut Ui, world: &World, lessons: Option<&Lessons>, project: &str) -> Result<()> {
    let goal = world.settings()?.goal_of(project);
    let so_far = match (&goal, lessons) {
        (Some(goal), Some(lessons)) => progress(lessons, project, goal)?,
        _ => Progress::default(),
    };
    tell(ui, project, goal.as_ref(), &so_far, "Goal")
}

fn list(ui: &mut Ui, world: &World, lessons: Option<&Lessons>) -> Result<()> {
    let settings = world.settings()?;
    let names = Names::of(lessons, None)?;
    if settings.goals.is_empty() && !ui.json {
        ui.line("No goal is set. Set one in a project with: uptake goal set failures")?;
    }
    for project in settings.goals.keys() {
        let Some(goal) = settings.goal_of(project) else { continue };
        let so_far = lessons.map_or(Ok(Progress::default()), |l| progress(l, project, &goal))?;
        tell(ui, project, Some(&goal), &so_far, &names.get(project))?;
    }
    Ok(())
}

fn tell(ui: &mut Ui, project: &str, goal: Option<&Goal>, so_far: &Progress, head: &str) -> Result<()> {
    if ui.json {
        return Ok(ui.object(&json!({
            "project": project, "goal": goal.map(Goal::name), "text": goal.map(Goal::words), "command": goal.and_then(Goal::command),
            "met": so_far.met, "of": so_far.of, "before_met": so_far.before_met, "before_of": so_far.before_of,
            "last": so_far.last,
        }))?);
    }
    let Some(goal) = goal else {
        return Ok(ui.line(
            "No goal is set here. Set one with: uptake goal set failures, or uptake goal set green -- make test",
        )?);
    };
    ui.line(format!("{head}: {}", spelled_out(&goal.words())))?;
    let line =
        so_far.words().unwrap_or_else(|| "not measured yet: after the next session, or by uptake cycle".to_owned());
    Ok(ui.line(styled(DIM, &format!("  {line}")))?)
}

fn check(ui: &mut Ui, world: &World, project: &str, top: &std::path::Path) -> Result<()> {
    let Some(goal) = world.settings()?.goal_of(project) else {
        bail!("no goal is set here; set one with: uptake goal set failures")
    };
    let sessions = Sessions::open_read_only(&world.data)?;
    let judged = measuring::measure(&goal, sessions.as_ref(), project, top, None)?;
    if ui.json {
        return Ok(ui.object(&json!({
            "project": project, "goal": goal.name(), "text": goal.words(), "value": judged.map(|j| j.value),
            "met": judged.map(|j| j.met), "score": judged.map_or(0.5, |j| j.score),
        }))?);
    }
    let words = spelled_out(&goal.words());
    Ok(ui.line(match judged {
        Some(j) if j.met => format!("{} {words} ({})", styled(GREEN, "Met:"), j.value),
        Some(j) => format!("{} {words} ({})", styled(YELLOW, "Not met:"), j.value),
        None => format!("{words}: no session of this project was read yet. Begin with: uptake learn"),
    })?)
}
