//! A workflow: three or more things to do, in an order.

use super::message::{Message, words_of};

/// How many different things must be asked for.
const ENOUGH: usize = 3;

/// What the user asks for, step by step.
pub(super) fn workflow(message: &Message) -> Option<Vec<String>> {
    if message.words.len() > 160 {
        return None;
    }
    let words = &message.words;
    words.iter().filter(|w| is_action(w)).nth(ENOUGH - 1)?;
    let text = message.text.to_lowercase();
    let ordered = words.iter().any(|w| matches!(w.as_str(), "then" | "once" | "after" | "first" | "before"))
        || text.contains(',') && words.iter().any(|w| w == "and");
    if !ordered {
        return None;
    }
    let mut steps: Vec<(String, String)> = Vec::new();
    for part in parts(&text) {
        let all: Vec<String> = words_of(part).collect();
        let lead = all.iter().take_while(|w| LEADING.contains(&w.as_str())).count();
        let Some(verb) = all.get(lead).filter(|w| is_action(w)) else { continue };
        if steps.iter().all(|(known, _)| known != verb) {
            steps.push((verb.clone(), all[lead..].join(" ")));
        }
    }
    (steps.len() >= ENOUGH).then(|| steps.into_iter().map(|(_, said)| said).collect())
}

// Between commas, full stops, lines and the words that join.
fn parts(text: &str) -> Vec<&str> {
    let mut out: Vec<&str> = text.split(['.', '!', '?', '\n', ',', ';']).collect();
    for joint in [" and then ", " then ", " and ", " once done ", " after that ", " first ", " next "] {
        out = out.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    out
}

#[rustfmt::skip]
const LEADING: &[&str] = &[
    "ok", "please", "also", "lets", "let's", "can", "you", "we", "yeah", "yes", "now", "to", "should", "need", "could",
    "i", "want", "finally", "go", "ahead", "get", "back", "and", "then", "first", "next", "just", "think", "so",
];
/// Asked for every word: the compiler compares these faster than a list is searched.
#[rustfmt::skip]
fn is_action(word: &str) -> bool {
    matches!(
        word,
        "commit" | "push" | "pr" | "merge" | "test" | "build" | "deploy" | "update" | "create" | "add" | "fix"
        | "run" | "lint" | "format" | "rebase" | "pull" | "tag" | "release" | "open" | "address" | "review" | "check"
        | "verify" | "write" | "document" | "generate" | "bump" | "publish" | "install" | "start" | "restart"
        | "squash" | "checkout" | "switch" | "close" | "comment" | "respond" | "ship" | "implement" | "refactor"
        | "fetch" | "clean" | "resolve"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_steps_in_order() {
        for (said, expect) in [
            ("commit, push and open a pr", "commit | push | open a pr"),
            ("please bump the version, tag it, then publish", "bump the version | tag it | publish"),
            ("commit and push", "-"),
            ("the build, the test and the push all fail", "-"),
            ("commit this and commit that, then commit all", "-"),
        ] {
            let steps = workflow(&Message::new(said)).map(|s| s.join(" | "));
            assert_eq!(steps.as_deref().unwrap_or("-"), expect, "{said}");
        }
    }
}
