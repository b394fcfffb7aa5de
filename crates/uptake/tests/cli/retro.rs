//! `uptake retro`.

use crate::world::{World, messages};

const SCRIPT: &str = "u run the tests
    $ make test => make: *** No rule to make target 'deps.txt'.  Stop.
    $ make deps => ok
    $ make test => ok
    u no, use make check instead
    $ make check => ok";

#[test]
fn a_transcript_is_told_on_one_screen() {
    let world = World::new();
    let path = world.write("one.json", &messages(SCRIPT));
    let run = world.run_on(&["retro"], &[&path]).ok();
    assert!(run.out.lines().count() <= 24 && run.out.lines().all(|l| l.chars().count() <= 80), "{}", run.out);
    assert!(run.out.contains("4 calls, 1 failed, 1 fixed, 0 retried, 1 correction"), "{}", run.out);
    assert!(run.out.contains("✓ Before `make test` run `make deps`"), "{}", run.out);
    assert!(run.out.contains("» no, use make check instead"), "{}", run.out);
}

#[test]
fn json_has_the_documented_keys() {
    let world = World::new();
    let path = world.write("one.json", &messages(SCRIPT));
    let rows = world.run_on(&["retro", "--json"], &[&path]).ok().objects();
    assert_eq!(rows.len(), 1);
    let mut keys: Vec<&str> = rows[0].as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        ["error_solutions_extracted", "patterns_detected", "session_id", "skill_improvements", "summary", "v"]
    );
    assert_eq!(rows[0]["error_solutions_extracted"], 1);
    assert!(rows[0]["summary"].as_str().is_some_and(|s| s.starts_with("4 calls, 1 failed, 1 of them fixed later")));
}

#[test]
fn a_long_session_still_fits_the_screen() {
    let world = World::new();
    let mut script = String::new();
    for n in 0..12 {
        let word = ["one", "two", "six", "ten"][n % 4];
        script.push_str(&format!("$ tool{n} --{word}{n} {} => error: unknown option '--{word}{n}'\n", "x".repeat(120)));
        script.push_str(&format!("$ tool{n} --good{n} {} => fine\n", "x".repeat(120)));
        script.push_str(&format!("$ make part{n} => make: *** No rule to make target 'part{n}'.  Stop.\n"));
        script.push_str(&format!("u no, that is wrong, use make all{n} instead {}\n", "ä".repeat(200)));
    }
    let path = world.write("long.json", &messages(&script));
    let run = world.run_on(&["retro"], &[&path]).ok();
    assert!(run.out.lines().count() <= 24 && run.out.lines().all(|l| l.chars().count() <= 80), "{}", run.out);
    assert!(run.out.contains("… and"), "{}", run.out);
}

#[test]
fn a_stored_session_is_found_by_the_start_of_its_id() {
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let rows = world.run(&["sessions", "--json"]).ok().objects();
    let id = rows[0]["session"].as_str().expect("an id");
    let told = world.run(&["retro", "--json", &id[..18]]).ok().objects();
    assert_eq!(told[0]["session_id"].as_str(), Some(id));
    // Without an id the newest; this folder belongs to another project.
    let newest = world.run(&["retro", "--json"]).ok().objects();
    assert_eq!(newest[0]["session_id"].as_str(), Some(id));
}

#[test]
fn what_cannot_be_told_says_what_to_do() {
    let world = World::new();
    let run = world.run(&["retro"]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("begin with `uptake learn`"), "{}", run.err);
    let world = World::new().with_history();
    world.run(&["learn", "--json"]).ok();
    let run = world.run(&["retro", "nowhere"]);
    assert!(run.code == 1 && run.err.contains("`uptake sessions` lists"), "{}", run.err);
    // All recorded ids of one client begin alike.
    let run = world.run(&["retro", "01a1e0ec"]);
    assert!(run.code == 1 && run.err.contains("sessions begin with `01a1e0ec`; give more of it"), "{}", run.err);
    let empty = world.write("empty.json", "[]");
    let run = world.run_on(&["retro"], &[&empty]);
    assert!(run.code == 1 && run.err.contains("error: no transcript could be read"), "{}", run.err);
}
