//! Does a message put the agent right?
//!
//! Few corrections say "no". Most name a fact, a symptom or a wish that contradicts what the agent just did or said. So
//! signs add up: how the message opens, what it says, what the agent had claimed before, whether it gave in afterwards.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::message::Message;
use crate::detect::phrases::WordPhrases;

/// What was said around a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// The agent had just said that something is done.
    pub claimed: bool,
    /// The agent's next words give in: "you're right".
    pub conceded: bool,
}

/// How much speaks for a correction, in half points.
pub(super) fn points(message: &Message, around: Around) -> u32 {
    let all = &message.words[..message.words.len().min(260)];
    if all.is_empty() || HARMLESS.open(all).is_some() {
        return 0;
    }
    let fillers = all.iter().take(3.min(all.len() - 1)).take_while(|w| is_filler(w)).count();
    let rest = &all[fillers..];
    let mut points = 2 * u32::from(hums(&all[0]));
    if OPENINGS.open(rest).is_some() && HARMLESS.open(rest).is_none() {
        points += 6;
    }
    // "looks good but …": only what follows counts.
    let errand = ERRANDS.open(all).is_some() || ERRANDS.open(rest).is_some();
    let head = match all.iter().position(|w| w == "but") {
        _ if !errand => rest,
        Some(but) => {
            points += 4 * u32::from(OPENINGS.open(&all[but + 1..]).is_some());
            &all[but + 1..]
        }
        None => &[],
    };
    if all.len() <= 90 && says_wrong(head) {
        points += 4;
    }
    if all.len() <= 60 && DOUBTS.within(&head[..head.len().min(40)]) {
        points += 2;
    }
    if around.claimed && all.len() <= 80 {
        points += after_claim(message, head, all.len());
    }
    points += 2 * u32::from(contrasts(&message.text));
    points += 3 * u32::from(around.conceded);
    // Long messages are tasks; among many words any phrase may occur.
    points.saturating_sub(if all.len() > 120 { 2 } else { 0 })
}

/// Does an agent's answer give in?
pub(super) fn concedes(answer: &str) -> bool {
    let start = &answer[..answer.floor_char_boundary(160)];
    let words: Vec<String> = super::message::words_of(start).take(14).collect();
    CONCESSIONS.within(&words)
}

/// Does an agent say that something is done?
pub(super) fn claims(said: &str) -> bool {
    let end = &said[said.ceil_char_boundary(said.len().saturating_sub(1_500))..];
    let Some(claims) = &*CLAIMED else { return false };
    let alone = |from: usize, to: usize| {
        let before = end[..from].chars().next_back();
        !before.is_some_and(char::is_alphanumeric) && !end[to..].starts_with(char::is_alphanumeric)
    };
    claims.find_overlapping_iter(end).any(|found| alone(found.start(), found.end()))
}

fn is_filler(word: &str) -> bool {
    hums(word)
        || matches!(
            word,
            "ok" | "okay"
                | "so"
                | "well"
                | "uh"
                | "ah"
                | "oh"
                | "and"
                | "now"
                | "alright"
                | "actually"
                | "yeah"
                | "also"
                | "then"
                | "right"
        )
}

// `hmm`, `hmmmm`, `uum`.
fn hums(word: &str) -> bool {
    word.len() >= 2 && word.ends_with('m') && word.bytes().all(|b| matches!(b, b'h' | b'm' | b'u'))
}

fn says_wrong(words: &[String]) -> bool {
    // "how am I meant to" asks.
    (0..words.len())
        .any(|at| WRONG.open(&words[at..]).is_some_and(|p| p != "i meant" || at == 0 || words[at - 1] != "am"))
}

// A symptom, a wish for more or less of it, how it should be instead.
fn after_claim(message: &Message, head: &[String], length: usize) -> u32 {
    let mut points = 0;
    if SYMPTOMS.within(head) {
        points += if length <= 30 { 3 } else { 2 };
    }
    let makes = message.sentences.iter().any(|s| message.words_in(s).iter().take(4).any(|w| w == "make" || w == "be"));
    if makes && MEASURES.within(head) {
        points += 4;
    }
    let should = message.sentences.iter().filter(|s| !s.asks).any(|s| {
        let words = message.words_in(s);
        let at = words.iter().position(|w| w == "should").unwrap_or(0);
        at > 0 && !DIRECTED.contains(&words[at - 1].as_str()) && !ASKING.contains(&words[0].as_str())
    });
    points + 3 * u32::from(should)
}

/// "we should" proposes.
const DIRECTED: &[&str] = &["we", "i", "you", "what", "how", "which", "where"];
const ASKING: &[&str] =
    &["what", "how", "which", "can", "could", "please", "add", "create", "update", "mention", "something"];

// "…, not Y".
fn contrasts(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(300)];
    head.match_indices(", not").any(|(at, found)| !head[at + found.len()..].starts_with(char::is_alphanumeric))
}

static HARMLESS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[HARMLESS_LIST]));
static OPENINGS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[OPENINGS_LIST]));
static WRONG: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[WRONG_LIST]));
static DOUBTS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[DOUBTS_LIST]));
static SYMPTOMS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[SYMPTOMS_LIST]));
static MEASURES: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[MEASURES_LIST]));
static ERRANDS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[ERRANDS_LIST]));
static CONCESSIONS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[CONCESSIONS_LIST]));

