//! `multi-step`: four or more successful shell calls in a row. A failure ends the run; other tools neither count nor break it.

use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, StepForm, Sure};
use crate::normal::command::{everyday, topic};
use crate::normal::programs::{self, Role};
use crate::normal::slug;
use crate::session::Session;

/// How many successes in a row make a procedure.
const ENOUGH: usize = 4;
/// More commands than this are a session, not a procedure.
const SHOWN: usize = 12;

/// Finds the runs.
pub(super) fn procedures(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut out = Vec::new();
    // A call that the user corrected is no step of what was done after it.
    let corrected = |from: usize, to: usize| steps.turns.iter().any(|t| (from..to).contains(&t.at) && t.corrects());
    for run in steps.all.split(|s| !s.ok()) {
        for run in run.chunk_by(|a, b| !corrected(a.at, b.at)) {
            if run.len() >= ENOUGH {
                out.push(observe(session, run, steps.all.len()));
            }
        }
    }
    out
}

fn observe(session: &Session, run: &[Step<'_>], all: usize) -> Observation {
    let mut o = Observation::new(
        "multi-step",
        Kind::Procedure,
        session,
        run.iter().map(|s| s.id.to_owned()).collect(),
        run[run.len() - 1].at,
    );
    // Looking around is not part of a procedure, unless there is nothing else.
    let doing: Vec<&Step<'_>> = run.iter().filter(|s| !s.only_reads()).collect();
    let procedure = doing.len() >= ENOUGH;
    // `cd` sets the stage for what follows; it is shown but is no step that must recur.
    let listed: Vec<&Step<'_>> = if procedure {
        run.iter().filter(|s| !s.only_reads() || s.words.first().is_some_and(|w| w == "cd")).collect()
    } else {
        run.iter().collect()
    };
    let topic = topic(listed[0].line);
    o.claim.name = slug(&format!("procedure-{topic}"));
    o.claim.title = format!("Multi-step procedure: {topic} ({} steps)", listed.len());
    o.claim.commands = listed.iter().take(SHOWN).map(|s| s.shown()).collect();
    let steps: Vec<StepForm> =
        doing.iter().map(|s| StepForm { normal: s.normal.clone(), command: s.shown() }).collect();
    o.claim.text = format!(
        "To do this again, run in order: {}",
        o.claim.commands.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", then ")
    );
    o.claim.key = steps.iter().map(|s| s.normal.as_str()).collect::<Vec<_>>().join(" ; ");
    // In one session a run is worth a look only if most of it does something, it is short enough to be one procedure,
    // and the session was about it: in long sessions four successes in a row happen by themselves.
    let project = distinct(&steps);
    let mixed = run.len() >= ENOUGH && listed.len() <= SHOWN && (doing.len() * 2 >= run.len());
    let whole = run.len() * 5 >= all * 4 && listed.len() <= 8;
    o.claim.suggest =
        mixed && whole && project >= 3 && project * 2 >= doing.len() && listed.iter().all(|s| is_plain(s));
    o.claim.sure = if procedure && mixed { Sure::High } else { Sure::Medium };
    o.seen = Seen::Steps(steps);
    o
}

// One line that can be typed again: nothing in it holds for this session only.
fn is_plain(step: &Step<'_>) -> bool {
    // The project's own script is a step like any other; a file given to it holds for this session only.
    let scripted = 1 + usize::from(programs::is(&step.program, Role::ScriptRunner));
    step.line.len() <= 120
        && !step.line.contains('\n')
        && step.script.commands.len() <= 3
        && !everyday(&step.normal)
        && step.words.iter().all(|w| !w.contains(' ') && !w.starts_with("/tmp/"))
        && !step.words.iter().skip(scripted).any(|w| is_file(w))
}

// A particular file of the project.
fn is_file(word: &str) -> bool {
    let last = word.rsplit_once('/').map(|(_, last)| last);
    last.is_some_and(|last| last.trim_matches('.').contains('.')) && !word.contains("://")
}

fn distinct(steps: &[StepForm]) -> usize {
    let mut seen: Vec<&str> = steps.iter().map(|s| s.normal.as_str()).collect();
    seen.sort();
    seen.dedup();
    seen.len()
}
