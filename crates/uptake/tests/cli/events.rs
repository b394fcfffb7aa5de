//! `uptake events`.

use expect_test::expect;

use crate::world::{World, files, fixtures};

#[test]
fn every_event_has_the_documented_fields_and_no_store_is_touched() {
    let world = World::new();
    let run = world.run_on(&["events", "--json"], &[&fixtures().join("demo")]).ok();
    let rows = run.objects();
    assert!(rows.len() > 50);
    let mut keys: Vec<&str> = vec![
        "v", "session", "agent", "source", "project", "seq", "id", "kind", "typed", "tool", "command", "outcome",
        "code", "took", "family", "subject", "cwd", "cost", "signals", "text",
    ];
    keys.sort_unstable();
    for row in &rows {
        let found: Vec<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut found = found;
        found.sort_unstable();
        assert_eq!(found, keys);
        assert!(["user", "machine", "assistant", "call"].contains(&row["kind"].as_str().unwrap_or_default()));
    }
    let failed = rows.iter().find(|r| r["command"] == "python3 -m ledger report --format json").expect("the call");
    assert_eq!((failed["outcome"].as_str(), failed["code"].as_i64()), (Some("failed"), Some(2)));
    assert_eq!((failed["family"].as_str(), failed["subject"].as_str()), (Some("wrong_usage"), Some("ledger --format")));
    assert_eq!((failed["cwd"].as_str(), failed["cost"]["reached"].as_bool()), (Some("."), Some(true)));
    assert!(failed["cost"]["tokens"].as_u64().is_some_and(|t| t > 0));
    let correction = rows.iter().find(|r| r["signals"][0] == "correction").expect("the correction");
    assert!(correction["text"].as_str().is_some_and(|t| t.starts_with("No, don't call unittest")));
    assert!(files(&world.data()).is_empty() && files(&world.home()).is_empty());
}

