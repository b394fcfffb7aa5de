//! `uptake health`, and sessions that are counted by `uptake learn`.

use uptake_testkit::database;
use uptake_testkit::transcript::claude;

use crate::hook::{COMMAND, ERROR, payload, world_with_fix};
use crate::world::World;

const DAY: i64 = 86_400_000;
/// What the clock of a world says.
const NOON: i64 = 1_794_830_400_000;

fn fix(world: &World) -> String {
    let list = world.run(&["list", "--json"]).ok().objects();
    let fix = list.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("the fix");
    fix["id"].as_str().expect("an id").to_owned()
}

/// Uses of a lesson so many days ago, of which so many failed.
fn with_uses(world: &World, id: &str, days: i64, uses: usize, failed: usize) {
    let row = |n: usize| {
        let (at, bad) = (NOON - days * DAY, i32::from(n < failed));
        format!("('{id}','claude','d{days}-{n}','failure',{at},0,200,{bad},0,1,2,300)")
    };
    let rows: Vec<String> = (0..uses).map(row).collect();
    let columns = "lesson,source,session,moment,at,withheld,chance,failed,pushed,reached,calls,tokens";
    let sql = format!("INSERT INTO outcomes ({columns}) VALUES {}", rows.join(","));
    database::execute(&world.data().join("lessons.db"), &sql);
}

#[test]
fn what_got_worse_is_told_with_what_to_do() {
    let world = world_with_fix(true);
    let id = fix(&world);
    with_uses(&world, &id, 20, 10, 1);
    with_uses(&world, &id, 2, 10, 5);
    let told = world.run(&["health", "--json"]).ok().objects().remove(0);
    assert_eq!((&told["uses"], &told["success_rate"]), (&20.into(), &0.7.into()), "{told}");
    assert_eq!((&told["week"], &told["month"]), (&0.5.into(), &0.7.into()));
    let change = told["regressions"][0]["change"].as_f64().expect("a number");
    assert!((change + 0.4).abs() < 1e-9, "{told}");
    assert_eq!(told["listed"][0]["trend"], "degrading");
    let advice = told["recommendations"].as_array().expect("a list");
    let why = advice.iter().find(|a| a["command"] == format!("uptake why {id}")).expect("what to do");
    assert_eq!(why["priority"], "high");
    // Every command that is named can be run.
    for one in advice {
        let words: Vec<&str> = one["command"].as_str().expect("a command").split(' ').skip(1).collect();
        if !["init", "review", "learn"].contains(&words[0]) {
            world.run(&words).ok();
        }
    }
    let why = world.run(&["why", &id]).ok().out;
    assert!(why.contains("Its record: 70 % of 20 uses ended well"), "{why}");
    let shown = world.run(&["health"]).ok().out;
    assert!(shown.contains("fell by 40 points in the last 7 days"), "{shown}");
}

#[test]
fn a_lesson_that_often_fails_is_to_be_looked_at() {
    let world = world_with_fix(true);
    let id = fix(&world);
    with_uses(&world, &id, 2, 21, 20);
    let told = world.run(&["health", "--full", "--json"]).ok().objects().remove(0);
    let row =
        told["listed"].as_array().and_then(|l| l.iter().find(|r| r["id"] == id.as_str())).expect("listed").clone();
    assert_eq!((&row["flag"], &row["confidence"], &row["uses"]), (&"PRUNE".into(), &"low".into(), &21.into()));
    let toon = world.run(&["export", "--format", "toon"]).ok().out;
    assert!(toon.contains(",21,0.05,[PRUNE],"), "{toon}");
}

#[test]
fn where_nothing_is_that_is_said() {
    let world = World::new();
    let shown = world.run(&["health"]).ok().out;
    assert!(shown.contains("0 lessons in use") && shown.contains("Nothing was learned yet: uptake learn"), "{shown}");
    assert!(!world.data().exists(), "looking makes nothing");
}

