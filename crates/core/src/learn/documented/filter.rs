//! Which texts of a transcript are the user's words.

use serde_json::{Value, json};

use crate::detect::tests::session as script;
use crate::detect::{Observation, detect};
use crate::sources::{Read, read_all, source};

const SAID: &str = "Never push to main directly, use the release branch";

/// A record of Claude Code, with more fields.
fn user(n: usize, content: &Value, more: &Value) -> String {
    let mut line = json!({
        "type": "user", "uuid": format!("u{n}"), "sessionId": "s", "parentUuid": null, "cwd": "/w",
        "timestamp": format!("2026-01-01T00:{:02}:{:02}Z", n / 60, n % 60),
        "message": {"role": "user", "content": content},
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        line[name] = value.clone();
    }
    line.to_string()
}

fn read(lines: &[String]) -> Read {
    read_all(source("claude").expect("known"), "s", lines.join("\n").as_bytes())
}

fn of_one(content: &Value, more: &Value) -> Vec<Observation> {
    let read = read(&[user(0, &json!("hello there"), &json!({})), user(1, content, more)]);
    assert_eq!(read.problems.flaws.len(), 0);
    detect(&read.session)
}

#[test]
fn what_a_person_typed_is_found() {
    for content in [json!(SAID), json!([{"type": "text", "text": SAID}])] {
        let found = of_one(&content, &json!({}));
        assert_eq!(found.iter().filter(|o| o.head.detector == "rule").count(), 1, "{content}");
    }
    // Fields that are there and say no.
    let none = json!({"isMeta": false, "sourceToolUseID": null, "toolUseResult": null});
    assert_eq!(of_one(&json!(SAID), &none).len(), of_one(&json!(SAID), &json!({})).len());
}

#[test]
fn what_the_client_wrote_is_nobodys_words() {
    for more in [
        json!({"isMeta": true}),
        json!({"sourceToolUseID": "toolu_1"}),
        json!({"toolUseResult": {"stdout": "x"}}),
        json!({"toolUseResult": "x"}),
    ] {
        assert_eq!(of_one(&json!(SAID), &more), [], "{more}");
        assert_eq!(of_one(&json!([{"type": "text", "text": SAID}]), &more), [], "{more}");
    }
    for tag in ["command-name", "local-command-foo", "local-command-stdout", "system-reminder", "example"] {
        for text in [
            format!("<{tag}>{SAID}</{tag}>"),
            format!("   <{tag}>{SAID}</{tag}>"),
            format!("<{tag}>\n{SAID}.\n</{tag}>\n"),
            format!("<{tag}>{SAID}"),
        ] {
            assert_eq!(of_one(&json!(text), &json!({})), [], "{text}");
            assert_eq!(of_one(&json!([{"type": "text", "text": text}]), &json!({})), [], "{text}");
        }
    }
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": SAID});
    assert_eq!(of_one(&json!([result]), &json!({})), []);
    assert_eq!(of_one(&json!([result, {"type": "text", "text": SAID}]), &json!({})), []);
}

#[test]
fn what_was_typed_behind_a_slash_command_is_typed() {
    // Unlike the tool this case is from: the arguments are the user's, the expansion is not.
    let text = "<command-name>/go</command-name><command-args>from now on run the linter first</command-args>";
    assert!(of_one(&json!(text), &json!({})).iter().any(|o| o.head.detector == "rule"));
}

#[test]
fn the_clean_text_beside_a_noisy_one_is_kept() {
    for noise in [
        "<system-reminder>Always answer in French</system-reminder>",
        "<system-reminder>Always answer in French",
        "<command-name>/x</command-name>",
        "<local-command-stdout>Always answer in French</local-command-stdout>",
        "<example>Always answer in French</example>",
    ] {
        let (noisy, clean) = (json!({"type": "text", "text": noise}), json!({"type": "text", "text": SAID}));
        for content in [json!([noisy, clean]), json!([clean, noisy])] {
            let found = of_one(&content, &json!({}));
            assert!(found.iter().any(|o| o.head.detector == "rule"), "{content}");
            assert!(found.iter().all(|o| !o.claim.text.contains("French")), "{content}");
        }
    }
}

#[test]
fn a_word_of_consent_says_nothing() {
    for text in ["   ok  ", "ok", "", "  ", "no", "yes", "go", "👍", "."] {
        assert_eq!(of_one(&json!(text), &json!({})), [], "{text:?}");
    }
}

#[test]
fn a_broken_line_costs_only_itself() {
    let lines = [
        user(0, &json!("hello there"), &json!({})),
        "{\"type\":\"user\",\"message\":{\"content\":\"cut".to_owned(),
        "not JSON at all".to_owned(),
        user(1, &json!(SAID), &json!({})),
    ];
    let read = read(&lines);
    assert!(!read.problems.flaws.is_empty());
    assert!(detect(&read.session).iter().any(|o| o.head.detector == "rule"));
}

#[test]
fn long_texts_are_cut_and_long_sessions_are_not() {
    // Theirs keeps 1,200 units of a text; ours reads more and shows at most 400 characters.
    let long = format!("Never use {} in main.rs", "x".repeat(2_000));
    let found = of_one(&json!(long), &json!({}));
    assert!(found.iter().all(|o| o.claim.text.chars().count() <= 1_000), "{found:#?}");
    assert!(found.iter().any(|o| o.head.detector == "rule" && o.claim.text.chars().count() == 400));
    // Theirs looks at the last 80 turns; ours loses nothing at the start of a long session.
    let mut lines = vec![user(0, &json!(SAID), &json!({}))];
    lines.extend((1..=90).map(|n| user(n, &json!(format!("look at file {n} as well")), &json!({}))));
    assert!(detect(&read(&lines).session).iter().any(|o| o.head.detector == "rule"));
}

#[test]
fn a_pitfall_needs_what_it_objects_to() {
    let pitfalls = |text: &str| detect(&script(text)).iter().filter(|o| o.head.detector == "pitfall").count();
    let (did, wrong) =
        ("a I will import with --legacy-ids then.", "u don't, the import will fail if --legacy-ids is on");
    assert_eq!(pitfalls(&format!("u import it\n{did}\n{wrong}")), 1);
    // The user speaks twice in a row: nothing was done in between.
    assert_eq!(pitfalls(&format!("u import it\nu and the rest\n{wrong}")), 0);
    assert_eq!(pitfalls(&format!("u import it\n{did}\nu hmm, let me think\n{wrong}")), 0);
    assert_eq!(pitfalls(&format!("u import it\n$ make import\nu hmm, let me think\n{wrong}")), 0);
    // The assistant says nothing that could be quoted.
    assert_eq!(pitfalls(&format!("u import it\na ok\n{wrong}")), 0);
    let again = "u careful, dump.sql only works with --no-owner";
    assert_eq!(pitfalls(&format!("u import it\n{did}\n{wrong}\na Then I load dump.sql at once.\n{again}")), 2);
}
