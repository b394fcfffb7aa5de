//! `uptake list`: what was learned, best first.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::learn::evidence::decay;
use uptake_core::project::Project;
use uptake_store::{Lessons, Stored, Verdict};

use super::learn::Row;
use crate::ui::{self, BOLD, DIM, Ui, styled};
use crate::world::World;

/// List lessons, best first
#[derive(ClapArgs)]
pub struct Args {
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Only of this kind: recovery, correction, instruction, procedure, pitfall, decision, workflow, insight
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Also what is not ready yet
    #[arg(long)]
    all: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ListRow<'l> {
    #[serde(flatten)]
    lesson: Row<'l>,
    status: &'static str,
    confidence: f64,
}

/// What stands of a lesson, in a word.
pub(super) fn status(stored: &Stored) -> &'static str {
    match stored.verdict {
        Some(verdict) => verdict.as_str(),
        None if stored.lesson.ready => "ready",
        None => "observing",
    }
}

/// Lessons, best first: what age takes off counts here.
pub(super) fn ranked(lessons: &Lessons, now: i64) -> Result<Vec<Stored>> {
    let mut list = lessons.list(None)?;
    list.sort_by(|a, b| {
        let rank = |s: &Stored| s.lesson.rank * decay(s.lesson.last, now);
        rank(b).total_cmp(&rank(a)).then_with(|| a.lesson.id.cmp(&b.lesson.id))
    });
    Ok(list)
}

/// Runs the command.
///
/// # Errors
/// If the store cannot be read or standard output is closed.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    let Some(lessons) = Lessons::open_read_only(&world.data)? else {
        if !args.json {
            ui.line("Nothing was learned yet: uptake learn")?;
        }
        return Ok(ui.flush()?);
    };
    let mut left_out = 0;
    for stored in ranked(&lessons, world.now)? {
        let lesson = &stored.lesson;
        let named = |wanted: &String| Project::from_key(&lesson.project).name == *wanted || lesson.project == *wanted;
        if !args.project.as_ref().is_none_or(named) || args.kind.as_ref().is_some_and(|k| lesson.kind.as_str() != k) {
            continue;
        }
        let hidden = !args.all && (status(&stored) == "observing" || stored.verdict == Some(Verdict::Rejected));
        if hidden {
            left_out += 1;
            continue;
        }
        if args.json {
            let row = ListRow { lesson: Row::of(lesson), status: status(&stored), confidence: lesson.confidence };
            ui.object(&row)?;
            continue;
        }
        let sessions = ui::count(lesson.sessions as u64, "session");
        let about = format!("{} · {} · {sessions}", lesson.kind.as_str(), status(&stored));
        ui.line(format!("{}  {}", styled(BOLD, &lesson.id), lesson.statement))?;
        ui.line(styled(DIM, &format!("            {about} · {}", Project::from_key(&lesson.project).name)))?;
    }
    if left_out > 0 && !args.json {
        ui.line(styled(DIM, &format!("{left_out} more are not ready or were rejected: uptake list --all")))?;
    }
    Ok(ui.flush()?)
}
