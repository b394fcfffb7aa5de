//! Facts: what several sessions met is told at the next failure of any tool, and at the start of a session.

use serde_json::{Value, json};

use crate::world::World;

const NOT_READ: &str =
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>";

/// A session of Claude Code in a folder: each call with its input and, if it failed, what it said.
pub fn session(world: &World, id: &str, folder: &str, calls: &[(&str, Value, &str)]) {
    let cwd = world.path(folder);
    let mut lines = Vec::new();
    let head = |n: usize, kind: &str| {
        json!({ "type": kind, "uuid": format!("{id}-{n}-{kind}"), "parentUuid": null, "sessionId": id, "cwd": cwd, "version": "2.1.0",
                "timestamp": format!("2026-11-0{}T10:00:{n:02}.000Z", 1 + id.len() % 9) })
    };
    for (n, (tool, input, said)) in calls.iter().enumerate() {
        let call = format!("{id}-call-{n}");
        let mut asked = head(n, "assistant");
        asked["message"] = json!({ "role": "assistant", "content": [
            { "type": "tool_use", "id": call, "name": tool, "input": input } ] });
        let mut answered = head(n, "user");
        answered["message"] = json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": call, "content": if said.is_empty() { "done" } else { said },
              "is_error": !said.is_empty() } ] });
        lines.extend([asked.to_string(), answered.to_string()]);
    }
    let name = folder.replace('/', "-");
    world.write(&format!("home/.claude/projects/{name}/{id}.jsonl"), &format!("{}\n", lines.join("\n")));
}

pub fn git(world: &World, project: &str) {
    let url = format!("[remote \"origin\"]\n\turl = git@git.example.com:dev/{project}.git\n");
    world.write(&format!("{project}/.git/config"), &url);
}

pub fn file(world: &World, project: &str, path: &str) -> Value {
    json!({ "file_path": world.path(project).join(path) })
}

/// Accepts everything that can be accepted.
pub fn accept_all(world: &World) {
    for row in world.run(&["review", "--all", "--json"]).ok().objects() {
        world.run(&["review", "--accept", row["id"].as_str().expect("an id")]).ok();
    }
}

