//! `uptake hook`: never fails the agent, and says only what was approved.

use expect_test::expect;
use serde_json::{Value, json};
use uptake_testkit::database;

use crate::terminal::Terminal;
use crate::world::{World, finish};

fn payload(world: &World, session: &str, command: &str, error: &str) -> String {
    json!({
        "session_id": session, "transcript_path": "/nowhere", "cwd": world.path("work"), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1", "error": error, "is_interrupt": false
    })
    .to_string()
}

const COMMAND: &str = "python3 -m ledger report --format json";
const ERROR: &str = "Exit code 2\nusage: ledger [-h] [--book BOOK] {balance,report,add} ...\nledger: error: unrecognized arguments: --format json";

/// A world in which the fix is known, in a clone of the project.
fn world_with_fix(approve: bool) -> World {
    let world = World::new().with_history();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let lessons = world.run(&["learn", "--json"]).ok().objects();
    let fix =
        lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("the fix");
    if approve {
        world.run(&["review", "--accept", fix["id"].as_str().expect("an id")]).ok();
    }
    world
}

fn context(out: &str) -> String {
    let value: Value = serde_json::from_str(out).unwrap_or_else(|e| panic!("{e}: {out}"));
    assert_eq!(value["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
    value["hookSpecificOutput"]["additionalContext"].as_str().expect("a text").to_owned()
}

#[test]
fn the_known_fix_is_told_once_a_session_in_two_lines() {
    let world = world_with_fix(true);
    let first = world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
        {"hookSpecificOutput":{"additionalContext":"(uptake, notes from past work in this project: this error was met before)\nInstead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`","hookEventName":"PostToolUseFailure"}}(no line end)
    "#]].assert_eq(&world.shown(&first));
    let text = context(&first.out);
    assert!(text.lines().count() <= 2 && text.len() <= 600);
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
    assert_ne!(world.run_with(&["hook", "claude"], &payload(&world, "s2", COMMAND, ERROR)).ok().out, "");
}

#[test]
fn nothing_is_told_before_a_yes_or_after_a_no() {
    let world = world_with_fix(false);
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
    let world = world_with_fix(true);
    let id = world
        .run(&["review", "--all", "--json"])
        .ok()
        .objects()
        .iter()
        .find(|r| r["verdict"] == "approved")
        .expect("one")["id"]
        .as_str()
        .expect("id")
        .to_owned();
    world.run(&["review", "--reject", &id]).ok();
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
}

#[test]
fn another_error_another_program_or_another_project_hears_nothing() {
    let world = world_with_fix(true);
    for (command, error) in [
        (COMMAND, "Exit code 2\nledger: error: unrecognized arguments: --colour"),
        ("ls --format json", ERROR),
        (COMMAND, ""),
        ("", ""),
    ] {
        let out = world.run_with(&["hook", "claude"], &payload(&world, "s1", command, error)).ok().out;
        assert_eq!(out, "", "{command}");
    }
    let elsewhere = payload(&world, "s1", COMMAND, ERROR).replace("work", "elsewhere");
    assert_eq!(world.run_with(&["hook", "claude"], &elsewhere).ok().out, "");
}

#[test]
fn an_approval_is_withdrawn_when_one_byte_of_the_lesson_changes() {
    let world = world_with_fix(true);
    let change = "UPDATE lessons SET body = replace(body, 'run `python3 -m ledger report --output', 'run `python3 -m ledger report --0utput')";
    assert!(database::execute(&world.data().join("lessons.db"), change) > 0);
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
}

#[test]
fn whatever_comes_in_it_exits_0_and_says_nothing_wrong() {
    let world = world_with_fix(true);
    for input in [
        "",
        "nonsense",
        "{}",
        "[]",
        "null",
        "{\"hook_event_name\":\"PostToolUseFailure\"}",
        "{\"hook_event_name\":3}",
        "\u{0}\u{0}",
        &"{".repeat(100_000),
    ] {
        for source in ["claude", "codex", "nobody"] {
            let run = world.run_with(&["hook", source], input).ok();
            assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{source} {input:.40}");
        }
    }
    assert_eq!(world.run_with(&["hook"], "{}").ok().out, "");
}

#[test]
fn a_broken_or_missing_store_is_not_the_agents_problem() {
    let world = World::new();
    assert_eq!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
    assert!(!world.data().exists(), "a hook makes nothing where nothing is");
    world.write(
        "data/lessons.db",
        "this is no database, and it is longer than a header of one hundred bytes so that SQLite must look at it.....",
    );
    let run = world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
}

/// Says that the store has another format than it has: the number stands at byte 60 of every SQLite file.
fn pretend_format(world: &World, format: u32) -> Vec<u8> {
    let path = world.data().join("lessons.db");
    let mut bytes = std::fs::read(&path).expect("a store");
    bytes[60..64].copy_from_slice(&format.to_be_bytes());
    std::fs::write(&path, &bytes).expect("written");
    bytes
}

#[test]
fn a_store_of_another_format_is_left_alone_and_the_log_says_what_to_do() {
    let world = world_with_fix(true);
    let db = world.data().join("lessons.db");
    let sound = std::fs::read(&db).expect("a store");
    let log = || std::fs::read_to_string(world.data().join("hook.log")).unwrap_or_default();
    for (n, (format, advice)) in
        [(1, "; run `uptake learn` once\n"), (99, "; update uptake, then run `uptake learn` once\n")]
            .into_iter()
            .enumerate()
    {
        let bytes = pretend_format(&world, format);
        let run = world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "format {format}");
        assert!(std::fs::read(&db).expect("a store") == bytes, "format {format} was changed");
        assert!(log().ends_with(advice) && log().lines().count() == n + 1, "{}", log());
    }
    std::fs::write(&db, sound).expect("written");
    assert_ne!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
}

/// Payloads as clients sent them, by client.
fn recorded() -> Vec<(String, String)> {
    let folder = crate::world::fixtures().join("hooks");
    let all = crate::world::files(&folder).into_iter().filter(|f| f.extension().is_some_and(|e| e == "json"));
    let sent = all.filter(|f| !f.components().any(|c| c.as_os_str() == "session"));
    let client = |f: &std::path::Path| f.strip_prefix(&folder).expect("below").iter().next().expect("one").to_owned();
    sent.map(|f| (client(&f).to_string_lossy().into_owned(), std::fs::read_to_string(&f).expect("text"))).collect()
}

#[test]
fn a_moment_without_an_answer_opens_nothing() {
    let world = World::new();
    // Whoever opened one of these had something to say in the log.
    world.write("home/.config/uptake/config.toml", "this is = no TOML =");
    world.write("data/lessons.db", &"no database ".repeat(20));
    let mut silent = 0;
    for (client, text) in recorded() {
        if client == "claude" && text.contains("\"PostToolUseFailure\"") {
            continue;
        }
        let run = world.run_with(&["hook", &client], &text).ok();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{client} {text}");
        silent += 1;
    }
    assert!(silent > 40, "{silent} payloads");
    assert!(!world.data().join("hook.log").exists());
    // The same files are trouble where there is something to look up.
    world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
    assert!(world.data().join("hook.log").exists());
}

#[test]
fn a_failure_of_another_tool_than_a_shell_hears_nothing() {
    let world = world_with_fix(true);
    let other = payload(&world, "s1", COMMAND, ERROR).replace("\"Bash\"", "\"Edit\"");
    assert_eq!(world.run_with(&["hook", "claude"], &other).ok().out, "");
    let stopped = payload(&world, "s1", COMMAND, ERROR).replace("\"is_interrupt\":false", "\"is_interrupt\":true");
    assert_eq!(world.run_with(&["hook", "claude"], &stopped).ok().out, "");
    assert_ne!(world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok().out, "");
}

/// Runs `uptake hook` as a person would who tries it.
fn in_terminal(world: &World, args: &[&str]) -> (i32, String) {
    let args: Vec<&str> = ["hook"].iter().chain(args).copied().collect();
    let ended = Terminal::start(world, &args, &[]).end();
    (ended.code.expect("a code"), ended.raw.replace('\r', "").trim_end().to_owned())
}

#[test]
fn a_person_who_tries_it_is_told_what_it_is_for() {
    let world = World::new();
    let (code, said) = in_terminal(&world, &["nobody"]);
    assert_eq!(code, 2);
    expect![[r#"
        error: `nobody` is no agent whose hooks uptake knows

        An agent runs this command itself, and gives it what just happened on standard input. uptake then says what it knows about it.

        Agents:
          claude   Claude Code
          codex    Codex CLI (understood, not answered yet)
          gemini   Gemini CLI (understood, not answered yet)

        hint: `uptake hook --help` says how to connect one"#]].assert_eq(&said);
    let (code, said) = in_terminal(&world, &[]);
    assert_eq!(code, 2);
    assert!(said.starts_with("error: `uptake hook` needs the name of an agent\n"), "{said}");
    // An agent that may run it from a terminal is never told off.
    assert_eq!(in_terminal(&world, &["claude"]), (0, String::new()));
}

#[test]
fn it_can_be_switched_off_and_never_waits_for_input() {
    let world = world_with_fix(true);
    let run =
        finish(world.command().args(["hook", "claude"]).env("UPTAKE_OFF", "1"), &payload(&world, "s1", COMMAND, ERROR))
            .ok();
    assert_eq!(run.out, "");
    // Input that never ends: the hook gives up by itself.
    let mut child = world
        .command()
        .args(["hook", "claude"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    let stdin = child.stdin.take();
    let status = child.wait().expect("ends");
    drop(stdin);
    assert!(status.success());
}

#[test]
fn showing_a_hint_is_taken_over_by_the_next_learn() {
    let world = world_with_fix(true);
    world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
    world.run(&["learn", "--json"]).ok();
    world.run(&["learn", "--json"]).ok();
    assert_eq!(database::number(&world.data().join("lessons.db"), "SELECT count(*) FROM trials"), 1);
}

#[test]
fn a_repository_without_a_remote_is_known_by_its_first_commit() {
    let world = World::new();
    let work = world.path("work");
    std::fs::create_dir_all(&work).expect("a folder");
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=d", "-c", "user.email=d@example.com", "-c", "init.defaultBranch=main"])
            .args(args)
            .current_dir(&work)
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.expect("git runs").success());
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let text = std::fs::read_to_string(
        crate::world::files(&crate::world::fixtures().join("demo/claude"))
            .into_iter()
            .find(|f| std::fs::read_to_string(f).is_ok_and(|t| t.contains("--format json")))
            .expect("the session"),
    )
    .expect("text");
    world.write(
        "home/.claude/projects/p/9563366e-9980-4706-be3e-71157203ae28.jsonl",
        &text.replace("/tmp/uptake-lab/home/dev/ledger", &work.to_string_lossy()),
    );
    let lessons = world.run(&["learn", "--all", "--json"]).ok().objects();
    assert!(lessons[0]["project"].as_str().is_some_and(|p| p.starts_with("root:")), "{lessons:?}");
    world.run(&["review", "--accept", lessons[0]["id"].as_str().expect("id")]).ok();
    // Also from a folder below, and without git to ask.
    std::fs::create_dir_all(work.join("src")).expect("a folder");
    let mut command = world.command();
    let input =
        payload(&world, "s1", COMMAND, ERROR).replace(&*work.to_string_lossy(), &work.join("src").to_string_lossy());
    let run = finish(command.args(["hook", "claude"]).env("PATH", ""), &input).ok();
    assert!(context(&run.out).contains("--output json"));
}

#[test]
fn no_command_line_trips_it() {
    let world = world_with_fix(true);
    for command in
        ["for f in *.c ", "case $x ", "for i in 1 2 \\\n", &"(".repeat(5_000), &"a;".repeat(200_000), "\"", "$("]
    {
        let run = world.run_with(&["hook", "claude"], &payload(&world, "s9", command, ERROR)).ok();
        assert_eq!(run.err, "", "{command:.30}");
    }
    let log = std::fs::read_to_string(world.data().join("hook.log")).unwrap_or_default();
    assert_eq!(log, "", "nothing went wrong inside");
}

#[test]
fn a_worktree_is_the_same_project() {
    let world = world_with_fix(true);
    let git = |folder: &str, args: &[&str]| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=d", "-c", "user.email=d@example.com"])
            .args(args)
            .current_dir(world.path(folder))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status();
        assert!(status.expect("git runs").success(), "{args:?}");
    };
    std::fs::remove_dir_all(world.path("work")).expect("gone");
    std::fs::create_dir_all(world.path("clone")).expect("a folder");
    git("clone", &["init", "-q"]);
    git("clone", &["remote", "add", "origin", "https://token@git.example.com/dev/ledger"]);
    git("clone", &["commit", "-q", "--allow-empty", "-m", "first"]);
    git("clone", &["worktree", "add", "-q", "../work"]);
    let run = world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
    assert!(context(&run.out).contains("--output json"));
}
