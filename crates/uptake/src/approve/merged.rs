//! Lessons about one thing are one skill: a new one joins the file that is there, and leaves it again.
//!
//! A file of several lessons has a row for each: the first under the path of the file, the others behind `#`. All have the sum of
//! the whole file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use uptake_core::detect::Kind;
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::render::{self, topic};
use uptake_store::{Artifact, Lessons};

use super::files::{self, FileChanges, Target};
use super::{Around, sheets};
use crate::skills;
use crate::spots::Spot;
use crate::world::World;

/// Most lessons of one skill: a longer one is not read.
pub(super) const MOST: usize = 10;

/// The skill that the next lesson about something joins, by project and by what it is about: its files.
#[derive(Default)]
pub struct SkillsByTopic(Option<HashMap<About, Vec<PathBuf>>>);

impl SkillsByTopic {
    fn of(&mut self, lessons: &Lessons, lesson: &Lesson) -> Result<Vec<PathBuf>> {
        let Some(about) = about(lesson) else { return Ok(Vec::new()) };
        if self.0.is_none() {
            self.0 = Some(Self::read(lessons)?);
        }
        Ok(self.0.as_ref().and_then(|all| all.get(&about)).cloned().unwrap_or_default())
    }

    fn read(lessons: &Lessons) -> Result<HashMap<About, Vec<PathBuf>>> {
        let mut made = lessons.artifacts(None)?;
        made.retain(|a| a.written && Target::of(a) == Target::Skill);
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        made.iter().for_each(|a| *sizes.entry(a.place().0).or_default() += 1);
        let mut all: HashMap<About, Vec<PathBuf>> = HashMap::new();
        for artifact in made.iter().filter(|a| a.place().1.is_empty() && sizes[a.place().0] < MOST) {
            let made_of = lessons.by_id(&artifact.lesson)?.into_iter().find(|s| s.lesson.id == artifact.lesson);
            if let Some(about) = made_of.and_then(|s| about(&s.lesson)) {
                let (path, paths) = (PathBuf::from(&artifact.path), all.entry(about).or_default());
                // The same skill for another agent; of several skills the last one.
                if paths.first().is_some_and(|p| name_of(p) != name_of(&path)) {
                    paths.clear();
                }
                paths.push(path);
            }
        }
        Ok(all)
    }

    /// Remembers a skill that was just written.
    pub(super) fn add(&mut self, lesson: &Lesson, paths: &[PathBuf]) {
        if let (Some(all), Some(about)) = (&mut self.0, about(lesson)) {
            all.insert(about, paths.to_vec());
        }
    }
}

