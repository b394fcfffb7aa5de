//! What a text wants and what it does not want: whether a statement says the same way round as its quotes.
//!
//! Comes in: a statement and the quotes that are to prove it. Goes out: whether the statement forbids, always wants or turns
//! round something that no quote does. A word list, no grammar: where it is not certain, both ways round are allowed.

use std::collections::BTreeSet;

use super::words::{says_something, stem};
use crate::detect::signals::words_of;

/// The words of a text by what is said of them.
#[derive(Debug, Default)]
struct Sides {
    /// What should be.
    wanted: BTreeSet<String>,
    /// What should not.
    unwanted: BTreeSet<String>,
    /// Whether anything is forbidden, or said not to be.
    negates: bool,
    /// Whether it holds without exception, and whether it never does.
    always: bool,
    never: bool,
}

/// Whether a statement is the other way round than its quotes, or firmer than they are.
pub(super) fn differs(statement: &str, quotes: &[&str]) -> bool {
    let said = Sides::of(statement);
    let mut proof = Sides::default();
    quotes.iter().for_each(|quote| proof.take(quote));
    let firmer = said.negates && !proof.negates || said.always && !proof.always || said.never && !proof.never;
    let only =
        |word: &String, one: &BTreeSet<String>, other: &BTreeSet<String>| one.contains(word) && !other.contains(word);
    let turned = said.unwanted.iter().any(|w| !said.wanted.contains(w) && only(w, &proof.wanted, &proof.unwanted))
        || said.wanted.iter().any(|w| !said.unwanted.contains(w) && only(w, &proof.unwanted, &proof.wanted));
    firmer || turned
}

/// Whether two statements forbid and want the same way round, as far as they speak of the same things.
pub(super) fn is_same_way_round(one: &str, other: &str) -> bool {
    let (one, other) = (Sides::of(one), Sides::of(other));
    let clash = |a: &Sides, b: &Sides| {
        a.wanted.iter().any(|w| !a.unwanted.contains(w) && b.unwanted.contains(w) && !b.wanted.contains(w))
    };
    !clash(&one, &other) && !clash(&other, &one)
}

impl Sides {
    fn of(text: &str) -> Self {
        let mut sides = Self::default();
        sides.take(text);
        sides
    }

    fn take(&mut self, text: &str) {
        let mut from = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| CLAUSE_ENDS.contains(c)).chain([(text.len(), ' ')]) {
            let inside = |n: usize| text[n..].chars().next().is_some_and(|c| !c.is_whitespace());
            // A dot or colon inside a word ends nothing.
            if at < text.len()
                && at + c.len_utf8() < text.len()
                && inside(at + c.len_utf8())
                && !matches!(c, '\n' | '(' | '—')
            {
                continue;
            }
            self.take_clause(&text[from..at], c == '?');
            from = (at + c.len_utf8()).min(text.len());
        }
    }

    fn take_clause(&mut self, clause: &str, asks: bool) {
        let words: Vec<String> = words_of(clause).collect();
        let mut from = 0;
        for (at, word) in words.iter().enumerate() {
            if at > from && (JOINTS.contains(&word.as_str()) || is_contrast(&words, at)) {
                self.take_part(&words[from..at], asks);
                from = at;
            }
        }
        self.take_part(&words[from..], asks);
    }

    /// Takes a part of a clause that is about one thing.
    fn take_part(&mut self, words: &[String], asks: bool) {
        let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
        self.always |= has(ALWAYS);
        self.never |= has(NEVER);
        let negator = words.iter().position(|w| is_negation(w)).or_else(|| is_contrast(words, 0).then_some(0));
        self.negates |= negator.is_some();
        let stems = |words: &[String]| -> Vec<String> {
            let parts = words.iter().flat_map(|w| w.split('-')).filter(|w| is_about(w));
            parts.map(stem).collect()
        };
        let Some(at) = negator else {
            self.wanted.extend(stems(words));
            return;
        };
        // "why aren't we …?" and "you didn't …" want what is not there; what they mean is for others to judge.
        let behind = |list: &[&str]| at > 0 && list.contains(&words[at - 1].as_str());
        let complains = COMPLAINTS.contains(&words[at].as_str())
            || words[at] == "not" && behind(STATES)
            || matches!(words[at].as_str(), "cannot" | "can't") && behind(THINGS);
        if asks || complains {
            self.wanted.extend(stems(words));
            self.unwanted.extend(stems(words));
            return;
        }
        let all = at > 0 && AUXILIARIES.contains(&words[at - 1].as_str()) || words[at].ends_with("n't");
        let (before, behind) = words.split_at(if all { 0 } else { at });
        self.wanted.extend(stems(before));
        self.unwanted.extend(stems(behind));
    }
}

