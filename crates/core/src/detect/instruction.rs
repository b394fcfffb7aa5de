//! `explicit-instruction`: the user asks to keep something, by name or in words.

use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, Sure, wording};
use crate::normal::command;
use crate::normal::slug;
use crate::session::{Origin, Session};

/// How many commands before the request are kept with it.
const COMMANDS: usize = 8;

/// Finds requests to keep something.
pub(super) fn instructions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut out = Vec::new();
    for turn in &steps.turns {
        let (Some(save), text) = (&turn.save, &turn.message.text) else { continue };
        let (at, event) = (turn.at, &session.events[turn.at]);
        let mut o = Observation::new("explicit-instruction", Kind::Instruction, session, vec![event.id.clone()], at);
        let said: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(400).collect();
        o.claim.sure = Sure::High;
        let alone = save.what.as_ref().is_some_and(|what| turn.says_only(what));
        o.seen = Seen::Said { message: event.id.clone(), alone };
        if let Some(what) = &save.what {
            o.claim.text = what.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(400).collect();
            o.claim.trust = Origin::User;
            o.claim.key = wording::normal_statement(what);
        } else {
            o.claim.commands = commands_before(steps, at);
            if o.claim.commands.is_empty() {
                o.claim.commands = commands_after(session, steps, at);
            }
            o.claim.text = format!("The user asked to keep this: “{said}”");
            o.claim.trust = if o.claim.commands.is_empty() { Origin::User } else { Origin::Assistant };
            o.claim.key = format!("{} {}", save.name.as_deref().unwrap_or_default(), o.claim.commands.join(" ; "));
        }
        o.claim.name = name(save.name.as_deref(), save.what.as_deref(), &o.claim.commands);
        o.claim.title = "User-requested skill".to_owned();
        o.claim.suggest = save.what.is_some() || !o.claim.commands.is_empty() && !save.elsewhere;
        out.push(o);
    }
    out
}

/// What was done before the request, back to an earlier request of the user.
fn commands_before(steps: &Steps<'_>, at: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for step in steps.all.iter().rev().filter(|s| s.at < at && s.ok()) {
        if !step.only_reads() && !found.contains(&step.shown()) {
            found.push(step.shown());
        }
        if found.len() == COMMANDS {
            break;
        }
    }
    if found.is_empty() {
        found.extend(steps.all.iter().rev().filter(|s| s.at < at && s.ok()).take(COMMANDS).map(Step::shown));
    }
    found.reverse();
    found
}

/// What was done after a task that itself asks to be kept.
fn commands_after(session: &Session, steps: &Steps<'_>, at: usize) -> Vec<String> {
    let next = session.events[at + 1..]
        .iter()
        .position(|e| e.human_text().is_some())
        .map_or(session.events.len(), |n| at + 1 + n);
    steps
        .all
        .iter()
        .filter(|s| s.at > at && s.at < next && s.ok() && !s.only_reads())
        .take(COMMANDS)
        .map(Step::shown)
        .collect()
}

fn name(given: Option<&str>, what: Option<&str>, commands: &[String]) -> String {
    if let Some(given) = given {
        return slug(given);
    }
    if let Some(what) = what {
        return wording::name(what);
    }
    commands.first().map_or_else(|| "user-skill".to_owned(), |c| slug(&command::task(c)))
}
