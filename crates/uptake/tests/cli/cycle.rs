//! `uptake cycle` and `uptake goal`. What ClosedLoop gets wrong has a test of its own here, named after what is right; what it gets
//! wrong outside of the cycle is in `closedloop.rs`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use uptake_testkit::database;

use crate::world::{World, finish};

/// A checkout with one commit and lessons that a person wrote.
pub fn project(lessons: &[&str]) -> World {
    let world = World::new();
    world.write("shop/src/auth/token.ts", &"line\n".repeat(40));
    world.write("shop/src/cart.ts", &"line\n".repeat(40));
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["remote", "add", "origin", "git@git.example.com:dev/shop.git"]);
    git(&world, &["add", "-A"]);
    git(&world, &["-c", "user.name=d", "-c", "user.email=d@example.com", "commit", "-qm", "first"]);
    for text in lessons {
        world.run_in("shop", &["add", text]).ok();
    }
    world
}

fn git(world: &World, args: &[&str]) {
    git_in(world, "shop", args);
}

fn git_in(world: &World, folder: &str, args: &[&str]) {
    let done = Command::new("git").args(args).current_dir(world.path(folder)).env("HOME", world.home()).output();
    assert!(done.expect("git runs").status.success(), "{args:?}");
}

/// Changes line 10 of the file about tokens.
pub fn change(world: &World) {
    world.write("shop/src/auth/token.ts", &format!("{}changed\n{}", "line\n".repeat(9), "line\n".repeat(30)));
}

pub const TOKEN: &str = "Always check token expiry before API calls";
pub const PUSH: &str = "Run unit tests first, then push";

pub fn line(run: &str, iteration: u32, pattern: &str, rest: &str) -> String {
    format!("2026-11-16T10:00:00Z|{run}|{iteration}|implementation-subagent|{pattern}|{rest}\n")
}

pub fn cycle(world: &World, args: &[&str]) -> Value {
    let all: Vec<&str> = ["cycle", "--json"].iter().chain(args).copied().collect();
    world.run_in("shop", &all).ok().objects().remove(0)
}

/// Uses, success rate and flag of the lesson that says this.
pub fn record(done: &Value, text: &str) -> (u64, Option<String>, Option<String>) {
    let lessons = done["lessons"].as_array().expect("a list");
    let one = lessons.iter().find(|l| l["text"] == text).unwrap_or_else(|| panic!("{text} is not there: {done}"));
    let rate = one["success_rate"].as_f64().map(|r| format!("{r:.2}"));
    (one["uses"].as_u64().expect("a number"), rate, one["flag"].as_str().map(str::to_owned))
}

pub fn rated(uses: u64, rate: &str, flag: Option<&str>) -> (u64, Option<String>, Option<String>) {
    (uses, Some(rate.to_owned()), flag.map(str::to_owned))
}

pub fn log(world: &World, lines: &[String]) -> String {
    world.write("outcomes.log", &lines.concat()).to_string_lossy().into_owned()
}

#[test]
fn an_iteration_is_counted_with_what_changed_and_what_was_used() {
    let world = project(&[TOKEN, PUSH]);
    change(&world);
    world.write("shop/src/new.ts", "new\n");
    let log = log(&world, &[line("r1", 1, TOKEN, "applied|src/auth/token.ts:10"), line("r1", 1, PUSH, "injected|")]);
    let done = cycle(&world, &["--outcomes", &log, "--build", "passed"]);
    assert_eq!(done["changed"], json!(["src/auth/token.ts", "src/new.ts"]), "files that are not in git yet count");
    assert_eq!((&done["run"], &done["iteration"]), (&json!("r1"), &json!(1)));
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None));
    assert_eq!(record(&done, PUSH), rated(1, "0.00", Some("REVIEW")));
    let files = Path::new(done["files"].as_str().expect("a path")).to_owned();
    let read = |name: &str| std::fs::read_to_string(files.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read("org-patterns.toon").contains("patterns[2]{id,category,summary,confidence,seen_count,success_rate"));
    assert!(read("build-result.json").contains("\"passed\""));
    let again = read("outcomes.log");
    assert!(again.contains("|applied|src/auth/token.ts:10|0.4|context_tags|build_passed\n"), "{again}");
    // What was written is read, and is the same iteration.
    let own = files.join("outcomes.log");
    let twice = cycle(&world, &["--outcomes", own.to_str().expect("a path"), "--build", "passed"]);
    assert_eq!(twice["lessons"], done["lessons"]);
}

