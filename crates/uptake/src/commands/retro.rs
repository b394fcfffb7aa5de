//! `uptake retro`: the story of one session on one screen.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use jiff::civil::Date;
use uptake_core::detect;
use uptake_core::measure::retro::{Retro, retro};
use uptake_core::project::{self as project_key, Project};
use uptake_core::redact::clean;
use uptake_core::session::{Agent, Session};
use uptake_store::{SessionRow, Sessions};

use super::{Printed, learn};
use crate::pipeline;
use crate::project::{Cache, one_spelling};
use crate::retros::{self, StoryRow};
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Columns of the screen.
const WIDTH: usize = 80;
/// Lines of each part; all parts and their headings together fit 24 lines.
const LINES: usize = 4;

/// Tell the story of one session: what failed, what then worked, what could be learned
#[derive(ClapArgs)]
pub struct Args {
    /// A session's id or the start of it, or the path of a transcript; without it the newest session of this project
    session: Option<String>,
    /// All sessions that ended on a day instead, such as 2026-11-16
    #[arg(long, value_name = "DATE", conflicts_with = "session")]
    day: Option<Date>,
    /// Read what is new, and keep the stories of yesterday and today in a file; for cron (`uptake init` shows the line)
    #[arg(long, conflicts_with_all = ["session", "day"])]
    daily: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.daily {
        return daily(args);
    }
    if let Some(day) = args.day {
        return of_day(args, day);
    }
    let session = match args.session.as_deref() {
        Some(given) if Path::new(given).exists() => from_file(Path::new(given))?,
        given => from_store(given)?,
    };
    let observations = detect::detect(&session);
    let Some(story) = retro(&session, &observations) else {
        bail!("session `{}` is empty: there is nothing to tell", session.id)
    };
    let mut ui = Ui::stdout(args.printed.json);
    if args.printed.json {
        ui.object(&StoryRow::of(&session, &story))?;
    } else {
        print(&mut ui, &session, &story)?;
    }
    Ok(ui.flush()?)
}

/// The stories of one day, a line each.
fn of_day(args: &Args, day: Date) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let stories = Sessions::open_read_only(&world.data)?.map_or(Ok(Vec::new()), |s| retros::of_day(&s, day))?;
    if stories.is_empty() && !ui.json {
        ui.line(format!("No session that was read ended on {day}."))?;
    }
    for (row, story) in &stories {
        if ui.json {
            ui.object(story)?;
        } else {
            let told =
                format!("{} failed of {}", row.counts.failures, ui::count(row.counts.calls.unsigned_abs(), "call"));
            ui.line(fit(&format!("{} ({}) {}: {told}", row.id, row.source, row.project)))?;
        }
    }
    Ok(ui.flush()?)
}

const DAY: i64 = 86_400_000;

/// Nobody watches: what is new is read, and the stories of the last two days are kept.
fn daily(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    if !world.settings()?.enabled {
        return Ok(());
    }
    learn::quietly(&world)?;
    retros::ran(&world.data, world.now)?;
    let mut ui = Ui::stdout(args.printed.json);
    let Some(sessions) = Sessions::open_read_only(&world.data)? else { return Ok(()) };
    for day in [world.now - DAY, world.now].into_iter().filter_map(retros::day_of) {
        if let Some((path, n)) = retros::write_day(&world.data, &sessions, day)? {
            if ui.json {
                ui.object(&serde_json::json!({ "day": day.to_string(), "sessions": n, "file": path }))?;
            } else {
                ui.line(format!("{day}: {} in {}", ui::count(n as u64, "session"), path.display()))?;
            }
        }
    }
    Ok(ui.flush()?)
}

/// The one session of a transcript.
fn from_file(path: &Path) -> Result<Session> {
    let mut sessions = Vec::new();
    let report = pipeline::for_each_compact(&[PathBuf::from(path)], |session| {
        sessions.push(session);
        Ok(())
    })?;
    report.finish()?;
    match sessions.len() {
        0 => bail!("`{}` is no transcript", path.display()),
        1 => sessions.pop().context("read"),
        n => bail!("`{}` holds {n} sessions; give one transcript, or a session's id", path.display()),
    }
}

/// A session that was read before.
fn from_store(given: Option<&str>) -> Result<Session> {
    let world = World::from_env()?;
    let store = Sessions::open_read_only(&world.data)?;
    let Some(store) = store else { bail!(no_sessions(given)) };
    let rows = store.list(None)?;
    let row = match given {
        Some(given) => named(&rows, given)?,
        None => newest(&rows).with_context(|| no_sessions(None))?,
    };
    store.session_of(&row.path)?.with_context(|| format!("session `{}` is gone from the store", row.id))
}

