//! `uptake card`: what agents should know here, on at most thirty lines.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use uptake_core::learn::Lesson;
use uptake_core::recall::card::{CardLine, Section, card_file, card_lines, card_text};
use uptake_store::{Lessons, known_machine, rooted};

use super::Printed;
use crate::project;
use crate::spots::CARD;
use crate::ui::{self, DIM, GREEN, Ui, styled};
use crate::world::World;

/// Show what agents should know here, on at most thirty lines, best first
///
/// Only what you approved: where things are, commands that work, what not to do, conventions, and what holds on this machine.
#[derive(ClapArgs)]
pub struct Args {
    /// Write the project's part to .uptake/card.md, for you to commit; never what holds on this machine
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.printed.json);
    let here = std::env::current_dir()?;
    let lines = match Lessons::open_quickly(&world.data)? {
        Some(lessons) => card_lines(&approved(&world, &lessons, &here)?),
        None => Vec::new(),
    };
    if args.write {
        return write(&mut ui, &here, &lines);
    }
    if ui.json {
        let rows: Vec<_> = lines.iter().map(row).collect();
        let tokens = card_text(&lines).len().div_ceil(4);
        ui.object(&serde_json::json!({ "lines": rows, "tokens": tokens }))?;
    } else if lines.is_empty() {
        ui.line("Nothing is approved for this project yet: uptake review")?;
    } else {
        let text = card_text(&lines);
        ui.part(&text)?;
        let tokens = ui::count(text.len().div_ceil(4) as u64, "token");
        ui.line(styled(DIM, &format!("About {tokens} a session.")))?;
    }
    Ok(ui.flush()?)
}

/// Everything that may be told in a folder.
pub(super) fn approved(world: &World, lessons: &Lessons, folder: &Path) -> Result<Vec<Lesson>> {
    let mode = world.settings()?.mode;
    let project = project::here(folder, &world.data, lessons)?;
    let mut all = lessons.approved_in(&project, mode)?;
    if let Some(machine) = known_machine(&world.data) {
        all.extend(lessons.approved_in(&machine, mode)?);
    }
    Ok(all)
}

fn row(line: &CardLine) -> serde_json::Value {
    serde_json::json!({ "section": line.section.as_str(), "text": line.text, "id": line.id })
}

fn write(ui: &mut Ui, here: &Path, lines: &[CardLine]) -> Result<()> {
    let top = project::top(here).unwrap_or_else(|| here.to_owned());
    if lines.iter().all(|l| l.section == Section::Machine) {
        bail!("nothing is approved for this project yet: uptake review");
    }
    let path = put(&top, &card_file(lines))?;
    if ui.json {
        ui.object(&serde_json::json!({ "file": path }))?;
    } else {
        ui.line(format!("{} Wrote {}", styled(GREEN, "✓"), path.display()))?;
    }
    Ok(ui.flush()?)
}

/// Writes the file, or gives it its new text.
fn put(top: &Path, text: &str) -> Result<PathBuf> {
    let (below, path) = (Path::new(CARD), top.join(CARD));
    let cannot = || format!("cannot write `{}`", path.display());
    match rooted::read(top, below).with_context(cannot)? {
        None => drop(rooted::create(top, below, text).with_context(cannot)?),
        Some(was) if was == text.as_bytes() => {}
        Some(was) if was.starts_with(b"<!-- Written by `uptake card --write`") => {
            if rooted::replace(top, below, &was, text).with_context(cannot)? == rooted::Replaced::Changed {
                bail!("`{}` was changed meanwhile; try again", path.display());
            }
        }
        Some(_) => bail!("`{}` is there already and was left alone: it is not one that uptake wrote", path.display()),
    }
    Ok(path)
}
