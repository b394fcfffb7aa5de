//! `uptake skill`: the skills that agents find on this machine.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use uptake_core::learn::capability::{Concern, concerns};
use uptake_core::learn::sha256_hex;
use uptake_core::redact::{hides, spelled_out};
use uptake_core::render::{CurateHint, DRAFT, Existing, VERIFIED, curate, existing_skill};
use uptake_store::{Artifact, Lessons};

use super::{Confirmed, Question};
use crate::agents::AGENTS;
use crate::approve;
use crate::project;
use crate::skills;
use crate::spots::Spot;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// List, show, delete, promote and tidy the skills that agents find here
#[derive(ClapArgs)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// One JSON object a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List skills with what they cost in every session
    List,
    /// Print a skill
    View {
        /// Its name
        name: String,
    },
    /// Delete a skill; if uptake made it, its lesson is retired
    Delete {
        /// Its name
        name: String,
        #[command(flatten)]
        confirmed: Confirmed,
    },
    /// Mark a skill of uptake as verified
    Promote {
        /// Its name
        name: String,
    },
    /// Take a skill file over as evidence; it waits for your yes, and what it could do is named
    Import {
        /// SKILL.md files, or folders with one
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Find doubles, overlaps, stale and thin skills
    Curate {
        /// Put doubles and stale skills of uptake away; `uptake undo` brings them back
        #[arg(long)]
        apply: bool,
    },
}

/// User-wide skills above which a warning is due: each costs every session of every project.
const MANY: usize = 10;

/// A skill on disk.
struct Found {
    name: String,
    description: String,
    quality: String,
    agent: &'static str,
    path: PathBuf,
    text: String,
    /// Of the project, not of the user.
    here: bool,
    /// What it was made of, if uptake made it.
    made: Vec<Artifact>,
}

impl Found {
    /// What its line in the list costs each session, in tokens.
    fn cost(&self) -> usize {
        (self.name.len() + self.description.len()).div_ceil(4)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    if let Some(What::Import { paths }) = &args.what {
        return import(args.json, paths);
    }
    let mut ui = Ui::stdout(args.json);
    match &args.what {
        None | Some(What::List) => list(&mut ui, &found(&world)?)?,
        Some(What::View { name }) => view(&mut ui, &world, name)?,
        Some(What::Delete { name, confirmed }) => delete(&mut ui, &world, name, confirmed)?,
        Some(What::Promote { name }) => promote(&mut ui, &world, name)?,
        Some(What::Curate { apply }) => tidy(&mut ui, &world, *apply)?,
        Some(What::Import { .. }) => {}
    }
    Ok(ui.flush()?)
}

/// All skills of the user and of this project.
fn found(world: &World) -> Result<Vec<Found>> {
    let lessons = Lessons::open_read_only(&world.data)?;
    let here = std::env::current_dir()?;
    let top = project::top(&here).unwrap_or(here);
    let mut out: Vec<Found> = Vec::new();
    for agent in AGENTS {
        let folders = [(agent.folder(&world.home).join(agent.skills), false), (top.join(agent.project_skills), true)];
        for (folder, here) in folders {
            let mut paths: Vec<PathBuf> =
                std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
            paths.sort();
            for path in paths.into_iter().map(|p| p.join("SKILL.md")) {
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
                let (name, description) = existing_skill(&text).unwrap_or_default();
                let name = if name.is_empty() { folder } else { name };
                let made =
                    lessons.as_ref().map_or_else(|| Ok(Vec::new()), |l| l.artifacts_in(&path.to_string_lossy()))?;
                let quality = quality(&text).to_owned();
                out.push(Found { name, description, quality, agent: agent.source, path, text, here, made });
            }
        }
    }
    Ok(out)
}

fn quality(text: &str) -> &str {
    let line = text.lines().find_map(|l| l.trim().strip_prefix("quality:"));
    line.map(|v| v.trim().trim_matches('"')).unwrap_or_default()
}

fn named<'f>(all: &'f [Found], name: &str) -> Result<Vec<&'f Found>> {
    let found: Vec<&Found> = all.iter().filter(|s| s.name == name).collect();
    if found.is_empty() {
        bail!("there is no skill `{name}`; `uptake skill list` lists them");
    }
    Ok(found)
}

