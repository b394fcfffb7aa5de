//! Files that are not what they should be: pipes and devices instead of transcripts, very long lines, a data folder that is
//! open to others.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::{World, fixtures};

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

/// Runs to the end, or is ended: a command that waits for ever must not hold up the tests.
fn ends(world: &World, args: &[&str], path: &Path) -> (bool, String) {
    let mut command = world.command();
    command.args(args).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let start = Instant::now();
    while child.try_wait().expect("looked at").is_none() {
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().expect("ended");
            panic!("`{}` waits for `{}`", args.join(" "), path.display());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let out = child.wait_with_output().expect("ended");
    (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
}

#[test]
fn what_is_no_regular_file_is_an_error_at_once() {
    let world = World::new();
    let (fifo, database) = (world.path("h/p/pipe.jsonl"), world.path("h/p/pipe.db"));
    pipe(&fifo);
    pipe(&database);
    let socket = world.path("h/p/socket.jsonl");
    let _open = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let link = world.path("link.jsonl");
    symlink(&fifo, &link).expect("a link");
    for path in [&fifo, &database, &socket, &link, &Path::new("/dev/null").to_owned()] {
        for args in [&["events"][..], &["detect"], &["learn"], &["retro"], &["import", "--project", "p"]] {
            let (ok, err) = ends(&world, args, path);
            assert!(!ok && err.contains("not a regular file"), "{args:?} {}: {err}", path.display());
        }
    }
}

#[test]
fn a_pipe_among_transcripts_is_passed_over() {
    let world = World::new();
    pipe(&world.path("h/p/pipe.jsonl"));
    pipe(&world.path("h/top.jsonl"));
    let demo = fixtures().join("demo/claude/projects");
    crate::world::copy(&demo, &world.path("h/p"));
    for args in [&["events"][..], &["detect"], &["learn", "--json"]] {
        let (ok, err) = ends(&world, args, &world.path("h"));
        assert!(ok && err.is_empty(), "{args:?}: {err}");
    }
    // In an agent's own folder, and where a variable says its database is.
    pipe(&world.home().join(".claude/projects/p/pipe.jsonl"));
    crate::world::copy(&demo, &world.home().join(".claude/projects"));
    pipe(&world.path("opencode.db"));
    let mut learn = world.command();
    learn.args(["learn", "--json"]).env("OPENCODE_DB", world.path("opencode.db"));
    let run = crate::world::finish(&mut learn, "").ok();
    assert!(run.err.contains("opencode.db") && run.err.contains("not a regular file"), "{}", run.err);
}

#[test]
fn a_transcript_with_a_long_first_line_is_read_whoever_wrote_it() {
    let text = "many words ".repeat(20_000);
    let claude = format!(
        "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}},\"uuid\":\"u1\",\"sessionId\":\"s1\",\"parentUuid\":null}}\n"
    );
    let other = format!(
        "{{\"parentUuid\":null,\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"role\":\"user\"}},\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s1\"}}\n"
    );
    let codex = format!(
        "{{\"payload\":{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"{text}\"}}]}},\"type\":\"response_item\"}}\n"
    );
    let gemini = format!(
        "{{\"messages\":[{{\"id\":\"m1\",\"type\":\"user\",\"content\":\"{text}\"}}],\"sessionId\":\"s1\",\"projectHash\":\"h\"}}"
    );
    let openai = format!("{{\"content\":\"{text}\",\"role\":\"user\"}}\n");
    for (source, transcript) in
        [("claude", claude), ("claude", other), ("codex", codex), ("gemini", gemini), ("openai", openai)]
    {
        let world = World::new();
        let path = world.write("h/p/s1.jsonl", &transcript);
        let rows = world.run_on(&["events", "--json"], &[&path]).ok().objects();
        let seen: Vec<&str> = rows.iter().filter_map(|r| r["source"].as_str()).collect();
        assert_eq!(seen, [source], "{}", &transcript[..60]);
        assert!(rows[0]["text"].as_str().is_some_and(|t| t.starts_with("many words")), "{source}");
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its own");
}

#[test]
fn a_data_folder_that_others_can_reach_is_told_once_with_the_cure() {
    let world = World::new();
    world.run(&["add", "Run make deps first", "--project", "p"]).ok();
    for (mode, words) in [(0o777, "read and change"), (0o755, "see"), (0o750, "see"), (0o733, "change")] {
        set_mode(&world.data(), mode);
        for args in [&["list"][..], &["status"], &["review"], &["add", "x", "--project", "p"], &["undo"], &["retro"]] {
            let err = world.run(args).err;
            let told: Vec<&str> = err.lines().filter(|l| l.starts_with("warning: ")).collect();
            assert_eq!(told.len(), 1, "{mode:o} {args:?}: {err}");
            assert!(told[0].contains(&format!("others can {words} ")) && told[0].contains("chmod 700 "), "{}", told[0]);
        }
    }
    // The command that was told cures it.
    let err = world.run(&["list"]).err;
    let cure = err.rsplit_once(": chmod").expect("a command").1;
    assert!(Command::new("sh").args(["-c", &format!("chmod{cure}")]).status().expect("runs").success());
    for mode in [0o700, 0o711, 0o500] {
        set_mode(&world.data(), mode);
        assert_eq!(world.run(&["list"]).ok().err, "", "{mode:o}");
    }
}

#[test]
fn behind_a_link_the_folder_itself_counts() {
    let world = World::new();
    world.run(&["add", "Run make deps first", "--project", "p"]).ok();
    let real = world.path("it's here");
    std::fs::rename(world.data(), &real).expect("moved");
    symlink(&real, world.data()).expect("a link");
    assert_eq!(world.run(&["list"]).ok().err, "");
    set_mode(&real, 0o777);
    let err = world.run(&["list"]).ok().err;
    assert!(err.contains("it's here`") && err.contains(r"it'\''s here'"), "{err}");
}

#[test]
fn neither_the_hook_nor_what_touches_no_data_warns() {
    let world = World::new();
    std::fs::create_dir(world.data()).expect("made");
    set_mode(&world.data(), 0o777);
    let payload = r#"{"session_id":"s","cwd":"/x","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"x"},"error":"Exit code 2\nx: no"}"#;
    assert_eq!(world.run_with(&["hook", "claude"], payload).ok().err, "");
    assert!(!world.data().join("hook.log").exists());
    assert_eq!(world.run_on(&["events"], &[&fixtures().join("demo")]).ok().err, "");
    assert_eq!(world.run(&["completions", "bash"]).ok().err, "");
}
