//! Clients that live on (O3): what was released is told once, again after trouble that passes, and only what was told is cleared; in the
//! dialect of each client.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::world::{World, text};

const NONE: [usize; 0] = [];

const CLIENTS: [&str; 4] = ["claude", "codex", "opencode", "gemini"];

/// A project with so many lessons that an agent may write up.
fn world(released: usize) -> World {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let candidate = |n: usize| {
        json!({ "id": format!("sc_{n}_0"), "title": format!("Turns out service number {n} listens on port 808{n}"),
            "reason": "Non-obvious", "confidence": "high", "evidence": [], "detectedAt": 1_763_230_000_000_i64 })
    };
    let staged = json!({ "candidates": (0..released).map(candidate).collect::<Vec<_>>() });
    world.write("work/.claude/mind-skills-pending.json", &staged.to_string());
    world.run_on(&["import"], &[&world.path("work")]).ok();
    release(&world);
    world
}

fn release(world: &World) {
    for row in world.run(&["review", "--all", "--json"]).ok().objects() {
        world.run(&["review", "--release", text(&row, "id")]).ok();
    }
}

fn payload(world: &World, session: &str, source: &str) -> String {
    json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": "SessionStart", "source": source })
        .to_string()
}

/// Which ports a session is told at its start.
fn told(world: &World, client: &str, session: &str, source: &str) -> Vec<usize> {
    let out = world.run_with(&["hook", client], &payload(world, session, source)).ok().out;
    if out.is_empty() {
        return Vec::new();
    }
    let said: Value = serde_json::from_str(&out).expect("JSON");
    let place = if client == "opencode" { "/context" } else { "/hookSpecificOutput/additionalContext" };
    let said = said.pointer(place).and_then(Value::as_str).unwrap_or_else(|| panic!("{client}: {out}")).to_owned();
    (0..10).filter(|n| said.contains(&format!("port 808{n}"))).collect()
}

#[test]
fn what_was_released_is_told_once_whatever_the_client_and_however_long_it_lives() {
    for client in CLIENTS {
        let world = world(1);
        assert_eq!(told(&world, client, "s1", "startup"), [0], "{client}");
        // The process lives on: compacted, resumed, emptied, and the next session in it.
        for (session, how) in [("s1", "compact"), ("s1", "resume"), ("s2", "clear"), ("s3", "startup")] {
            assert_eq!(told(&world, client, session, how), NONE, "{client} {how}");
        }
        // Another client of the project is a session like any other.
        let other = CLIENTS.iter().find(|c| **c != client).expect("another");
        assert_eq!(told(&world, other, "s4", "startup"), NONE, "{client} then {other}");
        world.tick();
        release(&world);
        assert_eq!(told(&world, client, "s5", "clear"), [0], "{client}: released again");
    }
}

#[test]
fn only_what_was_told_is_cleared() {
    for client in CLIENTS {
        let world = world(5).with_history();
        let first = told(&world, client, "s1", "startup");
        let second = told(&world, client, "s2", "startup");
        assert_eq!((first.len(), second.len()), (3, 2), "{client}: {first:?} {second:?}");
        assert!(first.iter().all(|n| !second.contains(n)), "{client}: {first:?} {second:?}");
        assert_eq!(told(&world, client, "s3", "startup"), NONE, "{client}");
        // The store takes it over, and nothing comes back.
        world.run(&["learn", "--json"]).ok();
        let _ = std::fs::remove_dir_all(world.data().join("spool"));
        assert_eq!(told(&world, client, "s4", "startup"), NONE, "{client}");
    }
}

#[test]
fn after_trouble_that_passes_it_is_told_and_a_client_that_asks_again_knows_of_it() {
    for client in CLIENTS {
        let world = world(1);
        let db = world.data().join("lessons.db");
        let bytes = std::fs::read(&db).expect("a store");
        std::fs::write(&db, "no database").expect("broken");
        let run = world.run_with(&["hook", client], &payload(&world, "s1", "startup")).ok();
        let trouble = if client == "opencode" { "{\"failed\":true}" } else { "" };
        assert_eq!((run.out.as_str(), run.err.as_str()), (trouble, ""), "{client}");
        std::fs::write(&db, &bytes).expect("whole again");
        // The session itself asks again, or the next one does.
        let session = if client == "opencode" { "s1" } else { "s2" };
        assert_eq!(told(&world, client, session, "startup"), [0], "{client}");
        assert_eq!(told(&world, client, "s3", "startup"), NONE, "{client}: once");
    }
}

#[test]
fn a_client_that_asks_again_also_knows_when_the_time_was_up() {
    let world = world(1);
    for client in CLIENTS {
        let mut command = world.command();
        command.env("UPTAKE_HOOK_MS", "400").args(["hook", client]);
        let mut hook =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut stdin = hook.stdin.take().expect("open");
        stdin.write_all(&payload(&world, "s1", "startup").as_bytes()[..40]).expect("sent");
        let out = hook.wait_with_output().expect("ends");
        drop(stdin);
        let trouble = if client == "opencode" { "{\"failed\":true}" } else { "" };
        assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stdout).as_ref()), (Some(0), trouble), "{client}");
    }
    assert_eq!(told(&world, "opencode", "s1", "startup"), [0], "nothing was cleared");
}
