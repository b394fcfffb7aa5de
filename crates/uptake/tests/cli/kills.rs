//! A killed uptake: what was acknowledged stays, and the same command again goes on. `cargo xtask battery` has the long
//! version.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::{World, copy, files, fixtures};

const KILLS: u32 = 25;

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn replace(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).expect("gone");
    }
    copy(from, to);
}

/// All that people see of a store, and the files in it.
fn seen(world: &World) -> (Vec<String>, Vec<PathBuf>) {
    let looks = [&["review", "--all", "--json"][..], &["list", "--json"], &["sessions", "--json"], &["undo", "--list"]];
    (looks.iter().map(|args| world.run(args).ok().out).collect(), files(&world.data()))
}

fn verdicts(world: &World) -> Vec<(String, String)> {
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    let decided = rows.iter().filter(|r| !r["verdict"].is_null());
    let mut out: Vec<_> = decided.map(|r| (text(r, "id").to_owned(), text(r, "verdict").to_owned())).collect();
    out.sort();
    out
}

/// A lesson that becomes a skill.
fn skill(world: &World) -> String {
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    text(rows.iter().find(|r| r["hint"].is_null() && r["ready"] == true).expect("one"), "id").to_owned()
}

fn skills(world: &World) -> Vec<PathBuf> {
    let found = files(&world.home());
    found.into_iter().filter(|f| f.components().any(|c| c.as_os_str() == "skills")).collect()
}

#[test]
fn a_killed_learn_loses_nothing_and_the_next_one_goes_on() {
    let world = World::new().with_history();
    // Two sessions come later.
    let projects = world.home().join(".claude/projects");
    files(&projects).iter().skip(2).for_each(|late| std::fs::remove_file(late).expect("gone"));
    world.run(&["learn", "--json"]).ok();
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    world.run(&["review", "--skill", "--accept", text(&rows[0], "id")]).ok();
    world.run(&["review", "--reject", text(&rows[1], "id")]).ok();
    let decided = verdicts(&world);
    let sessions = world.run(&["sessions", "--json"]).ok().out;
    let kept = world.path("kept");
    replace(&world.data(), &kept);
    let early = files(&projects);
    let all = fixtures().join("demo/claude/projects");
    for name in files(&all).iter().filter_map(|f| f.strip_prefix(&all).ok()) {
        if !early.contains(&projects.join(name)) {
            std::fs::copy(all.join(name), projects.join(name)).expect("copied");
        }
    }
    let start = Instant::now();
    world.run(&["learn", "--json"]).ok();
    let took = start.elapsed();
    let wanted = seen(&world);
    for n in 0..KILLS {
        replace(&kept, &world.data());
        let mut learn = world.command();
        let learn = learn.args(["learn", "--json"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = learn.spawn().expect("starts");
        // Steps of the golden ratio: times that look drawn and are spread evenly.
        let after: Duration = took.mul_f64((f64::from(n) * 0.618_034).fract());
        std::thread::sleep(after);
        child.kill().expect("killed");
        child.wait().expect("ended");
        let said = verdicts(&world);
        assert!(decided.iter().all(|d| said.contains(d)), "after {after:?}: {said:?}");
        let now = world.run(&["sessions", "--json"]).ok().out;
        assert!(sessions.lines().all(|line| now.contains(line)), "after {after:?}: {now}");
        world.run(&["learn", "--json"]).ok();
        assert_eq!(seen(&world), wanted, "after {after:?}");
    }
}

#[test]
fn a_skill_that_was_written_before_the_yes_was_kept_is_taken_not_written_twice() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = skill(&world);
    replace(&world.data(), &world.path("kept"));
    world.run(&["review", "--skill", "--accept", &id]).ok();
    let written = skills(&world);
    assert!(!written.is_empty());
    // As a kill leaves it: the file is there, the yes is not; a part of another try lies beside it.
    replace(&world.path("kept"), &world.data());
    let part = written[0].with_file_name(".SKILL.md.part-x1y2z3");
    std::fs::write(&part, "half a sk").expect("written");
    world.run(&["review", "--skill", "--accept", &id]).ok();
    assert_eq!(skills(&world), written);
    assert_eq!(verdicts(&world), [(id.clone(), "approved".to_owned())]);
    world.run(&["forget", "--yes", &id]).ok();
    assert_eq!(skills(&world), Vec::<PathBuf>::new());
}

#[test]
fn a_skill_nobody_said_yes_to_is_forgotten_with_its_lesson() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = skill(&world);
    replace(&world.data(), &world.path("kept"));
    world.run(&["review", "--skill", "--accept", &id]).ok();
    replace(&world.path("kept"), &world.data());
    world.run(&["forget", "--yes", &id]).ok();
    assert_eq!(skills(&world), Vec::<PathBuf>::new());
}

#[test]
fn a_store_without_tables_is_as_good_as_none() {
    let world = World::new();
    world.write("data/lessons.db", "");
    world.write("data/sessions.db", "");
    let log = r#"{"id":"obs_wf1","type":"workflow","pattern":"Squash merge, pull main, delete branch","observations":3,"status":"ready","quality_ok":true}"#;
    world.write("shop/.memory/learning-log.jsonl", log);
    let shop = world.path("shop");
    for args in [&["status"][..], &["list"], &["sessions"]] {
        world.run(args).ok();
    }
    world.run_on(&["import", "--dry-run"], &[&shop]).ok();
    world.run_on(&["import"], &[&shop]).ok();
    assert_eq!(world.run(&["review", "--all", "--json"]).ok().objects().len(), 1);
}

