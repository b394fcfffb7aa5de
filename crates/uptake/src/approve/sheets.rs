//! Skills and commands that are about to be written: planned for many lessons, noted together, written side by side.
//!
//! Comes in: lessons and what is to be made of them. Goes out: what became of each file, and what is to be noted of it. Noting
//! that is left to the caller, who says what the lessons are approved for in the same moment.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use uptake_core::learn::{Lesson, sha256_hex};
use uptake_core::render::{self, Skill};
use uptake_store::{Artifact, Begun, Finished, Lessons, rooted};

use super::Around;
use super::files::{self, Target};
use super::merged::{self, About};
use crate::spots::{self, Spot};
use crate::world::World;

/// Up to this many files are written one after the other: starting threads costs more.
const FEW: usize = 4;
/// Files that are written at a time: most of it is waiting for the disk, which takes many at once.
const AT_ONCE: usize = 8;

/// One file in all its places, and the lessons that come into it.
pub(super) struct Sheet {
    made: Skill,
    spots: Vec<Spot>,
    /// Lessons that it holds already.
    inside: Vec<Lesson>,
    /// Those that come in.
    added: Vec<Lesson>,
    about: Option<About>,
    /// The branch on which the file was first written; `None` for a new one.
    branch: Option<String>,
    /// Nothing is to be done: it says all of it.
    done: bool,
}

/// All files that are to be written.
#[derive(Default)]
pub(super) struct Sheets(Vec<Sheet>);

impl Sheets {
    /// Plans the file of a lesson. Answers its place in the list.
    pub fn add(
        &mut self,
        world: &World,
        lessons: &Lessons,
        around: &mut Around,
        lesson: &Lesson,
        target: Target,
    ) -> Result<usize> {
        let top = around.opted(world, lessons, lesson.project())?;
        let spots = files::spots(world, around.told(world, lesson.project())?, top.as_deref(), lesson, target);
        let about = merged::about(lesson).filter(|_| target == Target::Skill);
        let fits = |s: &Sheet| about.is_some() && s.about == about && s.spots == spots && s.has_room();
        if let Some(at) = self.0.iter().rposition(fits) {
            self.0[at].added.push(lesson.clone());
            return Ok(at);
        }
        let joined = match &about {
            Some(_) => merged::join(lessons, around, lesson, &spots)?,
            None => None,
        };
        let sheet = match joined {
            Some(joined) => Sheet {
                made: Skill { name: joined.name, text: String::new() },
                done: joined.inside.iter().any(|l| l.id == lesson.id),
                inside: joined.inside,
                added: vec![lesson.clone()],
                branch: Some(joined.branch),
                spots,
                about,
            },
            None => {
                let made = files::named(around.told(world, lesson.project())?, &spots, lesson, target);
                // The next lesson needs another name.
                around.told.add(&made);
                let (inside, added) = (Vec::new(), vec![lesson.clone()]);
                Sheet { made, spots, inside, added, about, branch: None, done: false }
            }
        };
        self.0.push(sheet);
        Ok(self.0.len() - 1)
    }

    /// Notes all files, and writes them. Answers for each what became of it.
    pub fn write(mut self, world: &World, lessons: &mut Lessons, around: &mut Around) -> Result<Vec<Outcome>> {
        self.0.iter_mut().for_each(Sheet::finish_text);
        let begun: Vec<Begun> = self.0.iter().flat_map(Sheet::begun).collect();
        if !begun.is_empty() {
            lessons.begin_artifacts(&begun)?;
        }
        let jobs: Vec<(&Sheet, &Spot)> =
            self.0.iter().filter(|s| !s.done).flat_map(|s| s.spots.iter().map(move |spot| (s, spot))).collect();
        let mut written = side_by_side(&jobs, |(sheet, spot)| sheet.write_at(spot)).into_iter();
        let mut out = Vec::new();
        for sheet in &self.0 {
            let places = if sheet.done { 0 } else { sheet.spots.len() };
            let result = written.by_ref().take(places).collect::<Result<Vec<()>>>();
            out.push(match result {
                Ok(_) => sheet.told(around),
                Err(e) => {
                    // All or none. What cannot be put right now either stays noted for the next run.
                    for lesson in &sheet.added {
                        let _ = files::give_up(world, lessons, &lesson.id);
                    }
                    Outcome { files: Err(e), kept: Vec::new() }
                }
            });
        }
        Ok(out)
    }
}