/// The name of a skill, by its file.
fn name_of(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// Project and program.
pub(super) type About = (String, String);

/// What a lesson is about; `None` for what stands alone. Steps in an order are one thing by themselves.
pub(super) fn about(lesson: &Lesson) -> Option<About> {
    let joins = matches!(lesson.kind, Kind::Recovery | Kind::Correction | Kind::Instruction | Kind::Pitfall);
    topic(lesson).filter(|_| joins).map(|topic| (lesson.project().to_owned(), topic))
}

/// A skill that a lesson comes into.
pub(super) struct Joined {
    pub name: String,
    /// Lessons that it holds.
    pub inside: Vec<Lesson>,
    /// The branch on which it was written.
    pub branch: String,
}

/// The skill about the same thing in the very places where this lesson belongs; `None` if there is none, it is full, or a
/// person changed it.
pub(super) fn join(lessons: &Lessons, around: &mut Around, lesson: &Lesson, spots: &[Spot]) -> Result<Option<Joined>> {
    let mut paths = own(lessons, lesson)?;
    if paths.is_empty() {
        paths = around.skills.of(lessons, lesson)?;
    }
    let Some(first) = paths.first() else { return Ok(None) };
    let name = name_of(first);
    let rows = lessons.artifacts_in(&first.to_string_lossy())?;
    let mut wanted: Vec<PathBuf> = spots.iter().map(|s| s.path(&name)).collect();
    wanted.sort();
    paths.sort();
    let as_written = |path: &PathBuf| rows.iter().all(|r| !r.edited) && skills::is_as_written(path, &rows[0].sha256);
    if rows.is_empty() || wanted != paths || !paths.iter().all(as_written) {
        return Ok(None);
    }
    let inside = made_of(lessons, &rows)?;
    let is_in = inside.iter().any(|l| l.id == lesson.id);
    // Alone in its file it may have other words now: that is a file of its own.
    let joins = if is_in { inside.len() > 1 } else { !inside.is_empty() && inside.len() < MOST };
    Ok(joins.then(|| Joined { name, inside, branch: rows[0].branch.clone() }))
}

/// The skill that a lesson is in.
fn own(lessons: &Lessons, lesson: &Lesson) -> Result<Vec<PathBuf>> {
    let mut own = lessons.artifacts(Some(&lesson.id))?;
    own.retain(|a| a.written && Target::of(a) == Target::Skill);
    Ok(own.iter().map(|a| PathBuf::from(a.place().0)).collect())
}

/// The lessons of rows, in their order.
fn made_of(lessons: &Lessons, rows: &[Artifact]) -> Result<Vec<Lesson>> {
    let mut out = Vec::new();
    for row in rows.iter().filter(|r| r.written) {
        out.extend(lessons.by_id(&row.lesson)?.into_iter().map(|s| s.lesson).filter(|l| l.id == row.lesson));
    }
    Ok(out)
}

/// Takes a lesson out of its file: the others stay, and without any the file goes. A file that a person changed stays as it
/// is. A run that is cut short leaves rows that are not written to their end, and the next one goes on.
pub(super) fn leave(world: &World, lessons: &mut Lessons, gone: &Artifact, files: &mut FileChanges) -> Result<()> {
    let (file, _) = gone.place();
    let path = PathBuf::from(file);
    let mut rows = lessons.artifacts_in(file)?;
    rows.retain(|r| r.written && r.path != gone.path);
    if rows.is_empty() {
        let mut whole = gone.clone();
        whole.path = file.to_owned();
        files::remove_file(world, &whole, files);
        return Ok(lessons.drop_artifact(&gone.path)?);
    }
    // A row that was begun knows the sum of a file that may never have been written.
    let was = |sum: &str| !gone.edited && skills::is_as_written(&path, sum);
    if !was(&gone.sha256) && !rows.iter().any(|r| was(&r.sha256)) {
        lessons.drop_artifact(&gone.path)?;
        files.left.push(path);
        return Ok(());
    }
    let left = made_of(lessons, &rows)?;
    let made = render::merged_skill(&left.iter().collect::<Vec<_>>(), &name_of(&path));
    let sum = sha256_hex(made.text.as_bytes());
    lessons.begin_without(&gone.path, file, &rows[0].path, &sum)?;
    sheets::rewrite(&path, &made.text)?;
    lessons.keep_parts(file, &sum, world.now)?;
    files.written.push(path);
    Ok(())
}

/// Gives a file whose rewriting was cut short the text it should have, if it has the one it had before. Whether it did.
pub(super) fn renew(world: &World, lessons: &mut Lessons, file: &str) -> Result<bool> {
    let path = Path::new(file);
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(false) };
    let name = name_of(path);
    let mut inside = Vec::new();
    for id in skills::lessons_in(&text) {
        inside.extend(lessons.by_id(id)?.into_iter().map(|s| s.lesson).filter(|l| l.id == id));
    }
    let all: Vec<&Lesson> = inside.iter().collect();
    let alone = || matches!(all.as_slice(), [one] if render::skill(one, &name).text == text);
    if all.is_empty() || render::merged_skill(&all, &name).text != text && !alone() {
        return Ok(false);
    }
    let rows = lessons.artifacts_in(file)?;
    let mut wanted = Vec::new();
    for row in &rows {
        wanted.extend(lessons.by_id(&row.lesson)?.into_iter().map(|s| s.lesson).filter(|l| l.id == row.lesson));
    }
    let made = render::merged_skill(&wanted.iter().collect::<Vec<_>>(), &name);
    if made.text != text {
        sheets::rewrite(path, &made.text)?;
    }
    lessons.keep_parts(file, &sha256_hex(made.text.as_bytes()), world.now)?;
    Ok(true)
}
