//! `learn` with a reader, from the transcript to the lesson: the folder, so that every word that is sent can be looked at.

use std::path::PathBuf;

use expect_test::expect;
use serde_json::{Value, json};

use crate::world::World;

const TABLES: &str = "why aren't we using table-driven tests here?";
const WRAP: &str = "please don't hard wrap lines in markdown files, it looks broken";

/// A world whose reader is a folder.
fn reads() -> World {
    reads_with("")
}

fn reads_with(more: &str) -> World {
    let world = World::new();
    world.write("home/.config/uptake/config.toml", &format!("{more}[reader]\nfolder = \"~/requests\"\n"));
    world
}

/// A session of Claude Code in which these messages were typed, a day ago.
fn session(world: &World, id: &str, messages: &[&str]) {
    let record = |n: usize, kind: &str, message: Value| {
        json!({
            "type": kind, "uuid": format!("{id}-{n}"), "sessionId": id, "cwd": "/srv/shop", "version": "2.1.0",
            "timestamp": format!("2026-11-15T10:00:{n:02}Z"), "message": message,
        })
        .to_string()
    };
    let mut lines = Vec::new();
    for text in messages {
        lines.push(record(lines.len(), "user", json!({ "role": "user", "content": text })));
        let said = json!([{ "type": "text", "text": "Fine, I will." }]);
        lines.push(record(lines.len(), "assistant", json!({ "role": "assistant", "content": said })));
    }
    world.write(&format!("home/.claude/projects/-srv-shop/{id}.jsonl"), &format!("{}\n", lines.join("\n")));
}

/// The requests that wait for an answer.
fn open(world: &World) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(world.home().join("requests")) else { return Vec::new() };
    let all: Vec<PathBuf> = folder.flatten().map(|e| e.path()).collect();
    let mut open: Vec<PathBuf> =
        all.iter().filter(|p| p.to_string_lossy().ends_with(".request.md") && !answer(p).exists()).cloned().collect();
    open.sort();
    open
}

fn answer(request: &std::path::Path) -> PathBuf {
    PathBuf::from(request.to_string_lossy().replace(".request.md", ".answer.json"))
}

/// Answers the open requests: each line of the user that holds these words proves the statement.
fn answers(world: &World, lessons: &[(&str, &str)]) {
    answers_as(world, "stated", lessons);
}

/// The same, resting on something.
fn answers_as(world: &World, basis: &str, lessons: &[(&str, &str)]) {
    let lessons: Vec<(&str, &str, &str)> =
        lessons.iter().map(|(statement, words)| (basis, *statement, *words)).collect();
    answers_each(world, &lessons);
}

/// The same, each resting on something else.
fn answers_each(world: &World, lessons: &[(&str, &str, &str)]) {
    for request in open(world) {
        let text = std::fs::read_to_string(&request).expect("a request");
        let said = if text.contains("\nM1 ") {
            let messages = text.lines().filter_map(|l| l.split_once(" person: "));
            json!({ "durable": messages.map(|(id, _)| id).collect::<Vec<_>>() })
        } else if text.contains("\nC1 ") {
            let ids: Vec<&str> =
                text.lines().filter(|l| l.starts_with('C')).filter_map(|l| l.split(' ').next()).collect();
            json!({ "groups": ids.iter().map(|id| json!({ "ids": [id], "best": id })).collect::<Vec<_>>() })
        } else {
            let typed: Vec<(&str, &str)> = text.lines().filter_map(|l| l.split_once(" user: ")).collect();
            let entries = lessons.iter().filter_map(|(basis, statement, words)| {
                let with = typed.iter().filter(|(_, said)| said.contains(words));
                let proof: Vec<Value> = with.map(|(id, said)| json!({ "id": id, "quote": said })).collect();
                (!proof.is_empty()).then(|| {
                    json!({
                        "kind": "rule", "scope": "project", "statement": statement, "basis": basis, "why": "w",
                        "proof": proof,
                        "same_as": "", "contradicts": "", "supersedes": "", "quality_ok": true,
                    })
                })
            });
            json!({ "lessons": entries.collect::<Vec<_>>() })
        };
        std::fs::write(answer(&request), said.to_string()).expect("written");
    }
}

