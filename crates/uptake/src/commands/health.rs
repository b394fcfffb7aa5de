//! `uptake health`: whether lessons are used and do well, what got worse, and what to do about it.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use serde_json::json;
use uptake_core::learn::status::Status;
use uptake_core::measure::health::Trend;
use uptake_core::measure::success::Flag;
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, Sessions};

use super::Printed;
use super::cycle::{flag_line, standing_row};
use crate::connected;
use crate::cycle::{Standing, standings};
use crate::prune::{Act, prune};
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Say how healthy what was learned is: usage, success, what got worse, and what to do
///
/// A use is a session in which a lesson was told and it is known what followed, or one `uptake cycle`. Numbers of the last 7 and
/// 30 days are compared; a fall of more than ten points is a regression.
#[derive(ClapArgs)]
pub struct Args {
    /// Every lesson in use, not only those to be looked at
    #[arg(long)]
    full: bool,
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

/// What to do, and why.
#[derive(Serialize)]
struct Advice {
    priority: &'static str,
    text: String,
    command: String,
}

/// Lessons that are listed without `--full`.
const MOST: usize = 8;

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let settings = world.settings()?;
    let lessons = Lessons::open_read_only(&world.data)?;
    let names = crate::project::Names::of(lessons.as_ref(), None)?;
    let mut all = lessons.as_ref().map_or_else(|| Ok(Vec::new()), |l| standings(l, settings.mode, None, world.now))?;
    all.retain(|s| args.project.as_deref().is_none_or(|name| names.is_called(s.lesson.project(), name)));
    let mut advice = advice(&all);
    advice.extend(around(&world, lessons.as_ref(), &all)?);
    let total = Total::of(&all);
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        let listed: Vec<_> = all.iter().filter(|s| args.full || is_to_be_looked_at(s)).map(standing_row).collect();
        let regressions: Vec<_> =
            regressions(&all).map(|s| json!({ "id": s.lesson.id, "change": s.windows.change() })).collect();
        ui.object(&json!({
            "lessons": all.len(), "used": total.used, "uses": total.uses, "success_rate": total.rate,
            "week": total.week, "month": total.month, "regressions": regressions, "recommendations": advice,
            "listed": listed,
        }))?;
        return Ok(ui.flush()?);
    }
    print(&mut ui, &all, &total, &advice, args.full)?;
    Ok(ui.flush()?)
}

/// All lessons together.
struct Total {
    used: usize,
    uses: u64,
    rate: Option<f64>,
    week: Option<f64>,
    month: Option<f64>,
}

impl Total {
    fn of(all: &[Standing]) -> Self {
        let mean = |of: fn(&Standing) -> (u32, Option<f64>)| {
            let uses: f64 = all.iter().map(|s| f64::from(of(s).0)).sum();
            let good: f64 = all.iter().map(of).map(|(n, rate)| f64::from(n) * rate.unwrap_or(0.0)).sum();
            (uses > 0.0).then(|| good / uses)
        };
        Self {
            used: all.iter().filter(|s| s.windows.all.uses > 0).count(),
            uses: all.iter().map(|s| u64::from(s.windows.all.uses)).sum(),
            rate: mean(|s| (s.windows.all.uses, s.windows.all.rate())),
            week: mean(|s| (s.windows.week.uses, s.windows.week.rate())),
            month: mean(|s| (s.windows.month.uses, s.windows.month.rate())),
        }
    }
}

fn regressions(all: &[Standing]) -> impl Iterator<Item = &Standing> {
    all.iter().filter(|s| s.windows.trend() == Trend::Degrading)
}

fn is_to_be_looked_at(s: &Standing) -> bool {
    s.flag.is_some_and(|f| f != Flag::Untested) || s.windows.trend() == Trend::Degrading
}

