//! Sessions of every agent, where the agent keeps them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::world::{World, copy, files, finish, fixtures};

/// The recorded folders of a client, the one with most sessions last.
fn recorded(client: &str) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(fixtures().join("recorded")).expect("fixtures").flatten().map(|e| e.path());
    let named = |f: &PathBuf| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with(client));
    let mut found: Vec<PathBuf> = folders.filter(named).collect();
    found.sort_by_key(|f| std::fs::read_to_string(f.join("index.jsonl")).map_or(0, |t| t.lines().count()));
    assert!(!found.is_empty(), "nothing recorded with {client}");
    found
}

fn fullest(client: &str) -> PathBuf {
    recorded(client).pop().expect("one")
}

const CLIENTS: [&str; 4] = ["claude", "codex", "opencode", "gemini"];

/// A home with what clients recorded, each in its own place.
fn at_home(clients: &[&str]) -> World {
    let world = World::new();
    for client in clients {
        let (from, to) = match *client {
            "claude" => (fullest(client).join("projects"), ".claude/projects"),
            "codex" => (fullest(client).join("sessions"), ".codex/sessions"),
            "opencode" => (fullest(client), ".local/share/opencode"),
            _ => (fullest(client), ".gemini"),
        };
        copy(&from, &world.home().join(to));
    }
    world
}

#[test]
fn every_agent_is_found_where_it_keeps_its_sessions() {
    for client in CLIENTS {
        let world = at_home(&[client]);
        let before = files(&world.home());
        world.run(&["learn"]).ok();
        let sessions = world.run(&["sessions", "--json"]).ok().objects();
        assert!(sessions.len() >= 4, "{client}: {}", sessions.len());
        assert!(sessions.iter().all(|s| s["source"] == client), "{client}");
        assert!(sessions.iter().all(|s| s["calls"].as_i64() > Some(0)), "{client}: every session has calls");
        assert_eq!(files(&world.home()), before, "{client}: nothing was left in its folders");
        let again = world.run(&["learn"]).ok();
        assert!(again.out.contains("nothing new."), "{client}: {}", again.out);
    }
}

/// The same mistake in the same project is the same lesson, whichever agent made it.
#[test]
fn one_session_seen_through_several_clients_gives_one_lesson() {
    let world = at_home(&CLIENTS);
    let lessons = world.run(&["learn", "--json", "--all"]).ok().objects();
    for wanted in ["--output json", "make deps"] {
        let found: Vec<&Value> =
            lessons.iter().filter(|l| l["kind"] == "recovery" && l["commands"].to_string().contains(wanted)).collect();
        assert_eq!(found.len(), 1, "{wanted}: {found:?}");
        assert_eq!(found[0]["sources"], serde_json::json!(["claude", "codex", "gemini", "opencode"]), "{wanted}");
    }
}

#[test]
fn a_database_and_its_exports_are_the_same_sessions() {
    let world = World::new();
    let folder = fullest("opencode");
    let shown = |paths: &[&Path]| -> Vec<Value> {
        let mut rows = world.run_on(&["events", "--json"], paths).ok().objects();
        rows.iter_mut().for_each(|r| {
            r.as_object_mut().map(|o| o.remove("project"));
        });
        rows.sort_by_key(|r| (r["session"].to_string(), r["seq"].as_i64()));
        rows
    };
    let rows = shown(&[&folder.join("opencode.db")]);
    assert!(rows.len() > 20, "{}", rows.len());
    assert_eq!(rows, shown(&[&folder.join("exports")]));
    // Seen in both, a session still counts once.
    let seen = |paths: &[&Path]| {
        let world = World::new();
        let learned = world.run_on(&["learn", "--json"], paths).ok().objects();
        let fix = learned.iter().find(|l| l["commands"].to_string().contains("--output json")).expect("the fix");
        fix["sessions"].as_u64()
    };
    assert_eq!(seen(&[&folder.join("opencode.db")]), seen(&[&folder.join("opencode.db"), &folder.join("exports")]));
}

#[test]
fn older_versions_are_read_too() {
    for client in ["opencode", "gemini"] {
        for folder in recorded(client) {
            let world = World::new();
            let inside = if client == "gemini" { folder.join("tmp") } else { folder.join("opencode.db") };
            let events = world.run_on(&["events", "--json"], &[&inside]).ok();
            let failed = events.objects().iter().filter(|e| e["outcome"] == "failed").count();
            assert!(failed > 0, "{}: failures are seen", folder.display());
            assert!(events.err.is_empty(), "{}: {}", folder.display(), events.err);
        }
    }
}

#[test]
fn client_folders_that_were_moved_are_honoured() {
    let world = World::new();
    copy(&fullest("opencode"), &world.path("data/opencode"));
    copy(&fullest("gemini"), &world.path("g/.gemini"));
    let mut command = world.command();
    command.env("XDG_DATA_HOME", world.path("data")).env("GEMINI_CLI_HOME", world.path("g"));
    finish(command.args(["learn"]), "").ok();
    let sessions = world.run(&["sessions", "--json"]).ok().objects();
    for source in ["opencode", "gemini"] {
        assert!(sessions.iter().any(|s| s["source"] == source), "{source}");
    }
    let other = World::new();
    let database = fullest("opencode").join("opencode.db");
    finish(other.command().env("OPENCODE_DB", database).args(["learn"]), "").ok();
    assert!(!other.run(&["sessions", "--json"]).ok().out.is_empty());
}

#[test]
fn a_database_that_is_none_is_named_and_nothing_else_suffers() {
    let world = at_home(&["opencode"]);
    world.write("home/.local/share/opencode/opencode-beta.db", &"this is no database ".repeat(100));
    let run = world.run(&["learn"]).ok();
    assert!(run.err.contains("opencode-beta.db"), "{}", run.err);
    assert!(!world.run(&["sessions", "--json"]).ok().out.is_empty());
}

#[test]
fn a_password_of_an_environment_file_reaches_nothing() {
    let world = World::new();
    let project = world.path("home/project");
    std::fs::create_dir_all(project.join(".git")).expect("a folder");
    std::fs::write(project.join(".env.local"), "DB_PASSWORD=correct-horse-42\nPORT=3000\n").expect("a file");
    let text = r#"{"sessionId":"s-1","projectHash":"4c28","kind":"main","directories":["FOLDER"]}
{"id":"u1","timestamp":"2026-11-15T18:21:09.148Z","type":"user","content":"correct-horse-42 is what I use, on 3000"}
{"id":"g1","timestamp":"2026-11-15T18:21:10.148Z","type":"gemini","content":"","toolCalls":[{"id":"c-1","name":"run_shell_command","args":{"command":"login Y29ycmVjdC1ob3JzZS00Mg=="},"status":"success","result":[{"functionResponse":{"response":{"output":"Output: who is correct-horse-42?\nExit Code: 1"}}}]}]}
"#;
    let text = text.replace("FOLDER", &project.to_string_lossy());
    world.write("home/.gemini/tmp/project/chats/session-1.jsonl", &text);
    world.run(&["learn"]).ok();
    let events = world.run_on(&["events", "--json"], &[&world.home().join(".gemini")]).ok().out;
    assert!(events.contains("3000") && events.contains("[redacted:"), "{events}");
    let mut all = events.into_bytes();
    files(&world.data()).iter().for_each(|f| all.extend(std::fs::read(f).expect("readable")));
    for form in ["correct-horse", "Y29ycmVjdC1ob3"] {
        assert!(!all.windows(form.len()).any(|w| w == form.as_bytes()), "{form}");
    }
}
