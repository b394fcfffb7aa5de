//! Sessions that real clients wrote: what must be understood of each, by scenario.
//!
//! Ids and dates change when the lab records again; scenarios and what happens in them do not. `lab/scenarios` says what
//! was typed and what was run, `fixtures/recorded/*/index.jsonl` which file shows it.
#![allow(clippy::disallowed_methods, reason = "the core does no I/O; its tests read fixtures")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests stand outside of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use uptake_core::detect::{Observation, Signal, detect, signals_of};
use uptake_core::roots::Roots;
use uptake_core::session::{Agent, Author, Body, ENVELOPE, Event, Origin, Outcome, READER_MARK, Session, SourceName};
use uptake_core::sources::{read_all, recognise, source};

struct Recorded {
    /// Folder and scenario, for messages.
    what: String,
    client: String,
    version: String,
    scenario: String,
    path: PathBuf,
    session: Session,
}

impl Recorded {
    fn stem(&self) -> String {
        self.path.file_stem().unwrap().to_string_lossy().into_owned()
    }

    fn is_subagent(&self) -> bool {
        self.session.agent == Agent::Sub
    }

    /// The typed texts, in order.
    fn typed(&self) -> Vec<String> {
        self.session.events.iter().filter_map(Event::human_text).collect()
    }

    fn calls(&self) -> Vec<(String, String)> {
        let calls = self.session.events.iter().filter_map(Event::call);
        calls.map(|c| (c.command().unwrap_or(&c.tool).to_owned(), c.outcome.to_string())).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn read(path: &Path, client: &str) -> Session {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let read = read_all(source(client).unwrap(), &path.file_stem().unwrap().to_string_lossy(), &bytes);
    assert!(read.problems.flaws.is_empty(), "{}: {:?}", path.display(), read.problems);
    assert_eq!(read.resume_at, bytes.len() as u64, "{} is read to its end", path.display());
    read.session
}

/// When Gemini CLI resumes a session, it first opens another file, in which nothing happens.
fn is_empty(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap();
    text.contains("\"projectHash\"") && !text.contains("\"gemini\"")
}

/// Every recorded session in which something happens.
fn all() -> Vec<Recorded> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("fixtures/recorded")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.retain(|f| f.is_dir());
    folders.sort();
    assert!(folders.len() >= 6, "three versions of both clients");
    let mut found = Vec::new();
    for folder in folders {
        let index = fs::read_to_string(folder.join("index.jsonl")).unwrap();
        for row in index.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()) {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            for file in row["files"].as_array().unwrap() {
                let path = folder.join(file.as_str().unwrap());
                let mut session = read(&path, &text("client"));
                if session.source == SourceName::Gemini && session.agent == Agent::Sub {
                    // Its file does not name its parent; the folder it is in does, as `uptake` reads it.
                    session.root = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
                }
                if is_empty(&path) {
                    assert!(session.events.is_empty(), "{}", path.display());
                    continue;
                }
                let what = format!("{} {}", folder.file_name().unwrap().to_string_lossy(), text("scenario"));
                let (client, version, scenario) = (text("client"), text("version"), text("scenario"));
                found.push(Recorded { what, client, version, scenario, path, session });
            }
        }
    }
    found
}

fn of(scenario: &str, client: &str) -> Vec<Recorded> {
    let found: Vec<Recorded> =
        all().into_iter().filter(|r| r.scenario == scenario && r.client == client && !r.is_subagent()).collect();
    assert!(!found.is_empty(), "no session of {scenario} by {client}");
    found
}

#[test]
fn every_transcript_is_listed_and_recognised_by_its_bytes() {
    fn walk(folder: &Path, found: &mut BTreeSet<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "jsonl" || e == "json")
                && !["index.jsonl", "projects.json"].contains(&&*path.file_name().unwrap().to_string_lossy())
                && !path.to_string_lossy().ends_with(".meta.json")
            {
                found.insert(path);
            }
        }
    }
    let mut on_disk = BTreeSet::new();
    walk(&root().join("fixtures/recorded"), &mut on_disk);
    on_disk.retain(|path| !is_empty(path));
    let listed: BTreeSet<PathBuf> = all().into_iter().map(|r| r.path).collect();
    assert_eq!(listed, on_disk, "index.jsonl lists every transcript");
    for r in all() {
        let bytes = fs::read(&r.path).unwrap();
        assert_eq!(recognise(&bytes).map(|s| s.name), Some(r.client.as_str()), "{}", r.path.display());
    }
}

