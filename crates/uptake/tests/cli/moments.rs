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

/// What another tool staged for an agent to write up.
const STAGED: &str = r#"{"candidates":[{"id":"sc_1_0","title":"Turns out the port is 8080","reason":"Non-obvious","confidence":"high","evidence":[],"detectedAt":1763230000000}]}"#;

#[test]
fn what_was_released_is_told_to_one_session_of_its_project() {
    let world = world().with_history();
    world.write("work/.claude/mind-skills-pending.json", STAGED);
    world.run_on(&["import"], &[&world.path("work")]).ok();
    let start = |folder: &str, session: &str, how: &str| {
        let payload = json!({ "session_id": session, "cwd": world.path(folder), "hook_event_name": "SessionStart", "source": how });
        ask(&world, "claude", &payload).unwrap_or_default()
    };
    let asks = |said: &str| said.contains("write these up") && said.contains("the port is 8080");
    assert!(!asks(&start("work", "s0", "startup")), "nobody released it");
    let staged = crate::world::rows(&world).into_iter().find(|r| r["kind"] == "insight").expect("it was imported");
    let id = staged["id"].as_str().expect("an id");
    world.run(&["review", "--release", id]).ok();
    let would = || world.run_in("work", &["recall", "--start"]).ok().out.contains("the port is 8080");
    assert!(would());
    assert!(!asks(&start("other", "s1", "startup")), "another project");
    assert!(!asks(&start("work", "s2", "resume")) && !asks(&start("work", "s2", "compact")), "no new session");
    let said = start("work", "s3", "startup");
    assert!(asks(&said) && said.starts_with("(uptake, notes from past work") && said.len() <= 1_500, "{said}");
    assert!(!would());
    assert!(!asks(&start("work", "s4", "startup")), "one session was told");
    world.run(&["learn"]).ok();
    // The records of hooks are gone, and the store knows.
    std::fs::remove_dir_all(world.data().join("spool")).expect("gone");
    assert!(!asks(&start("work", "s5", "startup")) && !would());
    world.tick();
    world.run(&["review", "--release", id]).ok();
    assert!(asks(&start("work", "s6", "startup")), "released again");
    world.tick();
    world.run(&["review", "--release", id]).ok();
    world.run(&["review", "--reject", id]).ok();
    assert!(!asks(&start("work", "s7", "startup")), "taken back");
    world.tick();
    world.run(&["review", "--release", id]).ok();
    assert!(asks(&start("work", "s8", "clear")), "a process that lives on: a session that was emptied is a new one");
    assert!(!asks(&start("work", "s9", "clear")), "one session was told");
}

/// The world with what was staged released.
fn release(world: &World, staged: &str) {
    world.write("work/.claude/mind-skills-pending.json", staged);
    world.run_on(&["import"], &[&world.path("work")]).ok();
    for row in crate::world::rows(world).iter().filter(|r| r["kind"] == "insight") {
        world.run(&["review", "--release", row["id"].as_str().expect("an id")]).ok();
    }
}

#[test]
fn a_start_that_says_nothing_leaves_what_was_released_to_the_next() {
    let world = world();
    world.run_in("work", &["add", "Use tabs in makefiles"]).ok();
    let start = |session: &str| {
        let payload = json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": "SessionStart", "source": "startup" });
        ask(&world, "claude", &payload).unwrap_or_default()
    };
    assert!(start("s1").contains("Use tabs"));
    release(&world, STAGED);
    // Settings and a plugin both name us: the second of two hooks is silent.
    assert_eq!(start("s1"), "");
    assert!(start("s2").contains("the port is 8080"), "nobody heard it yet");
}

#[test]
fn a_start_is_within_its_budget_whatever_there_is_to_say() {
    let world = world();
    for n in 0..12 {
        let rule = format!(
            "Module {n} keeps its state in `store{n}.rs`, and {} are told to it alone",
            "changes of it ".repeat(5)
        );
        world.run_in("work", &["add", &rule]).ok();
    }
    for n in 0..3 {
        let said = json!({ "task": "t", "mistake": format!("The cache number {n} is stale after a rename") });
        world.run_in("work", &["submit", &said.to_string()]).ok();
    }
    for row in crate::world::rows(&world).iter().filter(|r| r["kind"] == "pitfall") {
        world.run(&["review", "--accept", row["id"].as_str().expect("an id")]).ok();
    }
    let candidate = |n: usize| {
        let title =
            format!("Turns out the port of server {n} is 808{n}, {}", "which nobody had written down ".repeat(4));
        json!({ "id": format!("sc_{n}_0"), "title": title, "reason": "Non-obvious", "confidence": "high", "evidence": [],
            "detectedAt": 1_763_230_000_000_u64 })
    };
    release(&world, &json!({ "candidates": [candidate(1), candidate(2), candidate(3)] }).to_string());
    let start = |session: &str| {
        let payload = json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": "SessionStart", "source": "startup" });
        ask(&world, "claude", &payload).unwrap_or_default()
    };
    let binary = world.data().join("bin").join("uptake");
    let said = start("s1");
    assert!(said.len() <= 1_500, "{} bytes: {said}", said.len());
    for part in
        ["Module ", "is 8081", "is 8082", "is 8083", "uptake knowledge", &format!("'{}' submit '", binary.display())]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let last = start("s2");
    assert!(last.len() > 800 && last.len() <= 1_200 && !last.contains("submit"), "{last}");
}

