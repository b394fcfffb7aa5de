//! Forks and resumes repeat the events of another session under their own id: they count as that session.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::session::Session;
use crate::sources::{self, Ids};

/// Events that are remembered before older ones are forgotten, twice: a history has many millions. Forks lie near the session
/// they came from, because both are in the folder of their project.
const REMEMBERED: usize = 150_000;

/// Remembers which root each event id was first seen in. Sessions must come in a stable order.
#[derive(Default)]
pub struct Roots {
    now: Seen,
    before: Seen,
    forgot: bool,
}

/// Events, and the roots of their sessions.
#[derive(Default)]
struct Seen {
    events: HashMap<u64, u32>,
    names: Vec<String>,
}

impl Seen {
    fn root_of(&self, keys: &[u64]) -> Option<&String> {
        keys.iter().find_map(|k| self.events.get(k)).map(|root| &self.names[*root as usize])
    }

    fn add(&mut self, root: &str, keys: Vec<u64>) {
        if self.names.last().is_none_or(|last| last != root) {
            self.names.push(root.to_owned());
        }
        let root = u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX);
        for key in keys {
            self.events.entry(key).or_insert(root);
        }
    }
}

impl Roots {
    /// Gives a session its root: the session that had one of its events first.
    pub fn settle(&mut self, session: &mut Session) {
        if !sources::source(session.source.as_str()).is_some_and(|s| s.ids == Ids::Unique) {
            return;
        }
        let keys: Vec<u64> = session.events.iter().map(|e| key(&e.id)).collect();
        if let Some(root) = self.now.root_of(&keys).or_else(|| self.before.root_of(&keys)) {
            session.root.clone_from(root);
        }
        self.now.add(&session.root, keys);
        if self.now.events.len() > REMEMBERED {
            self.forgot |= !self.before.events.is_empty();
            self.before = std::mem::take(&mut self.now);
        }
    }

    /// Whether it no longer knows the first sessions.
    pub fn forgot(&self) -> bool {
        self.forgot
    }
}

fn key(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;
    use crate::session::SourceName;

    #[test]
    fn in_a_history_of_millions_of_events_forks_nearby_still_count() {
        let mut roots = Roots::default();
        let of = |n: usize| {
            let mut s = session(&"$ a\n".repeat(10));
            (s.source, s.id, s.root) = (SourceName::Claude, format!("s{n}"), format!("s{n}"));
            s.events.iter_mut().enumerate().for_each(|(i, e)| e.id = format!("{n}-{i}"));
            s
        };
        let far = 3 * REMEMBERED / 10;
        for n in 0..far {
            roots.settle(&mut of(n));
        }
        assert!(roots.forgot() && roots.now.events.len() + roots.before.events.len() <= 2 * REMEMBERED + 10);
        for near in [far - 1, far - REMEMBERED / 10] {
            let mut fork = Session { id: "fork".into(), root: "fork".into(), ..of(near) };
            roots.settle(&mut fork);
            assert_eq!(fork.root, format!("s{near}"));
        }
    }

    #[test]
    fn a_fork_counts_as_the_session_it_came_from() {
        let mut first = session("$ a\n$ b");
        first.source = SourceName::Claude;
        let mut fork = first.clone();
        (fork.id, fork.root) = ("fork".into(), "fork".into());
        let mut other = session("u x");
        (other.source, other.id, other.root) = (SourceName::Claude, "other".into(), "other".into());
        other.events[0].id = "elsewhere".into();
        let mut roots = Roots::default();
        for s in [&mut first, &mut fork, &mut other] {
            roots.settle(s);
        }
        assert_eq!([first.root.as_str(), &fork.root, &other.root], ["s1", "s1", "other"]);
    }
}
