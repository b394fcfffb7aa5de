//! Whether two lessons tell a person the same, one of them in the reader's words: by what they say, or because they were made of
//! the same messages.
//!
//! Comes in: lessons. Goes out: which of them need not be shown beside another. Nothing is joined, reworded or retired here:
//! `list` has all of them, and `show` names the others.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use uptake_core::detect::READER;
use uptake_core::learn::Lesson;
use uptake_core::reader::gist::{Common, Gist};
use uptake_store::{Lessons, Wanted, Which};

/// How many others are named.
const NAMED: usize = 3;

/// What is compared of a lesson.
pub struct Compared {
    id: String,
    project: String,
    is_read: bool,
    /// Whether words of a message alone made it.
    is_rule: bool,
    gist: Gist,
    events: HashSet<String>,
}

impl Compared {
    /// Of a lesson.
    pub fn of(lesson: &Lesson) -> Self {
        let events = lesson.evidence.sightings.iter().flat_map(|s| s.events.iter().cloned());
        Self {
            id: lesson.id.clone(),
            project: lesson.project().to_owned(),
            is_read: lesson.origin.detector == READER,
            is_rule: lesson.origin.detector == "rule",
            gist: Gist::of(&lesson.payload.statement),
            events: events.collect(),
        }
    }

    /// Whether both tell the same: nearly the same words; some of the same messages, and some of the same words; or a message that
    /// rules took word by word, and from which the reader took its words.
    pub fn tells_the_same_as(&self, other: &Self) -> bool {
        let is_worded = |rule: &Self, read: &Self| {
            rule.is_rule && read.is_read && !rule.events.is_empty() && rule.events.is_subset(&read.events)
        };
        self.may_be_compared_with(other)
            && (self.gist.is_nearly_same(&other.gist)
                || !self.events.is_disjoint(&other.events) && self.gist.may_come_from_one_message_with(&other.gist)
                || is_worded(self, other)
                || is_worded(other, self))
    }

    /// Whether both are a reader's, and about one thing.
    pub fn is_about_the_same_as(&self, other: &Self, common: &InCommon) -> bool {
        let (both, none) = (self.is_read && other.is_read, Common::default());
        let common = common.0.get(&self.project).unwrap_or(&none);
        both && self.may_be_compared_with(other) && self.gist.is_about_one_thing_with(&other.gist, common)
    }

    fn may_be_compared_with(&self, other: &Self) -> bool {
        (self.is_read || other.is_read) && self.project == other.project && self.id != other.id
    }
}

/// By project: the words that many statements of the reader have.
pub struct InCommon(HashMap<String, Common>);

impl InCommon {
    /// Of all that are compared.
    pub fn among(all: &[Compared]) -> Self {
        let mut read: HashMap<&str, Vec<&Gist>> = HashMap::new();
        for one in all.iter().filter(|c| c.is_read) {
            read.entry(&one.project).or_default().push(&one.gist);
        }
        let common = |(project, gists): (&str, Vec<&Gist>)| (project.to_owned(), Common::among(gists.into_iter()));
        Self(read.into_iter().map(common).collect())
    }
}

/// A line for each lesson that waits and tells the same as this one.
pub fn lines(lessons: &Lessons, lesson: &Lesson, now: i64) -> Result<Vec<String>> {
    let this = Compared::of(lesson);
    let wanted = Wanted { project: Some(lesson.project()), which: Which::Waiting, now, ..Wanted::default() };
    let all = lessons.list(&wanted)?.into_iter().map(|s| s.lesson);
    let same = all.filter(|other| this.tells_the_same_as(&Compared::of(other)));
    let line = |other: Lesson| format!("Nearly the same is “{}” ({})", other.payload.statement, other.id);
    Ok(same.take(NAMED).map(line).collect())
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::{Sighting, by_hand};

    use super::*;

    fn lesson(detector: &str, statement: &str, events: &[&str]) -> Compared {
        let mut lesson = by_hand("p", statement, 1);
        lesson.origin.detector = detector.to_owned();
        lesson.evidence.sightings.push(Sighting {
            observation: String::new(),
            source: "claude".into(),
            session: "s".into(),
            events: events.iter().map(|e| (*e).to_owned()).collect(),
            at: None,
            quote: String::new(),
        });
        Compared::of(&lesson)
    }

    #[test]
    fn what_was_made_of_the_same_messages_and_is_about_one_thing_is_told_once() {
        let read = lesson(READER, "Review every plan with another model before work begins", &["m1", "m2"]);
        for (detector, statement, events, same) in [
            (READER, "Have another model review a commit", &["m2", "m3"][..], true),
            (READER, "Have another model review a commit", &["m3"], false),
            (READER, "Write the changelog in plain words", &["m2"], false),
            ("written-down", "Another model reviews each plan", &["m1"], true),
            ("written-down", "Write the changelog in plain words", &["m1"], false),
            ("rule", "from now on I want it looked at twice", &["m1"], true),
            ("rule", "from now on I want it looked at twice", &["m1", "m9"], false),
            ("rule", "from now on I want it looked at twice", &[], false),
            ("recurring-failure", "Review each plan with another model before the coding work begins", &[], true),
        ] {
            let other = lesson(detector, statement, events);
            assert_eq!(read.tells_the_same_as(&other), same, "{detector}: {statement} {events:?}");
            assert_eq!(other.tells_the_same_as(&read), same, "{detector}: {statement} {events:?}");
        }
    }

    #[test]
    fn what_no_reader_words_is_compared_by_nobody() {
        let one = lesson("rule", "Review every plan with another model", &["m1"]);
        assert!(!one.tells_the_same_as(&lesson("pitfall", "Review every plan with another model twice", &["m1"])));
        let other = lesson("pitfall", "Review every plan with another model twice", &["m1"]);
        assert!(!one.is_about_the_same_as(&other, &InCommon::among(&[])));
        let read = lesson(READER, "Review every plan with another model", &[]);
        assert!(!read.is_about_the_same_as(&other, &InCommon::among(&[])), "nor is a reader's with what rules found");
    }
}
