//! `sessions.db`: what was read, how far, by which detectors.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

mod script;

use std::collections::BTreeSet;

use script::{fix, session};
use uptake_core::session::{Body, Session};
use uptake_store::{Cursor, Kept, Sessions};

struct World {
    folder: tempfile::TempDir,
    sessions: Sessions,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = Sessions::open(folder.path()).expect("open");
        Self { folder, sessions }
    }

    /// Keeps a session from one of its events on, read with some detectors.
    fn keep_from(&mut self, session: &Session, project: &str, first_changed: usize, detectors: &str) {
        let path = path(session);
        let kept = Kept { path: &path, cursor: cursor(7), project, session, first_changed, detectors };
        self.sessions.keep(&[kept]).expect("kept");
    }

    fn keep(&mut self, session: &Session, project: &str) {
        self.keep_from(session, project, 0, "today");
    }
}

fn path(session: &Session) -> String {
    format!("/sessions/{}.jsonl", session.id)
}

fn cursor(size: u64) -> Cursor {
    Cursor { size, modified: -3, resume_at: size - 1, print: "print".into() }
}

#[test]
fn what_is_kept_comes_back_as_it_was() {
    let mut world = World::new();
    let mut kept = session("a", &format!("u build it\na I will\n{}", fix("tool")));
    if let Some(Body::Call(call)) = kept.events.iter_mut().map(|e| &mut e.body).find(|b| matches!(b, Body::Call(_))) {
        (call.cwd, call.took) = (Some("/w/web".to_owned()), Some(1_500));
        call.pending = Some("{}".to_owned());
    }
    (kept.cwd, kept.remote, kept.version) =
        (Some("/srv/shop".into()), Some("git@host:shop".into()), Some("2.1".into()));
    kept.injected = vec!["a hint".into()];
    world.keep(&kept, "shop");
    assert_eq!(world.sessions.session_of(&path(&kept)).expect("read"), Some(kept.clone()));
    assert_eq!(world.sessions.session_of("/nowhere").expect("read"), None);
    let reader = Sessions::open_read_only(world.folder.path()).expect("open").expect("there");
    let row = reader.list(Some("shop")).expect("read").pop().expect("one");
    assert_eq!(
        (row.counts.messages, row.counts.calls, row.counts.failures, row.started, row.ended),
        (1, 2, 1, Some(0), Some(3))
    );
    assert!(reader.list(Some("another")).expect("read").is_empty());
}

#[test]
fn nothing_read_is_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(Sessions::open_read_only(folder.path()).expect("looked").is_none());
}

#[test]
fn a_session_that_grew_is_written_from_the_first_event_that_changed() {
    let mut world = World::new();
    let short = session("a", "u build it\n$ make\n$ make test");
    world.keep(&short, "shop");
    // The last call got its result, and one came; what comes before is not looked at.
    let mut grown = session("a", "u something else\n$ make\n! make test => error: no rule\n$ make check");
    world.keep_from(&grown, "shop", 2, "today");
    grown.events[0] = short.events[0].clone();
    assert_eq!(world.sessions.session_of(&path(&grown)).expect("read"), Some(grown));
    // Rewritten, and shorter: nothing of the old one stays.
    let rewritten = session("a", "u start over");
    world.keep(&rewritten, "shop");
    assert_eq!(world.sessions.session_of(&path(&rewritten)).expect("read"), Some(rewritten));
    assert_eq!(world.sessions.list(None).expect("read").len(), 1);
}

#[test]
fn cursors_say_how_far_each_file_was_read_and_can_be_taken_back() {
    let mut world = World::new();
    let kept = session("a", "u build it");
    world.keep(&kept, "shop");
    let empty = "/sessions/empty.jsonl";
    world.sessions.keep_and_pass_over(&[], &[(empty.to_owned(), cursor(5))]).expect("noted");
    let far = |world: &World| [path(&kept).as_str(), empty].map(|p| world.sessions.cursor_of(p).expect("read"));
    assert_eq!(far(&world), [Some(cursor(7)), Some(cursor(5))]);
    world.sessions.look_again().expect("done");
    assert_eq!(far(&world), [Some(cursor(7)), None]);
    world.sessions.read_all_again().expect("done");
    assert_eq!(far(&world), [None, None]);
    assert!(world.sessions.session_of(&path(&kept)).expect("read").is_some(), "what was read is still there");
}

#[test]
fn a_file_is_as_it_was_if_path_size_and_time_are() {
    let mut world = World::new();
    assert!(world.sessions.looked_at().expect("read").is_empty());
    let at = cursor(5);
    world.sessions.keep_and_pass_over(&[], &[("/a.jsonl".to_owned(), at.clone())]).expect("noted");
    let seen = world.sessions.looked_at().expect("read");
    assert!(seen.has("/a.jsonl", at.size, at.modified));
    for (path, size, modified) in
        [("/b.jsonl", at.size, at.modified), ("/a.jsonl", at.size + 1, at.modified), ("/a.jsonl", at.size, 0)]
    {
        assert!(!seen.has(path, size, modified), "{path} {size} {modified}");
    }
}

