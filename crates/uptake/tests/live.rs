//! The real clients, driven by a scripted model: a format that drifts turns these red. Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

struct Live {
    folder: tempfile::TempDir,
}

impl Live {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("uptake")
    }

    fn uptake(&self, home: &Path, args: &[&str]) -> String {
        let out = Command::new(env!("CARGO_BIN_EXE_uptake"))
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env("UPTAKE_HOME", self.data())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .output()
            .expect("uptake runs");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    /// One session of a real client; answers the folder with its home and the model's log.
    fn session(&self, client: &str, scenario: &str, hooks: bool) -> PathBuf {
        let out = self.folder.path().join(format!("{client}-{scenario}"));
        let mut command = Command::new(root().join("lab/live"));
        command
            .args([client, env!("CARGO_BIN_EXE_uptake")])
            .arg(&out)
            .env("SCENARIO", scenario)
            .env("UPTAKE_HOME", self.data());
        if hooks {
            command.env("HOOKS", "1");
        }
        let run = command.output().expect("lab/live runs");
        assert!(
            run.status.success(),
            "{client} {scenario}: {}{}",
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr)
        );
        out
    }
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

/// What each client writes today is understood: the failing call, the fix, the user's words.
#[test]
fn todays_transcripts_are_understood() {
    for client in ["claude", "codex"] {
        let live = Live::new();
        let out = live.session(client, "flag", false);
        let home = out.join("home");
        let events = objects(
            &live.uptake(&home, &["events", "--json", home.join(format!(".{client}")).to_str().expect("a path")]),
        );
        let call = |command: &str| {
            events
                .iter()
                .find(|e| e["command"].as_str().is_some_and(|c| c.contains(command)))
                .unwrap_or_else(|| panic!("{client}: no call {command}"))
        };
        assert_eq!(
            (call("--format json")["outcome"].as_str(), call("--format json")["code"].as_i64()),
            (Some("failed"), Some(2)),
            "{client}"
        );
        assert_eq!(call("--output json")["outcome"].as_str(), Some("ok"), "{client}");
        let human: Vec<&Value> = events
            .iter()
            .filter(|e| e["kind"] == "user" && e["text"].as_str().is_some_and(|t| t.contains("report as JSON")))
            .collect();
        assert_eq!(human.len(), 1, "{client}: the prompt once, as the user's");
        let lessons = objects(&live.uptake(&home, &["learn", "--json"]));
        assert!(
            lessons.iter().any(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))),
            "{client}: {lessons:?}"
        );
    }
}

/// The thread: a recovery seen, a yes, and the fix reaches the model right after the same failure.
#[test]
fn the_approved_fix_reaches_the_model_right_after_the_failure() {
    let live = Live::new();
    let first = live.session("claude", "flag", false);
    let home = first.join("home");
    let lessons = objects(&live.uptake(&home, &["learn", "--json"]));
    let fix = lessons
        .iter()
        .find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json")))
        .expect("the fix was learned");
    live.uptake(&home, &["review", "--accept", fix["id"].as_str().expect("an id")]);
    std::fs::rename(&first, live.folder.path().join("first")).expect("moved");
    let second = live.session("claude", "flag", true);
    let log = std::fs::read_to_string(second.join("requests.jsonl")).expect("the model's log");
    let hint = "run `python3 -m ledger report --output json`";
    let request = log
        .lines()
        .find(|l| l.contains("unrecognized arguments") && l.contains("notes from past work"))
        .expect("a request with the failure and the hint");
    let (failure, told) =
        (request.find("unrecognized arguments").expect("failure"), request.rfind(hint).expect("the hint"));
    assert!(failure < told, "the hint comes after the failure");
    // In the very request that follows the failure: no request shows the failure without the hint.
    assert!(log.lines().filter(|l| l.contains("unrecognized arguments")).all(|l| l.contains(hint)));
    // What we said is in the transcript and teaches nothing.
    let again = objects(
        &live
            .uptake(&second.join("home"), &["detect", "--json", second.join("home/.claude").to_str().expect("a path")]),
    );
    assert!(again.iter().all(|o| o["detector"] != "error-recovery"), "our own hint is no evidence: {again:?}");
}

/// Every skill file passes the reference validator.
#[test]
fn every_skill_passes_the_reference_validator() {
    let validator = std::env::var_os("UPTAKE_SKILLS_VALIDATOR")
        .expect("UPTAKE_SKILLS_VALIDATOR names the validator; ./test sets it");
    let live = Live::new();
    let home = live.folder.path().join("home");
    let recorded = root().join("fixtures");
    for folder in ["demo", "recorded"] {
        live.uptake(&home, &["learn", "--all", "--yes", recorded.join(folder).to_str().expect("a path")]);
    }
    let mut count = 0;
    for skills in [home.join(".claude/skills"), home.join(".codex/skills")] {
        for entry in std::fs::read_dir(skills).expect("skills").flatten() {
            let out = Command::new(&validator).arg("validate").arg(entry.path()).output().expect("the validator runs");
            assert!(
                out.status.success(),
                "{}: {}{}",
                entry.path().display(),
                String::from_utf8_lossy(&out.stdout),
                String::from_utf8_lossy(&out.stderr)
            );
            count += 1;
        }
    }
    assert!(count >= 8, "{count} skills");
}
