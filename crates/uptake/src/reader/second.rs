//! The second reading: which messages are read once more by themselves, and what becomes of the answer.
//!
//! Comes in: what the reader saw and quotes as the person's own word. Goes out: these messages, and a note on what was seen. What holds
//! by both readings need not wait; what holds by one waits for another session.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::detect::Second;
use uptake_core::learn::lesson_id;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::lasting::{Message, message};
use uptake_core::reader::reduce::{Reduced, Reduction};
use uptake_core::session::Session;

use crate::stores::Stores;

/// What a reader saw, with the messages it quotes.
pub(super) struct Asked {
    /// The observation's id.
    observation: String,
    pub(super) messages: Vec<Message>,
}

/// What is to be read a second time in a project. What was decided on is not, and a message whose
/// session is not kept any more cannot be.
pub(super) fn asked(stores: &Stores, project: &str) -> Result<Vec<Asked>> {
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

/// Notes what an answer says of the messages that were asked about. Of what quotes several, one that lasts is enough; none does only
/// if all were asked about.
pub(super) fn note(stores: &mut Stores, reduction: &Reduction, reduced: &Reduced) -> Result<()> {
    let Some(lasting) = &reduced.lasting else { return Ok(()) };
    let sent: HashSet<&str> = reduction.messages.iter().map(|m| m.event.as_str()).collect();
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
    let said = asked(stores, &reduction.project)?;
    let said = said.into_iter().map(|a| (second(&a), a.observation)).filter(|(second, _)| *second != Second::NotYet);
    let said: Vec<(String, Second)> = said.map(|(second, id)| (id, second)).collect();
    Ok(stores.lessons.note_second(&reduction.project, &said)?)
}
