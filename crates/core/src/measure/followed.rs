//! What followed in a session after a lesson was told, or was withheld: from structure, never from what anybody claims.

use crate::detect::{Signal, Trigger, signals_of};
use crate::failure;
use crate::learn::Lesson;
use crate::moment::ToolUse;
use crate::recall;
use crate::recall::facts::Failed;
use crate::session::{Body, Call, Session};

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

/// What followed a lesson that was told, or would have been, at a time of a session.
pub fn followed(session: &Session, lesson: &Lesson, at: i64) -> Followed {
    let Some(trigger) = &lesson.payload.trigger else {
        return Followed { pushed: pushed(session, at), ..Followed::default() };
    };
    let met: Vec<usize> = (0..session.events.len()).filter(|n| meets(session, *n, trigger)).collect();
    let is_later = |n: &&usize| session.events[**n].at.is_some_and(|when| when > at);
    let costs = failure::costs(session);
    // What it took from the failure at which it was told; or, told beforehand, from the first one after it.
    let first = met.iter().rev().find(|n| !is_later(n)).or_else(|| met.iter().find(is_later));
    let cost = first.and_then(|n| costs.get(n)).copied().unwrap_or_default();
    Followed {
        failed: Some(met.iter().any(|n| is_later(&n))),
        pushed: pushed(session, at),
        reached: cost.reached,
        calls: cost.calls,
        tokens: cost.tokens,
    }
}

/// Whether the user put the agent right after a time.
fn pushed(session: &Session, at: i64) -> bool {
    let later = |n: &usize| session.events[*n].at.is_some_and(|when| when > at) && session.events[*n].is_typed();
    (0..session.events.len()).filter(later).any(|n| signals_of(session, n).contains(&Signal::Correction))
}

/// Whether an event is a failure at which a lesson with this trigger is looked up.
fn meets(session: &Session, n: usize, trigger: &Trigger) -> bool {
    let Body::Call(call) = &session.events[n].body else { return false };
    call.outcome.is_failure() && keys(session, call).contains(trigger)
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
            let f = followed(&session(script), lesson, at);
            assert_eq!((f.failed, f.reached, f.calls), expected, "{script} at {at}");
        }
    }
}
