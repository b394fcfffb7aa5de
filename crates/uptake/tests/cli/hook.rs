//! `uptake hook`: never fails the agent, and says only what was approved.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use expect_test::expect;
use serde_json::{Value, json};
use uptake_testkit::database;

use crate::terminal::Terminal;
use crate::world::{World, finish};

pub fn payload(world: &World, session: &str, command: &str, error: &str) -> String {
    json!({
        "session_id": session, "transcript_path": "/nowhere", "cwd": world.path("work"), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1", "error": error, "is_interrupt": false
    })
    .to_string()
}

pub const COMMAND: &str = "python3 -m ledger report --format json";
pub const ERROR: &str = "Exit code 2\nusage: ledger [-h] [--book BOOK] {balance,report,add} ...\nledger: error: unrecognized arguments: --format json";

/// A world in which the fix is known, in a clone of the project.
pub fn world_with_fix(approve: bool) -> World {
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
        {"hookSpecificOutput":{"additionalContext":"(uptake, notes from past work in this project: this error was met before)\nInstead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json` [0e3dd]","hookEventName":"PostToolUseFailure"}}(no line end)
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

/// Payloads nobody should send, made of a good one.
fn hostile(good: &str) -> Vec<Vec<u8>> {
    let with = |key: &str, value: &str| {
        let start = good.find(&format!("\"{key}\":")).expect("a field") + key.len() + 3;
        let mut stream = serde_json::Deserializer::from_str(&good[start..]).into_iter::<Value>();
        stream.next().expect("a value").expect("a value");
        format!("{}{value}{}", &good[..start], &good[start + stream.byte_offset()..]).into_bytes()
    };
    let deep = |open: &str, close: &str| open.repeat(50_000) + &close.repeat(50_000);
    let mut all = Vec::new();
    for key in ["session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "error", "is_interrupt"] {
        for value in [
            "null",
            "3",
            "1e999",
            "\"\"",
            "[]",
            "{}",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"../../../../etc\"",
            "\"\\n\\r\u{202e}\"",
        ] {
            all.push(with(key, value));
        }
        all.push(with(key, &deep("[", "]")));
        all.push(with(key, &deep("{\"a\":", "}")));
        all.push(with(key, &json!("x".repeat(300_000)).to_string()));
        all.push([&with(key, "\"")[..], b"\xFF\xC3\x28\"", &with(key, "\"")].concat());
    }
    all.push(format!("{good}{good}").into_bytes());
    all.push([b"\xEF\xBB\xBF", good.as_bytes()].concat());
    all.push([good.as_bytes(), b"\0\0\0"].concat());
    all.push(good.replace('{', "{\"session_id\":\"twice\",").into_bytes());
    all.push(good.encode_utf16().flat_map(u16::to_le_bytes).collect());
    all.extend((0..good.len()).step_by(7).map(|cut| good.as_bytes()[..cut].to_vec()));
    all
}

#[test]
fn a_hostile_payload_gets_silence_or_a_sound_answer() {
    let world = world_with_fix(true);
    let (mut answered, mut silent) = (0, 0);
    for (n, bytes) in hostile(&payload(&world, "s1", COMMAND, ERROR)).into_iter().enumerate() {
        // What one says the next one may say again.
        let _ = std::fs::remove_dir_all(world.data().join("spool"));
        let mut child = started(&world, Some("30000"));
        let _ = child.stdin.take().expect("open").write_all(&bytes);
        let out = child.wait_with_output().expect("ends");
        assert_eq!((out.status.code(), out.stderr.len()), (Some(0), 0), "{n}");
        match out.stdout.is_empty() {
            true => silent += 1,
            false => {
                assert!(context(&String::from_utf8_lossy(&out.stdout)).contains("--output json"), "{n}");
                answered += 1;
            }
        }
    }
    assert!(answered > 10 && silent > 60, "{answered} answered, {silent} silent");
    assert!(!log(&world).contains("failed inside"), "{}", log(&world));
    assert!(world.path("").read_dir().expect("a folder").count() == 3, "nothing is written elsewhere");
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
        // Codex tells of failures at the event after any call.
        let answered: &[&str] = match client.as_str() {
            "claude" => &[
                "PostToolUseFailure",
                "PostToolBatch",
                "SessionStart",
                "UserPromptSubmit",
                "SessionEnd",
                "PreToolUse",
                "SubagentStart",
                "SubagentStop",
            ],
            "codex" => &["PostToolUse", "SessionStart", "UserPromptSubmit", "SessionEnd", "PreToolUse"],
            _ => &["AfterTool", "BeforeTool", "SessionStart", "BeforeAgent", "SessionEnd"],
        };
        if answered.iter().any(|event| text.contains(&format!("\"{event}\""))) {
            continue;
        }
        let run = world.run_with(&["hook", &client], &text).ok();
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{client} {text}");
        silent += 1;
    }
    assert!(silent >= 10, "{silent} payloads");
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
    let ended = Terminal::start(world, &args, &[("UPTAKE_HOOK_MS", "250")]).end();
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
          codex    Codex CLI
          opencode OpenCode
          gemini   Gemini CLI

        hint: `uptake hook --help` says how to connect one"#]].assert_eq(&said);
    let (code, said) = in_terminal(&world, &[]);
    assert_eq!(code, 2);
    assert!(said.starts_with("error: `uptake hook` needs the name of an agent\n"), "{said}");
    // An agent that may run it from a terminal is never told off.
    assert_eq!(in_terminal(&world, &["claude"]), (0, String::new()));
}

