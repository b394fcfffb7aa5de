//! Procedures that occur in several sessions: the longest runs of the same steps.
//!
//! Four successes in a row happen in almost every session; what recurs in the same order in another session is
//! the procedure. Windows of steps are counted by session, and a window inside a longer one that is as frequent
//! is not shown again.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Bars;
use super::{Lesson, RUNS, lesson};
use crate::detect::{Observation, StepForm};
use crate::normal::command::everyday;
use crate::normal::slug::slug;

/// Fewest and most steps of a procedure.
const SHORTEST: usize = 4;
const LONGEST: usize = 8;
/// Fewest different steps: the same thing over and over is no procedure.
const DIFFERENT: usize = 3;

/// A run of steps: in how many sessions, which steps, and where each of them begins.
type Shared<'o> = (usize, Vec<&'o str>, Vec<(&'o Observation, usize)>);

/// The procedures of a project.
pub(super) fn shared(project: &str, observations: &[Observation], bars: &Bars) -> Vec<Lesson> {
    let runs: Vec<&Observation> =
        observations.iter().filter(|o| o.detector == RUNS && o.steps.len() >= SHORTEST).collect();
    let mut windows: BTreeMap<Vec<&str>, Vec<(&Observation, usize)>> = BTreeMap::new();
    for run in &runs {
        let steps = once(&run.steps);
        for len in SHORTEST..=LONGEST.min(steps.len()) {
            for start in 0..=steps.len() - len {
                let window: Vec<&str> = steps[start..start + len].iter().map(|(s, _)| s.normal.as_str()).collect();
                if worthwhile(&window) {
                    windows.entry(window).or_default().push((run, steps[start].1));
                }
            }
        }
    }
    let mut found: Vec<Shared<'_>> = windows
        .into_iter()
        .map(|(w, seen)| (seen.iter().map(|(o, _)| (&o.source, &o.root)).collect::<BTreeSet<_>>().len(), w, seen))
        .filter(|(sessions, ..)| *sessions >= 2)
        .collect();
    found.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(b.0.cmp(&a.0)).then(a.1.cmp(&b.1)));
    let mut kept: Vec<Vec<&str>> = Vec::new();
    let mut lessons = Vec::new();
    for (_, window, seen) in found {
        if kept.iter().any(|k| overlaps(k, &window)) {
            continue;
        }
        lessons.push(procedure(project, &window, &seen, bars));
        kept.push(window);
    }
    lessons
}

/// The runs in which a procedure was seen, each cut to its steps.
pub(super) fn runs_of(key: &str, observations: &[Observation]) -> Vec<Observation> {
    let mut out = Vec::new();
    for run in observations.iter().filter(|o| o.detector == RUNS) {
        let steps = once(&run.steps);
        for len in SHORTEST..=LONGEST.min(steps.len()) {
            let normal = |window: &[(&StepForm, usize)]| {
                window.iter().map(|(s, _)| s.normal.as_str()).collect::<Vec<_>>().join(" ; ")
            };
            if let Some(window) = steps.windows(len).find(|w| normal(w) == key) {
                let steps = window.iter().map(|(s, _)| (*s).clone()).collect();
                out.push(Observation { key: key.to_owned(), steps, ..run.clone() });
            }
        }
    }
    out
}

/// Steps with repeats right after themselves taken once, and where each stands in the run.
fn once(steps: &[StepForm]) -> Vec<(&StepForm, usize)> {
    let mut out: Vec<(&StepForm, usize)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if out.last().is_none_or(|(last, _)| last.normal != step.normal) {
            out.push((step, at));
        }
    }
    out
}

fn worthwhile(window: &[&str]) -> bool {
    let different: BTreeSet<&&str> = window.iter().collect();
    // `lint`, `lint:fix` and a wrapper around `lint` are one thing done three times.
    let tasks: BTreeSet<String> = window.iter().filter(|s| !everyday(s)).map(|s| last_task(s)).collect();
    different.len() == window.len() && tasks.len() >= DIFFERENT && window.iter().all(|s| s.len() <= 120)
}

fn last_task(step: &str) -> String {
    let word = step.rsplit(' ').next().unwrap_or(step);
    word.split(':').next().unwrap_or(word).to_owned()
}

/// Whether two windows share most of their steps: then they are one procedure.
fn overlaps(a: &[&str], b: &[&str]) -> bool {
    let shared = b.iter().filter(|s| a.contains(s)).count();
    shared * 2 > b.len()
}

fn procedure(project: &str, window: &[&str], seen: &[(&Observation, usize)], bars: &Bars) -> Lesson {
    let forms: Vec<Vec<&str>> = seen
        .iter()
        .map(|(o, start)| once(&o.steps[*start..]).iter().take(window.len()).map(|(s, _)| s.command.as_str()).collect())
        .collect();
    // What was the same every time is shown as it was run; what was not, in its canonical form.
    let commands: Vec<String> = (0..window.len())
        .map(|i| {
            let first = forms[0].get(i).copied().unwrap_or(window[i]);
            if forms.iter().all(|f| f.get(i) == Some(&first)) { first.to_owned() } else { window[i].to_owned() }
        })
        .collect();
    let topic = window[0].split(' ').next().unwrap_or("steps");
    let last = window[window.len() - 1].split(' ').take(2).collect::<Vec<_>>().join("-");
    let group: Vec<Observation> = seen
        .iter()
        .map(|(o, _)| {
            let mut o = (*o).clone();
            o.commands.clone_from(&commands);
            o.name = slug(&format!("procedure-{topic}-{last}"));
            o.title = format!("Multi-step procedure: {topic} ({} steps)", window.len());
            o.text = format!(
                "To do this again, run in order: {}",
                commands.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", then ")
            );
            o.key = window.join(" ; ");
            (o.suggest, o.telling) = (true, true);
            o
        })
        .collect();
    let mut lesson = lesson(project, &group.iter().collect::<Vec<_>>(), bars);
    // Counted are the sessions in which exactly what is shown was run, not its canonical form.
    let exactly = seen.iter().zip(&forms).filter(|(_, form)| **form == commands);
    lesson.same = exactly.map(|((o, _), _)| (&o.source, &o.root)).collect::<BTreeSet<_>>().len();
    lesson
}
