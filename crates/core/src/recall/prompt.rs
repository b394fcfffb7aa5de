//! A prompt → the lessons that have to do with it.
//!
//! Comes in: what was typed, and lessons. Goes out: the words to look lessons up by, and whether one fits. A lesson fits by
//! several of its own words, or by a name that stands in it as code. Silence beats noise: one common word is nothing.

use std::collections::BTreeMap;

use crate::detect::{Kind, REQUESTS};
use crate::learn::{Lesson, staging};

/// Most words of a prompt that are looked up.
const MOST: usize = 60;
/// Longest part of a prompt that is looked at, in bytes: what comes after it is pasted.
pub(super) const LOOKED_AT: usize = 1_500;
/// A name that can only be code counts as much as this many plain words.
const CODE: usize = 2;
/// What must be shared at least.
const LEAST: usize = 2;
/// A prompt of more words shares some with anything: then more must be shared.
const LONG: usize = 25;

/// Under which the words of a lesson are kept, beside the programs whose errors are.
pub const PROMPT: &str = "(prompt)";

/// Raised when a lesson is found by something else than before: then all of that is made again.
pub const WORDS: u32 = 5;

/// Words by their stems.
pub type Words = BTreeMap<String, Word>;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What it counts.
    counts: usize,
    /// As it stood there first.
    shown: String,
}

/// Detectors whose lessons tell nothing on what to do: how often a command was run, and how long something took to work once.
const UNTOLD: &[&str] = &["repeated-action", "excessive-retries", "time-out", "context-confusion"];

/// Ends what an agent did before the user's own words, in the statement of a correction.
const SAID: &str = " the user said: ";

/// The words by which a lesson is found at a prompt; none if it is not told there: what failed is told at the failure, and
/// facts at the start.
pub fn words_of(lesson: &Lesson) -> Words {
    let told = matches!(
        lesson.kind,
        Kind::Instruction | Kind::Correction | Kind::Decision | Kind::Pitfall | Kind::Procedure | Kind::Workflow
    );
    if !told || lesson.payload.trigger.is_some() || says_nothing(lesson) { Words::new() } else { words(said(lesson)) }
}

/// Whether a lesson does not say what to do: then no session is told it before something happened.
pub(super) fn says_nothing(lesson: &Lesson) -> bool {
    let detector = lesson.origin.detector.as_str();
    let said = said(lesson);
    // A question of then answers none of now.
    let asks = said.trim_end_matches(|c: char| "”\"'. ".contains(c)).ends_with('?');
    // A request that nothing was run for each time.
    let empty = detector == REQUESTS && lesson.payload.commands.is_empty();
    let elsewhere = staging::is_candidate(detector) || UNTOLD.contains(&detector);
    elsewhere || empty || asks || said.split_whitespace().nth(1).is_none()
}

/// The user's own words of a correction, or all of another statement.
fn said(lesson: &Lesson) -> &str {
    let statement = &lesson.payload.statement;
    statement.rsplit_once(SAID).map_or(statement.as_str(), |(_, said)| said)
}

/// The words of a prompt.
pub fn words_in(prompt: &str) -> Words {
    let mut words = words(&prompt[..prompt.floor_char_boundary(LOOKED_AT)]);
    while words.len() > MOST {
        words.pop_last();
    }
    words
}

/// Whether a lesson has to do with a prompt: the words they share, or none if they are too few.
pub fn shared<'l>(prompt: &Words, lesson: &'l Words) -> Option<Vec<&'l str>> {
    let shared = lesson.iter().filter(|(stem, _)| prompt.contains_key(*stem)).map(|(_, word)| word);
    let points: usize = shared.clone().map(|word| word.counts).sum();
    let all: usize = lesson.values().map(|word| word.counts).sum();
    // Of a short statement nearly half; a long one says more than a prompt asks for.
    let enough = if prompt.len() > LONG {
        points > LEAST && points * 2 >= all
    } else {
        points >= LEAST && points * 5 >= all * 2 || points >= 2 * LEAST && points * 4 >= all
    };
    enough.then(|| shared.map(|word| word.shown.as_str()).collect())
}

fn words(text: &str) -> Words {
    let mut words = Words::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && !"-_./".contains(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        // "build" between code marks is a word as any other.
        let is_code = word.contains(['-', '_', '.', '/']) || word.contains(|c: char| c.is_ascii_digit());
        let stem = if is_code { word.clone() } else { stem(&word).to_owned() };
        if word.len() < 3 || [&word, &stem].iter().any(|w| COMMON.contains(&w.as_str())) {
            continue;
        }
        let counts = if is_code { CODE } else { 1 };
        let known = words.entry(stem).or_insert(Word { counts, shown: word });
        known.counts = known.counts.max(counts);
    }
    words
}