#[test]
fn relevance_is_joined_by_id() {
    let world = project(&[TOKEN]);
    change(&world);
    world.run_in("shop", &["goal", "set", "green", "--", "false"]).ok();
    let log = log(&world, &[line("r1", 1, TOKEN, "applied|")]);
    let done = cycle(&world, &["--outcomes", &log]);
    assert_eq!(done["uses"][0]["relevance"], 0.4);
    // The goal was not met: half of the relevance, not half of a default.
    assert_eq!(record(&done, TOKEN), rated(1, "0.20", Some("REVIEW")));
}

#[test]
fn a_second_run_adds_nothing() {
    let world = project(&[TOKEN, PUSH]);
    change(&world);
    world.run_in("shop", &["goal", "set", "failures", "--target", "3"]).ok();
    let log = log(
        &world,
        &[line("r1", 1, TOKEN, "applied|"), line("r1", 2, TOKEN, "applied|"), line("r1", 2, PUSH, "applied|")],
    );
    let args = ["--outcomes", &log, "--iteration", "2", "--build", "failed"];
    let first = cycle(&world, &args);
    for _ in 0..2 {
        world.tick();
        assert_eq!(cycle(&world, &args)["lessons"], first["lessons"]);
    }
    let rows = database::number(&world.data().join("lessons.db"), "SELECT count(*) FROM outcomes WHERE lesson <> ''");
    assert_eq!((rows, record(&first, TOKEN).0), (3, 2));
    assert_eq!(first["goal"]["met"], true, "iteration 2 of at most 3");
}

#[test]
fn a_failed_build_counts_against_what_was_applied() {
    let world = project(&[TOKEN]);
    change(&world);
    for n in 1..=3 {
        let log = log(&world, &[line("r1", n, TOKEN, "applied|")]);
        cycle(&world, &["--outcomes", &log, "--build", "failed"]);
    }
    assert_eq!(record(&cycle(&world, &["--run", "r2"]), TOKEN), rated(3, "0.00", Some("REVIEW")));
    // The command of the line itself, too.
    let log = log(&world, &[line("r3", 1, TOKEN, "applied|")]);
    let done = cycle(&world, &["--outcomes", &log, "--", "exit", "3"]);
    assert_eq!((done["built"].as_bool(), record(&done, TOKEN).0), (Some(false), 4));
}

#[test]
fn runs_of_one_name_in_two_projects_are_two() {
    let world = project(&[TOKEN]);
    world.write("till/a.ts", "line\n");
    git_in(&world, "till", &["init", "-q", "-b", "main"]);
    git_in(&world, "till", &["remote", "add", "origin", "git@git.example.com:dev/till.git"]);
    let log = log(&world, &[line("nightly", 1, TOKEN, "applied|")]);
    let first = cycle(&world, &["--outcomes", &log, "--build", "failed"]);
    let args = ["cycle", "--json", "--run", "nightly", "--iteration", "1"];
    let other = world.run_in("till", &args).ok().objects().remove(0);
    assert_ne!(other["files"], first["files"]);
    assert_eq!(record(&cycle(&world, &["--run", "r2"]), TOKEN).0, 1, "what was used in the first project stays");
    let built = "SELECT count(*) FROM outcomes WHERE lesson = '' AND session LIKE '%nightly/1' AND applied IS NOT NULL";
    let rows = |sql: &str| database::number(&world.data().join("lessons.db"), sql);
    assert_eq!(rows(built), 1, "the build of the one is not that of the other");
    assert_eq!(rows("SELECT count(DISTINCT moment) FROM outcomes WHERE lesson = ''"), 2);
}