#[test]
fn every_session_knows_its_head() {
    for r in all() {
        assert_eq!(r.session.source.as_str(), r.client, "{}", r.what);
        // Gemini CLI tells no version, and before its lines no folder; its files have the first part of the id.
        if r.client != "gemini" {
            assert_eq!(r.session.version.as_deref(), Some(r.version.as_str()), "{}", r.what);
        }
        if r.client != "gemini" || r.path.extension().is_some_and(|e| e == "jsonl") {
            assert_eq!(r.session.cwd.as_deref(), Some("/tmp/uptake-lab/home/dev/ledger"), "{}", r.what);
        }
        let id = if r.client == "gemini" { &r.session.id[..8] } else { &r.session.id };
        assert!(r.stem().contains(id), "{}: id {} of file {}", r.what, r.session.id, r.stem());
        assert!(r.session.started().is_some() && r.session.started() <= r.session.ended(), "{}: times", r.what);
        let ids: BTreeSet<&str> = r.session.events.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(ids.len(), r.session.events.len(), "{}: every event once", r.what);
        assert!(!ids.contains(""), "{}: every event has an id", r.what);
    }
}

/// What people typed comes from the scenario; all else of role "user" is the client's.
#[test]
fn only_what_was_typed_is_human() {
    for r in all() {
        let scenario = json(&root().join(format!("lab/scenarios/{}.json", r.scenario)));
        let steps = scenario["steps"].as_array().unwrap();
        let mut prompts: Vec<&str> = steps.iter().map(|s| s["prompt"].as_str().unwrap()).collect();
        prompts.retain(|p| !p.starts_with('/'));
        if r.is_subagent() {
            prompts.clear();
        } else if r.scenario == "fork" && r.typed().len() == 2 {
            prompts.truncate(2); // the session that was forked from
        }
        assert_eq!(r.typed(), prompts, "{}", r.what);
    }
}

/// Files of instructions, the environment, notifications, summaries, expansions: never a person's.
#[test]
fn what_clients_write_is_machine_authored_tool_text() {
    const STARTS: &[&str] = &[
        "# AGENTS.md",
        "<environment_context>",
        "<user_instructions>",
        "<task-notification>",
        "<local-command-",
        "This session is being continued",
        "Warmup",
    ];
    let mut seen = BTreeSet::new();
    for r in all() {
        for event in &r.session.events {
            let Body::User { author, spans } = &event.body else { continue };
            let text: String = spans.iter().map(|s| s.text.to_text()).collect();
            let Some(start) = STARTS.iter().find(|s| text.starts_with(**s)) else { continue };
            seen.insert(*start);
            assert_eq!(*author, Author::Machine, "{}: {start}", r.what);
            assert!(spans.iter().all(|s| s.origin < Origin::User), "{}: {start}", r.what);
        }
    }
    for start in ["<environment_context>", "<task-notification>", "This session is being continued", "Warmup"] {
        assert!(seen.contains(start), "no recorded session shows {start}");
    }
}

#[test]
fn a_slash_command_was_typed_and_says_nothing_to_learn() {
    let says = |e: &Event| matches!(&e.body, Body::User { spans, .. } if spans[0].text.to_text() == "/compact");
    let recorded = of("compact", "claude");
    let commands: Vec<&Event> = recorded.iter().flat_map(|r| &r.session.events).filter(|e| says(e)).collect();
    assert!(!commands.is_empty() && commands.iter().all(|e| e.is_typed() && e.human_text().is_none()));
}

