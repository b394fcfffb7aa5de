//! `uptake project`, `clear`, `purge`, `query`, `completions`; files and approvals kept together.

use serde_json::Value;

use crate::world::{World, files};

fn learned() -> World {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    world
}

fn rows(world: &World) -> Vec<Value> {
    world.run(&["list", "--all", "--json"]).ok().objects()
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().expect("a text")
}

/// A lesson that becomes a skill, approved.
fn with_skill(world: &World) -> String {
    let rows = world.run(&["review", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["hint"].is_null()).expect("one without an error");
    let id = text(row, "id").to_owned();
    world.run(&["review", "--accept", &id]).ok();
    id
}

fn skills(world: &World) -> Vec<std::path::PathBuf> {
    files(&world.home()).into_iter().filter(|f| f.ends_with("SKILL.md")).collect()
}

fn sql(world: &World, statement: &str) {
    let run = std::process::Command::new("python3")
        .args(["-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"])
        .arg(world.data().join("lessons.db"))
        .arg(statement)
        .status()
        .expect("python3 runs");
    assert!(run.success());
}

#[test]
fn what_is_cleared_away_comes_back_with_its_files() {
    let world = learned();
    with_skill(&world);
    let (before, made) = (rows(&world), skills(&world));
    assert!(!made.is_empty());
    assert_eq!(world.run(&["clear"]).code, 1, "nobody to ask");
    let cleared = world.run(&["clear", "--yes", "--json"]).ok().objects()[0].clone();
    assert!(rows(&world).is_empty() && skills(&world).is_empty());
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).is_empty(), "what was read is not read again");
    world.run(&["undo", &cleared["change"].to_string()]).ok();
    assert_eq!((rows(&world), skills(&world)), (before, made));
}

#[test]
fn undo_takes_the_skill_away_and_brings_it_back_unless_it_was_changed() {
    let world = learned();
    with_skill(&world);
    let made = skills(&world);
    let undone = world.run(&["undo", "--json"]).ok().objects()[0].clone();
    assert!(skills(&world).is_empty() && !undone["removed"].as_array().expect("a list").is_empty());
    world.run(&["undo", &undone["change"].to_string()]).ok();
    assert_eq!(skills(&world), made);
    std::fs::write(&made[0], "mine now").expect("written");
    world.run(&["undo"]).ok();
    assert_eq!(std::fs::read_to_string(&made[0]).expect("there"), "mine now");
}

#[test]
fn a_deleted_skill_retires_its_lesson_until_it_is_approved_anew() {
    let world = learned();
    let id = with_skill(&world);
    let status = |world: &World| {
        let found = rows(world).into_iter().find(|r| r["id"] == id.as_str());
        text(&found.expect("there"), "status").to_owned()
    };
    for skill in skills(&world) {
        std::fs::remove_file(skill).expect("deleted");
    }
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains("it is retired until you approve it anew"), "{}", run.out);
    assert_eq!(status(&world), "retired");
    // Seen again, whatever is read: it stays so.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(status(&world), "retired");
    assert!(world.run(&["why", &id]).ok().out.contains("You deleted what was made of it"));
    world.run(&["review", "--accept", &id]).ok();
    assert_eq!(status(&world), "approved");
    assert!(!skills(&world).is_empty());
}

#[test]
fn changed_bytes_withdraw_an_approval_and_its_skill() {
    let world = learned();
    let id = with_skill(&world);
    sql(&world, &format!("UPDATE lessons SET body = json_set(body, '$.title', 'Another') WHERE id = '{id}'"));
    assert!(world.run(&["show", &id]).ok().out.contains("it is withdrawn"));
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains("its lesson is not approved in these words"), "{}", run.out);
    assert!(skills(&world).is_empty());
}