#[test]
fn the_words_of_a_command_are_run_as_they_were_given() {
    let world = project(&[]);
    for (words, built) in [
        (&["sh", "-c", "exit 1"][..], false),
        (&["sh", "-c", "exit 0"], true),
        (&["exit 1"], false),
        (&["test", "a b", "=", "a b"], true),
        (&["test", "it's; exit 1", "=", "it's; exit 1"], true),
        (&["test", "", "=", "x"], false),
    ] {
        let args: Vec<&str> = ["--run", "r1", "--"].iter().chain(words).copied().collect();
        assert_eq!(cycle(&world, &args)["built"], built, "{words:?}");
        let args: Vec<&str> = ["goal", "set", "green", "--"].iter().chain(words).copied().collect();
        world.run_in("shop", &args).ok();
        let said = world.run_in("shop", &["goal", "check"]).out;
        assert_eq!(said.starts_with("Met"), built, "{words:?}: {said}");
    }
}

#[test]
fn an_iteration_counts_also_where_its_goal_cannot_be_measured() {
    let world = project(&[TOKEN]);
    world.run_in("shop", &["goal", "set", "number", "--target", "80", "--", "cat", "coverage.txt"]).ok();
    let log = log(&world, &[line("r1", 1, TOKEN, "applied|")]);
    let run = world.run_in("shop", &["cycle", "--json", "--outcomes", &log, "--build", "failed"]).ok();
    let done = run.objects().remove(0);
    assert!(run.err.contains("`cat coverage.txt` printed no number"), "{}", run.err);
    assert_eq!((&done["goal"]["value"], record(&done, TOKEN)), (&json!(null), rated(1, "0.00", Some("REVIEW"))));
    let told = world.run_in("shop", &["cycle", "--run", "r2"]).ok().out;
    assert!(told.contains("could not be measured"), "{told}");
}

#[test]
fn what_one_run_did_not_see_stays_as_it_was() {
    let world = project(&[TOKEN, PUSH]);
    let lines: Vec<String> =
        (1..=40).map(|n| line("old", n, PUSH, if n < 3 { "injected|" } else { "applied|" })).collect();
    cycle(&world, &["--outcomes", &log(&world, &lines)]);
    change(&world);
    let done = cycle(&world, &["--outcomes", &log(&world, &[line("new", 1, TOKEN, "applied|")])]);
    assert_eq!(record(&done, PUSH), rated(40, "0.95", None));
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None));
}

#[test]
fn a_comma_in_a_lesson_splits_nothing() {
    let world = project(&[PUSH, "then push"]);
    let done = cycle(&world, &["--outcomes", &log(&world, &[line("r1", 1, PUSH, "applied|")])]);
    assert_eq!(done["uses"].as_array().map(Vec::len), Some(1));
    assert_eq!(record(&done, PUSH), rated(1, "1.00", None));
    assert_eq!(record(&done, "then push"), (0, None, Some("UNTESTED".to_owned())));
}

#[test]
fn a_bracket_in_a_lesson_is_part_of_it() {
    let (text, other) = ("Use arr[0] not arr.first", "not arr.first in templates");
    let world = project(&[text, other]);
    let done = cycle(&world, &["--outcomes", &log(&world, &[line("r1", 1, &format!("[high] {text}"), "applied|")])]);
    assert_eq!((record(&done, text).0, record(&done, other).0), (1, 0));
}

#[test]
fn a_false_claim_marks_only_itself() {
    let world = project(&[TOKEN, PUSH]);
    change(&world);
    let lines = [
        line("r1", 1, TOKEN, "applied|src/auth/token.ts:10,src/cart.ts:3"),
        line("r1", 1, PUSH, "applied|src/auth/token.ts:30"),
    ];
    let done = cycle(&world, &["--outcomes", &log(&world, &lines)]);
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None));
    assert_eq!(record(&done, PUSH), rated(1, "0.00", Some("REVIEW")));
    let claims: Vec<bool> = done["uses"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|u| u["claims"].as_array().cloned().unwrap_or_default())
        .map(|c| c["holds"].as_bool().expect("a word"))
        .collect();
    assert_eq!(claims.iter().filter(|holds| **holds).count(), 1, "{done}");
}

#[test]
fn uncommitted_and_committed_work_is_seen() {
    let world = project(&[TOKEN]);
    change(&world);
    git(&world, &["-c", "user.name=d", "-c", "user.email=d@example.com", "commit", "-qam", "second"]);
    let log = log(&world, &[line("r1", 1, TOKEN, "applied|src/auth/token.ts:10")]);
    let done = cycle(&world, &["--outcomes", &log, "--since", "HEAD~1"]);
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None));
    assert_eq!(cycle(&world, &["--run", "r2"])["changed"], json!([]));
}