/// Command or tool, and its outcome, in order.
const CLAUDE_OUTCOMES: &[(&str, &str)] = &[
    ("make test 2>&1 | tail -3", "masked"),
    ("grep -rn FIXME ledger", "ok"),
    ("ls dist || echo none", "ok"),
    ("sh tools/check.sh --every; echo checked", "ok"),
    // in the background from the start; a notification tells its end
    ("python3 -c 'import time; time.sleep(1); raise SystemExit(5)'", "failed(5)"),
    // took longer than it was given, went on in the background, and came to a good end
    ("python3 -c 'import time; time.sleep(4)'", "ok"),
    ("Read", "failed"),
    ("Read", "ok"),
    ("git log --oneline", "ok"),
    ("Edit", "failed"),
    ("Write", "ok"),
    ("git push origin main", "denied"),
    ("WebFetch", "denied"),
    ("NoSuchTool", "failed"),
    ("sh -c 'kill -9 $$'", "failed(137)"),
];

const CODEX_OUTCOMES: &[(&str, &str)] = &[
    ("make test 2>&1 | tail -3", "masked"),
    ("grep -rn FIXME ledger", "ok"),
    ("ls dist || echo none", "ok"),
    ("sh tools/check.sh --every; echo checked", "ok"),
    ("cat README.md", "ok"),
    ("git log --oneline", "ok"),
    ("sh -c 'kill -9 $$'", "failed(137)"),
    ("no_such_tool", "failed"),
];

const OPENCODE_OUTCOMES: &[(&str, &str)] = &[
    ("make test 2>&1 | tail -3", "masked"),
    ("grep -rn FIXME ledger", "ok"),
    ("ls dist || echo none", "ok"),
    ("sh tools/check.sh --every; echo checked", "ok"),
    ("true", "ok"),
    ("python3 -c 'import time; time.sleep(3)' >/dev/null 2>&1 & echo started", "ok"),
    ("python3 -c 'import time; print(1, flush=True); time.sleep(4)'", "timed_out"),
    ("read", "failed"),
    ("read", "ok"),
    ("git log --oneline", "ok"),
    ("edit", "failed"),
    ("edit", "ok"),
    ("write", "ok"),
    // by a rule of the user's
    ("git tag -d v1", "denied"),
    // in a folder that is not there
    ("ls", "failed"),
    ("invalid", "failed"),
    ("webfetch", "failed"),
    ("git push origin main", "denied"),
];

const GEMINI_OUTCOMES: &[(&str, &str)] = &[
    ("make test 2>&1 | tail -3", "masked"),
    ("grep -rn FIXME ledger", "ok"),
    ("ls dist || echo none", "ok"),
    ("sh tools/check.sh --every; echo checked", "ok"),
    ("true", "ok"),
    ("python3 -c 'import time; time.sleep(1); raise SystemExit(5)'", "background"),
    ("python3 -c 'import time; time.sleep(3)' >/dev/null 2>&1 & echo started", "ok"),
    ("python3 -c 'import time; print(1, flush=True); time.sleep(9)'", "timed_out"),
    ("read_file", "failed"),
    ("read_file", "ok"),
    ("git log --oneline", "ok"),
    ("grep_search", "ok"),
    ("glob", "ok"),
    ("replace", "failed"),
    ("replace", "ok"),
    ("write_file", "ok"),
    ("git push origin main", "denied"),
    ("ls", "failed"),
    ("no_such_tool", "failed"),
    ("sh -c 'kill -9 $$'", "failed(137)"),
    ("kill -9 $$", "failed(137)"),
];

/// What the oldest Gemini CLI here does otherwise: it takes no pipes, knows no background, one tool and no rules.
const OLD_GEMINI: &[(usize, &str)] = &[(0, "blocked"), (5, "failed(5)"), (11, "failed"), (16, "failed(128)")];

#[test]
fn outcomes_are_what_happened_and_not_what_was_flagged() {
    for (client, expected) in [
        ("claude", CLAUDE_OUTCOMES),
        ("codex", CODEX_OUTCOMES),
        ("opencode", OPENCODE_OUTCOMES),
        ("gemini", GEMINI_OUTCOMES),
    ] {
        for r in of("outcomes", client) {
            let calls = r.calls();
            let old = r.version == "0.20.2";
            for (i, (call, (what, outcome))) in calls.iter().zip(expected).enumerate() {
                let outcome = OLD_GEMINI.iter().find(|(at, _)| old && *at == i).map_or(outcome, |(_, o)| o);
                assert_eq!((call.0.as_str(), call.1.as_str()), (*what, *outcome), "{}: call {i}", r.what);
            }
            assert_eq!(calls.len(), expected.len(), "{}: {calls:?}", r.what);
        }
    }
}

