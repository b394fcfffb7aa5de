//! Packages, installed into clean homes by the clients' own commands: they are valid, they work, and nothing of them is left.
//! Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

mod lab;

use std::process::Command;

use lab::{Lab, ended_well, objects, root};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Learns the fix in a session of Claude Code, and says yes.
fn learn_the_fix(lab: &Lab) {
    let (out, mut command) = lab.command("claude", "flag", "first");
    ended_well(&command.output().expect("lab/live runs"), "the first session");
    let home = out.join("home");
    let lessons = objects(&lab.uptake(&home, PATH, &["learn", "--all", "--json"]));
    let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("a fix");
    lab.uptake(&home, PATH, &["review", "--accept", fix["id"].as_str().expect("an id")]);
}

#[test]
fn a_package_works_in_a_clean_home_and_leaves_nothing() {
    let lab = Lab::new();
    learn_the_fix(&lab);
    for client in ["claude", "opencode", "gemini", "codex"] {
        let (out, mut command) = lab.command(client, "flag", &format!("{client}-package"));
        command.env("HOOKS", "package");
        ended_well(&command.output().expect("lab/live runs"), client);
        let log = std::fs::read_to_string(out.join("requests.jsonl")).expect("the model's log");
        if client == "codex" {
            // Its hooks are connected by `init`; the package has the commands.
            assert!(
                ["retrospective", "optimize-skills", "uptake-wrong"].iter().all(|name| log.contains(name)),
                "{client}"
            );
        } else {
            let failed: Vec<&str> = log.lines().filter(|l| l.contains("unrecognized arguments")).collect();
            let told = |l: &&str| l.contains("notes from past work") && l.contains("--output json`");
            assert!(!failed.is_empty() && failed.iter().all(told), "{client}: the fix follows the failure");
        }
        let left = std::fs::read_to_string(out.join("left")).expect("a list");
        // Claude Code deletes its own copy later.
        let left: Vec<&str> = left.lines().filter(|l| !l.starts_with(".claude/plugins/cache/")).collect();
        assert!(left.is_empty(), "{client}: {left:?}");
        for settings in [".claude/settings.json", ".claude/plugins/installed_plugins.json", ".gemini/settings.json"] {
            let text = std::fs::read_to_string(out.join("home").join(settings)).unwrap_or_default();
            assert!(!text.contains("uptake"), "{client}: {settings}: {text}");
        }
    }
}

#[test]
fn packages_are_valid_by_the_clients_own_validators() {
    for (client, args) in [
        ("claude", ["plugin", "validate", "packages/claude"]),
        ("claude", ["plugin", "validate", "."]),
        ("gemini", ["extensions", "validate", "packages/gemini"]),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let run = Command::new(root().join("lab/drive"))
            .args(["ask", client])
            .arg(home.path())
            .args(args)
            .current_dir(root())
            .output()
            .expect("lab/drive runs");
        ended_well(&run, client);
        let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        assert!(said.contains("Validation passed") || said.contains("successfully validated"), "{client}: {said}");
    }
}
