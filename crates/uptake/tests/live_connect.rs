//! The real clients, connected by `uptake init`: what was learned reaches the model, and nothing of the user's is broken.
//! Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

mod lab;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use lab::{Lab, ended_well, objects, root};

/// What the user of Claude Code had in its settings before.
const CLAUDE_OWN: &str = "{\n    \"cleanupPeriodDays\": 20,\n    \"hooks\": {\n        \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"touch $HOME/mine\"}]}],\n        \"Stop\": []\n    }\n}";
const CODEX_OWN: &str =
    "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"touch $HOME/mine\"}]}]}}\n";

/// All clients that can be connected.
const CLIENTS: [&str; 4] = ["claude", "codex", "opencode", "gemini"];

/// The fix, as it is told.
const FIX: &str = "run `python3 -m ledger report --output json`";
/// What every text of ours begins with.
const OURS: &str = "notes from past work";

struct Live(Lab);

/// A session of a client.
#[derive(Clone, Copy)]
struct Session<'s> {
    client: &'s str,
    version: &'s str,
    scenario: &'s str,
    connected: bool,
}

impl Live {
    fn new() -> Self {
        let live = Self(Lab::new());
        for (path, text) in [(".claude/settings.json", CLAUDE_OWN), (".codex/hooks.json", CODEX_OWN)] {
            let path = live.own().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        live
    }

    fn own(&self) -> PathBuf {
        self.0.folder.path().join("own")
    }

    fn uptake(&self, home: &Path, args: &[&str]) -> String {
        self.0.uptake(home, "/usr/local/bin:/usr/bin:/bin", args)
    }

    /// One session in a fresh home; answers its folder.
    fn session(&self, session: Session<'_>) -> PathBuf {
        let Session { client, version, scenario, connected } = session;
        let name = format!("{client}-{scenario}-{version}-{connected}");
        let (out, mut command) = self.0.command(client, scenario, &name);
        command.env("OWN", self.own());
        if connected {
            command.env("HOOKS", "init");
        }
        if !version.is_empty() {
            command.env("VERSION", version);
        }
        ended_well(&command.output().expect("lab/live runs"), &name);
        out
    }

    /// Learns the fix from a session that failed and recovered, and says yes to it.
    fn learn_the_fix(&self, client: &str) {
        let first = self.session(Session { client, version: "", scenario: "flag", connected: false });
        let home = first.join("home");
        let lessons = objects(&self.uptake(&home, &["learn", "--all", "--json"]));
        let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json")));
        let fix = fix.unwrap_or_else(|| panic!("{client}: the fix was learned: {lessons:?}"));
        self.uptake(&home, &["review", "--accept", fix["id"].as_str().expect("an id")]);
    }
}

/// Two facts of the sample project, which sessions that were recorded once met, and a yes to both.
fn approve_facts(live: &Live) {
    let home = live.0.folder.path().join("home");
    live.uptake(&home, &["learn", "--all", "--json", root().join("fixtures/recorded").to_str().expect("a path")]);
    let facts = objects(&live.uptake(&home, &["list", "--json", "--kind", "fact"]));
    let facts = facts.iter().filter(|f| f["project"] == "git.example.com/dev/ledger");
    let ids: Vec<&str> = facts.filter_map(|f| f["id"].as_str()).collect();
    assert!(!ids.is_empty(), "there are facts");
    ids.iter().for_each(|id| drop(live.uptake(&home, &["review", "--accept", id])));
}

/// A line of the card.
const ON_THE_CARD: &str = "copy the old text exactly";

/// The card is told when a session starts, and again when it goes on with a summary.
#[test]
fn the_card_is_told_at_the_start_and_after_a_compaction() {
    for client in CLIENTS {
        let live = Live::new();
        approve_facts(&live);
        let out = live.session(Session { client, version: "", scenario: "calm", connected: true });
        let log = requests(&out);
        assert!(log.iter().any(|l| l.contains(ON_THE_CARD)), "{client}: the card at the start");
    }
    let live = Live::new();
    approve_facts(&live);
    let out = live.session(Session { client: "claude", version: "", scenario: "compact", connected: true });
    let log = requests(&out);
    let summed_up: Vec<&String> = log.iter().filter(|l| l.contains("Now lint it.")).collect();
    assert!(!summed_up.is_empty() && summed_up.iter().all(|l| l.contains(ON_THE_CARD)), "the card after a compaction");
}

/// Calls that the client itself refuses have no event of their own.
#[test]
fn a_refused_edit_gets_its_fact() {
    let live = Live::new();
    approve_facts(&live);
    let out = live.session(Session { client: "claude", version: "", scenario: "outcomes", connected: true });
    let log = requests(&out);
    let told = log.iter().find(|l| l.contains("String to replace not found")).expect("the edit is refused");
    let (refusal, hint) = (told.find("String to replace not found"), told.rfind("this error was met before"));
    assert!(hint > refusal, "the hint follows the refusal");
}

fn requests(out: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(out.join("requests.jsonl")).expect("the model's log");
    log.lines().map(str::to_owned).collect()
}

/// The settings of all clients.
fn settings(home: &Path) -> BTreeMap<&'static str, Option<Vec<u8>>> {
    let files = [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".config/opencode/plugins/uptake.js",
        ".gemini/settings.json",
    ];
    files.into_iter().map(|file| (file, std::fs::read(home.join(file)).ok())).collect()
}

