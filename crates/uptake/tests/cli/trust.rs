//! `uptake trust`.

use expect_test::expect;

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
    let in_work = |args: &[&str]| world.run_in("work", args);
    assert!(in_work(&["status"]).ok().out.contains("uptake trust"));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: agreeing needs a person; look at `$WORLD/work/.uptake/settings.toml`, then say so with --yes
    "#]]
    .assert_eq(&world.shown(&in_work(&["trust"])));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ The settings of $WORLD/work count from now on
    "#]]
    .assert_eq(&world.shown(&in_work(&["trust", "--yes"])));
    expect![[r#"
        exit code 0
        --- stdout ---
        $WORLD/work
    "#]]
    .assert_eq(&world.shown(&in_work(&["trust", "--list"])));
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

#[test]
fn without_settings_in_the_repository_there_is_nothing_to_agree_to() {
    let world = World::new();
    world.write("work/.git/config", "");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no `.uptake/settings.toml` at the top of the repository of `$WORLD/work`
    "#]]
    .assert_eq(&world.shown(&world.run_in("work", &["trust"])));
}
