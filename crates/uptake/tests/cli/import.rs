//! `uptake import`.

use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::world::{World, files, messages, sql};

pub const DEVFLOW: &str = r#"{"id":"obs_wf0001","type":"workflow","pattern":"Squash merge, pull main, delete branch","observations":3,"first_seen":"2026-11-01T10:00:00Z","last_seen":"2026-11-15T18:12:14Z","status":"ready","evidence":[],"details":"1. squash 2. pull","quality_ok":true}
{"id":"obs_de0001","type":"decision","pattern":"Keep SQLite because one file is easy to back up","observations":2,"status":"created","quality_ok":true}
{"id":"obs_pf0001","type":"pitfall","pattern":"The mock server drops headers","observations":2,"status":"deprecated"}
"#;
pub const TOON: &str = "# Last updated: 2026-01-29T23:11:00Z

patterns[2]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:
  P-001,pattern,\"Always check token expiry before API calls\",high,5,0.85,,*,auth|API,*
  P-002,convention,\"Never push to main without a review\",medium,3,0.60,,*,git,elsewhere
";
const OUTCOMES: &str =
    "2026-02-01T10:00:00Z|20260201-100000|1|a|Always check token expiry before API calls|applied|src/a.ts:10
2026-02-02T10:00:00Z|20260202-100000|1|a|Always check token expiry before API calls|injected|
";
const BRAIN: &str = r#"{"candidates":[{"id":"sc_1_0","title":"Turns out port is 8080","reason":"Non-obvious","confidence":"high","evidence":[],"detectedAt":1763230000000}]}"#;

/// A project that all three tools worked in.
fn project(world: &World) {
    world.write("shop/.memory/learning-log.jsonl", DEVFLOW);
    world.write("shop/.learnings/org-patterns.toon", TOON);
    world.write("shop/.learnings/outcomes.log", OUTCOMES);
    world.write("shop/.claude/mind-skills-pending.json", BRAIN);
}

fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files(folder).into_iter().map(|f| (f.clone(), std::fs::read(f).expect("readable"))).collect()
}

