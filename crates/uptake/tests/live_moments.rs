//! Real clients at moments that the user has to want: a call that is stopped, a subagent that hears and hands in. Run by `./test`
//! (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

mod lab;

use std::path::{Path, PathBuf};
use std::process::Command;

use lab::{Lab, ended_well, objects};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The reason of a call that was stopped.
const STOPPED: &str = "failed here every time it was tried";
/// What the command prints that works.
const REPORT: &str = "47550";
/// What a subagent is asked.
const REQUEST: &str = "what did you learn in this task";

/// A session with these settings of uptake; answers its folder.
fn session(lab: &Lab, client: &str, scenario: &str, name: &str, settings: Option<&str>) -> PathBuf {
    let (out, mut command) = lab.command(client, scenario, name);
    if let Some(settings) = settings {
        let own = lab.folder.path().join(format!("own-{name}"));
        std::fs::create_dir_all(own.join(".config/uptake")).expect("made");
        std::fs::write(own.join(".config/uptake/config.toml"), settings).expect("written");
        // As if the client had been used before.
        std::fs::create_dir_all(own.join(".claude")).expect("made");
        command.env("OWN", own).env("HOOKS", "init");
    }
    ended_well(&command.output().expect("lab/live runs"), name);
    out
}

fn requests(out: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(out.join("requests.jsonl")).expect("the model's log");
    log.lines().map(str::to_owned).collect()
}

/// Three sessions fail in the same way; a yes to the fix.
fn always_failed(lab: &Lab) {
    for n in 0..3 {
        let home = session(lab, "claude", "flag", &format!("first-{n}"), None).join("home");
        lab.uptake(&home, PATH, &["learn", "--all", "--json"]);
    }
    let home = lab.folder.path().join("first-0/home");
    let lessons = objects(&lab.uptake(&home, PATH, &["list", "--json"]));
    let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("a fix");
    lab.uptake(&home, PATH, &["review", "--accept", fix["id"].as_str().expect("an id")]);
    std::fs::create_dir_all(home.join(".config/uptake")).expect("made");
    std::fs::write(home.join(".config/uptake/config.toml"), "guard = true\n").expect("written");
    lab.uptake(&home, PATH, &["learn", "--json"]);
}

/// What always failed is not run; the reason says what to run instead, and that is run.
#[test]
fn the_guard_stops_a_call_once_and_the_changed_one_passes() {
    let lab = Lab::new();
    always_failed(&lab);
    for client in ["claude", "codex", "opencode", "gemini"] {
        let out = session(&lab, client, "flag", &format!("guarded-{client}"), Some("guard = true\n"));
        let log = requests(&out);
        assert!(log.iter().any(|l| l.contains(STOPPED) && l.contains("--output json")), "{client}: it is stopped");
        assert!(!log.iter().any(|l| l.contains("unrecognized arguments")), "{client}: it was not run");
        assert!(log.iter().any(|l| l.contains(REPORT)), "{client}: the other one ran");
        // A call that was stopped teaches nothing.
        let home = out.join("home");
        let own = if client == "opencode" { ".local/share/opencode".to_owned() } else { format!(".{client}") };
        let seen = objects(&lab.uptake(&home, PATH, &["detect", "--json", home.join(own).to_str().expect("a path")]));
        assert!(seen.is_empty(), "{client}: {seen:?}");
    }
}

/// A rule that names a program, by the user.
fn with_rule(lab: &Lab, text: &str) {
    let first = session(lab, "claude", "calm", "first", None);
    let add = Command::new(env!("CARGO_BIN_EXE_uptake"))
        .args(["add", text])
        .current_dir(first.join("home/ledger"))
        .env_clear()
        .env("HOME", first.join("home"))
        .env("UPTAKE_HOME", lab.data())
        .output()
        .expect("uptake runs");
    ended_well(&add, "add");
}

/// A rule that names a program is heard with the result of a call of it, whatever the client can be told before.
#[test]
fn a_rule_about_a_program_is_heard_with_its_call_in_every_client() {
    let lab = Lab::new();
    with_rule(&lab, "Run `python3` with `-B` here, so that no caches are left");
    for client in ["claude", "codex", "opencode", "gemini"] {
        let out = session(&lab, client, "flag", &format!("told-{client}"), Some("before-calls = true\n"));
        let log = requests(&out);
        // Once on the card, and once with the call.
        let heard = log.iter().map(|l| l.matches("no caches are left").count()).max();
        assert_eq!(heard, Some(2), "{client}");
    }
}

/// A subagent of Codex hears what concerns it, too.
#[test]
fn a_subagent_of_codex_hears_its_lessons() {
    let lab = Lab::new();
    with_rule(&lab, "The books under examples are never edited by a helper");
    let out = session(&lab, "codex", "subagent-learns", "second", Some(""));
    let log = requests(&out);
    // The helper's own requests: nobody else has this as a message.
    let asked = r#""text": "Check every book under examples with"#;
    let of_helper: Vec<&String> = log.iter().filter(|l| l.contains(asked)).collect();
    assert!(!of_helper.is_empty(), "it ran");
    assert!(of_helper.iter().any(|l| l.contains("never edited by a helper")), "it is told");
}

/// A subagent hears what concerns it; it is asked for what it learned, and what it hands in waits for a person.
#[test]
fn a_subagent_hears_its_lessons_and_hands_in_what_it_learned() {
    let lab = Lab::new();
    with_rule(&lab, "The books under examples are never edited by a helper");
    let settings = "learning-agents = [\"general-purpose\"]\n";
    let out = session(&lab, "claude", "subagent-learns", "second", Some(settings));
    let log = requests(&out);
    let of_helper: Vec<&String> = log.iter().filter(|l| l.contains("Check every book under examples with")).collect();
    assert!(of_helper.iter().any(|l| l.contains("never edited by a helper")), "it is told");
    let asked = log.iter().filter(|l| l.contains(REQUEST)).count();
    assert!(asked > 0, "it is asked");
    let lessons = objects(&lab.uptake(&out.join("home"), PATH, &["list", "--json", "--all"]));
    let handed_in: Vec<_> =
        lessons.iter().filter(|l| l["text"].as_str().is_some_and(|t| t.contains("check.sh --every"))).collect();
    assert!(handed_in.len() == 1 && handed_in[0]["trust"] == "assistant", "{lessons:?}");
    let gates = log.last().map_or(0, |l| l.matches(REQUEST).count());
    assert!(gates <= 1, "once is enough where something was handed in");
}
