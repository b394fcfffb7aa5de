//! `success-sequence`: two or more commands that are run one after the other again and again, and succeed together.
//!
//! Commands count by their canonical form, if they do something and say something about the project. Looks in between
//! and book-keeping do not count. The same pair failing in one of five runs is no sequence to rely on.

use std::collections::HashMap;

use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, StepForm, Sure};
use crate::normal::command::everyday;
use crate::normal::slug;
use crate::session::Session;

/// How often a sequence must succeed.
const TIMES: usize = 3;
/// Longest sequence looked for.
const LONGEST: usize = 4;
/// The share of runs that must succeed.
const RATE: f64 = 0.8;
/// How many shell calls may lie between two steps: looks, mostly.
const GAP: usize = 4;
/// Most observations of one session.
const MOST: usize = 2;

/// Finds the sequences, longest and most used first.
pub(super) fn sequences(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let doing = doing(steps);
    let mut found: Vec<Vec<Run<'_, '_>>> = Vec::new();
    for length in (2..=LONGEST).rev() {
        for runs in of_length(&doing, length) {
            let part_of_longer = found.iter().any(|longer| contains(&longer[0], &runs[0]));
            if !part_of_longer {
                found.push(runs);
            }
        }
    }
    found.truncate(MOST);
    found.iter().map(|runs| observe(session, runs)).collect()
}

/// One step of interest: its place among the shell calls, the number of its form.
#[derive(Clone, Copy)]
struct Done<'a, 's> {
    nth: usize,
    form: usize,
    step: &'a Step<'s>,
}

type Run<'a, 's> = Vec<Done<'a, 's>>;

/// The steps whose form occurs often enough. Each form is judged once.
fn doing<'a, 's>(steps: &'a Steps<'s>) -> Vec<Done<'a, 's>> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    let counts = |s: &Step<'_>| !s.normal.is_empty() && s.normal.len() <= 80;
    for step in steps.all.iter().filter(|s| counts(s)) {
        *uses.entry(&step.normal).or_default() += 1;
    }
    if uses.values().filter(|n| **n >= TIMES).count() < 2 {
        return Vec::new();
    }
    let mut forms: HashMap<&str, Option<usize>> = HashMap::new();
    let mut out = Vec::new();
    for (nth, step) in steps.all.iter().enumerate().filter(|(_, s)| counts(s)) {
        let next = forms.len();
        let form = *forms.entry(&step.normal).or_insert_with(|| {
            let often = uses.get(step.normal.as_str()).is_some_and(|n| *n >= TIMES);
            (often && !trivial(step)).then_some(next)
        });
        if let Some(form) = form {
            out.push(Done { nth, form, step });
        }
    }
    out
}

/// A look, book-keeping, or a program without anything of the project's own.
fn trivial(step: &Step<'_>) -> bool {
    // Asking how things are going is no work of its own, whatever the program.
    const ASKING: &[&str] = &[
        "status", "capture", "show", "list", "ls", "get", "logs", "log", "view", "describe", "wait", "info", "diff",
        "ps", "watch", "display", "version", "help", "read",
    ];
    let asks =
        |part: &str| part.split(' ').nth(1).is_none_or(|w| w.split('-').next().is_some_and(|w| ASKING.contains(&w)));
    step.normal.split(" && ").all(asks) || step.only_reads() || step.edits() || step.normal.split(" && ").any(everyday)
}

