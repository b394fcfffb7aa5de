//! `rule`: how things are done from now on, in the user's words.

use super::signals::pitfall::names_something;
use super::steps::Steps;
use super::{Kind, Observation, Sure, wording};
use crate::session::Session;

/// Finds rules the user laid down.
pub(super) fn rules(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let rules = steps.turns.iter().filter_map(|turn| Some((turn, turn.rule.as_deref()?)));
    rules
        .map(|(turn, rule)| {
            let mut o = wording::said("rule", Kind::Instruction, session, turn, rule);
            o.claim.title = "A rule of the user".to_owned();
            let words = rule.split_whitespace().count();
            // "don't commit it" is for this once; a rule can be understood without the message around it.
            let pointing = turn.message.words.len() < 80 && !points_elsewhere(rule);
            o.claim.sure = if pointing && names_something(rule) { Sure::High } else { Sure::Medium };
            o.claim.suggest = pointing && (4..=30).contains(&words);
            o
        })
        .collect()
}

// Whether it speaks of something only the conversation knows.
fn points_elsewhere(rule: &str) -> bool {
    const POINTING: &[&str] = &["it", "that", "this", "these", "those", "them", "yet", "now", "here", "anything"];
    super::signals::words_of(rule).any(|w| POINTING.contains(&w.as_str()))
}
