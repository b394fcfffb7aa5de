//! In which order `learn` shows lessons, beyond what each weighs by itself: beside those of a reader, and beside each other.
//!
//! Comes in: places in the order of their rank. Goes out: the same, with what a reader heard once where all is asked for, and in
//! the order in which a person should hear of them.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::detect::{CHECKS, READER, WRITTEN_DOWN};
use uptake_core::learn::status::Status;
use uptake_core::learn::{Lesson, came_again};
use uptake_store::{Lessons, ListPlace, Wanted, Which};

use super::Args;
use crate::reader::alike::{Compared, InCommon};
use crate::reader::chosen::Chosen;

/// What is left of the rank of what rules alone found, where a reader has read: people's words come first.
const BESIDE_READER: f64 = 0.5;

/// What is left of the rank of a lesson for each one before it that is about the same thing.
const SECOND: f64 = 0.7;

/// Behind so many nobody asks whether things are told twice.
const SPREAD: usize = 300;

/// What a reader heard and what is not ready: it was said of one task, or as a correction, and in one session. Only where
/// everything is asked for, and never to be saved without a look.
pub fn heard_once(lessons: &Lessons, wanted: &Wanted<'_>, args: &Args) -> Result<Vec<ListPlace>> {
    if !args.all || args.yes {
        return Ok(Vec::new());
    }
    let mut places = lessons.order(&Wanted { which: Which::Any, ..*wanted })?;
    places.retain(|p| p.detector == READER);
    let observing = lessons.at(&places)?.into_iter().filter(|s| s.standing.status(wanted.now) == Status::Observing);
    let observing: HashSet<String> = observing.filter(|s| !s.standing.ready).map(|s| s.lesson.id).collect();
    places.retain(|p| observing.contains(&p.id));
    Ok(places)
}

/// Puts places in order: first what the reader would have kept first; in projects that it knows, what rules found comes behind;
/// and a statement has the support of all that say it in other words.
pub fn put_in_order(lessons: &Lessons, places: &mut [ListPlace], args: &Args) -> Result<Chosen> {
    let read: Vec<ListPlace> = places.iter().filter(|p| p.detector == READER).cloned().collect();
    let projects: HashSet<&str> = read.iter().map(|p| p.project.as_str()).collect();
    for place in places.iter_mut().filter(|p| is_by_rules(&p.detector) && projects.contains(p.project.as_str())) {
        place.rank *= BESIDE_READER;
    }
    if args.all {
        let read: Vec<Lesson> = lessons.at(&read)?.into_iter().map(|s| s.lesson).collect();
        let more = said_elsewhere(&read);
        for place in places.iter_mut() {
            place.rank *= more.get(&place.id).copied().unwrap_or(1.0);
        }
    }
    places.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.id.cmp(&b.id)));
    let chosen = Chosen::of(lessons, places)?;
    chosen.put_first(places);
    Ok(chosen)
}

/// Whether nobody said or wrote it, and it is no habit: a failure, a fix, a word that sounds like a rule.
fn is_by_rules(detector: &str) -> bool {
    !matches!(detector, READER | CHECKS | WRITTEN_DOWN | "by-hand" | "explicit-instruction")
}

/// By lesson: by how much its rank grows because other sessions say the same of it. What is not ready gains from its like, too,
/// if that waits as well: where something is ready, that is what is told.
fn said_elsewhere(read: &[Lesson]) -> HashMap<String, f64> {
    let compared: Vec<Compared> = read.iter().take(SPREAD).map(Compared::of).collect();
    let common = InCommon::among(&compared);
    let sessions = |l: &Lesson| l.evidence.sightings.iter().map(|s| s.session.clone()).collect::<HashSet<String>>();
    let waits = |l: &Lesson| !l.evidence.worth.ready;
    let mut out = HashMap::new();
    for (one, this) in read.iter().zip(&compared) {
        let mut all = sessions(one);
        let own = all.len();
        let is_alike = |that: &Compared| this.tells_the_same_as(that) || this.is_about_the_same_as(that, &common);
        let is_told = read.iter().zip(&compared).any(|(other, that)| !waits(other) && is_alike(that));
        for (other, that) in read.iter().zip(&compared) {
            let gains = if waits(one) { !is_told && is_alike(that) } else { this.tells_the_same_as(that) };
            if gains {
                all.extend(sessions(other));
            }
        }
        let rank = one.evidence.worth.rank.max(1.0);
        out.insert(one.id.clone(), (rank + came_again(all.len()) - came_again(own)) / rank);
    }
    out
}

