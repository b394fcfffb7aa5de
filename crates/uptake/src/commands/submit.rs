//! `uptake submit`: an agent hands in what it learned.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use serde_json::json;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::redact::{clean, spelled_out};
use uptake_core::render::EntryFile;
use uptake_core::session::SourceName;
use uptake_core::submit::{self, LIMIT, Learning, LearningKind, Submission};
use uptake_store::{Artifact, Lessons, SeenIn, Stored, known_machine};

use super::Printed;
use crate::folding::{Tombstones, fold_changed};
use crate::ingest::leaves_alone;
use crate::known_secrets::KnownSecrets;
use crate::project;
use crate::ui::{GREEN, Ui, styled};
use crate::world::World;
use crate::{approve, env_vars};

/// Hand in what an agent learned; it waits for a person's yes like everything else
///
/// One JSON object with `task` and `pattern` (what to do) or `mistake` (what not to do); also `citations` (such as ADR-001, or the id of a
/// hint), `tags`, `agent` and `session`. Where there is nothing: `no_learnings` and `reason`. For example:
///
/// uptake submit '{"task":"add a column","mistake":"Migrations run twice without --once","agent":"builder"}'
#[derive(ClapArgs)]
pub struct Args {
    /// The object; without it, or with `-`, it is read from standard input
    learning: Option<String>,
    /// The project it holds for, by its key; without it the project of this folder
    #[arg(long, value_name = "KEY")]
    project: Option<String>,
    #[command(flatten)]
    printed: Printed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let here = std::env::current_dir()?;
    let redactor = KnownSecrets::from_env().redactor(here.to_str());
    let refused = "nothing was handed in";
    let said = submit::read(&given(args)?, &redactor).map_err(anyhow::Error::msg).context(refused)?;
    let mut ui = Ui::stdout(args.printed.json);
    let learning = match said {
        Submission::Learning(learning) => learning,
        Submission::Nothing { reason } => {
            if args.printed.json {
                ui.object(&json!({ "no_learnings": true, "reason": reason }))?;
            } else {
                ui.line("Nothing to learn; nothing was kept.")?;
            }
            return Ok(ui.flush()?);
        }
    };
    let settings = world.settings()?;
    if !settings.enabled {
        bail!("{refused}: uptake is switched off (uptake enable)");
    }
    let mut lessons = Lessons::open(&world.data)?;
    let project = match &args.project {
        Some(key) => clean(key),
        None => project::here(&here, &world.data, &lessons)?,
    };
    if leaves_alone(&project, here.to_str(), &settings, &world.home, &lessons) {
        bail!("{refused}: {project} is left alone (uptake config get exclude, uptake trust --list)");
    }
    let cited = cited(&lessons, &learning, &project, &world.data).context(refused)?;
    let kept = keep(&world, &mut lessons, &learning, &project)?;
    let named: Vec<String> = cited.iter().map(|lesson| lesson.id.clone()).collect();
    // Who tells of a mistake may cite the very lesson that led to it.
    if learning.kind == LearningKind::Pattern {
        lessons.keep_named(&named, &kept.source, &kept.root, world.now)?;
    }
    let written_up = approve::write_up(&world, &mut lessons, &cited)?;
    let state = if kept.is_new { "new" } else { "known" };
    if args.printed.json {
        ui.object(&json!({ "id": kept.lesson, "project": project, "state": state, "text": learning.text,
            "tags": learning.tags, "written_up": written_up }))?;
    } else {
        let mark = styled(GREEN, "✓");
        ui.line(match kept.is_new {
            true => format!("{mark} Handed in {} for {project}: {}", kept.lesson, spelled_out(&learning.text)),
            false => format!("{mark} {} was handed in before in this session; it counts once.", kept.lesson),
        })?;
        written_up.iter().try_for_each(|id| ui.line(format!("  {id} is written up with it.")))?;
        ui.line("  Nobody is told before a person said yes: uptake review")?;
    }
    Ok(ui.flush()?)
}

