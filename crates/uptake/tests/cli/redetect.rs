//! `uptake learn` after an update: newer detectors look again at what is kept of sessions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use uptake_store::Lessons;
use uptake_testkit::database;
use uptake_testkit::transcript::claude;

use crate::world::{World, files, fixtures, text};

fn sql(world: &World, db: &str, statement: &str) {
    database::execute(&world.data().join(db), statement);
}

fn rows(world: &World) -> Vec<Value> {
    world.run(&["list", "--all", "--json"]).ok().objects()
}

/// A history that was read with older detectors, which saw nothing.
fn read_with_older() -> (World, Vec<Value>) {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let today = rows(&world);
    assert!(!today.is_empty());
    for table in ["observations", "lessons"] {
        sql(&world, "lessons.db", &format!("DELETE FROM {table}"));
    }
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    (world, today)
}

#[test]
fn newer_detectors_look_again_at_what_is_kept_also_where_the_transcript_is_gone() {
    let (world, today) = read_with_older();
    for gone in files(&world.home().join(".claude/projects")) {
        std::fs::remove_file(gone).expect("gone");
    }
    // Readers do not look again.
    assert!(rows(&world).is_empty());
    let sessions = world.run(&["sessions", "--json"]).ok().objects().len();
    let run = world.run(&["learn"]).ok();
    let said = format!("The detectors are newer than last time: {sessions} sessions looked at again.");
    assert!(run.out.contains(&said), "{}", run.out);
    assert_eq!(rows(&world), today);
    assert!(!world.run(&["learn"]).ok().out.contains("looked at again"), "once is enough");
}

#[test]
fn a_project_that_is_left_alone_is_not_looked_at_again() {
    let (world, today) = read_with_older();
    let mut projects: Vec<&str> = today.iter().filter_map(|r| r["project"].as_str()).collect();
    projects.sort_unstable();
    projects.dedup();
    world.run(&["config", "set", "exclude", &projects.join(",")]).ok();
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).is_empty());
    world.run(&["config", "set", "exclude", ""]).ok();
    world.run(&["learn", "--json"]).ok();
    assert_eq!(rows(&world), today);
}

#[test]
fn a_rejected_lesson_stays_so_when_its_sessions_are_looked_at_again() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = world.run(&["review", "--json"]).ok().objects()[0]["id"].as_str().expect("an id").to_owned();
    world.run(&["review", "--reject", &id]).ok();
    let before = rows(&world);
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(rows(&world), before);
}

/// A lesson of the store that an older release left.
struct Decided {
    said: String,
    statement: String,
    failure: String,
}

/// A store in which an older release kept what was seen in `sessions.txt`, with 50 lessons rejected, 50 forgotten, 10
/// approved and 15 open.
fn world_of_older_release() -> (World, Vec<Decided>) {
    let world = World::new();
    let read =
        |name: &str| std::fs::read_to_string(fixtures().join("stores/each-shell").join(name)).expect("a fixture");
    std::fs::create_dir_all(world.data()).expect("a folder");
    for name in ["lessons", "sessions"] {
        database::from_sql(&world.data().join(format!("{name}.db")), &read(&format!("{name}.sql")));
    }
    world.write("data/tombstone.key", "the key of a fixture\n");
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/shop.git\n");
    let decided = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let of = |key: &str| text(&row, key).to_owned();
        Decided { said: of("said"), statement: of("text"), failure: of("failure") }
    };
    (world, read("decided.jsonl").lines().map(decided).collect())
}

fn write_session(world: &World, id: &str, script: &str) {
    let folder = world.path("work");
    world.write(&format!("home/.claude/projects/-work/{id}.jsonl"), &claude(id, &folder.to_string_lossy(), script));
}

/// All sessions that the older release read, under other ids.
fn write_sessions(world: &World, name: &str) {
    let scripts = std::fs::read_to_string(fixtures().join("stores/each-shell/sessions.txt")).expect("a fixture");
    for (n, script) in scripts.split("\n--\n").enumerate() {
        write_session(world, &format!("{name}{n}"), script);
    }
}

/// In which states the lessons stand that say what was decided, by what was said of them.
fn standing(world: &World, decided: &[Decided]) -> BTreeMap<String, usize> {
    let rows = rows(world);
    let mut out = BTreeMap::new();
    for d in decided {
        let found: Vec<&str> =
            rows.iter().filter(|r| text(r, "text") == d.statement).map(|r| text(r, "status")).collect();
        let state = match d.said.as_str() {
            // As ready as its evidence makes it.
            "open" if !found.is_empty() => "there".to_owned(),
            _ => found.join(" and "),
        };
        *out.entry(format!("{}: {state}", d.said)).or_default() += 1;
    }
    out
}

fn offered(world: &World, decided: &[Decided]) -> usize {
    let waiting = world.run(&["review", "--json"]).ok().objects();
    let closed = |r: &&Value| decided.iter().any(|d| d.said != "open" && d.statement == text(r, "text"));
    waiting.iter().filter(closed).count()
}

#[test]
fn nothing_that_was_decided_under_an_older_release_comes_back() {
    let (world, decided) = world_of_older_release();
    let expected = [("approved: approved", 10), ("forgotten: ", 50), ("open: there", 15), ("rejected: rejected", 50)];
    let expected: BTreeMap<String, usize> = expected.map(|(state, count)| (state.to_owned(), count)).into();
    write_session(&world, "other", "u hello\n$ ls => README.md");
    world.run(&["learn", "--json"]).ok();
    assert_eq!((standing(&world, &decided), offered(&world, &decided)), (expected.clone(), 0), "looked at again");
    // The same failures in new sessions.
    write_sessions(&world, "new");
    world.run(&["learn", "--json"]).ok();
    assert_eq!((standing(&world, &decided), offered(&world, &decided)), (expected, 0), "new sessions");
}

