//! A prompt → the skills that are made for it.
//!
//! Comes in: the words of a prompt, and lessons that became skills. Goes out: whether a skill's triggers match: what it is about
//! and what is done with it must both be named, the second also in other words. "What is docker?" loads nothing.

use std::collections::BTreeSet;

use super::prompt::{LOOKED_AT, Words, stem};
use crate::learn::Lesson;
use crate::render::trigger_words;

/// Under which the topics of skills are kept, beside the words of prompts.
pub const SKILL: &str = "(skill)";

/// What a skill is found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triggers {
    /// Programs.
    pub topics: Vec<String>,
    /// What is done with them.
    actions: Vec<String>,
}

/// The triggers of the skill that is, or could be, made of a lesson.
pub fn triggers_of(lesson: &Lesson) -> Triggers {
    let (topics, actions) = trigger_words(&[lesson]);
    let words = |text: &str| text.split(' ').filter(|w| w.len() > 1).map(str::to_lowercase).collect();
    Triggers { topics: words(&topics), actions: words(&actions) }
}

/// What a prompt asks to be done: all its words by their stems. Most actions are words that say nothing of what it is about.
pub fn said_in(prompt: &str) -> BTreeSet<String> {
    let start = &prompt[..prompt.floor_char_boundary(LOOKED_AT)];
    let words = start.split(|c: char| !c.is_alphanumeric() && !"-_:".contains(c));
    words.map(str::to_lowercase).filter(|w| w.len() > 1).map(|w| stem(&w).to_owned()).collect()
}

/// Whether a prompt asks for a skill: the topic and the action that match.
pub fn asked_for(words: &Words, said: &BTreeSet<String>, triggers: &Triggers) -> Option<(String, String)> {
    let topic = triggers.topics.iter().find(|topic| words.contains_key(*topic) || words.contains_key(stem(topic)))?;
    let action = triggers.actions.iter().find(|action| means(said, action))?;
    Some((topic.clone(), action.clone()))
}

/// Whether a prompt names an action, or one that is much the same.
fn means(said: &BTreeSet<String>, action: &str) -> bool {
    let same = |group: &&&[&str]| group.iter().any(|word| stem(word) == stem(action));
    said.contains(stem(action)) || SAME.iter().filter(same).any(|group| group.iter().any(|w| said.contains(stem(w))))
}

/// Actions that people use for one another.
const SAME: &[&[&str]] = &[
    &["build", "compile", "bundle"],
    &["deploy", "release", "ship", "publish", "rollout", "push"],
    &["test", "validate", "verify", "check"],
    &["debug", "repair", "troubleshoot", "diagnose"],
    &["configure", "setup", "install", "initialize", "init", "bootstrap"],
    &["search", "find", "query", "lookup", "locate"],
    &["delete", "remove", "clean", "purge", "uninstall"],
    &["migrate", "move", "transfer", "port", "convert"],
    &["update", "upgrade", "refresh"],
    &["format", "lint", "style", "fmt"],
];

#[cfg(test)]
mod tests {
    use super::super::prompt::words_in;
    use super::*;
    use crate::learn::by_hand;

    #[test]
    fn a_skill_is_asked_for_by_what_it_is_about_and_what_is_done() {
        let mut lesson = by_hand("p", "How the image is made", 1);
        lesson.payload.commands = vec!["docker build -t app .".into(), "docker push r/app".into()];
        let triggers = triggers_of(&lesson);
        for (prompt, asks) in [
            ("Build the image with docker", true),
            ("please compile it in DOCKER", true),
            ("Docker: publish the image", true),
            ("what is docker", false),
            ("build it", false),
            ("docking at the pier, building a boat", false),
            ("", false),
        ] {
            assert_eq!(asked_for(&words_in(prompt), &said_in(prompt), &triggers).is_some(), asks, "{prompt}");
        }
        assert_eq!(triggers_of(&by_hand("p", "No commands", 1)), Triggers::default());
    }
}