#[test]
fn a_session_with_events_of_another_has_its_root() {
    let mut world = World::new();
    let mut first = session("a", "u build it\n$ make");
    first.root = "origin".into();
    world.keep(&first, "shop");
    let root = |path: &str, ids: &[&str]| world.sessions.root_of_events(path, ids.iter().copied()).expect("read");
    assert_eq!(root("/fork.jsonl", &["new", "a-1"]), Some("origin".into()));
    assert_eq!(root("/fork.jsonl", &["new"]), None);
    assert_eq!(root(&path(&first), &["a-0", "a-1"]), None, "itself is no other");
}

#[test]
fn a_session_known_by_its_folder_moves_to_the_project_of_that_folder() {
    let mut world = World::new();
    let in_folder = |id: &str, folder: &str| {
        let mut session = session(id, "u build it");
        session.cwd = Some(folder.into());
        session
    };
    for (id, folder, project) in [
        ("named", "/srv/shop", "git.example.com/shop"),
        ("same", "/srv/shop", "path:/srv/shop"),
        ("other", "/srv/bank", "path:/srv/bank"),
        ("root", "/srv/bank", "root:1234"),
    ] {
        world.keep(&in_folder(id, folder), project);
    }
    let groups = world.sessions.groups(Some("path:/srv/shop")).expect("read");
    assert_eq!(groups.iter().map(|g| (g.cwd.as_deref(), g.sessions)).collect::<Vec<_>>(), [(Some("/srv/shop"), 1)]);
    let moved = world.sessions.moving(&groups[0], "git.example.com/shop").expect("read");
    let all: Vec<_> = moved.iter().map(|m| (m.session.as_str(), m.from.as_str(), m.to.as_str())).collect();
    assert_eq!(all, [("same", "path:/srv/shop", "git.example.com/shop")]);
    world.sessions.move_sessions(&moved).expect("moved");
    assert!(world.sessions.groups(Some("path:/srv/shop")).expect("read").is_empty());
    assert_eq!(
        world.sessions.paths_of("git.example.com/shop").expect("read"),
        ["/sessions/named.jsonl", "/sessions/same.jsonl"]
    );
    world.sessions.move_paths(&["/sessions/other.jsonl".into()], "bank").expect("moved");
    assert_eq!(world.sessions.folders_of("bank").expect("read"), ["/srv/bank"]);
    let paths = ["/sessions/other.jsonl", "/sessions/root.jsonl", "/nowhere"];
    let projects = world.sessions.projects_of(paths.iter()).expect("read");
    assert_eq!(projects, BTreeSet::from(["bank".to_owned(), "root:1234".to_owned()]));
}

#[test]
fn a_session_read_with_other_detectors_is_outdated_until_newer_ones_looked() {
    let mut world = World::new();
    let (old, new) = (session("old", &fix("tool")), session("new", "u build it"));
    world.keep_from(&old, "shop", 0, "older");
    world.keep(&new, "shop");
    let outdated = world.sessions.outdated("today").expect("read");
    assert_eq!(outdated.len(), 1);
    assert_eq!(
        (outdated[0].path.as_str(), outdated[0].project.as_str(), outdated[0].events),
        (&*path(&old), "shop", 2)
    );
    let forgotten = vec!["old-0".to_owned()];
    world.sessions.detected_again(&[(&outdated[0], forgotten)], "today").expect("noted");
    assert!(world.sessions.outdated("today").expect("read").is_empty());
    let mut blanked = old.clone();
    blanked.events[0].blank();
    let kept = world.sessions.session_of(&path(&old)).expect("read").expect("there");
    assert_eq!(kept.events[1], blanked.events[1]);
    assert!(kept.events[0].call().is_some_and(|c| c.input.is_empty() && c.output.head().is_empty()));
    assert_eq!(world.sessions.outdated("tomorrow").expect("read").len(), 2);
}

#[test]
fn a_session_another_process_read_on_meanwhile_is_looked_at_once_more() {
    let mut world = World::new();
    world.keep_from(&session("a", "u build it"), "shop", 0, "older");
    let outdated = world.sessions.outdated("today").expect("read");
    // The other one has the longer session, and wrote what it saw before we did.
    world.keep(&session("a", "u build it\n$ make"), "shop");
    world.sessions.detected_again(&[(&outdated[0], Vec::new())], "today").expect("noted");
    assert_eq!(world.sessions.outdated("today").expect("read").len(), 1);
}