#[test]
fn two_projects_become_one_and_two_again() {
    let world = World::new();
    world.run(&["add", "Run make deps first", "--project", "git.example.com/dev/old"]).ok();
    world.run(&["add", "Use tabs", "--project", "git.example.com/dev/new"]).ok();
    let before = rows(&world);
    let merged = world.run(&["project", "merge", "old", "new", "--json"]).ok().objects()[0].clone();
    let after = rows(&world);
    assert_eq!(after.len(), 2);
    assert!(after.iter().all(|r| r["project"] == "git.example.com/dev/new" && r["status"] == "approved"), "{after:?}");
    let list = world.run(&["project", "--json"]).ok().objects();
    assert_eq!((list.len(), &list[0]["also"][0]), (1, &"git.example.com/dev/old".into()));
    world.run(&["undo", &merged["change"].to_string()]).ok();
    assert_eq!(rows(&world), before);
    let run = world.run(&["project", "merge", "old", "nowhere"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("there is no project `nowhere`"), "{}", run.err);
}

#[test]
fn sessions_of_a_merged_project_count_for_the_other() {
    let world = learned();
    let project = text(&rows(&world)[0], "project").to_owned();
    world.run(&["add", "Use tabs", "--project", "git.example.com/dev/whole"]).ok();
    let before = rows(&world);
    world.run(&["project", "merge", &project, "whole"]).ok();
    assert!(rows(&world).iter().all(|r| r["project"] != project.as_str()));
    // Read anew, they belong to the other at once.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["project"] != project.as_str()));
    world.run(&["undo"]).ok();
    let mut ids: Vec<String> = rows(&world).iter().map(|r| text(r, "id").to_owned()).collect();
    let mut wanted: Vec<String> = before.iter().map(|r| text(r, "id").to_owned()).collect();
    ids.sort();
    wanted.sort();
    assert_eq!(ids, wanted);
}

#[test]
fn what_cannot_be_read_is_listed_and_thrown_out_and_made_again() {
    let world = learned();
    assert!(world.run(&["purge"]).ok().out.contains("nothing to throw out"));
    let before = rows(&world);
    let id = text(&before[0], "id").to_owned();
    sql(&world, &format!("UPDATE lessons SET body = '{{\"half\":' WHERE id = '{id}'"));
    let listed = world.run(&["purge"]).ok();
    assert!(listed.out.contains(&format!("lesson {id} cannot be read")), "{}", listed.out);
    assert_eq!(rows(&world).len(), before.len() - 1, "one that cannot be read breaks nothing else");
    world.run(&["purge", "--yes"]).ok();
    assert_eq!(rows(&world), before, "it was added up again from what was seen");
}

#[test]
fn lessons_are_found_by_error_kind_language_and_words() {
    let world = learned();
    world.run(&["add", "Use tabs", "--project", "p"]).ok();
    let found = |args: &[&str]| world.run(args).ok().objects();
    let errors = found(&["query", "--errors", "unrecognized", "--json"]);
    assert!(!errors.is_empty() && errors.iter().all(|r| r["kind"] == "recovery" || r["kind"] == "pitfall"));
    assert_eq!(found(&["query", "--errors", "TypeError", "--json"]).len(), 0);
    assert_eq!(found(&["query", "tabs", "--json"]).len(), 1);
    assert!(found(&["query", "--patterns", "rust", "--json"]).iter().all(|r| r["kind"] != "recovery"));
    assert!(world.run(&["query", "nothing-like-that"]).ok().out.contains("Nothing was learned"));
    for (args, word) in [(&["query"][..], "say what"), (&["query", "--patterns", "klingon"], "is not known")] {
        let run = world.run(args);
        assert_eq!(run.code, 1);
        assert!(run.err.contains(word), "{}", run.err);
    }
}

#[test]
fn a_newer_rule_of_the_user_retires_the_one_it_contradicts() {
    let world = World::new();
    let old = world.run(&["add", "use npm to install packages", "--project", "p", "--json"]).ok().objects();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let new = world.run(&["add", "use pnpm, not npm", "--project", "p", "--json"]).ok().objects();
    assert_eq!(new[0]["superseded"][0], old[0]["id"]);
    let status: Vec<String> = rows(&world).iter().map(|r| text(r, "status").to_owned()).collect();
    assert!(status.contains(&"rejected".to_owned()) && status.contains(&"approved".to_owned()), "{status:?}");
    world.run(&["undo"]).ok();
    assert!(rows(&world).iter().all(|r| r["status"] == "approved"), "the older one is back");
}

#[test]
fn completions_are_printed_for_each_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(world.run(&["completions", shell]).ok().out.contains("purge"), "{shell}");
    }
    assert_eq!(world.run(&["completions", "cobol"]).code, 2);
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
    let paths: Vec<_> =
        (0..16).map(|n| world.write(&format!("h{n}/shop/s{n}.json"), &crate::world::messages(&script(n)))).collect();
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
