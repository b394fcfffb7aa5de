//! `written-down`: what an agent wrote into a file that tells agents how to work, in its words.
//!
//! A rule that stands in one agent's instructions or memory is unknown to the others. Where the user asked to keep it, the
//! request is joined to the edit that kept it.

use std::collections::HashSet;

use super::signals::Turn;
use super::steps::Steps;
use super::{FOR_USER, Kind, Observation, Seen, Sure, WRITTEN_DOWN, wording};
use crate::normal::notes::{self, Change, Statement};
use crate::session::{Call, Origin, Outcome, Session};

/// How many messages back a request to keep something is looked for: a yes may lie between.
const TURNS: usize = 3;
/// Telling words that a message and a statement share if one is about the other.
const SHARED: usize = 3;
/// Telling words that are compared.
const COMPARED: usize = 40;

/// A statement that came or went in a session.
struct Noted {
    key: String,
    at: usize,
    statement: Statement,
    file: String,
    gone: bool,
}

/// Finds what was written down, and what was taken out.
pub(super) fn notes(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut noted: Vec<Noted> = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        for change in event.call().map(changes).unwrap_or_default() {
            note(&mut noted, at, &change);
        }
    }
    // The same words in two files are written down once; what went to another file is not gone.
    noted.sort_by_key(|n| n.gone);
    let mut known = HashSet::new();
    noted.retain(|n| known.insert(n.key.clone()));
    let files: HashSet<String> =
        noted.iter().map(|n| n.file.rsplit('/').next().unwrap_or_default().to_owned()).collect();
    // A line of an index repeats what the memory itself says.
    noted.retain(|n| n.statement.of.as_ref().is_none_or(|of| !files.contains(of)));
    noted.retain(|n| !session.injected.iter().any(|ours| ours.contains(&n.statement.text)));
    noted.into_iter().map(|n| observe(session, steps, n)).collect()
}

/// What a call changed in notes; nothing if it failed.
fn changes(call: &Call) -> Vec<Change> {
    if !matches!(call.outcome, Outcome::Ok | Outcome::Unknown) {
        return Vec::new();
    }
    match (&call.written, call.command()) {
        (Some(kept), _) => Change::all(kept),
        (None, Some(line)) => Change::all(&notes::of_shell(line)),
        _ => Vec::new(),
    }
}

/// Adds a change to what is known of the session: what came and went again is nothing, and so is what only moved.
fn note(noted: &mut Vec<Noted>, at: usize, change: &Change) {
    let Some(place) = notes::place_of(&change.path) else { return };
    let file = notes::shown(&change.path);
    let gone = notes::withdrawn(&change.removed, place).into_iter().map(|s| (s, true));
    let came = notes::statements(&change.added, place, change.whole && !change.over).into_iter().map(|s| (s, false));
    if change.whole {
        // What this session wrote into it before is overwritten.
        noted.retain(|n| n.gone || n.file != file);
    }
    for (statement, gone) in gone.chain(came) {
        let key = notes::key(&statement.text);
        match noted.iter().position(|n| n.key == key && n.file == file) {
            Some(known) if noted[known].gone != gone => drop(noted.remove(known)),
            Some(_) => {}
            None => noted.push(Noted { key, at, statement, file: file.clone(), gone }),
        }
    }
}

fn observe(session: &Session, steps: &Steps<'_>, noted: Noted) -> Observation {
    let Noted { key, at, statement, file, gone } = noted;
    let asked = if gone { None } else { asked(steps, at, &statement) };
    let message = asked.map(|turn| session.events[turn.at].id.clone());
    let events = message.iter().chain([&session.events[at].id]).cloned().collect();
    let mut o = Observation::about(&key, WRITTEN_DOWN, Kind::Instruction, session, events, at);
    o.claim.name = wording::name(&statement.text);
    let whose = if notes::is_users(&file) { FOR_USER } else { "" };
    o.claim.title = match statement.heading.as_str() {
        "" => format!("Written into {file}{whose}"),
        heading => format!("Written into {file}{whose}, under “{heading}”"),
    };
    o.claim.key = key;
    o.claim.text = statement.text;
    o.claim.sure = if message.is_some() { Sure::High } else { Sure::Medium };
    o.claim.trust = Origin::Assistant;
    o.claim.suggest = !gone;
    o.seen = Seen::Noted { file, message, gone };
    o
}

/// The message that asked for it: it asks to keep something, or speaks of the same.
fn asked<'t>(steps: &'t Steps<'_>, at: usize, statement: &Statement) -> Option<&'t Turn> {
    let before = || steps.turns.iter().rev().filter(|t| t.at < at);
    let said = wording::telling(&statement.text, COMPARED);
    let about = |t: &&Turn| {
        let words = wording::telling(&t.message.text, COMPARED);
        said.iter().filter(|w| words.contains(w)).count() >= SHARED
    };
    before().take(TURNS).find(|t| t.save.is_some()).or_else(|| before().take(1).find(about))
}

