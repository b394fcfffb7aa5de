//! Before a call: what always failed is stopped once; what holds for a file is told. Both only if the user wants it.

use serde_json::{Value, json};

use crate::hook::{COMMAND, world_with_fix};
use crate::world::{World, files};

/// A world in which the command failed in so many sessions, and its fix is approved.
fn world(sessions: usize) -> World {
    let world = world_with_fix(true);
    let demo = files(&world.home().join(".claude/projects"));
    let with = |path: &&std::path::PathBuf| std::fs::read_to_string(path).is_ok_and(|t| t.contains("--format json"));
    let demo = demo.iter().find(with).expect("a session that failed");
    let text = std::fs::read_to_string(demo).expect("read");
    let session = demo.file_stem().expect("a name").to_string_lossy().into_owned();
    for n in 1..sessions {
        // Other ids: else these would be forks of one session.
        let other = format!("{n}{}", &session[1..]);
        let mut copy = text.replace(&session, &other);
        for id in ["\"uuid\":\"", "\"parentUuid\":\"", "toolu_", "msg_"] {
            copy = copy.replace(id, &format!("{id}{n}"));
        }
        std::fs::write(demo.with_file_name(format!("{other}.jsonl")), copy).expect("written");
    }
    world
}

fn before(world: &World, source: &str, session: &str, command: &str) -> Value {
    let (event, tool) = match source {
        "gemini" => ("BeforeTool", "run_shell_command"),
        "opencode" => ("PreToolUse", "bash"),
        _ => ("PreToolUse", "Bash"),
    };
    let payload = json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": event, "tool_name": tool,
        "tool_input": { "command": command } });
    let out = world.run_with(&["hook", source], &payload.to_string()).ok().out;
    if out.is_empty() { Value::Null } else { serde_json::from_str(&out).expect("JSON") }
}

#[test]
fn a_command_that_always_failed_is_stopped_once_in_every_client() {
    let world = world(4);
    world.run(&["learn", "--json"]).ok();
    assert_eq!(before(&world, "claude", "s1", COMMAND), Value::Null, "the guard is off");
    world.run(&["config", "set", "guard", "true"]).ok();
    world.run(&["learn", "--json"]).ok();
    for (source, path) in [
        ("claude", "/hookSpecificOutput/permissionDecisionReason"),
        ("codex", "/hookSpecificOutput/permissionDecisionReason"),
        ("opencode", "/deny"),
        ("gemini", "/reason"),
    ] {
        let said = before(&world, source, "s1", COMMAND);
        let reason = said.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("{source}: {said}"));
        assert!(reason.contains("--output json") && reason.contains("only once") && reason.len() <= 600, "{reason}");
        assert_eq!(before(&world, source, "s1", COMMAND), Value::Null, "{source}: never the same call twice");
        assert_ne!(before(&world, source, "s2", COMMAND), Value::Null, "{source}: another session");
        assert_eq!(before(&world, source, "s3", "python3 -m ledger report --output json"), Value::Null, "{source}");
    }
    // A word of the user ends it at once.
    world.run(&["wrong"]).ok();
    assert_eq!(before(&world, "claude", "s9", COMMAND), Value::Null, "it was wrong");
}

#[test]
fn a_command_that_failed_seldom_or_worked_once_is_not_stopped() {
    let world = world(1);
    world.run(&["config", "set", "guard", "true"]).ok();
    world.run(&["learn", "--json"]).ok();
    assert_eq!(before(&world, "claude", "s1", COMMAND), Value::Null, "too few failures");
    let world = self::world(4);
    world.run(&["config", "set", "guard", "true"]).ok();
    world.run(&["learn", "--json"]).ok();
    assert_ne!(before(&world, "claude", "s1", COMMAND), Value::Null, "it always failed");
    crate::facts::session(&world, "worked", "work", &[("Bash", json!({ "command": COMMAND }), "")]);
    world.run(&["learn", "--json"]).ok();
    assert_eq!(before(&world, "claude", "s2", COMMAND), Value::Null, "it worked once");
}

#[test]
fn where_it_cannot_be_written_down_nothing_is_stopped() {
    let world = world(4);
    world.run(&["config", "set", "guard", "true"]).ok();
    world.run(&["learn", "--json"]).ok();
    let spool = world.data().join("spool");
    let _ = std::fs::remove_dir_all(&spool);
    std::fs::write(&spool, "no folder").expect("written");
    assert_eq!(before(&world, "claude", "s1", COMMAND), Value::Null, "it would be stopped for ever");
}

/// The payload of each client for an edit that is about to be made, or, where the model hears nothing then, that was made.
fn edit(world: &World, source: &str, session: &str, file: &str) -> String {
    let path = world.path(file);
    let (event, tool, input) = match source {
        "opencode" => ("PreToolUse", "edit", json!({ "filePath": path })),
        "gemini" => ("AfterTool", "replace", json!({ "file_path": path })),
        _ => ("PreToolUse", "Edit", json!({ "file_path": path, "old_string": "a", "new_string": "b" })),
    };
    let payload = json!({ "session_id": session, "cwd": world.path("work"), "hook_event_name": event, "tool_name": tool,
        "tool_input": input, "tool_response": { "llmContent": "Successfully modified file" } });
    world.run_with(&["hook", source], &payload.to_string()).ok().out
}

#[test]
fn what_holds_for_a_file_is_told_where_it_is_edited_once_a_session() {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    world.run_in("work", &["add", "Every `*.sql` file begins with the number of its ticket"]).ok();
    for source in ["claude", "opencode", "gemini"] {
        assert_eq!(edit(&world, source, "s1", "work/db/up.sql"), "", "{source}: nobody asked for it");
    }
    world.run(&["config", "set", "before-calls", "true"]).ok();
    for source in ["claude", "opencode", "gemini"] {
        let edit = |session: &str, file: &str| edit(&world, source, session, file);
        assert!(edit("s1", "work/db/up.sql").contains("number of its ticket"), "{source}");
        assert_eq!(edit("s1", "work/db/down.sql"), "", "{source}: it was told");
        assert_eq!(edit("s2", "work/db/up.rs"), "", "{source}: another kind of file");
    }
}

#[test]
fn what_would_be_lost_before_a_call_is_kept_for_its_result() {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    world.run_in("work", &["add", "Run `npm` with --silent here"]).ok();
    world.run(&["config", "set", "before-calls", "true"]).ok();
    assert_eq!(before(&world, "gemini", "s1", "npm test"), Value::Null, "the model would not hear it");
    let payload = json!({ "session_id": "s1", "cwd": world.path("work"), "hook_event_name": "AfterTool",
        "tool_name": "run_shell_command", "tool_input": { "command": "npm test" },
        "tool_response": { "llmContent": "Output: ok\nProcess Group PGID: 5" } });
    let after = || world.run_with(&["hook", "gemini"], &payload.to_string()).ok().out;
    assert!(after().contains("--silent"), "so it is told now");
    assert_eq!(after(), "", "once");
}
