//! `uptake import`: what other learning tools kept becomes evidence here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_store::{Lessons, SeenIn};

use crate::folding::{Tombstones, fold_changed};
use crate::imports::{self, ForeignFile};
use crate::project::Cache;
use crate::stores::Stores;
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// How many damaged lines are shown; `--json` has more.
const SHOWN: usize = 20;

/// Take over what devflow, ClosedLoop or opencode-brain kept
///
/// The files are only read. Importing a file again adds nothing; a changed file replaces what was imported from it.
/// What comes in is evidence: it waits for your word like everything else.
#[derive(ClapArgs)]
pub struct Args {
    /// Files, or project folders in which the known files are looked for
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only say what would be imported; nothing is written
    #[arg(long)]
    dry_run: bool,
    /// One JSON object per file
    #[arg(long)]
    json: bool,
    /// The project to import for, instead of that of the folder in which a file lies
    #[arg(long, value_name = "KEY")]
    project: Option<String>,
}

/// What a file is to the store.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FileState {
    New,
    Changed,
    Unchanged,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let project = args.project.as_deref().map(str::trim);
    ensure!(project != Some(""), "--project needs the key of a project; `uptake sessions --json` shows them");
    let mut cache = if args.dry_run { Cache::default() } else { Cache::remembering(&world.data) };
    let files = imports::read(&args.paths, project.map(imports::named).as_ref(), &world, &mut cache)?;
    // Looking must not make anything.
    let kept = Lessons::look(&world.data)?;
    let files = files
        .into_iter()
        .map(|file| Ok((state(kept.as_ref(), &file)?, file)))
        .collect::<Result<Vec<(FileState, ForeignFile)>>>()?;
    // A run that was cut short may have kept something and not folded it.
    let unfinished = kept.map(|kept| kept.unfolded()).transpose()?.is_some_and(|list| !list.is_empty());
    let fresh: Vec<&ForeignFile> = files.iter().filter(|(state, f)| is_fresh(*state, f)).map(|(_, f)| f).collect();
    if !args.dry_run && (!fresh.is_empty() || unfinished) {
        keep(&fresh, &world)?;
    }
    let mut ui = Ui::stdout(args.json);
    for (state, file) in &files {
        if args.json {
            ui.object(&FileRow::of(*state, file, args.dry_run))?;
        } else {
            show(&mut ui, *state, file)?;
        }
    }
    if !args.json {
        ui.line(next_step(args.dry_run, !fresh.is_empty()))?;
    }
    Ok(ui.flush()?)
}

fn state(kept: Option<&Lessons>, file: &ForeignFile) -> Result<FileState> {
    let Some(kept) = kept else { return Ok(FileState::New) };
    let kept = kept.kept_of(&file.path.to_string_lossy())?;
    let mut items: Vec<_> = file.imported.items.iter().collect();
    items.sort_by(|a, b| a.head.id.cmp(&b.head.id));
    let same = kept.len() == items.len()
        && kept.iter().zip(items).all(|((project, was), o)| *project == file.project.key && was == o);
    Ok(match (kept.is_empty(), same) {
        (true, _) => FileState::New,
        (false, true) => FileState::Unchanged,
        (false, false) => FileState::Changed,
    })
}

/// Whether there is anything to write.
fn is_fresh(state: FileState, file: &ForeignFile) -> bool {
    state == FileState::Changed || state == FileState::New && !file.imported.items.is_empty()
}

fn keep(files: &[&ForeignFile], world: &World) -> Result<()> {
    let mut stores = Stores::open(&world.data)?;
    let paths: Vec<String> = files.iter().map(|f| f.path.to_string_lossy().into_owned()).collect();
    let seen: Vec<SeenIn<'_>> = files
        .iter()
        .zip(&paths)
        .map(|(f, path)| SeenIn {
            source: f.format.source,
            session: &f.id,
            path,
            project: &f.project.key,
            observations: &f.imported.items,
        })
        .collect();
    stores.lessons.keep_observations(&seen)?;
    let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
    fold_changed(&mut stores.lessons, &tombstones, &world.settings()?.thresholds)
}

/// How many entries of each kind; one entry may have several sightings.
fn kinds(file: &ForeignFile) -> BTreeMap<&'static str, usize> {
    let entries: BTreeSet<_> = file.imported.items.iter().map(|o| (o.claim.kind.as_str(), &o.head.events)).collect();
    let mut out = BTreeMap::new();
    for (kind, _) in entries {
        *out.entry(kind).or_default() += 1;
    }
    out
}

fn show(ui: &mut Ui, state: FileState, file: &ForeignFile) -> Result<()> {
    let before = match state {
        FileState::New => "",
        FileState::Changed => " (replaces what was imported from it before)",
        FileState::Unchanged => " (imported before; nothing new)",
    };
    ui.line(format!("{}{before}", styled(BOLD, &file.path.display().to_string())))?;
    ui.line(styled(DIM, &format!("   {}, for project {}", file.format.title, file.project.key)))?;
    let kinds: Vec<String> = kinds(file).iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    let imported = &file.imported;
    if kinds.is_empty() {
        ui.line("   nothing to take over")?;
    } else {
        let seen = ui::count(imported.items.len() as u64, "sighting");
        ui.line(format!("   {} ({seen})", kinds.join(", ")))?;
    }
    for (why, n) in &imported.left_out {
        ui.line(format!("   left out: {} {why}", if *n == 1 { "1 entry".into() } else { format!("{n} entries") }))?;
    }
    for problem in imported.problems.iter().take(SHOWN) {
        ui.line(styled(YELLOW, &format!("   skipped: line {} {}", problem.line, problem.why)))?;
    }
    let more = imported.problems.len().saturating_sub(SHOWN) + imported.more_problems;
    if more > 0 {
        ui.line(styled(YELLOW, &format!("   skipped: {} more; --json lists them", ui::count(more as u64, "line"))))?;
    }
    Ok(())
}

fn next_step(dry_run: bool, fresh: bool) -> &'static str {
    match (dry_run, fresh) {
        (true, _) => "\nDry run: nothing was written.",
        (false, true) => "\nImported as evidence; nothing is used before your yes. Look at it: uptake review --all",
        (false, false) => "\nNothing new. What was imported before: uptake review --all",
    }
}

/// A file as one JSON object.
#[derive(Serialize)]
struct FileRow<'f> {
    path: String,
    source: &'static str,
    project: &'f str,
    state: FileState,
    dry_run: bool,
    kinds: BTreeMap<&'static str, usize>,
    sightings: usize,
    left_out: &'f BTreeMap<&'static str, usize>,
    problems: Vec<ProblemRow>,
    more_problems: usize,
}

#[derive(Serialize)]
struct ProblemRow {
    line: usize,
    why: &'static str,
}

impl<'f> FileRow<'f> {
    fn of(state: FileState, file: &'f ForeignFile, dry_run: bool) -> Self {
        let imported = &file.imported;
        Self {
            path: file.path.display().to_string(),
            source: file.format.source,
            project: &file.project.key,
            state,
            dry_run,
            kinds: kinds(file),
            sightings: imported.items.len(),
            left_out: &imported.left_out,
            problems: imported.problems.iter().map(|p| ProblemRow { line: p.line, why: p.why }).collect(),
            more_problems: imported.more_problems,
        }
    }
}
