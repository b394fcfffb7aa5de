//! `written-down`: what an agent wrote into a file that tells agents how to work, in its words.
//!
//! A rule that stands in one agent's instructions or memory is unknown to the others. Where the user asked to keep it, the
//! request is joined to the edit that kept it.

use std::collections::{BTreeMap, HashSet};

use super::signals::Turn;
use super::steps::Steps;
use super::{FOR_USER, Kind, Observation, Seen, Sure, WRITTEN_DOWN, WRITTEN_WHOLE, wording};
use crate::failure::from_root;
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
    files: Vec<String>,
    gone: bool,
}

/// Finds what was written down, what was taken out, and what files say that were written whole.
pub(super) fn notes(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let (mut noted, mut whole): (Vec<Noted>, BTreeMap<String, Observation>) = Default::default();
    for (at, event) in session.events.iter().enumerate() {
        let Some(call) = event.call() else { continue };
        let kept = call.written.as_ref().unwrap_or(&call.input).len();
        for change in changes(call) {
            let file = file(session, call, &change.path);
            if is_of_another_project(session, &file) {
                continue;
            }
            if let Some(says) = change.says(kept) {
                whole.insert(file.clone(), written_whole(session, at, &file, says));
            } else if let Some(Seen::Whole { says, .. }) = whole.get_mut(&file).map(|o| &mut o.seen) {
                let gone = notes::sums(&change.removed);
                says.retain(|sum| !gone.contains(sum));
            }
            note(&mut noted, at, &change, file);
        }
    }
    // The same words in two files are written down once; what went to another file is not gone.
    noted.sort_by_key(|n| n.gone);
    let mut once: Vec<Noted> = Vec::new();
    for n in noted {
        match once.iter_mut().find(|o| o.key == n.key) {
            Some(same) if same.gone == n.gone => same.files.extend(n.files),
            Some(_) => {}
            None => once.push(n),
        }
    }
    let name = |file: &String| file.rsplit('/').next().unwrap_or_default().to_owned();
    let files: HashSet<String> = once.iter().flat_map(|n| &n.files).map(name).collect();
    // A line of an index repeats what the memory itself says.
    once.retain(|n| n.statement.of.as_ref().is_none_or(|of| !files.contains(of)));
    once.retain(|n| !session.injected.iter().any(|ours| ours.contains(&n.statement.text)));
    once.into_iter().map(|n| observe(session, steps, n)).chain(whole.into_values()).collect()
}

/// A file as other sessions call it, too: from the root of the project, or from a home.
fn file(session: &Session, call: &Call, path: &str) -> String {
    let path = path.trim();
    let known = path.starts_with(['/', '~', '$']) || path.as_bytes().get(1) == Some(&b':');
    let whole = match session.folder_of(call).filter(|_| !known) {
        Some(folder) => format!("{folder}/{}", path.trim_start_matches("./")),
        None => path.to_owned(),
    };
    notes::of_user(&whole)
        .or_else(|| from_root(&whole, session.root_folder()))
        .unwrap_or_else(|| whole.replace('\\', "/"))
}

/// Whether a file lies in another project: neither in this one, nor above it, nor in a home's folder of an agent, and in no folder
/// that this one's path names, too, as those of worktrees do.
fn is_of_another_project(session: &Session, file: &str) -> bool {
    let Some(root) = session.root_folder().map(|root| root.replace('\\', "/")) else { return false };
    let absolute = file.starts_with('/') || file.as_bytes().get(1) == Some(&b':');
    if !absolute || notes::is_in_home(file) {
        return false;
    }
    let (root, folders): (Vec<&str>, Vec<&str>) = (root.split('/').collect(), file.split('/').collect());
    let common = root.iter().zip(&folders).take_while(|(a, b)| a == b).count();
    let theirs = &folders[common..folders.len() - 1];
    let beside = root[..common].last().is_some_and(|f| f.contains("worktree"));
    !theirs.is_empty() && !beside && !theirs.iter().any(|folder| root[common..].contains(folder))
}

