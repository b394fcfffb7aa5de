//! `time-out`: a call that was stopped because it took too long, and what made the same goal work: in the
//! background, with a larger limit, or a smaller piece of it.

use super::steps::{Step, Steps};
use super::{Fix, Kind, Observation, Seen, Sure};
use crate::normal::command;
use crate::normal::english::cut;
use crate::normal::programs::{self, Role};
use crate::normal::slug;
use crate::session::{Outcome, Session};

/// How many shell calls after it are looked at.
const REACH: usize = 12;
/// The exit code of `timeout`.
const STOPPED: i32 = 124;
/// Most observations of one session.
const MOST: usize = 3;

/// What made it work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Background,
    LargerLimit,
    SmallerPiece,
    Again,
}

/// Finds calls that took too long.
pub(super) fn time_outs(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let all = &steps.all;
    let mut out: Vec<Observation> = Vec::new();
    for (n, step) in all.iter().enumerate().filter(|(_, s)| timed_out(s)) {
        if step.normal.is_empty() {
            continue;
        }
        let later = &all[n + 1..all.len().min(n + 1 + REACH)];
        // It was stopped again: the last time counts.
        if later.iter().any(|s| timed_out(s) && s.normal == step.normal) {
            continue;
        }
        let way = later.iter().find_map(|s| Some((s, way(step, s)?)));
        out.push(observe(session, step, way));
    }
    out.truncate(MOST);
    out
}

fn timed_out(step: &Step<'_>) -> bool {
    match step.call.outcome {
        Outcome::TimedOut => true,
        Outcome::Failed(Some(STOPPED)) => limit(step).is_some(),
        _ => false,
    }
}

/// The seconds a line gives its command.
fn limit(step: &Step<'_>) -> Option<f64> {
    step.script.commands.iter().find_map(|c| {
        let at = c.words.iter().position(|w| programs::is(&w.text, Role::TimeLimit))?;
        c.words[at + 1..].iter().find_map(|w| seconds(&w.text))
    })
}

/// `90`, `90s`, `5m`, `1h` in seconds.
fn seconds(word: &str) -> Option<f64> {
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    let unit = match &word[number.len()..] {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|n| n * unit)
}

/// Whether a later call reaches the same goal, and how.
fn way(stopped: &Step<'_>, next: &Step<'_>) -> Option<Way> {
    if stopped.program != next.program || stopped.program.is_empty() {
        return None;
    }
    let same = stopped.normal == next.normal;
    let left = next.call.outcome == Outcome::Background || (next.ok() && behind(next));
    if same && left {
        return Some(Way::Background);
    }
    if !next.ok() {
        return None;
    }
    if same && limit(next) > limit(stopped) && limit(next).is_some() {
        return Some(Way::LargerLimit);
    }
    if stopped.words == next.words {
        return Some(Way::Again);
    }
    // All of its words and more, or a path below one of them: a part of the same work.
    let kept = |w: &String| next.words.iter().any(|n| n == w || is_below(w, n));
    let smaller = next.words.len() >= stopped.words.len() && stopped.words.iter().all(kept);
    smaller.then_some(Way::SmallerPiece)
}

fn is_below(folder: &str, path: &str) -> bool {
    let folder = folder.trim_end_matches("...").trim_end_matches('/');
    path.len() > folder.len() && path.starts_with(folder) && (folder == "." || path[folder.len()..].starts_with('/'))
}

/// Whether the line itself leaves it running.
fn behind(step: &Step<'_>) -> bool {
    let line = step.line.trim_end();
    let mut firsts = step.script.commands.iter().filter_map(|c| c.words.first());
    (line.ends_with('&') && !line.ends_with("&&")) || firsts.any(|w| programs::is(&w.text, Role::LeavesRunning))
}

fn observe(session: &Session, stopped: &Step<'_>, way: Option<(&Step<'_>, Way)>) -> Observation {
    let mut events = vec![stopped.id.to_owned()];
    events.extend(way.map(|(s, _)| s.id.to_owned()));
    let last = way.map_or(stopped.at, |(s, _)| s.at);
    let mut o = Observation::new("time-out", Kind::Pitfall, session, events, last);
    let task = command::task(stopped.line);
    o.claim.name = slug(&format!("time-out-{task}"));
    o.claim.title = format!("{} takes too long", cut(&stopped.normal, 60));
    let shown = cut(&stopped.shown(), 120);
    o.claim.commands = vec![stopped.shown()];
    let how = match way {
        Some((_, Way::Background)) => "run it in the background",
        Some((_, Way::LargerLimit)) => "give it more time",
        Some((_, Way::SmallerPiece)) => "run a part of it",
        Some((_, Way::Again)) => "a second run was in time",
        None => "nothing made it work in this session",
    };
    o.claim.text = format!("`{shown}` was stopped because it took too long; {how}");
    if let Some((next, Way::Background | Way::LargerLimit | Way::SmallerPiece)) = way {
        o.claim.text.push_str(&format!(": `{}`", cut(&next.shown(), 120)));
        o.claim.commands.push(next.shown());
    }
    o.seen = Seen::Fix(Fix {
        failed: Some(stopped.id.to_owned()),
        fixed: way.map(|(s, _)| s.id.to_owned()),
        ..Fix::default()
    });
    let known = matches!(way, Some((_, Way::Background | Way::LargerLimit)));
    o.claim.sure = if known { Sure::High } else { Sure::Medium };
    // What takes too long here, and how it can be run, is worth a note; a look that hung is not.
    o.claim.suggest = known && !stopped.only_reads();
    o.claim.telling = o.claim.suggest;
    o.claim.key = format!("time-out | {}", stopped.normal);
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;
    use crate::session::Body;

    /// The first call is stopped.
    fn seen(script: &str) -> Vec<(String, bool)> {
        let mut s = session(script);
        if let Body::Call(call) = &mut s.events[0].body {
            call.outcome = Outcome::TimedOut;
        }
        time_outs(&s, &Steps::new(&s)).into_iter().map(|o| (o.claim.text, o.claim.suggest)).collect()
    }

    #[test]
    fn what_made_it_work() {
        for (next, text, suggest) in [
            ("$ nohup make e2e &", "run it in the background: `nohup make e2e`", true),
            ("$ timeout 1200 make e2e", "give it more time: `timeout 1200 make e2e`", true),
            ("$ make e2e ONLY=login", "run a part of it: `make e2e ONLY=login`", false),
            ("$ make e2e", "a second run was in time", false),
            ("$ make lint", "nothing made it work in this session", false),
        ] {
            let expected = format!("`make e2e` was stopped because it took too long; {text}");
            assert_eq!(seen(&format!("$ make e2e\n{next}")), [(expected, suggest)], "{next}");
        }
    }

    #[test]
    fn a_limit_of_its_own_that_ran_out() {
        let mut s = session("! timeout 5 make e2e\n$ timeout 5m make e2e");
        if let Body::Call(call) = &mut s.events[0].body {
            call.outcome = Outcome::Failed(Some(STOPPED));
        }
        let found = time_outs(&s, &Steps::new(&s));
        assert_eq!((found.len(), found[0].claim.suggest), (1, true));
    }

    #[test]
    fn a_call_that_fails_otherwise_is_none() {
        let s = session("! make e2e => timeout of 5 s in a test\n$ make e2e");
        assert_eq!(time_outs(&s, &Steps::new(&s)).len(), 0);
    }
}
