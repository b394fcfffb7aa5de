//! A decision: what the user settles, with the reason, in one sentence or two.

use std::sync::LazyLock;

use super::message::Message;
use crate::detect::phrases::{WordPhrases, has};

/// Shorter messages cannot hold both a decision and its reason.
const SHORTEST: usize = 12;

/// The sentences that settle something and say why.
pub(super) fn decision(message: &Message) -> Option<String> {
    if message.words.len() < SHORTEST {
        return None;
    }
    let sentences = &message.sentences;
    let last = sentences.len().checked_sub(1)?;
    for (i, first) in sentences.iter().enumerate() {
        let second = &sentences[(i + 1).min(last)];
        let words = &message.words[first.words.start..second.words.end];
        let settles = STANCES.within(message.words_in(first)) || STANCES.within(message.words_in(second)) && i < last;
        // A question alone settles nothing, and a request to hand something over is an errand.
        let open = first.asks && last == 0 || has(words, "i also need you to") || has(words, "need you to");
        if settles && !open && words.len() >= SHORTEST && REASONS.within(words) {
            let place = first.place.start..second.place.end;
            return Some(message.text[place].split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    None
}

static STANCES: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[STANCE_LIST]));
static REASONS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[REASON_LIST]));

#[rustfmt::skip]
const STANCE_LIST: &[&str] = &[
    "i think", "i feel", "i honestly feel", "feel like", "feel that", "i believe", "makes sense", "make sense to",
    "we should", "let's", "lets", "i would prefer", "i'd prefer", "i would rather", "i'd rather", "i don't like",
    "seems like", "would be better", "would be nicer", "way nicer", "better to", "better not to", "be easier to",
    "worthwhile", "thoughts on", "alternative is", "option is", "might not need", "make the", "should be followed",
    "the same strategy",
];
#[rustfmt::skip]
const REASON_LIST: &[&str] = &[
    "because", "since", "so that", "that way", "so we", "so i can", "so it", "to ensure", "to prevent", "to avoid",
    "to shorten", "in order to", "which means", "otherwise", "given the", "given that", "due to", "rather than",
    "instead of", "without having to", "the reason", "does it matter",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_has_a_reason() {
        for (said, expect) in [
            ("I think we should keep the cache on disk, since the workers restart every night.", true),
            ("Let's use one queue for all jobs. That way the order is kept and nothing is done twice.", true),
            ("I think we should keep the cache on disk and also clean it every single night", false),
            ("It fails because the cache is on disk and the worker restarts every night", false),
            ("should we keep the cache on disk since the workers restart every single night?", false),
            ("lets commit", false),
        ] {
            assert_eq!(decision(&Message::new(said)).is_some(), expect, "{said}");
        }
    }
}
