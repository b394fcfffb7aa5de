//! Trials at `learn`: what followed is read off the sessions, lessons are judged, and what does not help is retired.
//!
//! Comes in: both stores after reading. Goes out: outcomes and fates in the store, and the lessons that were retired.
//! Deliberately absent: the statistics (`measure/trial`), and drawing (`hook/holdout`).

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::measure::followed::{Aftermath, Followed};
use uptake_core::measure::trial::{Fate, Judgement, Trial, judge};
use uptake_core::redact::spelled_out;
use uptake_store::{Lessons, TrialRow};

use crate::hook::holdout::PROVEN;
use crate::stores::Stores;

/// A session may go on for so long after a lesson was told in it, in milliseconds.
const GOES_ON: u64 = 7 * 86_400_000;

/// Reads off what followed, judges, and retires. Answers the lessons that were retired, and why.
pub fn judge_all(stores: &mut Stores, now: i64) -> Result<Vec<(Lesson, Fate)>> {
    let mut rows = stores.lessons.trials()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    look_up(stores, &mut rows, now)?;
    let mut retired = Vec::new();
    for (lesson, trials) in of_lessons(&stores.lessons, &rows)? {
        let fate = judge(&trials).fate;
        let known = stores.lessons.fate(&lesson)?;
        if known.as_deref() == Some(word(fate)) || fate == Fate::Open && known.is_none() {
            continue;
        }
        stores.lessons.keep_fate(&lesson, word(fate), now)?;
        if let (Fate::Useless | Fate::InVain, Some(stored)) = (fate, stores.lessons.by_id(&lesson)?.pop())
            && stored.verdict() == Some(Verdict::Approved)
        {
            stores.lessons.retire_useless(&stored.lesson, now)?;
            retired.push((stored.lesson, fate));
        }
    }
    Ok(retired)
}

/// What a person is told of a lesson that retired itself.
pub fn retired(lesson: &Lesson, fate: Fate) -> String {
    let why = if fate == Fate::InVain {
        "its failure came again after each of its first three showings"
    } else {
        "its trials show that it does not help"
    };
    let text = spelled_out(&lesson.payload.statement);
    format!("Retired {}: {why} (uptake report; take it back: uptake undo): {text}", lesson.id)
}

fn word(fate: Fate) -> &'static str {
    match fate {
        Fate::Open => "open",
        Fate::Proven => PROVEN,
        Fate::Useless => "useless",
        Fate::InVain => "in vain",
    }
}

/// Reads off the sessions what followed, where that is not known or may have changed.
fn look_up(stores: &mut Stores, rows: &mut [TrialRow], now: i64) -> Result<()> {
    let open = |row: &TrialRow| row.followed.is_none() || row.at.abs_diff(now) < GOES_ON;
    let wanted: HashSet<(String, String)> =
        rows.iter().filter(|r| open(r)).map(|r| (r.source.clone(), r.session.clone())).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut lessons: HashMap<String, Option<Lesson>> = HashMap::new();
    let mut changed = Vec::new();
    for listed in stores.sessions.list(None)? {
        if !wanted.contains(&(listed.source.to_string(), listed.id.clone())) {
            continue;
        }
        let kept = stores.sessions.session_of(&listed.path)?.filter(|s| !s.events.is_empty());
        let Some(session) = kept else { continue };
        let aftermath = Aftermath::of(&session);
        for row in rows.iter_mut().filter(|r| r.session == listed.id && r.source == session.source.as_str()) {
            if !lessons.contains_key(&row.lesson) {
                lessons.insert(row.lesson.clone(), stores.lessons.by_id(&row.lesson)?.pop().map(|s| s.lesson));
            }
            let Some(Some(lesson)) = lessons.get(&row.lesson) else { continue };
            let f = aftermath.after(lesson, row.at);
            if row.followed != Some(f) {
                row.followed = Some(f);
                changed.push(row.clone());
            }
        }
    }
    Ok(stores.lessons.keep_followed(&changed)?)
}

/// Trials whose outcome is known, by lesson.
pub fn of_lessons(lessons: &Lessons, rows: &[TrialRow]) -> Result<BTreeMap<String, Vec<Trial>>> {
    let wrong: HashSet<(String, String)> = lessons.called_wrong()?.into_iter().collect();
    let mut out: BTreeMap<String, Vec<Trial>> = BTreeMap::new();
    for row in rows {
        let Some(Followed { failed: Some(failed), pushed, .. }) = row.followed else { continue };
        let harmed = pushed || wrong.contains(&(row.lesson.clone(), row.session.clone()));
        let chance = f64::from(row.chance) / 1_000.0;
        out.entry(row.lesson.clone()).or_default().push(Trial { withheld: row.withheld, chance, failed, harmed });
    }
    Ok(out)
}

/// A lesson with what its trials say.
pub struct Tried {
    /// The lesson.
    pub lesson: Lesson,
    /// What they say.
    pub judgement: Judgement,
}

/// All lessons with trials, those with most first.
pub fn tried(lessons: &Lessons) -> Result<Vec<Tried>> {
    let mut out = Vec::new();
    for (id, trials) in of_lessons(lessons, &lessons.trials()?)? {
        if let Some(stored) = lessons.by_id(&id)?.pop() {
            out.push(Tried { lesson: stored.lesson, judgement: judge(&trials) });
        }
    }
    out.sort_by_key(|t| std::cmp::Reverse(t.judgement.shown.of + t.judgement.withheld.of));
    Ok(out)
}
