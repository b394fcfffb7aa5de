//! `repeated-action`: in a session of six or more shell calls, the same canonical command succeeded at least twice.

use std::collections::BTreeMap;

use super::steps::{Step, Steps};
use super::{Kind, Observation, REPEATED, Seen, StepForm, Sure};
use crate::normal::command::everyday;
use crate::normal::slug;
use crate::session::Session;

/// Sessions with fewer shell calls are too short to say anything.
const CALLS: usize = 6;
/// How often a command must succeed.
const TIMES: usize = 2;

/// Finds commands that were used again and again, most used first.
pub(super) fn repetitions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    if steps.all.len() < CALLS {
        return Vec::new();
    }
    let mut uses: BTreeMap<&str, Vec<&Step<'_>>> = BTreeMap::new();
    for step in steps.all.iter().filter(|s| s.ok() && !s.only_reads() && !s.normal.is_empty() && s.normal.len() <= 80) {
        uses.entry(&step.normal).or_default().push(step);
    }
    let mut often: Vec<(&str, Vec<&Step<'_>>)> = uses.into_iter().filter(|(_, u)| u.len() >= TIMES).collect();
    // Most used first; of equals the one that was used first.
    often.sort_by_key(|(_, u)| (std::cmp::Reverse(u.len()), u[0].at));
    let all = steps.all.len();
    let dominates = |used: &[&Step<'_>]| used.len() * 2 >= all;
    often
        .iter()
        .enumerate()
        .map(|(rank, (normal, used))| observe(session, normal, used, rank == 0 && dominates(used)))
        .collect()
}

fn observe(session: &Session, normal: &str, used: &[&Step<'_>], main: bool) -> Observation {
    let mut o = Observation::new(
        REPEATED,
        Kind::Procedure,
        session,
        used.iter().map(|s| s.id.to_owned()).collect(),
        used[used.len() - 1].at,
    );
    o.claim.name = slug(&format!("repeated-{normal}"));
    o.claim.title = format!("Repeated pattern: {normal} (used {} times)", used.len());
    // The form that was typed most often stands for all.
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    for step in used {
        *forms.entry(step.shown()).or_default() += 1;
    }
    let form = forms
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.len().cmp(&a.0.len())).then(b.0.cmp(&a.0)))
        .map(|(f, _)| f)
        .unwrap_or_default();
    o.claim.text = format!("`{form}` is run again and again here");
    o.seen = Seen::Steps(vec![StepForm { normal: normal.to_owned(), command: form.clone() }]);
    o.claim.commands = vec![form];
    o.claim.sure = if used.len() >= 3 { Sure::High } else { Sure::Medium };
    // In one session a command is worth a name only if the session was about it.
    o.claim.suggest = main && used.len() >= 3 && normal.contains(' ') && !everyday(normal);
    // Over a history only a form that says something about the project is worth a name: one with options of its own.
    let options: Vec<&str> = o.claim.commands[0]
        .split(' ')
        .filter(|w| w.len() > 3 && w.starts_with("--"))
        .map(|w| w.split('=').next().unwrap_or(w))
        .collect();
    o.claim.telling = !options.is_empty() && o.claim.commands[0].len() <= 120;
    o.claim.key = format!("repeat {normal} {}", options.join(" "));
    o
}