fn written_whole(session: &Session, at: usize, file: &str, says: Vec<String>) -> Observation {
    let events = vec![session.events[at].id.clone()];
    let mut o = Observation::about(file, WRITTEN_DOWN, Kind::Instruction, session, events, at);
    o.claim.key = WRITTEN_WHOLE.to_owned();
    o.claim.telling = false;
    o.seen = Seen::Whole { file: file.to_owned(), says };
    o
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
fn note(noted: &mut Vec<Noted>, at: usize, change: &Change, file: String) {
    let Some(place) = notes::place_of(&change.path) else { return };
    let gone = notes::withdrawn(&change.removed, place).into_iter().map(|s| (s, true));
    let came = notes::statements(&change.added, place, change.whole && !change.over).into_iter().map(|s| (s, false));
    if change.whole {
        // What this session wrote into it before is overwritten.
        noted.retain(|n| n.gone || n.files[0] != file);
    }
    for (statement, gone) in gone.chain(came) {
        let key = notes::key(&statement.text);
        match noted.iter().position(|n| n.key == key && n.files[0] == file) {
            Some(known) if noted[known].gone != gone => drop(noted.remove(known)),
            Some(_) => {}
            None => noted.push(Noted { key, at, statement, files: vec![file.clone()], gone }),
        }
    }
}

fn observe(session: &Session, steps: &Steps<'_>, noted: Noted) -> Observation {
    let Noted { key, at, statement, files, gone } = noted;
    let asked = if gone { None } else { asked(steps, at, &statement) };
    let message = asked.map(|turn| session.events[turn.at].id.clone());
    let events = message.iter().chain([&session.events[at].id]).cloned().collect();
    let mut o = Observation::about(&key, WRITTEN_DOWN, Kind::Instruction, session, events, at);
    o.claim.name = wording::name(&statement.text);
    let file = notes::shown(&files[0]);
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
    o.seen = Seen::Noted { files, message, gone };
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
    use crate::detect::{Observation, Seen, WRITTEN_DOWN, WRITTEN_WHOLE, detect};
    use crate::learn::{WITHDRAWN, fold};
    use crate::normal::notes;
    use crate::session::{Body, Session};

    /// A file, what stood in it, and what stands there then.
    type Edit<'e> = (&'e str, Option<&'e str>, &'e str);

    /// Edits files, one in each edit of a session.
    fn edited(script: &str, edits: &[Edit<'_>]) -> Session {
        let mut s = session(script);
        let mut edits = edits.iter();
        for event in &mut s.events {
            if let Body::Call(call) = &mut event.body
                && call.command().is_none()
                && let Some((path, old, new)) = edits.next()
            {
                call.written = Some(match (old, *new) {
                    (None, "") => notes::of_shell(&format!("rm {path}")),
                    _ => notes::of_edit(path, *old, new),
                });
            }
        }
        s
    }

    fn seen(session: &Session) -> Vec<String> {
        let notes = |o: &Observation| o.head.detector == WRITTEN_DOWN && o.claim.key != WRITTEN_WHOLE;
        let all = detect(session).into_iter().filter(notes);
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
        let memory = "C:\\Users\\ada\\.claude\\projects\\D--p\\memory";
        let (file, all) = (format!("{memory}\\no-wrap.md"), format!("{memory}\\MEMORY.md"));
        let windows = edited("e a\ne b", &[(&file, None, "Never wrap prose by hand."), (&all, Some(""), index)]);
        assert_eq!(seen(&windows), ["Never wrap prose by hand."]);
    }

    #[test]
    fn our_own_words_are_no_evidence() {
        let mut s = edited("e a", &[("CLAUDE.md", Some(""), RULE)]);
        s.injected.push(format!("{}: Never push to `main` directly.", crate::session::ENVELOPE));
        assert!(seen(&s).is_empty());
    }

    /// Sessions one after the other, each with edits: whether the rule stands in the end.
    fn stands(sessions: &[&[Edit<'_>]]) -> bool {
        let one = |(n, edits): (usize, &&[Edit<'_>])| {
            let mut s = edited(&"e a\n".repeat(edits.len()), edits);
            (s.id, s.root, s.cwd) = (format!("s{n}"), format!("s{n}"), Some("/p".to_owned()));
            for event in &mut s.events {
                event.id = format!("s{n}-{}", event.id);
                event.at = event.at.map(|at| at + 1_000_000 * n as i64);
            }
            detect(&s)
        };
        let mut all: Vec<Observation> = sessions.iter().enumerate().flat_map(one).collect();
        let lessons = fold("p", &all);
        all.reverse();
        assert_eq!(lessons, fold("p", &all), "whatever is read first");
        let rule = lessons.iter().find(|l| l.payload.statement == "Never push to `main` directly.").expect("a rule");
        rule.evidence.tally.as_deref() != Some(WITHDRAWN)
    }

    #[test]
    fn what_a_later_session_leaves_out_of_a_file_that_it_writes_whole_is_withdrawn() {
        const OTHER: &str = "# Shop\n\n- Always run `make deps` first.\n";
        let wrote: &[Edit<'_>] = &[("/p/CLAUDE.md", Some(""), RULE)];
        let both = format!("{OTHER}{RULE}\n");
        assert!(stands(&[wrote]));
        assert!(!stands(&[wrote, &[("/p/CLAUDE.md", None, OTHER)]]));
        assert!(!stands(&[wrote, &[("CLAUDE.md", None, OTHER)]]), "the same file");
        assert!(stands(&[wrote, &[("/p/CLAUDE.md", None, &both)]]), "it is still there");
        assert!(stands(&[wrote, &[("/p/web/CLAUDE.md", None, OTHER)]]), "another file");
        assert!(stands(&[&[("/p/CLAUDE.md", None, OTHER)], wrote]), "it came later");
        assert!(stands(&[wrote, &[("/p/CLAUDE.md", None, OTHER)], &[("/p/CLAUDE.md", None, &both)]]), "it is back");
        let again: &[Edit<'_>] = &[("/p/CLAUDE.md", None, &both), ("/p/CLAUDE.md", Some(RULE), "")];
        assert!(!stands(&[wrote, again]), "written again, and taken out after that");
        let two: &[Edit<'_>] = &[wrote[0], ("/p/AGENTS.md", Some(""), RULE)];
        assert!(stands(&[two, &[("/p/CLAUDE.md", None, OTHER)]]), "the other file has it");
        assert!(!stands(&[two, &[("/p/CLAUDE.md", None, OTHER), ("/p/AGENTS.md", None, OTHER)]]));
        assert!(stands(&[
            wrote,
            &[("/p/AGENTS.md", None, &both), ("/p/CLAUDE.md", None, "@AGENTS.md\n\n# Shop\n\nAll rules are there.")]
        ]));
    }

    #[test]
    fn a_file_that_is_taken_away_withdraws_what_it_said() {
        let wrote: &[Edit<'_>] = &[("/p/CLAUDE.md", Some(""), RULE)];
        assert!(!stands(&[wrote, &[("/p/CLAUDE.md", None, "")]]));
    }

    #[test]
    fn a_note_in_another_project_is_none_of_this_one() {
        let noted = |root: &str, file: &str| {
            let mut s = edited("e a", &[(file, Some(""), RULE)]);
            s.cwd = Some(root.to_owned());
            !seen(&s).is_empty()
        };
        for (root, file) in [
            ("/home/ada/shop", "/home/ada/shop/web/CLAUDE.md"),
            ("/home/ada/shop", "AGENTS.md"),
            ("/home/ada/shop/.worktrees/x", "/home/ada/shop/CLAUDE.md"),
            ("/home/ada/shop/.worktrees/x", "/home/ada/shop/.worktrees/y/CLAUDE.md"),
            ("/home/ada/wt/shop/x", "/home/ada/shop/CLAUDE.md"),
            ("/home/ada/shop", "/home/ada/.claude/projects/-home-ada-shop/memory/MEMORY.md"),
            ("D:\\shop", "C:\\Users\\ada\\.claude\\projects\\D--shop\\memory\\MEMORY.md"),
        ] {
            assert!(noted(root, file), "{root} {file}");
        }
        for file in ["/home/ada/forum/CLAUDE.md", "/tmp/try/AGENTS.md", "/home/ada/forum/.claude/rules/a.md"] {
            assert!(!noted("/home/ada/shop", file), "{file}");
        }
    }

    #[test]
    fn a_file_in_a_home_is_the_same_from_every_project() {
        let s = edited("e a", &[("/home/ada/.claude/CLAUDE.md", Some(""), RULE)]);
        let all = detect(&s);
        let o = all.iter().find(|o| o.head.detector == WRITTEN_DOWN).expect("a note");
        let Seen::Noted { files, .. } = &o.seen else { panic!("a note") };
        assert_eq!(files, &["~/.claude/CLAUDE.md"]);
        assert!(o.claim.title.contains(", for all your projects"), "{}", o.claim.title);
    }
}
