//! What followed in a session after a lesson was told, or was withheld: from structure, never from what anybody claims.

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::detect::{Signal, Trigger, signals_of};
use crate::failure::{self, Cost};
use crate::learn::Lesson;
use crate::moment::ToolUse;
use crate::recall;
use crate::recall::facts::Failed;
use crate::session::{Call, Event, Session};

/// What followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Whether the failure came, or came again; `None` if the lesson is about none.
    pub failed: Option<bool>,
    /// Whether the user put the agent right.
    pub pushed: bool,
    /// Whether the goal of the failure was reached.
    pub reached: bool,
    /// Calls until then.
    pub calls: u32,
    /// New tokens until then.
    pub tokens: u32,
}

/// A session in which lessons were told: what is asked of it for each of them is found once.
pub struct Aftermath<'s> {
    session: &'s Session,
    /// When the user put the agent right for the last time.
    corrected: OnceCell<Option<i64>>,
    /// Failures, and what lessons are looked up by at each.
    failures: OnceCell<Vec<(usize, Vec<Trigger>)>>,
    costs: OnceCell<HashMap<usize, Cost>>,
}

impl<'s> Aftermath<'s> {
    /// Of a session.
    pub fn of(session: &'s Session) -> Self {
        Self { session, corrected: OnceCell::new(), failures: OnceCell::new(), costs: OnceCell::new() }
    }

    /// What followed a lesson that was told, or would have been, at a time.
    pub fn after(&self, lesson: &Lesson, at: i64) -> Followed {
        let Some(trigger) = &lesson.payload.trigger else {
            return Followed { pushed: self.pushed(at), ..Followed::default() };
        };
        let met: Vec<usize> =
            self.failures().iter().filter(|(_, keys)| keys.contains(trigger)).map(|(n, _)| *n).collect();
        let is_later = |n: &&usize| self.session.events[**n].at.is_some_and(|when| when > at);
        // What it took from the failure at which it was told; or, told beforehand, from the first one after it.
        let first = met.iter().rev().find(|n| !is_later(n)).or_else(|| met.iter().find(is_later));
        let costs = self.costs.get_or_init(|| failure::costs(self.session));
        let cost = first.and_then(|n| costs.get(n)).copied().unwrap_or_default();
        Followed {
            failed: Some(met.iter().any(|n| is_later(&n))),
            pushed: self.pushed(at),
            reached: cost.reached,
            calls: cost.calls,
            tokens: cost.tokens,
        }
    }

    /// Whether the user put the agent right after a time.
    fn pushed(&self, at: i64) -> bool {
        let events = &self.session.events;
        let corrects = |n: &usize| signals_of(self.session, *n).contains(&Signal::Correction);
        let last = || {
            let mut typed: Vec<usize> =
                (0..events.len()).filter(|n| events[*n].at.is_some() && events[*n].is_typed()).collect();
            typed.sort_by_key(|n| std::cmp::Reverse(events[*n].at));
            typed.into_iter().find(corrects).and_then(|n| events[n].at)
        };
        self.corrected.get_or_init(last).is_some_and(|when| when > at)
    }

    fn failures(&self) -> &[(usize, Vec<Trigger>)] {
        let failed = |(n, event): (usize, &Event)| {
            let call = event.call().filter(|call| call.outcome.is_failure())?;
            Some((n, keys(self.session, call)))
        };
        self.failures.get_or_init(|| self.session.events.iter().enumerate().filter_map(failed).collect())
    }
}

fn keys(session: &Session, call: &Call) -> Vec<Trigger> {
    let used = ToolUse { id: None, tool: call.tool.clone(), kind: call.kind, input: call.input.clone() };
    let output = call.output.to_text();
    let root = session.root_folder().unwrap_or_default();
    let folder = session.folder_of(call).unwrap_or(root);
    let mut keys = Failed::new(&used, &output, folder, root).keys();
    keys.extend(call.command().and_then(|line| recall::trigger(line, &output)));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::detect::tests::session;

    #[test]
    fn what_followed_is_read_off_the_session() {
        let told = "! npm run build => sh: 1: vite: not found\n$ npm install\n$ npm run build";
        let learned = session(told);
        let lessons = crate::learn::fold("p", &detect(&learned));
        let lesson = lessons.iter().find(|l| l.payload.trigger.is_some()).expect("a lesson at an error");
        for (script, at, expected) in [
            (told, 0, (Some(false), true, 2)),
            (told, -1, (Some(true), true, 2)),
            (
                "! npm run build => sh: 1: vite: not found\n! npm run build => sh: 1: vite: not found",
                0,
                (Some(true), false, 1),
            ),
            ("$ ls", 0, (Some(false), false, 0)),
        ] {
            let f = Aftermath::of(&session(script)).after(lesson, at);
            assert_eq!((f.failed, f.reached, f.calls), expected, "{script} at {at}");
        }
    }
}
