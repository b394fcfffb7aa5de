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

/// Drives the plugin as OpenCode does: two sessions in one process, and a binary that fails at first.
const DRIVE: &str = r#"
import { Uptake } from "PLUGIN";
const hooks = await Uptake({ directory: "FOLDER" });
const config = { command: { retrospective: { template: "mine" } } };
await hooks.config(config);
const say = async (sessionID, text) => {
  const output = { parts: [{ id: "prt_1", sessionID, messageID: "msg_1", type: "text", text }] };
  await hooks["chat.message"]({ sessionID, agent: "build" }, output);
  return output.parts.slice(1).map((part) => part.text).join("\n");
};
const created = (id, parentID) => hooks.event({ event: { type: "session.created", properties: { info: { id, parentID } } } });
await created("ses_1");
await created("ses_2");
await created("ses_3", "ses_2");
const told = [await say("ses_1", "a"), await say("ses_1", "b"), await say("ses_1", "c"), await say("ses_2", "a"), await say("ses_3", "a")];
console.log(JSON.stringify({ told, mine: config.command.retrospective.template, commands: Object.keys(config.command) }));
"#;

/// What could not be asked is asked with the next message; every session of one process is told, and each once.
#[test]
fn the_plugin_serves_many_sessions_of_one_process() {
    let lab = Lab::new();
    let home = lab.folder.path().join("home");
    let work = home.join("work");
    std::fs::create_dir_all(work.join(".git")).expect("made");
    std::fs::write(work.join(".git/config"), "[remote \"origin\"]\n\turl = https://git.example.com/dev/x.git\n")
        .expect("written");
    let add = Command::new(env!("CARGO_BIN_EXE_uptake"))
        .args(["add", "Invoices are rounded to cents"])
        .current_dir(&work)
        .env_clear()
        .env("HOME", &home)
        .env("UPTAKE_HOME", lab.data())
        .output()
        .expect("uptake runs");
    ended_well(&add, "add");
    // The first question fails, as on a machine that stands still; the others reach the binary.
    let (bin, failed) = (lab.data().join("bin"), lab.folder.path().join("failed"));
    std::fs::create_dir_all(&bin).expect("made");
    let script = format!(
        "#!/bin/sh\n[ -e '{0}' ] || {{ : > '{0}'; exit 1; }}\nexec '{1}' \"$@\"\n",
        failed.display(),
        env!("CARGO_BIN_EXE_uptake")
    );
    std::fs::write(bin.join("uptake"), script).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("uptake"), mode).expect("a program");
    let plugin = root().join("packages/opencode/index.js");
    let text =
        DRIVE.replace("PLUGIN", plugin.to_str().expect("a path")).replace("FOLDER", work.to_str().expect("a path"));
    let drive = lab.folder.path().join("drive.mjs");
    std::fs::write(&drive, text).expect("written");
    let run = Command::new("node")
        .arg(&drive)
        .env("HOME", &home)
        .env("UPTAKE_HOME", lab.data())
        .env("UPTAKE_HOLDOUT", "0")
        .output()
        .expect("node runs");
    ended_well(&run, "the plugin");
    let said = objects(&String::from_utf8_lossy(&run.stdout)).remove(0);
    let told = |n: usize| said["told"][n].as_str().is_some_and(|t| t.contains("rounded to cents"));
    assert_eq!([told(0), told(1), told(2), told(3), told(4)], [false, true, false, true, true], "{said}");
    assert_eq!(said["mine"], "mine", "a command of the user stays");
    assert_eq!(said["commands"].as_array().map(Vec::len), Some(3), "{said}");
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