fn list(ui: &mut Ui, all: &[Found]) -> Result<()> {
    for skill in all {
        let ours = !skill.made.is_empty();
        if ui.json {
            ui.object(&serde_json::json!({
                "name": skill.name, "description": skill.description, "quality": skill.quality, "agent": skill.agent,
                "path": skill.path, "project": skill.here, "ours": ours, "tokens": skill.cost(),
            }))?;
            continue;
        }
        let of = if ours { "uptake" } else { "yours" };
        let place = if skill.here { "project" } else { "user" };
        ui.line(format!("{}  {}", styled(BOLD, &skill.name), spelled_out(&skill.description)))?;
        let about = format!(
            "    {of} · {} · {place} · {} · about {} tokens a session",
            skill.agent,
            quality_word(skill),
            skill.cost()
        );
        ui.line(styled(DIM, &about))?;
    }
    if ui.json {
        return Ok(());
    }
    let ours: Vec<&Found> = all.iter().filter(|s| !s.made.is_empty()).collect();
    for agent in AGENTS {
        let of = |s: &&&Found| s.agent == agent.source;
        let (wide, cost) = (
            ours.iter().filter(of).filter(|s| !s.here).count(),
            ours.iter().filter(of).map(|s| s.cost()).sum::<usize>(),
        );
        if wide > MANY {
            let line = format!(
                "{} has {wide} user-wide skills of uptake; each costs every session of every project. Write project skills instead: uptake trust --files",
                agent.title
            );
            ui.line(styled(YELLOW, &line))?;
        }
        if cost > 0 {
            ui.line(format!(
                "{}: about {} tokens a session for uptake's skills",
                agent.title,
                ui::grouped(cost as u64)
            ))?;
        }
    }
    if all.is_empty() {
        ui.line("There are no skills.")?;
    }
    Ok(())
}

fn quality_word(skill: &Found) -> &str {
    if skill.quality.is_empty() { "no quality" } else { &skill.quality }
}

fn view(ui: &mut Ui, world: &World, name: &str) -> Result<()> {
    let all = found(world)?;
    let skill = named(&all, name)?[0];
    if ui.json {
        ui.object(&serde_json::json!({ "name": skill.name, "path": skill.path, "text": skill.text }))?;
        return Ok(());
    }
    Ok(ui.part(&skill.text)?)
}

fn delete(ui: &mut Ui, world: &World, name: &str, confirmed: &Confirmed) -> Result<()> {
    let all = found(world)?;
    let skills = named(&all, name)?;
    let about: Vec<String> = skills.iter().map(|s| s.path.display().to_string()).collect();
    let question =
        Question { warning: format!("this deletes the skill `{name}`"), about: &about, words: "Delete it?".to_owned() };
    if !confirmed.agrees(ui, &question)? {
        return Ok(());
    }
    for skill in &skills {
        skills::remove(&skill.path);
    }
    if skills.iter().any(|s| !s.made.is_empty()) {
        let mut lessons = Lessons::open(&world.data)?;
        approve::reconcile(world, &mut lessons, world.settings()?.mode)?;
    }
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "name": name, "removed": about }))?);
    }
    about.iter().try_for_each(|path| ui.line(format!("{} Deleted {path}", styled(GREEN, "✓"))))?;
    Ok(())
}

