//! `uptake config`.

use expect_test::expect;

use crate::world::{World, learn, status_of, with_fix};

#[test]
fn a_setting_is_read_changed_and_put_back() {
    let world = World::new();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
    expect![[r#"
        exit code 0
        --- stdout ---
        enabled      true
                     agents hear lessons, new sessions are read; true, false
        mode         review
                     whose yes a lesson needs; review (yours), auto (plain ones pass)
        exclude      
                     projects and folders left alone; names, keys, /paths, separated by commas
        shown        5
                     suggestions `uptake learn` shows; 1 to 50
        snooze-days  30
                     days a lesson stays put away; 1 to 365
        background-runs 5
                     times a day sessions are learned from in the background; 0 to 100
        holdout      20
                     of 100 sessions, in how many a lesson is withheld to see if it helps; 0 (never) to 20
        guard        false
                     a command that always failed here is denied, once, with its fix (run uptake init after a change); true, false
        before-calls false
                     agents are told before a call what holds for its file or program (run uptake init after a change); true, false
        learning-agents 
                     subagents that are asked what they learned (run uptake init after a change); kinds of agents, separated by commas
        reader       off
                     the model that may read digests of your sessions and propose lessons; off, claude, codex, opencode, gemini, command WORDS, endpoint URL MODEL [KEY_VARIABLE] [anthropic], folder PATH
        reader.days  30
                     days back it may read; 1 to 365
        reader.requests-a-day 10
                     requests to it a day; 1 to 1000
        reader.tokens-a-day 100000
                     tokens sent to it a day; 1000 to 10000000
        reader.cross false
                     a client may read sessions of another one; true, false
        retention.max-runs 100
                     runs of `uptake cycle` whose files are kept; 1 to 100000
        retention.max-sessions 5000
                     sessions whose events are kept; 1 to 10000000
        retention.max-log-lines 10000
                     lines of a log that are kept; 1 to 10000000
        retention.max-archive-age-days 30
                     days that retrospectives, damaged stores and records of hooks are kept; 1 to 3650
        retention.lock-stale-hours 4
                     hours after which a lock that nobody holds, and what a killed process left, goes; 1 to 8760
        retention.protected-window-minutes 30
                     what is younger is never touched; 0 to 525600
        sessions, days between first and last, and confidence a lesson needs:
        thresholds.recovery     required 1, spread 0, promote 0.95
        thresholds.correction   required 1, spread 0, promote 0.95
        thresholds.instruction  required 1, spread 0, promote 0.95
        thresholds.procedure    required 2, spread 0, promote 0.95
        thresholds.repeated     required 3, spread 0, promote 0.95
        thresholds.procedural   required 4, spread 5, promote 0.7
        thresholds.workflow     required 3, spread 3, promote 0.6
        thresholds.decision     required 2, spread 0, promote 0.65
        thresholds.pitfall      required 2, spread 0, promote 0.65
        thresholds.insight      required 1, spread 0, promote 0.95
        thresholds.fact         required 2, spread 0, promote 0.95
    "#]]
    .assert_eq(&world.snapshot(&["config", "list"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ mode = auto (was review)
          What you said in three sessions, and plain commands that worked in three, are used without asking.
          What came out of a tool, a file or the web still waits for you. What passed: uptake undo --list
    "#]]
    .assert_eq(&world.snapshot(&["config", "set", "mode", "auto"]));
    world.run(&["config", "set", "thresholds.workflow.required", "5"]).ok();
    let path = world.run(&["config", "path"]).ok().out;
    assert!(path.trim().ends_with(".config/uptake/config.toml"), "{path}");
    let text = std::fs::read_to_string(path.trim()).expect("there");
    assert!(text.contains("mode = \"auto\"") && text.contains("[thresholds.workflow]"), "{text}");
    let all = &world.run(&["config", "list", "--json"]).ok().objects()[0];
    assert_eq!((&all["mode"], &all["thresholds"]["workflow"]["required"]), (&"auto".into(), &5.into()));
    world.run(&["config", "unset", "mode"]).ok();
    assert_eq!(world.run(&["config", "get", "mode"]).ok().out, "review\n");
}

#[test]
fn what_does_not_fit_is_refused_and_a_broken_file_is_named() {
    let world = World::new();
    expect![[r#"
        exit code 1
        --- stderr ---
        error: `mode` cannot be `yolo`; it can be: review (yours), auto (plain ones pass)
    "#]]
    .assert_eq(&world.snapshot(&["config", "set", "mode", "yolo"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: `shown` cannot be `99`; it can be: 1 to 50
    "#]]
    .assert_eq(&world.snapshot(&["config", "set", "shown", "99"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: there is no setting `colour`; there are enabled, mode, exclude, shown, snooze-days, background-runs, holdout, guard, before-calls, learning-agents, reader, reader.days, reader.requests-a-day, reader.tokens-a-day, reader.cross, retention.max-runs, retention.max-sessions, retention.max-log-lines, retention.max-archive-age-days, retention.lock-stale-hours, retention.protected-window-minutes, and thresholds.KIND.required|spread|promote for recovery, correction, instruction, procedure, repeated, procedural, workflow, decision, pitfall, insight, fact
    "#]].assert_eq(&world.snapshot(&["config", "set", "colour", "red"]));
    assert_eq!(world.run(&["config", "set", "shown", "-1"]).code, 1);
    world.write("home/.config/uptake/config.toml", "mode = \n");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: cannot use the settings in `$HOME/.config/uptake/config.toml`; correct the file or delete it: TOML parse error at line 1, column 8
          |
        1 | mode = 
          |        ^
        string values must be quoted, expected literal string

    "#]].assert_eq(&world.snapshot(&["learn"]));
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
fn a_value_that_does_not_fit_is_refused_in_a_sentence() {
    let world = World::new();
    for (name, value, can_be) in [
        ("mode", "foo", "review (yours), auto (plain ones pass)"),
        ("mode", "Auto", "review (yours), auto (plain ones pass)"),
        ("enabled", "yes", "true, false"),
        ("shown", "many", "1 to 50"),
        ("shown", "0", "1 to 50"),
        ("shown", "5.5", "1 to 50"),
        ("snooze-days", "366", "1 to 365"),
        ("snooze-days", "-1", "1 to 365"),
        ("thresholds.recovery.required", "0", "a number of sessions, 1 or more"),
        ("thresholds.recovery.spread", "soon", "a number of days, 0 or more"),
        ("thresholds.recovery.promote", "1", "a confidence from 0 to 0.95"),
        ("thresholds.recovery.promote", "NaN", "a confidence from 0 to 0.95"),
    ] {
        let run = world.run(&["config", "set", name, value]);
        let expected = format!("error: `{name}` cannot be `{value}`; it can be: {can_be}\n");
        assert_eq!((run.code, run.out.as_str(), run.err), (1, "", expected));
    }
    assert!(!world.home().join(".config/uptake/config.toml").exists(), "nothing was changed");
}

#[test]
fn what_fits_is_taken_as_it_was_typed() {
    let world = World::new();
    for (name, value, shown) in [
        ("mode", "auto", "auto"),
        ("enabled", "false", "false"),
        ("shown", " 7 ", "7"),
        ("exclude", "ledger, ~/private,", "ledger, ~/private"),
        ("thresholds.recovery.required", "3", "3"),
        ("thresholds.recovery.promote", "0", "0"),
    ] {
        world.run(&["config", "set", name, value]).ok();
        assert_eq!(world.run(&["config", "get", name]).ok().out, format!("{shown}\n"), "{name}");
    }
}

#[test]
fn a_setting_that_does_not_exist_is_answered_with_those_that_do() {
    let run = World::new().run(&["config", "set", "colour", "red"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err.starts_with("error: there is no setting `colour`; there are enabled, mode, exclude, "),
        "{}",
        run.err
    );
}
