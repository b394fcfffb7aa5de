//! `uptake init` and `uptake uninstall`: the user's files keep every byte that is not ours, and get it back in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use expect_test::expect;

use crate::terminal::Terminal;
use crate::world::{Run, World, files, finish};

/// Puts a client on the PATH that says this version and can do nothing else.
fn client(world: &World, name: &str, version: &str) {
    let path = world.write(&format!("home/.local/bin/{name}"), &format!("#!/bin/sh\necho '{version}'\n"));
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made a program");
}

/// Both clients, with settings of every taste.
fn world() -> World {
    let world = World::new();
    client(&world, "claude", "2.1.325 (Claude Code)");
    client(&world, "codex", "codex-cli 0.166.0");
    world.write("home/.claude/settings.json", MINE);
    world.write("home/.codex/config.toml", "model = \"x\" # mine\n\n[features]\nhooks = true");
    world
}

const MINE: &str = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}],\n\t\t\"SessionStart\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}\n\t\t]\n\t},\n\t\"env\": {}\n}";

/// The settings of all agents.
fn settings(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = [".claude", ".codex"].into_iter().flat_map(|folder| files(&world.home().join(folder)));
    all.map(|path| (path.clone(), std::fs::read(path).expect("read"))).collect()
}

fn text(world: &World, path: &str) -> String {
    std::fs::read_to_string(world.path(path)).expect("a file")
}

fn hooks(text: &str) -> usize {
    text.matches(" hook c").count()
}

#[test]
fn nothing_is_changed_before_a_yes() {
    let world = world();
    let before = settings(&world);
    for args in [&["init"][..], &["init", "--dry-run"], &["init", "--json"], &["init", "--dry-run", "--yes"]] {
        world.run(args).ok();
        assert!(settings(&world) == before && !world.data().join("bin").exists(), "{args:?}");
    }
    // The sums are over the folder of this world.
    let said = world.snapshot(&["init", "--dry-run"]);
    let end = |line: &str| line.find("sha256:").map_or(line.len(), |at| at + "sha256:".len());
    let said: String = said.lines().map(|line| format!("{}\n", &line[..end(line)])).collect();
    expect![[r#"
        exit code 0
        --- stdout ---
        Agents
          Claude Code  2.1.325      $HOME/.claude
          Codex CLI    0.166.0      $HOME/.codex
        No sessions to read.

        To connect Claude Code
          at SessionStart       uptake tells what holds here
          at UserPromptSubmit   uptake tells what was said before on this
          at PostToolUse        uptake tells fixes of failures a pipe hid
          at PostToolUseFailure uptake tells the fix of a failure
          at PostToolBatch      uptake tells why a call is refused, such as an edit that does not fit
          at SubagentStart      uptake tells a subagent what concerns it
          at SessionEnd         uptake learns from the session, in the background
          $HOME/.claude/settings.json
                  "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                  "SessionStart": [
            -       {"hooks": [{"type": "command", "command": "date"}]}
            +       {"hooks": [{"type": "command", "command": "date"}]},
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "UserPromptSubmit": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "PostToolUse": [
            +       {"matcher": "Bash", "hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "PostToolUseFailure": [
            +       {"matcher": "*", "hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "PostToolBatch": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "SubagentStart": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
            +     ],
            +     "SessionEnd": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook claude || true", "timeout": 3}]}
                  ]
                },
          Nothing was changed.

        To connect Codex CLI
          at SessionStart       uptake tells what holds here
          at UserPromptSubmit   uptake tells what was said before on this
          at PostToolUse        uptake tells the fix of a failure
          at SubagentStart      uptake tells a subagent what concerns it
          at SessionEnd         uptake learns from the session, in the background
          $HOME/.codex/hooks.json (new)
            + {
            +   "hooks": {
            +     "SessionStart": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook codex || true", "timeout": 3}]}
            +     ],
            +     "UserPromptSubmit": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook codex || true", "timeout": 3}]}
            +     ],
            +     "PostToolUse": [
            +       {"matcher": "Bash", "hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook codex || true", "timeout": 3}]}
            +     ],
            +     "SubagentStart": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook codex || true", "timeout": 3}]}
            +     ],
            +     "SessionEnd": [
            +       {"hooks": [{"type": "command", "command": "[ -x '$DATA/bin/uptake' ] && UPTAKE_HOME='$DATA' '$DATA/bin/uptake' hook codex || true", "timeout": 3}]}
            +     ]
            +   }
            + }
          $HOME/.codex/config.toml
              [features]
              hooks = true
            + 
            + # uptake may run these hooks (removed by: uptake uninstall)
            + [hooks.state."$HOME/.codex/hooks.json:session_start:0:0"]
            + trusted_hash = "sha256:
            + [hooks.state."$HOME/.codex/hooks.json:user_prompt_submit:0:0"]
            + trusted_hash = "sha256:
            + [hooks.state."$HOME/.codex/hooks.json:post_tool_use:0:0"]
            + trusted_hash = "sha256:
            + [hooks.state."$HOME/.codex/hooks.json:subagent_start:0:0"]
            + trusted_hash = "sha256:
            + [hooks.state."$HOME/.codex/hooks.json:session_end:0:0"]
            + trusted_hash = "sha256:
          The second file tells the client that you trust these hooks; --no-trust leaves that to you.
          Nothing was changed.

        To know whether lessons help, each is withheld in 20 of 100 sessions, never your own words: uptake report says what came of it. Switch that off with: uptake config set holdout 0
    "#]].assert_eq(&said);
}

