//! The story of one session: what was tried, what failed, what then worked, what could be learned from it.

use std::collections::{BTreeMap, BTreeSet};

use crate::detect::{Kind, Observation, Signal, signals_of};
use crate::normal::{command, error};
use crate::session::{Author, Body, Origin, Outcome, Session};

/// Longest text of an entry.
const LIMIT: usize = 400;

/// What happened in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retro {
    /// Messages of the person.
    pub messages: usize,
    /// Tool calls.
    pub calls: usize,
    /// Calls that failed or took too long.
    pub failures: usize,
    /// Failures whose goal was reached later.
    pub fixes: usize,
    /// Goals that were tried again and again.
    pub retries: usize,
    /// Messages that put the agent right.
    pub corrections: usize,
    /// Patterns of work, good and bad: sequences, repetitions, pitfalls.
    pub patterns: usize,
    /// What went wrong and stayed wrong, or cost too many tries.
    pub wrong: Vec<String>,
    /// Errors and problems, with what solved them.
    pub solved: Vec<String>,
    /// What the person put right, in their words.
    pub said: Vec<String>,
    /// What would be worth keeping.
    pub learnable: Vec<Learnable>,
}

/// Something worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnable {
    /// Its short name.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Whether `learn` would suggest it after this session.
    pub suggested: bool,
}

/// Tells the story; `None` of a session in which nothing happened.
pub fn retro(session: &Session, observations: &[Observation]) -> Option<Retro> {
    if session.events.is_empty() {
        return None;
    }
    let failures = failures(session, observations);
    let of = |kinds: &[Kind]| distinct(observations, kinds);
    let corrected: Vec<usize> = humans(session).filter(|at| is_correction(session, *at)).collect();
    Some(Retro {
        messages: humans(session).count(),
        calls: session.events.iter().filter(|e| e.call().is_some()).count(),
        failures: failures.len(),
        fixes: failures.iter().filter(|f| f.fixed).count(),
        retries: observations.iter().filter(|o| o.head.detector == "excessive-retries").count(),
        corrections: corrected.len(),
        patterns: of(&[Kind::Procedure, Kind::Workflow, Kind::Pitfall]).len(),
        wrong: wrong(&failures, &of(&[Kind::Pitfall])),
        solved: solved(&of(&[Kind::Recovery])),
        said: corrected.iter().filter_map(|at| own_words(session, *at)).collect(),
        learnable: learnable(observations),
    })
}

impl Retro {
    /// The story in a few sentences.
    pub fn summary(&self) -> String {
        let mut out = format!("{}, {} failed", count(self.calls, "call"), self.failures);
        if self.failures > 0 {
            out.push_str(&format!(", {} of them fixed later", self.fixes));
        }
        if self.retries > 0 {
            out.push_str(&format!("; {} tried three times or more in vain", count(self.retries, "goal")));
        }
        if self.corrections > 0 {
            out.push_str(&format!("; {} by the user", count(self.corrections, "correction")));
        }
        out.push('.');
        let firsts = [
            ("Went wrong", self.wrong.first()),
            ("Solved", self.solved.first()),
            ("Could be learned", self.learnable.first().map(|l| &l.text)),
        ];
        for (what, first) in firsts {
            if let Some(first) = first {
                out.push_str(&format!(" {what}: {}.", first.trim_end_matches('.')));
            }
        }
        out
    }
}

fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

fn humans(session: &Session) -> impl Iterator<Item = usize> {
    session.events.iter().enumerate().filter_map(|(at, e)| {
        matches!(&e.body, Body::User { author: Author::Human, spans } if spans.iter().any(|s| s.origin == Origin::User))
            .then_some(at)
    })
}

fn is_correction(session: &Session, at: usize) -> bool {
    signals_of(session, at).contains(&Signal::Correction)
}

fn own_words(session: &Session, at: usize) -> Option<String> {
    session.events[at].human_text().map(|t| one_line(&t))
}

fn one_line(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.len() <= LIMIT { one } else { format!("{}…", &one[..one.floor_char_boundary(LIMIT)]) }
}

/// A call that did not do what it should.
struct FailedCall {
    /// What it tried, as a person would say it.
    goal: String,
    /// What was said about it.
    why: Option<String>,
    fixed: bool,
}

