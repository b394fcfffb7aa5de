//! What the user's words lay down, settle, warn of and ask for.
//!
//! `rule`: a statement that lasts, whole and self-contained; shown after one session. All else is softer and counts when it
//! comes up in another session: an order that may have been meant for one task, `decision`, `pitfall`, `workflow`, `request`,
//! `procedural`.

use super::signals::{Turn, names_something};
use super::steps::{Step, Steps};
use super::{Kind, Observation, Sure, wording};
use crate::normal::programs::{self, Role};
use crate::session::{Body, Origin, Session};

/// Finds rules the user laid down.
pub(super) fn rules(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let rules = steps.turns.iter().enumerate().filter_map(|(n, turn)| Some((n, turn, turn.rule.as_deref()?)));
    rules
        .map(|(n, turn, rule)| {
            let mut o = wording::said("rule", Kind::Instruction, session, turn, rule);
            o.claim.title = "A rule of the user".to_owned();
            o.claim.sure = if names_something(rule) { Sure::High } else { Sure::Medium };
            // A long message alone in its session may be a program's.
            let prompt = steps.turns.len() == 1 && turn.message.words.len() > PROMPT;
            let lasts = turn.signs.lasts() && (is_the_point(turn, rule) || said_again(&steps.turns, n, rule));
            o.claim.suggest = lasts && !prompt && !taken_back(&steps.turns[n + 1..], rule);
            o
        })
        .collect()
}

/// Words above which a message that is alone in its session is a prompt that a program may have made.
const PROMPT: usize = 40;
/// Of a message whose point is a rule, this part at least is the rule.
const POINT: usize = 3; // a third
/// Telling words that two rules about one thing share.
const SHARED: usize = 2;

/// Whether a message is about the rule, or had it kept. A rule that is a small part of a task is of that task.
fn is_the_point(turn: &Turn, rule: &str) -> bool {
    let words = crate::normal::english::words_of(rule).count();
    turn.signs.is_kept() || words * POINT >= turn.message.words.len()
}

/// Whether another message of the session lays down the same.
fn said_again(turns: &[Turn], this: usize, rule: &str) -> bool {
    let about = wording::telling(rule, usize::MAX);
    let shares =
        |other: &str| wording::telling(other, usize::MAX).iter().filter(|w| about.contains(w)).count() >= SHARED;
    turns.iter().enumerate().any(|(n, turn)| n != this && turn.rule.as_deref().is_some_and(shares))
}

/// How many messages later something is taken back at the latest, if it is not named again.
const SOON: usize = 2;

/// Whether one of the later messages takes a rule back: it says so soon, or forbids what the rule wants.
fn taken_back(later: &[Turn], rule: &str) -> bool {
    let opposite = |turn: &Turn| turn.rule.as_deref().is_some_and(|other| wording::opposite(rule, other));
    later.iter().take(SOON).any(Turn::takes_back) || later.iter().any(opposite)
}

/// Finds decisions with their reasons.
pub(super) fn decisions(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let settled = steps.turns.iter().filter_map(|turn| Some((turn, turn.decision.as_deref()?)));
    settled
        .map(|(turn, decision)| {
            let mut o = wording::said("decision", Kind::Decision, session, turn, decision);
            o.claim.title = format!("Decided: {}", wording::telling(decision, 6).join(" "));
            o.claim.telling = names_something(decision);
            o.claim.sure = if o.claim.telling { Sure::High } else { Sure::Medium };
            o
        })
        .collect()
}

/// Words above which a message is a task, not an objection.
const LONGEST: usize = 60;

/// Finds pitfalls: both what was done and what was wrong are quoted.
pub(super) fn pitfalls(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let observe = |turn: &Turn| {
        let objected = || {
            let short = (4..=LONGEST).contains(&turn.message.words.len());
            (turn.corrects() && short && names_something(&turn.message.text)).then_some(&turn.message.text)
        };
        let wrong = turn.pitfall.as_ref().or_else(objected)?;
        let done = done_before(session, steps, turn.at)?;
        let mut o = wording::said("pitfall", Kind::Pitfall, session, turn, wrong);
        o.claim.title = format!("Pitfall: {}", wording::telling(wrong, 6).join(" "));
        o.claim.text = format!("After “{done}” the user said: “{}”", wording::short(wrong));
        o.claim.sure = if turn.pitfall.is_some() && turn.corrects() { Sure::High } else { Sure::Medium };
        o.claim.trust = Origin::Assistant;
        o.claim.telling = names_something(wrong);
        Some(o)
    };
    steps.turns.iter().filter_map(observe).collect()
}

/// The agent's last words before the message, else its last command.
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
            // "commit, push, open a pr" is what everybody does.
            o.claim.telling = names_something(&turn.message.text);
            o
        })
        .collect()
}

/// How many commands after a request are kept with it.
const FOLLOWED: usize = 5;

/// Finds short requests with what was then run: asked for again in nearly these words, it is how things are done here.
pub(super) fn requests(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let asked = steps.turns.iter().enumerate().filter_map(|(n, turn)| Some((n, turn, turn.request.as_deref()?)));
    asked
        .filter_map(|(n, turn, asked)| {
            let mut about = wording::telling(asked, usize::MAX);
            about.sort_unstable();
            about.dedup();
            let next = steps.turns.get(n + 1).map_or(session.events.len(), |t| t.at);
            let tells =
                |s: &&Step<'_>| s.ok() && !s.only_reads() && !s.edits() && !programs::is(&s.program, Role::Versioning);
            let ran = steps.all.iter().filter(|s| s.at > turn.at && s.at < next).filter(tells);
            let mut commands: Vec<String> = Vec::new();
            ran.map(Step::shown).for_each(|c| {
                if !commands.contains(&c) {
                    commands.push(c);
                }
            });
            commands.truncate(FOLLOWED);
            if about.len() < 2 || commands.is_empty() {
                return None;
            }
            let mut o = wording::said(super::REQUESTS, Kind::Workflow, session, turn, asked);
            o.claim.key = format!("request: {}", about.join(" "));
            o.claim.title = format!("Asked for again: {}", wording::short(asked));
            o.claim.commands = commands;
            o.claim.trust = Origin::Assistant;
            Some(o)
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
        o.claim.suggest = turn.message.words.len() <= LONGEST;
        o
    })
    .collect()
}
