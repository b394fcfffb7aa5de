//! `uptake trust`: agrees to the settings a repository carries.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use uptake_core::redact::spelled_out;
use uptake_store::Lessons;

use crate::repo_settings::{self, RepoSettings};
use crate::ui::{DIM, GREEN, Ui, styled};
use crate::world::World;

/// Agree to the settings a repository carries in .uptake/settings.toml, or to files of lessons in it
///
/// Without this they do not count. They can switch uptake off there or leave folders alone, nothing else.
/// The agreement is to exactly these bytes: when the file changes, you are asked again.
#[derive(ClapArgs)]
pub struct Args {
    /// A folder of the repository [default: this one]
    folder: Option<PathBuf>,
    /// Agree that uptake writes skills, commands and knowledge files of this project into its working tree
    #[arg(long)]
    files: bool,
    /// Take it back
    #[arg(long)]
    remove: bool,
    /// List the repositories you agreed to
    #[arg(long, conflicts_with_all = ["folder", "remove", "yes"])]
    list: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    let mut lessons = Lessons::open(&world.data)?;
    if args.list {
        return list(&mut ui, &lessons);
    }
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => std::env::current_dir()?,
    };
    if args.files {
        return files(&mut ui, &world, &mut lessons, &folder, args.remove);
    }
    if args.remove {
        return remove(&mut ui, &mut lessons, folder);
    }
    let none = || format!("no `{}` at the top of the repository of `{}`", repo_settings::FILE, folder.display());
    let carried = RepoSettings::of(&folder.canonicalize().unwrap_or_else(|_| folder.clone())).with_context(none)?;
    carried.wishes()?;
    if !args.yes {
        if !Ui::can_ask() {
            bail!(
                "agreeing needs a person; look at `{}`, then say so with --yes",
                carried.top.join(repo_settings::FILE).display()
            );
        }
        carried.text.lines().try_for_each(|line| ui.line(format!("  {}", spelled_out(line))))?;
        if !ui.agrees("Agree to exactly this?")? {
            ui.line(styled(DIM, "Not agreed; it does not count."))?;
            return Ok(ui.flush()?);
        }
    }
    lessons.trust(&carried.top.to_string_lossy(), &carried.sha256, world.now)?;
    done(&mut ui, &carried.top, true)
}

fn list(ui: &mut Ui, lessons: &Lessons) -> Result<()> {
    for folder in lessons.opted()? {
        if ui.json {
            ui.object(&serde_json::json!({ "folder": folder, "files": true }))?;
        } else {
            ui.line(format!("{folder}  (files may be written)"))?;
        }
    }
    for (folder, sum) in lessons.all_trusted()? {
        let now = RepoSettings::of(Path::new(&folder)).is_some_and(|c| c.sha256 == sum);
        if ui.json {
            ui.object(&serde_json::json!({ "folder": folder, "sha256": sum, "counts": now }))?;
        } else {
            ui.line(format!("{folder}{}", if now { "" } else { "  (changed or gone since: does not count)" }))?;
        }
    }
    Ok(ui.flush()?)
}

/// Lets files be written into a checkout, or no longer. What is there stays.
fn files(ui: &mut Ui, world: &World, lessons: &mut Lessons, folder: &Path, remove: bool) -> Result<()> {
    let top = crate::project::top(folder).unwrap_or_else(|| folder.to_owned());
    let top = top.canonicalize().with_context(|| format!("there is no folder `{}`", top.display()))?;
    let name = top.to_string_lossy();
    if remove {
        if !lessons.opt_out(&name)? {
            bail!("you never agreed to files in `{}`", top.display());
        }
    } else {
        lessons.opt_in(&name, world.now)?;
    }
    if ui.json {
        ui.object(&serde_json::json!({ "folder": top, "files": !remove }))?;
    } else {
        let what = if remove {
            "is not written into any more; what is there stays"
        } else {
            "gets the files of its own lessons"
        };
        ui.line(format!("{} {} {what}", styled(GREEN, "✓"), top.display()))?;
    }
    Ok(ui.flush()?)
}

fn remove(ui: &mut Ui, lessons: &mut Lessons, folder: PathBuf) -> Result<()> {
    let top = crate::project::top(&folder).unwrap_or(folder);
    let top = top.canonicalize().unwrap_or(top);
    if !lessons.distrust(&top.to_string_lossy())? {
        bail!("you never agreed to settings of `{}`", top.display());
    }
    done(ui, &top, false)
}

fn done(ui: &mut Ui, top: &Path, trusted: bool) -> Result<()> {
    if ui.json {
        ui.object(&serde_json::json!({ "folder": top, "trusted": trusted }))?;
    } else {
        let word = if trusted { "count from now on" } else { "do not count any more" };
        ui.line(format!("{} The settings of {} {word}", styled(GREEN, "✓"), top.display()))?;
    }
    Ok(ui.flush()?)
}