/// Session 1 fails and recovers; a yes; in session 2 the fix follows the failure. In the end all files are as they were.
#[test]
fn the_fix_follows_the_failure_in_every_connected_client() {
    for client in CLIENTS {
        let live = Live::new();
        live.learn_the_fix(client);
        let before =
            settings(&live.session(Session { client, version: "", scenario: "calm", connected: false }).join("home"));
        let second = live.session(Session { client, version: "", scenario: "flag", connected: true });
        let home = second.join("home");
        let log = requests(&second);
        let failed: Vec<&String> = log.iter().filter(|l| l.contains("unrecognized arguments")).collect();
        assert!(!failed.is_empty(), "{client}: the failure happened");
        assert!(failed.iter().all(|l| l.contains(OURS) && l.contains(FIX)), "{client}: the fix is in the next request");
        // Nobody trusts the user's own hook in a fresh Codex, and we do not either.
        assert_eq!(home.join("mine").exists(), client == "claude", "{client}: the user's own hook");
        // What we said is in the transcript and teaches nothing.
        let folder =
            home.join(if client == "opencode" { ".local/share/opencode".to_owned() } else { format!(".{client}") });
        let again = objects(&live.uptake(&home, &["detect", "--json", folder.to_str().expect("a path")]));
        assert!(again.iter().all(|o| o["detector"] != "error-recovery"), "{client}: {again:?}");
        let events = live.uptake(&home, &["events", "--json", folder.to_str().expect("a path")]);
        let said = objects(&events).into_iter().filter(|e| e["kind"] == "user");
        assert!(!said.map(|e| e.to_string()).any(|e| e.contains(OURS)), "{client}: our words are nobody's");
        // The hooks were heard, and the end of the session was noted.
        let doctor: Value = serde_json::from_str(&live.uptake(&home, &["doctor", "--json"])).expect("JSON");
        let agent = doctor["agents"].as_array().into_iter().flatten().find(|a| a["source"] == client);
        let agent = agent.unwrap_or_else(|| panic!("{client}: {doctor}"));
        assert!(agent["asked"]["start"] == 1 && agent["asked"]["end"].as_i64() >= Some(1), "{client}: {agent}");
        assert_eq!(agent["told"], 1, "{client}: {agent}");

        live.uptake(&home, &["uninstall", "--yes"]);
        let mut after = settings(&home);
        let mut before = before;
        // The port of the scripted model is another one each time, and so is the folder, which Codex notes.
        for files in [&mut before, &mut after] {
            if let Some(Some(config)) = files.get_mut(".codex/config.toml") {
                let text = String::from_utf8_lossy(config);
                let same = |line: &&str| !line.starts_with("base_url") && !line.starts_with("[projects.");
                *config = text.lines().filter(same).collect::<Vec<_>>().join("\n").into_bytes();
            }
        }
        assert_eq!(after, before, "{client}: every file is as it was");
        assert!(!home.join(".config/opencode/plugins").exists(), "{client}: no folder of ours is left");
    }
}

/// What was learned in one client is told in all of them.
#[test]
fn what_was_learned_in_one_client_is_heard_in_all() {
    let live = Live::new();
    live.learn_the_fix("claude");
    for client in CLIENTS {
        let out = live.session(Session { client, version: "", scenario: "flag", connected: true });
        let log = requests(&out);
        let failed: Vec<&String> = log.iter().filter(|l| l.contains("unrecognized arguments")).collect();
        assert!(!failed.is_empty() && failed.iter().all(|l| l.contains(OURS) && l.contains(FIX)), "{client}");
    }
}

/// What was said on a thing is told when that thing is asked for.
#[test]
fn what_was_said_before_reaches_the_model_with_the_prompt() {
    for client in CLIENTS {
        let live = Live::new();
        let first = live.session(Session { client, version: "", scenario: "calm", connected: false });
        let project = first.join("home/ledger");
        let out = Command::new(env!("CARGO_BIN_EXE_uptake"))
            .args(["add", "The account report as JSON goes to `out/report.json`"])
            .current_dir(&project)
            .env_clear()
            .env("HOME", first.join("home"))
            .env("UPTAKE_HOME", live.0.data())
            .env("UPTAKE_HOLDOUT", "0")
            .output()
            .expect("uptake runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let second = live.session(Session { client, version: "", scenario: "flag", connected: true });
        let first_request = requests(&second).into_iter().find(|l| l.contains("account report")).expect("a request");
        assert!(first_request.contains("goes to `out/report.json`"), "{client}: told with the prompt");
    }
}

/// Older versions drop every hook of a file that names an event they do not know.
#[test]
fn older_versions_keep_the_users_hooks_and_hear_what_they_can() {
    for version in ["2.1.100", "2.0.76"] {
        let live = Live::new();
        live.learn_the_fix("claude");
        let out = live.session(Session { client: "claude", version, scenario: "flag", connected: true });
        assert!(out.join("home/mine").exists(), "{version}: the user's own hook ran");
        let log = requests(&out);
        let failed: Vec<&String> = log.iter().filter(|l| l.contains("unrecognized arguments")).collect();
        assert!(failed.iter().all(|l| l.contains(FIX)) && !failed.is_empty(), "{version}: the fix is told");
        let named = std::fs::read_to_string(out.join("home/.claude/settings.json")).expect("settings");
        assert!(named.contains("PostToolUseFailure") && !named.contains("PostToolBatch"), "{version}: {named}");
        live.uptake(&out.join("home"), &["uninstall", "--yes"]);
        let after = std::fs::read_to_string(out.join("home/.claude/settings.json")).expect("settings");
        assert_eq!(after, CLAUDE_OWN, "{version}");
    }
}
