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
        "v", "session", "agent", "source", "project", "seq", "id", "kind", "tool", "command", "outcome", "code",
        "signals", "text",
    ];
    keys.sort_unstable();
    for row in &rows {
        let found: Vec<&str> = row.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut found = found;
        found.sort_unstable();
        assert_eq!(found, keys);
        assert!(["user", "assistant", "call"].contains(&row["kind"].as_str().unwrap_or_default()));
    }
    let failed = rows.iter().find(|r| r["command"] == "python3 -m ledger report --format json").expect("the call");
    assert_eq!((failed["outcome"].as_str(), failed["code"].as_i64()), (Some("failed"), Some(2)));
    let correction = rows.iter().find(|r| r["signals"][0] == "correction").expect("the correction");
    assert!(correction["text"].as_str().is_some_and(|t| t.starts_with("No, don't call unittest")));
    assert!(files(&world.data()).is_empty() && files(&world.home()).is_empty());
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
