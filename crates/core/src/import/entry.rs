//! One entry of a foreign file → its observations, one per sighting.

use super::{About, ENTRIES, Imported};
use crate::detect::{Kind, Observation, Sure, wording};
use crate::session::{Origin, Session, SourceName};

/// Most sightings of one entry that count.
pub(super) const SIGHTINGS: usize = 20;

/// The name under which imported observations stand beside those of detectors.
const DETECTOR: &str = "import";

/// What a file says about one thing.
pub(super) struct Entry {
    /// The file's own id of it.
    pub id: String,
    /// Stands in for the ids of the sessions in which it was seen; the same in two files counts once.
    pub root: String,
    /// What it is about.
    pub kind: Kind,
    /// What it says.
    pub statement: String,
    /// What is said beside it.
    pub details: String,
    /// One per sighting, oldest first.
    pub times: Vec<Option<i64>>,
    /// Whether the tool itself thought well of it.
    pub sound: bool,
}

/// The times of sightings of which only the first and the last are known: no days in between are made up.
pub(super) fn between(count: usize, first: Option<i64>, last: Option<i64>) -> Vec<Option<i64>> {
    let count = count.clamp(1, SIGHTINGS);
    let (first, last) = (first.or(last), last.or(first));
    (1..=count).map(|n| if n == 1 && count > 1 { first } else { last }).collect()
}

impl About<'_> {
    /// A text without its secrets, on one line.
    pub(super) fn clean(&self, text: &str) -> String {
        self.redactor.clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Imported {
    /// Takes an entry whose texts are clean.
    pub(super) fn take(&mut self, about: &About<'_>, entry: &Entry) {
        let key = wording::normal_statement(&entry.statement);
        if wording::names_nothing(&entry.statement) {
            return self.leave_out("without words");
        }
        if self.ids.len() >= ENTRIES {
            return self.leave_out("beyond what is taken of one file");
        }
        if !self.ids.insert(entry.id.clone()) {
            return self.leave_out("with the id of an earlier entry");
        }
        let text = wording::short(&told(&entry.statement, &entry.details));
        let latest = entry.times.len().saturating_sub(SIGHTINGS);
        for (n, at) in (1..).zip(&entry.times[latest..]) {
            let session = Session {
                source: SourceName::parse(about.source),
                id: about.file.to_owned(),
                root: format!("import:{}:{n}", entry.root),
                ..Session::default()
            };
            // The file is part of the event's name: ids such as `P-001` occur in every project.
            let event = format!("{}:{}", about.file, entry.id);
            let mut o = Observation::new(DETECTOR, entry.kind, &session, vec![event], 0);
            o.claim.key.clone_from(&key);
            o.claim.name = wording::name(&entry.statement);
            o.claim.title = wording::short(&entry.statement);
            o.claim.text.clone_from(&text);
            o.head.at = *at;
            // Our own sessions are surer: where both say the same, their words are shown.
            o.claim.sure = Sure::Medium;
            o.claim.trust = Origin::Imported;
            o.claim.suggest = false;
            o.claim.telling = entry.sound;
            self.items.push(o);
        }
    }
}

fn told(statement: &str, details: &str) -> String {
    if details.is_empty() || details == statement {
        return statement.to_owned();
    }
    format!("{}: {details}", statement.trim_end_matches(['.', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_file_and_counts_are_capped() {
        assert_eq!(between(3, Some(1), Some(9)), [Some(1), Some(9), Some(9)]);
        assert_eq!(between(1, Some(1), Some(9)), [Some(9)]);
        assert_eq!(between(0, Some(1), None), [Some(1)]);
        assert_eq!(between(usize::MAX, None, None).len(), SIGHTINGS);
    }

    #[test]
    fn details_follow_the_statement() {
        assert_eq!(told("Squash.", "1. squash 2. pull"), "Squash: 1. squash 2. pull");
        assert_eq!(told("Squash.", "Squash."), "Squash.");
    }
}
