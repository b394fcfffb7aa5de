//! `uptake report`, and the trials it tells of.

use std::process::Stdio;

use uptake_testkit::database;
use uptake_testkit::transcript::claude;

use crate::hook::{COMMAND, ERROR, payload, world_with_fix};
use crate::world::{World, finish};

/// What a hook says in a session if lessons may be withheld.
fn asked(world: &World, session: &str) -> String {
    let mut command = world.command();
    command.env_remove("UPTAKE_HOLDOUT").args(["hook", "claude"]).stdin(Stdio::piped());
    finish(&mut command, &payload(world, session, COMMAND, ERROR)).ok().out
}

#[test]
fn a_lesson_is_withheld_in_some_sessions_and_always_the_same() {
    let world = world_with_fix(true);
    let sessions: Vec<String> = (0..60).map(|n| format!("session-{n}")).collect();
    let silent: Vec<&String> = sessions.iter().filter(|s| asked(&world, s).is_empty()).collect();
    // One in five, give or take.
    assert!((4..=22).contains(&silent.len()), "{}", silent.len());
    for session in &silent {
        assert_eq!(asked(&world, session), "", "{session}: it was withheld in this session before");
        let shown = world.run_with(&["hook", "claude"], &payload(&world, session, COMMAND, ERROR)).ok().out;
        assert_ne!(shown, "", "UPTAKE_HOLDOUT=0 shows everything");
    }
    world.run(&["learn", "--json"]).ok();
    let store = world.data().join("lessons.db");
    let count = |question: &str| database::number(&store, question);
    assert_eq!(count("SELECT count(*) FROM outcomes WHERE lesson <> ''"), 60);
    assert_eq!(count("SELECT count(*) FROM outcomes WHERE withheld"), silent.len() as i64);
    assert_eq!(count("SELECT count(*) FROM outcomes WHERE lesson <> '' AND chance <> 200"), 0);
    let report = world.run(&["report", "--json"]).ok().objects();
    assert_eq!(report[0]["trials"]["withheld"], silent.len());
}

#[test]
fn nothing_is_withheld_if_the_user_says_so() {
    let world = world_with_fix(true);
    world.run(&["config", "set", "holdout", "0"]).ok();
    assert!((0..30).all(|n| !asked(&world, &format!("session-{n}")).is_empty()));
    let run = world.run(&["config", "set", "holdout", "21"]);
    assert_eq!(run.code, 1, "{}", run.out);
}

#[test]
fn the_users_own_words_are_never_withheld() {
    let world = World::new();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    world.run_in("work", &["add", "Always round invoice totals with the bankers helper"]).ok();
    let prompt = |n: usize| {
        let folder = world.path("work");
        let sent = serde_json::json!({
            "session_id": format!("s{n}"), "cwd": folder, "hook_event_name": "UserPromptSubmit",
            "prompt": "Round the invoice totals of March with the bankers helper",
        });
        let mut command = world.command();
        command.env_remove("UPTAKE_HOLDOUT").args(["hook", "claude"]).stdin(Stdio::piped());
        finish(&mut command, &sent.to_string()).ok().out
    };
    assert!((0..30).all(|n| prompt(n).contains("bankers helper")), "{}", prompt(99));
}

/// Outcomes of a lesson as if sessions had been read: of so many told and withheld, how many failed.
fn with_outcomes(world: &World, told: (usize, usize), withheld: (usize, usize)) -> String {
    let list = world.run(&["list", "--json"]).ok().objects();
    let fix = list.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("the fix");
    let id = fix["id"].as_str().expect("an id").to_owned();
    let mut rows = Vec::new();
    // Mixed, as they would come.
    for n in 0..told.1.max(withheld.1) {
        for (arm, (failed, of)) in [(0, told), (1, withheld)] {
            if n < of {
                let bad = (n * failed) / of != ((n + 1) * failed) / of;
                let failed = i32::from(bad);
                rows.push(format!(
                    "('{id}','claude','s{arm}-{n}','failure',{},{arm},200,{failed},0,1,2,300)",
                    n * 2 + arm
                ));
            }
        }
    }
    database::execute(
        &world.data().join("lessons.db"),
        &format!(
            "INSERT INTO outcomes (lesson,source,session,moment,at,withheld,chance,failed,pushed,reached,calls,tokens) VALUES {}",
            rows.join(",")
        ),
    );
    something_new(world, told.1);
    id
}

/// Trials are judged when there is something new to read.
fn something_new(world: &World, n: usize) {
    let text = claude(&format!("new-{n}"), "/home/dev/elsewhere", "u hello\na hello");
    world.write(&format!("home/.claude/projects/-home-dev-elsewhere/new-{n}.jsonl"), &text);
}

#[test]
fn what_does_not_help_retires_itself_and_can_be_taken_back() {
    let world = world_with_fix(true);
    let id = with_outcomes(&world, (200, 240), (20, 60));
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains(&format!("Retired {id}: its trials show that it does not help")), "{}", run.out);
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "later", COMMAND, ERROR)).ok().out, "");
    assert!(world.run(&["why", &id]).ok().out.contains("does not help"));
    let report = world.run(&["report"]).ok().out;
    assert!(report.contains("of no help"), "{report}");
    something_new(&world, 9);
    assert!(!world.run(&["learn"]).ok().out.contains("Retired"), "it is said once");
    world.run(&["undo"]).ok();
    assert_ne!(world.run_with(&["hook", "claude"], &payload(&world, "later", COMMAND, ERROR)).ok().out, "");
}

#[test]
fn a_failure_after_each_of_three_showings_retires_at_once() {
    let world = world_with_fix(true);
    let id = with_outcomes(&world, (3, 3), (0, 0));
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains(&format!("Retired {id}: its failure came again")), "{}", run.out);
}

#[test]
fn what_helps_stays_and_is_withheld_less_often() {
    let world = world_with_fix(true);
    with_outcomes(&world, (10, 200), (35, 50));
    assert!(!world.run(&["learn"]).ok().out.contains("Retired"));
    let report = world.run(&["report", "--json"]).ok().objects();
    assert!(report[0]["lift"]["low"].as_f64().is_some_and(|low| low > 0.3), "{}", report[0]);
    assert_eq!(report[0]["lessons"][0]["fate"], "proven");
    let silent = (0..60).filter(|n| asked(&world, &format!("session-{n}")).is_empty()).count();
    assert!(silent <= 10, "{silent}");
    let page = world.path("report.html");
    world.run(&["report", "--html", page.to_str().expect("a path")]).ok();
    let text = std::fs::read_to_string(page).expect("a page");
    assert!(text.contains("Lift of each lesson") && !text.contains("<script"));
}

#[test]
fn where_there_is_too_little_that_is_said() {
    let world = World::new();
    assert!(world.run(&["report"]).ok().out.contains("No session was read yet"));
    let world = world_with_fix(false);
    assert!(world.run(&["report"]).ok().out.contains("No lesson is in use yet"));
    let world = world_with_fix(true);
    assert!(world.run(&["report"]).ok().out.contains("No lesson was told to an agent yet"));
    with_outcomes(&world, (1, 8), (1, 2));
    assert!(world.run(&["report"]).ok().out.contains("nobody can say"));
}
