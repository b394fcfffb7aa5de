//! Moments other than failures: prompts, starts and ends, in the dialects of both clients.

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// A project in which something was said by hand.
fn world() -> World {
    let world = World::new();
    for (folder, name) in [("work", "ledger"), ("other", "shop")] {
        let remote = format!("[remote \"origin\"]\n\turl = git@git.example.com:dev/{name}.git\n");
        world.write(&format!("{folder}/.git/config"), &remote);
    }
    world.run_in("work", &["add", "Invoices are rounded to cents, never to euros"]).ok();
    world
}

fn ask(world: &World, source: &str, payload: &Value) -> Option<String> {
    let out = world.run_with(&["hook", source], &payload.to_string()).ok().out;
    if out.is_empty() {
        return None;
    }
    let said: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"));
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], payload["hook_event_name"]);
    said["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

fn prompt(world: &World, folder: &str, session: &str, text: &str) -> Value {
    json!({ "session_id": session, "cwd": world.path(folder), "hook_event_name": "UserPromptSubmit", "prompt": text })
}

#[test]
fn a_prompt_hears_what_was_said_on_it_once_a_session() {
    let world = world();
    for source in ["claude", "codex"] {
        let asked =
            |folder: &str, session: &str, text: &str| ask(&world, source, &prompt(&world, folder, session, text));
        let said = asked("work", "s1", "How is an invoice rounded?").expect("a hint");
        assert!(said.starts_with("(uptake, notes from past work") && said.contains("rounded to cents"), "{said}");
        assert_eq!(asked("work", "s1", "And how are invoices rounded there?"), None, "it was told");
        assert!(asked("work", "s2", "How is an invoice rounded?").is_some(), "another session");
        assert_eq!(asked("work", "s3", "Round of applause"), None, "one word is nothing");
        assert_eq!(asked("other", "s4", "How is an invoice rounded?"), None, "another project");
    }
    world.run(&["wrong"]).ok();
    assert_eq!(
        ask(&world, "claude", &prompt(&world, "work", "s5", "How is an invoice rounded?")),
        None,
        "it was wrong"
    );
}

#[test]
fn a_failure_in_codex_is_known_by_the_end_of_its_transcript() {
    let world = World::new().with_history();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let lessons = world.run(&["learn", "--json"]).ok().objects();
    let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("a fix");
    world.run(&["review", "--accept", fix["id"].as_str().expect("an id")]).ok();
    let call = |session: &str, id: &str, transcript: &str| {
        let payload = json!({
            "session_id": session, "transcript_path": world.path(transcript), "cwd": world.path("work"),
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": { "command": "python3 -m ledger report --format json" },
            "tool_response": "usage: ledger\nledger: error: unrecognized arguments: --format json\n",
        });
        ask(&world, "codex", &payload)
    };
    let end = |id: &str, code: i32| {
        json!({ "type": "event_msg", "payload": { "type": "item_completed",
        "item": { "type": "CommandExecution", "id": id, "exit_code": code } } })
    };
    world.write("rollout.jsonl", &format!("{}\n{}\n", end("c1", 2), end("c2", 0)));
    assert!(call("s1", "c1", "rollout.jsonl").is_some_and(|said| said.contains("--output json")));
    assert_eq!(call("s2", "c2", "rollout.jsonl"), None, "it ended well");
    // Older versions write no code: then the output tells.
    assert!(call("s3", "c3", "rollout.jsonl").is_some());
    assert!(call("s4", "c1", "nowhere.jsonl").is_some());
}

/// The figures of an agent in `doctor`.
fn figures(world: &World) -> Value {
    let doctor = world.run(&["doctor", "--json"]).ok().objects().remove(0);
    doctor["agents"]
        .as_array()
        .and_then(|all| all.iter().find(|a| a["source"] == "claude"))
        .cloned()
        .unwrap_or_default()
}

#[test]
fn every_start_of_a_hook_is_written_down_once_and_none_if_it_is_off() {
    let world = world();
    world.write("home/.claude/keep", "");
    for round in 0..20 {
        let start = |n: usize| {
            let payload =
                json!({ "session_id": format!("s{round}-{n}"), "cwd": "/", "hook_event_name": "SessionStart" });
            let mut hook =
                world.command().args(["hook", "claude"]).stdin(Stdio::piped()).spawn().expect("the hook starts");
            hook.stdin.take().expect("its input").write_all(payload.to_string().as_bytes()).expect("it is read");
            hook
        };
        let hooks: Vec<Child> = (0..16).map(start).collect();
        hooks.into_iter().for_each(|mut hook| assert!(hook.wait().expect("it ends").success()));
    }
    assert_eq!(figures(&world)["asked"]["start"], 320);
    let mut off = world.command();
    off.env("UPTAKE_OFF", "1").args(["hook", "claude"]);
    crate::world::finish(&mut off, &prompt(&world, "work", "s9", "How is an invoice rounded?").to_string()).ok();
    assert_eq!(figures(&world)["asked"]["prompt"], Value::Null);
}

/// Settings and a plugin may both name the hook.
#[test]
fn two_hooks_at_once_give_one_card() {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    world.run_on(&["learn", "--all", "--json"], &[&crate::world::fixtures().join("recorded")]).ok();
    for fact in world.run(&["list", "--json", "--kind", "fact"]).ok().objects() {
        world.run(&["review", "--accept", fact["id"].as_str().expect("an id")]).ok();
    }
    let start = |how: &str| {
        let payload =
            json!({ "session_id": "s", "cwd": world.path("work"), "hook_event_name": "SessionStart", "source": how });
        ask(&world, "claude", &payload)
    };
    assert!(start("startup").is_some());
    assert_eq!(start("startup"), None, "the other of the two");
    assert_eq!(start("resume"), None, "it was told");
    assert!(start("compact").is_some(), "a summary has forgotten it");
    assert_eq!(start("compact"), None, "the other of the two");
}

#[test]
fn when_sessions_ended_they_are_learned_from_in_the_background() {
    let world = World::new().with_history();
    world.run(&["add", "a data folder"]).ok();
    let end = |session: &str| {
        ask(
            &world,
            "claude",
            &json!({ "session_id": session, "cwd": "/", "hook_event_name": "SessionEnd", "reason": "other" }),
        );
    };
    world.run(&["config", "set", "background-runs", "0"]).ok();
    end("s0");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!world.data().join("background.json").exists(), "none a day");
    world.run(&["config", "unset", "background-runs"]).ok();
    end("s1");
    let begun = Instant::now();
    let sessions = || world.run(&["status", "--json"]).ok().objects().remove(0)["sessions"].as_u64();
    while sessions() == Some(0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing was learned");
        std::thread::sleep(Duration::from_millis(200));
    }
    let runs = std::fs::read_to_string(world.data().join("background.json")).expect("a note");
    (2..6).for_each(|n| end(&format!("s{n}")));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(
        std::fs::read_to_string(world.data().join("background.json")).expect("a note"),
        runs,
        "not so soon again"
    );
}
