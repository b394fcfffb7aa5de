//! What a message says beside corrections and rules: a decision with its reason, a warning, how something is done, a request.
//!
//! None of it is kept when it was said once. It counts when it comes up in another session.

use super::clause::without_filler;
use super::message::Message;
use crate::normal::english::{Class, English, words_of};

/// Words of a message that is not a task: a decision with its reason, a warning, a request.
const DECISION: usize = 12; // at least
const WARNING: usize = 250; // at most
const PROCEDURE: usize = 200; // at most
const STEPS: usize = 160; // at most
/// How many different things a workflow asks for.
const ENOUGH: usize = 3;

/// The sentences that settle something and say why.
pub(super) fn decision(english: &English, message: &Message) -> Option<String> {
    let sentences = &message.sentences;
    let last = sentences.len().checked_sub(1)?;
    sentences.iter().enumerate().find_map(|(i, first)| {
        let second = &sentences[(i + 1).min(last)];
        let words = &message.words[first.words.start..second.words.end];
        // A question alone settles nothing.
        let open = first.asks && last == 0;
        let settles = !open && english.within(Class::Stance, words) && english.within(Class::Reason, words);
        (settles && words.len() >= DECISION).then(|| one_line(&message.text[first.place.start..second.place.end]))
    })
}

/// The sentence that warns, and what it is about: that stands in the same sentence or in the one before.
pub(super) fn pitfall(english: &English, message: &Message) -> Option<String> {
    if message.words.len() > WARNING {
        return None;
    }
    let warns = |words: &[String]| words.len() >= 5 && english.within(Class::Warning, words);
    let at = message.sentences.iter().position(|s| !s.asks && warns(message.words_in(s)))?;
    let said = message.said_in(&message.sentences[at]);
    if names_something(said) {
        return Some(one_line(said));
    }
    let before = message.said_in(&message.sentences[at.checked_sub(1)?]);
    names_something(before).then(|| one_line(&format!("{before} {said}")))
}

/// The sentence that tells how something is done: "when X, do Y", "to X, run Y", naming things of the project.
pub(super) fn procedural(english: &English, message: &Message) -> Option<String> {
    if message.words.len() > PROCEDURE {
        return None;
    }
    let tells = |words: &[String], said: &str| {
        let opens = words
            .first()
            .is_some_and(|w| matches!(w.as_str(), "when" | "whenever" | "to" | "before" | "after" | "if" | "once"));
        // The situation ends at a comma, and what follows begins with a thing to do.
        let rest: Vec<String> = said.split_once(", ").map(|(_, rest)| words_of(rest).collect()).unwrap_or_default();
        let does = without_filler(english, &rest).first();
        let acts = |w: &String| w == "use" || english.opens(Class::Action, std::slice::from_ref(w));
        words.len() >= 6 && opens && does.is_some_and(acts) && names_something(said)
    };
    let told = |s: &&super::message::Sentence| !s.asks && tells(message.words_in(s), message.said_in(s));
    message.sentences.iter().find(told).map(|s| one_line(message.said_in(s)))
}

/// What the user asks for, step by step: three or more things to do, in an order.
pub(super) fn workflow(english: &English, message: &Message) -> Option<Vec<String>> {
    let words = &message.words;
    let ordered = words.iter().any(|w| matches!(w.as_str(), "then" | "once" | "after" | "first" | "before"))
        || message.text.contains(',') && words.iter().any(|w| w == "and");
    if words.len() > STEPS || !ordered {
        return None;
    }
    let mut steps: Vec<Vec<String>> = Vec::new();
    for part in parts(&message.text.to_lowercase()) {
        let step = request_in(english, &words_of(part).collect::<Vec<_>>());
        steps.extend(step.filter(|step| steps.iter().all(|known| known[0] != step[0])));
    }
    (steps.len() >= ENOUGH).then(|| steps.iter().map(|words| words.join(" ")).collect())
}

/// The one thing a short message asks for.
pub(super) fn request(english: &English, message: &Message) -> Option<String> {
    const WORDS: std::ops::RangeInclusive<usize> = 3..=20;
    let [sentence] = &message.sentences[..] else { return None };
    let words = message.words_in(sentence);
    let asked = request_in(english, words).filter(|_| WORDS.contains(&words.len()))?;
    let pointing = [Class::Pointing, Class::ForNow].iter().any(|class| english.within(*class, &asked));
    (!pointing && !message.text.contains("http")).then(|| asked.join(" "))
}

