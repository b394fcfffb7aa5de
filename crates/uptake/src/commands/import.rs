//! `uptake import`: what other learning tools kept becomes evidence here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_store::Lessons;

use crate::folding::{Tombstones, fold_changed};
use crate::imports::{self, ForeignFile, Reader};
use crate::project::Cache;
use crate::stores::Stores;
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// How many damaged lines are shown; `--json` has more.
const SHOWN: usize = 20;

/// Take over what devflow, ClosedLoop, opencode-brain, a skill file or another uptake kept
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
    let cache = if args.dry_run { Cache::default() } else { Cache::remembering(&world.data) };
    let mut reader = Reader::new(&world, project.map(imports::named), cache);
    // Looking must not make anything.
    let kept = Lessons::look(&world.data)?;
    let files = look_at_all(&imports::find(&args.paths)?, &mut reader, kept.as_ref())?;
    // A run that was cut short may have kept something and not folded it.
    let unfinished = kept.map(|kept| kept.unfolded()).transpose()?.is_some_and(|list| !list.is_empty());
    let any_fresh = files.iter().any(Looked::is_fresh);
    if !args.dry_run && (any_fresh || unfinished) {
        keep(&files, &mut reader, &world)?;
    }
    let mut ui = Ui::stdout(args.json);
    for looked in &files {
        if args.json {
            ui.object(&FileRow::of(looked, args.dry_run))?;
        } else {
            show(&mut ui, looked)?;
        }
    }
    if !args.json {
        ui.line(next_step(args.dry_run, any_fresh))?;
    }
    Ok(ui.flush()?)
}

/// Takes skill files over for the project of this folder.
pub(super) fn skills(paths: &[PathBuf], json: bool) -> Result<()> {
    let world = World::from_env()?;
    let here = std::env::current_dir()?;
    let project = crate::project::of_folder_quickly(&here, &world.data).key;
    run(&Args { paths: paths.to_vec(), dry_run: false, json, project: Some(project) })
}

/// A file that was looked at.
struct Looked {
    state: FileState,
    kinds: BTreeMap<&'static str, usize>,
    sightings: usize,
    /// Of many files what they gave is not held: it is read again when it is kept.
    file: ForeignFile,
}

impl Looked {
    /// Whether there is anything to write.
    fn is_fresh(&self) -> bool {
        self.state == FileState::Changed || self.state == FileState::New && self.sightings > 0
    }
}

/// Sightings that are held in memory between looking and keeping.
const HELD: usize = 2_000;

/// Looks at every file before anything is kept: if one cannot be read, nothing is.
fn look_at_all(paths: &[PathBuf], reader: &mut Reader<'_>, kept: Option<&Lessons>) -> Result<Vec<Looked>> {
    let mut held = 0;
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        let mut file = reader.read(path)?;
        let (state, kinds, sightings) = (state(kept, &file)?, kinds(&file), file.imported.items.len());
        held += sightings;
        if held > HELD {
            file.imported.items = Vec::new();
        }
        all.push(Looked { state, kinds, sightings, file });
    }
    Ok(all)
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

/// Keeps what is new. Each file is kept whole or not at all; the next run goes on where this one is cut short.
fn keep(files: &[Looked], reader: &mut Reader<'_>, world: &World) -> Result<()> {
    let mut stores = Stores::open(&world.data)?;
    for looked in files.iter().filter(|looked| looked.is_fresh()) {
        let held = &looked.file;
        if held.imported.items.len() == looked.sightings {
            held.keep(&mut stores.lessons)?;
        } else {
            reader.read(&held.path)?.keep(&mut stores.lessons)?;
        }
    }
    let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
    fold_changed(&mut stores.lessons, &tombstones, world, &world.settings()?)
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

fn show(ui: &mut Ui, looked: &Looked) -> Result<()> {
    let file = &looked.file;
    let before = match looked.state {
        FileState::New => "",
        FileState::Changed => " (replaces what was imported from it before)",
        FileState::Unchanged => " (imported before; nothing new)",
    };
    ui.line(format!("{}{before}", styled(BOLD, &file.path.display().to_string())))?;
    ui.line(styled(DIM, &format!("   {}, for project {}", file.format.title, file.project.key)))?;
    let kinds: Vec<String> = looked.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    let imported = &file.imported;
    if kinds.is_empty() {
        ui.line("   nothing to take over")?;
    } else {
        let seen = ui::count(looked.sightings as u64, "sighting");
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
    kinds: &'f BTreeMap<&'static str, usize>,
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
    fn of(looked: &'f Looked, dry_run: bool) -> Self {
        let Looked { state, kinds, sightings, file } = looked;
        let imported = &file.imported;
        Self {
            path: file.path.display().to_string(),
            source: file.format.source,
            project: &file.project.key,
            state: *state,
            dry_run,
            kinds,
            sightings: *sightings,
            left_out: &imported.left_out,
            problems: imported.problems.iter().map(|p| ProblemRow { line: p.line, why: p.why }).collect(),
            more_problems: imported.more_problems,
        }
    }
}
