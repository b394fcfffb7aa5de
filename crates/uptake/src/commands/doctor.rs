//! `uptake doctor`: is everything uptake keeps sound?
//!
//! Comes in: the data folder. Goes out: one line per check of the table `CHECKS`; with `--fix` what is wrong is mended. A
//! new check is a row there. Agents and their settings are looked at in `agents`; no client is run.

mod agents;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_store::checkup::{self, Checkup};
use uptake_store::{StoreError, atomic_file, late};

use super::Printed;
use crate::damaged_store;
use crate::reader::Reader;
use crate::reader::trouble::LastTrouble;
use crate::retros;
use crate::schedule::{self, Scheduler};
use crate::ui::{self, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Check everything uptake keeps and every agent it is connected to, and mend what is wrong
///
/// Reads both databases and the journal whole. Without --fix nothing is changed.
#[derive(ClapArgs)]
pub struct Args {
    /// Mend what is wrong
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    printed: Printed,
}

/// One thing that is looked at.
struct Check {
    /// Its name in `--json`.
    name: &'static str,
    /// What is said if all is well.
    well: &'static str,
    /// What is wrong, and what is only told.
    look: fn(&World) -> Result<Vec<Finding>>,
    /// Mends it.
    fix: fn(&World) -> Result<()>,
}

/// Something that was found.
#[derive(Serialize)]
struct Finding {
    /// In words.
    what: String,
    /// Whether it is to be mended; otherwise it is only told.
    wrong: bool,
}

impl Finding {
    fn wrong(what: impl Into<String>) -> Self {
        Self { what: what.into(), wrong: true }
    }

    fn told(what: impl Into<String>) -> Self {
        Self { what: what.into(), wrong: false }
    }
}

/// All checks, in the order in which they are mended: a store is mended before anything looks into it.
const CHECKS: &[Check] = &[
    Check { name: "folder", well: "the data folder is yours alone", look: folder, fix: make_private },
    Check {
        name: "lessons",
        well: "lessons.db is sound, and its journal says the same",
        look: lessons,
        fix: mend_lessons,
    },
    Check { name: "sessions", well: "sessions.db is sound", look: sessions, fix: mend_sessions },
    Check { name: "approvals", well: "every approved lesson is as it was approved", look: approvals, fix: nothing },
    Check { name: "reader", well: "the reader is off, or has what it needs", look: reader, fix: nothing },
    Check { name: "wal", well: "the stores can be read while they are written", look: agents::wal, fix: nothing },
    Check { name: "agents", well: "what is connected works", look: agents::look, fix: agents::fix },
    Check { name: "hooks", well: "hooks met no trouble lately", look: agents::log, fix: nothing },
    Check { name: "daily", well: "the daily run is not late, or not wanted", look: daily, fix: nothing },
    Check { name: "leftovers", well: "nothing is left over", look: leftovers, fix: sweep },
];

#[derive(Serialize)]
struct CheckRow {
    name: &'static str,
    state: &'static str,
    found: Vec<Finding>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let mut rows = Vec::new();
    for check in CHECKS {
        let row = one(check, &world, args.fix)?;
        if !ui.json {
            show(&mut ui, check, &row)?;
        }
        rows.push(row);
    }
    let wrong = rows.iter().filter(|r| r.state == "wrong").count() as u64;
    if ui.json {
        ui.object(&serde_json::json!({ "home": world.data, "checks": rows, "agents": agents::rows(&world)? }))?;
    } else {
        agents::rows(&world)?.iter().try_for_each(|agent| ui.line(format!("  {}", agent.line())))?;
    }
    ui.flush()?;
    match (wrong, args.fix) {
        (0, _) => Ok(()),
        (_, false) => bail!("{} failed; mend it with: uptake doctor --fix", ui::count(wrong, "check")),
        (_, true) => bail!("{} failed and could not be mended", ui::count(wrong, "check")),
    }
}

fn one(check: &Check, world: &World, fix: bool) -> Result<CheckRow> {
    let row = |state, found| CheckRow { name: check.name, state, found };
    let found = (check.look)(world)?;
    if !found.iter().any(|f| f.wrong) {
        return Ok(row("ok", found));
    }
    if !fix {
        return Ok(row("wrong", found));
    }
    (check.fix)(world)?;
    let left = (check.look)(world)?;
    Ok(if left.iter().any(|f| f.wrong) { row("wrong", left) } else { row("fixed", found) })
}

fn show(ui: &mut Ui, check: &Check, row: &CheckRow) -> Result<()> {
    match row.state {
        "ok" if row.found.is_empty() => ui.line(format!("{} {}", styled(GREEN, "✓"), check.well))?,
        "ok" => ui.line(format!("{} {}, to know:", styled(GREEN, "✓"), check.name))?,
        "fixed" => ui.line(format!("{} mended: {}", styled(GREEN, "✓"), check.name))?,
        _ => ui.line(format!("{} {}", styled(YELLOW, "✗"), check.name))?,
    }
    row.found.iter().try_for_each(|f| Ok(ui.line(format!("    {}", f.what))?))
}

fn nothing(_: &World) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn folder(world: &World) -> Result<Vec<Finding>> {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(about) = world.data.metadata() else { return Ok(Vec::new()) };
    let mode = about.permissions().mode() & 0o777;
    let open = || Finding::wrong(format!("others may look into `{}` (mode {mode:o})", world.data.display()));
    Ok((mode & 0o077 != 0).then(open).into_iter().collect())
}

#[cfg(not(unix))]
fn folder(_: &World) -> Result<Vec<Finding>> {
    Ok(Vec::new())
}

fn make_private(world: &World) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&world.data, std::fs::Permissions::from_mode(0o700))?;
    }
    let _ = world;
    Ok(())
}

