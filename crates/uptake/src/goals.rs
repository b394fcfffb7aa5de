//! How the goal of a project goes: its last iterations, and those before them.

use anyhow::Result;
use uptake_core::measure::goal::Goal;
use uptake_store::{Iteration, Lessons};

/// Iterations that are told of.
const LAST: usize = 10;

/// How often a goal was met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Of the last iterations, so many.
    pub met: usize,
    /// Of so many.
    pub of: usize,
    /// The same of those before.
    pub before_met: usize,
    /// The same of those before.
    pub before_of: usize,
    /// What was measured last.
    pub last: Option<f64>,
}

impl Progress {
    /// In words; nothing if nothing was measured.
    pub fn words(&self) -> Option<String> {
        let last = self.last?;
        let before = match self.before_of {
            0 => String::new(),
            of => format!(" (before: {} of {of})", self.before_met),
        };
        let of =
            if self.of == 1 { "the last iteration".to_owned() } else { format!("the last {} iterations", self.of) };
        Some(format!("met in {} of {of}{before}; last measured: {last}", self.met))
    }
}

/// Of a project.
pub fn progress(lessons: &Lessons, project: &str, goal: &Goal) -> Result<Progress> {
    let measured: Vec<Iteration> = lessons
        .iterations()?
        .into_iter()
        .filter(|i| i.project == project && i.measured.as_ref().is_some_and(|m| m.goal == goal.name()))
        .collect();
    let met = |list: &[Iteration]| list.iter().filter(|i| i.measured.as_ref().is_some_and(|m| m.met)).count();
    let (earlier, last) = measured.split_at(measured.len().saturating_sub(LAST));
    let before = &earlier[earlier.len().saturating_sub(LAST)..];
    Ok(Progress {
        met: met(last),
        of: last.len(),
        before_met: met(before),
        before_of: before.len(),
        last: last.last().and_then(|i| i.measured.as_ref()).map(|m| m.value),
    })
}