#[test]
fn parts_that_a_killed_run_left_are_removed_by_the_next_learn() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let own = world.write("home/.claude/skills/mine/SKILL.md", "my own skill");
    let kept = [
        world.write("home/.claude/skills/mine/.SKILL.md.part-notes", "not called as parts are"),
        world.write("home/.claude/skills/mine/SKILL.md.part-abc123", "not called as parts are"),
        own.clone(),
    ];
    world.write("home/.claude/skills/mine/.SKILL.md.part-abc123", "half a sk");
    world.write("home/.claude/skills/half/.SKILL.md.part-abc123", "half a sk");
    world.write("home/.codex/skills/half/.SKILL.md.part-Abc12Z", "");
    world.write("data/projects/.0123456789abcdef.part-abc123", "half");
    world.write("data/.tombstones.part-abc123", "half");
    let living = world.write("home/.gemini/skills/living/.SKILL.md.part-abc123", "being written");
    let writer = std::fs::File::options().write(true).open(&living).expect("opened");
    writer.lock().expect("locked");
    world.run(&["learn", "--json"]).ok();
    let mut wanted = kept.to_vec();
    wanted.push(living.clone());
    wanted.sort();
    let mut left = skills(&world);
    left.sort();
    assert_eq!(left, wanted);
    assert!(!world.home().join(".claude/skills/half").exists(), "a folder that held nothing else goes, too");
    assert!(!files(&world.data()).iter().any(|f| f.to_string_lossy().contains(".part-")));
    drop(writer);
    world.run(&["learn", "--json"]).ok();
    assert!(!living.exists());
}

/// The yes is cut short after the files were noted, and again after they were written: as a kill or a full disk does it.
#[test]
fn a_skill_without_a_yes_is_removed_by_whatever_runs_next() {
    for next in [&["learn", "--json"][..], &["add", "Run make deps first", "--project", "p"], &["undo"]] {
        let world = World::new().with_history();
        world.run(&["learn", "--json"]).ok();
        let id = skill(&world);
        world.run(&["review", "--skill", "--accept", &id]).ok();
        let written = skills(&world);
        assert!(!written.is_empty());
        // Noted and written; the yes was not kept.
        let database = world.data().join("lessons.db");
        uptake_testkit::database::execute(&database, "UPDATE artifacts SET at = 0");
        uptake_testkit::database::execute(&database, "DELETE FROM verdicts");
        uptake_testkit::database::execute(&database, "DELETE FROM ledger");
        // One of them a person has changed since.
        let changed = written.last().expect("one").clone();
        if written.len() > 1 {
            std::fs::write(&changed, "my own words").expect("written");
        }
        world.run(next);
        let own = |f: &PathBuf| std::fs::read_to_string(f).is_ok_and(|t| t == "my own words");
        let left: Vec<PathBuf> = written.iter().filter(|f| f.exists()).cloned().collect();
        assert!(left.iter().all(own), "{next:?}: {left:?}");
        assert_eq!(uptake_testkit::database::number(&database, "SELECT count(*) FROM artifacts WHERE at = 0"), 0);
    }
}

#[test]
fn a_skill_in_use_that_was_not_written_to_its_end_is_written_again() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = skill(&world);
    world.run(&["review", "--skill", "--accept", &id]).ok();
    let written = skills(&world);
    let database = world.data().join("lessons.db");
    uptake_testkit::database::execute(&database, "UPDATE artifacts SET at = 0");
    written.iter().for_each(|f| std::fs::remove_file(f).expect("gone"));
    world.run(&["learn", "--json"]).ok();
    assert_eq!(skills(&world), written, "nobody deleted it");
    assert_eq!(verdicts(&world), [(id, "approved".to_owned())]);
}

/// A disk that is full from some write on: whatever was written then, after the next `learn` every skill has its yes.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_skill_that_the_store_does_not_know() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let id = skill(&world);
    replace(&world.data(), &world.path("kept"));
    let (mut failed, mut made) = (0, 0);
    let size = std::fs::metadata(world.data().join("lessons.db")).expect("there").len() / 1024;
    for blocks in [1, 4, 8, 16, 32, 64, size, size + 8, size + 64, 100_000] {
        replace(&world.path("kept"), &world.data());
        let _ = std::fs::remove_dir_all(world.home().join(".claude/skills"));
        let line = format!(
            "ulimit -f {blocks}; trap '' XFSZ; exec '{}' review --skill --accept {id}",
            env!("CARGO_BIN_EXE_uptake")
        );
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &line]).env_clear().envs(world.environment());
        let run = crate::world::finish(&mut command, "");
        failed += usize::from(run.code != 0);
        world.run(&["learn", "--json"]).ok();
        let approved = verdicts(&world) == [(id.clone(), "approved".to_owned())];
        assert_eq!(run.code == 0, approved, "{blocks}: {}", run.err);
        assert_eq!(!skills(&world).is_empty(), approved, "{blocks}: {:?}", skills(&world));
        made += usize::from(approved);
    }
    assert!(failed > 0 && made > 0, "{failed} {made}");
}
