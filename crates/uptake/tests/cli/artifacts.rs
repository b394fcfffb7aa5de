//! What a yes makes of each kind of lesson, and what becomes of it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::world::{World, files, text};

/// Lessons of other kinds than those that sessions give easily.
const LESSONS: &str = r#"{"format":"uptake-lessons","id":"a1","kind":"decision","text":"Use Postgres because SQLite locks under load","sessions":3}
{"format":"uptake-lessons","id":"a2","kind":"pitfall","text":"The worker in src/queue.ts drops jobs; use the outbox instead","sessions":3}
{"format":"uptake-lessons","id":"a3","kind":"workflow","text":"To release: bump the version, tag it, push the tag","sessions":4}
{"format":"uptake-lessons","id":"a4","kind":"decision","text":"Serve HTML from the server","sessions":3}
"#;

/// A repository in which lessons of all kinds wait.
pub fn waiting() -> World {
    let world = World::new();
    for folder in ["shop", "home/.claude", "home/.codex"] {
        std::fs::create_dir_all(world.path(folder)).expect("made");
    }
    git(&world.path("shop"), &["init", "-q", "."]);
    world.write("lessons.jsonl", LESSONS);
    let key = world.run_in("shop", &["project", "here"]).ok().out;
    let file = world.path("lessons.jsonl");
    world.run(&["import", "--project", key.trim(), &file.to_string_lossy()]).ok();
    world
}

pub fn git(folder: &Path, args: &[&str]) {
    assert!(Command::new("git").args(args).current_dir(folder).status().expect("git runs").success());
}

/// Files are welcome in the repository.
pub fn opted() -> World {
    let world = waiting();
    world.run_in("shop", &["trust", "--files"]).ok();
    world
}

