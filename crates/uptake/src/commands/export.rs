//! `uptake export`: approved lessons as one file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;
use uptake_core::learn::Lesson;
use uptake_core::render::{TableRow, jsonl, toon};
use uptake_store::Lessons;
use uptake_store::atomic_file::{self, Over, Readers};

use crate::cycle::standings;
use crate::project::Names;
use crate::ui::{self, Ui};
use crate::world::World;

/// Print approved lessons for another uptake, or as a table for agents
///
/// What holds on this machine only is left out. `uptake import` reads both forms; what comes in waits for a yes there.
#[derive(ClapArgs)]
pub struct Args {
    /// The form: one JSON object a line, or the fifty surest as a table in TOON
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Form,
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Write to this file; one that is there is kept beside it as `.bak`
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Say what was written as one JSON object
    #[arg(long, requires = "to")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Jsonl,
    Toon,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mode = world.settings()?.mode;
    let lessons = Lessons::open_read_only(&world.data)?;
    let names = Names::of(lessons.as_ref(), None)?;
    let mut all = lessons.as_ref().map_or_else(|| Ok(Vec::new()), |l| l.may_leave(mode))?;
    let wanted = |l: &Lesson| args.project.as_deref().is_none_or(|name| names.is_called(l.project(), name));
    all.retain(|l| !l.project().starts_with("machine:") && wanted(l));
    let text = match args.format {
        Form::Jsonl => all.iter().map(|l| jsonl(l) + "\n").collect(),
        Form::Toon => {
            let standings = lessons.as_ref().map_or_else(|| Ok(Vec::new()), |l| standings(l, mode, None, world.now))?;
            let of = |l: &Lesson| standings.iter().find(|s| s.lesson.id == l.id);
            let rows: Vec<TableRow<'_>> = all.iter().filter_map(|l| Some(of(l)?.row())).collect();
            let day = Timestamp::from_millisecond(world.now).map(|t| t.strftime("%Y-%m-%d").to_string());
            toon(&rows, &day.unwrap_or_default())
        }
    };
    let mut ui = Ui::stdout(args.json);
    match &args.to {
        None => ui.part(&text)?,
        Some(path) => {
            put(path, &text)?;
            if args.json {
                ui.object(&serde_json::json!({ "file": path, "lessons": all.len() }))?;
            } else {
                ui.line(format!("Wrote {} to {}", ui::count(all.len() as u64, "lesson"), path.display()))?;
            }
        }
    }
    Ok(ui.flush()?)
}

/// Writes a file; one that is there is kept beside it.
pub(super) fn put(path: &Path, text: &str) -> Result<()> {
    let cannot = || format!("cannot write `{}`", path.display());
    if path.exists() {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".bak");
        std::fs::copy(path, path.with_file_name(name)).with_context(cannot)?;
    }
    atomic_file::write(path, text, Readers::User, Over::Replace).with_context(cannot)
}