fn checked(world: &World) -> Result<Checkup> {
    Ok(if world.data.is_dir() { checkup::check(&world.data)? } else { Checkup::default() })
}

fn lessons(world: &World) -> Result<Vec<Finding>> {
    let Checkup { database, journal, cut_short, .. } = checked(world)?;
    let database = database.map(|why| Finding::wrong(format!("lessons.db: {why}")));
    let journal = journal.map(|why| Finding::wrong(format!("lessons.journal: {why}")));
    let cut_short = cut_short.then(|| Finding::wrong("lessons.db: a command was cut short while it wrote the file"));
    Ok(database.into_iter().chain(journal).chain(cut_short).collect())
}

fn mend_lessons(world: &World) -> Result<()> {
    let found = checked(world)?;
    let path = |name: &str| world.data.join(name);
    let error = match (found.database, found.journal) {
        (Some(why), _) => StoreError::Damaged { path: path("lessons.db"), why },
        (None, Some(why)) => StoreError::Damaged { path: path("lessons.journal"), why },
        (None, None) => StoreError::CutShort { path: path("lessons.db") },
    };
    damaged_store::mend(world, &error)
}

fn sessions(world: &World) -> Result<Vec<Finding>> {
    Ok(checkup::sessions(&world.data).map(Finding::wrong).into_iter().collect())
}

fn mend_sessions(world: &World) -> Result<()> {
    let Some(why) = checkup::sessions(&world.data) else { return Ok(()) };
    damaged_store::mend(world, &StoreError::Damaged { path: world.data.join("sessions.db"), why })
}

/// A lesson whose bytes are not those that were approved is not used; only a person can say which are meant.
fn approvals(world: &World) -> Result<Vec<Finding>> {
    let ids = if world.data.is_dir() { checkup::not_as_approved(&world.data) } else { Vec::new() };
    let told = |id| Finding::told(format!("lesson {id} is not as it was approved, and is not used: uptake show {id}"));
    Ok(ids.into_iter().map(told).collect())
}

/// What keeps the reader from answering. It is never asked here: that would cost the user something.
fn reader(world: &World) -> Result<Vec<Finding>> {
    // Settings that cannot be read are told by every command that needs them.
    let Ok(settings) = world.settings() else { return Ok(Vec::new()) };
    let Some(reader) = Reader::of(&settings.reader, world)? else { return Ok(Vec::new()) };
    let name = reader.name();
    if let Err(missing) = reader.standing() {
        return Ok(vec![Finding::told(format!("{name}: {missing}"))]);
    }
    let last = LastTrouble::of(&world.data).filter(|last| last.reader == name);
    let told = |last: LastTrouble| Finding::told(format!("{name}: {}; try it with: uptake reader test", last.what));
    Ok(last.map(told).into_iter().collect())
}

/// What has the daily run started, where that can be read; else that it ran once and no more: its line is gone, or leads nowhere.
fn daily(world: &World) -> Result<Vec<Finding>> {
    const DAY: u64 = 86_400_000;
    let wrong: Vec<Finding> = schedule::troubles(world).into_iter().map(Finding::told).collect();
    let late = |at: &i64| at.abs_diff(world.now) > 2 * DAY;
    let Some(last) = retros::last_ran(&world.data).filter(late).filter(|_| wrong.is_empty()) else { return Ok(wrong) };
    let scheduler = Scheduler::here();
    let (how, line) = (scheduler.how(), scheduler.line(world));
    let when = retros::day_of(last).map(|day| day.to_string()).unwrap_or_default();
    Ok(vec![Finding::told(format!("the daily run last ran on {when}; if you still want it ({how}): {line}"))])
}

/// Parts of files that killed commands left, and damaged files that were put aside.
fn leftovers(world: &World) -> Result<Vec<Finding>> {
    let parts = files(&world.data).into_iter().filter(|p| has(p, ".part-"));
    let parts = parts.map(|p| Finding::wrong(format!("part of a file that was never finished: {}", p.display())));
    let aside = files(&world.data).into_iter().filter(|p| has(p, ".damaged-"));
    let aside = aside.map(|p| Finding::told(format!("a damaged file that was put aside: {}", p.display())));
    let typed = late::written_anew(&world.data).into_iter().map(|(path, copy)| {
        let (path, copy) = (path.display(), copy.display());
        Finding::told(format!("a text that was typed into {path} while it was replaced; take what you need: {copy}"))
    });
    Ok(parts.chain(aside).chain(typed).collect())
}

/// Parts that nobody writes to go; the others are no leftovers.
fn sweep(world: &World) -> Result<()> {
    for part in files(&world.data).into_iter().filter(|p| has(p, ".part-")) {
        let name = part.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some((whole, _)) = name.trim_start_matches('.').split_once(".part-") {
            atomic_file::sweep(&part.with_file_name(whole));
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files
}

fn has(path: &Path, mark: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(mark))
}