/// Says yes to what begins like this.
pub fn accept(world: &World, words: &str) -> String {
    let rows = world.run_in("shop", &["review", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| text(r, "text").starts_with(words)).expect("a lesson");
    let id = text(row, "id").to_owned();
    world.run_in("shop", &["review", "--accept", &id]).ok();
    id
}

pub fn accept_all(world: &World) -> Vec<String> {
    ["Use Postgres", "The worker", "To release", "Serve HTML"].map(|words| accept(world, words)).to_vec()
}

fn made(world: &World) -> Vec<PathBuf> {
    let shop = world.path("shop");
    let inside = files(&shop).into_iter().filter(|f| !f.starts_with(shop.join(".git")));
    let mut out: Vec<PathBuf> = inside.map(|f| f.strip_prefix(&shop).expect("inside").to_owned()).collect();
    out.sort();
    out
}

pub fn decisions(world: &World) -> PathBuf {
    world.path("shop/.uptake/knowledge/decisions.md")
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn status(world: &World, id: &str) -> String {
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    text(rows.iter().find(|r| r["id"] == id).expect("there"), "status").to_owned()
}

#[test]
fn each_kind_has_a_file_of_its_own_in_a_project_that_wants_them() {
    let world = opted();
    accept_all(&world);
    world.run_in("shop", &["add", "Never push to main"]).ok();
    let expected = [
        ".agents/skills/never-push-main/SKILL.md",
        ".claude/commands/uptake/release-bump-version-tag-push.md",
        ".claude/skills/never-push-main/SKILL.md",
        ".uptake/knowledge/decisions.md",
        ".uptake/knowledge/pitfalls.md",
    ];
    assert_eq!(made(&world), expected.map(PathBuf::from));
    let index = world.run_in("shop", &["knowledge"]).ok().out;
    assert!(
        index.contains("Decisions (2):\n  ADR-001  Use Postgres because SQLite locks under load  [Active]\n"),
        "{index}"
    );
    assert!(
        index.contains(
            "  PF-001  The worker in src/queue.ts drops jobs; use the outbox inste…  [Active]  —  src/queue.ts"
        )
    );
    assert!(files(&world.home()).is_empty(), "nothing is user-wide");
}

#[test]
fn without_a_word_nothing_is_written_into_a_project() {
    let world = waiting();
    accept_all(&world);
    assert_eq!(made(&world), Vec::<PathBuf>::new());
}

#[test]
fn an_agent_that_asks_at_the_start_is_told_there_and_no_user_wide_skill_is_made() {
    let world = waiting();
    let hook = r#"[{"hooks": [{"type": "command", "command": "uptake hook claude"}]}]"#;
    let settings = format!(r#"{{"hooks": {{"SessionStart": {hook}, "PostToolUseFailure": {hook}}}}}"#);
    world.write("home/.claude/settings.json", &settings);
    accept_all(&world);
    world.run_in("shop", &["add", "Never push to main"]).ok();
    let skills = files(&world.home()).into_iter().filter(|f| f.ends_with("SKILL.md"));
    assert_eq!((skills.count(), made(&world).len()), (0, 0));
    let shop = world.path("shop");
    let start = format!(
        r#"{{"session_id":"s1","cwd":"{}","hook_event_name":"SessionStart","source":"startup"}}"#,
        shop.display()
    );
    let told = world.run_with(&["hook", "claude"], &start).ok().out;
    for words in ["Never push to main [", "ADR-001  Use Postgres", "To release: bump", "`applies ADR-NNN`"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn what_a_person_changed_is_theirs_and_what_they_deleted_is_retired() {
    let world = opted();
    let ids = accept_all(&world);
    let path = decisions(&world);
    let before = read(&path);
    let changed = before.replace("- **Decision**: Use Postgres", "- **Decision**: Use Postgres 17");
    std::fs::write(&path, &changed).expect("written");
    let report = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!((report["edits"].as_i64(), report["unchanged"].as_i64()), (Some(1), Some(3)), "{report}");
    let again = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!((again["edits"].as_i64(), again["unchanged"].as_i64()), (Some(0), Some(4)), "an edit counts once");
    // Taken back, the changed entry stays; the other goes.
    world.run_in("shop", &["review", "--reject", &ids[0]]).ok();
    world.run_in("shop", &["reconcile"]).ok();
    assert!(read(&path).contains("Use Postgres 17"));
    let without = read(&path).split("## ADR-002").next().expect("a start").to_owned();
    std::fs::write(&path, without).expect("written");
    let report = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!(report["deleted"], serde_json::json!([ids[3]]), "{report}");
    assert_eq!(status(&world, &ids[3]), "retired");
    // A number is never given twice.
    world.run_in("shop", &["review", "--accept", &ids[3]]).ok();
    assert!(read(&path).contains("## ADR-003: Serve HTML"), "{}", read(&path));
}

#[test]
fn undo_and_forget_take_out_what_was_made_and_nothing_else() {
    let world = opted();
    let path = decisions(&world);
    let own = "# Ours\r\n\r\n## ADR-007: By hand\r\n\r\nBecause.\r\n";
    world.write("shop/.uptake/knowledge/decisions.md", own);
    let id = accept(&world, "Use Postgres");
    assert!(read(&path).starts_with(own) && read(&path).contains("## ADR-008: Use Postgres"));
    world.run_in("shop", &["undo"]).ok();
    assert_eq!(read(&path), own);
    world.run_in("shop", &["review", "--accept", &id]).ok();
    assert!(read(&path).contains("## ADR-009: Use Postgres"), "{}", read(&path));
    world.run_in("shop", &["forget", &id, "--yes"]).ok();
    assert_eq!(read(&path), own);
}

#[test]
fn on_another_branch_nothing_was_deleted() {
    let world = opted();
    accept_all(&world);
    let shop = world.path("shop");
    std::fs::write(shop.join(".git/HEAD"), "ref: refs/heads/other\n").expect("written");
    std::fs::remove_file(decisions(&world)).expect("gone");
    let report = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!(report["deletions"], 0, "{report}");
}

#[test]
fn what_a_kill_left_is_put_right_with_the_number_it_was_promised() {
    let world = opted();
    let id = accept(&world, "Use Postgres");
    let (path, database) = (decisions(&world), world.data().join("lessons.db"));
    let whole = read(&path);
    let begun = "UPDATE artifacts SET at = 0";
    // Killed before the file was written, and after it.
    for text in [None, Some(&whole)] {
        uptake_testkit::database::execute(&database, begun);
        match text {
            None => std::fs::remove_file(&path).expect("gone"),
            Some(text) => std::fs::write(&path, text).expect("written"),
        }
        let report = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
        assert_eq!((report["healed"].as_i64(), read(&path)), (Some(1), whole.clone()), "{report}");
    }
    // A store that lost what it noted finds its entry again.
    uptake_testkit::database::execute(&database, "DELETE FROM artifacts");
    let report = world.run_in("shop", &["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!(report["healed"], 1, "{report}");
    assert_eq!(status(&world, &id), "created");
}

#[test]
fn a_session_that_starts_has_touched_files_looked_at() {
    let world = opted();
    let ids = accept_all(&world);
    world.run_in("shop", &["reconcile"]).ok();
    let path = decisions(&world);
    let without = read(&path).split("## ADR-002").next().expect("a start").to_owned();
    std::fs::write(&path, without).expect("written");
    let start = serde_json::json!({ "session_id": "s", "cwd": world.path("shop"), "hook_event_name": "SessionStart", "source": "startup" });
    world.run_with(&["hook", "claude"], &start.to_string()).ok();
    // Nobody waits for the run in the background; who does so here gives it a minute.
    let is_retired = || status(&world, &ids[3]) == "retired";
    let seen = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        is_retired()
    });
    assert!(seen, "what was deleted is retired without a word of the user");
}

#[cfg(unix)]
#[test]
fn a_link_on_the_way_is_refused() {
    let world = opted();
    let outside = world.path("outside");
    std::fs::create_dir_all(&outside).expect("made");
    for link in [".uptake", ".claude"] {
        std::os::unix::fs::symlink(&outside, world.path("shop").join(link)).expect("a link");
    }
    for words in ["Use Postgres", "To release"] {
        let rows = world.run_in("shop", &["review", "--all", "--json"]).ok().objects();
        let row = rows.iter().find(|r| text(r, "text").starts_with(words)).expect("a lesson");
        let run = world.run_in("shop", &["review", "--accept", text(row, "id")]);
        assert!(run.code == 1 && run.err.contains("is a link; uptake writes through no links"), "{}", run.err);
    }
    assert!(files(&outside).is_empty());
}

#[test]
fn many_processes_give_every_decision_a_number_of_its_own_while_a_person_writes() {
    let world = opted();
    let path = decisions(&world);
    world.write("shop/.uptake/knowledge/decisions.md", "# Ours\n");
    let lines: String = (0..16)
        .map(|n| format!("{{\"format\":\"uptake-lessons\",\"id\":\"b{n}\",\"kind\":\"decision\",\"text\":\"Choose option number {n} for module m{n}\",\"sessions\":3}}\n"))
        .collect();
    let file = world.write("more.jsonl", &lines);
    let key = world.run_in("shop", &["project", "here"]).ok().out;
    world.run(&["import", "--project", key.trim(), &file.to_string_lossy()]).ok();
    let rows = world.run_in("shop", &["review", "--all", "--json"]).ok().objects();
    let ids: Vec<&str> = rows.iter().filter(|r| text(r, "text").starts_with("Choose")).map(|r| text(r, "id")).collect();
    let accept = |id: &&str| {
        let mut command = world.command();
        command.args(["review", "--accept", id]).current_dir(world.path("shop")).stdout(Stdio::null());
        command.spawn().expect("starts")
    };
    let mut runs: Vec<_> = ids.iter().map(accept).collect();
    // Meanwhile a person adds to the file.
    let mut notes = 0;
    while runs.iter_mut().any(|run| run.try_wait().expect("known").is_none()) {
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("there");
        file.write_all(format!("note {notes}.\n").as_bytes()).expect("written");
        notes += 1;
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let lost: Vec<usize> = (0..notes).filter(|n| !read(&path).contains(&format!("note {n}.\n"))).collect();
    assert!(lost.is_empty(), "{lost:?} of {notes}");
    let text = read(&path);
    let mut numbers: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("## ADR-")?.split(':').next()).collect();
    assert_eq!(numbers.len(), ids.len(), "{text}");
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), ids.len(), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_typed_into_a_file_through_an_old_door_comes_back_and_forgetting_leaves_no_copy() {
    let world = opted();
    let path = decisions(&world);
    let first = accept(&world, "Use Postgres");
    let mut old = std::fs::OpenOptions::new().append(true).open(&path).expect("there");
    let seen = |words: &str| read(&path).matches(words).count();
    // It stays open for longer than anybody waits.
    accept(&world, "Serve HTML");
    old.write_all(b"typed late\n").expect("written");
    assert_eq!(seen("typed late"), 0);
    let told = world.run(&["reconcile"]).ok().out;
    assert!(told.contains("What was typed into ") && told.contains("stands at its end"), "{told}");
    assert_eq!(seen("typed late"), 1);
    world.run(&["forget", &first, "--yes"]).ok();
    let kept = std::fs::read_dir(world.data().join("late")).map_or(0, Iterator::count);
    assert_eq!((kept, read(&path).contains("Postgres"), seen("typed late")), (0, false, 1));
}

#[test]
fn lessons_about_one_thing_are_one_skill_and_leave_it_one_by_one() {
    let world = World::new();
    std::fs::create_dir_all(world.home().join(".claude")).expect("made");
    let fix = |n: usize| {
        format!(
            "u go\n$ tool part{n} --format json => error: unexpected argument '--format' found in part{n}\n$ tool part{n} --output json => ok\n"
        )
    };
    for n in 0..3 {
        for session in 0..2 {
            let text = crate::world::messages(&fix(n)).replace("id\":\"c", &format!("id\":\"s{n}{session}c"));
            world.write(&format!("h/shop/s{n}{session}.json"), &text);
        }
    }
    let rows = crate::world::learn(&world);
    let ids: Vec<&str> = rows.iter().filter(|r| r["kind"] == "recovery").map(|r| text(r, "id")).collect();
    assert!(ids.len() >= 2, "{rows:?}");
    for id in &ids {
        world.run(&["review", "--skill", "--accept", id]).ok();
    }
    let skills = crate::world::skills(&world);
    assert_eq!(skills.len(), 1, "{skills:?}");
    let whole = read(&skills[0]);
    assert!(ids.iter().all(|id| whole.contains(id)), "{whole}");
    world.run(&["undo"]).ok();
    let less = read(&skills[0]);
    assert!(!less.contains(ids[ids.len() - 1]) && less.contains(ids[0]), "{less}");
    for id in &ids[..ids.len() - 1] {
        world.run(&["review", "--reject", id]).ok();
    }
    world.run(&["learn", "--json"]);
    world.run(&["reconcile"]).ok();
    assert!(crate::world::skills(&world).is_empty());
}