#[test]
fn nothing_that_a_project_says_is_run() {
    let world = project(&[TOKEN]);
    let mark = world.path("ran");
    let touch = format!("touch {}", mark.display());
    world.write("shop/.closedloop/goal.yaml", &format!("active_goal: x\ngoals:\n  x:\n    test_command: {touch}\n"));
    world.write("shop/.uptake/settings.toml", &format!("[goals.x]\nkind = \"green\"\ncommand = \"{touch}\"\n"));
    world.write("shop/.closedloop/retention.yaml", &format!("max_runs: \"1; {touch}\"\n"));
    let log = log(&world, &[line("r1", 1, &format!("$({touch})"), "applied|")]);
    cycle(&world, &["--outcomes", &log]);
    assert!(!mark.exists());
    // Nor a filter that the repository itself sets, through which git would read every changed file.
    git(&world, &["config", "filter.x.clean", &format!("{touch}; cat")]);
    git(&world, &["config", "filter.y.z.process", &touch]);
    world.write("shop/.gitattributes", "*.ts filter=x\ncart.ts filter=y.z\n");
    change(&world);
    world.write("shop/src/cart.ts", "other\n");
    let done = cycle(&world, &["--run", "r2"]);
    assert!(!mark.exists());
    assert_eq!(
        done["changed"],
        json!([
            ".closedloop/goal.yaml",
            ".closedloop/retention.yaml",
            ".gitattributes",
            ".uptake/settings.toml",
            "src/auth/token.ts",
            "src/cart.ts"
        ])
    );
    git(&world, &["config", "filter.a=b.clean", &touch]);
    let run = world.run_in("shop", &["cycle"]);
    assert!(run.code == 1 && run.err.contains("filter"), "{}", run.err);
    let run = world.run_in("shop", &["config", "set", "retention.max-runs", &format!("1; {touch}")]);
    assert_eq!((run.code, mark.exists()), (1, false), "a number and nothing else: {}", run.err);
}

#[test]
fn a_lesson_that_is_not_used_in_ten_iterations_is_stale() {
    let world = project(&[TOKEN]);
    cycle(&world, &["--outcomes", &log(&world, &[line("r1", 1, TOKEN, "applied|")])]);
    for n in 1..=9 {
        world.tick();
        let done = cycle(&world, &["--run", "r2", "--iteration", &n.to_string()]);
        assert_eq!(record(&done, TOKEN).2, None, "{n}");
    }
    world.tick();
    let done = cycle(&world, &["--run", "r2", "--iteration", "10"]);
    assert_eq!(record(&done, TOKEN).2.as_deref(), Some("STALE"));
}

#[test]
fn learnings_that_an_agent_handed_in_wait_for_a_person_and_may_cite() {
    let world = project(&[TOKEN]);
    change(&world);
    let file = json!({
        "task": "login", "pattern": "Never call the billing service without a fresh token", "agent": "coder",
        "citations": [format!("Applied: \"{TOKEN}\" -> src/auth/token.ts:10")], "tags": ["auth"],
    });
    world.write("pending/a.json", &file.to_string());
    world.write("pending/b.json", r#"{"no_learnings": true, "reason": "nothing new"}"#);
    let folder = world.path("pending");
    let args = ["--run", "r1", "--learnings", folder.to_str().expect("a path")];
    let done = cycle(&world, &args);
    assert_eq!(done["learnings"], json!({ "pitfall": 1 }));
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None));
    let waiting = || {
        let rows = world.run(&["review", "--all", "--json"]).ok().objects();
        rows.iter().filter(|r| r["text"].as_str().is_some_and(|t| t.contains("billing"))).count()
    };
    assert_eq!(waiting(), 1);
    assert_eq!(cycle(&world, &args)["lessons"], done["lessons"]);
    assert_eq!(waiting(), 1);
}