/// Before the notification of its end a command is in the background, or over its time.
#[test]
fn a_command_in_the_background_is_open_until_its_end_is_told() {
    for r in of("outcomes", "claude") {
        let bytes = fs::read(&r.path).unwrap();
        for (command, before) in
            [("raise SystemExit(5)", &["background"][..]), ("time.sleep(4)", &["timed_out", "background"][..])]
        {
            let event = r.session.events.iter().find(|e| e.shell().is_some_and(|(_, c)| c.contains(command))).unwrap();
            let told = memchr::memmem::find_iter(&bytes, event.id.as_bytes())
                .find(|at| bytes[..*at].ends_with(b"<tool-use-id>"))
                .unwrap_or_else(|| panic!("{}: no notification of {command}", r.what));
            let until = memchr::memrchr(b'\n', &bytes[..told]).unwrap() + 1;
            let session = read_all(source("claude").unwrap(), &r.stem(), &bytes[..until]).session;
            let outcome = session.events.iter().find(|e| e.id == event.id).unwrap().call().unwrap().outcome;
            assert!(before.contains(&outcome.as_str()), "{}: {command} is {outcome} before its end", r.what);
        }
    }
}

#[test]
fn a_polled_command_gets_its_final_exit_code() {
    for r in of("long-running", "codex") {
        let (_, call, _) = r.session.shells().next().expect("a shell call");
        assert_eq!(call.outcome, Outcome::Failed(Some(3)), "{}", r.what);
        assert!(call.output.to_text().contains('1'), "{}: what it printed before the poll", r.what);
        assert_eq!(r.session.shells().count(), 1, "{}: a poll is no command of its own", r.what);
    }
}

#[test]
fn a_client_that_changes_a_file_by_patch_is_understood() {
    for r in of("patch", "codex") {
        let calls = r.calls();
        assert!(calls.iter().all(|(_, outcome)| outcome == "ok"), "{}: {calls:?}", r.what);
        let (what, _) = &calls[0];
        assert!(what.contains("apply_patch"), "{}: {what}", r.what);
    }
}

#[test]
fn a_fork_counts_as_the_session_it_came_from() {
    for client in ["claude", "opencode"] {
        fork_of(client);
    }
}

fn fork_of(client: &str) {
    let mut forks = of("fork", client);
    assert_eq!(forks.len(), 2, "{client}: a session and its fork");
    assert_ne!(forks[0].session.id, forks[1].session.id);
    let mut roots = Roots::default();
    forks.iter_mut().for_each(|f| roots.settle(&mut f.session));
    assert_eq!(forks[0].session.root, forks[1].session.root, "one root");
    let seen: Vec<BTreeSet<String>> =
        forks.iter().map(|f| detect(&f.session).into_iter().map(|o| o.head.id).collect()).collect();
    assert_eq!(seen[0], seen[1], "what was seen in the copied part is one sight");
    let others = all();
    let ids: BTreeSet<&str> = others.iter().filter(|r| !r.is_subagent()).map(|r| r.session.id.as_str()).collect();
    for mut r in all().into_iter().filter(|r| r.scenario != "fork") {
        let before = r.session.root.clone();
        roots.settle(&mut r.session);
        assert_eq!(r.session.root, before, "{}: no fork of anything", r.what);
        assert!(ids.contains(r.session.root.as_str()), "{}: root {}", r.what, r.session.root);
    }
}

