//! What hooks would say to a session that is over: their own look-ups, asked in memory.
//!
//! Comes in: a throw-away store, where the agent was, and what happened there. Goes out: the words. The disk is not
//! asked: who rehearses says which paths were there. Nothing is recorded.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use uptake_core::moment::{Start, ToolUse};
use uptake_core::recall::{self, Because, Envelope};
use uptake_store::{Lessons, known_machine};

use super::hints::{self, Hint};
use super::place::Place;
use super::{after_failure, prompt, session_start};
use crate::settings::Settings;

/// A hook that is asked without a client.
pub struct Rehearsal {
    place: Place,
}

/// Where an agent was.
pub struct Spot<'s> {
    /// The project whose lessons are looked up.
    pub project: &'s str,
    /// The folder.
    pub folder: &'s str,
    /// The top of the working tree.
    pub root: &'s str,
}

/// What was told in a session, and at which call.
#[derive(Default)]
pub struct Heard(HashMap<(String, String), i64>);

/// What is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// All of it, as the agent gets it.
    pub text: String,
    /// Lesson and words of each hint in it.
    pub hints: Vec<(String, String)>,
}

impl Rehearsal {
    /// For the lessons in a folder of data.
    pub fn new(data: &Path, settings: Settings) -> Result<Self> {
        let lessons = Lessons::open_for_hook(data)?.context("nothing was learned yet")?;
        let (folder, root, project) = (String::new(), String::new(), String::new());
        Ok(Self { place: Place { folder, root, project, machine: known_machine(data), lessons, settings } })
    }

    /// Whether what holds on the whole machine is told, too.
    pub fn with_machine(&mut self, data: &Path, told: bool) {
        self.place.machine = known_machine(data).filter(|_| told);
    }

    /// Goes somewhere.
    pub fn go(&mut self, spot: &Spot<'_>) {
        let Place { folder, root, project, .. } = &mut self.place;
        for (ours, theirs) in [(folder, spot.folder), (root, spot.root), (project, spot.project)] {
            if ours != theirs {
                theirs.clone_into(ours);
            }
        }
    }

    /// The card at the start of a session.
    pub fn start(&self) -> Result<Option<Told>> {
        let lines = session_start::known(&self.place, session_start::card_of(Start::New), None, None)?;
        let card = recall::card(&lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), self.place.seen_from());
        Ok(card.map(|card| told(card, &lines)))
    }

    /// At a prompt.
    pub fn prompt(&self, text: &str, heard: &mut Heard, now: i64) -> Result<Option<Told>> {
        let mut hints: Vec<Hint> = prompt::known_about(&self.place, text)?.into_iter().map(|(hint, _)| hint).collect();
        hints.retain(|hint| heard.at(&hint.lesson, &hint.about).is_none());
        hints.truncate(hints::AT_ONCE);
        Ok(say(Because::Asked, hints, heard, now))
    }

    /// After a failure. `now` is the number of the call.
    pub fn failure(
        &self,
        call: &ToolUse,
        output: &str,
        exists: &dyn Fn(&str) -> bool,
        heard: &mut Heard,
        now: i64,
    ) -> Result<Option<Told>> {
        let known = after_failure::known_where(&self.place, call, output, exists, exists)?;
        let heard_at = |lesson: &str, about: &str| heard.at(lesson, about);
        let since = |at: i64| usize::try_from(now.saturating_sub(at)).unwrap_or(0);
        let mut known: Vec<Hint> =
            known.into_iter().filter_map(|hint| after_failure::to_be_told(hint, &heard_at, &since)).collect();
        known.truncate(hints::AT_ONCE);
        Ok(say(Because::Failed, known, heard, now))
    }
}

impl Heard {
    fn at(&self, lesson: &str, about: &str) -> Option<i64> {
        self.0.get(&(lesson.to_owned(), about.to_owned())).copied()
    }
}

fn say(because: Because, hints: Vec<Hint>, heard: &mut Heard, now: i64) -> Option<Told> {
    let told_hints = recall::envelope(because, &hints.iter().map(|h| h.text.as_str()).collect::<Vec<_>>())?;
    for n in &told_hints.hints {
        heard.0.insert((hints[*n].lesson.clone(), hints[*n].about.clone()), now);
    }
    Some(told(told_hints, &hints))
}

fn told(envelope: Envelope, hints: &[Hint]) -> Told {
    let one = |n: usize| (hints[n].lesson.clone(), hints[n].text.clone());
    Told { hints: envelope.hints.into_iter().map(one).collect(), text: envelope.text }
}