fn promote(ui: &mut Ui, world: &World, name: &str) -> Result<()> {
    let all = found(world)?;
    let skills: Vec<&Found> = named(&all, name)?.into_iter().filter(|s| !s.made.is_empty()).collect();
    if skills.is_empty() {
        bail!("`{name}` was not made by uptake; change its file yourself");
    }
    let mut lessons = Lessons::open(&world.data)?;
    for skill in &skills {
        let from = format!("quality: \"{DRAFT}\"");
        let text = skill.text.replacen(&from, &format!("quality: \"{VERIFIED}\""), 1);
        if text == skill.text {
            continue;
        }
        Spot::rewrite(&skill.path, skill.text.as_bytes(), &text)?;
        // What a person changed before stays theirs.
        let ours = skill.made.iter().all(|a| !a.edited && a.sha256 == sha256_hex(skill.text.as_bytes()));
        if ours {
            lessons.keep_parts(&skill.path.to_string_lossy(), &sha256_hex(text.as_bytes()), world.now)?;
        }
    }
    if ui.json {
        return Ok(ui.object(&serde_json::json!({ "name": name, "quality": VERIFIED }))?);
    }
    Ok(ui.line(format!("{} {name} is {VERIFIED}", styled(GREEN, "✓")))?)
}

/// The same as `uptake import` for the project of this folder, after what a skill could do was named.
fn import(json: bool, paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        let file = if path.is_dir() { path.join("SKILL.md") } else { path.clone() };
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        if existing_skill(&text).is_none() {
            bail!("`{}` is no skill: it has no head with name and description", file.display());
        }
        for concern in concerns("", text.lines().map(bare)).into_iter().map(Concern::as_str) {
            Ui::note(styled(YELLOW, &format!("{}: {concern}", file.display())));
        }
        if hides(&text) {
            Ui::note(styled(YELLOW, &format!("{}: it holds characters that cannot be seen", file.display())));
        }
    }
    super::import::skills(paths, json)
}

/// A line without the marks of a list and of code.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ". -*".contains(c));
    line.trim_matches('`')
}

fn tidy(ui: &mut Ui, world: &World, apply: bool) -> Result<()> {
    let all = found(world)?;
    let lessons = Lessons::open_read_only(&world.data)?;
    let mut existing: Vec<Existing> = Vec::new();
    for skill in &all {
        if existing.iter().any(|e| e.name == skill.name) {
            continue;
        }
        let body = skill.text.split_once("\n---\n").map_or(skill.text.as_str(), |(_, body)| body).to_owned();
        let mut last = None;
        if let (Some(lessons), Some(made)) = (&lessons, skill.made.first()) {
            last = lessons.by_id(&made.lesson)?.first().and_then(|s| s.lesson.evidence.last);
        }
        existing.push(Existing { name: skill.name.clone(), description: skill.description.clone(), body, last });
    }
    let findings = curate(&existing, world.now);
    let mut put_away = Vec::new();
    for finding in &findings {
        if ui.json {
            ui.object(
                &serde_json::json!({ "what": finding.hint.as_str(), "names": finding.names, "why": finding.why }),
            )?;
        } else {
            ui.line(format!("{}: {} ({})", finding.hint.as_str(), finding.names.join(", "), finding.why))?;
        }
        match finding.hint {
            CurateHint::Duplicate => put_away.extend(finding.names.iter().skip(1).cloned()),
            CurateHint::Stale => put_away.extend(finding.names.iter().cloned()),
            CurateHint::Overlap | CurateHint::Thin => {}
        }
    }
    if findings.is_empty() && !ui.json {
        ui.line("Nothing to tidy.")?;
    }
    put_away.retain(|name| all.iter().any(|s| s.name == *name && !s.made.is_empty()));
    if apply && !put_away.is_empty() {
        let mut store = Lessons::open(&world.data)?;
        for skill in all.iter().filter(|s| put_away.contains(&s.name) && !s.made.is_empty()) {
            skills::remove(&skill.path);
        }
        approve::reconcile(world, &mut store, world.settings()?.mode)?;
        if !ui.json {
            ui.line(format!("{} Put away {}; back with: uptake undo", styled(GREEN, "✓"), put_away.join(", ")))?;
        }
    } else if !put_away.is_empty() && !ui.json {
        ui.line(styled(DIM, &format!("To put away {}: uptake skill curate --apply", put_away.join(", "))))?;
    }
    Ok(())
}
