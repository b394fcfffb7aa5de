//! `uptake config`, `enable`, `disable`, `trust`, and the two modes.

use serde_json::Value;

use crate::world::{World, files, messages};

const FIX: &str = "u report please\n\
    $ tool report --format json => error: unexpected argument '--format' found\n\
    $ tool report --output json => {\"total\": 3}\n";

/// The same fix in some sessions of one project.
fn with_fix(world: &World, sessions: usize) {
    for n in 0..sessions {
        // Calls of their own ids: else it would be one session and its forks.
        let text = messages(FIX).replace("id\":\"c", &format!("id\":\"s{n}c"));
        world.write(&format!("h/shop/s{n}.json"), &text);
    }
}

fn learn(world: &World) -> Vec<Value> {
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    world.run(&["list", "--all", "--json"]).ok().objects()
}

fn status_of(world: &World, text: &str) -> Vec<String> {
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let like = rows.iter().filter(|r| r["text"].as_str().is_some_and(|t| t.contains(text)));
    like.map(|r| r["status"].as_str().expect("a status").to_owned()).collect()
}

#[test]
fn a_setting_is_read_changed_and_put_back() {
    let world = World::new();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
    let set = world.run(&["config", "set", "mode", "auto"]).ok();
    assert!(set.out.contains("mode = auto (was review)") && set.out.contains("still waits for you"), "{}", set.out);
    world.run(&["config", "set", "thresholds.workflow.required", "5"]).ok();
    let path = world.run(&["config", "path"]).ok().out;
    assert!(path.trim().ends_with(".config/uptake/config.toml"), "{path}");
    let text = std::fs::read_to_string(path.trim()).expect("there");
    assert!(text.contains("mode = \"auto\"") && text.contains("[thresholds.workflow]"), "{text}");
    let all = &world.run(&["config", "list", "--json"]).ok().objects()[0];
    assert_eq!((&all["mode"], &all["thresholds"]["workflow"]["required"]), (&"auto".into(), &5.into()));
    world.run(&["config", "unset", "mode"]).ok();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
    for bad in [["mode", "yolo"], ["shown", "-1"], ["colour", "red"]] {
        let run = world.run(&["config", "set", bad[0], bad[1]]);
        assert_eq!(run.code, 1, "{bad:?}");
        assert!(run.err.contains("error: "), "{}", run.err);
    }
    std::fs::write(path.trim(), "mode = \n").expect("written");
    let run = world.run(&["learn"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("config.toml") && run.err.contains("line 1"), "{}", run.err);
}

#[test]
fn thresholds_decide_what_is_ready_and_a_change_is_seen_at_once() {
    let world = World::new();
    with_fix(&world, 2);
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"]);
    world.run(&["config", "set", "thresholds.recovery.required", "9"]).ok();
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["observing"]);
    world.run(&["config", "unset", "thresholds.recovery.required"]).ok();
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"]);
}

#[test]
fn in_mode_auto_only_what_worked_in_three_sessions_passes_and_review_withdraws_it() {
    let world = World::new();
    world.run(&["config", "set", "mode", "auto"]).ok();
    with_fix(&world, 2);
    learn(&world);
    assert_eq!(status_of(&world, "--output json"), ["ready"], "two sessions are not enough");
    with_fix(&world, 3);
    let run = world.run_on(&["learn"], &[&world.path("h")]).ok();
    assert!(run.out.contains("mode auto") && run.out.contains("uptake undo"), "{}", run.out);
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let passed = rows.iter().find(|r| r["status"] == "approved").expect("one passed");
    let text = passed["text"].as_str().expect("a text");
    assert!(text.contains("--output json") && !text.contains("--format"), "only what worked: {text}");
    let skills = || files(&world.home().join(".claude/skills"));
    assert_eq!(skills().len(), 1, "a folder of transcripts has no hook: it becomes a skill");
    let id = passed["id"].as_str().expect("an id").to_owned();
    assert!(world.run(&["why", &id]).ok().out.contains("Mode `auto` let it through"));
    world.run(&["config", "set", "mode", "review"]).ok();
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    assert!(skills().is_empty(), "without a person's yes nothing stays");
    let waits = world.run(&["review", "--json"]).ok().objects();
    assert!(waits.iter().any(|r| r["id"] == id.as_str()), "it waits for a person");
}

#[test]
fn switched_off_nothing_is_read_and_switched_on_everything_is() {
    let world = World::new().with_history();
    world.run(&["disable"]).ok();
    let run = world.run(&["learn"]).ok();
    assert!(run.err.contains("uptake enable"), "{}", run.err);
    assert!(world.run(&["status"]).ok().out.contains("switched off"));
    world.run(&["enable"]).ok();
    assert!(!world.run(&["learn", "--json"]).ok().objects().is_empty());
}

#[test]
fn an_excluded_project_is_left_alone_until_it_is_not() {
    let world = World::new();
    with_fix(&world, 2);
    world.run(&["disable", "--project", "shop"]).ok();
    assert!(learn(&world).is_empty());
    world.run(&["enable", "--project", "shop"]).ok();
    assert!(!learn(&world).is_empty(), "what was passed over is read now");
}

#[test]
fn what_a_repository_asks_for_counts_only_after_a_yes_to_exactly_that() {
    let world = World::new().with_history();
    let work = world.path("work");
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let file = world.write("work/.uptake/settings.toml", "enabled = false\n");
    let lessons = world.run(&["learn", "--json"]).ok().objects();
    let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("a fix");
    world.run(&["review", "--accept", fix["id"].as_str().expect("an id")]).ok();
    let heard = |session: &str| {
        let payload = serde_json::json!({
            "session_id": session, "cwd": work, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_input": { "command": "python3 -m ledger report --format json" },
            "error": "Exit code 2\nledger: error: unrecognized arguments: --format json",
        });
        !world.run_with(&["hook", "claude"], &payload.to_string()).ok().out.is_empty()
    };
    assert!(heard("s1"), "untrusted settings do not count");
    let in_work = |args: &[&str]| crate::world::finish(world.command().args(args).current_dir(&work), "");
    assert!(in_work(&["status"]).ok().out.contains("uptake trust"));
    assert_eq!(in_work(&["trust"]).code, 1, "nobody to ask");
    in_work(&["trust", "--yes"]).ok();
    assert!(!heard("s2"));
    std::fs::write(&file, "enabled = false # and more\n").expect("written");
    assert!(heard("s3"), "changed bytes were not agreed to");
    for bad in ["mode = \"auto\"\n", "command = \"sh\"\n", "exclude = [\"../..\"]\n"] {
        std::fs::write(&file, bad).expect("written");
        let run = in_work(&["trust", "--yes"]);
        assert_eq!(run.code, 1, "{bad}");
        assert!(run.err.contains("settings.toml"), "{}", run.err);
    }
    in_work(&["trust", "--remove"]).ok();
    assert_eq!(in_work(&["trust", "--list"]).ok().out, "");
}