/// A session in which a person, the client and another agent speak, all with role "user".
const SPEAKERS: &str = r##"{"type":"user","uuid":"u1","sessionId":"s1","parentUuid":null,"message":{"role":"user","content":"run the tests"}}
{"type":"user","uuid":"u2","sessionId":"s1","message":{"role":"user","content":"<command-name>/ship</command-name>"}}
{"type":"user","uuid":"u3","sessionId":"s1","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"Base directory for this skill: /s\n\n# Ship it"}]}}
{"type":"user","uuid":"u4","sessionId":"s1","message":{"role":"user","content":"<task-notification><status>completed</status></task-notification>"}}
{"type":"user","uuid":"u5","sessionId":"s1","message":{"role":"user","content":"<local-command-stdout>ok</local-command-stdout>"}}
{"type":"user","uuid":"u6","sessionId":"s1","message":{"role":"user","content":"<system-reminder>be brief</system-reminder>"}}
{"type":"user","uuid":"u7","sessionId":"s1","isCompactSummary":true,"message":{"role":"user","content":"So far: nothing."}}
{"type":"user","uuid":"u8","sessionId":"s1","isSidechain":true,"message":{"role":"user","content":"look for dead code"}}
{"type":"assistant","uuid":"a1","sessionId":"s1","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]}}
"##;

#[test]
fn only_what_a_person_sent_is_called_the_users() {
    let world = World::new();
    let file = world.write("projects/w/s1.jsonl", SPEAKERS);
    let shown = "claude s1 folder:w
     0 user                   run the tests
     1 user                   /ship
     2 machine                Base directory for this skill: /s # Ship it
     3 machine                <task-notification><status>completed</status></task-notification>
     4 machine                <local-command-stdout>ok</local-command-stdout>
     5 machine                be brief
     6 machine                So far: nothing.
     7 machine                look for dead code
     8 assistant              Done.
";
    assert_eq!(world.run_on(&["events"], &[&file]).ok().out, shown);
    let rows = world.run_on(&["events", "--json"], &[&file]).ok().objects();
    let kinds: Vec<&str> = rows.iter().filter_map(|r| r["kind"].as_str()).collect();
    assert_eq!(kinds[..3], ["user", "user", "machine"]);
    assert_eq!(kinds.iter().filter(|k| **k == "machine").count(), 6);
    let typed: Vec<Option<bool>> = rows.iter().map(|r| r["typed"].as_bool()).collect();
    let no = Some(false);
    assert_eq!(typed, [Some(true), Some(true), no, no, no, no, no, no, None]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let world = World::new();
    let line = format!(
        "'{}' events --json '{}' | head -1; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_uptake"),
        fixtures().display()
    );
    let status = std::process::Command::new("bash")
        .args(["-c", &line])
        .envs(world.environment())
        .stdout(std::process::Stdio::null())
        .status()
        .expect("bash runs");
    assert!(status.success());
}

#[test]
fn text_output_is_one_line_an_event() {
    let world = World::new();
    let transcripts = files(&fixtures().join("demo/claude"));
    let transcript =
        transcripts.iter().find(|t| t.ends_with("9563366e-9980-4706-be3e-71157203ae28.jsonl")).expect("there");
    expect![[r#"
        exit code 0
        --- stdout ---
        claude 9563366e-9980-4706-be3e-71157203ae28 folder:-tmp-uptake-lab-home-dev-ledger
             0 user                   Give me the account report as JSON.
             1 assistant              I will ask for JSON.
             2 call      failed(2)    python3 -m ledger report --format json
             3 assistant              There is no --format; the option is called --output.
             4 call      ok           python3 -m ledger report --output json
             5 assistant              Here is the report as JSON.
    "#]]
    .assert_eq(&world.shown(&world.run_on(&["events"], &[transcript])));
}

const EXPECTED: &str = "Claude Code, Codex CLI, OpenCode, Gemini CLI or OpenAI-style messages";

#[test]
fn a_file_that_is_no_transcript_is_an_error_that_says_what_was_expected() {
    let world = World::new();
    let notes = world.write("notes.txt", "buy milk\n").canonicalize().expect("there");
    let table = world.write("table.json", "{\"rows\": [1, 2]}\n").canonicalize().expect("there");
    for command in [&["events"][..], &["events", "--json"], &["detect"], &["detect", "--json"]] {
        let run = world.run_on(command, &[&notes]);
        let expected =
            format!("error: no transcript could be read: `{}` is no session of {EXPECTED}\n", notes.display());
        assert_eq!((run.code, run.out.as_str(), run.err), (1, "", expected));
        let run = world.run_on(command, &[&notes, &table]);
        let both = format!("`{}`, `{}`", notes.display(), table.display());
        let expected = format!("error: no transcript could be read: {both} are no sessions of {EXPECTED}\n");
        assert_eq!((run.code, run.out.as_str(), run.err), (1, "", expected));
    }
    std::fs::create_dir(world.path("empty")).expect("a folder");
    let run = world.run_on(&["events"], &[&world.path("empty")]);
    let expected = format!("error: no transcript could be read: there is no session of {EXPECTED} in what was given\n");
    assert_eq!((run.code, run.out.as_str(), run.err), (1, "", expected));
}

#[test]
fn beside_a_transcript_it_is_a_warning() {
    let world = World::new();
    let notes = world.write("notes.txt", "buy milk\n").canonicalize().expect("there");
    let session = world.write("s1.jsonl", SPEAKERS);
    let run = world.run_on(&["events", "--json"], &[&notes, &session]).ok();
    assert_eq!(run.objects().len(), 9);
    assert_eq!(run.err, format!("passed over 1 file of no known format, such as `{}`\n", notes.display()));
}

#[test]
fn what_is_in_a_file_decides_not_what_it_is_called() {
    let world = World::new();
    let session = world.write("session.bak", SPEAKERS);
    assert_eq!(world.run_on(&["events", "--json"], &[&session]).ok().objects().len(), 9);
}