#[test]
fn all_goes_in_once_and_comes_out_byte_for_byte() {
    let world = world();
    let before = settings(&world);
    world.run(&["init", "--yes"]).ok();
    let connected = settings(&world);
    assert_eq!(hooks(&text(&world, "home/.claude/settings.json")), 7);
    assert_eq!(hooks(&text(&world, "home/.codex/hooks.json")), 5);
    assert_eq!(text(&world, "home/.codex/config.toml").matches("trusted_hash").count(), 5);
    world.run(&["init", "--yes"]).ok();
    assert!(settings(&world) == connected, "a second time changes nothing");
    world.run(&["uninstall", "--dry-run"]).ok();
    assert!(settings(&world) == connected, "a dry run changes nothing");
    world.run(&["uninstall", "--yes"]).ok();
    assert!(settings(&world) == before, "every byte is as it was");
    world.run(&["uninstall", "--yes"]).ok();
    assert!(settings(&world) == before);
}

#[test]
fn of_files_that_were_changed_since_only_our_entries_go() {
    let world = world();
    world.run(&["init", "--yes"]).ok();
    let changed =
        text(&world, "home/.claude/settings.json").replace("\"opus\"", "\"sonnet\"").replace("say done", "say it");
    world.write("home/.claude/settings.json", &changed);
    let config = format!("{}\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n", text(&world, "home/.codex/config.toml"));
    world.write("home/.codex/config.toml", &config);
    // Again connected, and still once.
    world.run(&["init", "--yes"]).ok();
    assert_eq!(hooks(&text(&world, "home/.claude/settings.json")), 7);
    let again = text(&world, "home/.claude/settings.json").replace("\"sonnet\"", "\"haiku\"");
    world.write("home/.claude/settings.json", &again);
    world.run(&["uninstall", "--yes"]).ok();
    let expected = MINE.replace("\"opus\"", "\"haiku\"").replace("say done", "say it");
    assert_eq!(text(&world, "home/.claude/settings.json"), expected);
    assert_eq!(
        text(&world, "home/.codex/config.toml"),
        "model = \"x\" # mine\n\n[features]\nhooks = true\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
    );
}