/// What the lessons themselves ask for, most urgent first.
fn advice(all: &[Standing]) -> Vec<Advice> {
    let mut out = Vec::new();
    for s in all {
        let (id, all) = (&s.lesson.id, &s.windows.all);
        let rate = all.rate().unwrap_or(0.0) * 100.0;
        match s.flag {
            Some(Flag::Prune) => out.push(Advice {
                priority: "high",
                text: format!("{id} ended well in {rate:.0} % of {} uses: it does not help", all.uses),
                command: format!("uptake review --reject {id}"),
            }),
            Some(Flag::Review) => out.push(Advice {
                priority: "medium",
                text: format!("{id} ended well in {rate:.0} % of {}", ui::count(u64::from(all.uses), "use")),
                command: format!("uptake why {id}"),
            }),
            Some(Flag::Stale) => out.push(Advice {
                priority: "low",
                text: format!("{id} was not used in the last ten iterations of its project"),
                command: format!("uptake show {id}"),
            }),
            Some(Flag::Untested) | None => {}
        }
        if let (Trend::Degrading, Some(change)) = (s.windows.trend(), s.windows.change()) {
            out.push(Advice {
                priority: "high",
                text: format!("{id} fell by {:.0} points in the last 7 days", -change * 100.0),
                command: format!("uptake why {id}"),
            });
        }
    }
    out.sort_by_key(|a| ["high", "medium", "low"].iter().position(|p| *p == a.priority));
    out
}

/// What stands around them: nothing in use, nobody hears, much waits, much could go.
fn around(world: &World, lessons: Option<&Lessons>, all: &[Standing]) -> Result<Vec<Advice>> {
    let mut out = Vec::new();
    let mut add =
        |priority, text: String, command: &str| out.push(Advice { priority, text, command: command.to_owned() });
    let waiting: usize = match lessons {
        Some(lessons) => lessons.tally(world.now)?.iter().filter(|(s, _)| *s == Status::Ready).map(|(_, n)| n).sum(),
        None => 0,
    };
    if lessons.is_none() {
        add("high", "Nothing was learned yet".to_owned(), "uptake learn");
    } else if all.is_empty() {
        add("high", "No lesson is in use".to_owned(), "uptake review");
    } else if waiting > 0 {
        let wait = if waiting == 1 { "1 lesson waits".to_owned() } else { format!("{waiting} lessons wait") };
        add("low", format!("{wait} for your word"), "uptake review");
    }
    if connected::how_to_be_heard(&world.home).is_some() && !all.is_empty() {
        add("high", "No agent on this machine asks uptake".to_owned(), "uptake init");
    }
    let mut sessions = Sessions::open_read_only(&world.data)?;
    let keep = world.settings()?.retention;
    if !prune(&world.data, sessions.as_mut(), &keep, world.now, Act::Look)?.is_empty() {
        add("low", "Old runs, events or logs are beyond the settings".to_owned(), "uptake prune");
    }
    Ok(out)
}

fn share(rate: Option<f64>) -> String {
    rate.map_or_else(|| "–".to_owned(), |r| format!("{:.0} %", r * 100.0))
}

fn print(ui: &mut Ui, all: &[Standing], total: &Total, advice: &[Advice], full: bool) -> Result<()> {
    ui.line(format!("{} in use, {} of them used so far", ui::count(all.len() as u64, "lesson"), total.used))?;
    ui.line(format!(
        "{}: {} ended well; last 7 days {}, last 30 days {}",
        ui::count(total.uses, "use"),
        share(total.rate),
        share(total.week),
        share(total.month)
    ))?;
    let listed: Vec<&Standing> = all.iter().filter(|s| full || is_to_be_looked_at(s)).collect();
    let most = if full { usize::MAX } else { MOST };
    for s in listed.iter().take(most) {
        ui.line(flag_line(s))?;
        if full {
            let w = &s.windows;
            let line = format!(
                "      7 days {} of {}, 30 days {} of {}, {}",
                share(w.week.rate()),
                w.week.uses,
                share(w.month.rate()),
                w.month.uses,
                w.trend().as_str()
            );
            ui.line(styled(DIM, &line))?;
        }
    }
    if listed.len() > most {
        ui.line(styled(DIM, &format!("  {} more: uptake health --full", listed.len() - most)))?;
    }
    if advice.is_empty() {
        return Ok(ui.line(styled(GREEN, "Nothing is to be done."))?);
    }
    ui.line(styled(BOLD, "To do"))?;
    for one in advice.iter().take(most.max(MOST)) {
        let mark = if one.priority == "high" { styled(YELLOW, "[high]") } else { format!("[{}]", one.priority) };
        ui.line(format!("  {mark} {}: {}", spelled_out(&one.text), one.command))?;
    }
    Ok(())
}
