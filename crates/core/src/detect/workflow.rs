//! `workflow`: steps the user asks for in an order; `procedural`: how something is done here.

use super::steps::Steps;
use super::{Kind, Observation, Sure, wording};
use crate::session::Session;

/// Finds workflows the user asks for.
pub(super) fn workflows(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let asked = steps.turns.iter().filter_map(|turn| Some((turn, turn.workflow.as_deref()?)));
    asked
        .map(|(turn, parts)| {
            let list: Vec<String> = parts.iter().enumerate().map(|(n, p)| format!("{}. {p}", n + 1)).collect();
            let mut o = wording::said("workflow", Kind::Workflow, session, turn, &list.join(" "));
            // The same things in the same order are one workflow, whatever they are done to.
            let verbs: Vec<&str> = parts.iter().filter_map(|p| p.split(' ').next()).collect();
            o.claim.key = verbs.join(" > ");
            o.claim.name = crate::normal::slug(&verbs.join(" "));
            o.claim.title = format!("Workflow: {}", verbs.join(", "));
            o.claim.sure = if turn.message.words.len() <= 40 { Sure::High } else { Sure::Medium };
            o.claim.suggest = false;
            o
        })
        .collect()
}

/// Finds what the user tells about how things are done.
pub(super) fn procedures(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let told = steps.turns.iter().filter_map(|turn| Some((turn, turn.procedural.as_deref()?)));
    told.map(|(turn, how)| {
        let mut o = wording::said("procedural", Kind::Procedure, session, turn, how);
        o.claim.title = format!("How to: {}", wording::telling(how, 6).join(" "));
        o.claim.sure = Sure::High;
        o.claim.suggest = turn.message.words.len() <= 60;
        o
    })
    .collect()
}
