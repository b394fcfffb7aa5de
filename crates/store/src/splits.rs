//! A part of a project becomes a project of its own, and the way back.
//!
//! What was decided goes where its evidence is: with the part, if all of it is there; to both, if it is on both sides. What
//! has no evidence stays.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{OptionalExtension as _, Transaction, params};
use serde::{Deserialize, Serialize};
use uptake_core::detect::Kind;
use uptake_core::learn::{Lesson, RUNS};

use crate::Result;
use crate::body;
use crate::clearing::{put_away_lesson, put_back};
use crate::ledger::{self, Action};
use crate::lessons::Lessons;
use crate::open::json;
use crate::projects::{approve_for, drop_made_again, in_project, move_paths};

/// What a split moved, so that it can be taken back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The project that lost a part.
    pub from: String,
    /// The part, a project now.
    pub to: String,
    /// Transcripts and imported files that belong to it.
    pub paths: Vec<String>,
    /// The name that stands for the part, and what it stood for before.
    name: String,
    stood_for: Option<String>,
    /// Lessons of which something was said, and is said of the part now.
    pub lessons: Vec<String>,
}

/// The side on which a lesson's evidence is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Stays,
    Part,
    Both,
}

impl Lessons {
    /// Makes a part of a project a project of its own, for good: what `name` stands for belongs to `to` from now on.
    /// Answers the number of the change, and what moved.
    pub fn split(&mut self, from: &str, to: &str, name: &str, paths: Vec<String>, at: i64) -> Result<(i64, Split)> {
        self.db.write(|t| {
            let change = ledger::note(t, Action::Split, to, at)?;
            let stood_for = t
                .prepare_cached("SELECT project FROM aliases WHERE name = ?1")?
                .query_row([name], |r| r.get("project"))
                .optional()?;
            let (from, to, name) = (from.to_owned(), to.to_owned(), name.to_owned());
            let mut split = Split { from, to, paths, name, stood_for, lessons: Vec::new() };
            t.execute("INSERT OR REPLACE INTO aliases (name, project) VALUES (?1, ?2)", [&split.name, &split.to])?;
            split.lessons = divide(t, change, &split)?;
            move_paths(t, &split.paths, &split.from, &split.to)?;
            let before = json(&split)?;
            t.execute("UPDATE ledger SET before = ?2 WHERE id = ?1", params![change, before])?;
            Ok((change, split))
        })
    }
}

/// Divides what was said of lessons. Answers those of the part. Observations must not have moved yet.
fn divide(t: &Transaction<'_>, change: i64, split: &Split) -> rusqlite::Result<Vec<String>> {
    let part: HashSet<&str> = split.paths.iter().map(String::as_str).collect();
    let sql = format!(
        "SELECT {}, v.verdict AS said FROM lessons l JOIN verdicts v ON v.lesson = l.id WHERE l.project = ?1",
        body::LESSON
    );
    let spoken_of: Vec<(Option<Lesson>, String)> = t
        .prepare_cached(&sql)?
        .query_map([&split.from], |r| Ok((body::lesson_in(r)?, r.get("said")?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut moved = Vec::new();
    for (old, said) in spoken_of.into_iter().filter_map(|(lesson, said)| Some((lesson?, said))) {
        let side = side(t, &old, &part)?;
        if side == Side::Stays {
            continue;
        }
        moved.extend(match said.as_str() {
            "approved" => approve_for(t, change, &old, &split.to)?,
            _ => copy_word(t, &old, &in_project(&old, &split.to))?,
        });
        if side == Side::Part {
            put_away_lesson(t, change, &old.id)?;
        }
    }
    Ok(moved)
}

/// Where a lesson was seen.
fn side(t: &Transaction<'_>, lesson: &Lesson, part: &HashSet<&str>) -> rusqlite::Result<Side> {
    let paths = if lesson.origin.detector == RUNS { seen_as_told(t, lesson)? } else { seen(t, lesson)? };
    let inside = paths.iter().filter(|p| part.contains(p.as_str())).count();
    Ok(match inside {
        0 => Side::Stays,
        n if n == paths.len() => Side::Part,
        _ => Side::Both,
    })
}

fn seen(t: &Transaction<'_>, lesson: &Lesson) -> rusqlite::Result<BTreeSet<String>> {
    let kind: Kind = lesson.kind;
    t.prepare_cached(
        "SELECT DISTINCT path FROM observations WHERE project = ?1 AND kind = ?2
         AND substr(key, 1, 16) = substr(?3, 1, 16) AND substr(key, -16) = substr(?3, -16) AND key = ?3",
    )?
    .query_map([lesson.project(), kind.as_str(), &lesson.key], |r| r.get("path"))?
    .collect()
}

/// Of a run of steps, which is made of observations under other keys.
fn seen_as_told(t: &Transaction<'_>, lesson: &Lesson) -> rusqlite::Result<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    for sighting in &lesson.evidence.sightings {
        let path = t
            .prepare_cached("SELECT path FROM observations WHERE id = ?1")?
            .query_row([&sighting.observation], |r| r.get("path"))
            .optional()?;
        paths.extend(path);
    }
    Ok(paths)
}

/// Says of one lesson what was said of another. Answers its id; none if something was said of it already.
fn copy_word(t: &Transaction<'_>, old: &Lesson, new: &Lesson) -> rusqlite::Result<Option<String>> {
    let copied = t
        .prepare_cached(
            "INSERT OR IGNORE INTO verdicts (lesson, verdict, sha256, at, until, by)
             SELECT ?1, verdict, ?2, at, until, by FROM verdicts WHERE lesson = ?3",
        )?
        .execute(params![new.id, new.sha256(), old.id])?;
    Ok((copied > 0).then(|| new.id.clone()))
}

/// Takes a split back.
pub(crate) fn unsplit(t: &Transaction<'_>, change: i64, split: &Split) -> rusqlite::Result<()> {
    t.execute("DELETE FROM aliases WHERE name = ?1", [&split.name])?;
    if let Some(project) = &split.stood_for {
        t.execute("INSERT INTO aliases (name, project) VALUES (?1, ?2)", [&split.name, project])?;
    }
    move_paths(t, &split.paths, &split.to, &split.from)?;
    drop_made_again(t, &split.lessons)?;
    put_back(t, change)
}
