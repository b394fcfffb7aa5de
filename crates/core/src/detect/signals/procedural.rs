//! How something is done here, in the user's words: "when X, do Y", "to X, run Y", naming things of the project.

use super::message::Message;
use super::pitfall::names_something;

/// The sentence that tells how.
pub(super) fn procedural(message: &Message) -> Option<String> {
    if message.words.len() > 200 {
        return None;
    }
    let sentence = message.sentences.iter().filter(|s| !s.asks).find(|s| {
        let words = message.words_in(s);
        let said = message.said_in(s);
        let opens = words.first().is_some_and(|w| OPENINGS.contains(&w.as_str()));
        // The situation ends at a comma, and what follows begins with a thing to do.
        let action = said.split_once(", ").and_then(|(_, rest)| first_word(rest));
        words.len() >= 6 && opens && action.is_some_and(|w| ACTIONS.contains(&w.as_str())) && names_something(said)
    })?;
    Some(message.said_in(sentence).split_whitespace().collect::<Vec<_>>().join(" "))
}

fn first_word(text: &str) -> Option<String> {
    super::message::words_of(text)
        .find(|w| !matches!(w.as_str(), "please" | "then" | "you" | "always" | "just" | "first"))
}

const OPENINGS: &[&str] = &["when", "whenever", "to", "before", "after", "if", "once"];
#[rustfmt::skip]
const ACTIONS: &[&str] = &[
    "run", "use", "call", "execute", "start", "open", "add", "set", "update", "check", "create", "put", "make", "restart",
    "rebuild", "regenerate", "install", "commit", "push", "edit", "read", "look", "copy", "export", "pass", "go", "switch",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_situation_and_what_to_do_in_it() {
        for (said, expect) in [
            ("When the schema changes, run scripts/gen.sh before anything else.", true),
            ("To get a token, use `make token`.", true),
            ("When it rains, take an umbrella with you.", false),
            ("When the schema changes the file src/gen.rs is stale", false),
            ("to be honest, use whatever you like today", false),
        ] {
            assert_eq!(procedural(&Message::new(said)).is_some(), expect, "{said}");
        }
    }
}
