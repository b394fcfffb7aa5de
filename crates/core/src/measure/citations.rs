//! Which entries of the knowledge files an agent named in a session.

use std::collections::BTreeSet;

use crate::render::EntryFile;
use crate::session::{Body, Session};

/// The entries that agents named in their own words, each once.
pub fn cited(session: &Session) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for event in &session.events {
        if let Body::Assistant { text } = &event.body {
            out.extend(ids_in(text.head()));
            out.extend(ids_in(text.tail()));
        }
    }
    out
}

/// The names of entries in a text, as they are written there.
fn ids_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| EntryFile::of_id(word).is_some()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_ids_count_and_each_once() {
        let text =
            "This applies ADR-001, (avoids PF-014) and ADR-001 again; XADR-002, ADR-2, pf-003, ADR-004x do not count.";
        assert_eq!(ids_in(text).collect::<BTreeSet<_>>(), ["ADR-001", "PF-014"].map(str::to_owned).into());
    }
}