/// Whether a word says what a text is about, not how firmly it is put.
pub(super) fn is_subject(word: &str) -> bool {
    !is_negation(word) && !ALWAYS.contains(&word) && !NEVER.contains(&word)
}

/// Whether a word is about something in particular.
fn is_about(word: &str) -> bool {
    says_something(word) && !is_negation(word) && !GENERAL.contains(&word) && !ALWAYS.contains(&word)
}

fn is_contrast(words: &[String], at: usize) -> bool {
    let next = words.get(at + 1).map(String::as_str);
    matches!((words.get(at).map(String::as_str), next), (Some("instead"), Some("of")) | (Some("rather"), Some("than")))
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

const CLAUSE_ENDS: &[char] = &['.', ',', ';', ':', '!', '?', '\n', '(', ')', '—', '–'];

/// Begin a part that may be the other way round.
const JOINTS: &[&str] = &["but", "and", "then", "so", "because", "since", "just", "unless", "except", "only"];

#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nothing", "without", "cannot", "cant", "dont", "doesnt", "didnt", "shouldnt", "mustnt", "wont",
    "isnt", "arent", "neither", "nor", "avoid", "avoids", "avoiding", "stop", "refrain", "forbid", "forbidden", "prohibit",
    "disallow", "nope", "unwanted",
];

/// Say that something was missing, which is no wish that it be.
#[rustfmt::skip]
const COMPLAINTS: &[&str] = &[
    "didn't", "didnt", "haven't", "hasn't", "hadn't", "wasn't", "weren't", "isn't", "isnt", "aren't", "arent", "doesn't", "doesnt",
    "wouldn't", "couldn't",
];
const STATES: &[&str] = &["did", "have", "has", "had", "was", "were", "is", "are", "does", "still", "why", "if", "or"];
/// What these cannot do is how things are, and nobody's order.
const THINGS: &[&str] = &["it", "which", "that", "they"];
const AUXILIARIES: &[&str] = &["should", "must", "can", "could", "may", "might", "will", "would", "shall", "be", "do"];

const ALWAYS: &[&str] =
    &["always", "every", "each", "all", "any", "whenever", "everything", "everywhere", "everytime", "only"];
const NEVER: &[&str] = &["never", "ever", "no"];

/// Words that stand beside anything, wanted or not.
const GENERAL: &[&str] = &[
    "use", "using", "used", "run", "running", "keep", "add", "write", "put", "call", "take", "set", "instead",
    "rather", "of",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_as_its_quotes_are_or_it_differs() {
        for (statement, quote, expected) in [
            ("Use pnpm, not npm", "use pnpm, not npm", false),
            ("Use pnpm instead of npm", "please use pnpm and not npm here", false),
            ("Do not use pnpm", "use pnpm, not npm", true),
            ("Use npm", "use pnpm, not npm", true),
            ("Use pnpm", "use pnpm, not npm", false),
            ("Use npm instead of pnpm", "use pnpm instead of npm", true),
            ("Hard-wrap lines in markdown files", "don't hard wrap lines in markdown files", true),
            ("Do not hard-wrap lines in markdown files", "don't hard wrap lines in markdown files", false),
            ("Never hard-wrap lines in markdown files", "don't hard wrap lines in markdown files", true),
            ("Always run the linter before a commit", "run the linter before a commit", true),
            ("Run the linter before every commit", "run the linter before each commit", false),
            ("Do not push to main", "push to main when the tests pass", true),
            ("Write table-driven tests", "why aren't we using table-driven tests here?", false),
            ("Update the changelog", "you didn't update the changelog", false),
            ("Do not use tabs", "tabs should never be used", false),
            ("Use tabs", "tabs should never be used", true),
            ("Run the tests without the cache", "run the tests with the cache", true),
            ("Only commit when asked", "commit when I ask", true),
            ("Push to main", "never push to main, always use a branch", true),
            ("Use a branch", "never push to main, always use a branch", false),
        ] {
            assert_eq!(differs(statement, &[quote]), expected, "{statement} | {quote}");
        }
    }

    #[test]
    fn two_statements_clash_where_one_wants_what_the_other_forbids() {
        for (one, other, same) in [
            ("Push to main", "Never push to main", false),
            ("Use pnpm, not npm", "Use pnpm instead of npm", true),
            ("Use pnpm", "Use pnpm instead of npm", true),
            ("Do not hard-wrap markdown", "Avoid hard-wrapping markdown", true),
            ("Do not hard-wrap markdown", "Hard-wrap markdown", false),
            ("Write table-driven tests", "Prefer table-driven tests for several cases", true),
            ("Patch a file once it finds the lines", "Read a file if it cannot find the lines", true),
            ("Push to main", "You cannot push to main", false),
        ] {
            assert_eq!(is_same_way_round(one, other), same, "{one} | {other}");
            assert_eq!(is_same_way_round(other, one), same, "{other} | {one}");
        }
    }
}