#[test]
fn a_subagent_belongs_to_the_session_that_spawned_it() {
    let all = all();
    let subagents: Vec<&Recorded> = all.iter().filter(|r| r.is_subagent()).collect();
    assert!(subagents.iter().any(|r| r.scenario == "subagent"));
    for sub in subagents {
        let parents: Vec<&Recorded> = all.iter().filter(|r| r.what == sub.what && !r.is_subagent()).collect();
        assert_eq!(parents.len(), 1, "{}", sub.what);
        assert_eq!(sub.session.root, parents[0].session.id, "{}: root is the parent", sub.what);
        assert_ne!(sub.session.id, sub.session.root, "{}: its own id", sub.what);
        assert_eq!(sub.session.agent, Agent::Sub, "{}", sub.what);
        assert_eq!(parents[0].session.agent, Agent::Main, "{}", sub.what);
        let users = sub.session.events.iter().filter(|e| e.kind() == "user");
        for user in users {
            assert!(matches!(user.body, Body::User { author: Author::Machine, .. }), "{}: its prompt", sub.what);
        }
    }
}

/// After a compaction the session goes on, once.
#[test]
fn compaction_neither_repeats_nor_loses_anything() {
    for (client, scenario) in [("claude", "compact"), ("codex", "compact-auto"), ("opencode", "compact-auto")] {
        for r in of(scenario, client) {
            let calls: Vec<String> =
                r.calls().into_iter().map(|(what, outcome)| format!("{what}: {outcome}")).collect();
            assert_eq!(calls, ["make test: ok", "make lint: ok"], "{}", r.what);
        }
    }
}

/// The same bytes, but for the first words that were typed.
fn as_if_typed(r: &Recorded, words: &str) -> Session {
    let first = r.typed().swap_remove(0);
    let escaped = |text: &str| {
        let json = serde_json::to_string(text).unwrap();
        json[1..json.len() - 1].to_owned()
    };
    let text = fs::read_to_string(&r.path).unwrap();
    assert!(text.contains(&escaped(&first)), "{}: {first}", r.what);
    let text = text.replace(&escaped(&first), &escaped(&words.replace("{}", &first)));
    read_all(source(&r.client).unwrap(), &r.stem(), text.as_bytes()).session
}

#[test]
fn what_the_reader_was_asked_is_no_session() {
    for client in ["claude", "codex", "opencode", "gemini"] {
        for r in of("flag", client) {
            assert!(!as_if_typed(&r, "{}\nplease").events.is_empty(), "{}", r.what);
            for request in [format!("{READER_MARK}\n\n{{}}\n- s1: no, use pnpm"), format!("\"{READER_MARK} {{}}\"")] {
                let session = as_if_typed(&r, &request);
                assert!(session.events.is_empty(), "{}: {:?}", r.what, session.events.first());
                assert!(!session.id.is_empty(), "{}: it is still known by its name", r.what);
            }
            // Only as the first words of a session: a person may speak of them later.
            assert!(!as_if_typed(&r, &format!("{{}}\nwhat is \"{READER_MARK}\"?")).events.is_empty(), "{}", r.what);
        }
    }
}

/// A session whose hooks spoke in our envelope: only our own words are told apart from what others put in.
fn as_if_ours(path: &Path, client: &str) -> Session {
    let text = fs::read_to_string(path).unwrap().replace("a hint at ", &format!("{ENVELOPE}: a hint at "));
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    read_all(source(client).unwrap(), &name, text.as_bytes()).session
}

fn hook_sessions() -> Vec<(PathBuf, Session)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "jsonl") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for client in ["claude", "codex"] {
        let mut paths = Vec::new();
        walk(&root().join("fixtures/hooks").join(client), &mut paths);
        assert!(!paths.is_empty(), "no hook session of {client}");
        found.extend(paths.into_iter().map(|p| (p.clone(), as_if_ours(&p, client))));
    }
    found
}

