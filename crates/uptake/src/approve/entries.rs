//! Entries of knowledge files: added with a number that none ever had, found again, taken out.
//!
//! All of it under the lock of the project's knowledge. A person may write to the file at any time: what they wrote stays.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::render::{self, Entry, EntryFile, entry_sum};
use uptake_store::{Artifact, Finished, Lessons};

use super::Around;
use super::files::Target;
use crate::spots::{self, Knowledge};
use crate::world::World;

/// How often a file is tried that somebody changes all the time.
const TRIES: usize = 200;

/// What became of the entries of a file.
pub(super) struct WrittenEntries {
    /// By lesson: the file; none if another entry says the same.
    pub files: Vec<Vec<PathBuf>>,
    /// What is to be noted of them.
    pub kept: Vec<Finished>,
}

/// Adds the entries of lessons of one project that are not there yet, all in one step. The caller notes that they are written.
pub(super) fn write(
    world: &World,
    lessons: &mut Lessons,
    around: &mut Around,
    project: &str,
    file: EntryFile,
    these: &[&Lesson],
) -> Result<WrittenEntries> {
    let knowledge = Knowledge::at(&world.data, around.opted(world, lessons, project)?, project);
    let _lock = knowledge.lock(&world.data)?;
    let path = knowledge.path(file);
    let name = path.to_string_lossy().into_owned();
    let day = day(world.now);
    for _ in 0..TRIES {
        let was = knowledge.text(file)?;
        let there = was.as_deref().map(|text| file.entries(text)).unwrap_or_default();
        let mut sheet = EntrySheet { file, name: &name, day: &day, there, text: was.clone() };
        let mut out = WrittenEntries { files: these.iter().map(|_| vec![path.clone()]).collect(), kept: Vec::new() };
        let mut missing: Vec<&Lesson> = Vec::new();
        let pitfalls = file == EntryFile::Pitfalls;
        let mut said: HashSet<_> = sheet.there.iter().filter(|_| pitfalls).filter_map(render::pitfall_of).collect();
        for (n, lesson) in these.iter().enumerate() {
            if let Some(own) = sheet.there.iter().find(|e| e.lesson.as_deref() == Some(&lesson.id)) {
                // Written by a run that was cut short before it could say so.
                out.kept.push(sheet.kept(lesson, &own.id, &own.sha256));
            } else if pitfalls && render::pitfall_in(&sheet.entry(lesson, 0)).is_some_and(|p| !said.insert(p)) {
                out.files[n] = Vec::new();
            } else {
                missing.push(*lesson);
            }
        }
        for (lesson, number) in missing.iter().zip(numbers(lessons, &sheet, &missing)?) {
            out.kept.push(sheet.add(lesson, number));
        }
        let text = sheet.text.as_deref().unwrap_or_default();
        if missing.is_empty() || knowledge.put(&world.data, file, was.as_deref(), text)? {
            return Ok(out);
        }
    }
    bail!("`{name}` changes all the time; try again when nobody writes to it")
}

/// A file of entries while more are added to it.
struct EntrySheet<'s> {
    file: EntryFile,
    name: &'s str,
    day: &'s str,
    there: Vec<Entry>,
    text: Option<String>,
}

impl EntrySheet<'_> {
    fn entry(&self, lesson: &Lesson, number: u32) -> String {
        render::entry(lesson, self.file, number, self.day)
    }

    fn kept(&self, lesson: &Lesson, id: &str, sha256: &str) -> Finished {
        let (path, lesson) = (Artifact::part(self.name, id), lesson.id.clone());
        Finished::Whole { path, lesson, sha256: sha256.to_owned() }
    }

    fn add(&mut self, lesson: &Lesson, number: u32) -> Finished {
        let entry = self.entry(lesson, number);
        self.text = Some(self.file.with(self.text.as_deref(), &entry));
        self.kept(lesson, &self.file.id(number), &entry_sum(&entry))
    }
}

/// The numbers of new entries: those they were promised by a run that was cut short, else the next.
fn numbers(lessons: &mut Lessons, sheet: &EntrySheet<'_>, missing: &[&Lesson]) -> Result<Vec<u32>> {
    let file = sheet.file;
    let mut promised = Vec::new();
    for lesson in missing {
        let mut number = None;
        for begun in lessons.artifacts(Some(&lesson.id))?.iter().filter(|a| !a.written && a.place().0 == sheet.name) {
            let free = |n: &u32| sheet.there.iter().all(|e| e.number != *n);
            match file.number(begun.place().1).filter(free) {
                Some(free) => number = Some(free),
                // A person took it meanwhile.
                None => lessons.drop_artifact(&begun.path)?,
            }
        }
        promised.push(number);
    }
    let unnumbered = missing.iter().zip(&promised).filter(|(_, number)| number.is_none());
    let unnumbered: Vec<&Lesson> = unnumbered.map(|(lesson, _)| *lesson).collect();
    let mut next = Vec::new().into_iter();
    if !unnumbered.is_empty() {
        let ids: Vec<&str> = unnumbered.iter().map(|l| l.id.as_str()).collect();
        let highest = sheet.there.iter().map(|e| e.number).max().unwrap_or(0);
        let made = |n: usize, number| (file.id(number), entry_sum(&sheet.entry(unnumbered[n], number)));
        let branch = spots::branch(Path::new(sheet.name));
        next = lessons.begin_entries(sheet.name, highest, &ids, &branch, made)?.into_iter();
    }
    Ok(promised.into_iter().filter_map(|number| number.or_else(|| next.next())).collect())
}

/// Approved pitfalls that have no entry of their own because that of a lesson says the same.
pub(super) fn said_by(world: &World, lessons: &Lessons, lesson: &Lesson) -> Result<Vec<Lesson>> {
    let key = |l: &Lesson| render::pitfall_in(&render::entry(l, EntryFile::Pitfalls, 0, ""));
    let (own, project) = (key(lesson), lesson.project());
    let mut out = Vec::new();
    for other in lessons.approved_in(project, world.settings()?.mode)? {
        let pitfall = other.kind == Kind::Pitfall && other.id != lesson.id && own.is_some() && key(&other) == own;
        if pitfall && lessons.artifacts(Some(&other.id))?.is_empty() {
            out.push(other);
        }
    }
    Ok(out)
}

/// Where the entry of a lesson is gone, the first of those that it spoke for gets one.
pub(super) fn speak_for_others(world: &World, lessons: &mut Lessons, lesson: &Lesson) -> Result<Vec<PathBuf>> {
    let Some(next) = said_by(world, lessons, lesson)?.into_iter().next() else { return Ok(Vec::new()) };
    super::files::write(world, lessons, &mut Around::default(), &next, Target::Entry(EntryFile::Pitfalls))
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
        if knowledge.put(&world.data, file, Some(&was), &file.without(&was, id))? {
            knowledge.remove_bare(file)?;
            return Ok(true);
        }
    }
    Ok(false)
}