/// The words from the thing to do on, if that is what the words begin with.
fn request_in(english: &English, words: &[String]) -> Option<Vec<String>> {
    let polite = |w: &String| {
        matches!(
            w.as_str(),
            "can" | "could" | "you" | "we" | "let's" | "lets" | "to" | "should" | "need" | "want" | "i" | "please"
        ) || english.opens(Class::Filler, std::slice::from_ref(w))
    };
    let from = words.iter().position(|w| !polite(w))?;
    english.opens(Class::Action, &words[from..from + 1]).then(|| words[from..].to_vec())
}

// Between commas, full stops, lines and the words that join.
fn parts(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = text.split(['.', '!', '?', '\n', ',', ';']).collect();
    for joint in [" and then ", " then ", " and ", " once done ", " after that ", " first ", " next "] {
        out = out.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text names something of the project: a path, a flag, a setting, code, a branch.
pub(in crate::detect) fn names_something(text: &str) -> bool {
    let has_setting = || [": false", ": true", "=false", "=true", "=0", "=1"].iter().any(|value| text.contains(value));
    text.contains('`') || text.split_whitespace().any(is_name) || has_setting()
}

fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '.' | '@'));
    let word = word.trim_end_matches('.');
    let letters = || word.chars().filter(|c| c.is_alphabetic()).count();
    let flag = word.starts_with("--") && word.len() > 3 || word.len() == 2 && word.starts_with('-') && letters() == 1;
    let path = word.contains('/') && letters() > 3 && !word.starts_with("http") && !word.ends_with('/');
    let file = word.rsplit_once('.').is_some_and(|(stem, end)| {
        stem.len() > 1 && (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_lowercase())
    });
    let joined = word.contains('_') && letters() > 3;
    let humps = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let branch = matches!(word.to_lowercase().as_str(), "main" | "master" | "branch" | "develop");
    flag || path || file || joined || humps || branch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T>(found: fn(&English, &Message) -> Option<T>, cases: &[(&str, bool)]) {
        for (said, expect) in cases {
            assert_eq!(found(English::usual(), &Message::new(said)).is_some(), *expect, "{said}");
        }
    }

    #[test]
    fn a_decision_has_a_reason() {
        check(
            decision,
            &[
                ("I think we should keep the cache on disk, since the workers restart every night.", true),
                ("Let's use one queue for all jobs. That way the order is kept and nothing is done twice.", true),
                ("I think we should keep the cache on disk and also clean it every single night", false),
                ("It fails because the cache is on disk and the worker restarts every night", false),
                ("should we keep the cache on disk since the workers restart every single night?", false),
                ("lets commit", false),
            ],
        );
    }

    #[test]
    fn a_pitfall_names_what_it_is_about() {
        check(
            pitfall,
            &[
                ("branching from main for this won't work, use the release branch", true),
                ("the import only works with --legacy-ids", true),
                ("Set cache: false in dev. This will surface problems early to prevent surprises later.", true),
                ("that won't work for me today", false),
                ("will it break with --legacy-ids or would it fail?", false),
                ("please look at src/main.rs and tell me what you think", false),
            ],
        );
    }

    #[test]
    fn a_situation_and_what_to_do_in_it() {
        check(
            procedural,
            &[
                ("When the schema changes, run scripts/gen.sh before anything else.", true),
                ("To get a token, use `make token`.", true),
                ("When it rains, take an umbrella with you.", false),
                ("When the schema changes the file src/gen.rs is stale", false),
                ("to be honest, use whatever you like today", false),
            ],
        );
    }

    #[test]
    fn three_steps_in_order() {
        for (said, expect) in [
            ("commit, push and open a pr", "commit | push | open a pr"),
            ("please bump the version, tag it, then publish", "bump the version | tag it | publish"),
            ("commit and push", "-"),
            ("the build, the test and the push all fail", "-"),
            ("commit this and commit that, then commit all", "-"),
        ] {
            let steps = workflow(English::usual(), &Message::new(said)).map(|s| s.join(" | "));
            assert_eq!(steps.as_deref().unwrap_or("-"), expect, "{said}");
        }
    }

    #[test]
    fn a_request_asks_for_one_thing() {
        for (said, expect) in [
            ("please open a draft PR", "open a draft pr"),
            ("can you update the demo and the docs?", "update the demo and the docs"),
            ("fix this", "-"),
            ("the build is red", "-"),
            ("fix it please now", "-"),
        ] {
            let asked = request(English::usual(), &Message::new(said));
            assert_eq!(asked.as_deref().unwrap_or("-"), expect, "{said}");
        }
    }
}
