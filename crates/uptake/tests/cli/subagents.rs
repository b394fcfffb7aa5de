//! Subagents: what concerns them is told when they start; those that the user named are asked when they are done.

use serde_json::{Value, json};

use crate::world::{World, rows, text};

fn world() -> World {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    world
}

fn ask(world: &World, event: &str, kind: &str, more: &Value) -> Value {
    let mut payload = json!({ "session_id": "s1", "cwd": world.path("work"), "hook_event_name": event,
        "agent_id": "a1", "agent_type": kind });
    for (key, value) in more.as_object().into_iter().flatten() {
        payload[key] = value.clone();
    }
    let out = world.run_with(&["hook", "claude"], &payload.to_string()).ok().out;
    if out.is_empty() { Value::Null } else { serde_json::from_str(&out).expect("JSON") }
}

fn told(said: &Value) -> String {
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_subagent_hears_at_most_fifteen_mistakes_first_and_nothing_of_other_agents() {
    let world = world();
    for n in 0..20 {
        world.run_in("work", &["add", &format!("Module {n} keeps its state in `store{n}.rs`")]).ok();
    }
    for (agent, pattern) in [("builder", "mistake"), ("tester", "mistake")] {
        let said = json!({ "task": "t", pattern: format!("The cache of the {agent} is stale after a rename"), "agent": agent });
        world.run_in("work", &["submit", &said.to_string()]).ok();
    }
    for row in rows(&world).iter().filter(|r| r["kind"] == "pitfall") {
        world.run(&["review", "--accept", text(row, "id")]).ok();
    }
    let said = told(&ask(&world, "SubagentStart", "builder", &Value::Null));
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert!(said.starts_with("(uptake, notes from past work") && lines.len() == 15, "{said}");
    assert!(lines[0].contains("cache of the builder"), "mistakes first: {said}");
    assert!(!said.contains("cache of the tester"), "{said}");
    assert_eq!(told(&ask(&world, "SubagentStart", "builder", &Value::Null)), "", "the same agent heard it");
    let other = told(&ask(&world, "SubagentStart", "builder", &json!({ "agent_id": "a2" })));
    assert!(other.contains("cache of the builder"), "another one did not");
    assert_eq!(told(&ask(&world, "SubagentStart", "", &json!({ "agent_id": "a3" }))), "", "a helper of the client");
}

#[test]
fn agents_that_the_user_named_are_asked_twice_at_most() {
    let world = world();
    world.run_in("work", &["add", "Use tabs"]).ok();
    let stop = |agent: &str, transcript: &str| {
        let more = json!({ "agent_id": agent, "agent_transcript_path": world.path(transcript) });
        ask(&world, "SubagentStop", "builder", &more)
    };
    assert_eq!(stop("a1", "none"), Value::Null, "nobody is asked unless the user wants it");
    world.run(&["config", "set", "learning-agents", "builder"]).ok();
    for _ in 0..2 {
        let said = stop("a1", "none");
        assert_eq!(said["decision"], "block");
        let reason = said["reason"].as_str().expect("a reason");
        assert!(reason.contains("submit") && reason.contains("no_learnings"), "{reason}");
    }
    assert_eq!(stop("a1", "none"), Value::Null, "twice at most");
    let call = r#"{"message":{"content":[{"type":"tool_use","input":{"command":"uptake submit '{}'"}}]}}"#;
    world.write("a2.jsonl", call);
    assert_eq!(stop("a2", "a2.jsonl"), Value::Null, "it handed something in");
    assert_eq!(ask(&world, "SubagentStop", "explorer", &Value::Null), Value::Null, "another kind");
}

#[test]
fn nobody_is_asked_in_a_project_that_is_left_alone() {
    let world = world();
    world.run(&["config", "set", "learning-agents", "builder"]).ok();
    let asked = |agent: &str| !ask(&world, "SubagentStop", "builder", &json!({ "agent_id": agent })).is_null();
    assert!(asked("a1"), "also before anything was learned");
    world.run(&["config", "set", "exclude", "ledger"]).ok();
    assert!(!asked("a2"), "excluded, and nothing was learned yet");
    world.run(&["config", "unset", "exclude"]).ok();
    world.run_in("work", &["add", "Use tabs"]).ok();
    world.run(&["config", "set", "exclude", "ledger"]).ok();
    assert!(!asked("a3"));
    world.run(&["config", "unset", "exclude"]).ok();
    assert!(asked("a4"));
    world.write("work/.uptake/settings.toml", "enabled = false\n");
    world.run_in("work", &["trust", "--yes"]).ok();
    assert!(!asked("a5"), "its own settings ask for silence");
}
