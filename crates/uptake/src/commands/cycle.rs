//! `uptake cycle`: what follows an iteration, as one command.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;
use uptake_core::measure::success::Flag;
use uptake_core::redact::spelled_out;
use uptake_core::render::{TableRow, toon};

use super::Printed;
use super::export::put;
use crate::cycle::{self, Done, Given, Standing, measuring};
use crate::project;
use crate::stores::Stores;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Count an iteration: what changed, which lessons were used, whether the build passed and the goal was met
///
/// For loops and CI; sessions of agents are counted by `uptake learn`. The same iteration again counts once: it is known by
/// --run and --iteration, without them by what changed. Flags and success rates are told; nothing is retired by them.
#[derive(ClapArgs)]
pub struct Args {
    /// The commit at which the iteration began; new and uncommitted files count, too
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    since: String,
    /// The name of the run
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// The number of the iteration in its run
    #[arg(long, value_name = "N")]
    iteration: Option<u32>,
    /// Whether the build passed
    #[arg(long, value_enum, conflicts_with = "command")]
    build: Option<Built>,
    /// A file with what an agent learned, or a folder of such files; also names lessons that it applied
    #[arg(long, value_name = "PATH")]
    learnings: Vec<PathBuf>,
    /// A log of outcomes (`outcomes.log`)
    #[arg(long, value_name = "FILE")]
    outcomes: Vec<PathBuf>,
    /// Write the table of lessons (TOON) into this file; one that is there is kept beside it as `.bak`
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// A command that is run in the project; it passes if it ends with 0. One word is a line for the shell
    #[arg(last = true)]
    command: Vec<String>,
    #[command(flatten)]
    printed: Printed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Built {
    Passed,
    Failed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let settings = world.settings()?;
    let here = std::env::current_dir()?;
    let Some(top) = project::top(&here) else {
        bail!("`{}` is in no repository; uptake cycle compares commits", here.display())
    };
    let built = match (args.build, args.command.as_slice()) {
        (Some(build), _) => Some(build == Built::Passed),
        (None, []) => None,
        (None, words) => Some(measuring::ran(&measuring::line_of(words), &top)?.0 == 0),
    };
    let mut stores = Stores::open(&world.data)?;
    let given = Given {
        project: project::here(&here, &world.data, &stores.lessons)?,
        top,
        since: args.since.clone(),
        run: args.run.clone(),
        iteration: args.iteration,
        built,
        learnings: args.learnings.clone(),
        outcomes: args.outcomes.clone(),
    };
    let done = cycle::run(&world, &settings, &mut stores, &given)?;
    if let Some(path) = &args.export {
        let rows: Vec<TableRow<'_>> = done.standings.iter().map(Standing::row).collect();
        let time = jiff::Timestamp::from_millisecond(world.now).context("no time")?;
        put(path, &toon(&rows, &time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()))?;
    }
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        ui.object(&row(&done))?;
    } else {
        print(&mut ui, &done)?;
    }
    Ok(ui.flush()?)
}

fn row(done: &Done) -> serde_json::Value {
    let goal = done.goal.as_ref().map(|(goal, judged)| {
        json!({
            "goal": goal.name(), "text": goal.words(), "value": judged.map(|j| j.value), "met": judged.map(|j| j.met),
            "score": judged.map_or(0.5, |j| j.score),
        })
    });
    let uses: Vec<_> = done
        .uses
        .iter()
        .map(|u| {
            let claims: Vec<_> =
                u.claims.iter().map(|(place, holds)| json!({ "place": place, "holds": holds })).collect();
            json!({
                "id": u.lesson, "applied": u.applied, "verified": u.is_verified(), "claims": claims,
                "relevance": u.relevance.map(|r| f64::from(r) / 1_000.0),
            })
        })
        .collect();
    json!({
        "run": done.run, "iteration": done.iteration, "changed": done.changed, "built": done.built, "goal": goal,
        "uses": uses, "unmatched": done.unmatched, "learnings": done.learnings,
        "lessons": done.standings.iter().map(standing_row).collect::<Vec<_>>(), "files": done.files,
    })
}

