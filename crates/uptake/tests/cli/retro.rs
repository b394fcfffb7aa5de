//! `uptake retro`.

use expect_test::expect;

use crate::world::{World, messages};

const SCRIPT: &str = "u run the tests
    $ make test => make: *** No rule to make target 'deps.txt'.  Stop.
    $ make deps => ok
    $ make test => ok
    u no, use make check instead
    $ make check => ok";

#[test]
fn a_transcript_is_told_on_one_screen() {
    let world = World::new();
    let path = world.write("one.json", &messages(SCRIPT));
    let told = world.run_on(&["retro", "--json"], &[&path]).ok().objects();
    // It is made of the path, as the transcript has none.
    let id = told[0]["session_id"].as_str().expect("an id");
    let run = world.run_on(&["retro"], &[&path]).ok();
    assert!(run.out.lines().count() <= 24 && run.out.lines().all(|l| l.chars().count() <= 80), "{}", run.out);
    expect![[r#"
        exit code 0
        --- stdout ---
        Session ID (openai)
          4 calls, 1 failed, 1 fixed, 0 retried, 1 correction
        Solved
          ✓ Before `make test` run `make deps`
        Corrected by you
          » no, use make check instead
        Could be learned
          • Before `make test` run `make deps`
          • Instead of `make test` run `make check`; the user said: “no, use make check…
        To keep something of it: uptake learn, then uptake review
    "#]]
    .assert_eq(&world.shown(&run).replace(id, "ID"));
}

#[test]
fn json_has_the_documented_keys() {
    let world = World::new();
    let path = world.write("one.json", &messages(SCRIPT));
    let rows = world.run_on(&["retro", "--json"], &[&path]).ok().objects();
    assert_eq!(rows.len(), 1);
    let mut keys: Vec<&str> = rows[0].as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["error_solutions_extracted", "patterns_detected", "session_id", "skill_improvements", "summary", "v"]
    );
    assert_eq!(rows[0]["error_solutions_extracted"], 1);
    assert!(rows[0]["summary"].as_str().is_some_and(|s| s.starts_with("4 calls, 1 failed, 1 of them fixed later")));
}

#[test]
fn a_long_session_still_fits_the_screen() {
    let world = World::new();
    let mut script = String::new();
    for n in 0..12 {
        let word = ["one", "two", "six", "ten"][n % 4];
        script.push_str(&format!("$ tool{n} --{word}{n} {} => error: unknown option '--{word}{n}'\n", "x".repeat(120)));
        script.push_str(&format!("$ tool{n} --good{n} {} => fine\n", "x".repeat(120)));
        script.push_str(&format!("$ make part{n} => make: *** No rule to make target 'part{n}'.  Stop.\n"));
        script.push_str(&format!("u no, that is wrong, use make all{n} instead {}\n", "ä".repeat(200)));
    }
    let path = world.write("long.json", &messages(&script));
    let run = world.run_on(&["retro"], &[&path]).ok();
    assert!(run.out.lines().count() <= 24 && run.out.lines().all(|l| l.chars().count() <= 80), "{}", run.out);
    assert!(run.out.contains("… and"), "{}", run.out);
}

#[test]
fn a_stored_session_is_found_by_the_start_of_its_id() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let rows = world.run(&["sessions", "--json"]).ok().objects();
    let id = rows[0]["session"].as_str().expect("an id");
    let told = world.run(&["retro", "--json", &id[..18]]).ok().objects();
    assert_eq!(told[0]["session_id"].as_str(), Some(id));
    // Without an id the newest; this folder belongs to another project.
    let newest = world.run(&["retro", "--json"]).ok().objects();
    assert_eq!(newest[0]["session_id"].as_str(), Some(id));
}

#[test]
fn what_cannot_be_told_says_what_to_do() {
    let world = World::new();
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no sessions were read yet; begin with `uptake learn`
    "#]]
    .assert_eq(&world.snapshot(&["retro"]));
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no session and no transcript is called `nowhere`; `uptake sessions` lists the sessions
    "#]]
    .assert_eq(&world.snapshot(&["retro", "nowhere"]));
    // All recorded ids of one client begin alike.
    expect![[r#"
        exit code 1
        --- stderr ---
        error: 4 sessions begin with `01a1e0ec`; give more of it: 01a1e0ec-e056-73a3-b861-feade36b0757, 01a1e0ec-dc86-7bc0-9e57-e794fcabade8, 01a1e0ec-d42e-7650-86eb-d7d70d38dc0c, 01a1e0ec-d016-7f80-8944-1cc1b2aff228
    "#]].assert_eq(&world.snapshot(&["retro", "01a1e0ec"]));
    let empty = world.write("empty.json", "[]");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no transcript could be read: `$WORLD/empty.json` is no session of Claude Code, Codex CLI, OpenCode, Gemini CLI or OpenAI-style messages
    "#]]
    .assert_eq(&world.shown(&world.run_on(&["retro"], &[&empty])));
}

#[test]
fn a_day_is_told_and_kept_by_the_daily_run() {
    let world = World::new().with_history();
    let run = world.run(&["retro", "--daily", "--json"]).ok();
    let days = run.objects();
    assert!(!days.is_empty() && days.iter().all(|d| d["sessions"].as_u64().is_some_and(|n| n > 0)), "{}", run.out);
    for day in &days {
        let text = std::fs::read_to_string(day["file"].as_str().expect("a path")).expect("text");
        let told = world.run(&["retro", "--json", "--day", day["day"].as_str().expect("a day")]).ok();
        let sorted = |text: &str| {
            let mut lines: Vec<serde_json::Value> =
                text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
            lines.sort_by_key(|l| l["session_id"].to_string());
            lines
        };
        assert_eq!(sorted(&text), sorted(&told.out));
    }
    assert_eq!(world.run(&["retro", "--daily", "--json"]).ok().out, run.out, "the same again");
    assert!(world.run(&["retro", "--day", "2020-01-01"]).ok().out.contains("No session that was read ended on"));
}

#[test]
fn a_daily_run_that_stopped_is_told() {
    let world = World::new();
    world.write("data/retro/daily", "1794000000000");
    let told = world.run(&["doctor"]).ok().out;
    assert!(told.contains("the daily run last ran on 2026-11-06") && told.contains("retro --daily"), "{told}");
}

#[test]
fn a_job_that_starts_a_program_that_is_gone_is_told() {
    let world = World::new();
    let list = "<plist version=\"1.0\"><dict><key>StartInterval</key><integer>9</integer><array><string>/gone/uptake</string>\
                <string>retro</string><string>--daily</string></array></dict></plist>\n";
    world.write("home/Library/LaunchAgents/dev.uptake.daily.plist", list);
    let told = world.run(&["doctor"]).ok().out;
    assert!(told.contains("dev.uptake.daily.plist` does not start") && told.contains("launchctl load -w"), "{told}");
}
