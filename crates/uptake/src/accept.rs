//! A yes: the lesson is approved, and becomes a skill where its agents will find it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_store::{Lessons, Sessions, Verdict};

use crate::agents;
use crate::project;
use crate::skills::{self, Told};
use crate::world::World;

/// What agents are told already, for this user and in the folders in which a project's sessions ran.
///
/// # Errors
/// If the store cannot be read.
pub fn told(world: &World, sessions: Option<&Sessions>, key: &str) -> Result<Told> {
    let mut folders: Vec<PathBuf> = key.strip_prefix("path:").map(PathBuf::from).into_iter().collect();
    if let Some(sessions) = sessions {
        folders.extend(sessions.folders_of(key)?.into_iter().map(PathBuf::from));
    }
    // Instructions stand at the top of a repository; sessions may run below it.
    let tops: Vec<PathBuf> = folders.iter().filter_map(|f| project::top(f)).collect();
    folders.extend(tops);
    folders.sort();
    folders.dedup();
    folders.retain(|f| f.is_dir());
    Ok(Told::read(&world.home, &folders))
}

/// What to do so that Claude Code hears approved fixes; `None` if its settings name the hook already.
pub fn how_to_be_heard(home: &Path) -> Option<String> {
    let settings = agents::agent("claude").folder(home).join("settings.json");
    let wired = std::fs::read_to_string(&settings).is_ok_and(|t| t.contains("hook claude"));
    (!wired).then(|| {
        format!(
            "Claude Code hears approved fixes once `{}` names the hook: see `uptake hook --help`.",
            settings.display()
        )
    })
}

/// Writes the skill of a lesson for each of its agents, then approves the lesson. A skill that cannot be written
/// leaves the lesson undecided, so that it is offered again.
///
/// # Errors
/// If a skill or the store cannot be written.
pub fn save_as_skill(world: &World, lessons: &mut Lessons, lesson: &Lesson, told: &mut Told) -> Result<Vec<PathBuf>> {
    let written = write_skills(world, lessons, lesson, told)?;
    lessons.decide(lesson, Verdict::Approved, world.now)?;
    Ok(written)
}

/// Writes the skill of a lesson for each of its agents.
///
/// # Errors
/// If a skill or the store cannot be written.
pub fn write_skills(world: &World, lessons: &mut Lessons, lesson: &Lesson, told: &mut Told) -> Result<Vec<PathBuf>> {
    let skill = told.skill(&world.home, lesson);
    let mut written = Vec::new();
    for folder in skills::folders(&world.home, lesson) {
        let path = skills::write(&folder, &skill)?;
        keep_artifact(world, lessons, lesson, &path, &skill.text)?;
        written.push(path);
    }
    told.add(&skill);
    Ok(written)
}

fn keep_artifact(world: &World, lessons: &mut Lessons, lesson: &Lesson, path: &Path, text: &str) -> Result<()> {
    Ok(lessons.keep_artifact(&path.to_string_lossy(), &lesson.id, &sha256_hex(text.as_bytes()), world.now)?)
}