#[test]
fn what_a_hook_said_is_kept_apart_from_what_anyone_said() {
    const HINT: &str = "a hint at ";
    for (path, session) in hook_sessions() {
        let what = path.display();
        let written = fs::read_to_string(&path).unwrap();
        for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"] {
            let hint = format!("{HINT}{event}");
            // in the transcript as context, not only as the words a hook printed
            let as_context = format!("[\"{hint}\"]");
            let told = session.injected.iter().any(|t| t.trim() == format!("{ENVELOPE}: {hint}"));
            assert!(told || !written.contains(&as_context), "{what}: {hint} is in the context");
        }
        for event in &session.events {
            assert!(!event.human_text().is_some_and(|t| t.contains(HINT)), "{what}: a hint among a person's words");
            if let Body::User { spans, .. } = &event.body {
                let trusted =
                    spans.iter().filter(|s| s.origin == Origin::User).any(|s| s.text.to_text().contains(HINT));
                assert!(!trusted, "{what}: a hint trusted like a person");
            }
            if let Body::Assistant { text } = &event.body {
                assert!(!text.to_text().contains(HINT), "{what}: a hint among the model's words");
            }
        }
        for o in detect(&session) {
            assert!(
                !o.claim.text.contains(HINT) && !o.claim.commands.iter().any(|c| c.contains(HINT)),
                "{what}: {o:?}"
            );
        }
    }
}

/// Hooks change nothing of what is learned from a session.
#[test]
fn a_session_with_hooks_teaches_what_it_teaches_without() {
    for (path, session) in hook_sessions() {
        let file = path.display().to_string();
        let scenario = if file.contains("/correction/") { "correction" } else { "subagent" };
        let expected = documented(scenario, session.agent != Agent::Main);
        check_patterns(&file, &session, &expected);
    }
}

/// What a detector must see: its name, and the commands shown.
#[derive(Debug)]
struct Pattern {
    detector: &'static str,
    commands: &'static [&'static str],
}

