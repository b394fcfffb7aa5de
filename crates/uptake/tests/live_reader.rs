//! The real clients as readers, driven by a scripted model: what reaches the model, and what is left behind. Run by `./test`
//! (feature `live`). `docs/reader.md` says the same of each client in words.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use uptake::reader::Reader;
use uptake::world::World;
use uptake_core::reader::Ask;
use uptake_core::session::READER_MARK;

struct Client {
    name: &'static str,
    title: &'static str,
    /// Tools it offers although it was told to offer none.
    offers: &'static [&'static str],
    /// Whether it sends the user's own memory along.
    memory: bool,
    /// Whether it would read files behind an `@`: then it never sees one.
    at_signs: bool,
    /// How the files begin that it changes in the user's home: its own bookkeeping.
    changes: &'static [&'static str],
}

/// The table of docs/reader.md.
const CLIENTS: [Client; 4] = [
    Client {
        name: "claude",
        title: "Claude Code",
        offers: &[],
        memory: false,
        at_signs: true,
        changes: &[".claude.json", ".claude/backups/", ".claude/plugins/store/"],
    },
    Client { name: "codex", title: "Codex CLI", offers: &[], memory: true, at_signs: false, changes: &[] },
    Client {
        name: "opencode",
        title: "OpenCode",
        offers: &[],
        memory: false,
        at_signs: false,
        changes: &[".local/share/opencode/log/", ".local/state/opencode/locks/"],
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        offers: &["enter_plan_mode"],
        memory: true,
        at_signs: true,
        changes: &[".gemini/projects.json", ".gemini/tmp/uptake-reader/", ".gemini/history/uptake-reader/"],
    },
];

/// Our own folder in the user's home.
const OURS: &str = ".local/share/uptake/";

struct Asked {
    folder: tempfile::TempDir,
    requests: Vec<Value>,
    out: String,
    err: String,
}

impl Asked {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("out").join(name)
    }

    /// What hooks, servers and tools did.
    fn done(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("done")).expect("a folder").flatten();
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
    }

    fn tools(&self) -> BTreeSet<String> {
        self.requests.iter().flat_map(offered).collect()
    }

    /// Files of the home that are not as they were before.
    fn changed(&self) -> Vec<String> {
        let (before, after) = (contents(&self.path("before")), contents(&self.path("home")));
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        names.into_iter().filter(|n| before.get(*n) != after.get(*n)).cloned().collect()
    }

    fn uptake(&self, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uptake"));
        let out = command.args(args).env_clear().env("HOME", self.path("home")).output().expect("uptake runs");
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }
}

fn lab(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab").join(name)
}

/// Runs a command where a client is set up as the reader.
fn ask(client: &str, model: &str, command: &[&str], env: &[(&str, &str)]) -> Asked {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut run = Command::new(lab("reader"));
    run.arg(client).arg(&out).args(command).envs(env.iter().copied()).env("MODEL", model);
    let ended = run.output().expect("lab/reader runs");
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_default();
    let (said, err) = (text("stdout"), text("stderr"));
    assert!(ended.status.success(), "{client}: {said}{err}{}", String::from_utf8_lossy(&ended.stderr));
    let requests = text("requests.jsonl");
    let requests = requests.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON"));
    // The rest are lists of models and the like: they have no body.
    let requests = requests.filter(|r| r["body"].is_object()).map(|r| r["body"].clone()).collect();
    Asked { folder, requests, out: said, err }
}

/// The names of the tools in a request, in any of the four dialects.
fn offered(body: &Value) -> Vec<String> {
    fn names(tools: &Value, out: &mut Vec<String>) {
        for tool in tools.as_array().into_iter().flatten() {
            let inner = [&tool["tools"], &tool["functionDeclarations"]].into_iter().filter(|t| t.is_array());
            let inner: Vec<&Value> = inner.collect();
            match (tool["name"].as_str().or(tool["function"]["name"].as_str()), inner.is_empty()) {
                (Some(name), true) => out.push(name.to_owned()),
                (None, true) => out.push(tool["type"].to_string()),
                _ => inner.into_iter().for_each(|tools| names(tools, out)),
            }
        }
    }
    let mut out = Vec::new();
    names(&body["tools"], &mut out);
    // Codex tells some models of their tools in a message.
    body["input"].as_array().into_iter().flatten().for_each(|item| names(&item["tools"], &mut out));
    out
}

/// Every file below a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(top: &Path, folder: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.file_type().expect("its kind").is_dir() {
                walk(top, &entry.path(), out);
            } else {
                let name = entry.path().strip_prefix(top).expect("below").to_string_lossy().into_owned();
                out.insert(name, std::fs::read(entry.path()).unwrap_or_default());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, folder, &mut out);
    out
}

const TEST: &[&str] = &[env!("CARGO_BIN_EXE_uptake"), "reader", "test"];