/// The object as it was given. No more is read than could be taken.
fn given(args: &Args) -> Result<Vec<u8>> {
    if let Some(text) = args.learning.as_deref().filter(|text| *text != "-") {
        return Ok(text.as_bytes().to_vec());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LIMIT as u64 + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// The lessons that it cites. What is cited must be there: an entry by the form of its number, a lesson by its id.
fn cited(lessons: &Lessons, learning: &Learning, project: &str, data: &Path) -> Result<Vec<Lesson>> {
    let mut all = Vec::new();
    let machine = known_machine(data);
    for id in learning.citations.iter().filter(|id| EntryFile::of_id(id).is_none()) {
        let mut found = if id.len() < SHORT { Vec::new() } else { lessons.by_id(id)? };
        // What holds on the machine is told in every project.
        found.retain(|s| s.lesson.project() == project || Some(s.lesson.project()) == machine.as_deref());
        if found.is_empty() {
            bail!("it cites `{id}`, which is no entry such as ADR-001 and no lesson of {project}; leave it out");
        }
        // The start of an id may be that of others, which nobody asked to have written up.
        let is_open = |s: &Stored| s.verdict() == Some(Verdict::Released);
        if found.iter().filter(|s| is_open(s)).count() == 1 {
            found.retain(is_open);
        }
        all.extend(found.pop().filter(|_| found.is_empty()).map(|s| s.lesson));
    }
    Ok(all)
}

/// Shorter ids name too many lessons.
const SHORT: usize = 4;

struct Kept {
    lesson: String,
    is_new: bool,
    /// Who handed it in, in which session: the client, where it says so.
    source: String,
    root: String,
}

/// The variables in which clients name the session that a command runs in.
const SESSIONS: &[(&str, SourceName)] =
    &[(env_vars::CLAUDE_CODE_SESSION_ID, SourceName::Claude), (env_vars::GEMINI_SESSION_ID, SourceName::Gemini)];

const DAY: i64 = 86_400_000;

/// Keeps it as something that was seen, and makes a lesson of it. The same in one session counts once.
fn keep(world: &World, lessons: &mut Lessons, learning: &Learning, project: &str) -> Result<Kept> {
    let of_client = SESSIONS.iter().find_map(|(name, source)| Some((env_vars::get(name)?, source)));
    let by = of_client.as_ref().map(|(_, source)| source.to_string());
    let session = learning.session.clone().or(of_client.map(|(id, _)| id)).map(|id| clean(&id));
    // Who does not say which session it is counts once a day.
    let root = session.unwrap_or_else(|| format!("day-{}", world.now.div_euclid(DAY)));
    let seen = submit::observed(learning, project, &root, world.now);
    let path = format!("submit:{project}:{}", seen.head.id);
    let lesson = uptake_core::learn::lesson_id(seen.claim.kind, &seen.claim.key, project);
    let before = lessons.kept_of(&path)?.pop().map(|(_, before)| before);
    let is_new = before.is_none();
    let seen = before.iter().fold(seen, submit::with_earlier);
    if before.is_none_or(|before| before.seen != seen.seen) {
        let observations = std::slice::from_ref(&seen);
        let source = seen.head.source.as_str();
        lessons.keep_observations(&[SeenIn { source, session: &root, path: &path, project, observations }])?;
    }
    let entries = learning.citations.iter().filter(|id| EntryFile::of_id(id).is_some());
    let entries: Vec<String> = entries.map(|id| Artifact::part(project, id)).collect();
    lessons.keep_citations(&entries, &root, Some(world.now))?;
    let tombstones = Tombstones::of(lessons, &world.data)?;
    fold_changed(lessons, &tombstones, world, &world.settings()?)?;
    let source = by.unwrap_or_else(|| seen.head.source.clone());
    Ok(Kept { lesson, is_new, source, root })
}