const fn pattern(detector: &'static str, commands: &'static [&'static str]) -> Pattern {
    Pattern { detector, commands }
}

const FLAG: Pattern =
    pattern("error-recovery", &["python3 -m ledger report --format json", "python3 -m ledger report --output json"]);
const SETUP: Pattern = pattern("error-recovery", &["make test", "make deps", "make test"]);
const CHECK: Pattern = pattern("error-recovery", &["sh tools/check.sh --all", "sh tools/check.sh --every"]);

/// The patterns each scenario was written to show, all of them.
fn documented(scenario: &str, subagent: bool) -> Vec<Pattern> {
    match scenario {
        "subagent" if subagent => vec![CHECK],
        _ if subagent => vec![],
        "flag" | "fork" => vec![FLAG],
        "setup" => vec![SETUP],
        "flag-again" => vec![CHECK, FLAG],
        "setup-again" => vec![SETUP, pattern("error-recovery", &["sh tools/seed.sh", "cd tools && sh seed.sh"])],
        "other-tool" => vec![
            pattern("error-recovery", &["python -m ledger balance", "python3 -m ledger balance"]),
            pattern("error-recovery", &["pytest -q", "make test"]),
        ],
        "environment" => vec![
            pattern(
                "error-recovery",
                &[
                    "python3 -m unittest discover -s tests",
                    "LEDGER_BOOK=examples/book.txt python3 -m unittest discover -s tests",
                ],
            ),
            pattern("error-recovery", &["python3 ledger/report.py", "python3 -m ledger.report"]),
        ],
        "correction" => vec![pattern("user-correction", &["python3 -m unittest discover -s tests", "make test"])],
        "correction-taste" => vec![pattern(
            "user-correction",
            &["echo '2026-01-04 food 3.20' >> examples/book.txt", "python3 -m ledger add 2026-01-04 food 3.20"],
        )],
        "save-skill" => {
            vec![pattern("explicit-instruction", &["make deps", "sh tools/check.sh --every", "make test"])]
        }
        "remember" => vec![pattern("explicit-instruction", &[])],
        "release" => vec![pattern(
            "multi-step",
            &["make deps", "make lint", "make test", "make dist VERSION=1.1", "sh tools/notes.sh", "git tag v1.1"],
        )],
        "release-again" => vec![pattern(
            "multi-step",
            &["make deps", "make lint", "make test", "make dist VERSION=1.2", "sh tools/notes.sh", "git tag v1.2"],
        )],
        "repeat" => vec![pattern("repeated-action", &["make test"])],
        "calm" | "outcomes" | "subagent" | "compact" | "compact-auto" | "long-running" | "patch" => vec![],
        other => panic!("say what scenario {other} shows"),
    }
}

/// All that is documented is seen; what is seen besides is kept quiet.
fn check_patterns(what: &str, session: &Session, expected: &[Pattern]) {
    let seen = detect(session);
    let shows = |o: &Observation, p: &Pattern| o.head.detector == p.detector && o.claim.commands == p.commands;
    let list: Vec<String> = seen
        .iter()
        .map(|o| format!("{} {:?} suggest={}", o.head.detector, o.claim.commands, o.claim.suggest))
        .collect();
    let list = list.join("\n  ");
    for p in expected {
        let count = seen.iter().filter(|o| shows(o, p)).count();
        assert_eq!(count, 1, "{what}: {p:?} must be seen once; seen:\n  {list}");
    }
    for o in seen.iter().filter(|o| !expected.iter().any(|p| shows(o, p))) {
        assert!(
            !o.claim.suggest,
            "{what}: {} {:?} is not what this session shows; seen:\n  {list}",
            o.head.detector, o.claim.commands
        );
    }
}

/// One test per scenario, so that one wrong detector does not hide another.
macro_rules! shows {
    ($($test:ident: $scenario:literal),+ $(,)?) => {
        const TESTED: &[&str] = &[$($scenario),+];
        $(
            #[test]
            fn $test() {
                for r in all().iter().filter(|r| r.scenario == $scenario) {
                    check_patterns(&r.what, &r.session, &documented($scenario, r.is_subagent()));
                }
            }
        )+
    };
}

shows! {
    a_wrong_flag_is_a_recovery: "flag",
    two_recoveries_in_one_session_are_both_seen: "flag-again",
    a_missing_setup_command_is_a_recovery: "setup",
    a_script_that_wants_its_own_folder_is_a_recovery: "setup-again",
    another_tool_for_the_same_goal_is_a_recovery: "other-tool",
    how_a_command_is_called_is_a_recovery: "environment",
    a_correction_of_a_failed_attempt_is_seen: "correction",
    a_correction_of_something_that_worked_is_seen: "correction-taste",
    a_request_to_save_the_last_commands_is_seen: "save-skill",
    a_rule_to_remember_is_seen: "remember",
    a_release_is_a_procedure: "release",
    another_release_is_the_same_procedure: "release-again",
    a_command_used_again_and_again_is_seen: "repeat",
    a_calm_session_teaches_nothing: "calm",
    odd_outcomes_teach_nothing: "outcomes",
    a_fork_shows_what_its_root_showed: "fork",
    a_compacted_session_teaches_nothing: "compact",
    an_automatically_compacted_session_teaches_nothing: "compact-auto",
    a_subagents_recovery_is_seen_in_its_own_session: "subagent",
    a_long_running_command_teaches_nothing: "long-running",
    a_patch_teaches_nothing: "patch",
}

#[test]
fn every_scenario_is_tested() {
    let recorded: BTreeSet<String> = all().into_iter().map(|r| r.scenario).collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|s| (*s).to_owned()).collect();
    assert_eq!(recorded, tested);
}

/// One session seen through several clients gives observations with the same keys.
#[test]
fn the_same_sight_has_the_same_key_in_every_client() {
    let mut keys: BTreeMap<(String, Vec<String>), BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for r in all() {
        for o in detect(&r.session).into_iter().filter(|o| o.head.detector != "multi-step") {
            // What is made of words alone is told apart by its words.
            let shows = if o.claim.commands.is_empty() { vec![o.claim.text] } else { o.claim.commands };
            let clients = keys.entry((o.head.detector.to_string(), shows)).or_default();
            clients.entry(o.claim.key).or_default().insert(r.client.clone());
        }
    }
    for (what, found) in &keys {
        assert_eq!(found.len(), 1, "{what:?} has several keys: {found:?}");
    }
    let clients = |p: &Pattern| {
        let commands: Vec<String> = p.commands.iter().map(|c| (*c).to_owned()).collect();
        keys.get(&(p.detector.to_owned(), commands)).and_then(|k| k.values().next()).map_or(0, BTreeSet::len)
    };
    assert_eq!([clients(&FLAG), clients(&SETUP)], [4, 4], "these were recorded with every client");
}