#[test]
fn a_session_is_an_iteration_and_what_was_told_in_it_gets_what_became_of_it() {
    let world = world_with_fix(true);
    let id = fix(&world);
    let told = world.run_with(&["hook", "claude"], &payload(&world, "later", COMMAND, ERROR)).ok().out;
    assert!(told.contains(&id[..5]), "{told}");
    let folder = world.path("work").to_string_lossy().into_owned();
    let script = format!("u report please\na I follow [{}]\n$ ls => ok", &id[..5]);
    world.write("home/.claude/projects/-work/later.jsonl", &claude("later", &folder, &script));
    world.run(&["learn", "--json"]).ok();
    let store = world.data().join("lessons.db");
    let count = |sql: &str| database::number(&store, sql);
    assert_eq!(count("SELECT count(*) FROM outcomes WHERE session = 'later' AND applied = 1"), 1);
    let sessions = count("SELECT count(*) FROM outcomes WHERE lesson = ''");
    assert!(sessions > 0);
    world.run(&["learn", "--json"]).ok();
    assert_eq!(count("SELECT count(*) FROM outcomes WHERE lesson = ''"), sessions, "each once");
}

#[test]
fn a_skill_that_was_used_is_a_use_of_its_lesson_in_every_client_that_says_so() {
    let world = world_with_fix(false);
    let id = fix(&world);
    world.run(&["review", "--accept", &id, "--skill"]).ok();
    let file = crate::world::skills(&world).remove(0);
    let skill = file.parent().expect("a folder");
    let name = skill.file_name().expect("a name").to_string_lossy().into_owned();
    let folder = world.path("work").to_string_lossy().into_owned();
    let at = |s: u32| format!("2026-11-18T10:00:{s:02}Z");
    let used = serde_json::json!([
        { "type": "assistant", "uuid": "k1", "timestamp": at(1), "sessionId": "skilled", "cwd": folder, "message": { "id": "m", "role": "assistant",
            "content": [{ "type": "tool_use", "id": "t1", "name": "Skill", "input": { "skill": name } }] } },
        { "type": "user", "uuid": "k2", "timestamp": at(2), "sessionId": "skilled", "cwd": folder, "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": format!("Launching skill: {name}") }] } },
        { "type": "user", "uuid": "k3", "timestamp": at(3), "sessionId": "skilled", "cwd": folder, "isMeta": true, "message": { "role": "user",
            "content": [{ "type": "text", "text": format!("Base directory for this skill: {}\n\nDo it.", skill.display()) }] } },
    ]);
    let lines = |list: &serde_json::Value| {
        list.as_array().expect("a list").iter().map(|l| format!("{l}\n")).collect::<String>()
    };
    let begun = claude("skilled", &folder, "u report please\n$ ls => ok");
    world.write("home/.claude/projects/-work/skilled.jsonl", &format!("{begun}{}", lines(&used)));
    let typed = serde_json::json!([{ "type": "user", "uuid": "c1", "timestamp": at(4), "sessionId": "typed", "cwd": folder, "message": { "role": "user",
        "content": format!("<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n<command-args>now</command-args>") } }]);
    let begun = claude("typed", &folder, "u begin please\n$ ls => ok");
    world.write("home/.claude/projects/-work/typed.jsonl", &format!("{begun}{}", lines(&typed)));
    let codex = serde_json::json!([
        { "timestamp": at(1), "type": "session_meta", "payload": { "id": "01a1eed2-c5c6-79b1-8e73-460b6fb795f7", "cwd": folder, "originator": "codex_exec", "cli_version": "0.166.0", "source": "exec" } },
        { "timestamp": at(2), "type": "response_item", "payload": { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": format!("${name} report") }] } },
        { "timestamp": at(3), "type": "response_item", "payload": { "type": "message", "role": "user", "content": [{ "type": "input_text",
            "text": format!("<skill>\n<name>{name}</name>\n<path>{}</path>\n---\nname: x\n</skill>", file.display()) }] } },
    ]);
    world.write(
        "home/.codex/sessions/2026/11/18/rollout-2026-11-18T10-00-00-01a1eed2-c5c6-79b1-8e73-460b6fb795f7.jsonl",
        &lines(&codex),
    );
    world.run(&["learn", "--json"]).ok();
    let health = world.run(&["health", "--json", "--full"]).ok().objects().remove(0);
    let listed = health["listed"].as_array().expect("a list");
    let uses = listed.iter().find(|l| l["id"] == id.as_str()).expect("the lesson")["uses"].clone();
    assert_eq!(uses, 3, "{health}");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(world.run(&["health", "--json"]).ok().objects()[0]["uses"], 3, "each once");
}
