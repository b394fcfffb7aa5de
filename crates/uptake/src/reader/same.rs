//! Which statements say the same: what is asked, and what becomes of the answer.

use anyhow::Result;
use uptake_core::detect::Kind;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::observe::is_about_user;
use uptake_core::reader::reduce::{Candidate, Group, Reduction, reduction};
use uptake_store::Stored;

use super::plan::{by_id, in_words};
use super::take::{is_open_and_read, is_open_in_words};
use crate::stores::Stores;

/// Asks which lessons of a project say the same; `None` if no two could.
pub(super) fn question(stores: &Stores, project: &str, now: i64) -> Result<Option<Reduction>> {
    let all = in_words(&stores.lessons, project, now)?;
    if !all.iter().any(is_open_and_read) {
        return Ok(None);
    }
    let candidates: Vec<Candidate> = all.iter().map(candidate).collect();
    Ok(reduction(project, &candidates))
}

fn candidate(s: &Stored) -> Candidate {
    Candidate {
        lesson: s.lesson.id.clone(),
        kind: s.lesson.kind.as_str().to_owned(),
        about_user: is_about_user(&s.lesson.payload.title),
        statement: s.lesson.payload.statement.clone(),
    }
}

/// Makes groups one lesson each. Answers how many statements that are no lessons of their own any more.
pub(super) fn apply(stores: &mut Stores, groups: &[Group]) -> Result<usize> {
    let mut merged = 0;
    for group in groups {
        let mut all = Vec::new();
        for id in &group.lessons {
            all.extend(stores.lessons.by_id(id)?.into_iter().filter(|s| s.lesson.id == *id));
        }
        let known = by_id(all);
        let (open, fixed): (Vec<&Stored>, Vec<&Stored>) = known.values().partition(|s| is_open_and_read(s));
        merged += match fixed.iter().max_by_key(|s| (s.verdict() == Some(Verdict::Approved), s.lesson.id.clone())) {
            Some(target) if !fixed.iter().all(|s| is_open_in_words(s)) => remark(stores, &open, &target.lesson.id)?,
            _ => join(stores, &open, &fixed, group)?,
        };
    }
    Ok(merged)
}

/// What a lesson says that was decided on, or that no reader made, is said: the others become remarks on it.
fn remark(stores: &mut Stores, open: &[&Stored], target: &str) -> Result<usize> {
    for Stored { lesson, .. } in open {
        stores.lessons.make_remarks(lesson.project(), lesson.kind, &lesson.key, target)?;
    }
    Ok(open.len())
}

/// Makes the reader's own statements one lesson, which words those of others better.
fn join(stores: &mut Stores, open: &[&Stored], others: &[&Stored], group: &Group) -> Result<usize> {
    let best = open.iter().find(|s| s.lesson.id == group.best).or(open.first());
    let Some(best) = best else { return Ok(0) };
    let (kind, into): (Kind, &str) = (best.lesson.kind, &best.lesson.key);
    let keys: Vec<String> = open.iter().map(|s| s.lesson.key.clone()).collect();
    stores.lessons.make_one(kind, &keys, into)?;
    for other in others {
        stores.lessons.note_rewords(best.lesson.project(), kind, into, &other.lesson.id)?;
    }
    Ok(open.len().saturating_sub(1) + others.len())
}
