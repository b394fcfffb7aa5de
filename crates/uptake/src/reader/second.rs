//! The second reading: which messages are read once more by themselves, and what becomes of the answer.
//!
//! Comes in: what the reader saw and quotes as the person's own word. Goes out: these messages, and a note on what was seen. What holds
//! by both readings need not wait; what holds by one waits for another session.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::detect::Second;
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

/// Notes what an answer says of the messages that were asked about. Of what quotes several, one that lasts is enough; none does only
/// if all were asked about.
pub(super) fn note(stores: &mut Stores, reading: &SecondReading, lasting: &HashSet<String>) -> Result<()> {
    let sent: HashSet<&str> = reading.messages.iter().map(|m| m.event.as_str()).collect();
    let second = |asked: &Asked| {
        let events = || asked.messages.iter().map(|m| m.event.as_str());
        if events().any(|event| lasting.contains(event)) {
            Second::Lasts
        } else if events().all(|event| sent.contains(event)) {
            Second::Passes
        } else {
            Second::NotYet
        }
    };
    let said = asked(stores, &reading.project)?.into_iter().map(|a| (second(&a), a.observation));
    let said = said.filter(|(second, _)| *second != Second::NotYet).map(|(second, id)| (id, second));
    let said: Vec<(String, Second)> = said.collect();
    Ok(stores.lessons.note_second(&reading.project, &said)?)
}
