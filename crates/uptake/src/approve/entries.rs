//! Entries of knowledge files: added with a number that none ever had, found again, taken out.
//!
//! All of it under the lock of the project's knowledge. A person may write to the file at any time: what they wrote stays.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use uptake_core::learn::Lesson;
use uptake_core::render::{self, Entry, EntryFile, entry_sum};
use uptake_store::{Artifact, Lessons};

use crate::spots::{self, Knowledge};
use crate::world::World;

/// How often a file is tried that somebody changes all the time.
const TRIES: usize = 200;

/// Adds the entry of a lesson, unless it is there. Answers the file; nothing if another entry says the same.
pub(super) fn write(world: &World, lessons: &mut Lessons, lesson: &Lesson, file: EntryFile) -> Result<Vec<PathBuf>> {
    let knowledge = Knowledge::of(&world.data, lessons, lesson.project())?;
    let _lock = knowledge.lock(&world.data)?;
    let path = knowledge.path(file);
    let name = path.to_string_lossy().into_owned();
    let day = day(world.now);
    let text_of = |number| render::entry(lesson, file, number, &day);
    for _ in 0..TRIES {
        let was = knowledge.text(file)?;
        let entries = was.as_deref().map(|text| file.entries(text)).unwrap_or_default();
        if let Some(own) = entries.iter().find(|e| e.lesson.as_deref() == Some(&lesson.id)) {
            // Written by a run that was cut short before it could say so.
            lessons.keep_artifact(&Artifact::part(&name, &own.id), &lesson.id, &own.sha256, world.now)?;
            return Ok(vec![path]);
        }
        if file == EntryFile::Pitfalls && entries.iter().any(|e| render::is_same_pitfall(e, &text_of(0))) {
            return Ok(Vec::new());
        }
        let number = number(lessons, lesson, file, &name, &entries, &text_of)?;
        let entry = text_of(number);
        if knowledge.put(file, was.as_deref(), &file.with(was.as_deref(), &entry))? {
            let part = Artifact::part(&name, &file.id(number));
            lessons.keep_artifact(&part, &lesson.id, &entry_sum(&entry), world.now)?;
            return Ok(vec![path]);
        }
    }
    bail!("`{name}` changes all the time; try again when nobody writes to it")
}

/// The number of a lesson's entry: the one it was promised by a run that was cut short, else the next.
fn number(
    lessons: &mut Lessons,
    lesson: &Lesson,
    file: EntryFile,
    name: &str,
    entries: &[Entry],
    text_of: &impl Fn(u32) -> String,
) -> Result<u32> {
    for begun in lessons.artifacts(Some(&lesson.id))?.iter().filter(|a| !a.written && a.place().0 == name) {
        let promised = file.number(begun.place().1).filter(|n| entries.iter().all(|e| e.number != *n));
        match promised {
            Some(number) => return Ok(number),
            // A person took it meanwhile.
            None => lessons.drop_artifact(&begun.path)?,
        }
    }
    let highest = entries.iter().map(|e| e.number).max().unwrap_or(0);
    let made = |number| (file.id(number), entry_sum(&text_of(number)));
    Ok(lessons.begin_entry(name, highest, &lesson.id, &spots::branch(Path::new(name)), made)?)
}

fn day(now: i64) -> String {
    Timestamp::from_millisecond(now).map_or_else(|_| "no date".to_owned(), |t| t.strftime("%Y-%m-%d").to_string())
}

/// The entry of an artifact as it stands now; `None` if it is not there.
pub(super) fn found(artifact: &Artifact) -> Result<Option<Entry>> {
    let (path, id) = artifact.place();
    let Some((knowledge, file)) = Knowledge::of_file(Path::new(path)) else { return Ok(None) };
    let Some(text) = knowledge.text(file)? else { return Ok(None) };
    Ok(file.entries(&text).into_iter().find(|e| e.id == id))
}

/// Takes an entry out, unless a person changed it. Whether it is gone.
pub(super) fn remove(world: &World, artifact: &Artifact) -> Result<bool> {
    take_out(world, artifact, |entry| !artifact.edited && entry.sha256 == artifact.sha256)
}

/// Takes an entry out, whoever changed it.
pub(super) fn erase(world: &World, artifact: &Artifact) -> Result<bool> {
    take_out(world, artifact, |_| true)
}

fn take_out(world: &World, artifact: &Artifact, may: impl Fn(&Entry) -> bool) -> Result<bool> {
    let (path, id) = artifact.place();
    let (knowledge, file) =
        Knowledge::of_file(Path::new(path)).with_context(|| format!("`{path}` is no file of entries"))?;
    let _lock = knowledge.lock(&world.data)?;
    for _ in 0..TRIES {
        let Some(was) = knowledge.text(file)? else { return Ok(true) };
        let Some(entry) = file.entries(&was).into_iter().find(|e| e.id == id) else { return Ok(true) };
        if !may(&entry) {
            return Ok(false);
        }
        if knowledge.put(file, Some(&was), &file.without(&was, id))? {
            knowledge.remove_bare(file)?;
            return Ok(true);
        }
    }
    Ok(false)
}
