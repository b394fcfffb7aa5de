//! `decision`: what the user settled and why, in answer to what the agent said.

use super::signals::pitfall::names_something;
use super::steps::Steps;
use super::{Kind, Observation, Sure, wording};
use crate::session::Session;

/// Finds decisions with their reasons.
pub(super) fn decisions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let settled = steps.turns.iter().filter_map(|turn| Some((turn, turn.decision.as_deref()?)));
    settled
        .map(|(turn, decision)| {
            let mut o = wording::said("decision", Kind::Decision, session, turn, decision);
            o.claim.title = format!("Decided: {}", wording::telling(decision, 6).join(" "));
            o.claim.sure = if names_something(decision) { Sure::High } else { Sure::Medium };
            // Seen once it is a thought; said again it is a decision.
            o.claim.suggest = false;
            o.claim.telling = o.claim.sure == Sure::High;
            o
        })
        .collect()
}