/// What became of a file.
pub(super) struct Outcome {
    /// Where it is now.
    pub files: Result<Vec<PathBuf>>,
    /// What is to be noted of it.
    pub kept: Vec<Finished>,
}

impl Sheet {
    fn has_room(&self) -> bool {
        !self.done && self.inside.len() + self.added.len() < merged::MOST
    }

    fn is_new(&self) -> bool {
        self.branch.is_none()
    }

    fn finish_text(&mut self) {
        let all: Vec<&Lesson> = self.inside.iter().chain(&self.added).collect();
        if !self.done && all.len() > 1 {
            self.made = render::merged_skill(&all, &self.made.name);
        }
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.spots.iter().map(|s| s.path(&self.made.name))
    }

    /// What stands for each lesson that comes in: the file for the first one of a new file, else a part of it.
    fn rows(&self, path: &Path) -> Vec<(String, String)> {
        let file = path.to_string_lossy();
        let name = |(n, lesson): (usize, &Lesson)| {
            let whole = self.is_new() && n == 0;
            (if whole { file.clone().into_owned() } else { Artifact::part(&file, &lesson.id) }, lesson.id.clone())
        };
        self.added.iter().enumerate().map(name).collect()
    }

    fn begun(&self) -> Vec<Begun> {
        if self.done {
            return Vec::new();
        }
        let sha256 = self.sum();
        let missing = self.spots.iter().filter(|s| !s.holds(&self.made)).map(|s| s.path(&self.made.name));
        let begun = missing.flat_map(|path| {
            let branch = self.branch.clone().unwrap_or_else(|| spots::branch(&path));
            let row = |(path, lesson)| Begun { path, lesson, sha256: sha256.clone(), branch: branch.clone() };
            self.rows(&path).into_iter().map(row).collect::<Vec<_>>()
        });
        begun.collect()
    }

    fn sum(&self) -> String {
        sha256_hex(self.made.text.as_bytes())
    }

    fn write_at(&self, spot: &Spot) -> Result<()> {
        if self.is_new() {
            return spot.write(&self.made).map(drop);
        }
        rewrite(&spot.path(&self.made.name), &self.made.text)
    }

    /// What is to be noted; the next decisions know of the file.
    fn told(&self, around: &mut Around) -> Outcome {
        let paths: Vec<PathBuf> = self.paths().collect();
        if self.done {
            return Outcome { files: Ok(paths), kept: Vec::new() };
        }
        if self.inside.len() + self.added.len() > 1 {
            around.told.add(&self.made);
        }
        if self.is_new() {
            self.added.iter().take(1).for_each(|lesson| around.skills.add(lesson, &paths));
        }
        let sha256 = self.sum();
        let mut kept = Vec::new();
        for path in &paths {
            let rows = self.rows(path).into_iter();
            kept.extend(rows.map(|(path, lesson)| Finished::Whole { path, lesson, sha256: sha256.clone() }));
            if !self.is_new() {
                kept.push(Finished::Parts { file: path.to_string_lossy().into_owned(), sha256: sha256.clone() });
            }
        }
        Outcome { files: Ok(paths), kept }
    }
}

/// Gives a file of ours another text. Fails if somebody changes it in that moment: then it is theirs.
pub(super) fn rewrite(path: &Path, text: &str) -> Result<()> {
    let was = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    if Spot::rewrite(path, &was, text)? == rooted::Replaced::Changed {
        bail!("`{}` was changed by somebody else in this moment; try again", path.display());
    }
    Ok(())
}

/// Runs jobs, many at a time if there are many, and answers in their order.
fn side_by_side<J: Sync>(jobs: &[J], run: impl Fn(&J) -> Result<()> + Sync) -> Vec<Result<()>> {
    if jobs.len() <= FEW {
        return jobs.iter().map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut out = Vec::new();
        while let Some((at, job)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
        {
            out.push((at, run(job)));
        }
        out
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..AT_ONCE.min(jobs.len())).map(|_| scope.spawn(worker)).collect();
        let mut all = worker();
        others.into_iter().for_each(|other| all.extend(other.join().unwrap_or_default()));
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}
