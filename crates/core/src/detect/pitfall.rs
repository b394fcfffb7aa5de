//! `pitfall`: what the agent did and what the user found wrong with it, or warned of.

use super::signals::Turn;
use super::signals::pitfall::names_something;
use super::steps::{Step, Steps};
use super::{Kind, Observation, Sure, wording};
use crate::session::{Body, Origin, Session};

/// Points that make a message a plain "no".
const PLAIN_NO: u32 = 6;
/// Words above which a message is a task, not an objection.
const LONGEST: usize = 60;

/// Finds pitfalls: both what was done and what was wrong are quoted.
pub(super) fn pitfalls(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    steps.turns.iter().filter_map(|turn| observe(session, steps, turn)).collect()
}

fn observe(session: &Session, steps: &Steps<'_>, turn: &Turn) -> Option<Observation> {
    let objected = || {
        let short = turn.message.words.len() <= LONGEST && turn.message.words.len() >= 4;
        (turn.correcting >= PLAIN_NO && short && names_something(&turn.message.text)).then_some(&turn.message.text)
    };
    let wrong = turn.pitfall.as_ref().or_else(objected)?;
    let done = done_before(session, steps, turn.at)?;
    let mut o = wording::said("pitfall", Kind::Pitfall, session, turn, wrong);
    o.claim.title = format!("Pitfall: {}", wording::telling(wrong, 6).join(" "));
    o.claim.text = format!("After “{done}” the user said: “{}”", wording::short(wrong));
    o.claim.sure = if turn.pitfall.is_some() && turn.corrects() { Sure::High } else { Sure::Medium };
    o.claim.trust = Origin::Assistant;
    o.claim.suggest = false;
    o.claim.telling = names_something(wrong);
    Some(o)
}

// The agent's last words before the message, else its last command.
fn done_before(session: &Session, steps: &Steps<'_>, at: usize) -> Option<String> {
    let said = session.events[..at].iter().rev().take_while(|e| !e.is_typed()).find_map(|e| match &e.body {
        Body::Assistant { text } => text.tail().lines().rev().find(|l| l.trim().len() > 10).map(str::to_owned),
        _ => None,
    });
    // What was run before an earlier message belongs to that message.
    let since = steps.turns.iter().map(|t| t.at).rfind(|t| *t < at);
    let ran = || steps.all.iter().rev().find(|s| s.at < at && since.is_none_or(|t| s.at > t)).map(Step::shown);
    said.or_else(ran).map(|text| text.trim().chars().take(160).collect())
}
