//! The real clients, driven by a scripted model: a format that drifts turns these red. Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

mod lab;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use lab::{Lab, ended_well, objects, root};

/// The clients, and where each keeps its sessions below its home.
const CLIENTS: [(&str, &str); 4] =
    [("claude", ".claude"), ("codex", ".codex"), ("opencode", ".local/share/opencode"), ("gemini", ".gemini")];

struct Live(Lab);

impl Live {
    fn new() -> Self {
        Self(Lab::new())
    }

    fn data(&self) -> PathBuf {
        self.0.data()
    }

    fn uptake(&self, home: &Path, args: &[&str]) -> String {
        self.0.uptake(home, &std::env::var("PATH").unwrap_or_default(), args)
    }

    /// Where a session of a client goes, and the command that runs it.
    fn command(&self, client: &str, scenario: &str, hooks: bool) -> (PathBuf, Command) {
        let (out, mut command) = self.0.command(client, scenario, &format!("{client}-{scenario}"));
        if hooks {
            command.env("HOOKS", "1");
        }
        (out, command)
    }

    /// One session of a real client; answers the folder with its home and the model's log.
    fn session(&self, client: &str, scenario: &str, hooks: bool) -> PathBuf {
        let (out, mut command) = self.command(client, scenario, hooks);
        ended_well(&command.output().expect("lab/live runs"), &format!("{client} {scenario}"));
        out
    }

    /// The same, while it goes on: the client runs until it is done or this is dropped.
    fn running(&self, client: &str, scenario: &str) -> (PathBuf, Running) {
        let (out, mut command) = self.command(client, scenario, false);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("lab/live runs");
        (out, Running(Some(child)))
    }

    fn sessions(&self, home: &Path) -> Vec<Value> {
        objects(&self.uptake(home, &["sessions", "--json"]))
    }
}

/// A client that is still at work. A test that fails takes it along.
struct Running(Option<Child>);

impl Running {
    fn is_over(&mut self) -> bool {
        self.0.as_mut().is_none_or(|c| c.try_wait().expect("its state").is_some())
    }

    fn end(mut self, client: &str, scenario: &str) {
        let child = self.0.take().expect("it was started");
        ended_well(&child.wait_with_output().expect("it ends"), &format!("{client} {scenario}"));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // Not SIGKILL: lab/live ends its client and the model when it is told to go.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
    }
}

/// Every file below a folder, with what is in it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.file_type().expect("its kind").is_dir() {
            out.extend(contents(&entry.path()));
        } else {
            out.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
    out
}

/// What each client writes today is understood: the failing call, the fix, the user's words.
#[test]
fn todays_transcripts_are_understood() {
    for (client, folder) in CLIENTS {
        let live = Live::new();
        let out = live.session(client, "flag", false);
        let home = out.join("home");
        let events = objects(&live.uptake(&home, &["events", "--json", home.join(folder).to_str().expect("a path")]));
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
        let lessons = objects(&live.uptake(&home, &["learn", "--all", "--json"]));
        assert!(
            lessons.iter().any(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))),
            "{client}: {lessons:?}"
        );
        let sessions = live.sessions(&home);
        assert_eq!(
            sessions
                .iter()
                .map(|s| (s["source"].as_str(), s["calls"].as_i64(), s["failures"].as_i64()))
                .collect::<Vec<_>>(),
            [(Some(client), Some(2), Some(1))]
        );
    }
}

/// OpenCode keeps its sessions in a database. It is read while OpenCode writes it, OpenCode does not notice, and what
/// was not there yet is found the next time.
#[test]
fn a_database_is_read_while_its_client_writes_it() {
    let live = Live::new();
    let (out, mut client) = live.running("opencode", "slow");
    let home = out.join("home");
    let data = home.join(".local/share/opencode");
    let patience = Instant::now() + Duration::from_secs(100);
    // The failed call is there, and the model takes its time for the next one.
    let early = loop {
        assert!(!client.is_over(), "the client was too fast for us, or failed: see {}", out.display());
        assert!(Instant::now() < patience, "no call in the database yet");
        std::thread::sleep(Duration::from_millis(250));
        if !data.join("opencode.db").exists() {
            continue;
        }
        live.uptake(&home, &["learn", "--all", "--json"]);
        let sessions = live.sessions(&home);
        if sessions.iter().any(|s| s["failures"] == 1) {
            break sessions;
        }
    };
    assert!(!client.is_over(), "the client is at work while it is read");
    assert_eq!(
        early.iter().map(|s| (s["source"].as_str(), s["calls"].as_i64())).collect::<Vec<_>>(),
        [(Some("opencode"), Some(1))]
    );
    client.end("opencode", "slow");
    let said = std::fs::read_to_string(out.join("stdout")).expect("what the client said");
    assert!(said.contains("Here is the report as JSON."), "the client went on to its end");

    let mut before = contents(&home);
    let lessons = objects(&live.uptake(&home, &["learn", "--all", "--json"]));
    assert!(lessons.iter().any(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))), "{lessons:?}");
    let late = live.sessions(&home);
    assert_eq!(late.len(), 1, "still the one session");
    assert_eq!((late[0]["session"].as_str(), late[0]["calls"].as_i64()), (early[0]["session"].as_str(), Some(2)));
    let events = live.uptake(&home, &["events", "--json", data.to_str().expect("a path")]);
    assert!(events.contains("Here is the report as JSON."), "the end of the session is read");
    let mut after = contents(&home);
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after), "nothing new, nothing gone");
    // Readers leave marks in the shared memory; that is what it is for.
    before.retain(|path, _| path.extension().is_none_or(|e| e != "db-shm"));
    after.retain(|path, _| path.extension().is_none_or(|e| e != "db-shm"));
    assert!(before == after, "nothing of the client's was changed");
}

/// The thread: a recovery seen, a yes, and the fix reaches the model right after the same failure.
#[test]
fn the_approved_fix_reaches_the_model_right_after_the_failure() {
    let live = Live::new();
    let first = live.session("claude", "flag", false);
    let home = first.join("home");
    let lessons = objects(&live.uptake(&home, &["learn", "--all", "--json"]));
    let fix = lessons
        .iter()
        .find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json")))
        .expect("the fix was learned");
    live.uptake(&home, &["review", "--accept", fix["id"].as_str().expect("an id")]);
    std::fs::rename(&first, live.0.folder.path().join("first")).expect("moved");
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
    let folders = [".claude/skills", ".codex/skills", ".config/opencode/skills", ".gemini/skills"];
    let mut count = 0;
    for (recorded, clients) in [("demo", &folders[..2]), ("recorded", &folders[..])] {
        let live = Live::new();
        let home = live.0.folder.path().join("home");
        live.uptake(
            &home,
            &["learn", "--all", "--yes", root().join("fixtures").join(recorded).to_str().expect("a path")],
        );
        for skills in clients {
            for entry in std::fs::read_dir(home.join(skills)).expect("skills").flatten() {
                let out =
                    Command::new(&validator).arg("validate").arg(entry.path()).output().expect("the validator runs");
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
    }
    assert!(count >= 30, "{count} skills");
}