/// All failures in order. One is fixed if its goal was reached later, by itself or as a detector saw it.
fn failures(session: &Session, observations: &[Observation]) -> Vec<FailedCall> {
    let told: BTreeSet<&str> =
        observations.iter().filter(|o| o.seen.fixed().is_some()).filter_map(|o| o.seen.failed()).collect();
    let mut out = Vec::new();
    let mut open: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for event in &session.events {
        let Some(call) = event.call() else { continue };
        let goal = || call.command().map_or_else(|| format!("{} {}", call.tool, call.input), command::normalise);
        if call.outcome.is_failure() || call.outcome == Outcome::TimedOut {
            open.entry(goal()).or_default().push(out.len());
            let fixed = told.contains(event.id.as_str());
            let why = error::signature(&call.output).map(|s| s.line);
            let shown = call.command().map_or_else(goal, str::to_owned);
            out.push(FailedCall { goal: one_line(&shown), why, fixed });
        } else if call.outcome == Outcome::Ok && !open.is_empty() {
            for n in open.remove(&goal()).unwrap_or_default() {
                out[n].fixed = true;
            }
        }
    }
    out
}

/// Observations of some kinds, each lesson once.
fn distinct<'o>(observations: &'o [Observation], kinds: &[Kind]) -> Vec<&'o Observation> {
    let mut seen = BTreeSet::new();
    observations.iter().filter(|o| kinds.contains(&o.claim.kind) && seen.insert((o.claim.kind, &o.claim.key))).collect()
}

fn wrong(failures: &[FailedCall], pitfalls: &[&Observation]) -> Vec<String> {
    let mut out: Vec<String> = pitfalls.iter().map(|o| one_line(&o.claim.text)).collect();
    for failure in failures.iter().filter(|f| !f.fixed) {
        let named = out.iter().any(|o| o.contains(&failure.goal));
        if !named {
            let why = failure.why.as_ref().map(|w| format!(": {w}")).unwrap_or_default();
            out.push(one_line(&format!("`{}`{why}", failure.goal)));
        }
    }
    out
}

/// What solved what. The same failure seen by two detectors is told once.
fn solved(recoveries: &[&Observation]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    recoveries
        .iter()
        .filter(|o| o.seen.failed().is_none_or(|f| seen.insert(f)))
        .map(|o| one_line(&o.claim.text))
        .collect()
}

/// What would be suggested, then what was found out with effort.
fn learnable(observations: &[Observation]) -> Vec<Learnable> {
    let mut seen = BTreeSet::new();
    let mut out: Vec<Learnable> = observations
        .iter()
        .filter(|o| o.claim.suggest || matches!(o.claim.kind, Kind::Insight | Kind::Instruction | Kind::Correction))
        .filter(|o| seen.insert(one_line(&o.claim.text)))
        .map(|o| Learnable { name: o.claim.name.clone(), text: one_line(&o.claim.text), suggested: o.claim.suggest })
        .collect();
    out.sort_by_key(|l| !l.suggested);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::detect::tests::session;

    fn told(script: &str) -> Retro {
        let s = session(script);
        retro(&s, &detect(&s)).expect("something happened")
    }

    #[test]
    fn the_story_of_a_session() {
        let r = told(
            "u run the tests
             ! make test => make: *** No rule to make target 'deps.txt'
             $ make deps
             $ make test
             ! npm run lint => error: 3 problems",
        );
        assert_eq!((r.messages, r.calls, r.failures, r.fixes, r.retries, r.corrections), (1, 4, 2, 1, 0, 0));
        assert_eq!(r.solved, ["Before `make test` run `make deps`"]);
        assert_eq!(r.wrong, ["`npm run lint`: error: 3 problems"]);
        assert_eq!(r.learnable.len(), 1);
        assert_eq!(
            r.summary(),
            "4 calls, 2 failed, 1 of them fixed later. Went wrong: `npm run lint`: error: 3 problems. \
             Solved: Before `make test` run `make deps`. Could be learned: Before `make test` run `make deps`."
        );
    }

    #[test]
    fn corrections_are_told_in_the_users_words() {
        let r = told(
            "u build it
             ! npm run build => Missing environment
             u no, try npm run build:prod instead
             $ npm run build:prod",
        );
        assert_eq!((r.corrections, r.said), (1, vec!["no, try npm run build:prod instead".to_owned()]));
    }

    #[test]
    fn retries_are_counted_by_goal() {
        let r = told(&"! npm run e2e => Error: no display\n".repeat(4));
        assert_eq!((r.failures, r.fixes, r.retries, r.patterns), (4, 0, 1, 1));
        assert_eq!(r.wrong.len(), 1, "{:?}", r.wrong);
    }

    #[test]
    fn a_quiet_session_has_a_short_story() {
        let r = told("u hello\na hi");
        assert_eq!(r.summary(), "0 calls, 0 failed.");
        assert_eq!(retro(&Session::default(), &[]), None);
    }
}
