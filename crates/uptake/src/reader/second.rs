//! The second reading: which messages are read once more by themselves, and what becomes of the answer.
//!
//! Comes in: what the reader saw and quotes as the person's own word. Goes out: these messages, and a note on what was seen. What holds
//! by both readings need not wait; what holds by one waits for another session.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::learn::lesson_id;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::lasting::{Message, SecondReading, message, second_reading};
use uptake_core::session::Session;

use crate::stores::Stores;

/// What a reader saw, with the messages it quotes.
struct Asked {
    /// The observation's id.
    observation: String,
    messages: Vec<Message>,
}

/// What is to be read a second time in a project. What was decided on is not, and a message whose
/// session is not kept any more cannot be.
fn asked(stores: &Stores, project: &str) -> Result<Vec<Asked>> {
    let mut sessions: HashMap<String, Option<Session>> = HashMap::new();
    let mut out = Vec::new();
    for (path, o) in stores.lessons.waits_for_second(project)? {
        let decided = stores.lessons.verdict(&lesson_id(o.claim.kind, &o.claim.key, project))?;
        if !matches!(decided, None | Some(Verdict::Snoozed | Verdict::Released)) {
            continue;
        }
        if !sessions.contains_key(&path) {
            sessions.insert(path.clone(), stores.sessions.session_of(&path)?);
        }
        let Some(Some(session)) = sessions.get(&path) else { continue };
        let messages: Vec<Message> = o.head.events.iter().filter_map(|event| message(session, event)).collect();
        if !messages.is_empty() {
            out.push(Asked { observation: o.head.id, messages });
        }
    }
    Ok(out)
}

/// Asks which messages of a project hold for later work, each once; `None` if there is none to ask about.
pub(super) fn question(stores: &Stores, project: &str) -> Result<Option<SecondReading>> {
    let mut messages: Vec<Message> = asked(stores, project)?.into_iter().flat_map(|asked| asked.messages).collect();
    let mut seen = HashSet::new();
    messages.retain(|m| seen.insert(m.event.clone()));
    Ok(second_reading(project, &messages))
}

/// Notes what an answer says of the messages that were asked about. Nothing is noted of what quotes one that was not.
pub(super) fn note(stores: &mut Stores, reading: &SecondReading, lasting: &HashSet<String>) -> Result<()> {
    let sent: HashSet<&str> = reading.messages.iter().map(|m| m.event.as_str()).collect();
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for Asked { observation, messages } in asked(stores, &reading.project)? {
        if messages.iter().all(|m| sent.contains(m.event.as_str())) {
            let events = messages.into_iter().map(|m| m.event);
            said.push((observation, events.filter(|event| lasting.contains(event)).collect()));
        }
    }
    Ok(stores.lessons.note_second(&reading.project, &said)?)
}
