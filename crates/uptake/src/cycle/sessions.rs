//! The cycle of a session that ended: it is an iteration of its project, measured by the goal, and what was told in it gets
//! what became of it. Run by `learn`, also in the background; nothing is run for it.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use uptake_core::measure::places::{Changed, places};
use uptake_core::measure::relevance::Touched;
use uptake_core::session::{Agent, Body, Session, ToolKind};
use uptake_store::{Iteration, Lessons, TrialRow, UseRow};

use super::skills::Skills;
use super::{measured, measuring};
use crate::settings::Settings;
use crate::stores::Stores;

/// Letters of a lesson's id that a hint shows.
const SHOWN: usize = 5;

/// The note of how many sessions there were when they were last counted.
const COUNTED: &str = "counted";

/// Whether sessions were read and not counted: a run was cut short in between, or an older release read them.
pub fn is_due(stores: &Stores) -> Result<bool> {
    Ok(stores.lessons.noted(COUNTED)? != Some(stores.sessions.count()?.to_string()))
}

/// Counts sessions that are new or went on. Answers how many.
pub fn count(stores: &mut Stores, settings: &Settings) -> Result<usize> {
    let known = stores.lessons.iterations_at()?;
    let mut told: HashMap<(String, String), Vec<TrialRow>> = HashMap::new();
    for row in stores.lessons.trials()?.into_iter().filter(|r| !r.withheld) {
        told.entry((row.source.clone(), row.session.clone())).or_default().push(row);
    }
    let skills = Skills::of(&stores.lessons)?;
    let mut all = Vec::new();
    for row in stores.sessions.list(None)? {
        let Some(at) = row.ended.filter(|_| row.root == row.id && row.agent == Agent::Main) else { continue };
        let key = (row.source.to_string(), row.id.clone());
        if known.get(&key).is_some_and(|was| *was >= at) {
            continue;
        }
        let goal = settings.goal_of(&row.project);
        let value = goal.as_ref().map(|g| measuring::of_session(g, &stores.sessions, &row)).transpose()?.flatten();
        let told = told.get(&key).map_or(&[][..], Vec::as_slice);
        let uses = match told.is_empty() && skills.is_empty() {
            true => Vec::new(),
            false => match stores.sessions.session_of(&row.path)? {
                Some(session) if !session.events.is_empty() => {
                    let used = skills.used_in(&session, &row.project, &stores.lessons)?;
                    uses(&session, told, used, &stores.lessons)?
                }
                _ => Vec::new(),
            },
        };
        let (source, session) = key;
        let measured = goal.zip(value).map(|(goal, value)| measured(&goal, goal.judge(value)));
        all.push((Iteration { source, session, project: row.project, at, built: None, measured }, uses));
    }
    stores.lessons.keep_sessions_as_iterations(&all)?;
    stores.lessons.renote(COUNTED, &stores.sessions.count()?.to_string())?;
    Ok(all.len())
}

/// What became of lessons that were told in a session, or whose skill was used in it.
fn uses(session: &Session, told: &[TrialRow], mut used: BTreeSet<String>, lessons: &Lessons) -> Result<Vec<UseRow>> {
    let files = edited(session);
    let touched = Touched::of(files.iter().map(String::as_str));
    let mut changed = Changed::default();
    files.iter().for_each(|file| changed.whole(file));
    let said: Vec<String> = session
        .events
        .iter()
        .filter_map(|e| match &e.body {
            Body::Assistant { text } => Some(text.to_text()),
            _ => None,
        })
        .collect();
    let mut out = Vec::new();
    let as_skills = used.clone();
    used.extend(told.iter().map(|row| row.lesson.clone()));
    for lesson in used {
        let Some(stored) = lessons.by_id(&lesson)?.pop() else { continue };
        let mut names: Vec<String> = lessons.artifacts(Some(&lesson))?.iter().map(|a| a.place().1.to_owned()).collect();
        names.push(lesson.chars().take(SHOWN).collect());
        let named: Vec<&String> = said.iter().filter(|text| names.iter().any(|n| has_word(text, n))).collect();
        let claims = named.iter().flat_map(|text| places(text)).map(|p| (p.to_string(), changed.has(&p)));
        out.push(UseRow {
            applied: !named.is_empty() || as_skills.contains(&lesson),
            lesson,
            claims: claims.collect::<BTreeSet<_>>().into_iter().collect(),
            relevance: (!files.is_empty()).then(|| touched.relevance(&stored.lesson.payload.statement)),
        });
    }
    Ok(out)
}

/// Files that a session changed, from the top of its working tree.
fn edited(session: &Session) -> BTreeSet<String> {
    let root = session.root_folder().unwrap_or_default().trim_end_matches('/');
    let edits =
        session.events.iter().filter_map(|e| e.call()).filter(|c| c.kind == ToolKind::Edit && !c.input.is_empty());
    edits
        .map(|c| {
            let below = c.input.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).filter(|_| !root.is_empty());
            below.unwrap_or(&c.input).trim_start_matches("./").to_owned()
        })
        .collect()
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '-';
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside))
}