#[test]
fn a_project_folder_gives_all_its_files_and_they_stay_as_they_were() {
    let world = World::new();
    project(&world);
    let before = bytes(&world.path("shop"));
    let run = world.run_on(&["import"], &[&world.path("shop")]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
        $WORLD/shop/.memory/learning-log.jsonl
           devflow's learning log, for project path:$WORLD/shop
           decision 1, workflow 1 (5 sightings)
           left out: 1 entry deprecated in devflow
        $WORLD/shop/.learnings/org-patterns.toon
           ClosedLoop's patterns, for project path:$WORLD/shop
           procedure 1 (5 sightings)
           left out: 1 entry about another repository
        $WORLD/shop/.learnings/outcomes.log
           ClosedLoop's outcomes, for project path:$WORLD/shop
           procedure 1 (1 sighting)
           left out: 1 entry of a pattern that was shown, not applied
        $WORLD/shop/.claude/mind-skills-pending.json
           opencode-brain's candidates, for project path:$WORLD/shop
           insight 1 (1 sighting)

        Imported as evidence; nothing is used before your yes. Look at it: uptake review --all
    "#]]
    .assert_eq(&world.shown(&run));
    assert_eq!(bytes(&world.path("shop")), before);
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    let found: Vec<(&str, i64, &str)> = rows
        .iter()
        .map(|r| {
            (r["kind"].as_str().unwrap_or(""), r["sessions"].as_i64().unwrap_or(0), r["trust"].as_str().unwrap_or(""))
        })
        .collect();
    let wanted = [("workflow", 3), ("decision", 2), ("procedure", 5), ("insight", 1)];
    assert_eq!(found.len(), wanted.len(), "{rows:#?}");
    assert!(wanted.iter().all(|(kind, n)| found.contains(&(kind, *n, "imported"))), "{found:?}");
    // What was seen often enough there waits for a yes here; nothing is used before it.
    let waiting = world.run(&["review", "--json"]).ok().objects();
    assert!(waiting.iter().all(|r| r["verdict"].is_null() && r["kind"] != "insight"), "{waiting:?}");
}

#[test]
fn what_a_run_that_was_cut_short_did_not_add_up_is_added_up_by_the_next() {
    let world = World::new();
    let log = world.write("shop/.memory/learning-log.jsonl", DEVFLOW);
    world.run_on(&["import"], &[&log]).ok();
    let whole = world.run(&["review", "--all", "--json"]).ok().out;
    // As a kill leaves it: observations and marks are written, lessons are not.
    sql(&world, "INSERT INTO unfolded SELECT DISTINCT project, kind, key FROM observations");
    sql(&world, "DELETE FROM lessons");
    assert_eq!(world.run(&["review", "--all", "--json"]).ok().out, "");
    world.run_on(&["import"], &[&log]).ok();
    assert_eq!(world.run(&["review", "--all", "--json"]).ok().out, whole);
}

#[test]
fn twice_adds_nothing_and_a_changed_file_replaces_what_was_there() {
    let world = World::new();
    let log = world.write("shop/.memory/learning-log.jsonl", DEVFLOW);
    let states = |args: &[&str]| {
        let rows = world.run_on(args, &[&log]).ok().objects();
        rows.iter().map(|r| r["state"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(&["import", "--json"]), ["new"]);
    let first = world.run(&["review", "--all", "--json"]).ok().out;
    assert_eq!(states(&["import", "--json"]), ["unchanged"]);
    assert_eq!(world.run(&["review", "--all", "--json"]).ok().out, first);
    assert!(world.run_on(&["import"], &[&log, &log]).ok().out.contains("Nothing new."));

    let less: String = DEVFLOW.lines().take(1).map(|l| l.replace("pull main", "pull dev")).collect();
    std::fs::write(&log, less).expect("written");
    assert_eq!(states(&["import", "--json"]), ["changed"]);
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["text"].as_str().is_some_and(|t| t.contains("pull dev")));
    // Another project: it is nowhere twice.
    assert_eq!(states(&["import", "--json", "--project", "https://user@example.com/dev/shop.git"]), ["changed"]);
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    assert_eq!((rows.len(), &rows[0]["project"]), (1, &"example.com/dev/shop".into()));
}

#[test]
fn a_dry_run_says_the_same_and_leaves_nothing_behind() {
    let world = World::new();
    project(&world);
    let before = bytes(&world.path(""));
    let dry = world.run_on(&["import", "--dry-run"], &[&world.path("shop")]).ok();
    assert!(dry.out.contains("workflow 1") && dry.out.contains("Dry run: nothing was written."), "{}", dry.out);
    assert!(bytes(&world.path("")) == before, "something was written");
    assert!(!world.data().exists());
    world.run_on(&["import"], &[&world.path("shop")]).ok();
    let before = bytes(&world.path(""));
    let rows = world.run_on(&["import", "--dry-run", "--json"], &[&world.path("shop")]).ok().objects();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|r| r["state"] == "unchanged" && r["dry_run"] == true && r["v"] == 1), "{rows:#?}");
    assert!(bytes(&world.path("")) == before, "something was written");
}