#[test]
fn only_events_that_the_oldest_version_knows_are_named() {
    for (version, expected) in [
        (
            "2.1.325",
            "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure PostToolBatch SubagentStart SessionEnd",
        ),
        (
            "2.1.150",
            "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure PostToolBatch SubagentStart SessionEnd",
        ),
        ("2.1.100", "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure SessionEnd"),
        ("2.0.76", "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure SessionEnd"),
        ("2.0.30", "SessionStart UserPromptSubmit PostToolUse SessionEnd"),
        ("1.0.20", ""),
        ("a fine day", ""),
    ] {
        let world = World::new();
        world.write("home/.claude/keep", "");
        client(&world, "claude", version);
        world.run(&["init", "--yes"]).ok();
        let settings: serde_json::Value = std::fs::read(world.home().join(".claude/settings.json"))
            .map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
            .unwrap_or_default();
        let expected: BTreeSet<&str> = expected.split_whitespace().collect();
        let named: Option<BTreeSet<&str>> =
            settings["hooks"].as_object().map(|hooks| hooks.keys().map(String::as_str).collect());
        assert_eq!(named.unwrap_or_default(), expected, "{version}");
    }
    // Another, older one beside it shares the settings.
    let world = world();
    std::fs::create_dir_all(world.home().join(".claude/local")).expect("a folder");
    let older = world.home().join(".claude/local/claude");
    std::fs::copy(world.home().join(".local/bin/claude"), &older).expect("copied");
    std::fs::write(&older, "#!/bin/sh\necho '2.1.100 (Claude Code)'\n").expect("written");
    world.run(&["init", "--yes"]).ok();
    assert!(!text(&world, "home/.claude/settings.json").contains("PostToolBatch"));
}

/// The other two clients, with settings of their own.
fn with_the_others() -> World {
    let world = world();
    client(&world, "opencode", "1.18.33");
    client(&world, "gemini", "0.61.0");
    world.write("home/.gemini/settings.json", "{\n  // mine\n  \"hooks\": {\"AfterTool\": []},\n  \"ui\": {}\n}\n");
    world.write("home/.local/share/opencode/keep", "");
    world
}

#[test]
fn all_four_clients_are_connected_and_get_every_byte_and_folder_back() {
    let world = with_the_others();
    let all = |world: &World| -> BTreeMap<PathBuf, Vec<u8>> {
        let folders = [".claude", ".codex", ".config", ".gemini"].into_iter();
        let all = folders.filter(|f| world.home().join(f).exists()).flat_map(|f| files(&world.home().join(f)));
        all.map(|path| (path.clone(), std::fs::read(path).expect("read"))).collect()
    };
    let before = all(&world);
    world.run(&["init", "--yes"]).ok();
    let gemini = text(&world, "home/.gemini/settings.json");
    assert!(gemini.matches(" hook gemini").count() == 4 && gemini.contains("\"timeout\": 3000"), "{gemini}");
    let plugin = world.home().join(".config/opencode/plugins/uptake.js");
    assert!(std::fs::read_to_string(&plugin).is_ok_and(|t| t.contains("bin/uptake\"")), "the plugin is there");
    let connected = all(&world);
    world.run(&["init", "--yes"]).ok();
    assert!(all(&world) == connected, "a second time changes nothing");
    let doctor = world.run(&["doctor", "--json"]).ok().objects().remove(0);
    let installed = |n: usize| doctor["agents"][n]["installed"].as_array().map(Vec::len);
    assert_eq!(
        [installed(0), installed(1), installed(2), installed(3)],
        [Some(7), Some(5), Some(4), Some(4)],
        "{doctor}"
    );
    world.run(&["uninstall", "--yes"]).ok();
    assert!(all(&world) == before, "every byte is as it was");
    assert!(!world.home().join(".config/opencode").exists(), "no folder of ours is left");
}

#[test]
fn a_plugin_that_somebody_changed_or_wrote_stays() {
    let world = with_the_others();
    let plugin = world.home().join(".config/opencode/plugins/uptake.js");
    world.run(&["init", "--yes"]).ok();
    let changed = format!("{}// mine\n", std::fs::read_to_string(&plugin).expect("a plugin"));
    std::fs::write(&plugin, &changed).expect("written");
    let run = world.run(&["init", "--yes"]);
    assert!(run.code == 1 && run.err.contains("was changed by somebody"), "{}", run.err);
    assert!(world.run(&["uninstall", "--yes"]).ok().out.contains("by hand stays"));
    assert_eq!(std::fs::read_to_string(&plugin).expect("there"), changed);
    std::fs::write(&plugin, "export const Mine = 1").expect("written");
    let run = world.run(&["init", "--yes"]);
    assert!(run.code == 1 && run.err.contains("is not from uptake"), "{}", run.err);
}