/// A lesson with its record, as JSON.
pub(super) fn standing_row(s: &Standing) -> serde_json::Value {
    let (all, week, month) = (&s.windows.all, &s.windows.week, &s.windows.month);
    json!({
        "id": s.lesson.id, "project": s.lesson.project(), "text": s.lesson.payload.statement, "uses": all.uses,
        "success_rate": all.rate(), "confidence": all.bin(), "flag": s.flag.map(Flag::as_str), "last": all.last,
        "week": { "uses": week.uses, "success_rate": week.rate() }, "month": { "uses": month.uses, "success_rate": month.rate() },
        "trend": s.windows.trend().as_str(),
    })
}

fn print(ui: &mut Ui, done: &Done) -> Result<()> {
    ui.line(format!("{} {}, iteration {}", styled(BOLD, "Run"), done.run, done.iteration))?;
    let built = match done.built {
        Some(true) => ", the build passed",
        Some(false) => ", the build failed",
        None => "",
    };
    ui.line(format!("  {} changed{built}", ui::count(done.changed.len() as u64, "file")))?;
    match &done.goal {
        Some((goal, Some(judged))) => {
            let met = if judged.met { styled(GREEN, "met") } else { styled(YELLOW, "not met") };
            ui.line(format!("  Goal: {}: {met} ({})", spelled_out(&goal.words()), judged.value))?;
        }
        Some((goal, None)) if goal.command().is_some() => {
            ui.line(format!("  Goal: {}: {}", spelled_out(&goal.words()), styled(YELLOW, "could not be measured")))?;
        }
        Some((goal, None)) => {
            ui.line(format!("  Goal: {}: no session of this project was read yet (uptake learn)", goal.words()))?;
        }
        None => ui.line(styled(DIM, "  No goal is set here: uptake goal set --help"))?,
    }
    let applied = done.uses.iter().filter(|u| u.applied).count() as u64;
    let false_claims = done.uses.iter().flat_map(|u| &u.claims).filter(|(_, holds)| !holds).count() as u64;
    ui.line(format!("  {} applied, {} only shown", ui::count(applied, "lesson"), done.uses.len() as u64 - applied))?;
    if false_claims > 0 {
        let places = ui::count(false_claims, "place");
        ui.line(styled(YELLOW, &format!("  {places} named as proof did not change in this iteration")))?;
    }
    if done.unmatched > 0 {
        ui.line(styled(YELLOW, &format!("  {} mean no lesson in use here", ui::count(done.unmatched as u64, "line"))))?;
    }
    if !done.learnings.is_empty() {
        let kinds: Vec<String> = done.learnings.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        ui.line(format!("  Handed in: {}; look at it: uptake review --all", kinds.join(", ")))?;
    }
    let flagged: Vec<&Standing> =
        done.standings.iter().filter(|s| s.flag.is_some_and(|f| f != Flag::Untested)).collect();
    for s in flagged.iter().take(MOST) {
        ui.line(flag_line(s))?;
    }
    if flagged.len() > MOST {
        ui.line(styled(DIM, &format!("  {} more: uptake health --full", flagged.len() - MOST)))?;
    }
    Ok(())
}

/// Lessons that are listed.
const MOST: usize = 8;

/// A lesson that is to be looked at, in one line.
pub(super) fn flag_line(s: &Standing) -> String {
    let all = &s.windows.all;
    let flag = s.flag.map_or("", Flag::as_str);
    let rate = all
        .rate()
        .map_or_else(String::new, |r| format!(" {:.0} % of {}", r * 100.0, ui::count(u64::from(all.uses), "use")));
    let text = ui::cut(&spelled_out(&s.lesson.payload.statement), 60);
    format!("  {} {}{rate} {text}", styled(YELLOW, flag), s.lesson.id)
}
