//! `uptake list`: what was learned, best first.

use anyhow::Result;
use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use uptake_core::detect::Kind;
use uptake_core::learn::Holds;
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, ListPlace, Stored, Wanted, Which};

use super::Listed;
use super::lesson_row::LessonRow;
use crate::project::Names;
use crate::ui::{self, BOLD, DIM, Ui, styled};
use crate::world::World;

/// How many are shown to a person who does not say.
const SHOWN: usize = 50;

/// List lessons, best first
#[derive(ClapArgs)]
pub struct Args {
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::as_str)))]
    kind: Option<String>,
    /// Also what is not ready yet or was rejected
    #[arg(long)]
    all: bool,
    /// At most this many; 0 for all of them [default: 50, with --json all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    printed: Listed,
}

#[derive(Serialize)]
struct ListRow<'l> {
    #[serde(flatten)]
    lesson: LessonRow<'l>,
    status: &'static str,
    confidence: f64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = args.printed.ui();
    let Some(lessons) = Lessons::open_read_only(&world.data)? else {
        if !args.printed.json {
            ui.line("Nothing was learned yet: uptake learn")?;
        }
        return Ok(ui.end()?);
    };
    let kind = args.kind.as_deref().and_then(Kind::parse);
    let which = if args.all { Which::Any } else { Which::Known };
    let wanted = Wanted { kind, which, now: world.now, mode: world.settings()?.mode, ..Wanted::default() };
    let names = Names::of(Some(&lessons), None)?;
    let mut places = of_project(lessons.order(&wanted)?, args.project.as_deref(), &names);
    let known = places.len();
    let named = |key: &str| args.project.as_deref().is_none_or(|name| names.is_called(key, name));
    let all: usize = lessons.count(kind)?.iter().filter(|(key, _)| named(key)).map(|(_, n)| n).sum();
    let limit = args.limit.unwrap_or(if args.printed.json { 0 } else { SHOWN });
    places.truncate(if limit == 0 { known } else { limit });
    // Page by page: the first ones are on the screen while the others are read.
    for page in places.chunks(SHOWN) {
        lessons.at(page)?.iter().try_for_each(|stored| show(&mut ui, stored, &names, world.now))?;
        ui.flush()?;
    }
    if !args.printed.json {
        if known > places.len() {
            ui.line(styled(DIM, &format!("{} more: uptake list --limit 0", known - places.len())))?;
        }
        if all > known {
            ui.line(styled(DIM, &format!("{} more, not ready or given up: uptake list --all", all - known)))?;
        }
    }
    Ok(ui.end()?)
}

/// Those of a project, by its name or key.
pub(super) fn of_project(mut places: Vec<ListPlace>, name: Option<&str>, names: &Names) -> Vec<ListPlace> {
    places.retain(|p| name.is_none_or(|name| names.is_called(&p.project, name)));
    places
}

/// One lesson of a list.
pub(super) fn show(ui: &mut Ui, stored: &Stored, names: &Names, now: i64) -> Result<()> {
    let (lesson, status) = (&stored.lesson, stored.standing.status(now).as_str());
    if ui.json {
        let row = ListRow { lesson: LessonRow::of(lesson), status, confidence: lesson.evidence.worth.confidence };
        return Ok(ui.object(&row)?);
    }
    let sessions = ui::count(lesson.evidence.sessions as u64, "session");
    let about =
        format!("{} · {} · {sessions} · confidence {:.2}", ui::kind(lesson), status, lesson.evidence.worth.confidence);
    ui.line(format!("{}  {}", styled(BOLD, &lesson.id), spelled_out(&lesson.payload.statement)))?;
    let place = if lesson.holds() == Holds::User { "every project".to_owned() } else { names.get(lesson.project()) };
    Ok(ui.line(styled(DIM, &format!("            {about} · {place}")))?)
}