/// Puts a lesson behind where another one before it is about the same thing: who reads only the beginning should hear of many
/// things. What waits for a second session is not shown beside one that is ready and about the same. What the reader chose stays
/// where it is.
pub fn spread(shown: &mut Vec<Lesson>, places: &[ListPlace], chosen: &Chosen) {
    let ranks: HashMap<&str, f64> = places.iter().map(|p| (p.id.as_str(), p.rank)).collect();
    let things: Vec<Compared> = shown.iter().take(SPREAD).map(Compared::of).collect();
    let common = InCommon::among(&things);
    let rank = |(n, lesson): (usize, &Lesson)| {
        let before = |this: &Compared| things[..n].iter().filter(|t| t.is_about_the_same_as(this, &common)).count();
        let before = things.get(n).map_or(0, before).min(3);
        ranks.get(lesson.id.as_str()).copied().unwrap_or_default() * SECOND.powi(before as i32)
    };
    let ranks: Vec<f64> = shown.iter().enumerate().map(rank).collect();
    let kept: Vec<bool> = shown.iter().map(|l| chosen.has(&l.id)).collect();
    let ready: Vec<bool> = shown.iter().map(|l| l.evidence.worth.ready).collect();
    let told = |n: usize| {
        let same = |at: usize| things.get(n).is_some_and(|this| things[at].is_about_the_same_as(this, &common));
        !ready[n] && !kept[n] && (0..n.min(things.len())).any(|at| ready[at] && same(at))
    };
    let order = ranks.into_iter().zip(shown.drain(..)).enumerate();
    let mut order: Vec<(f64, Lesson)> = order.filter(|(n, _)| !told(*n)).map(|(_, one)| one).collect();
    let place = |lesson: &Lesson| chosen.place(&lesson.id);
    order.sort_by(|(a, one), (b, other)| place(one).total_cmp(&place(other)).then_with(|| b.total_cmp(a)));
    shown.extend(order.into_iter().map(|(_, lesson)| lesson));
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::{Sighting, by_hand};

    use super::*;

    fn lesson(session: &str, statement: &str, ready: bool, rank: f64) -> Lesson {
        let mut lesson = by_hand("p", statement, 1);
        lesson.origin.detector = READER.to_owned();
        (lesson.evidence.worth.ready, lesson.evidence.worth.rank) = (ready, rank);
        lesson.evidence.sightings.push(Sighting {
            observation: String::new(),
            source: "claude".into(),
            session: session.into(),
            events: Vec::new(),
            at: None,
            quote: String::new(),
        });
        lesson
    }

    fn place(lesson: &Lesson) -> ListPlace {
        ListPlace {
            id: lesson.id.clone(),
            project: "p".into(),
            detector: READER.into(),
            grounded: true,
            rank: lesson.evidence.worth.rank,
        }
    }

    #[test]
    fn what_two_sessions_say_in_other_words_gains_unless_something_ready_tells_it() {
        let one = lesson("a", "Leave the pull request to the person", false, 5.0);
        let like = lesson("b", "Open no pull request for a person who waits", false, 5.0);
        let alone = lesson("c", "Write the changelog in plain words", false, 5.0);
        let more = said_elsewhere(&[one.clone(), like.clone(), alone.clone()]);
        assert!(more[&one.id] > 1.0 && more[&like.id] > 1.0, "{more:?}");
        assert_eq!(more[&alone.id], 1.0);
        let same_session = lesson("a", "Open no pull request for a person who waits", false, 5.0);
        assert_eq!(said_elsewhere(&[one.clone(), same_session])[&one.id], 1.0);
        let ready = lesson("d", "A pull request is for the person on call alone", true, 9.0);
        assert_eq!(said_elsewhere(&[one.clone(), alone, ready])[&one.id], 1.0);
    }

    #[test]
    fn the_second_about_one_thing_goes_back_and_one_that_waits_goes() {
        let first = lesson("a", "Review every plan with another model", true, 10.0);
        let second = lesson("b", "Have another model review the commit before a release", true, 9.0);
        let other = lesson("c", "Write the changelog in plain words", true, 8.0);
        let waits = lesson("d", "Another model should review the docs on Fridays", false, 7.0);
        let mut shown = vec![first.clone(), second.clone(), other.clone(), waits];
        let places: Vec<ListPlace> = shown.iter().map(place).collect();
        spread(&mut shown, &places, &Chosen::default());
        let ids: Vec<&str> = shown.iter().map(|l| l.id.as_str()).collect();
        assert_eq!(ids, [&first.id, &other.id, &second.id]);
    }
}
