//! `uptake reader`, and the readers that need no client: a command, an endpoint, a folder. `live.rs` has the clients.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread;

use expect_test::expect;
use serde_json::json;

use crate::world::{Run, World, files, finish};

const MARK: &str = uptake_core::session::READER_MARK;

fn reads(line: &str) -> World {
    let world = World::new();
    world.write("home/.config/uptake/config.toml", &format!("[reader]\n{line}\n"));
    world
}

#[cfg(unix)]
fn script(world: &World, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = world.write("bin/reader", &format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// A server that answers one request with this status and body, and tells what it was sent.
fn serving(status: &'static str, body: String) -> (u16, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let request = received(&mut stream);
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nlocation: http://127.0.0.1:9/\r\n");
        let _ = write!(stream, "{head}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        request
    });
    (port, served)
}

fn received(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let n = stream.read(&mut chunk).expect("a request");
        bytes.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.to_lowercase().lines().find_map(|l| l.strip_prefix("content-length: ")?.parse().ok());
        if n == 0 || length.is_some_and(|length: usize| body.len() >= length) {
            return text;
        }
    }
}

fn openai(text: &str) -> String {
    json!({ "choices": [{ "message": { "role": "assistant", "content": text } }] }).to_string()
}

/// What it took is not the same twice.
fn shown(world: &World, run: &Run) -> String {
    let text = world.shown(run);
    match text.split_once("answered in ") {
        Some((before, rest)) => format!("{before}answered in …{}", rest.trim_start_matches(|c: char| c != ' ')),
        None => text,
    }
}