#[test]
fn sixteen_at_once_and_kills_give_the_same_numbers() {
    let world = project(&[TOKEN, PUSH]);
    change(&world);
    let lines: Vec<String> = (1..=6)
        .flat_map(|n| [line("r1", n, TOKEN, "applied|src/auth/token.ts:10"), line("r1", n, PUSH, "injected|")])
        .collect();
    let log = log(&world, &lines);
    let args = ["cycle", "--json", "--outcomes", &log, "--build", "passed"];
    let kept = world.path("kept");
    crate::world::copy(&world.data(), &kept);
    let start = || {
        let mut command = world.command();
        command.args(args).current_dir(world.path("shop"));
        command
    };
    std::thread::scope(|scope| {
        let commands: Vec<Command> = (0..16).map(|_| start()).collect();
        let started: Vec<_> =
            commands.into_iter().map(|mut one| scope.spawn(move || finish(&mut one, "").code)).collect();
        assert!(started.into_iter().all(|one| one.join().expect("ended") == 0));
    });
    let wanted = cycle(&world, &args[2..]);
    assert_eq!(record(&wanted, TOKEN), rated(6, "1.00", None));
    assert_eq!(record(&wanted, PUSH), rated(6, "0.00", Some("REVIEW")));
    for n in 0..12_u32 {
        std::fs::remove_dir_all(world.data()).expect("gone");
        crate::world::copy(&kept, &world.data());
        world.keep_data_private();
        let mut child = start();
        child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = child.spawn().expect("starts");
        std::thread::sleep(std::time::Duration::from_millis(u64::from(n * 7 % 40)));
        let _ = child.kill();
        child.wait().expect("ended");
        let again = cycle(&world, &args[2..]);
        assert_eq!((record(&again, TOKEN), record(&again, PUSH)), (record(&wanted, TOKEN), record(&wanted, PUSH)));
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_next_step() {
    let world = project(&[]);
    for (args, says) in [
        (&["cycle", "--since", "nowhere"][..], "--since takes a commit"),
        (&["cycle", "--since", "--upload-pack=x"], "unexpected argument"),
        (&["cycle", "--since=--output=x"], "--since takes a commit"),
        (&["cycle", "--run", "../x"], "a run cannot be called"),
        (&["cycle", "--iteration", "0"], "counted from 1"),
        (&["cycle", "--outcomes", "gone.log"], "cannot read"),
        (&["goal", "set", "green"], "need a command"),
        (&["goal", "set", "number", "--", "echo", "1"], "--target N"),
        (&["goal", "check"], "no goal is set here"),
    ] {
        let run = world.run_in("shop", args);
        assert_ne!(run.code, 0, "{args:?}: {}", run.out);
        assert!(run.err.contains(says), "{args:?}: {}", run.err);
    }
    world.write("elsewhere/a.txt", "");
    let run = world.run_in("elsewhere", &["cycle"]);
    assert!(run.code == 1 && run.err.contains("is in no repository"), "{}", run.err);
}

#[test]
fn a_goal_is_set_measured_and_told() {
    let world = project(&[TOKEN]);
    let shown = |args: &[&str]| world.run_in("shop", args).ok().out;
    assert!(shown(&["goal"]).contains("No goal is set here"));
    shown(&["goal", "set", "number", "--target", "80", "--", "cat", "coverage.txt"]);
    world.write("shop/coverage.txt", "TOTAL 72%\n");
    assert!(shown(&["goal", "check"]).starts_with("Not met:"), "{}", shown(&["goal", "check"]));
    cycle(&world, &["--run", "r1"]);
    world.write("shop/coverage.txt", "TOTAL 85%\n");
    world.tick();
    cycle(&world, &["--run", "r2"]);
    let told = shown(&["goal"]);
    assert!(told.contains("met in 1 of the last 2 iterations; last measured: 85"), "{told}");
    assert!(shown(&["hud"]).contains("goal 1/2"), "{}", shown(&["hud"]));
    assert!(shown(&["report"]).contains("`cat coverage.txt` prints 80 or more"), "{}", shown(&["report"]));
    assert_eq!(world.run(&["goal", "list", "--json"]).ok().objects()[0]["goal"], "raise-number");
    shown(&["goal", "unset"]);
    assert!(shown(&["goal"]).contains("No goal is set here"));
}
