//! Procedures that occur in several sessions: the longest runs of the same steps.
//!
//! Four successes in a row happen in almost every session; what recurs in the same order in another session is
//! the procedure. Windows of steps are counted by session, and a window inside a longer one that is as frequent
//! is not shown again.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::Bars;
use super::{Lesson, RUNS, lesson};
use crate::detect::{Observation, Seen, StepForm};
use crate::normal::command::everyday;
use crate::normal::slug;

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
        observations.iter().filter(|o| o.head.detector == RUNS && o.seen.steps().len() >= SHORTEST).collect();
    let mut windows: BTreeMap<Vec<&str>, Vec<(&Observation, usize)>> = BTreeMap::new();
    for run in &runs {
        let steps = once(run.seen.steps());
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
        .map(|(w, seen)| {
            (seen.iter().map(|(o, _)| (&o.head.source, &o.head.root)).collect::<BTreeSet<_>>().len(), w, seen)
        })
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
    for run in observations.iter().filter(|o| o.head.detector == RUNS) {
        let steps = once(run.seen.steps());
        for len in SHORTEST..=LONGEST.min(steps.len()) {
            let normal = |window: &[(&StepForm, usize)]| {
                window.iter().map(|(s, _)| s.normal.as_str()).collect::<Vec<_>>().join(" ; ")
            };
            if let Some(window) = steps.windows(len).find(|w| normal(w) == key) {
                let steps = window.iter().map(|(s, _)| (*s).clone()).collect();
                let mut part = (*run).clone();
                part.claim.key = key.to_owned();
                part.seen = Seen::Steps(steps);
                out.push(part);
            }
        }
    }
    out
}

/// The steps without immediate repeats, each with its place in the run.
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

/// One command made of several runs: words that were the same every time stay, the others become placeholders. Nothing
/// is dropped: `git tag` alone would do something else than `git tag <value>`. `normal` is what all of them have in common.
fn runnable(runs: &[&str], normal: &str) -> String {
    let words: Vec<Vec<&str>> = runs.iter().map(|run| run.split_whitespace().collect()).collect();
    let Some(first) = words.first() else { return String::new() };
    if words.iter().all(|w| w == first) {
        return runs[0].to_owned();
    }
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    if words.iter().all(|w| w.len() == shortest) {
        let word = |at: usize| match words.iter().all(|w| w[at] == first[at]) {
            true => first[at].to_owned(),
            false => placeholder(&words.iter().map(|w| w[at]).collect::<Vec<_>>(), at.checked_sub(1).map(|b| first[b])),
        };
        return (0..shortest).map(word).collect::<Vec<_>>().join(" ");
    }
    // For runs of different lengths: what they all begin with and end with.
    let alike = |at: &dyn Fn(&Vec<&str>, usize) -> usize, most: usize| {
        (0..most).take_while(|n| words.iter().all(|w| w[at(w, *n)] == first[at(first, *n)])).count()
    };
    let start = alike(&|_, n| n, shortest);
    // `git -C api commit` and `git commit` begin alike in one word, and that says nothing.
    if start < normal.split(' ').count() && normal.split(' ').next() == first.first().copied() {
        return format!("{normal} <arguments>");
    }
    let end = alike(&|w, n| w.len() - 1 - n, shortest - start);
    let mut out: Vec<&str> = first[..start].to_vec();
    out.push("<arguments>");
    out.extend(&first[first.len() - end..]);
    out.join(" ")
}

/// A placeholder for words that differ, named after what they are given to: `VERSION=<value>`, `--title <title>`.
fn placeholder(words: &[&str], before: Option<&str>) -> String {
    let given_to = words[0].split_once('=').map(|(name, _)| name);
    if let Some(name) = given_to
        && words.iter().all(|w| w.split_once('=').is_some_and(|(other, _)| other == name))
    {
        return format!("{name}=<value>");
    }
    match before.map(|b| b.trim_start_matches('-')) {
        Some(name) if before.is_some_and(|b| b.starts_with("--")) && !name.is_empty() => format!("<{name}>"),
        _ => "<value>".to_owned(),
    }
}

fn procedure(project: &str, window: &[&str], seen: &[(&Observation, usize)], bars: &Bars) -> Lesson {
    let forms: Vec<Vec<&str>> = seen
        .iter()
        .map(|(o, start)| {
            once(&o.seen.steps()[*start..]).iter().take(window.len()).map(|(s, _)| s.command.as_str()).collect()
        })
        .collect();
    let commands: Vec<String> = (0..window.len())
        .map(|i| runnable(&forms.iter().filter_map(|f| f.get(i).copied()).collect::<Vec<_>>(), window[i]))
        .collect();
    let topic = window[0].split(' ').next().unwrap_or("steps");
    let last = window[window.len() - 1].split(' ').take(2).collect::<Vec<_>>().join("-");
    let group: Vec<Observation> = seen
        .iter()
        .map(|(o, _)| {
            let mut o = (*o).clone();
            o.claim.commands.clone_from(&commands);
            o.claim.name = slug(&format!("procedure-{topic}-{last}"));
            o.claim.title = format!("Multi-step procedure: {topic} ({} steps)", window.len());
            o.claim.text = format!(
                "To do this again, run in order: {}",
                commands.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", then ")
            );
            o.claim.key = window.join(" ; ");
            (o.claim.suggest, o.claim.telling) = (true, true);
            o
        })
        .collect();
    let mut lesson = lesson(project, &group.iter().collect::<Vec<_>>(), bars);
    // Only sessions that ran exactly what is shown count, not those with the same canonical form.
    let exactly = seen.iter().zip(&forms).filter(|(_, form)| **form == commands);
    lesson.evidence.same = exactly.map(|((o, _), _)| (&o.head.source, &o.head.root)).collect::<BTreeSet<_>>().len();
    lesson
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_becomes_a_placeholder_and_nothing_is_dropped() {
        for (runs, expected) in [
            (&["git tag v1", "git tag v1"][..], "git tag v1"),
            (&["git tag v1", "git tag v2"], "git tag <value>"),
            (&["make dist V=1", "make dist V=2"], "make dist V=<value>"),
            (&["tool --out=a x", "tool --out=b x"], "tool --out=<value> x"),
            (
                &["gh pr create --title One --fill", "gh pr create --title Two --fill"],
                "gh pr create --title <title> --fill",
            ),
            (&["make dist V=1 tag", "make dist tag"], "make dist <arguments> tag"),
            (&["npm test", "npm test -- --watch"], "npm test <arguments>"),
            (&["go test ./a ./b", "go test ./c"], "go test <arguments>"),
        ] {
            assert_eq!(runnable(runs, "tool"), expected, "{runs:?}");
        }
        assert_eq!(runnable(&["git -C api commit -m x", "git commit -m y"], "git commit"), "git commit <arguments>");
    }
}
