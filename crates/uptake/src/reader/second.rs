//! The second reading: which messages are read once more by themselves, and what becomes of the answer.
//!
//! Comes in: what the reader saw and quotes as the person's own word. Goes out: these messages, and a note on what was seen. What holds
//! by both readings need not wait; what the second one denies waits for another session.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::learn::lesson_id;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::lasting::{Message, SecondReading, message, second_reading};
use uptake_core::session::Session;

use super::plan::Limits;
use crate::ingest::leaves_alone;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::world::World;

/// What may be sent, and to whom.
pub(super) struct May<'m> {
    pub world: &'m World,
    pub settings: &'m Settings,
    pub limits: &'m Limits,
}

/// What a reader saw, with the messages it quotes.
struct Asked {
    /// The observation's id.
    observation: String,
    /// Whether somebody decided on the lesson it belongs to.
    decided: bool,
    messages: Vec<Message>,
}

/// What was not read a second time in a project. Messages of sessions that are not kept any more, and of those that may not be sent,
/// cannot be.
fn unread(stores: &Stores, project: &str, may: &May<'_>) -> Result<Vec<Asked>> {
    let cleared = stores.lessons.cleared_paths()?;
    let mut sessions: HashMap<String, Option<Session>> = HashMap::new();
    let mut out = Vec::new();
    for (path, o) in stores.lessons.waits_for_second(project)? {
        let decided = stores.lessons.verdict(&lesson_id(o.claim.kind, &o.claim.key, project))?;
        let decided = !matches!(decided, None | Some(Verdict::Snoozed | Verdict::Released));
        if !sessions.contains_key(&path) {
            let session = stores.sessions.session_of(&path)?.filter(|_| !cleared.contains(&path));
            sessions.insert(path.clone(), session.filter(|session| may_be_sent(stores, project, session, may)));
        }
        let Some(Some(session)) = sessions.get(&path) else { continue };
        let messages: Vec<Message> = o.head.events.iter().filter_map(|event| message(session, event)).collect();
        if !messages.is_empty() {
            out.push(Asked { observation: o.head.id, decided, messages });
        }
    }
    Ok(out)
}

/// Whether what was typed in a session may be sent, by the same rules as the session itself.
fn may_be_sent(stores: &Stores, project: &str, session: &Session, may: &May<'_>) -> bool {
    let May { world, settings, limits } = *may;
    session.ended().is_some_and(|at| limits.reads(&session.source, at, world.now))
        && !leaves_alone(project, session.cwd.as_deref(), settings, &world.home, &stores.lessons)
}

/// Asks which messages of a project hold for later work, each once; `None` if there is none to ask about. What was decided on needs
/// no second reading.
pub(super) fn question(stores: &Stores, project: &str, may: &May<'_>) -> Result<Option<SecondReading>> {
    let unread = unread(stores, project, may)?.into_iter().filter(|asked| !asked.decided);
    let mut messages: Vec<Message> = unread.flat_map(|asked| asked.messages).collect();
    let mut seen = HashSet::new();
    messages.retain(|m| seen.insert(m.event.clone()));
    Ok(second_reading(project, &messages))
}

/// Whether a message of a question may not be sent any more.
pub(super) fn is_left_alone(stores: &Stores, reading: &SecondReading, may: &May<'_>) -> Result<bool> {
    let unread = unread(stores, &reading.project, may)?;
    let may_be: HashSet<&str> = unread.iter().flat_map(|a| &a.messages).map(|m| m.event.as_str()).collect();
    Ok(!reading.messages.iter().all(|m| may_be.contains(m.event.as_str())))
}

/// Notes what an answer says of the messages that were asked about. Nothing is noted of what quotes one that was not.
pub(super) fn note(
    stores: &mut Stores,
    reading: &SecondReading,
    lasting: &HashSet<String>,
    may: &May<'_>,
) -> Result<()> {
    let sent: HashSet<&str> = reading.messages.iter().map(|m| m.event.as_str()).collect();
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for Asked { observation, messages, .. } in unread(stores, &reading.project, may)? {
        if messages.iter().all(|m| sent.contains(m.event.as_str())) {
            let events = messages.into_iter().map(|m| m.event);
            said.push((observation, events.filter(|event| lasting.contains(event)).collect()));
        }
    }
    Ok(stores.lessons.note_second(&reading.project, &said)?)
}
