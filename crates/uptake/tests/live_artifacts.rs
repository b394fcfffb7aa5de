//! The real clients find what was made of lessons: each lists the skill to its model, and Claude Code runs the slash command.
//! Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Folders by which an agent is known to be used.
const USED: [&str; 4] = [".claude", ".codex", ".gemini", ".config/opencode"];
/// Where each client looks in a project.
const SKILLS: [(&str, &str); 4] = [
    ("claude", ".claude/skills"),
    ("codex", ".agents/skills"),
    ("opencode", ".opencode/skills"),
    ("gemini", ".gemini/skills"),
];
/// The folder of slash commands.
const COMMANDS: &str = ".claude/commands/uptake";

const RULE: &str = "Always paint quagga panels blue";
const WORKFLOW: &str = r#"{"format":"uptake-lessons","id":"a1","kind":"workflow","text":"To release okapi: bump the version, tag it, push the tag","sessions":4}"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn uptake(folder: &Path, args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_uptake"))
        .args(args)
        .env_clear()
        .env("HOME", folder.join("home"))
        .env("UPTAKE_HOME", folder.join("uptake"))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir(folder.join("own/ledger"))
        .output()
        .expect("uptake runs");
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A project with a skill and a command, below a folder that is put into a home.
fn rendered() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("own/ledger");
    std::fs::create_dir_all(project.join(".git")).expect("made");
    USED.iter().for_each(|used| std::fs::create_dir_all(folder.path().join("home").join(used)).expect("made"));
    uptake(folder.path(), &["trust", "--files"]);
    uptake(folder.path(), &["add", RULE]);
    let file = folder.path().join("lessons.jsonl");
    std::fs::write(&file, WORKFLOW).expect("written");
    let key = uptake(folder.path(), &["project", "here"]);
    uptake(folder.path(), &["import", "--project", key.trim(), file.to_str().expect("a path")]);
    let all = uptake(folder.path(), &["review", "--all", "--json"]);
    let mut rows = all.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON"));
    let row = rows.find(|r| r["kind"] == "workflow").expect("a workflow");
    uptake(folder.path(), &["review", "--accept", row["id"].as_str().expect("an id")]);
    // The client's own checkout has one.
    std::fs::remove_dir_all(project.join(".git")).expect("gone");
    folder
}

/// The only thing in a folder.
fn only(folder: &Path) -> String {
    let names: Vec<String> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 1, "{}: {names:?}", folder.display());
    names[0].clone()
}

/// What reached the model in a session of a client.
fn requests(folder: &Path, client: &str, prompt: Option<&str>) -> Vec<String> {
    let out = folder.join(format!("{client}-{}", prompt.is_some()));
    let mut command = Command::new(root().join("lab/live"));
    command.args([client, env!("CARGO_BIN_EXE_uptake")]).arg(&out);
    command.env("SCENARIO", "calm").env("OWN", folder.join("own")).env("UPTAKE_HOME", out.join("uptake"));
    if let Some(prompt) = prompt {
        command.env("PROMPT", prompt);
    }
    let run = command.output().expect("lab/live runs");
    let said = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(run.status.success(), "{client}: {}", said.concat());
    let log = std::fs::read_to_string(out.join("requests.jsonl")).expect("a log");
    log.lines().map(str::to_owned).collect()
}

#[test]
fn every_client_lists_the_skill_to_its_model() {
    let folder = rendered();
    for (client, place) in SKILLS {
        let name = only(&folder.path().join("own/ledger").join(place));
        let log = requests(folder.path(), client, None);
        let listed = |l: &&String| l.contains(&name) && l.contains("quagga panels blue");
        assert!(log.iter().any(|l| listed(&l)), "{client} does not list {name}");
    }
}

#[test]
fn claude_code_runs_the_slash_command() {
    let folder = rendered();
    let file = only(&folder.path().join("own/ledger").join(COMMANDS));
    let name = file.strip_suffix(".md").expect("a Markdown file");
    let log = requests(folder.path(), "claude", Some(&format!("/uptake:{name}")));
    let expanded = |l: &&String| l.contains("push the tag") && l.contains(&format!("/uptake:{name}"));
    assert!(log.iter().any(|l| expanded(&l)), "the text of the command reaches the model");
}

/// What is rendered for each client is a valid skill, by the validator of the format.
#[test]
fn every_skill_passes_the_validator() {
    let validator = std::env::var_os("UPTAKE_SKILLS_VALIDATOR")
        .expect("UPTAKE_SKILLS_VALIDATOR names the validator; ./test sets it");
    let folder = rendered();
    for (client, place) in SKILLS {
        let skills = folder.path().join("own/ledger").join(place);
        let run = Command::new(&validator).arg("validate").arg(skills.join(only(&skills))).output().expect("it runs");
        let said = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(run.status.success(), "{client}: {}", said.concat());
    }
}
