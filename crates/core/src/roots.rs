//! Forks and resumes repeat the events of another session under their own id: they count as that session.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::session::Session;
use crate::sources::{self, Ids};

/// Remembers which root each event id was first seen in. Sessions must come in a stable order.
#[derive(Default)]
pub struct Roots {
    seen: HashMap<u64, u32>,
    names: Vec<String>,
}

impl Roots {
    /// Gives a session its root: the session that had one of its events first.
    pub fn settle(&mut self, session: &mut Session) {
        if !sources::source(session.source.as_str()).is_some_and(|s| s.ids == Ids::Unique) {
            return;
        }
        let keys: Vec<u64> = session.events.iter().map(|e| key(&e.id)).collect();
        let known = keys.iter().find_map(|k| self.seen.get(k)).copied();
        let root = match known {
            Some(root) => {
                session.root.clone_from(&self.names[root as usize]);
                root
            }
            None => {
                let root = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
                self.names.push(session.root.clone());
                root
            }
        };
        for key in keys {
            self.seen.entry(key).or_insert(root);
        }
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