#[test]
fn it_can_be_switched_off() {
    let world = world_with_fix(true);
    let run =
        finish(world.command().args(["hook", "claude"]).env("UPTAKE_OFF", "1"), &payload(&world, "s1", COMMAND, ERROR))
            .ok();
    assert_eq!(run.out, "");
}

/// A deadline that leaves time for the line in the log, also on a busy machine.
const LONGER: &str = "1000";

/// A hook that was started, with the usual deadline if there is none of its own.
fn started(world: &World, deadline: Option<&str>) -> Child {
    let mut command = world.command();
    match deadline {
        Some(ms) => command.env("UPTAKE_HOOK_MS", ms),
        None => command.env_remove("UPTAKE_HOOK_MS"),
    };
    command.args(["hook", "claude"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

fn log(world: &World) -> String {
    std::fs::read_to_string(world.data().join("hook.log")).unwrap_or_default()
}

#[test]
fn a_whole_payload_is_answered_while_standard_input_is_open() {
    let world = world_with_fix(true);
    let pieces = |text: &str, size: usize| text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let [one, two, three] = ["s1", "s2", "s3"].map(|session| payload(&world, session, COMMAND, ERROR));
    let sent = [
        pieces(&one, usize::MAX),
        pieces(&format!("\u{feff} \n{two}"), 40),
        // A second value, NUL bytes and what is no text change nothing.
        vec![three.clone().into_bytes(), b"{\"hook_event_name\":\"Stop\"}\0\0\xFF".to_vec()],
    ];
    for pieces in sent {
        let mut child = started(&world, Some("30000"));
        let mut stdin = child.stdin.take().expect("open");
        for piece in &pieces {
            // It may have its answer already.
            let _ = stdin.write_all(piece);
        }
        // The answer is read to its end, and the end of the process waited for, before the input is closed.
        let out = child.wait_with_output().expect("ends");
        drop(stdin);
        assert_eq!(out.status.code(), Some(0));
        assert!(context(&String::from_utf8_lossy(&out.stdout)).contains("--output json"));
    }
    assert_eq!(log(&world), "");
}

#[test]
fn a_payload_that_never_gets_whole_is_given_up() {
    let world = world_with_fix(true);
    let whole = payload(&world, "s1", COMMAND, ERROR);
    for sent in ["", " \n", &whole[..whole.len() - 1], "{\"a\":\"\\"] {
        let mut child = started(&world, Some(LONGER));
        let mut stdin = child.stdin.take().expect("open");
        stdin.write_all(sent.as_bytes()).expect("sent");
        let out = child.wait_with_output().expect("ends");
        drop(stdin);
        assert_eq!((out.status.code(), out.stdout.len(), out.stderr.len()), (Some(0), 0, 0), "{sent}");
        assert!(log(&world).ends_with(" given up after 1000 ms: the payload was not whole\n"), "{}", log(&world));
    }
    // As it is if nobody says otherwise.
    let mut child = started(&world, None);
    let stdin = child.stdin.take();
    assert!(child.wait().expect("ends").success());
    drop(stdin);
}

/// Sends a little again and again, until nobody listens any more.
fn trickle(mut to: impl Write, bytes: &[u8], pause: Duration) {
    while to.write_all(bytes).is_ok() {
        std::thread::sleep(pause);
    }
}

#[test]
fn a_payload_that_comes_slowly_or_without_end_is_given_up() {
    let world = world_with_fix(true);
    for (bytes, pause, why) in [
        (&b"{"[..], 2, "given up after 1000 ms: the payload was not whole"),
        (b" ", 2, "given up after 1000 ms: the payload was not whole"),
        (&[b'{'; 60_000], 0, "the payload is larger than 4 MB"),
        (&[b' '; 60_000], 0, "the payload is larger than 4 MB"),
    ] {
        let mut child = started(&world, Some(if pause == 0 { "30000" } else { LONGER }));
        let stdin = child.stdin.take().expect("open");
        let sender = std::thread::spawn(move || trickle(stdin, bytes, Duration::from_millis(pause)));
        let out = child.wait_with_output().expect("ends");
        sender.join().expect("sent");
        assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 0), "{why}");
        assert!(log(&world).ends_with(&format!(" {why}\n")), "{}", log(&world));
    }
}

#[test]
fn whatever_keeps_it_it_ends_by_itself() {
    let world = world_with_fix(true);
    let pipe = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
    };
    let silent = |what: &str| {
        let mut child = started(&world, Some(LONGER));
        let _ = child.stdin.take().expect("open").write_all(payload(&world, "s1", COMMAND, ERROR).as_bytes());
        let out = child.wait_with_output().expect("ends");
        assert_eq!((out.status.code(), out.stdout.len(), out.stderr.len()), (Some(0), 0, 0), "{what}");
    };
    // Nobody ever writes into these pipes.
    let config = world.write("home/.config/uptake/config.toml", "");
    std::fs::remove_file(&config).expect("gone");
    pipe(&config);
    silent("settings");
    assert!(log(&world).ends_with("given up after 1000 ms: the look-up was not done\n"), "{}", log(&world));
    std::fs::remove_file(world.data().join("hook.log")).expect("gone");
    pipe(&world.data().join("hook.log"));
    silent("settings and the log");
    std::fs::remove_file(&config).expect("gone");
    let db = world.data().join("lessons.db");
    let kept = world.data().join("kept");
    std::fs::rename(&db, &kept).expect("moved");
    pipe(&db);
    silent("the store");
    std::fs::remove_file(&db).expect("gone");
    std::fs::rename(&kept, &db).expect("moved");
    assert_ne!(world.run_with(&["hook", "claude"], &payload(&world, "s2", COMMAND, ERROR)).ok().out, "");
}