fn no_sessions(given: Option<&str>) -> String {
    let begin = "no sessions were read yet; begin with `uptake learn`";
    given.map_or_else(|| begin.to_owned(), |g| format!("no session and no transcript is called `{g}`: {begin}"))
}

/// The session with this id, or the only one whose id begins so.
fn named<'r>(rows: &'r [SessionRow], given: &str) -> Result<&'r SessionRow> {
    if let Some(row) = rows.iter().find(|r| r.id == given) {
        return Ok(row);
    }
    let mut found: Vec<&SessionRow> = rows.iter().filter(|r| r.id.starts_with(given) && !given.is_empty()).collect();
    found.dedup_by(|a, b| a.id == b.id);
    match found.as_slice() {
        [row] => Ok(row),
        [] => bail!("no session and no transcript is called `{given}`; `uptake sessions` lists the sessions"),
        many => {
            let ids: Vec<&str> = many.iter().take(4).map(|r| r.id.as_str()).collect();
            bail!("{} sessions begin with `{given}`; give more of it: {}", many.len(), ids.join(", "))
        }
    }
}

/// The newest session of the project in the current folder, else the newest of all; subagents are parts of others.
fn newest(rows: &[SessionRow]) -> Option<&SessionRow> {
    let here = std::env::current_dir().ok();
    let project = here.map(|h| {
        let in_git: Option<Project> = Cache::default().of_folder(&h);
        in_git.unwrap_or_else(|| project_key::from_path(&one_spelling(&h.to_string_lossy())))
    });
    let mut main = rows.iter().filter(|r| r.agent == Agent::Main);
    let of_project = main.clone().find(|r| project.as_ref().is_some_and(|p| p.key == r.project));
    of_project.or_else(|| main.next()).or_else(|| rows.first())
}

fn print(ui: &mut Ui, session: &Session, story: &Retro) -> Result<()> {
    let (date, minutes) = when(session).unwrap_or_default();
    ui.line(fit(&format!("Session {} ({}){date}", session.id, session.source)))?;
    let counts = [
        format!("{}{minutes}", ui::count(story.calls as u64, "call")),
        format!("{} failed", story.failures),
        format!("{} fixed", story.fixes),
        format!("{} retried", story.retries),
        ui::count(story.corrections as u64, "correction"),
    ];
    ui.line(styled(DIM, &fit(&format!("  {}", counts.join(", ")))))?;
    part(ui, "Went wrong", &styled(YELLOW, "✗"), &story.wrong)?;
    part(ui, "Solved", &styled(GREEN, "✓"), &story.solved)?;
    part(ui, "Corrected by you", "»", &story.said)?;
    let learnable: Vec<String> = story.learnable.iter().map(|l| l.text.clone()).collect();
    part(ui, "Could be learned", "•", &learnable)?;
    if [&story.wrong, &story.solved, &story.said, &learnable].iter().all(|p| p.is_empty()) {
        ui.line("  Nothing failed, nothing was corrected, and nothing is worth keeping.")?;
    } else if story.learnable.iter().any(|l| l.suggested) {
        ui.line(styled(DIM, "To keep something of it: uptake learn, then uptake review"))?;
    }
    Ok(())
}

/// When it ran, and how long.
fn when(session: &Session) -> Option<(String, String)> {
    let (from, to) = session.started().zip(session.ended())?;
    let start = jiff::Timestamp::from_millisecond(from).ok()?;
    let minutes = to.saturating_sub(from).max(0) / 60_000;
    let long =
        if minutes == 0 { String::new() } else { format!(" in {}", ui::count(minutes.unsigned_abs(), "minute")) };
    Some((format!(", {}", start.strftime("%Y-%m-%d %H:%M")), long))
}

/// A heading and its first lines; nothing if there are none.
fn part(ui: &mut Ui, heading: &str, mark: &str, lines: &[String]) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    // One more fits where a line would only say that there is one more.
    let shown = if lines.len() == LINES { LINES } else { LINES - 1 };
    ui.line(styled(BOLD, heading))?;
    for line in lines.iter().take(shown) {
        ui.line(format!("  {mark} {}", ui::cut(&clean(line), WIDTH - 4)))?;
    }
    if lines.len() > shown {
        ui.line(styled(DIM, &format!("    … and {} more", lines.len() - shown)))?;
    }
    Ok(())
}

fn fit(text: &str) -> String {
    ui::cut(text, WIDTH)
}
