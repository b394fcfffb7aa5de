//! `uptake backtest`: what lessons would have done in sessions that are over.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result, ensure};
use clap::Args as ClapArgs;
use serde_json::json;
use uptake_core::measure::script::Scope;
use uptake_store::atomic_file::{Over, Readers};

use super::learn::shown_by_default;
use crate::backtest::rows::{BacktestRow, FiguresRow, RangeRow, ScoreRow};
use crate::backtest::{self, Asked, Persons, Way};
use crate::transcripts;
use crate::ui::{self, BOLD, DIM, Ui, styled};
use crate::world::World;

/// Say what lessons would have done in past sessions
///
/// Goes through sessions in the order they began. Before each one, only what had ended by then is learned, in a throw-away
/// store; then each failure is asked about as a hook would ask. Nothing of yours is opened or changed.
#[derive(ClapArgs)]
pub struct Args {
    /// Folders of transcripts, instead of your own history
    folders: Vec<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Write a page with plots into a file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write everything that was said, and what was asked at each failure, into a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let own = args.folders.is_empty();
    let found = if own { transcripts::find_all(&World::from_env()?.home) } else { transcripts::find(&args.folders) };
    ensure!(
        !found.transcripts.is_empty(),
        "no transcripts were found; give a folder of transcripts, or begin with `uptake learn --demo`"
    );
    let (past, report) = backtest::read(&found, if own { Persons::One } else { Persons::ByHome })?;
    report.lines().iter().for_each(Ui::note);
    ensure!(!past.is_empty(), "there is no session in these transcripts whose time is known");
    let dump = args.dump.as_ref().map(Dump::open).transpose()?;
    let look = |asked: Asked| dump.iter().for_each(|d| d.write(&asked));
    let bar = Ui::count_bar(past.len() as u64 * 4, "going through sessions");
    let projects = backtest::replay(&past, &shown_by_default, &bar, &look)?;
    bar.finish_and_clear();
    let row = BacktestRow::of(&projects);
    let mut ui = Ui::stdout(args.json);
    if let Some(path) = &args.html {
        write_page(path, &backtest::page(&row))?;
    }
    if args.json {
        ui.object(&row)?;
    } else {
        print(&mut ui, &row)?;
    }
    Ok(ui.flush()?)
}

/// Writes a page whole or not at all.
pub(super) fn write_page(path: &Path, text: &str) -> Result<()> {
    uptake_store::atomic_file::write(path, text, Readers::User, Over::Replace)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ui::note(format!("The page is in {}", path.display()));
    Ok(())
}

/// Where everything goes that was asked and said.
struct Dump(Mutex<File>);

impl Dump {
    fn open(path: &PathBuf) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Self(Mutex::new(file)))
    }

    fn write(&self, asked: &Asked) {
        let line = json!({
            "way": asked.way.as_str(), "moment": asked.moment, "project": asked.project, "session": asked.session, "call": asked.call,
            "tried": asked.tried, "judged": asked.judged, "hint": asked.hint, "change": asked.change,
            "right": asked.right, "warned": asked.warned,
        });
        if let Ok(mut file) = self.0.lock() {
            let _ = writeln!(file, "{line}");
        }
    }
}

/// Columns of the longest bar.
const BAR: f64 = 24.0;

fn print(ui: &mut Ui, row: &BacktestRow) -> Result<()> {
    let all = &row.all;
    let sessions = ui::count(u64::from(all.sessions), "past session");
    let projects = ui::count(row.projects.len() as u64, "project");
    ui.line(format!("Went through {sessions} of {projects}, each with only what had been learned before it began."))?;
    ui.line(format!(
        "{} calls failed. {} times a cause came back; what got past it is known for {}.",
        all.failures, all.recurring, all.judged
    ))?;
    if all.judged == 0 {
        ui.line("That is not enough to say anything: no failure came back whose fix is known.")?;
        return Ok(());
    }
    ui.line(format!("\n{}", styled(BOLD, "Prevented: a hint said the change that the session made later")))?;
    for (scope, what) in SCOPES {
        let found = Way::EVERY.iter().filter_map(|way| {
            let score = all.of_way(*way)?;
            Some(bar(way.title(), score, score.of_scope(scope)?))
        });
        let bars: Vec<String> = found.collect();
        if !bars.is_empty() {
            ui.line(styled(DIM, what))?;
            bars.iter().try_for_each(|bar| ui.line(bar))?;
        }
    }
    ui.line(styled(DIM, "In brackets: where the true share may lie (90 %)."))?;
    cost(ui, all)?;
    if row.projects.len() > 1 {
        ui.line(format!("\n{}", styled(BOLD, "By project")))?;
        for project in &row.projects {
            let f = &project.figures;
            ui.line(format!(
                "  {:<34} {:>4} sessions {:>5} failed {:>4} came back {:>3}/{:<3} prevented",
                ui::cut(&project.project, 34),
                f.sessions,
                f.failures,
                f.recurring,
                f.prevented,
                f.judged
            ))?;
        }
    }
    Ok(())
}

/// What failures are about, in the order shown.
const SCOPES: [(Scope, &str); 3] = [
    (Scope::Project, "About the project:"),
    (Scope::Machine, "About the machine, or met in several projects:"),
    (Scope::Tool, "About the agent's own tools; any general advice prevents these:"),
];

fn bar(title: &str, score: &ScoreRow, rate: RangeRow) -> String {
    let full = "█".repeat((rate.value * BAR).round() as usize);
    let percent = |x: f64| format!("{:.0}", x * 100.0);
    let precision = score.precision.map_or(String::new(), |p| format!(", {} % of its hints right", percent(p)));
    format!(
        "  {title:<34} {full:<24} {:>3} % [{}–{}]{precision}",
        percent(rate.value),
        percent(rate.low),
        percent(rate.high)
    )
}

fn cost(ui: &mut Ui, all: &FiguresRow) -> Result<()> {
    ui.line(format!("\n{}", styled(BOLD, "Tokens")))?;
    for way in [Way::All, Way::Shown, Way::Auto] {
        if let Some(s) = all.of_way(way) {
            ui.line(format!(
                "  {:<34} {} saved in retries, {} put in, {} with every request that carries them",
                way.title(),
                ui::grouped(s.saved_tokens),
                ui::grouped(s.injected_tokens),
                ui::grouped(s.carried_tokens)
            ))?;
        }
    }
    Ok(())
}