#[test]
fn an_answer_that_nobody_reads_is_given_up() {
    let world = world_with_fix(true);
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    // Filled up by somebody who never stops, and read by nobody.
    let mut other = writer.try_clone().expect("a pipe");
    let filled = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&filled);
    let filler = std::thread::spawn(move || {
        while other.write_all(&[b' '; 4_096]).is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    // Whatever the pipe holds, it is full when writing does not go on.
    let mut before = 0;
    while before == 0 || filled.load(Ordering::Relaxed) > before {
        before = filled.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut child = world
        .command()
        .env("UPTAKE_HOOK_MS", LONGER)
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(writer.try_clone().expect("a pipe"))
        .spawn()
        .expect("starts");
    let _ = child.stdin.take().expect("open").write_all(payload(&world, "s1", COMMAND, ERROR).as_bytes());
    assert!(child.wait().expect("ends").success());
    assert!(log(&world).ends_with("given up after 1000 ms: nobody read the answer\n"), "{}", log(&world));
    drop(reader);
    filler.join().expect("ends");
    assert!(writer.write_all(b"x").is_err(), "nobody reads it");
}

#[test]
fn one_of_64_hooks_at_once_tells_the_fix() {
    let world = world_with_fix(true);
    let mut children: Vec<Child> = (0..64).map(|_| started(&world, Some("30000"))).collect();
    let sent = payload(&world, "s1", COMMAND, ERROR);
    let (start, last) = sent.split_at(sent.len() - 1);
    for child in &mut children {
        child.stdin.as_mut().expect("open").write_all(start.as_bytes()).expect("sent");
    }
    // All of them wait for the last byte.
    for child in &mut children {
        child.stdin.take().expect("open").write_all(last.as_bytes()).expect("sent");
    }
    let runs: Vec<_> = children.into_iter().map(|c| c.wait_with_output().expect("ends")).collect();
    assert!(runs.iter().all(|r| r.status.success() && r.stderr.is_empty()));
    assert_eq!(runs.iter().filter(|r| !r.stdout.is_empty()).count(), 1, "{}", log(&world));
    assert_eq!(world.run_with(&["hook", "claude"], &sent).ok().out, "", "nor is it told later");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(database::number(&world.data().join("lessons.db"), "SELECT count(*) FROM trials"), 1);
}

#[test]
fn a_secret_in_the_id_of_a_session_is_kept_nowhere() {
    let world = world_with_fix(true);
    let token = ["ghp", "_", &"a1B2".repeat(9)].concat();
    let sent = payload(&world, &format!("run-{token}"), COMMAND, ERROR);
    assert_ne!(world.run_with(&["hook", "claude"], &sent).ok().out, "");
    for entry in std::fs::read_dir(world.data().join("spool")).expect("a spool").flatten() {
        let kept = String::from_utf8_lossy(&std::fs::read(entry.path()).expect("readable")).into_owned();
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.contains(&token[4..]) && !kept.contains(&token[4..]), "{name}: {kept}");
    }
}

#[test]
fn where_nothing_can_be_written_the_fix_is_told() {
    let world = world_with_fix(true);
    world.write("data/spool", "no folder");
    for _ in 0..2 {
        let run = world.run_with(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
        assert!(context(&run.out).contains("--output json"));
    }
    assert_eq!(log(&world).lines().count(), 4, "{}", log(&world));
}

/// The ends of what a clock can say, the year 10000, and the year before 1970's first.
const ODD_TIMES: [i64; 6] = [i64::MIN, -377_705_116_800_000, -1, 253_402_300_799_999, 253_402_300_800_000, i64::MAX];

#[test]
fn no_time_of_the_clock_trips_it() {
    for now in ODD_TIMES {
        let world = world_with_fix(true);
        let at =
            |args: &[&str], input: &str| finish(world.command().args(args).env("UPTAKE_NOW", now.to_string()), input);
        let run = at(&["hook", "claude"], &payload(&world, "s1", COMMAND, ERROR)).ok();
        assert!(context(&run.out).contains("--output json"), "{now}");
        assert_eq!(at(&["hook", "claude"], "nonsense").ok().out, "", "{now}");
        assert!(log(&world).starts_with(&format!("{now} ")), "{now}: {}", log(&world));
        at(&["learn", "--json"], "").ok();
    }
}

#[test]
fn any_time_can_be_kept_and_shown() {
    for now in ODD_TIMES {
        let world = world_with_fix(true);
        let at = |args: &[&str]| finish(world.command().args(args).env("UPTAKE_NOW", now.to_string()), "").ok();
        at(&["add", "Always run the linter before a commit"]);
        let id = at(&["list", "--all", "--json"]).objects()[0]["id"].as_str().expect("an id").to_owned();
        for (table, column) in [("verdicts", "at"), ("ledger", "at"), ("trials", "at")] {
            database::execute(&world.data().join("lessons.db"), &format!("UPDATE {table} SET {column} = {now}"));
        }
        for args in [
            &["learn", "--all"][..],
            &["learn", "--json"],
            &["list", "--all"],
            &["show", &id],
            &["why", &id],
            &["status"],
            &["sessions"],
            &["retro"],
            &["undo", "--list"],
            &["review", "--all"],
            &["undo"],
        ] {
            let run = finish(world.command().args(args).env("UPTAKE_NOW", now.to_string()), "");
            assert!(run.code == 0 || run.code == 1, "{now} {args:?}: {} {}", run.code, run.err);
            assert!(!run.err.contains("panicked"), "{now} {args:?}: {}", run.err);
        }
    }
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
            .stdout(Stdio::null())
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
            .stdout(Stdio::null())
            .stderr(Stdio::null())
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

/// What keeps a hook, and whether it can answer nevertheless. How long each takes is measured by `cargo xtask battery --only hooks`.
#[test]
fn a_store_that_somebody_keeps_is_given_up_and_asked_again_by_the_next_hook() {
    let world = world_with_fix(true);
    let ask = |session: &str| world.run_with(&["hook", "claude"], &payload(&world, session, COMMAND, ERROR)).ok();
    let db = world.data().join("lessons.db");
    let run = database::while_locked(&db, || ask("s1"));
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "silence");
    assert!(log(&world).contains("locked"), "{}", log(&world));
    assert!(context(&ask("s1").out).contains("--output json"), "nothing was used up");
}

#[test]
fn a_payload_of_50_mb_is_given_up_before_it_is_read_to_its_end() {
    let world = world_with_fix(true);
    let whole = payload(&world, "s1", COMMAND, &"x".repeat(50_000_000));
    let mut child = started(&world, Some("30000"));
    let mut stdin = child.stdin.take().expect("open");
    // It stops listening; writing on fails.
    let sender = std::thread::spawn(move || drop(stdin.write_all(whole.as_bytes())));
    let out = child.wait_with_output().expect("ends");
    sender.join().expect("sent");
    assert_eq!((out.status.code(), out.stdout.len(), out.stderr.len()), (Some(0), 0, 0));
    assert!(log(&world).ends_with("the payload is larger than 4 MB\n"), "{}", log(&world));
}

/// Every moment, on a full disk and in a home that cannot be written: exit 0, nothing on standard error, silence or JSON.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_read_only_home_trip_no_moment() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world_with_fix(true);
    let moments = [
        payload(&world, "s1", COMMAND, ERROR),
        json!({ "session_id": "s1", "cwd": world.path("work"), "hook_event_name": "SessionStart" }).to_string(),
        json!({ "session_id": "s1", "cwd": world.path("work"), "hook_event_name": "UserPromptSubmit", "prompt": "report as json" })
            .to_string(),
        json!({ "session_id": "s1", "cwd": world.path("work"), "hook_event_name": "SessionEnd" }).to_string(),
    ];
    let sound = |what: &str| {
        for moment in &moments {
            let run = world.run_with(&["hook", "claude"], moment);
            assert!(run.code == 0 && run.err.is_empty(), "{what}: {}", run.err);
            assert!(run.out.is_empty() || serde_json::from_str::<Value>(&run.out).is_ok(), "{what}: {}", run.out);
        }
    };
    // The disk is full: whatever is written to these fails.
    let _ = std::fs::remove_dir_all(world.data().join("spool"));
    std::os::unix::fs::symlink("/dev/full", world.data().join("spool")).expect("a link");
    let _ = std::fs::remove_file(world.data().join("hook.log"));
    std::os::unix::fs::symlink("/dev/full", world.data().join("hook.log")).expect("a link");
    sound("a full disk");
    // Root may write anywhere: then this is the same once more.
    let rights = |mode| std::fs::set_permissions(world.data(), std::fs::Permissions::from_mode(mode)).expect("rights");
    rights(0o500);
    sound("a read-only home");
    rights(0o700);
}