#[test]
fn calls_and_agents_are_asked_about_only_if_the_user_wants_it() {
    let world = with_the_others();
    for (key, value) in [("guard", "true"), ("learning-agents", "builder, tester")] {
        world.run(&["config", "set", key, value]).ok();
    }
    world.run(&["init", "--yes"]).ok();
    let claude = text(&world, "home/.claude/settings.json");
    assert!(claude.contains("\"PreToolUse\"") && claude.contains("\"SubagentStop\""), "{claude}");
    assert!(text(&world, "home/.codex/hooks.json").contains("\"PreToolUse\""));
    assert!(text(&world, "home/.gemini/settings.json").contains("\"BeforeTool\""));
    assert!(text(&world, "home/.config/opencode/plugins/uptake.js").contains("\"before_calls\":true"));
    world.run(&["config", "set", "guard", "false"]).ok();
    world.run(&["config", "unset", "learning-agents"]).ok();
    world.run(&["init", "--yes"]).ok();
    let claude = text(&world, "home/.claude/settings.json");
    assert!(!claude.contains("\"PreToolUse\"") && !claude.contains("\"SubagentStop\""), "{claude}");
}

#[test]
fn what_cannot_be_understood_is_left_alone() {
    for broken in ["{\n  \"hooks\": [}", "[]", "{\"hooks\": 3}", "{\"hooks\": {\"SessionStart\": {}}}"] {
        let world = world();
        world.write("home/.claude/settings.json", broken);
        let before = settings(&world);
        let run = world.run(&["init", "--yes"]);
        assert!(run.code == 1 && run.err.contains("put it right first"), "{broken}: {}", run.err);
        assert!(settings(&world) == before, "{broken}");
    }
}

#[test]
fn what_was_connected_by_hand_is_not_connected_twice() {
    let world = world();
    let own = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "uptake hook claude"}]}]}}"#;
    world.write("home/.claude/settings.json", own);
    let run = world.run(&["init", "--yes", "--json"]).ok().objects().remove(0);
    assert_eq!(run["changes"][0]["by_hand"], serde_json::json!(["SessionStart"]));
    assert_eq!(hooks(&text(&world, "home/.claude/settings.json")), 7);
    assert!(world.run(&["uninstall", "--yes"]).ok().out.contains("by hand stays"));
    assert_eq!(text(&world, "home/.claude/settings.json"), own);
}

#[test]
fn what_was_put_in_is_known_also_without_a_record() {
    let world = world();
    let before = settings(&world);
    world.run(&["init", "--yes"]).ok();
    std::fs::remove_dir_all(world.data().join("installed")).expect("lost");
    world.run(&["init", "--yes"]).ok();
    assert_eq!(hooks(&text(&world, "home/.claude/settings.json")), 7);
    assert_eq!(text(&world, "home/.codex/config.toml").matches("trusted_hash").count(), 5);
    std::fs::remove_dir_all(world.data().join("installed")).expect("lost");
    world.run(&["uninstall", "--yes"]).ok();
    let after = settings(&world);
    let hooks = |all: &BTreeMap<PathBuf, Vec<u8>>| {
        all.values().filter(|b| String::from_utf8_lossy(b).contains("bin/uptake")).count()
    };
    assert_eq!((hooks(&before), hooks(&after)), (0, 0));
}

#[test]
fn trust_can_be_left_to_the_user() {
    let world = world();
    let before = text(&world, "home/.codex/config.toml");
    world.run(&["init", "--yes", "--no-trust"]).ok();
    assert_eq!(text(&world, "home/.codex/config.toml"), before);
    let doctor = world.run(&["doctor"]).ok().out;
    assert!(doctor.contains("does not trust the hooks"), "{doctor}");
    world.run(&["init", "--yes"]).ok();
    assert!(!world.run(&["doctor"]).ok().out.contains("does not trust"));
}

