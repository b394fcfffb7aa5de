//! `uptake trust`.

use crate::world::World;

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
