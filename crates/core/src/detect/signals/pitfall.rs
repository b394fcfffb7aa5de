//! A pitfall in the user's words: what goes wrong, and with which file, flag, branch or setting.

use std::sync::LazyLock;

use super::message::Message;
use crate::detect::phrases::WordPhrases;

/// The sentence that warns.
pub(super) fn pitfall(message: &Message) -> Option<String> {
    if message.words.len() > 250 {
        return None;
    }
    let warned = message.sentences.iter().enumerate().filter(|(_, s)| !s.asks).find(|(_, s)| {
        let words = message.words_in(s);
        words.len() >= 5 && WARNINGS.within(words)
    });
    let (at, sentence) = warned?;
    // What it is about stands in the same sentence or in the one before.
    let before = at.checked_sub(1).map(|before| message.said_in(&message.sentences[before]));
    let said = message.said_in(sentence);
    let said = if names_something(said) {
        said.to_owned()
    } else {
        format!("{} {said}", before.filter(|before| names_something(before))?)
    };
    Some(said.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a text names something of the project: a path, a flag, a setting, code, a branch.
pub(crate) fn names_something(text: &str) -> bool {
    text.contains('`') || text.split_whitespace().any(is_name) || has_setting(text)
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

// `synchronize: false`
fn has_setting(text: &str) -> bool {
    [": false", ": true", "=false", "=true", "=0", "=1"].iter().any(|value| text.contains(value))
}

static WARNINGS: LazyLock<WordPhrases> = LazyLock::new(|| WordPhrases::of(&[WARNING_LIST]));

#[rustfmt::skip]
const WARNING_LIST: &[&str] = &[
    "won't work", "wont work", "will not work", "doesn't work with", "don't forget", "dont forget", "do not forget",
    "watch out", "be aware", "beware", "careful", "will break", "would break", "breaks when", "breaks if", "will fail",
    "would fail", "fails when", "fails if", "gotcha", "only works", "not the current", "to prevent", "can't use",
    "cannot use", "otherwise it",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pitfall_names_what_it_is_about() {
        for (said, expect) in [
            ("branching from main for this won't work, use the release branch", true),
            ("the import only works with --legacy-ids", true),
            ("Set cache: false in dev. This will surface problems early to prevent surprises later.", true),
            ("that won't work for me today", false),
            ("will it break with --legacy-ids or would it fail?", false),
            ("please look at src/main.rs and tell me what you think", false),
        ] {
            assert_eq!(pitfall(&Message::new(said)).is_some(), expect, "{said}");
        }
    }
}