#[cfg(unix)]
fn as_the_client_runs_it(world: &World, payload: &str) -> Run {
    let settings: serde_json::Value = serde_json::from_str(&text(world, "home/.claude/settings.json")).expect("JSON");
    let command = settings["hooks"]["SessionEnd"][0]["hooks"][0]["command"].as_str().expect("a command").to_owned();
    finish(Command::new("/bin/sh").env_clear().args(["-c", &command]), payload)
}

#[cfg(unix)]
#[test]
fn the_line_works_without_a_path_and_does_nothing_when_the_binary_is_gone() {
    let world = world();
    world.run(&["init", "--yes"]).ok();
    let payload = r#"{"hook_event_name":"SessionStart","session_id":"s","cwd":"/"}"#;
    let run = as_the_client_runs_it(&world, payload).ok();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    let doctor = world.run(&["doctor", "--json"]).ok().objects().remove(0);
    assert_eq!(doctor["agents"][0]["installed"].as_array().map(Vec::len), Some(7), "{doctor}");
    std::fs::remove_file(world.data().join("bin/uptake")).expect("gone");
    let run = as_the_client_runs_it(&world, payload).ok();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    assert_eq!(world.run(&["doctor"]).code, 1, "it is told");
    world.run(&["doctor", "--fix"]).ok();
    assert!(world.data().join("bin/uptake").exists());
}

#[test]
fn the_history_is_listed_before_it_is_read_and_five_lessons_come_of_it() {
    let world = World::new().with_history();
    client(&world, "claude", "2.1.325");
    let listed = world.run(&["init", "--dry-run", "--json"]).ok().objects().remove(0);
    assert!(listed["projects"].as_array().is_some_and(|p| !p.is_empty()), "{listed}");
    assert!(!world.data().join("sessions.db").exists(), "nothing was read");
    let read = world.run(&["init", "--json"]).ok().objects().remove(0);
    let lessons = read["lessons"].as_array().expect("lessons");
    assert!(!lessons.is_empty() && lessons.len() <= 5, "{read}");
    assert!(read["read"].as_u64() > Some(0));
    let later = world.run(&["init", "--json", "--since", "2030-01-01"]).ok().objects().remove(0);
    assert_eq!(later["projects"].as_array().map(Vec::len), Some(0));
    let run = world.run(&["init", "--since", "soon"]);
    assert!(run.code == 1 && run.err.contains("30d"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn on_a_terminal_each_agent_is_asked_for() {
    let world = world();
    let mut terminal = Terminal::start(&world, &["init"], &[]);
    terminal.wait("Connect Claude Code? [y/N]").send("y\r");
    terminal.wait("Connect Codex CLI? [y/N]").send("n\r");
    terminal.wait("Left as it is.");
    assert_eq!(terminal.end().code, Some(0));
    assert_eq!(hooks(&text(&world, "home/.claude/settings.json")), 7);
    assert!(!world.home().join(".codex/hooks.json").exists());
}

#[test]
fn purge_removes_what_was_learned_and_nothing_else() {
    let world = world().with_history();
    world.run(&["learn", "--skill", "--yes"]).ok();
    world.run(&["init", "--yes", "--no-learn"]).ok();
    world.write("data/mine.txt", "mine");
    let skill = files(&world.home().join(".claude/skills")).into_iter().next().expect("a skill");
    std::fs::write(&skill, "changed by me").expect("written");
    assert_eq!(world.run(&["uninstall", "--purge"]).code, 1, "it must be said");
    world.run(&["uninstall", "--purge", "--yes"]).ok();
    assert_eq!(files(&world.data()), [world.data().join("mine.txt")]);
    assert_eq!(std::fs::read_to_string(&skill).expect("there"), "changed by me");
    assert_eq!(files(&world.home().join(".claude/skills")), [skill]);
}