/// The evidence of a recovery: a failing call, a later call that worked, and what was run in between.
#[test]
fn a_recovery_points_at_its_calls() {
    for r in all() {
        for o in detect(&r.session).iter().filter(|o| o.head.detector == "error-recovery") {
            let place = |id: &str| r.session.events.iter().position(|e| e.id == id);
            let call = |id: Option<&str>| {
                let at = id.and_then(place).unwrap_or_else(|| panic!("{}: {o:?}", r.what));
                (at, r.session.events[at].call().unwrap())
            };
            let ((failed_at, failed), (fixed_at, fixed)) = (call(o.seen.failed()), call(o.seen.fixed()));
            assert!(failed.outcome.is_failure(), "{}: {} is {}", r.what, failed.input, failed.outcome);
            assert_eq!(fixed.outcome, Outcome::Ok, "{}: {}", r.what, fixed.input);
            assert!(failed_at < fixed_at, "{}: the fix comes after the failure", r.what);
            for id in o.seen.via() {
                let at = place(id).unwrap_or_else(|| panic!("{}: via {id} is no event", r.what));
                assert!(failed_at < at && at < fixed_at, "{}: via {id} stands between", r.what);
            }
            assert_eq!(
                !o.seen.via().is_empty(),
                o.claim.commands.len() > 2,
                "{}: {:?} via {:?}",
                r.what,
                o.claim.commands,
                o.seen.via()
            );
            assert!(o.claim.trust < Origin::User, "{}: commands are not a person's words", r.what);
        }
    }
}

#[test]
fn instructions_carry_the_users_words_and_name() {
    for r in of("save-skill", "claude") {
        let seen = detect(&r.session);
        let o = seen.iter().find(|o| o.head.detector == "explicit-instruction").expect("an instruction");
        assert_eq!(o.claim.name, "ledger-setup", "{}", r.what);
        assert_eq!(o.claim.trust, Origin::Assistant, "{}: it shows commands the model wrote", r.what);
    }
    for r in of("remember", "codex") {
        let seen = detect(&r.session);
        let o = seen.iter().find(|o| o.head.detector == "explicit-instruction").expect("an instruction");
        assert_eq!(o.claim.text, "amounts in the book always have two decimals, never more.", "{}", r.what);
        assert_eq!(o.claim.trust, Origin::User, "{}: these are the user's words", r.what);
    }
}

/// Which typed messages carry a signal, and which; all others carry none of these.
const SIGNALS: &[(&str, Signal)] = &[
    ("No, don't call unittest yourself. Use make test instead.", Signal::Correction),
    (
        "That's not how we do it. Never write to the book by hand, use python3 -m ledger add instead.",
        Signal::Correction,
    ),
    ("Save this as ledger-setup.", Signal::Save),
    ("Remember this: amounts in the book always have two decimals, never more.", Signal::Save),
];

#[test]
fn messages_carry_the_signal_they_were_written_for() {
    for r in all() {
        for (at, event) in r.session.events.iter().enumerate() {
            let signals = signals_of(&r.session, at);
            let Some(text) = event.human_text() else {
                assert!(signals.is_empty(), "{}: {signals:?} in what no person typed", r.what);
                continue;
            };
            for signal in [Signal::Correction, Signal::Save] {
                let expected = SIGNALS.contains(&(text.as_str(), signal));
                assert_eq!(signals.contains(&signal), expected, "{}: {signal:?} in {text:?}", r.what);
            }
        }
    }
}

/// A session longer than memory: earlier events are cleaned and cut, none is lost.
#[test]
fn a_session_of_many_megabytes_is_held_in_few() {
    let source = source("claude").unwrap();
    let mut reader = uptake_core::sources::Reader::new(source, "long");
    let text = "lorem ipsum ".repeat(1_400);
    for n in 0..4_000 {
        let record = format!(
            "{{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"uuid\":\"u{n}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        );
        reader.feed(record.as_bytes());
    }
    let session = reader.finish().session;
    assert_eq!(session.events.len(), 4_000);
    let held: usize = session.events.iter().map(Event::held).sum();
    assert!(held < 40 << 20, "{held}");
    assert!(session.events.iter().all(|e| e.human_text().is_some()));
}
