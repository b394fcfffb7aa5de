//! `uptake offer`: approved rules as lines for CLAUDE.md, AGENTS.md and GEMINI.md.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::render::{Offer, diff, offered};
use uptake_store::{Lessons, rooted};

use super::Printed;
use crate::instructions::{self, Instructions};
use crate::project;
use crate::ui::{self, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Show approved rules as a diff for CLAUDE.md, AGENTS.md or GEMINI.md; --apply adds them
///
/// Lines are only added; nothing else in your files changes. A file that says it already, also through a line like @AGENTS.md,
/// is left out. `patch -p1` takes what is printed.
#[derive(ClapArgs)]
pub struct Args {
    /// Add the lines to the files
    #[arg(long)]
    apply: bool,
    /// Only for this file
    #[arg(long, value_name = "NAME")]
    file: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

/// What is offered for one file.
struct ForFile {
    name: &'static str,
    was: Option<String>,
    offer: Offer,
    ids: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let here = std::env::current_dir()?;
    let top = project::top(&here).unwrap_or(here);
    let offers = match Lessons::open_read_only(&world.data)? {
        Some(lessons) => offers(&world, &lessons, &top, args.file.as_deref())?,
        None => Vec::new(),
    };
    if offers.is_empty() && !ui.json {
        ui.line("Nothing to offer: your files say what you approved, or nothing is approved yet (uptake review).")?;
    }
    for one in &offers {
        let path = if args.apply { Some(apply(&world.data, &top, one)?) } else { None };
        tell(&mut ui, one, path)?;
    }
    if !offers.is_empty() && !args.apply && !ui.json {
        ui.line(styled(DIM, "Nothing was changed. To add these lines: uptake offer --apply"))?;
    }
    Ok(ui.flush()?)
}

fn offers(world: &World, lessons: &Lessons, top: &Path, only: Option<&str>) -> Result<Vec<ForFile>> {
    let project = project::here(top, &world.data, lessons)?;
    let is_rule = |l: &Lesson| matches!(l.kind, Kind::Instruction | Kind::Correction);
    let rules: Vec<Lesson> =
        lessons.approved_in(&project, world.settings()?.mode)?.into_iter().filter(is_rule).collect();
    let mut out = Vec::new();
    for name in instructions::names_for(&world.home, top) {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let path = top.join(name);
        let was =
            match rooted::read(top, Path::new(name)).with_context(|| format!("cannot read `{}`", path.display()))? {
                Some(bytes) => {
                    Some(String::from_utf8(bytes).with_context(|| format!("`{}` is not UTF-8", path.display()))?)
                }
                None => None,
            };
        let said = Instructions::of(&path);
        let missing: Vec<&Lesson> = rules.iter().filter(|l| !said.say(&l.payload.statement)).collect();
        let statements: Vec<&str> = missing.iter().map(|l| l.payload.statement.as_str()).collect();
        if let Some(offer) = offered(was.as_deref(), &statements) {
            out.push(ForFile { name, was, offer, ids: missing.iter().map(|l| l.id.clone()).collect() });
        }
    }
    Ok(out)
}

fn apply(data: &Path, top: &Path, one: &ForFile) -> Result<PathBuf> {
    let (below, path) = (Path::new(one.name), top.join(one.name));
    let cannot = || format!("cannot write `{}`", path.display());
    match &one.was {
        None => drop(rooted::create(top, below, &one.offer.text).with_context(cannot)?),
        Some(was) => {
            let text = &one.offer.text;
            let done = rooted::replace_shared(top, below, was.as_bytes(), text, data).with_context(cannot)?;
            if done == rooted::Replaced::Changed {
                bail!("`{}` was changed meanwhile; try again", path.display());
            }
        }
    }
    Ok(path)
}

fn tell(ui: &mut Ui, one: &ForFile, applied: Option<PathBuf>) -> Result<()> {
    let diff = diff(one.name, one.was.as_deref(), &one.offer);
    if ui.json {
        return Ok(ui.object(&serde_json::json!({
            "file": one.name, "added": one.offer.added, "lessons": one.ids, "diff": diff, "applied": applied.is_some(),
        }))?);
    }
    match applied {
        Some(path) => {
            let lines = ui::count(one.ids.len() as u64, "line");
            Ok(ui.line(format!("{} Added {lines} to {}", styled(GREEN, "✓"), path.display()))?)
        }
        None => Ok(ui.part(&diff)?),
    }
}