/// The whole way: a request of ours, once, alone and without tools; a valid answer; and the user's home as it was, but for what the
/// client keeps for itself. The session is never mined.
#[test]
fn every_client_answers_and_leaves_only_its_own_bookkeeping() {
    for client in CLIENTS {
        let name = client.name;
        let asked = ask(name, "", TEST, &[]);
        assert!(asked.out.contains(&format!("{} answered in ", client.title)), "{name}: {}{}", asked.out, asked.err);
        assert_eq!(asked.requests.len(), 1, "{name}: one request");
        let body = asked.requests[0].to_string();
        assert_eq!(body.matches(READER_MARK).count(), 1, "{name}: our request once");
        assert_eq!(body.matches("test of the connection").count(), 1, "{name}: its prompt once");
        assert_eq!(asked.tools(), client.offers.iter().map(|t| (*t).to_owned()).collect(), "{name}: tools");
        assert_eq!(body.contains("always answer politely"), client.memory, "{name}: the user's memory");
        assert!(body.len() < 6_000, "{name}: {} bytes for a tiny question", body.len());
        assert_eq!(asked.done(), Vec::<String>::new(), "{name}: no hook, no server, no notification");
        let known = |file: &String| file.starts_with(OURS) || client.changes.iter().any(|c| file.starts_with(c));
        let unknown: Vec<String> = asked.changed().into_iter().filter(|f| !known(f)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{name}: files that were changed");
        asked.uptake(&["learn", "--json"]);
        let sessions = asked.uptake(&["sessions", "--json"]);
        assert_eq!(sessions.lines().count(), 1, "{name}: the user's own session and no other: {sessions}");
    }
}

/// Settings of the user count, and a second request leaves no more than the first.
#[test]
fn a_second_request_adds_nothing() {
    for client in CLIENTS {
        let twice = format!("{0} reader test && find . -type f > ../list && {0} reader test", TEST[0]);
        let asked = ask(client.name, "", &["sh", "-c", &twice], &[]);
        let first = std::fs::read_to_string(asked.path("list")).expect("a list");
        let after = contents(&asked.path("home"));
        let new: Vec<&String> = after.keys().filter(|f| !first.contains(f.as_str())).collect();
        // Gemini CLI keeps two sessions, Claude Code backs its own file up now and then.
        // It also ends in the middle of a write at times, and leaves the file it would have renamed.
        let half_written = |f: &str| f.contains(".json.tmp.") && client.changes.iter().any(|c| f.starts_with(c));
        let passing = |f: &&String| f.contains("/chats/") || f.contains("/backups/") || half_written(f);
        let left: Vec<&String> = new.into_iter().filter(|f| !passing(f)).collect();
        assert!(left.is_empty(), "{}: {left:?}", client.name);
    }
}

/// An `@` in what is quoted is no file to be read, and comes back as it was.
#[test]
fn no_file_is_read_that_a_quote_names() {
    for client in CLIENTS {
        let asked = asking(
            client.name,
            "",
            "API_TOKEN=hunter2hunter2, mail dev@example.com, see @~/notes.txt, @notes.txt, @../notes.txt and @{home}/notes.txt",
        );
        let bodies: String = asked.requests.iter().map(Value::to_string).collect();
        assert!(!bodies.contains("hunter2"), "{}: {bodies}", client.name);
        assert!(!bodies.contains("what stands in the user's files"), "{}: {bodies}", client.name);
        // The scripted model always answers with the other sign.
        let mail = if client.at_signs { "dev@example.com" } else { "dev＠example.com" };
        assert!(asked.out.contains(mail), "{}: {}{}", client.name, asked.out, asked.err);
        assert_eq!(bodies.contains("＠~/"), client.at_signs, "{}: {bodies}", client.name);
        assert_eq!(bodies.matches("notes.txt").count(), 4, "{}: the quotes as they are: {bodies}", client.name);
    }
}

/// A model that obeys what it reads and tries every tool can do nothing.
#[test]
fn a_model_that_misbehaves_can_do_nothing() {
    for (client, model) in [
        ("claude", ""),
        ("codex", ""),
        ("codex", "gpt-6.1-sol"),
        ("codex", "gpt-5.5"),
        ("opencode", ""),
        ("gemini", ""),
    ] {
        let asked = asking(client, model, "please misbehave");
        assert_eq!(asked.done(), Vec::<String>::new(), "{client} {model}");
        assert!(asked.requests.len() > 1, "{client} {model}: it tried");
        assert!(
            asked.out.contains("mail") || asked.out.contains("trouble"),
            "{client} {model}: {}{}",
            asked.out,
            asked.err
        );
        let known: &[&str] = if client == "codex" { &["exec", "wait", "apply_patch"] } else { &["enter_plan_mode"] };
        let tools = asked.tools();
        assert!(tools.iter().all(|t| known.contains(&t.as_str())), "{client} {model}: {tools:?}");
    }
}

/// Asks through the library, in a process of its own: this very test, see below.
fn asking(client: &str, model: &str, prompt: &str) -> Asked {
    let this = std::env::current_exe().expect("this program");
    let this = this.to_string_lossy().into_owned();
    ask(client, model, &[&this, "--exact", "asks_what_it_is_given", "--nocapture"], &[("LAB_PROMPT", prompt)])
}

/// No test by itself: what [`asking`] runs where a client is set up.
#[test]
fn asks_what_it_is_given() {
    let Ok(prompt) = std::env::var("LAB_PROMPT") else { return };
    let world = World::from_env().expect("a world");
    let prompt = prompt.replace("{home}", &world.home.to_string_lossy());
    let reader = Reader::of(&world.settings().expect("settings").reader, &world).expect("a reader").expect("it is on");
    match reader.ask(&Ask { id: "lab", prompt: &prompt, schema: "{\"type\": \"object\"}" }) {
        Ok(answer) => println!("answer: {answer}"),
        Err(trouble) => println!("trouble: {trouble}"),
    }
}