#[test]
fn damaged_lines_are_named_and_the_rest_comes_in() {
    let world = World::new();
    let log =
        world.write("shop/.memory/learning-log.jsonl", &format!("oops\n{DEVFLOW}{{\"id\":\"obs_x\",\"type\":\"wor"));
    let run = world.run_on(&["import"], &[&log]).ok();
    expect![[r#"
        exit code 0
        --- stdout ---
        $WORLD/shop/.memory/learning-log.jsonl
           devflow's learning log, for project path:$WORLD/shop
           decision 1, workflow 1 (5 sightings)
           left out: 1 entry deprecated in devflow
           skipped: line 1 is not JSON
           skipped: line 5 is cut short

        Imported as evidence; nothing is used before your yes. Look at it: uptake review --all
    "#]]
    .assert_eq(&world.shown(&run));
    let rows = world.run_on(&["import", "--json"], &[&log]).ok().objects();
    assert_eq!(rows[0]["problems"][1], serde_json::json!({"line": 5, "why": "is cut short"}));
}

#[test]
fn what_is_nothing_to_import_is_a_clear_error_and_nothing_is_written() {
    let world = World::new();
    let good = world.write("shop/.memory/learning-log.jsonl", DEVFLOW);
    let notes = world.write("shop/notes.txt", "just notes\n");
    let run = world.run_on(&["import"], &[&good, &notes]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("notes.txt` is nothing uptake can import"), "{}", run.err);
    let empty = world.path("empty");
    std::fs::create_dir_all(&empty).expect("a folder");
    let run = world.run_on(&["import"], &[&empty]);
    assert!(run.code == 1 && run.err.contains(".memory/learning-log.jsonl"), "{}", run.err);
    let run = world.run_on(&["import"], &[&world.path("nowhere")]);
    assert!(run.code == 1 && run.err.contains("nowhere"), "{}", run.err);
    assert_eq!(world.run(&["import"]).code, 2);
    let nothing = world.write("shop/.learnings/outcomes.log", "");
    assert!(world.run_on(&["import"], &[&nothing]).ok().out.contains("nothing to take over"));
    assert!(!world.data().exists());
}

#[test]
fn what_holds_for_all_projects_needs_one_to_be_named() {
    let world = World::new();
    let shared = world.write("home/.closedloop-ai/learnings/org-patterns.toon", TOON);
    let run = world.run_on(&["import"], &[&shared]);
    assert!(run.code == 1 && run.err.contains("--project KEY"), "{}", run.err);
    let rows = world.run_on(&["import", "--json", "--project", "example.com/dev/elsewhere"], &[&shared]).ok().objects();
    assert_eq!(rows[0]["kinds"], serde_json::json!({"instruction": 1, "procedure": 1}));
}

#[test]
fn a_file_in_a_repository_belongs_to_its_remote() {
    let world = World::new();
    world.write("repo/.git/config", "[remote \"origin\"]\n\turl = git@example.com:dev/shop.git\n");
    let log = world.write("repo/apps/web/.memory/learning-log.jsonl", DEVFLOW);
    let rows = world.run_on(&["import", "--json"], &[&log]).ok().objects();
    assert_eq!(rows[0]["project"], "example.com/dev/shop");
}

#[test]
fn an_imported_rule_meets_the_same_rule_of_a_session() {
    let world = World::new();
    let session = world.write("h/shop/one.json", &messages("u Never push to main without a review\na ok"));
    world.write("h/shop/two.json", &messages("u hello there\na ok"));
    world.run_on(&["learn", "--json"], &[session.parent().expect("a folder")]).ok();
    let toon = world.write("shop/.learnings/org-patterns.toon", TOON);
    let project = ["import", "--project", "folder:shop"];
    let named = TOON.replace("elsewhere", "shop");
    std::fs::write(&toon, named).expect("written");
    world.run_on(&project, &[&toon]).ok();
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    let rule = rows.iter().find(|r| r["kind"] == "instruction").expect("there");
    assert_eq!((&rule["sessions"], &rule["trust"]), (&4.into(), &"user".into()), "{rows:#?}");
}

#[test]
fn an_accepted_import_becomes_a_skill_that_says_it() {
    let world = World::new();
    project(&world);
    world.run_on(&["import"], &[&world.path("shop")]).ok();
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    for row in &rows {
        world.run(&["review", "--skill", "--accept", row["id"].as_str().expect("an id")]).ok();
    }
    let skills: Vec<String> = files(&world.home().join(".claude/skills"))
        .iter()
        .map(|f| std::fs::read_to_string(f).expect("readable"))
        .collect();
    assert!(rows.iter().all(|r| skills.iter().any(|s| s.contains(r["text"].as_str().expect("text")))), "{skills:#?}");
}

/// A learning log of another project, with so many entries.
fn long_log(world: &World, project: usize) -> PathBuf {
    let entry = |n: usize| {
        let text = format!("Run make deps-{n} before make test-{n} in part {project}");
        format!(
            r#"{{"id":"obs_{n:06}","type":"decision","pattern":"{text}","observations":2,"status":"ready","quality_ok":true}}"#
        )
    };
    let log: Vec<String> = (0..700).map(entry).collect();
    world.write(&format!("p{project}/.memory/learning-log.jsonl"), &log.join("\n"))
}

#[test]
fn many_files_at_once_give_the_same_as_one_after_the_other_and_nothing_if_one_is_unknown() {
    let world = World::new();
    let logs: Vec<_> = (0..4).map(|n| long_log(&world, n)).collect();
    let logs: Vec<&Path> = logs.iter().map(PathBuf::as_path).collect();
    let unknown = world.write("p4/notes.txt", "nothing we know");
    let all = |world: &World| world.run(&["list", "--all", "--limit", "0", "--json"]).ok().objects();
    assert_ne!(world.run_on(&["import"], &[&logs[..], &[&unknown]].concat()).code, 0);
    assert!(all(&world).is_empty(), "one of the files cannot be imported");
    let rows = world.run_on(&["import", "--json"], &logs).ok().objects();
    assert!(rows.iter().all(|r| r["sightings"] == 1_400 && r["state"] == "new"), "{rows:?}");
    let at_once = all(&world);
    assert_eq!(at_once.len(), 4 * 700);
    std::fs::remove_dir_all(world.data()).expect("gone");
    for log in &logs {
        world.run_on(&["import"], &[log]).ok();
    }
    assert_eq!(all(&world), at_once);
    let again = world.run_on(&["import", "--json"], &logs).ok().objects();
    assert!(again.iter().all(|r| r["state"] == "unchanged"), "{again:?}");
}
