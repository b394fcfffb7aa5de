//! Which statements say the same, and which come first: what is asked, and what becomes of the answer.

use std::collections::HashMap;

use anyhow::Result;
use uptake_core::detect::{Basis, CHECKS, Kind, WRITTEN_DOWN};
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::digest::one_line;
use uptake_core::reader::observe::is_about_user;
use uptake_core::reader::reduce::{Candidate, FIRST, Reduced, Reduction, reduction};
use uptake_core::session::Origin;
use uptake_store::Stored;

use super::chosen;
use super::plan::{by_id, counted, in_words};
use super::take::{is_open_and_read, is_open_in_words};
use crate::stores::Stores;

/// Asks which lessons of a project say the same and which come first; `None` if the reader has said nothing, or too little.
pub(super) fn question(stores: &Stores, project: &str, now: i64) -> Result<Option<Reduction>> {
    let all = in_words(&stores.lessons, project, now)?;
    if !all.iter().any(is_open_and_read) {
        return Ok(None);
    }
    let counted = counted(&stores.lessons, project, now)?;
    let candidates: Vec<Candidate> = counted.iter().chain(&all).map(candidate).collect();
    Ok(reduction(project, &candidates))
}

fn candidate(s: &Stored) -> Candidate {
    Candidate {
        lesson: s.lesson.id.clone(),
        kind: s.lesson.kind.as_str().to_owned(),
        about_user: is_about_user(&s.lesson.payload.title),
        statement: one_line(&s.lesson.payload.statement),
        basis: rests_on(&s.lesson).to_owned(),
        sessions: s.lesson.evidence.sessions,
    }
}

/// The word for what a lesson rests on, as the request explains it.
fn rests_on(lesson: &Lesson) -> &'static str {
    match (lesson.origin.basis, lesson.origin.detector.as_str()) {
        (Some(basis), _) => basis.as_str(),
        (None, WRITTEN_DOWN) => Basis::Written.as_str(),
        (None, _) if lesson.origin.trust == Origin::User => Basis::Stated.as_str(),
        (None, _) => "seen",
    }
}

/// Makes groups one lesson each, and notes what comes first. Answers how many statements are no lessons of their own any more.
pub(super) fn apply(stores: &mut Stores, reduction: &Reduction, reduced: &Reduced) -> Result<usize> {
    let project = &reduction.project;
    let mut merged = 0;
    let mut now: HashMap<&str, String> = HashMap::new();
    for group in &reduced.groups {
        let mut all = Vec::new();
        for id in &group.lessons {
            all.extend(stores.lessons.by_id(id)?.into_iter().filter(|s| s.lesson.id == *id));
        }
        let known = by_id(all);
        let (open, fixed): (Vec<&Stored>, Vec<&Stored>) = known.values().partition(|s| is_open_and_read(s));
        let one = match fixed.iter().max_by_key(|s| (s.verdict() == Some(Verdict::Approved), s.lesson.id.clone())) {
            Some(target) if !fixed.iter().all(|s| is_open_in_words(s)) => {
                merged += remark(stores, &open, &target.lesson.id)?;
                Some(target.lesson.id.clone())
            }
            _ => {
                let best = open.iter().find(|s| s.lesson.id == group.best).or(open.first());
                if let Some(best) = best {
                    merged += join(stores, &open, &fixed, best)?;
                }
                best.map(|s| s.lesson.id.clone())
            }
        };
        now.extend(one.into_iter().flat_map(|one| group.lessons.iter().map(move |id| (id.as_str(), one.clone()))));
    }
    let mut first: Vec<String> = reduced.first.iter().map(|id| now.get(id.as_str()).unwrap_or(id).clone()).collect();
    if !first.is_empty() {
        if let Some(checks) = checks(stores, reduction)? {
            put_among(&mut first, checks);
        }
        chosen::note(&mut stores.lessons, project, &first)?;
    }
    Ok(merged)
}

/// The lesson on how changes are checked here, if the answer was given in view of it.
fn checks(stores: &Stores, reduction: &Reduction) -> Result<Option<String>> {
    for candidate in reduction.candidates.iter().filter(|c| c.kind == Kind::Fact.as_str()) {
        let known = stores.lessons.by_id(&candidate.lesson)?;
        if known.iter().any(|s| s.lesson.id == candidate.lesson && s.lesson.origin.detector == CHECKS) {
            return Ok(Some(candidate.lesson.clone()));
        }
    }
    Ok(None)
}

/// Puts how changes are checked among the first ten. It came up in more sessions than anything that is said in words, and readers
/// leave it out all the same: to them it goes without saying, to who is new to a project it does not.
fn put_among(first: &mut Vec<String>, checks: String) {
    if first.iter().take(TEN).any(|id| *id == checks) {
        return;
    }
    first.retain(|id| *id != checks);
    first.insert(first.len().min(BEHIND), checks);
    first.truncate(FIRST);
}

/// So many are read, and so many come before how changes are checked: `learn` shows five.
const TEN: usize = 10;
const BEHIND: usize = 5;

/// What a lesson says that was decided on, or that no reader made, is said: the others become remarks on it.
fn remark(stores: &mut Stores, open: &[&Stored], target: &str) -> Result<usize> {
    for Stored { lesson, .. } in open {
        stores.lessons.make_remarks(lesson.project(), lesson.kind, &lesson.key, target)?;
    }
    Ok(open.len())
}

/// Makes the reader's own statements one lesson, the best of them, which words those of others better.
fn join(stores: &mut Stores, open: &[&Stored], others: &[&Stored], best: &Stored) -> Result<usize> {
    let (kind, into): (Kind, &str) = (best.lesson.kind, &best.lesson.key);
    let keys: Vec<String> = open.iter().map(|s| s.lesson.key.clone()).collect();
    stores.lessons.make_one(kind, &keys, into)?;
    for other in others {
        stores.lessons.note_rewords(best.lesson.project(), kind, into, &other.lesson.id)?;
    }
    Ok(open.len().saturating_sub(1) + others.len())
}
