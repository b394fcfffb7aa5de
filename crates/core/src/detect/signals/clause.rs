//! The clause that lays something down, whole and with its subject; or nothing.

use std::ops::Range;

use super::message::{Message, Sentence};
use crate::detect::wording;
use crate::normal::english::{Class, English, negates, tells_to, words_of};

/// Words of a statement that can stand alone.
const WHOLE: std::ops::RangeInclusive<usize> = 4..=40;
/// Filler words that a clause may begin with.
const FILLERS: usize = 3;
/// Words that say what a statement is about.
const TELLING: usize = 2;

/// The words without filler in front; a negation is none.
pub(super) fn without_filler<'w>(english: &English, words: &'w [String]) -> &'w [String] {
    let most = FILLERS.min(words.len().saturating_sub(1));
    let fills = |w: &&String| english.opens(Class::Filler, std::slice::from_ref(*w)) && !negates(w);
    &words[words.iter().take(most).take_while(fills).count()..]
}

/// Where the clause of a sentence begins that lays something down for all of a kind, or with its reason.
pub(super) fn lays_down(english: &English, sentence: &str) -> Option<usize> {
    let sentence = told(sentence)?;
    let reason = english.within(Class::Reason, &spelt(sentence));
    ordering(english, sentence, |words| {
        reason || [Class::General, Class::Quantity].iter().any(|c| english.within(*c, words))
    })
}

/// Where the first clause begins that opens with an order and is what is wanted.
fn ordering(english: &English, sentence: &str, wanted: impl Fn(&[String]) -> bool) -> Option<usize> {
    clauses(sentence).into_iter().find_map(|place| {
        let all = spelt(&sentence[place.clone()]);
        let words = without_filler(english, &all);
        let rules = words.len() >= 3 && english.opens(Class::Ruling, words) && !english.opens(Class::Harmless, words);
        let does = match words {
            [first, second, ..] if matches!(first.as_str(), "never" | "always") => tells_to(second),
            _ => true,
        };
        (rules && does && wanted(words)).then(|| place.start + skipped(&sentence[place], all.len() - words.len()))
    })
}

/// A sentence that tells; a question that only asks for a nod does.
fn told(sentence: &str) -> Option<&str> {
    let Some(asked) = sentence.trim_end().strip_suffix('?') else { return Some(sentence) };
    asked.strip_suffix("right").map(|rest| rest.trim_end_matches([' ', ',']))
}

/// What a message lays down, in its own words: one sentence that can be understood without the conversation. Of a message
/// that lasts also what holds always or never; of others only an order.
pub(super) fn statement(english: &English, message: &Message, lasts: bool) -> Option<String> {
    let whole = |s: &Sentence| {
        let said = told(message.said_in(s))?;
        let from = lays_down(english, said).or_else(|| ordering(english, said, |_| !lasts))?;
        // What stands before an order is another matter if it is an errand or a label; else it holds the subject.
        let (before, behind) = (spelt(&said[..from]), spelt(&said[from..]));
        let errand = without_filler(english, &before).len() <= 1
            || [Class::Errand, Class::Filler, Class::Action].iter().any(|class| english.opens(*class, &before));
        let labelled = said[..from].trim_end().ends_with(':');
        let subject = behind.first().is_some_and(|w| matches!(w.as_str(), "all" | "every"));
        let orders = labelled || errand && (!subject || before.is_empty());
        Some(if orders { &said[from..] } else { &said[skipped(said, fillers(english, said))..] })
    };
    let general = |s: &Sentence| {
        let said = message.said_in(s);
        let holds = lasts && !s.asks && english.within(Class::General, message.words_in(s));
        holds.then(|| &said[skipped(said, fillers(english, said))..])
    };
    let sentences = || message.sentences.iter();
    let found = sentences().find_map(whole).or_else(|| sentences().find_map(general))?;
    let found = found.trim().trim_start_matches(['-', '*', '•']).trim();
    stands_alone(english, found).then(|| found.to_owned())
}

/// Whether a statement is whole, says what it is about, holds longer than this task, and is nobody else's words.
pub(super) fn stands_alone(english: &English, said: &str) -> bool {
    // What follows a dash or stands in brackets explains, like a reason: it may point back.
    let end = [" - ", " — ", " ("].iter().filter_map(|mark| said.find(mark)).min().unwrap_or(said.len());
    let (words, about) = (spelt(said), spelt(&said[..end]));
    let reason = (0..about.len()).find(|at| english.opens(Class::Reason, &about[*at..])).unwrap_or(about.len());
    let about = &about[..reason];
    let quoted = said.contains(['"', '“', '”', '{', '}', '…'])
        || said.contains("](")
        || said.matches('`').count() % 2 == 1
        || said.ends_with(':');
    WHOLE.contains(&words.len())
        && !quoted
        && ![Class::Pointing, Class::ForNow].iter().any(|class| english.within(*class, about))
        && wording::telling(said, TELLING).len() >= TELLING
}

fn fillers(english: &English, said: &str) -> usize {
    let words = spelt(said);
    words.len() - without_filler(english, &words).len()
}

/// The bytes before the word with this number.
fn skipped(text: &str, count: usize) -> usize {
    let mut rest = text;
    for left in (0..=count).rev() {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
        if left > 0 {
            rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-'));
        }
    }
    text.len() - rest.len()
}

fn spelt(text: &str) -> Vec<String> {
    words_of(text).map(super::message::spelt).collect()
}

/// Parts of a sentence, between marks and joining words.
fn clauses(sentence: &str) -> Vec<Range<usize>> {
    const JOINTS: &[&str] = &[",", ":", ";", "—", "–", "(", ")", " - ", " and ", " but "];
    let (mut out, mut from, mut at) = (Vec::new(), 0, 0);
    while at < sentence.len() {
        match JOINTS.iter().find(|joint| sentence[at..].starts_with(**joint)) {
            Some(joint) => {
                out.push(from..at);
                at += joint.len();
                from = at;
            }
            None => at += sentence[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    out.push(from..sentence.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_whole_or_nothing() {
        for (said, expect) in [
            ("Looks fine. Never push to main directly.", "Never push to main directly."),
            ("ok do it, but never use the global install", "never use the global install"),
            ("from now on run the linter first", "from now on run the linter first"),
            ("oh yes, one more: every new file needs a licence header", "every new file needs a licence header"),
            ("Let's not wrap prose files EVER right?", "Let's not wrap prose files EVER"),
            (
                "library errors are never shown to users, only logged",
                "library errors are never shown to users, only logged",
            ),
            (
                "yes and do not squash commits as that loses who wrote them",
                "do not squash commits as that loses who wrote them",
            ),
            // It speaks of something only the conversation knows, or holds for this once.
            ("never do that again please", "-"),
            ("don't open any pr for now", "-"),
            ("I would add all of it there, and never in the artifacts we use, unless it is small", "-"),
            ("don't create a pr, just a commit", "-"),
            ("the command is hidden, so it never executes the default", "-"),
            ("do you never sleep?", "-"),
            ("don't worry about all the warnings", "-"),
            // Somebody else's words.
            ("the ticket says \"never push to main directly\"", "-"),
            ("+ // Always written as one block", "-"),
        ] {
            let found = statement(English::usual(), &Message::new(said), true);
            assert_eq!(found.as_deref().unwrap_or("-"), expect, "{said}");
        }
    }
}