#[rustfmt::skip]
const HARMLESS_LIST: &[&str] = &[
    "no problem", "no worries", "no need", "no rush", "no thanks", "no idea", "no more", "no changes", "no issues",
    "no questions", "no comment", "no matter", "wait for", "wait until", "wait till", "actually great", "not sure",
    "not yet", "stop here", "stop the", "don't worry", "dont worry", "never mind", "nevermind", "but first", "but before",
    "hold on to", "still need to", "still to do",
];
#[rustfmt::skip]
const OPENINGS_LIST: &[&str] = &[
    "no", "nope", "nah", "wait", "don't", "dont", "do not", "never", "that's not", "thats not", "that is not",
    "that isn't", "this is not", "this isn't", "not that", "not what", "not like that", "wrong", "incorrect", "i meant",
    "i mean", "i said", "you misunderstood", "stop", "why did you", "why are you", "why do you", "why would you",
    "why is it still", "it still", "it's still", "its still", "still", "you still", "you forgot", "you missed",
    "you didn't", "you did not", "you should have", "you shouldn't", "i don't want", "i dont want", "i do not want",
    "i didn't ask", "i don't like", "i don't see", "i dont see", "i can't see", "i don't think", "i was talking",
    "i'm talking", "im talking", "i am talking", "i'm referring", "im referring", "i was referring", "i thought",
    "isn't that", "isn't it", "isn't this", "aren't we", "shouldn't", "wouldn't it", "wouldn't that", "revert", "undo",
    "but you", "but i", "but it", "but that", "but the", "but this", "but why", "that doesn't", "that didn't",
    "that won't", "it doesn't", "it didn't", "it only", "it does not", "this doesn't", "doesn't work", "not working",
    "that's wrong", "this is wrong", "hold up", "hold on", "before you", "nothing happens", "i asked", "i told you",
    "as i said", "that has already", "that's already", "i reverted", "i've reverted", "i have reverted", "i undid",
];
#[rustfmt::skip]
const WRONG_LIST: &[&str] = &[
    "talking about", "i meant", "that's wrong", "is wrong", "are wrong", "not what i", "you're wrong", "should not be",
    "shouldn't be", "should have been", "you forgot", "you missed", "you broke", "you removed", "you deleted",
    "you misunderstood", "still failing", "still fails", "still fail", "still broken", "still not", "still doesn't",
    "still see", "still seeing", "still getting", "still shows", "still showing", "still the same", "still there",
    "didn't work", "did not work", "doesn't work", "does not work", "don't work", "isn't working", "aren't working",
    "won't work", "will not work", "not working", "does nothing", "that's not", "thats not", "isn't what", "isn't right",
    "is not right", "not correct", "isn't correct", "is incorrect", "you should have", "why did you", "there's no need",
    "you don't need to", "you do not need to", "yourself", "you run it", "stop doing", "not the right", "the wrong",
    "wasn't supposed", "not supposed to", "go back to the", "roll back", "looks like you", "seems like you",
    "no longer works", "not good enough", "isn't good enough", "makes no sense", "make no sense", "doesn't make sense",
    "does not make sense", "not make sense", "not make a lot of sense", "doesn't make a lot of sense", "don't like",
    "do not like", "not appropriate", "i was expecting", "i expected", "not as expected", "misunderstanding",
    "i don't want", "i do not want", "i'd rather", "i would rather", "way too", "not just", "wasn't asking",
    "was not asking", "i asked for", "i asked you", "as i said", "like i said", "i told you", "check again", "look again",
    "might not need", "may not need", "is not needed", "isn't needed", "has already been", "have already been",
];
#[rustfmt::skip]
const DOUBTS_LIST: &[&str] = &[
    "isn't that", "isn't it", "isn't this", "aren't those", "shouldn't it", "shouldn't we", "shouldn't that",
    "shouldn't this", "wouldn't it", "wouldn't that", "couldn't we", "why not", "do we really", "do we need", "necessary",
    "i thought", "work better", "be better", "better as", "instead of", "rather than", "why is it", "why does it",
    "why would", "does it matter", "too much", "too many", "too long", "too verbose",
];
#[rustfmt::skip]
const SYMPTOMS_LIST: &[&str] = &[
    "i don't see", "i dont see", "i can't see", "i do not see", "i get", "i'm getting", "i am getting", "im getting",
    "it shows", "it fails", "failing", "fails", "failed", "still", "no longer", "is not", "isn't", "aren't", "can't",
    "cannot", "doesn't", "didn't", "not being", "not updated", "not saved", "nothing happens", "missing", "only shows",
    "it only", "not visible", "error", "errors", "warning", "warnings", "broken", "hard to", "gaps", "crash", "crashes",
    "crashed", "stuck", "disappears", "disappeared", "something wrong", "weird",
];
#[rustfmt::skip]
const MEASURES_LIST: &[&str] = &[
    "bigger", "smaller", "larger", "wider", "narrower", "tighter", "clearer", "shorter", "simpler", "cleaner", "darker",
    "lighter", "taller", "longer", "higher", "lower", "thinner", "thicker", "faster", "closer", "less", "fewer",
    "more concise", "more subtle", "more visible",
];
#[rustfmt::skip]
const ERRANDS_LIST: &[&str] = &[
    "commit", "push", "ship", "merge", "please commit", "yes", "yeah", "yep", "great", "perfect", "thanks", "thank",
    "lgtm", "continue", "go ahead", "proceed", "good", "looks good", "sounds good", "nice", "exactly", "correct", "agreed",
    "done",
];
#[rustfmt::skip]
const CONCESSIONS_LIST: &[&str] = &[
    "you're right", "you are right", "absolutely right", "you're correct", "good point", "good call", "fair",
    "my mistake", "my bad", "sorry", "apologies", "i apologize", "oops", "i misunderstood", "i should have",
    "i shouldn't have",
];
static CLAIMED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(CLAIMS).ok());

#[rustfmt::skip]
const CLAIMS: &[&str] = &[
    "done", "fixed", "complete", "completed", "added", "updated", "implemented", "working", "work", "pass", "passes",
    "ready", "committed", "pushed", "created", "changed", "removed", "renamed", "moved", "now",
];