pub fn ask(world: &World, payload: &Value) -> Option<String> {
    let run = world.run_with(&["hook", "claude"], &payload.to_string()).ok();
    let value: Value = serde_json::from_str(&run.out).ok()?;
    assert_eq!(value["hookSpecificOutput"]["hookEventName"], payload["hook_event_name"]);
    value["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
}

fn refused(world: &World, project: &str, session: &str) -> Value {
    json!({ "session_id": session, "cwd": world.path(project), "hook_event_name": "PostToolBatch", "tool_calls": [
        { "tool_name": "Read", "tool_input": file(world, project, "app/cart.rs"), "tool_use_id": "1", "tool_response": "fn cart() {}" },
        { "tool_name": "Edit", "tool_input": file(world, project, "app/cart.rs"), "tool_use_id": "2", "tool_response": NOT_READ } ] })
}

fn missing(world: &World, session: &str, path: &str) -> Value {
    json!({ "session_id": session, "cwd": world.path("shop"), "hook_event_name": "PostToolUseFailure", "tool_name": "Read",
            "tool_input": file(world, "shop", path), "tool_use_id": "3", "error": "File does not exist.", "is_interrupt": false })
}

/// Two sessions that met the same: a file that was not read, and one that was looked for in the wrong folder.
fn world() -> World {
    let world = World::new();
    git(&world, "shop");
    world.write("shop/app/cart.rs", "fn cart() {}");
    for id in ["a", "bb"] {
        let cart = file(&world, "shop", "app/cart.rs");
        let wrong = file(&world, "shop", "src/cart.rs");
        session(
            &world,
            id,
            "shop",
            &[("Edit", cart.clone(), NOT_READ), ("Read", wrong, "File does not exist."), ("Read", cart, "")],
        );
    }
    world
}

#[test]
fn a_refused_call_and_a_missing_path_are_answered_once_a_session() {
    let world = world();
    world.run(&["learn"]).ok();
    assert_eq!(ask(&world, &refused(&world, "shop", "s1")), None, "nothing was approved yet");
    accept_all(&world);
    let told = ask(&world, &refused(&world, "shop", "s1")).expect("told");
    assert!(told.contains("Open a file with Read before Edit"), "{told}");
    assert_eq!(ask(&world, &refused(&world, "shop", "s1")), None, "once a session");
    let told = ask(&world, &missing(&world, "s1", "src/cart.rs")).expect("told");
    assert!(told.contains("`app/cart.rs`"), "{told}");
    // Another wrong guess at the same file, by what earlier sessions opened.
    let told = ask(&world, &missing(&world, "s1", "lib/cart.rs")).expect("told");
    assert!(told.contains("`lib/cart.rs` does not exist; earlier sessions opened `app/cart.rs`."), "{told}");
    std::fs::remove_file(world.path("shop/app/cart.rs")).expect("gone");
    assert_eq!(ask(&world, &missing(&world, "s2", "src/cart.rs")), None, "what the disk refutes is not said");
}

#[test]
fn a_hint_that_was_not_heeded_is_told_once_more_and_more_firmly() {
    let world = world();
    world.run(&["learn"]).ok();
    accept_all(&world);
    let transcript = world.path("home/.claude/projects/shop/s9.jsonl");
    let mut asked = refused(&world, "shop", "s9");
    asked["transcript_path"] = json!(transcript);
    assert!(ask(&world, &asked).is_some());
    assert_eq!(ask(&world, &asked), None, "nothing was done since");
    // The clock of the test stands still: these calls come later.
    let call =
        r#"{"type":"assistant","timestamp":"2099-01-01T00:00:00.000Z","message":{"content":[{"type":"tool_use"}]}}"#;
    world.write("home/.claude/projects/shop/s9.jsonl", &format!("{call}\n{call}\n{call}\n{call}\n"));
    let told = ask(&world, &asked).expect("told once more");
    assert!(told.contains("Told before in this session") && told.contains("Open a file with Read"), "{told}");
    assert_eq!(ask(&world, &asked), None, "twice is enough");
}

#[test]
fn a_failure_that_a_pipe_hid_is_answered_and_a_success_is_not() {
    let world = world();
    for id in ["p", "qq"] {
        let fails = "Exit code 1\ncat: illegal option -- A\nusage: cat [-belnstuv] [file ...]";
        session(&world, id, "shop", &[("Bash", json!({ "command": "cat -A app/cart.rs" }), fails)]);
    }
    world.run(&["learn"]).ok();
    accept_all(&world);
    let used = |session: &str, command: &str, out: &str| {
        json!({ "session_id": session, "cwd": world.path("shop"), "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_input": { "command": command }, "tool_use_id": "7", "tool_response": { "stdout": out, "stderr": "" } })
    };
    let says = "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]";
    let told = ask(&world, &used("s1", "cat -A app/cart.rs | head -3", says)).expect("told");
    assert!(told.contains("This `cat` has no `-A`"), "{told}");
    assert_eq!(ask(&world, &used("s2", "cat notes.md", says)), None, "a word in a file that was read is no failure");
}

#[test]
fn a_session_starts_with_a_card_and_a_wrong_hint_is_silenced() {
    let world = world();
    world.run(&["learn"]).ok();
    accept_all(&world);
    let start = |session: &str, source: &str| json!({ "session_id": session, "cwd": world.path("shop"), "hook_event_name": "SessionStart", "source": source });
    let card = ask(&world, &start("s1", "startup")).expect("a card");
    assert!(card.contains("- Open a file with Read before Edit") && card.lines().count() <= 12, "{card}");
    assert_eq!(ask(&world, &start("s2", "resume")), None, "a session that goes on has heard it");
    let told = ask(&world, &refused(&world, "shop", "s1")).expect("told where it matters, too");
    let id = told.rsplit_once('[').expect("an id").1.trim_end_matches(']').to_owned();
    let run = world.run(&["wrong", &id]).ok();
    assert!(run.out.starts_with("Silenced "), "{}", run.out);
    assert_eq!(ask(&world, &refused(&world, "shop", "s3")), None);
    assert!(!ask(&world, &start("s4", "startup")).expect("a card").contains("Open a file with Read"));
    let undone = world.run(&["undo"]).ok();
    assert!(undone.out.contains("no longer rejected"), "{}", undone.out);
    assert!(ask(&world, &refused(&world, "shop", "s5")).is_some(), "undo takes it back");
}

#[test]
fn what_two_projects_met_holds_on_the_machine_and_names_neither() {
    let world = world();
    git(&world, "bank");
    session(&world, "ccc", "bank", &[("Edit", file(&world, "bank", "a.rs"), NOT_READ)]);
    world.run(&["learn"]).ok();
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let machine: Vec<&Value> =
        rows.iter().filter(|r| r["project"].as_str().is_some_and(|p| p.starts_with("machine:"))).collect();
    assert!(!machine.is_empty(), "{rows:#?}");
    for row in &machine {
        let text = row.to_string();
        assert!(!text.contains("shop") && !text.contains("bank") && !text.contains("cart"), "{text}");
        world.run(&["review", "--accept", row["id"].as_str().expect("an id")]).ok();
    }
    // In a project that nobody saw yet.
    git(&world, "new");
    assert!(ask(&world, &refused(&world, "new", "s1")).is_some());
}

#[test]
fn a_project_that_is_excluded_no_longer_speaks_for_the_machine() {
    let world = world();
    git(&world, "bank");
    session(&world, "ccc", "bank", &[("Edit", file(&world, "bank", "a.rs"), NOT_READ)]);
    world.run(&["learn"]).ok();
    let of_machine = || {
        let rows = world.run(&["list", "--all", "--json"]).ok().objects();
        rows.iter().filter(|r| r["project"].as_str().is_some_and(|p| p.starts_with("machine:"))).count()
    };
    assert_ne!(of_machine(), 0);
    world.run(&["config", "set", "exclude", "bank"]).ok();
    world.run(&["learn"]).ok();
    assert_eq!(of_machine(), 0);
}

#[test]
fn what_is_forgotten_is_gone_from_what_was_counted() {
    let world = world();
    world.run(&["learn"]).ok();
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let fact = rows.iter().find(|r| r["text"].as_str().is_some_and(|t| t.contains("src/cart.rs"))).expect("a fact");
    world.run(&["forget", fact["id"].as_str().expect("an id"), "--yes"]).ok();
    world.run(&["learn"]).ok();
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    assert!(!rows.iter().any(|r| r.to_string().contains("src/cart.rs")), "{rows:#?}");
}
