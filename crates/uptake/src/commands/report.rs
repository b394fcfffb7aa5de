//! `uptake report`: what learning earned, and how sure that is.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, Sessions};

use super::backtest::write_page;
use crate::report::{self, LessonTrials, Report};
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Say what learning earned: which lessons helped, which did nothing, and how sure that is
///
/// Now and then a lesson is withheld (setting `holdout`), to see what happens without it. What is told here compares the two.
/// For the past, before agents heard anything: uptake backtest
#[derive(ClapArgs)]
pub struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Write a page with plots into a file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let sessions = Sessions::open_read_only(&world.data)?;
    let lessons = Lessons::open_read_only(&world.data)?;
    let mut report = report::gather(sessions.as_ref(), lessons.as_ref(), world.now)?;
    report.goals = report::goals(lessons.as_ref(), &world.settings()?)?;
    let mut ui = Ui::stdout(args.json);
    if let Some(path) = &args.html {
        write_page(path, &report::page(&report))?;
    }
    if args.json {
        ui.object(&report)?;
    } else {
        print(&mut ui, &report)?;
    }
    Ok(ui.flush()?)
}

/// Lessons that are listed.
const MOST: usize = 8;

fn print(ui: &mut Ui, report: &Report) -> Result<()> {
    ui.line(format!(
        "{} read, {} of {} calls failed. {} in use.",
        ui::count(report.sessions as u64, "session"),
        ui::grouped(report.failures.unsigned_abs()),
        ui::grouped(report.calls.unsigned_abs()),
        ui::count(report.approved as u64, "lesson")
    ))?;
    let t = &report.trials;
    ui.line(format!(
        "Lessons were told in {} cases and withheld in {}; of {} it is known what followed.",
        t.shown, t.withheld, t.known
    ))?;
    for text in &report.too_little {
        ui.line(styled(YELLOW, text))?;
    }
    if let Some(lift) = report.lift {
        ui.line(format!(
            "Together they lower the share of sessions with the failure by {:.0} points (between {:.0} and {:.0}, 90 % sure).",
            lift.value * 100.0, lift.low * 100.0, lift.high * 100.0
        ))?;
    }
    if let Some(saved) = report.tokens.saved {
        ui.line(format!(
            "Tokens saved: {:.0} (between {:.0} and {:.0}); put in: {}.",
            saved.value, saved.low, saved.high, report.tokens.injected
        ))?;
    }
    if !report.lessons.is_empty() {
        ui.line(format!("\n{}", styled(BOLD, "Lessons with most trials")))?;
        report.lessons.iter().take(MOST).try_for_each(|lesson| one(ui, lesson))?;
    }
    for goal in &report.goals {
        let so_far = goal.so_far.as_deref().unwrap_or("not measured yet");
        ui.line(format!("Goal of {}: {}: {so_far}", goal.project, spelled_out(&goal.text)))?;
    }
    ui.line(styled(DIM, "\nWith plots: uptake report --html report.html. For the past: uptake backtest"))?;
    Ok(())
}

fn one(ui: &mut Ui, lesson: &LessonTrials) -> Result<()> {
    let ((hits, of), (without, withheld)) = (lesson.shown, lesson.withheld);
    let lift = if withheld == 0 || of == 0 {
        "not comparable yet".to_owned()
    } else {
        let l = lesson.lift;
        format!("{:+.0} points [{:.0} to {:.0}]", l.value * 100.0, l.low * 100.0, l.high * 100.0)
    };
    ui.line(format!("  {} {}", lesson.id, ui::cut(&spelled_out(&lesson.text), 66)))?;
    Ok(ui.line(format!(
        "    failed in {hits} of {of} told, {without} of {withheld} withheld; lift {lift}; {}",
        lesson.fate
    ))?)
}