/// The word without its commonest endings: tests, testing and tested are one, and so are invoice and invoices.
pub(super) fn stem(word: &str) -> &str {
    fn cut<'w>(word: &'w str, ends: &[&str]) -> &'w str {
        let long = |stem: &&str| stem.len() > 3;
        ends.iter().find_map(|end| word.strip_suffix(end).filter(long)).unwrap_or(word)
    }
    let one = if word.ends_with("ss") { word } else { cut(word, &["s"]) };
    cut(one, &["ing", "ed", "e"])
}

/// Words that say nothing of what a prompt is about: those of any text, then those of any work on code, by their stems.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "after", "again", "all", "also", "always", "and", "any", "are", "ask", "because", "been", "before",
    "being", "but", "can", "code", "could", "did", "does", "don", "done", "each", "every", "file", "files", "first",
    "for", "from", "get", "give", "had", "has", "have", "here", "how", "instead", "into", "its", "just", "let",
    "like", "look", "make", "may", "more", "must", "need", "never", "new", "not", "now", "off", "one", "only",
    "other", "our", "out", "please", "project", "rather", "repo", "run", "should", "some", "sure", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "thing", "this", "those", "use", "used", "user",
    "using", "very", "want", "was", "way", "were", "what", "when", "where", "which", "while", "who", "why", "will",
    "with", "without", "work", "would", "you", "your",
    "add", "branch", "bug", "build", "chang", "change", "check", "command", "commit", "context", "creat", "create",
    "current", "error", "fail", "featur", "feature", "fix", "function", "implement", "issu", "issue", "lin", "line",
    "list", "merg", "merge", "messag", "message", "mov", "move", "open", "plan", "pull", "push", "read", "remov",
    "remove", "request", "review", "set", "show", "start", "step", "still", "task", "test", "try", "updat", "update",
    "writ", "write", "wrong",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_fits_by_several_words_or_by_a_name() {
        for (prompt, statement, fits) in [
            ("install the packages please", "Use `pnpm` to install packages, not `npm`", true),
            ("build it and run the tests", "These belong together: `bun run build`, then `bun run test`", false),
            ("push the branch and open a pr", "Never push to the release branch", false),
            ("install the packages with pnpm", "Use `pnpm` to install packages, not `npm`", true),
            ("Add a migration for the orders table", "A migration needs a down script, too", false),
            ("Write the migration script", "A migration needs a down script, too", true),
            ("Add a test", "Tests live in `tests/unit`", false),
            ("move it to tests/unit", "Tests live in `tests/unit`", true),
            ("How is an invoice rounded?", "Invoices are rounded to cents, never to euros", true),
            ("How are you?", "Always answer in English", false),
            ("", "Always answer in English", false),
        ] {
            assert_eq!(shared(&words_in(prompt), &words(statement)).is_some(), fits, "{prompt} / {statement}");
        }
    }

    #[test]
    fn a_long_prompt_must_share_more() {
        let plan = (0..40).map(|n| format!("topic{n} ")).collect::<String>();
        for (prompt, fits) in [("Write the migration script", true), (&format!("the migration script {plan}"), false)] {
            let lesson = words("A migration needs a down script, too");
            assert_eq!(shared(&words_in(prompt), &lesson).is_some(), fits, "{prompt}");
        }
    }

    #[test]
    fn what_is_told_elsewhere_has_no_words() {
        let mut lesson = crate::learn::by_hand("p", "Invoices are rounded to cents", 1);
        assert!(!words_of(&lesson).is_empty());
        for detector in ["repeated-action", "discovery", REQUESTS] {
            lesson.origin.detector = detector.to_owned();
            assert!(words_of(&lesson).is_empty(), "{detector}");
        }
        lesson.origin.detector = "user-correction".to_owned();
        lesson.payload.statement = "After “on the harbour branch” the user said: “invoices go to cents”".to_owned();
        assert_eq!(words_of(&lesson).keys().collect::<Vec<_>>(), ["cent", "invoic"]);
        lesson.payload.statement = "The user asked to keep this: “Can you note the invoices?”".to_owned();
        assert!(words_of(&lesson).is_empty(), "a question");
    }

    #[test]
    fn a_pasted_log_is_looked_at_in_part() {
        let long = (0..100_000).map(|n| format!("word{n} ")).collect::<String>();
        assert_eq!(words_in(&long).len(), MOST);
    }
}