#[cfg(test)]
mod tests {
    use crate::detect::tests::session;
    use crate::detect::{WRITTEN_DOWN, detect};
    use crate::normal::notes;
    use crate::session::{Body, Session};

    /// Edits a file in the last event of a session.
    fn edited(script: &str, edits: &[(&str, Option<&str>, &str)]) -> Session {
        let mut s = session(script);
        let mut edits = edits.iter();
        for event in &mut s.events {
            if let Body::Call(call) = &mut event.body
                && call.command().is_none()
                && let Some((path, old, new)) = edits.next()
            {
                call.written = Some(notes::of_edit(path, *old, new));
            }
        }
        s
    }

    fn seen(session: &Session) -> Vec<String> {
        let all = detect(session).into_iter().filter(|o| o.head.detector == WRITTEN_DOWN);
        all.map(|o| {
            let gone = if o.seen.is_gone() { "gone: " } else { "" };
            let asked = o.seen.message().map(|m| format!(" ({m})")).unwrap_or_default();
            format!("{gone}{}{asked}", o.claim.text)
        })
        .collect()
    }

    const RULE: &str = "- Never push to `main` directly.";

    #[test]
    fn a_line_that_is_added_is_a_lesson_in_its_words() {
        let s = edited("u fix the build\ne CLAUDE.md", &[("/p/CLAUDE.md", Some("## Git"), &format!("## Git\n{RULE}"))]);
        let all = detect(&s);
        let o = all.iter().find(|o| o.head.detector == WRITTEN_DOWN).expect("a note");
        assert_eq!(o.claim.text, "Never push to `main` directly.");
        assert_eq!(
            (o.claim.title.as_str(), o.claim.trust.as_str()),
            ("Written into CLAUDE.md, under “Git”", "assistant")
        );
        assert!(o.claim.suggest);
    }

    #[test]
    fn a_request_is_joined_to_the_edit_that_kept_it() {
        let s =
            edited("u never push to main, remember this\n$ make\nu yes\ne CLAUDE.md", &[("CLAUDE.md", Some(""), RULE)]);
        assert_eq!(seen(&s), ["Never push to `main` directly. (e0)"]);
        let other = edited("u why is the page empty?\ne CLAUDE.md", &[("CLAUDE.md", Some(""), RULE)]);
        assert_eq!(seen(&other), ["Never push to `main` directly."]);
    }

    #[test]
    fn what_went_again_or_only_moved_is_nothing() {
        let back = edited("e a\ne b", &[("AGENTS.md", Some(""), RULE), ("AGENTS.md", Some(RULE), "")]);
        assert!(seen(&back).is_empty());
        let moved = edited("e a\ne b", &[("AGENTS.md", Some(RULE), ""), ("AGENTS.md", Some(""), RULE)]);
        assert!(seen(&moved).is_empty());
        let elsewhere = edited("e a\ne b", &[("CLAUDE.md", Some(RULE), ""), ("AGENTS.md", Some(""), RULE)]);
        assert_eq!(seen(&elsewhere), ["Never push to `main` directly."]);
        let gone = edited("e a", &[("AGENTS.md", Some(RULE), "")]);
        assert_eq!(seen(&gone), ["gone: Never push to `main` directly."]);
        let twice = edited(
            "e a\ne b",
            &[("CLAUDE.md", Some(""), RULE), ("AGENTS.md", Some(""), "never push to main directly")],
        );
        assert_eq!(seen(&twice).len(), 1);
    }

    #[test]
    fn a_command_line_that_writes_notes_counts_and_a_failed_one_does_not() {
        let line = "cat >> CLAUDE.md <<'EOF'\n\n- Always run `make deps` first.\nEOF";
        let mut s = session("$ x");
        let Body::Call(call) = &mut s.events[0].body else { panic!("a call") };
        call.input = line.to_owned();
        assert_eq!(seen(&s), ["Always run `make deps` first."]);
        let mut failed = session("! x => no space left");
        let Body::Call(call) = &mut failed.events[0].body else { panic!("a call") };
        call.input = line.to_owned();
        assert!(seen(&failed).is_empty());
    }

    #[test]
    fn a_line_of_an_index_counts_where_the_memory_itself_was_not_seen() {
        let index = "- [No wrap](no-wrap.md) — never wrap prose by hand";
        let alone = edited("e a", &[("/m/memory/MEMORY.md", Some(""), index)]);
        assert_eq!(seen(&alone), ["No wrap — never wrap prose by hand"]);
        let both = edited(
            "e a\ne b",
            &[("/m/memory/no-wrap.md", None, "Never wrap prose by hand."), ("/m/memory/MEMORY.md", Some(""), index)],
        );
        assert_eq!(seen(&both), ["Never wrap prose by hand."]);
    }

    #[test]
    fn our_own_words_are_no_evidence() {
        let mut s = edited("e a", &[("CLAUDE.md", Some(""), RULE)]);
        s.injected.push(format!("{}: Never push to `main` directly.", crate::session::ENVELOPE));
        assert!(seen(&s).is_empty());
    }
}
