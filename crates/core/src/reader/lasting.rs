//! The second reading: messages of the person that lessons quote as their own word, once more and by themselves.
//!
//! Comes in: a session and the id of a message. Goes out: a part of a request; of its answer, which messages hold for later work.
//! Deliberately absent: the statements made of them. Beside its statement every message sounds like a rule: then a reader denies
//! none, where alone it agrees with people who judged message by message.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::answer::list_in;
use super::digest::excerpt::said_before;
use super::digest::{REQUEST, cut, one_line, tokens};
use crate::session::{ENVELOPE, Session};

/// What is sent of a message, its start and its end, and the end of what was said before, in bytes.
const TEXT: (usize, usize) = (450, 150);
const BEFORE: usize = 160;
/// What of a request messages may take.
const ROOM: usize = REQUEST * 2 / 5; // tokens

/// A message that is read a second time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its event.
    pub event: String,
    /// The end of what the agent had said before; nothing if it had said nothing.
    pub before: String,
    /// What was typed.
    pub text: String,
}

/// The message of a session with this id, as it is sent; `None` if nobody typed it.
pub fn message(session: &Session, event: &str) -> Option<Message> {
    let at = session.events.iter().position(|e| e.id == event)?;
    let typed = session.events[at].human_text().filter(|t| !t.contains(ENVELOPE))?;
    let text = cut(&one_line(&typed), TEXT.0, TEXT.1);
    let before = said_before(session, at, BEFORE);
    (!text.is_empty()).then(|| Message { event: event.to_owned(), before, text })
}

/// As many as there is room for.
pub(super) fn fitting(messages: &[Message]) -> Vec<Message> {
    let mut used = 0;
    let fits = |m: &&Message| {
        used += tokens(&line(messages.len(), m));
        used <= ROOM
    };
    messages.iter().take_while(fits).cloned().collect()
}

fn line(n: usize, message: &Message) -> String {
    let before =
        if message.before.is_empty() { String::new() } else { format!("M{n} agent before: {}\n", message.before) };
    format!("{before}M{n} person: {}\n", message.text)
}

/// The part of a request that has them; nothing if there are none.
pub(super) fn part(messages: &[Message]) -> String {
    let lines: String = messages.iter().zip(1..).map(|(m, n)| line(n, m)).collect();
    if lines.is_empty() { lines } else { format!("\nMessages:\n{lines}") }
}

/// The events of those that an answer says to last; `None` if it does not say. What is not there is left out.
pub(super) fn said(answer: &str, messages: &[Message]) -> Option<HashSet<String>> {
    let chosen = list_in(answer, "lasting")?;
    let at = |id: &str| id.trim().strip_prefix('M')?.parse::<usize>().ok()?.checked_sub(1);
    let found = chosen.iter().filter_map(|value| messages.get(at(value.as_str()?)?));
    Some(found.map(|m| m.event.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    #[test]
    fn a_message_is_sent_with_the_end_of_what_was_said_before() {
        let s = session("u fix it\na I wrapped the lines of the readme\nu don't hard wrap lines in markdown\na ok");
        let id = s.events[2].id.clone();
        let wrap = message(&s, &id).expect("a message");
        assert_eq!(wrap.event, id);
        assert_eq!(
            part(std::slice::from_ref(&wrap)),
            "\nMessages:\nM1 agent before: I wrapped the lines of the readme\nM1 person: don't hard wrap lines in markdown\n"
        );
        assert_eq!(message(&s, &s.events[1].id), None, "the agent's");
        assert_eq!(message(&s, "nothing"), None);
        assert_eq!(part(&[]), "");
    }

    #[test]
    fn a_long_message_is_cut_and_a_secret_is_taken_out_before() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let s = session(&format!("u {} {secret} {}", "words ".repeat(80), "more ".repeat(80)));
        let text = message(&s, &s.events[0].id).expect("a message").text;
        assert!(text.len() < TEXT.0 + TEXT.1 + 10 && text.contains("[…]"), "{text}");
        assert!(!text.contains("ghp_a1B2"), "{text}");
    }

    #[test]
    fn only_messages_that_were_sent_can_last() {
        let all: Vec<Message> = ["a", "b"]
            .into_iter()
            .map(|event| Message { event: event.into(), before: String::new(), text: "x".into() })
            .collect();
        let found = said(r#"{"lasting":["M2"," M2 ","M0","M3","C1","2",7,null,"M99999999999999999999"]}"#, &all);
        assert_eq!(found, Some(HashSet::from(["b".to_owned()])));
        assert_eq!(said(r#"{"lasting":[]}"#, &all), Some(HashSet::new()));
        assert_eq!(said(r#"{"groups":[]}"#, &all), None, "says nothing of them");
    }
}