#[test]
fn what_was_released_waits_for_a_session_that_can_be_told() {
    let world = world();
    world.write("work/.claude/mind-skills-pending.json", STAGED);
    world.run_on(&["import"], &[&world.path("work")]).ok();
    let staged = crate::world::rows(&world).into_iter().find(|r| r["kind"] == "insight").expect("it was imported");
    world.run(&["review", "--release", staged["id"].as_str().expect("an id")]).ok();
    let payload =
        |session: &str| json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": "SessionStart" });
    // A store that cannot be read now: the next session is told.
    let db = world.data().join("lessons.db");
    let bytes = std::fs::read(&db).expect("a store");
    std::fs::write(&db, "no database").expect("broken");
    assert_eq!(ask(&world, "claude", &payload("s1")), None);
    std::fs::write(&db, bytes).expect("whole again");
    assert!(ask(&world, "claude", &payload("s2")).is_some_and(|said| said.contains("the port is 8080")));
    // A client that lives on is told of trouble, and asks again.
    std::fs::write(&db, "no database").expect("broken");
    let run = world.run_with(&["hook", "opencode"], &payload("s3").to_string()).ok();
    assert_eq!(run.out, "{\"failed\":true}");
}

#[test]
fn a_skill_is_told_when_its_triggers_match_and_at_every_start_if_the_user_wants_it() {
    let world = crate::world::learned();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let id = crate::world::a_fix(&world)["id"].as_str().expect("an id").to_owned();
    world.run(&["review", "--accept", &id, "--skill"]).ok();
    let skill = crate::world::skills(&world).remove(0);
    let text = std::fs::read_to_string(&skill).expect("a skill");
    let field = |name: &str| {
        let line = text.lines().find_map(|l| l.trim().strip_prefix(name)).expect("a field");
        line.trim().trim_matches('"').split(' ').next().unwrap_or_default().to_owned()
    };
    let (topic, action) = (field("trigger_topic:"), field("trigger_action:"));
    let asked = |session: &str, text: &str| ask(&world, "claude", &prompt(&world, "work", session, text));
    let said = asked("s1", &format!("Please {action} it with {topic}")).unwrap_or_else(|| panic!("{text}"));
    assert!(said.contains("Skill `") && said.contains("SKILL.md") && said.contains(&id[..5]), "{said}");
    assert_eq!(asked("s1", &format!("Please {action} it with {topic}")), None, "it was told");
    assert_eq!(asked("s2", &format!("What is {topic}?")), None, "nothing is to be done");
    let start = || {
        let payload = json!({ "session_id": "s3", "cwd": world.path("work"), "hook_event_name": "SessionStart", "source": "startup" });
        ask(&world, "claude", &payload).unwrap_or_default()
    };
    assert!(!start().contains(&id[..5]));
    std::fs::write(&skill, text.replace("auto_load: \"false\"", "auto_load: \"true\"")).expect("changed");
    world.run(&["learn"]).ok();
    assert!(start().contains(&id[..5]), "{}", start());
    std::fs::write(&skill, &text).expect("changed back");
    world.run(&["learn"]).ok();
    assert!(!start().contains(&id[..5]));
}

#[test]
fn approvals_of_an_older_build_are_found_at_prompts_after_the_next_learn() {
    let world = world().with_history();
    crate::world::sql(&world, "DELETE FROM triggers");
    crate::world::sql(&world, "DELETE FROM notes WHERE name LIKE 'prompt words%'");
    let asked = |session: &str| ask(&world, "claude", &prompt(&world, "work", session, "How is an invoice rounded?"));
    assert_eq!(asked("s1"), None);
    world.run(&["learn"]).ok();
    assert!(asked("s2").is_some());
}

#[test]
fn where_much_was_seen_a_run_waits_for_five_sessions() {
    let world = crate::world::learned();
    let seen = uptake_testkit::database::number(&world.data().join("lessons.db"), "SELECT count(*) FROM observations");
    assert!(seen >= 15, "{seen}");
    let end = |session: &str| {
        let payload = json!({ "session_id": session, "cwd": "/", "hook_event_name": "SessionEnd" });
        ask(&world, "claude", &payload);
    };
    let noted = || std::fs::read_to_string(world.data().join("background.json")).unwrap_or_default();
    let runs = |before: &str| {
        let begun = Instant::now();
        while noted() == before && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(100));
        }
        noted()
    };
    end("s0");
    let first = runs("");
    (0..11 * 60).for_each(|_| world.tick());
    ["s1", "s2", "s3"].into_iter().for_each(end);
    // What a hook starts ends by itself; this one is waited for.
    world.run(&["learn", "--background"]).ok();
    assert_eq!(noted(), first, "three are not enough");
    ["s4", "s5"].into_iter().for_each(end);
    assert_ne!(runs(&first), first, "five are");
}

/// What a person wrote down is told without any session of which a transcript could be found.
#[test]
fn what_was_told_is_taken_over_where_no_transcript_is() {
    let world = world();
    assert!(ask(&world, "claude", &prompt(&world, "work", "s1", "How is an invoice rounded?")).is_some());
    let taken_over =
        || uptake_testkit::database::number(&world.data().join("lessons.db"), "SELECT count(*) FROM trials");
    assert_eq!(taken_over(), 0);
    let run = world.run(&["learn"]).ok();
    assert!(run.out.starts_with("No sessions of a coding agent were found"), "{}", run.out);
    assert_eq!(taken_over(), 1);
    // A day later nobody asks for the records any more.
    let records =
        || crate::world::files(&world.data().join("spool")).iter().filter(|f| f.ends_with("claude-s1.log")).count();
    assert_eq!(records(), 1);
    let mut later = world.command();
    later.args(["learn", "--json"]).env("UPTAKE_NOW", "1895000000000");
    crate::world::finish(&mut later, "").ok();
    assert_eq!((taken_over(), records()), (1, 0));
}