/// All sequences of one length that succeed often enough, most used first.
fn of_length<'a, 's>(doing: &[Done<'a, 's>], length: usize) -> Vec<Vec<Run<'a, 's>>> {
    // For each sequence of forms: where its last run ended, and where all its runs begin.
    let mut all: HashMap<[usize; LONGEST], (usize, Vec<usize>)> = HashMap::new();
    for (start, window) in doing.windows(length).enumerate() {
        let close = window.windows(2).all(|w| w[1].nth - w[0].nth <= GAP);
        let distinct = || (1..length).all(|n| window[..n].iter().all(|d| d.form != window[n].form));
        if !close || !distinct() {
            continue;
        }
        let mut forms = [usize::MAX; LONGEST];
        forms.iter_mut().zip(window).for_each(|(form, done)| *form = done.form);
        let (end, starts) = all.entry(forms).or_default();
        // A run begins where the last of its kind ended.
        if starts.is_empty() || *end < window[0].nth {
            *end = window[length - 1].nth;
            starts.push(start);
        }
    }
    let mut tried: Vec<Vec<Run<'a, 's>>> = all
        .into_values()
        .filter(|(_, starts)| starts.len() >= TIMES)
        .map(|(_, starts)| starts.iter().map(|s| doing[*s..*s + length].to_vec()).collect())
        .collect();
    tried.sort_by_key(|runs| (std::cmp::Reverse(runs.len()), runs[0][0].nth));
    let mut out: Vec<Vec<Run<'a, 's>>> = Vec::new();
    let mut seen: Vec<Run<'a, 's>> = Vec::new();
    for runs in tried {
        // `a b a b` also holds `b a`: the order that was run most, or first, is meant.
        if seen.iter().any(|s| contains(s, &runs[0])) {
            continue;
        }
        seen.push(runs[0].clone());
        let all = runs.len();
        let good: Vec<Run<'a, 's>> = runs.into_iter().filter(|r| r.iter().all(|d| d.step.ok())).collect();
        if good.len() >= TIMES && good.len() as f64 > RATE * all as f64 {
            out.push(good);
        }
    }
    out
}

/// Whether a run has all forms of another; `a b` and `b a` are one thing seen twice.
fn contains(longer: &Run<'_, '_>, run: &Run<'_, '_>) -> bool {
    run.iter().all(|d| longer.iter().any(|l| l.form == d.form))
}

fn observe(session: &Session, runs: &[Run<'_, '_>]) -> Observation {
    let events = runs.iter().flatten().map(|d| d.step.id.to_owned()).collect();
    let last = &runs[runs.len() - 1];
    let mut o = Observation::new("success-sequence", Kind::Procedure, session, events, last[last.len() - 1].step.at);
    let steps: Vec<StepForm> =
        last.iter().map(|d| StepForm { normal: d.step.normal.clone(), command: d.step.shown() }).collect();
    o.claim.commands = steps.iter().map(|s| s.command.clone()).collect();
    let forms: Vec<&str> = steps.iter().map(|s| s.normal.as_str()).collect();
    o.claim.name = slug(&format!("sequence-{}", forms.join("-")));
    o.claim.title = crate::normal::english::cut(&format!("Run together: {}", forms.join(", then ")), 100);
    let shown: Vec<String> =
        o.claim.commands.iter().map(|c| format!("`{}`", crate::normal::english::cut(c, 80))).collect();
    o.claim.text = format!("These are run together here, and worked each time: {}", shown.join(", then "));
    o.claim.key = format!("sequence | {}", forms.join(" ; "));
    o.claim.sure = if runs.len() > TIMES { Sure::High } else { Sure::Medium };
    o.claim.telling = false;
    o.seen = Seen::Steps(steps);
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    fn seen(script: &str) -> Vec<String> {
        let s = session(script);
        sequences(&s, &Steps::new(&s)).into_iter().map(|o| o.claim.key).collect()
    }

    const ROUND: &str = "$ make lint\n$ ls\n$ make test\n";

    #[test]
    fn what_succeeds_together_again_and_again() {
        assert_eq!(seen(&ROUND.repeat(3)), ["sequence | make lint ; make test"]);
        assert_eq!(seen(&ROUND.repeat(2)).len(), 0);
        let three = "$ make lint\n$ make test\n$ make dist\n";
        assert_eq!(seen(&three.repeat(4)), ["sequence | make lint ; make test ; make dist"]);
    }

    #[test]
    fn one_failure_in_four_runs_is_too_many() {
        let failing = "$ make lint\n! make test => 1 failing\n";
        assert_eq!(seen(&format!("{}{failing}", ROUND.repeat(3))).len(), 0);
        assert_eq!(seen(&format!("{}{failing}", ROUND.repeat(5))).len(), 1);
    }

    #[test]
    fn looks_and_book_keeping_are_no_sequence() {
        assert_eq!(seen(&"$ git add a\n$ git commit -m x\n$ cat a\n$ ls b\n".repeat(5)).len(), 0);
        // the same command over and over is another detector's
        assert_eq!(seen(&"$ make test\n".repeat(9)).len(), 0);
    }

    #[test]
    fn the_choice_does_not_change_from_run_to_run() {
        let script = "$ make a1x\n$ make b1x\n$ go run c\n$ go vet\n$ npm run d\n$ npm run e\n".repeat(4);
        let first = seen(&script);
        assert!((0..20).all(|_| seen(&script) == first));
    }
}