#[test]
fn what_an_older_release_approved_is_told_in_the_words_of_every_shell() {
    let (world, decided) = world_of_older_release();
    write_session(&world, "other", "u hello\n$ ls => README.md");
    world.run(&["learn", "--json"]).ok();
    let mut asked = 0;
    for d in decided.iter().filter(|d| d.said == "approved" && !["flag", "folder"].contains(&d.failure.as_str())) {
        let command = d.statement.split('`').nth(1).expect("a command");
        let program = command.strip_prefix("make deps && ").unwrap_or(command).split(' ').next().expect("a program");
        for (n, error) in [
            format!("bash: line 1: {program}: command not found"),
            format!("/usr/bin/bash: line 1: {program}: command not found"),
            format!("zsh:1: command not found: {program}"),
            format!("/bin/sh: 1: {program}: not found"),
            format!("fish: Unknown command: {program}"),
            format!("{program}: command not found"),
        ]
        .iter()
        .enumerate()
        {
            let payload = json!({
                "session_id": format!("{program}{n}"), "transcript_path": "/nowhere", "cwd": world.path("work"),
                "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": { "command": command },
                "tool_use_id": "t1", "error": format!("Exit code 127\n{error}"), "is_interrupt": false
            });
            let out = world.run_with(&["hook", "claude"], &payload.to_string()).ok().out;
            assert!(out.contains(&d.statement), "{error}: {out}");
            asked += 1;
        }
    }
    assert_eq!(asked, 8 * 6);
}

/// All lessons, those of every detector early.
fn of_all_kinds(world: &World) -> Vec<Value> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows: Vec<(usize, Value)> = rows(world)
        .into_iter()
        .map(|row| {
            let count = seen.entry(text(&row, "detector").to_owned()).or_default();
            *count += 1;
            (*count, row)
        })
        .collect();
    rows.sort_by_key(|(nth, _)| *nth);
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn of_lessons_of_all_kinds_none_that_was_decided_comes_back() {
    let world = World::new().with_history();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/shop.git\n");
    write_sessions(&world, "old");
    world.run(&["learn", "--json"]).ok();
    let all = of_all_kinds(&world);
    let (decided, open) = all.split_at(100);
    assert!(!open.is_empty());
    for (n, row) in decided.iter().enumerate() {
        let id = text(row, "id");
        let how = if n % 2 == 0 { ["review", "--reject", id] } else { ["forget", id, "--yes"] };
        world.run(&how).ok();
    }
    let said = |row: &Value| (text(row, "text").to_owned(), text(row, "status").to_owned());
    let before: Vec<(String, String)> = rows(&world).iter().map(said).collect();
    assert_eq!(before.iter().filter(|(_, status)| status == "rejected").count(), 50);
    let now_said = |world: &World| -> Vec<(String, String)> { rows(world).iter().map(said).collect() };
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(now_said(&world), before, "looked at again");
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    let closed =
        |(words, status): &(String, String)| decided.iter().any(|d| text(d, "text") == words) && status != "rejected";
    assert_eq!(now_said(&world).iter().filter(|row| closed(row)).count(), 0, "read anew");
}

/// So many steps of a session in which something goes wrong now and then, and a person says something.
fn endless(steps: std::ops::Range<usize>) -> String {
    let step = |n: usize| match n % 400 {
        5 => format!("u always run make gen{n} before make test{n}\n"),
        200 => format!("! tool{n} report --format json => error: unexpected argument '--format' found\n"),
        201 => format!("$ tool{} report --output json => written\n", n - 1),
        _ => format!("$ cat src/file{}.rs => fn part{n}\n", n % 97),
    };
    steps.map(step).collect()
}

#[test]
fn a_session_whose_middle_was_thinned_is_looked_at_again_without_losing_or_doubling_anything() {
    const FIRST: usize = 38_000;
    const ALL: usize = 46_000;
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/shop.git\n");
    let path = world.home().join(".claude/projects/-work/endless.jsonl");
    let seen = |world: &World| {
        let lessons = Lessons::open_read_only(&world.data()).expect("opened").expect("a store");
        lessons.kept_of(&path.to_string_lossy()).expect("read")
    };
    // Read once, and then read on: the middle is thinned both times.
    for steps in [FIRST, ALL] {
        write_session(&world, "endless", &endless(0..steps));
        let learned = world.run(&["learn"]).ok();
        assert!(learned.err.contains("left out of the middle"), "{}", learned.err);
        let events = database::number(&world.data().join("sessions.db"), "SELECT count(*) FROM events");
        assert!(events < steps as i64, "{events}");
        let (before, listed) = (seen(&world), rows(&world));
        // What went wrong is kept, also in the middle; each fix and each rule is one lesson.
        assert!(before.len() > steps / 400 && listed.len() > steps / 400, "{} in {}", before.len(), listed.len());
        let told = |row: &Value| text(row, "text").to_owned();
        let different: BTreeSet<String> = listed.iter().map(told).collect();
        assert_eq!(different.len(), listed.len());
        sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
        let again = world.run(&["learn"]).ok();
        assert!(again.out.contains("1 session looked at again"), "{}", again.out);
        assert_eq!(seen(&world), before);
        assert_eq!(rows(&world), listed);
    }
    // The transcript is gone: what is kept is still enough.
    let before = seen(&world);
    std::fs::remove_file(&path).expect("gone");
    sql(&world, "lessons.db", "DELETE FROM observations");
    sql(&world, "sessions.db", "UPDATE sessions SET detectors = 'older'");
    world.run(&["learn"]).ok();
    assert_eq!(seen(&world), before);
}
