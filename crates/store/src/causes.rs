//! Causes that may hold on a whole machine: folded over all projects, and in each project that they changed in.
//!
//! Comes in: causes with marks. Goes out: their lessons of the machine and of the projects; their marks are gone. Both are
//! made of one reading: the largest causes are of this kind, and reading is most of what a fold takes. Deliberately absent:
//! causes that can hold in one project only, which are folded with all else of it (`observations`).

use std::collections::{HashMap, HashSet};

use rusqlite::{Statement, Transaction, params};
use uptake_core::detect::{Kind, Observation, TALLIES};
use uptake_core::learn::Lesson;
use uptake_core::learn::facts::Worked;

use crate::Result;
use crate::body::{OBSERVATION, observation_for_fold};
use crate::former::{Folded, insert_folded};
use crate::lessons::Lessons;
use crate::observations::{OF_KEY, PROJECTS, drop_facts, fold_group, is_machine, refold_each};
use crate::worked;

/// What was met of one cause in a project, in the order of ids; beside each whether it speaks for the machine.
struct MetIn<'p> {
    project: &'p str,
    observations: Vec<Observation>,
    taken: Vec<bool>,
}

impl Lessons {
    /// The causes of failures that are not folded yet.
    pub fn unfolded_causes(&self) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT key FROM unfolded WHERE kind = 'fact' ORDER BY key";
        self.db.rows(sql, [], |r| r.get(0))
    }

    /// Folds causes over all projects and transcripts that `takes` takes, and in the projects they are marked in; then all
    /// else of `projects`. In one transaction: what another process adds meanwhile is never lost, and the disk is waited
    /// for once. To be done before other projects are folded: their marks say what is to be done.
    pub fn refold_causes(
        &mut self,
        machine: &str,
        causes: &[String],
        projects: &[String],
        takes: impl Fn(&str, &str) -> bool,
        mut fold_machine: impl FnMut(&[(&str, &Observation)], &Worked<'_>) -> Option<Lesson>,
        mut fold: impl FnMut(&str, &[Observation], &Worked<'_>) -> Vec<Folded>,
    ) -> Result<()> {
        self.db.write(|t| {
            let everywhere: Vec<String> =
                t.prepare_cached(PROJECTS)?.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
            let marked = take_marks(t, machine, causes)?;
            let mut query = t.prepare_cached(&format!(
                "SELECT {OBSERVATION}, path FROM observations WHERE project = ?1 AND kind = ?2 AND {OF_KEY}"
            ))?;
            for key in causes {
                let all: Vec<MetIn<'_>> = everywhere
                    .iter()
                    .map(|project| met_in(&mut query, project, key, &takes))
                    .collect::<rusqlite::Result<_>>()?;
                for met in all.iter().filter(|met| marked.contains(&(met.project.to_owned(), key.clone()))) {
                    let in_project = |seen: &[Observation], worked: &Worked<'_>| fold(met.project, seen, worked);
                    fold_group(t, met.project, key, &met.observations, in_project)?;
                }
                let taken: Vec<(&str, &Observation)> = all.iter().flat_map(MetIn::taken).collect();
                let known = worked::Lookup::anywhere(t, &everywhere);
                if let Some(lesson) = fold_machine(&taken, &|what| known.get(what)) {
                    insert_folded(t, &Folded::from(lesson))?;
                }
                known.end()?;
            }
            refold_each(t, projects, &mut fold)
        })
    }
}

impl MetIn<'_> {
    fn taken(&self) -> impl Iterator<Item = (&str, &Observation)> {
        let both = self.observations.iter().zip(&self.taken);
        both.filter(|(_, taken)| **taken).map(|(o, _)| (self.project, o))
    }
}

/// Takes away the marks of these causes, and their lessons: all rows go before the first one comes. Answers projects and
/// causes. What worked in a project is counted again where that is marked: the fold asks for it.
fn take_marks(t: &Transaction<'_>, machine: &str, causes: &[String]) -> rusqlite::Result<HashSet<(String, String)>> {
    let causes: HashSet<&str> = causes.iter().map(String::as_str).collect();
    let marked: Vec<(String, String)> = t
        .prepare_cached("SELECT project, key FROM unfolded WHERE kind = ?1")?
        .query_map([Kind::Fact.as_str()], |r| Ok((r.get(0)?, r.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (project, key) in marked.iter().filter(|(_, key)| key == TALLIES) {
        worked::count_again(t, project)?;
        take_mark(t, project, key)?;
    }
    let ours: HashSet<(String, String)> =
        marked.into_iter().filter(|(project, key)| causes.contains(key.as_str()) && !is_machine(project)).collect();
    let mut by_project: HashMap<&str, HashSet<&str>> = HashMap::from([(machine, causes)]);
    for (project, key) in &ours {
        by_project.entry(project).or_default().insert(key);
        t.prepare_cached("DELETE FROM unfolded WHERE project = ?1 AND kind = ?2 AND key = ?3")?.execute([
            project,
            Kind::Fact.as_str(),
            key,
        ])?;
    }
    by_project.iter().try_for_each(|(project, causes)| drop_facts(t, project, causes))?;
    Ok(ours)
}

fn take_mark(t: &Transaction<'_>, project: &str, key: &str) -> rusqlite::Result<()> {
    t.prepare_cached("DELETE FROM unfolded WHERE project = ?1 AND kind = ?2 AND key = ?3")?
        .execute([project, Kind::Fact.as_str(), key])
        .map(drop)
}

fn met_in<'p>(
    query: &mut Statement<'_>,
    project: &'p str,
    key: &str,
    takes: impl Fn(&str, &str) -> bool,
) -> rusqlite::Result<MetIn<'p>> {
    let mut rows = query.query(params![project, Kind::Fact.as_str(), key])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        if let Some(o) = observation_for_fold(row)? {
            let path = row.get_ref("path")?.as_str().unwrap_or_default();
            all.push((o, takes(project, path)));
        }
    }
    all.sort_unstable_by(|(a, _), (b, _)| a.head.id.cmp(&b.head.id));
    let (observations, taken) = all.into_iter().unzip();
    Ok(MetIn { project, observations, taken })
}
