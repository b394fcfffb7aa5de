//! `user-correction`: a wrong attempt, the message that puts it right, the success; in that order. Where no command tells
//! what was wrong, the user's words do: they count when they come up again.

use super::signals::{Turn, names_something};
use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, Sure, way, wording};
use crate::normal::command;
use crate::normal::programs::{self, Role};
use crate::normal::slug;
use crate::session::Session;

/// How many shell calls before and after the message are looked at.
const REACH: usize = 5;

/// Words of a message that can be held against another one as a whole.
const SHORT: std::ops::RangeInclusive<usize> = 4..=40;

/// Finds corrections: with the command they led to, else in the user's words.
pub(super) fn corrections(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let observed = |turn: &Turn| match attempt_and_success(session, steps, turn) {
        Some((wrong, right)) => Some(observe(session, turn.at, &turn.message.text, wrong, right)),
        None => in_words(session, turn),
    };
    steps.turns.iter().filter(|t| t.corrects()).filter_map(observed).collect()
}

/// What the user said, where it is no rule and not a whole task.
fn in_words(session: &Session, turn: &Turn) -> Option<Observation> {
    let said = turn.message.text.trim();
    // What names nothing of the project says nothing without the conversation, however often.
    if turn.rule.is_some() || !SHORT.contains(&turn.message.words.len()) || !names_something(said) {
        return None;
    }
    let mut o = wording::said("user-correction", Kind::Correction, session, turn, said);
    o.claim.title = format!("The user objected: {}", wording::telling(said, 6).join(" "));
    Some(o)
}

/// The attempt before the message and the command after it that the message asked for.
fn attempt_and_success<'a, 's>(
    session: &Session,
    steps: &'a Steps<'s>,
    turn: &Turn,
) -> Option<(&'a Step<'s>, &'a Step<'s>)> {
    let (all, at, said) = (&steps.all, turn.at, &turn.message.words);
    let next_message = steps.turns.iter().map(|t| t.at).find(|t| *t > at).unwrap_or(session.events.len());
    let before: Vec<&Step<'s>> = all.iter().rev().filter(|s| s.at < at).take(REACH).collect();
    all.iter().filter(|s| s.at > at && s.at < next_message && s.ok()).take(REACH).find_map(|right| {
        let named = named_words(said, right);
        let wrong = before.iter().copied().find(|wrong| {
            let text = &turn.message.text;
            let swapped = says(text, wrong, right, 3) || is_said(text, wrong, right) && named_words(said, wrong) > 0;
            wrong.words != right.words && (swapped || relates(wrong, right, said, named))
        })?;
        (!right.only_reads()).then_some((wrong, right))
    })
}

/// How many telling words of a command the message names.
fn named_words(said: &[String], step: &Step<'_>) -> usize {
    step.words.iter().filter(|w| w.len() > 2 && is_named(said, w, 3)).count()
}

/// Whether a message names a word of a command, or a part of it that is longer than this.
fn is_named(said: &[String], word: &str, short: usize) -> bool {
    let part = |s: &&String| word.split([':', '/', '=', '.', '-']).any(|p| p.eq_ignore_ascii_case(s));
    said.iter().any(|s| word.eq_ignore_ascii_case(s) || s.len() > short && part(&s))
}

/// The message names the new command, and the old one was an attempt at the same. (That it names both is enough, too.)
fn relates(wrong: &Step<'_>, right: &Step<'_>, said: &[String], named: usize) -> bool {
    let mut new_words = right.words.iter().filter(|w| w.len() > 1 && !wrong.words.contains(w));
    // An attempt that succeeded counts as wrong only if it tried the very same task.
    let same_task = wrong.program == right.program && command::task(wrong.line) == command::task(right.line);
    // Two commands around a message that have nothing in common are not two attempts at one thing, whatever the message names.
    let kin = share_half(wrong, right) || wrong.failed() && wrong.program == right.program;
    new_words.any(|w| is_named(said, w, 2)) && (same_task || kin && (wrong.failed() || named >= 2))
}

/// Whether half of the words of the shorter command stand in the other one, too.
fn share_half(one: &Step<'_>, other: &Step<'_>) -> bool {
    let shared = one.words.iter().filter(|w| other.words.contains(w)).count();
    2 * shared >= one.words.len().min(other.words.len())
}

fn observe(session: &Session, at: usize, text: &str, wrong: &Step<'_>, right: &Step<'_>) -> Observation {
    let message = session.events[at].id.clone();
    let mut o = Observation::new(
        "user-correction",
        Kind::Correction,
        session,
        vec![wrong.id.to_owned(), message.clone(), right.id.to_owned()],
        right.at,
    );
    let task = command::task(right.line);
    o.claim.name = slug(&format!("user-correction-{task}"));
    o.claim.title = format!("User-corrected approach for: {task}");
    let (before, after) = (wrong.shown(), right.shown());
    let said: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    o.claim.text = format!("Instead of `{before}` run `{after}`; the user said: “{said}”");
    o.claim.commands = vec![before, after];
    o.seen = Seen::Corrected { message, failed: wrong.id.to_owned(), fixed: right.id.to_owned() };
    o.claim.key = format!("{} > {} | {}", wrong.normal, right.normal, way::change(wrong, right));
    o.claim.sure = if wrong.failed() { Sure::High } else { Sure::Medium };
    // Which branch or commit was meant holds for this session only. What the user did not say is the agent's own idea: it is
    // worth something if it comes up again.
    let usable = !programs::is(&right.program, Role::Versioning) && right.line.len() <= 400;
    o.claim.suggest = usable && is_said(text, wrong, right);
    o
}

/// Whether the message says what to run: to use another program, or two words of the new command one after the other.
fn is_said(text: &str, wrong: &Step<'_>, right: &Step<'_>) -> bool {
    let bare = |w: &str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let said: Vec<&str> = text.split_whitespace().collect();
    let program = right.program.to_lowercase();
    // To name a program is not to ask for it: "configure X", "the X folder".
    let asked = |at: usize| said[at].starts_with('`') || at > 0 && USING.contains(&bare(said[at - 1]).as_str());
    let names_program =
        wrong.program != right.program && (0..said.len()).any(|at| bare(said[at]) == program && asked(at));
    names_program || says(text, wrong, right, 2)
}

/// Words before the name of a program that is to be used.
const USING: &[&str] = &["use", "using", "run", "with", "via", "try", "call", "instead", "a", "by"];

/// Whether the message has so many words of the new command, one after the other, and not all of them are in the old one.
fn says(text: &str, wrong: &Step<'_>, right: &Step<'_>, words: usize) -> bool {
    let said = text.to_lowercase();
    let line = unquoted(right.line);
    let new = |w: &&str| !wrong.line.split_whitespace().any(|old| old == *w);
    line.windows(words).any(|run| run.iter().any(new) && said.contains(&run.join(" ").to_lowercase()))
}

/// The words of a line without what stands in quotes: a commit's message is prose, too.
fn unquoted(line: &str) -> Vec<&str> {
    let outside = line.split(['\'', '"']).enumerate().filter(|(n, _)| n % 2 == 0);
    outside.flat_map(|(_, part)| part.split_whitespace()).collect()
}