#[test]
fn a_request_is_written_answered_and_becomes_a_lesson_with_its_quote() {
    let world = reads();
    session(&world, "s1", &["add tests for the parser", TABLES]);
    session(&world, "s2", &["and for the lexer", TABLES]);
    let first = world.run(&["learn"]);
    assert!(first.out.contains("To read: 2 sessions, 1 request, about"), "{}", first.out);
    assert!(first.out.contains("1 request without an answer yet."), "{}", first.out);
    let text = std::fs::read_to_string(&open(&world)[0]).expect("a request");
    assert!(text.contains(&format!(" user: {TABLES}\n")) && text.contains("quality_ok"), "{text}");
    answers(&world, &[("Use table-driven tests", "table-driven")]);
    expect![[r#"
        exit code 0
        --- stdout ---
        2 transcripts, nothing new.
        The reader read 2 sessions and proposed 1 lesson.
        1 request without an answer yet.

        🔍 Learning: detected 1 skill pattern(s)

        📝 Skill suggestion: table-driven-tests
           Proposed by the reader
           Detected by: reader
           Text: Use table-driven tests
           Quote: “why aren't we using table-driven tests here?”
           Quote: “why aren't we using table-driven tests here?”
           Seen in 2 sessions (claude) of shop, last on 2026-11-15; id f94562ced4-e98ec986

        Nothing was saved: nobody to ask. Save all of these: the same command with --yes; one of them: uptake review --accept ID
    "#]]
    .assert_eq(&world.snapshot(&["learn"]));
    lasts(&world, &["table-driven"]);
    let again = world.run(&["learn"]);
    assert!(!again.out.contains("To read") && open(&world).is_empty(), "nothing new costs nothing: {}", again.out);
}

#[test]
fn a_correction_is_shown_when_a_second_session_makes_it() {
    let world = reads();
    let lesson = [("Use table-driven tests", "table-driven")];
    session(&world, "s1", &["add tests for the parser", TABLES]);
    world.run(&["learn"]);
    answers_as(&world, "corrected", &lesson);
    let learned = world.run(&["learn"]).out;
    assert!(!learned.contains("Use table-driven tests"), "{learned}");
    let learned = world.run(&["learn", "--all"]).out;
    assert!(learned.contains("Use table-driven tests"), "who asks for all sees it: {learned}");
    let all = world.run(&["list", "--all", "--json"]).out;
    let row: Value = serde_json::from_str(all.lines().next().unwrap_or_default()).expect("a lesson");
    let why = world.run(&["why", row["id"].as_str().expect("an id")]).out;
    assert!(
        why.contains("In one session only (you put the agent right): it waits until another one says it."),
        "{why}"
    );
    session(&world, "s2", &["and for the lexer", TABLES]);
    world.run(&["learn"]);
    answers_as(&world, "corrected", &lesson);
    let learned = world.run(&["learn"]).out;
    assert!(learned.contains("Text: Use table-driven tests"), "{learned}");
}

#[test]
fn what_was_made_of_one_message_is_shown_once_and_named_beside_it() {
    let world = reads();
    session(&world, "s1", &["write the readme", WRAP]);
    world.run(&["learn"]);
    let both = ["Do not hard wrap lines in markdown files", "In markdown files, don't wrap what looks broken"];
    answers(&world, &[(both[0], "hard wrap"), (both[1], "hard wrap")]);
    world.run(&["learn"]);
    answers(&world, &[]);
    let learned = world.run(&["learn", "--all"]).out;
    let shown: Vec<&str> = both.into_iter().filter(|text| learned.contains(&format!("Text: {text}"))).collect();
    let [shown] = shown[..] else { panic!("{learned}") };
    let all = world.run(&["list", "--all", "--json"]).out;
    let rows: Vec<Value> = all.lines().map(|l| serde_json::from_str(l).expect("a lesson")).collect();
    let id = |text: &str| {
        let row = rows.iter().find(|r| r["text"] == text);
        row.and_then(|r| r["id"].as_str()).unwrap_or_else(|| panic!("{text} in {all}")).to_owned()
    };
    let other = if shown == both[0] { both[1] } else { both[0] };
    let told = world.run(&["show", &id(shown)]).out;
    assert!(told.contains(&format!("Nearly the same is “{other}” ({})", id(other))), "{told}");
}

/// Answers the request for a second reading: those messages last that hold these words.
fn lasts(world: &World, words: &[&str]) {
    let [request] = &open(world)[..] else { panic!("one request") };
    let text = std::fs::read_to_string(request).expect("a request");
    let messages = || text.lines().filter_map(|l| l.split_once(" person: "));
    let ids: Vec<&str> =
        words.iter().filter_map(|w| messages().find(|(_, said)| said.contains(w)).map(|(id, _)| id)).collect();
    assert_eq!(ids.len(), words.len(), "{text}");
    std::fs::write(answer(request), json!({ "durable": ids }).to_string()).expect("written");
}

/// Answers the request for an order: those notes come first that hold these words.
fn orders(world: &World, words: &[&str]) {
    let [request] = &open(world)[..] else { panic!("one request") };
    let text = std::fs::read_to_string(request).expect("a request");
    let notes: Vec<(&str, &str)> =
        text.lines().filter(|l| l.starts_with('C')).filter_map(|l| l.split_once(' ')).collect();
    let groups: Vec<Value> = notes.iter().map(|(id, _)| json!({ "ids": [id], "best": id })).collect();
    let first: Vec<&str> = words.iter().filter_map(|w| notes.iter().find(|n| n.1.contains(w)).map(|n| n.0)).collect();
    assert_eq!(first.len(), words.len(), "{text}");
    std::fs::write(answer(request), json!({ "groups": groups, "first": first }).to_string()).expect("written");
}

#[test]
fn what_the_reader_would_keep_first_comes_first_and_is_no_readier_for_it() {
    let world = reads();
    session(
        &world,
        "s1",
        &[TABLES, WRAP, "the shop listens on port 8080 in every test", "keep the glossary sorted by hand"],
    );
    world.run(&["learn"]);
    let [tables, wrap, port, glossary] = [
        "Use table-driven tests here",
        "Don't hard wrap lines in markdown files",
        "The shop listens on port 8080 in every test",
        "Keep the glossary sorted by hand",
    ];
    answers_each(
        &world,
        &[
            ("stated", tables, "table"),
            ("stated", wrap, "wrap"),
            ("stated", port, "8080"),
            ("task", glossary, "glossary"),
        ],
    );
    world.run(&["learn"]);
    lasts(&world, &["table", "wrap", "8080"]);
    world.run(&["learn"]);
    orders(&world, &["glossary", "8080", "wrap"]);
    let texts = |args: &[&str]| -> Vec<String> {
        rows(&world, args).iter().filter_map(|row| row["text"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(texts(&["learn", "--all", "--json"]), [glossary, port, wrap, tables]);
    assert_eq!(texts(&["learn", "--json"]), [port, wrap, tables], "what waits goes on waiting");
    assert_eq!(texts(&["review", "--json"])[..2], [port, wrap], "the inbox has the same order");
}

#[test]
fn what_holds_by_both_readings_need_not_wait_and_what_holds_by_one_does() {
    let world = reads();
    let port = "the shop listens on port 8080 in every test";
    session(&world, "s1", &[TABLES, WRAP, port]);
    world.run(&["learn"]);
    let [tables, wrap, shop] = [
        "Use table-driven tests here",
        "Don't hard wrap lines in markdown files",
        "The shop listens on port 8080 in every test",
    ];
    answers_each(&world, &[("corrected", tables, "table"), ("corrected", wrap, "wrap"), ("stated", shop, "8080")]);
    let learned = world.run(&["learn"]).out;
    assert!(
        learned.contains(shop) && !learned.contains(tables) && !learned.contains(wrap),
        "corrections wait: {learned}"
    );
    let request = open(&world).pop().expect("a request for a second reading");
    let text = std::fs::read_to_string(request).expect("a request");
    assert!(text.contains(&format!("M2 agent before: Fine, I will.\nM2 person: {WRAP}\n")), "{text}");
    assert!(!text.contains(wrap), "a message stands by itself: {text}");
    lasts(&world, &["wrap"]);
    let learned = world.run(&["learn"]).out;
    assert!(learned.contains(&format!("Text: {wrap}")), "{learned}");
    assert!(!learned.contains(tables) && !learned.contains(shop), "{learned}");
    orders(&world, &[]);
    world.run(&["learn"]);
    assert!(open(&world).is_empty(), "nothing is read a third time");
    // What holds by one reading is ready when another session says it.
    session(&world, "s2", &["and for the lexer", port]);
    world.run(&["learn"]);
    answers(&world, &[(shop, "8080")]);
    let learned = world.run(&["learn"]).out;
    assert!(learned.contains(&format!("Text: {wrap}")) && learned.contains(shop), "{learned}");
}

#[test]
fn a_leap_is_shown_wherever_the_lesson_is() {
    let world = reads();
    session(&world, "s1", &["write the readme", WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Never hard-wrap lines in markdown files", "hard wrap")]);
    let learned = world.run(&["learn", "--all"]).out;
    assert!(learned.contains("Inferred: what it forbids or always wants is not quoted."), "{learned}");
    let list = world.run(&["list", "--json"]).out;
    let row: Value = serde_json::from_str(list.lines().next().unwrap_or_default()).expect("a lesson");
    assert_eq!(
        (&row["detector"], &row["inferred"], &row["trust"]),
        (&json!("reader"), &json!(["polarity"]), &json!("assistant"))
    );
    let id = row["id"].as_str().expect("an id").to_owned();
    for command in ["show", "why"] {
        let out = world.run(&[command, &id]).out;
        assert!(out.contains("Inferred: what it forbids"), "{command}: {out}");
    }
    assert!(world.run(&["show", &id]).out.contains(WRAP));
    assert!(
        world.run(&["why", &id]).out.contains("In mode `auto` it would wait, too: it says more than its quotes do.")
    );
}

/// Changes the answers that wait to be read.
fn change_answers(world: &World, from: &str, to: &str) {
    for entry in std::fs::read_dir(world.home().join("requests")).expect("a folder").flatten() {
        if entry.file_name().to_string_lossy().ends_with(".answer.json") {
            let text = std::fs::read_to_string(entry.path()).expect("an answer");
            std::fs::write(entry.path(), text.replace(from, to)).expect("written");
        }
    }
}

fn rows(world: &World, args: &[&str]) -> Vec<Value> {
    world.run(args).out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn what_is_about_the_person_holds_in_every_project() {
    let world = reads();
    session(&world, "s1", &["write the readme", WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Don't hard wrap lines in markdown files", "hard wrap")]);
    change_answers(&world, "\"scope\":\"project\"", "\"scope\":\"user\"");
    world.run(&["learn", "--all"]);
    let row = rows(&world, &["list", "--json"]).remove(0);
    assert_eq!((&row["scope"], &row["basis"]), (&json!("user"), &json!("stated")));
    let list = world.run(&["list"]).out;
    assert!(list.contains("· every project"), "{list}");
    world.run(&["review", "--accept", row["id"].as_str().expect("an id")]).ok();
    let skills = world.home().join(".claude/skills");
    let skill = std::fs::read_dir(&skills).expect("skills").flatten().next().expect("a skill").path();
    let text = std::fs::read_to_string(skill.join("SKILL.md")).expect("a skill");
    assert!(text.contains("markdown files (in every project)"), "{text}");
}

#[test]
fn what_was_asked_for_in_one_session_waits_for_another() {
    let world = reads();
    session(&world, "s1", &["write the readme", WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Don't hard wrap lines in markdown files", "hard wrap")]);
    change_answers(&world, "\"stated\"", "\"repeated\"");
    let learned = world.run(&["learn", "--all", "--yes"]).out;
    assert!(!learned.contains("Detected by: reader"), "saved without a look: {learned}");
    let reads = |rows: Vec<Value>| rows.into_iter().find(|r| r["detector"] == "reader").expect("the reader's");
    assert_eq!(reads(rows(&world, &["list", "--all", "--json"]))["status"], "observing");
    session(&world, "s2", &["and the changelog", WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Don't hard wrap lines in markdown files", "hard wrap")]);
    change_answers(&world, "\"stated\"", "\"repeated\"");
    let learned = world.run(&["learn", "--all"]).out;
    assert!(learned.contains("Detected by: reader") && learned.contains("Seen in 2 sessions"), "{learned}");
}

#[test]
fn what_rules_found_is_shown_in_the_readers_words_with_its_own_beside_them() {
    let world = reads();
    session(&world, "s1", &["build it", "Never push to main without a review"]);
    world.run(&["learn"]);
    answers(&world, &[]);
    world.run(&["learn"]);
    let original = rows(&world, &["list", "--all", "--json"]).into_iter().find(|r| r["detector"] == "rule");
    let original = original.expect("a rule")["id"].as_str().expect("an id").to_owned();
    session(&world, "s2", &["go on", "again: never push to our main branch without a review of it"]);
    world.run(&["learn"]);
    answers(&world, &[("Never push to the main branch without a review", "our main branch")]);
    change_answers(&world, "\"same_as\":\"\"", "\"same_as\":\"K1\"");
    let learned = world.run(&["learn", "--all"]).out;
    assert!(learned.contains("Text: Never push to the main branch without a review\n"), "{learned}");
    assert!(learned.contains("Worded by the reader, instead of “"), "{learned}");
    assert!(!learned.contains(&format!("id {original}")), "shown once: {learned}");
    let why = world.run(&["show", &original]).out;
    assert!(why.contains("The reader words it “Never push to the main branch without a review”"), "{why}");
}

#[test]
fn what_is_counted_is_told_as_json() {
    let world = reads();
    session(&world, "s1", &[TABLES, WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Use table-driven tests", "table-driven"), ("Wrap lines at 80 columns", "hard wrap")]);
    let out = world.run(&["learn", "--json"]).out;
    let row: Value = serde_json::from_str(out.lines().next().unwrap_or_default()).expect("a report");
    let counts = &row["reader"];
    assert_eq!(
        (&counts["sessions"], &counts["proposals"], &counts["dropped"], &counts["waiting"]),
        (&json!(1), &json!(1), &json!({ "made-up": 1 }), &json!(1)),
        "{out}"
    );
}

#[test]
fn what_is_forgotten_goes_from_requests_too_and_does_not_come_back() {
    let world = reads();
    session(&world, "s1", &[TABLES, WRAP]);
    world.run(&["learn"]);
    answers(&world, &[("Use table-driven tests", "table-driven")]);
    world.run(&["learn"]);
    let list = world.run(&["list", "--json"]).out;
    let row: Value = serde_json::from_str(list.lines().next().unwrap_or_default()).expect("a lesson");
    let id = row["id"].as_str().expect("an id");
    world.run(&["forget", id, "--yes"]).ok();
    session(&world, "s2", &["again", TABLES]);
    world.run(&["learn"]);
    answers(&world, &[("Use table-driven tests", "table-driven")]);
    world.run(&["learn"]);
    let all = world.run(&["list", "--all", "--json"]).out;
    assert!(!all.contains("table-driven"), "{all}");
}

#[test]
fn what_was_read_survives_clearing_and_newer_sessions() {
    let world = reads();
    session(&world, "s1", &["add tests", TABLES]);
    world.run(&["learn"]);
    answers(&world, &[("Use table-driven tests", "table-driven")]);
    world.run(&["learn"]);
    let there = || world.run(&["list", "--json"]).out.contains("table-driven");
    assert!(there());
    // The session grows: what the reader saw in it stays.
    session(&world, "s1", &["add tests", TABLES, "ok"]);
    world.run(&["learn"]);
    assert!(there());
    let waiting = open(&world).len();
    world.run(&["clear", "--yes"]).ok();
    world.run(&["learn"]);
    assert!(!there() && open(&world).len() == waiting, "nothing new is asked");
    world.run(&["undo"]).ok();
    world.run(&["learn"]);
    assert!(there());
}

#[test]
fn an_excluded_project_is_not_sent_even_if_it_was_asked_about_before() {
    let world = reads();
    session(&world, "s1", &["add tests", TABLES]);
    world.run(&["learn"]);
    answers(&world, &[("Use table-driven tests", "table-driven")]);
    world.run(&["config", "set", "exclude", "/srv/shop"]).ok();
    world.run(&["learn"]);
    assert_eq!(world.run(&["list", "--all", "--json"]).out, "");
    let world = reads_with("exclude = [\"/srv/shop\"]\n");
    session(&world, "s1", &["add tests", TABLES]);
    world.run(&["learn"]);
    assert!(open(&world).is_empty());
}

#[cfg(unix)]
#[test]
fn a_client_that_is_there_is_offered_once_as_a_reader_with_what_it_costs() {
    use crate::terminal::Terminal;
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new();
    session(&world, "s1", &[TABLES, WRAP]);
    let learn = |answers: &[&str]| {
        let ended = Terminal::start(&world, &["learn"], &[]).answer(answers).end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.raw.replace('\r', "")
    };
    assert!(!learn(&[]).contains("Let it read?"), "there is no client");
    // It is never run here: the answer is no.
    world.write("home/.local/bin/claude", "#!/bin/sh\nexit 1\n");
    let program = world.home().join(".local/bin/claude");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("changed");
    let shown = learn(&["n"]);
    assert!(
        shown.contains("To read: 1 session, 1 request, about") && shown.contains("tokens of Claude Code"),
        "{shown}"
    );
    assert!(shown.contains("Left off. You are not asked again"), "{shown}");
    assert!(!world.home().join(".config/uptake/config.toml").exists());
    assert!(!learn(&[]).contains("Let it read?"));
}