#[test]
fn the_reader_is_off_until_one_is_chosen() {
    let world = World::new();
    expect![[r#"
        exit code 0
        --- stdout ---
        The reader is off: no model sees your sessions.
        Choose one: uptake config set reader claude (or codex, opencode, gemini; docs/reader.md has the others)
    "#]]
    .assert_eq(&world.snapshot(&["reader"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: the reader is off; choose one with: uptake config set reader claude
    "#]]
    .assert_eq(&world.snapshot(&["reader", "test"]));
    world.run(&["config", "set", "reader", "folder ~/requests"]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
        the folder `$HOME/requests`
          may read: all sessions of the last 30 days, with at most 10 requests and 100,000 tokens a day
          try it: uptake reader test
    "#]]
    .assert_eq(&world.snapshot(&["reader"]));
    let status = &world.run(&["reader", "--json"]).ok().objects()[0];
    assert_eq!(status["settings"]["folder"], "~/requests");
    assert_eq!((&status["missing"], &status["settings"]["days"]), (&json!(null), &json!(30)));
}

#[test]
fn a_client_that_is_not_there_is_one_line_and_no_error_for_the_doctor() {
    let world = reads("who = \"claude\"");
    let mut command = world.command();
    let run = finish(command.args(["reader", "test"]).env("PATH", "/nowhere"), "");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: Claude Code does not answer: there is no program `claude` on the PATH; is it installed?
    "#]]
    .assert_eq(&world.shown(&run));
    let doctor = finish(world.command().args(["doctor"]).env("PATH", "/nowhere"), "").ok();
    assert!(doctor.out.contains("Claude Code: there is no program `claude` on the PATH"), "{}", doctor.out);
}

#[test]
fn a_folder_shows_exactly_what_would_be_sent() {
    let world = reads("folder = \"~/requests\"");
    expect![[r#"
        exit code 0
        --- stdout ---
        `$HOME/requests/test-1.request.md` waits for its answer in `$HOME/requests/test-1.answer.json`; then run this again
    "#]]
    .assert_eq(&world.snapshot(&["reader", "test"]));
    expect![[r#"
        This is a request that uptake makes of past sessions; it is not a session to learn from.

        This is a test of the connection. Put the word "ready" into the field `word`.

        Answer with one JSON object that fits this JSON schema, and nothing else:

        ```json
        {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"], "additionalProperties": false}
        ```
    "#]]
    .assert_eq(&std::fs::read_to_string(world.home().join("requests/test-1.request.md")).expect("written"));
    let answer = world.write("home/requests/test-1.answer.json", "{\"word\": \"ready\"}");
    assert!(world.run(&["reader", "test"]).ok().out.contains("answered in"));
    std::fs::write(&answer, "{\"word\": \"rea").expect("written");
    expect![[r#"
        exit code 1
        --- stderr ---
        error: the folder `$HOME/requests` answers, but not as it was asked to: {"word": "rea
    "#]]
    .assert_eq(&world.snapshot(&["reader", "test"]));
    let waiting = reads("folder = \"~/requests\"");
    assert_eq!(waiting.run(&["reader", "test", "--json"]).ok().objects()[0]["state"], "waiting");
}

#[cfg(unix)]
#[test]
fn a_command_gets_the_request_and_prints_the_answer() {
    let world = World::new();
    let program = script(
        &world,
        "cat > $HOME/got; pwd > $HOME/where; ls -A >> $HOME/where; echo $UPTAKE_READER$CLAUDECODE >> $HOME/where\necho '```json'; echo '{\"word\": \"Ready\"}'; echo '```'",
    );
    world.run(&["config", "set", "reader", &format!("command {} -x", program.display())]).ok();
    // Also when an agent started us: the program is no part of that session.
    let run = finish(world.command().args(["reader", "test"]).env("CLAUDECODE", "1"), "").ok();
    let name = format!("the command `{}`", program.display());
    assert!(run.out.starts_with(&format!("✓ {name} answered in ")), "{}", run.out);
    let got = std::fs::read_to_string(world.home().join("got")).expect("it got something");
    assert!(got.starts_with(MARK) && got.matches("test of the connection").count() == 1, "{got}");
    // An empty folder that is gone, and a sign that stops a reader from asking a reader.
    let place = std::fs::read_to_string(world.home().join("where")).expect("it was somewhere");
    let lines: Vec<&str> = place.lines().collect();
    assert_eq!((lines.len(), lines[1]), (2, "1"), "{place}");
    assert!(!PathBuf::from(lines[0]).exists(), "{place}");
    let inside = finish(world.command().args(["reader", "test"]).env("UPTAKE_READER", "1"), "");
    assert!(inside.code == 1 && inside.err.contains("the reader is off"), "{}", inside.err);
}

#[cfg(unix)]
#[test]
fn trouble_with_a_reader_is_told_by_the_doctor_until_it_answers_again() {
    let world = World::new();
    let program = script(
        &world,
        "echo 'Usage limit reached; key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789' >&2; exit 1",
    );
    world.run(&["config", "set", "reader", &format!("command {}", program.display())]).ok();
    let failed = world.run(&["reader", "test"]);
    assert!(failed.code == 1 && failed.err.contains("does not answer: Usage limit reached"), "{}", failed.err);
    assert!(!failed.err.contains("abcdefghij"), "{}", failed.err);
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.out.contains("Usage limit reached") && doctor.out.contains("uptake reader test"), "{}", doctor.out);
    for file in files(&world.data()) {
        assert!(!std::fs::read_to_string(&file).unwrap_or_default().contains("abcdefghij"), "{}", file.display());
    }
    script(&world, "echo '{\"word\": \"ready\"}'");
    world.run(&["reader", "test"]).ok();
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.out.contains("the reader is off, or has what it needs"), "{}", doctor.out);
}

#[cfg(unix)]
#[test]
fn an_answer_without_end_is_cut_off() {
    let world = World::new();
    let program = script(&world, "yes");
    world.run(&["config", "set", "reader", &format!("command {}", program.display())]).ok();
    let run = world.run(&["reader", "test"]);
    assert!(run.code == 1 && run.err.contains("the answer was too long"), "{}", run.err);
}

#[test]
fn an_endpoint_is_asked_in_its_dialect_with_the_key_of_the_variable() {
    let ready = "{\"word\": \"ready\"}";
    let anthropic = json!({ "content": [{ "type": "thinking" }, { "type": "text", "text": ready }] }).to_string();
    for (style, body, path, key, field) in [
        (
            "openai",
            openai(ready),
            "POST /v1/chat/completions HTTP/1.1",
            "authorization: Bearer k-1",
            "\"stream\":false",
        ),
        ("anthropic", anthropic, "POST /v1/messages HTTP/1.1", "x-api-key: k-1", "\"max_tokens\":8192"),
    ] {
        let (port, served) = serving("200 OK", body);
        let line = format!(
            "endpoint = {{ url = \"http://127.0.0.1:{port}/v1\", model = \"qwen3\", key-variable = \"MY_KEY\", style = \"{style}\" }}"
        );
        let world = reads(&line);
        // A proxy is not asked for what is on this machine.
        let mut command = world.command();
        let run =
            finish(command.args(["reader", "test"]).env("MY_KEY", "k-1").env("HTTP_PROXY", "http://127.0.0.1:9"), "");
        assert_eq!(
            shown(&world, &run),
            format!("exit code 0\n--- stdout ---\n✓ qwen3 at 127.0.0.1:{port} answered in … s\n"),
            "{style}"
        );
        let request = served.join().expect("it was asked");
        let head = request.to_lowercase();
        assert!(request.starts_with(path) && head.contains(&key.to_lowercase()), "{style}: {request}");
        assert!(request.contains(field) && request.contains("\"model\":\"qwen3\""), "{style}: {request}");
        assert_eq!(request.matches(MARK).count(), 1, "{style}: {request}");
        let unset = world.run(&["reader", "test"]);
        assert!(unset.err.contains("the variable `MY_KEY`, which should hold the key, is not set"), "{}", unset.err);
    }
}

#[test]
fn an_endpoint_that_refuses_is_one_line_and_nothing_is_followed_elsewhere() {
    for (status, body, said) in [
        ("429 Too Many Requests", "{\"error\": {\"message\": \"quota\"}}", "too many requests (429): quota"),
        ("302 Found", "", "it leads elsewhere, which is not followed (302)"),
        ("200 OK", "<html>", "does not answer as an endpoint of this style would"),
    ] {
        let (port, served) = serving(status, body.to_owned());
        let world = reads(&format!("endpoint = {{ url = \"http://localhost:{port}/v1\", model = \"m\" }}"));
        let run = world.run(&["reader", "test"]);
        served.join().expect("it was asked");
        assert!(run.code == 1 && run.err.contains(said) && run.err.lines().count() == 1, "{status}: {}", run.err);
    }
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let world = reads(&format!("endpoint = {{ url = \"http://127.0.0.1:{nobody}\", model = \"m\" }}"));
    assert!(world.run(&["reader", "test"]).err.contains("cannot reach http://127.0.0.1"));
}

/// Who reads is the user's word alone.
#[test]
fn a_project_cannot_name_a_reader() {
    let world = World::new();
    world.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    world.write("shop/.uptake/settings.toml", "[reader]\ncommand = [\"sh\", \"-c\", \"touch $HOME/ran\"]\n");
    let trust = world.run_in("shop", &["trust", "--yes"]);
    assert!(trust.code == 1 && trust.err.contains("a project may set `enabled` and `exclude`"), "{}", trust.err);
    let status = world.run_in("shop", &["reader"]).ok();
    assert!(status.out.starts_with("The reader is off"), "{}", status.out);
    world.run_in("shop", &["reader", "test"]);
    assert!(!world.home().join("ran").exists());
}

/// The program runs in a group of its own, which the keyboard does not reach.
#[cfg(unix)]
#[test]
fn whoever_stops_uptake_stops_the_readers_program() {
    use std::os::unix::process::ExitStatusExt as _;
    let world = World::new();
    let program = script(&world, "pwd > $HOME/where; echo $$ > $HOME/pid; exec sleep 60");
    world.run(&["config", "set", "reader", &format!("command {}", program.display())]).ok();
    let mut uptake = world.command().args(["reader", "test"]).spawn().expect("uptake starts");
    let pid = loop {
        thread::sleep(std::time::Duration::from_millis(20));
        let pid = std::fs::read_to_string(world.home().join("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
    };
    let kill = |args: &[&str]| std::process::Command::new("kill").args(args).output().expect("kill").status.success();
    assert!(kill(&["-INT", &uptake.id().to_string()]));
    let status = uptake.wait().expect("it ends");
    assert_eq!(status.signal(), Some(2), "as a program ends that was interrupted: {status}");
    assert!(!kill(&["-0", &pid]), "the reader's program is gone, too");
    let place = std::fs::read_to_string(world.home().join("where")).expect("it was somewhere");
    assert!(!PathBuf::from(place.trim()).exists(), "and so is its folder: {place}");
}
