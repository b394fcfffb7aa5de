//! What a failure cost: from the first time something failed until the same goal was reached or given up.
//!
//! Comes in: a session. Goes out: for the first failure of each goal how many further calls, new tokens and how much time went
//! by. A goal is what a command does, or a tool with the file it is used on. A person who says something new ends it: what
//! comes then is another matter.

use std::borrow::Cow;
use std::collections::HashMap;

use super::went_wrong;
use crate::normal::command::normalise;
use crate::session::{Author, Body, Call, Event, Outcome, Session};

/// A goal that was not tried again within so many calls was given up.
const GIVEN_UP_AFTER: usize = 30;

/// What came after a failure until its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Calls after it, the one that reached the goal included.
    pub calls: u32,
    /// New tokens of the model's steps, as far as the client counts them.
    pub tokens: u32,
    /// Milliseconds.
    pub ms: i64,
    /// Whether the goal was reached; otherwise it was given up.
    pub reached: bool,
}

/// The costs of a session's failures, by the place of the first failing call of each goal.
pub fn costs(session: &Session) -> HashMap<usize, Cost> {
    costs_by(session, |_, line| Cow::Owned(normalise(line)))
}

/// The same with what the command line at a place does, where that is known already.
pub(crate) fn costs_by<'s>(
    session: &'s Session,
    does: impl Fn(usize, &'s str) -> Cow<'s, str>,
) -> HashMap<usize, Cost> {
    let mut out = HashMap::new();
    let mut open: HashMap<Goal<'s>, Try> = HashMap::new();
    let mut calls = 0;
    for (at, event) in session.events.iter().enumerate() {
        if matches!(event.body, Body::User { author: Author::Human, .. }) {
            close_all(&mut open, &session.events, &mut out);
        }
        let Some(call) = event.call() else { continue };
        calls += 1;
        if went_wrong(call.outcome) {
            let goal = goal(call, at, &does);
            give_up(&mut open, &goal, calls, &session.events, &mut out);
            open.entry(goal).or_insert(Try { first: at, last: at, calls }).failed_again(at, calls);
        } else if call.outcome == Outcome::Ok
            && !open.is_empty()
            && let Some(tried) = open.remove(&goal(call, at, &does))
        {
            out.insert(tried.first, between(&session.events, tried.first, at, true));
        }
    }
    close_all(&mut open, &session.events, &mut out);
    out
}

/// What a call is for.
#[derive(PartialEq, Eq, Hash)]
enum Goal<'s> {
    /// What a command line does.
    Does(Cow<'s, str>),
    /// A tool, and what it is used on.
    Tool(&'s str, &'s str),
}

fn goal<'s>(call: &'s Call, at: usize, does: &impl Fn(usize, &'s str) -> Cow<'s, str>) -> Goal<'s> {
    match call.command() {
        Some(line) => Goal::Does(does(at, line)),
        None => Goal::Tool(&call.tool, &call.input),
    }
}

/// A goal that was not reached yet: where it failed first and last, and the number of that last call.
struct Try {
    first: usize,
    last: usize,
    calls: usize,
}

impl Try {
    fn failed_again(&mut self, at: usize, calls: usize) {
        (self.last, self.calls) = (at, calls);
    }
}

/// Closes all goals but one that were not tried for long.
fn give_up(
    open: &mut HashMap<Goal<'_>, Try>,
    but: &Goal<'_>,
    calls: usize,
    events: &[Event],
    out: &mut HashMap<usize, Cost>,
) {
    open.retain(|goal, tried| {
        let old = goal != but && calls - tried.calls > GIVEN_UP_AFTER;
        if old {
            out.insert(tried.first, between(events, tried.first, tried.last, false));
        }
        !old
    });
}

fn close_all(open: &mut HashMap<Goal<'_>, Try>, events: &[Event], out: &mut HashMap<usize, Cost>) {
    for (_, tried) in open.drain() {
        out.insert(tried.first, between(events, tried.first, tried.last, false));
    }
}

/// What happened behind a failure, up to and with a later event.
fn between(events: &[Event], first: usize, last: usize, reached: bool) -> Cost {
    let after = &events[first + 1..=last.max(first)];
    let calls = after.iter().filter(|e| e.call().is_some()).count();
    let tokens = after.iter().filter_map(|e| e.tokens).fold(0, u32::saturating_add);
    let ms = match (events[first].at, events[last].at) {
        (Some(from), Some(to)) => to.saturating_sub(from).max(0),
        _ => 0,
    };
    Cost { calls: u32::try_from(calls).unwrap_or(u32::MAX), tokens, ms, reached }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Excerpt, Origin, Span, ToolKind};

    /// `!` fails, `+` works, `>` a person speaks; each takes a second and ten tokens.
    fn session(story: &[&str]) -> Session {
        let mut session = Session::default();
        for (n, line) in story.iter().enumerate() {
            let (sign, text) = line.split_at(1);
            let outcome = if sign == "!" { Outcome::Failed(Some(1)) } else { Outcome::Ok };
            let body = match sign {
                ">" => Body::User {
                    author: Author::Human,
                    spans: vec![Span { origin: Origin::User, text: Excerpt::new(text) }],
                },
                _ => Body::Call(Call { outcome, ..Call::new("Bash", ToolKind::Shell, text) }),
            };
            let event =
                Event { id: n.to_string(), at: Some(1_000 * n as i64), offset: 0, len: 0, tokens: Some(10), body };
            session.events.push(event);
        }
        session
    }

    #[test]
    fn until_the_goal_is_reached_or_given_up() {
        let cost = |calls, reached| Cost { calls, tokens: 10 * calls, ms: 1_000 * i64::from(calls), reached };
        for (story, found) in [
            (&["!make a", "+ls", "+make a"][..], vec![(0, cost(2, true))]),
            (&["!make a", "!make a", "+make a"], vec![(0, cost(2, true))]),
            (&["!make a", "!make a", "+ls"], vec![(0, cost(1, false))]),
            (&["!make a", "> do something else", "+make a"], vec![(0, cost(0, false))]),
            (&["!make a", "!npm test", "+npm test", "+make a"], vec![(0, cost(3, true)), (1, cost(1, true))]),
            (&["+make a"], vec![]),
        ] {
            let mut costs: Vec<_> = costs(&session(story)).into_iter().collect();
            costs.sort_by_key(|(at, _)| *at);
            assert_eq!(costs, found, "{story:?}");
        }
    }

    #[test]
    fn what_is_not_tried_again_for_long_was_given_up() {
        let mut story = vec!["!make a"];
        story.extend(std::iter::repeat_n("+ls", 40));
        story.extend(["!npm test", "+make a"]);
        let costs = costs(&session(&story));
        assert_eq!(costs[&0], Cost { reached: false, ..Cost::default() });
    }
}
