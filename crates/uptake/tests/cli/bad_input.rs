//! Bad input gets a clear error and loses nothing.

use expect_test::expect;
use uptake_testkit::database;

use crate::world::{World, files, messages};

#[test]
fn no_history_says_where_it_looked_and_offers_the_demo() {
    let world = World::new();
    expect![[r#"
        exit code 0
        --- stdout ---
        No sessions of a coding agent were found. uptake looked in:
          Claude Code  $HOME/.claude/projects
          Codex CLI    $HOME/.codex/sessions
          Codex CLI    $HOME/.codex/archived_sessions
          OpenCode     $HOME/.local/share/opencode
          Gemini CLI   $HOME/.gemini/tmp
        To see what it does: uptake learn --demo
    "#]]
    .assert_eq(&world.snapshot(&["learn"]));
    assert!(files(&world.data()).is_empty());
}

#[test]
fn a_path_that_is_not_there_is_named() {
    let run = World::new().run(&["learn", "/nowhere/at/all"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("/nowhere/at/all"), "{}", run.err);
    let run = World::new().run(&["events", "/nowhere/at/all"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("/nowhere/at/all"), "{}", run.err);
}

#[test]
fn a_wrong_option_is_a_usage_error() {
    assert_eq!(World::new().run(&["learn", "--no-such-option"]).code, 2);
    assert_eq!(World::new().run(&["frobnicate"]).code, 2);
}

#[test]
fn wrong_formats_and_damage_are_one_line_each_and_the_rest_is_read() {
    let world = World::new().with_history();
    world.write("home/.claude/projects/p/picture.jsonl", "\u{89}PNG not at all a transcript");
    world.write("home/.claude/projects/p/empty.jsonl", "");
    world.write("home/.claude/projects/p/cut.jsonl", "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n{\"type\":\"assistant\",\"uuid\":\"u2\",\"mess\n{\"type\":\"user\",\"uuid\":\"u3\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"there\"}}\n");
    let run = world.run(&["learn"]).ok();
    assert!(run.err.contains("damaged records"), "{}", run.err);
    assert!(run.out.contains("error-python3"));
    let kinds: Vec<&str> = run.err.lines().collect();
    assert!(kinds.len() <= 4, "{kinds:?}");
}

#[cfg(unix)]
#[test]
fn a_store_that_cannot_be_written_is_a_clear_error() {
    let world = World::new().with_history();
    world.write("data", "a file where the folder should be");
    let run = world.run(&["learn"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("cannot open") && run.err.contains("hint: "), "{}", run.err);
}

#[test]
fn a_file_that_is_no_database_is_named_kept_and_replaced() {
    for name in ["lessons", "sessions"] {
        let world = World::new().with_history();
        let text = "no database ".repeat(200);
        world.write(&format!("data/{name}.db"), &text);
        let listed = world.run(&["list"]);
        let run = world.run(&["learn", "--json"]).ok();
        // Whoever meets it first mends it.
        let told = if name == "lessons" { listed.ok().err } else { run.err };
        assert!(told.contains(&format!("{name}.db")) && told.contains("damaged"), "{told}");
        let wanted = World::new().with_history().run(&["learn", "--json"]).ok().out;
        assert_eq!(run.out, wanted, "all of it could be read anew");
        let copy = files(&world.data()).into_iter().find(|f| f.to_string_lossy().contains("damaged-")).expect("a copy");
        assert_eq!(std::fs::read_to_string(copy).expect("there"), text);
    }
}

#[test]
fn of_a_broken_database_everything_a_person_said_that_can_be_read_is_saved() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let list = |world: &World| world.run(&["list", "--all", "--json"]).ok().objects();
    let ids: Vec<String> = list(&world).iter().map(|r| r["id"].as_str().expect("an id").to_owned()).collect();
    world.run(&["review", "--accept", &ids[0], "--reject", &ids[1]]).ok();
    world.run(&["add", "Run make deps first", "--project", "p"]).ok();
    let before = list(&world);
    // The pages of the observations are overwritten; they can be read from the transcripts again.
    database::break_table(&world.data().join("lessons.db"), "observations");
    // Something new is read: only then the broken pages are met.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    let run = world.run(&["learn", "--json"]).ok();
    assert!(run.err.contains("damaged") && run.err.contains("saved from it:"), "{}", run.err);
    assert_eq!(list(&world), before);
}

#[test]
fn a_store_of_a_newer_release_is_refused_politely() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    database::set_version(&world.data().join("lessons.db"), 99);
    for command in ["learn", "list", "status", "review", "undo"] {
        let run = world.run(&[command]);
        assert_eq!(run.code, 1, "{command}");
        assert!(run.err.contains("newer uptake"), "{command}: {}", run.err);
    }
}

/// A disk that is full: a small file system of its own, where the system lets us make one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error_and_nothing_is_half_written() {
    let world = World::new().with_history();
    // A limit on the size of files stops writes as a full disk does, without any rights.
    let limited = |blocks: u32| {
        let line = format!("ulimit -f {blocks}; trap '' XFSZ; exec '{}' learn --json", env!("CARGO_BIN_EXE_uptake"));
        let mut command = std::process::Command::new("bash");
        command.args(["-c", &line]).env_clear().envs(world.environment());
        crate::world::finish(&mut command, "")
    };
    let mut failed = 0;
    for blocks in [1, 8, 40, 80, 120] {
        let run = limited(blocks);
        if run.code != 0 {
            failed += 1;
            assert_eq!(run.code, 1, "{}", run.err);
            assert!(run.err.contains("error: ") && run.err.contains("hint: "), "{}", run.err);
        }
    }
    assert!(failed > 0, "the limit was never reached");
    let wanted = World::new().with_history().run(&["learn", "--json"]).ok().out;
    assert_eq!(world.run(&["learn", "--json"]).ok().out, wanted, "it goes on where it stopped");
}

#[test]
fn hostile_names_stay_inside_the_skill_folder() {
    let world = World::new();
    let path = world.write("h/p/session.json", &messages("u do it\n$ make all => ok\nu save this as ../../../evil"));
    world.run_on(&["learn", "--yes"], &[&path]).ok();
    for file in files(&world.path("")) {
        assert!(
            !file.to_string_lossy().contains("evil") || file.starts_with(world.home().join(".claude/skills")),
            "{}",
            file.display()
        );
    }
}

#[test]
fn skills_are_written_through_no_links() {
    let world = World::new().with_history();
    let outside = world.path("outside");
    std::fs::create_dir_all(&outside).expect("a folder");
    let skills = world.home().join(".claude/skills");
    std::fs::create_dir_all(&skills).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, skills.join("error-python3")).expect("a link");
    world.run(&["learn", "--yes"]).ok();
    assert!(files(&outside).is_empty());
}
